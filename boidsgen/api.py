"""Python functions that make clips, pictures, pages and recordings; those for studies are in `analysis`.

Every function takes a scenario in any form: the name of a preset, a path, TOML text, a dictionary or a `Scenario`; the
path of a saved run supplies its states. Set keys with `overrides={"flock.count": 80}` or as keywords with two
underscores for each dot, `flock__count=80`; `frames`, `fps`, `size`, `quality` and `seed` need no table name. Every
failure raises a `BoidsgenError` and leaves existing outputs unchanged.
"""

import shlex
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Self

import numpy as np

from boidsgen import pipeline
from boidsgen.errors import UsageError
from boidsgen.output.formats import Target
from boidsgen.output.publish import open_file
from boidsgen.pipeline import Progress, Report, RunOptions
from boidsgen.scenario.loading import (
    Overrides,
    Quality,
    ScenarioLike,
    for_callers,
    given_overrides,
    loaded,
    plain,
    refuse_below_one,
    source_of,
)
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import to_toml
from boidsgen.simulation import run
from boidsgen.simulation.rules.rule import Rules
from boidsgen.simulation.run import Run
from boidsgen.simulation.setup import Setup, State
from boidsgen.studies import collect as replaying
from boidsgen.studies import compare as comparing
from boidsgen.studies.compare import comparison_of
from boidsgen.studies.series import own_parts


def _steered(
    scenario: ScenarioLike,
    overrides: Overrides | None,
    keys: Overrides,
    rules: Rules,
    states: Iterable[State] | None = None,
) -> tuple[Scenario, Iterable[State] | None]:
    """A scenario as `loaded`, under rules of a program, and its states, where they are given."""
    found, states = loaded(scenario, overrides, keys, states, rules)
    if rules and states is not None:
        raise UsageError("rules: have no effect on states that already exist")
    return own_parts(rules, ()).steered(found), states


class Still(tuple[str, ...]):  # noqa: SLOT001  a tuple of any length has no slots
    """Notices about a picture, which displays itself in notebooks."""

    path: Path

    def __new__(cls, path: str | PathLike[str], notices: Iterable[str]) -> Self:
        """Notices about the picture at `path`."""
        made = super().__new__(cls, notices)
        made.path = Path(path)
        return made

    def _repr_png_(self) -> bytes:
        return self.path.read_bytes()


@for_callers
def render(
    scenario: ScenarioLike,
    first: str | PathLike[str] | Target,
    *further: str | PathLike[str] | Target,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    observe: Callable[[State], None] | None = None,
    states: Iterable[State] | None = None,
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    fps: float | None = None,
    size: tuple[int, int] | str | None = None,
    quality: Quality | None = None,
    **keys: object,
) -> Report:
    """Simulate, draw and encode one scenario, once for all files.

    Examples:
        >>> render("quickstart", "flock.gif", frames=2, flock__count=20).frames
        2

    Args:
        scenario: in any form.
        first: a file; its extension selects the format.
        further: more files.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        observe: called with every state before it is drawn.
        states: of a saved run of this scenario, instead of simulating.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys, in the units of the reference.
        frames: number of frames.
        seed: random seed.
        fps: frames per second.
        size: width and height of the picture in pixels, or a name such as "square".
        quality: draft, standard or high.
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed, "fps": fps, "size": size, "quality": quality}
    checked, states = _steered(scenario, overrides, keys, rules, states)
    return pipeline.render(checked, first, *further, options=RunOptions(engine, no_clobber, progress, observe, states))


@for_callers
def still(
    scenario: ScenarioLike,
    path: str | PathLike[str],
    *,
    at: int | Sequence[int] | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    states: Iterable[State] | None = None,
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    size: tuple[int, int] | str | None = None,
    **keys: object,
) -> Still:
    """Write one frame as a picture, or several side by side as a film strip.

    Examples:
        >>> still("quickstart", "flock.png", at=3).path.name
        'flock.png'

    Args:
        scenario: in any form.
        path: of the picture, a .png, or a figure as .svg or .pdf.
        at: number of the frame, counted from 0, or ascending numbers of several; by default the last one.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        states: of a saved run of this scenario, instead of simulating.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        size: width and height of the picture in pixels, or a name such as "square".
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed, "size": size}
    checked, states = _steered(scenario, overrides, keys, rules, states)
    at = at.tolist() if isinstance(at, np.ndarray) else at
    manner = RunOptions(engine, no_clobber, progress, states=states)
    if isinstance(at, Sequence) and not isinstance(at, str):
        made = comparing.strip(checked, path, at=at, options=manner)
    else:
        made = pipeline.still(checked, path, at=at, options=manner)
    return Still(path, made)


@for_callers
def simulate(
    scenario: ScenarioLike | Setup,
    engine: str = "auto",
    overrides: Overrides | None = None,
    rules: Rules = (),
    *,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> Run:
    """The states of a scenario, one per frame; positions are in world units, shape (n, d), and read-only.

    Examples:
        >>> [state.flocks[0].position.shape for state in simulate("quickstart", frames=2, flock__count=20)]
        [(20, 2), (20, 2)]

    Args:
        scenario: in any form.
        engine: auto, numpy or native; all give the same result.
        overrides: values by their dotted keys.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.

    Raises:
        UsageError: there is no such engine, or keys are set for a `Setup`, which cannot be changed.
        NotFiniteError: a position or velocity is no longer finite.
    """
    keys |= {"frames": frames, "seed": seed}
    if isinstance(scenario, Setup) and not isinstance(scenario, Scenario):
        changes = {"overrides": overrides, "rules": rules, **{key: value is not None for key, value in keys.items()}}
        if given := [name for name, value in changes.items() if value]:
            raise UsageError(f"{', '.join(given)}: a Setup is simulated as it is; give a scenario to change it")
        return run.simulate(scenario, engine)
    checked, _ = loaded(scenario, overrides, keys, rules=rules)
    return run.simulate(own_parts(rules, ()).steered(checked), engine)


@for_callers
def record(
    scenario: ScenarioLike,
    path: str | PathLike[str],
    *,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    first: int = 0,
    every: int = 1,
    float32: bool = False,
    rules: Rules = (),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> tuple[str, ...]:
    """Save the states of all frames, and return notices as in a report.

    Examples:
        >>> record("quickstart", "run.npz", frames=2)
        ()

    Args:
        scenario: in any form.
        path: of the file, a .npz, .csv, .xyz, .parquet, .nc, .gsd or .glb.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        first: first saved frame.
        every: interval in frames.
        float32: save numbers in single precision; such a run no longer equals that of its scenario.
        rules: your own rules or functions of the view, which also steer every flock; a mapping names them.
        overrides: values by their dotted keys.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed}
    checked, states = _steered(scenario, overrides, keys, rules)
    refuse_below_one(every=every)
    options = RunOptions(engine, no_clobber, progress, states=states)
    return pipeline.record(checked, path, first=first, every=every, float32=float32, options=options)


@for_callers
def compare(
    scenarios: Sequence[ScenarioLike],
    path: str | PathLike[str],
    *,
    variants: Sequence[Overrides] = (),
    labels: Sequence[str] | None = None,
    columns: int | None = None,
    at: int | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    fps: float | None = None,
    size: tuple[int, int] | str | None = None,
    quality: Quality | None = None,
    **keys: object,
) -> Report | Still:
    """Render scenarios side by side, in sync, each in every variant, as a clip or as one picture (.png).

    Examples:
        >>> compare(["quickstart"], "two.gif", variants=[{}, {"flock.cohesion.weight": 0}], frames=2).frames
        2

    Args:
        scenarios: each in any form; each is a row if there are several variants.
        path: of the clip or the picture.
        variants: overrides of each variant; each is a column if there are several scenarios.
        labels: text above each, instead of titles and variants.
        columns: pictures per row, with a single scenario or variant.
        at: number of the frame that a picture shows, counted from 0; by default the last one.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.
        overrides: values by their dotted keys, for all.
        frames: number of frames.
        seed: random seed.
        fps: frames per second.
        size: width and height of the picture in pixels, or a name such as "square".
        quality: draft, standard or high.
        keys: further overrides, with two underscores for each dot.
    """
    keys |= {"frames": frames, "seed": seed, "fps": fps, "size": size, "quality": quality}
    refuse_below_one(columns=columns)
    comparing.refuse_frame(at, [fspath(path)])
    texts = [shlex.join(f"{key}={to_toml(plain(value, key))}" for key, value in one.items()) for one in variants]
    sources = [*map(source_of, scenarios)]
    grid = comparison_of(
        sources, given_overrides(overrides, keys), texts, labels=labels, columns=columns and int(columns)
    )
    manner = RunOptions(engine, no_clobber, progress)
    if pipeline.is_still(fspath(path)):
        return Still(path, comparing.compare_still(grid, path, at=at, options=manner))
    return comparing.compare(grid, path, options=manner)


class Webpage(str):  # noqa: SLOT000  a text of any length
    """The text of a page, which displays itself in notebooks, in its own frame."""

    size: tuple[int, int] = (800, 800)
    """Width and height of the frame in pixels."""

    @for_callers
    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, and return its path."""
        with open_file(fspath(path), "stream") as file:
            file.write(self.encode())
        return Path(path)

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415  it comes with the names of two thousand letters

        width, height = self.size
        frame = f'sandbox="allow-scripts allow-downloads" allow="clipboard-write; fullscreen" width="{width}"'
        return f'<iframe {frame} height="{height}" style="border:0;max-width:100%" srcdoc="{escape(self)}"></iframe>'


@for_callers
def page(
    scenario: ScenarioLike,
    *,
    states: Iterable[State] | None = None,
    size: tuple[int, int] = (980, 760),
    overrides: Overrides | None = None,
    frames: int | None = None,
    seed: int | None = None,
    **keys: object,
) -> Webpage:
    """A scenario as one HTML file that plays it; notebooks display it, even without a running kernel.

    Examples:
        >>> page("quickstart", flock__count=20).save("flock.html").name
        'flock.html'

    Args:
        scenario: in any form.
        states: of a saved run of this scenario, which the page then plays.
        size: width and height of the frame in a notebook, in pixels.
        overrides: values by their dotted keys, in the units of the reference.
        frames: number of frames.
        seed: random seed.
        keys: further overrides, with two underscores for each dot.

    Raises:
        ScenarioError: `output.page` is "live", and a browser cannot compute the scenario.
    """
    keys |= {"frames": frames, "seed": seed}
    from boidsgen.webpage.writer import page_text  # noqa: PLC0415  most programs make no page

    found, states = loaded(scenario, overrides, keys, states)
    pipeline.preflight(found)
    name = scenario if isinstance(scenario, str) and scenario.isidentifier() else "scenario"
    made = Webpage(page_text(found, None if states is None else pipeline.complete(states, found), name=name))
    made.size = size
    return made


@for_callers
def replay(
    original: str | PathLike[str],
    path: str | PathLike[str],
    *,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Render a clip or picture again from its embedded scenario, under another name, and compare the two.

    Examples:
        >>> _ = render("quickstart", "flock.gif", frames=2)
        >>> replay("flock.gif", "again.gif").name
        'again.gif'

    Args:
        original: a clip or picture that boidsgen has made.
        path: of the new one; its extension selects the format.
        engine: auto, numpy or native; all give the same result.
        no_clobber: keep a file that exists, and fail.
        progress: called with the number of frames done, after each.

    Raises:
        ReplayError: the new file differs from the original; it is kept.
    """
    one = replaying.original(Path(original))
    replaying.replay(one, fspath(path), RunOptions(engine, no_clobber, progress))
    return Path(path)
