"""The page of a scenario as a widget, for notebooks in Jupyter, marimo and VS Code; it needs the extra `notebook`.

`webpage/widget.js` shows the page, and keeps it and the widget equal. Settings travel as `[seed, actions]` of a link,
and as the keys that differ from the scenario in the frame shown; infinity, which JSON lacks, travels as "inf".
"""

from math import inf
from typing import Any

from boidsgen import pipeline
from boidsgen.errors import UsageError
from boidsgen.records import optional_package
from boidsgen.scenario.loading import ScenarioLike, for_callers, load_scenario, loaded
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.scenario.wording import abbreviated
from boidsgen.simulation.setup import own_rules
from boidsgen.webpage.document import numbered
from boidsgen.webpage.links import Link, session
from boidsgen.webpage.writer import SPARES, filled, movable_keys, page_data, resource, unused_modules

optional_package("anywidget", "boidsgen.notebook")
from anywidget import AnyWidget  # noqa: E402
from traitlets import Dict, Int, List, Unicode, validate  # noqa: E402


def _to_json(value: dict[str, Any], _: object) -> dict[str, Any]:
    return {key: "inf" if one == inf else one for key, one in value.items()}


def _from_json(value: dict[str, Any], _: object) -> dict[str, Any]:
    return {key: inf if one == "inf" else one for key, one in value.items()}


class Widget(AnyWidget):
    """A page that shows itself in notebooks, and exchanges settings and frame with Python.

    Attributes:
        frame: number of the frame that is shown; set it to show another one.
        overrides: keys that differ from the scenario in that frame, with their values; set it to change the page.
    """

    frame = Int(min=0).tag(sync=True)
    overrides = Dict().tag(sync=True, to_json=_to_json, from_json=_from_json)

    _esm = resource("widget.js")
    _page = Unicode().tag(sync=True)
    _size = List(Int()).tag(sync=True)
    _spares = List(Unicode()).tag(sync=True)
    _done = List[Any]([0, []]).tag(sync=True)

    @for_callers
    def __init__(self, scenario: ScenarioLike, *, size: tuple[int, int] = (980, 760), **keys: object) -> None:
        """The page of a scenario in any form.

        Args:
            scenario: in any form.
            size: width and height of the page's frame in the notebook, in pixels.
            keys: overrides, with two underscores for each dot.

        Raises:
            ScenarioError: `output.page` is "live", and a browser cannot compute the scenario.
        """
        found, _ = loaded(scenario, None, keys)
        pipeline.preflight(found)
        data, recording = page_data(found)
        self._scenario = found
        self._movable = set[str]() if recording else movable_keys(found, data["document"])
        super().__init__(
            _page=filled(data, recording, provenance(found, own_rules(found)), without=unused_modules(data)),
            _size=[*size],
            _spares=[f"{name}.{len(getattr(found, name))}." for name in SPARES],
        )

    @validate("overrides")
    def _checked(self, proposal: dict[str, Any]) -> dict[str, Any]:
        found = {numbered(key): value for key, value in proposal["value"].items()}
        load_scenario(self._scenario, found)
        for key in found.keys() - self._movable:
            raise UsageError(f"{abbreviated(key)} is not moved in this page; make another widget with it")
        return found

    def session(self) -> Scenario:
        """The scenario with all that was done in the page as events, up to the frame shown, ready to be rendered."""
        seed, actions = self._done
        return session(Link(seed, self.frame, actions), self._scenario)
