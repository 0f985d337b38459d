"""Consistency: requirements of one part of a scenario on another.

`inconsistencies` looks at what the user wrote, key by key, valid or not, so that its errors are reported together with
all others; `misfits_of` and `event_problems` look at a scenario whose keys are all valid. Keys to be checked are marked
where they are declared: `OfWorldDimension` and `NameOfFlock` on a field, `dimensions` on a table.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard, cast

import annotated_types
from pydantic import ValidationError

from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.overlays import OVERLAYS
from boidsgen.drawing.overlays.marks import has_route
from boidsgen.drawing.themes import THEMES
from boidsgen.scenario.annotations import (
    MAX_INTEGER,
    Form,
    bare,
    constraints,
    entry,
    fields,
    has_remark,
    is_table,
    places,
    table_of,
)
from boidsgen.scenario.documents import Keys
from boidsgen.scenario.overrides import UnresolvedKeyError, form_of_key, names_of, resolve_key, set_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.suggestions import MAX_CANDIDATES, unknown_key
from boidsgen.scenario.validation import Problem, as_written, inside, problems_of
from boidsgen.scenario.wording import shown, suggestion
from boidsgen.simulation.groups import Flock
from boidsgen.simulation.rules.rule import NameOfFlock
from boidsgen.tables import OfWorldDimension, Table


def inconsistencies(document: Mapping[str, object]) -> Iterator[Problem]:
    """Vectors of another dimension, unknown flocks, numbers too long for TOML, and two keys with one meaning."""
    clock = document.get("time")
    if isinstance(clock, Mapping) and {"frames", "duration"} <= clock.keys():
        yield Problem(("time", "duration"), "says the same as time.frames; write only one of them")
    yield from _inconsistencies_at((), document, Scenario, document)


def _inconsistencies_at(keys: Keys, value: object, form: Form, document: Mapping[str, object]) -> Iterator[Problem]:
    """The same for a value at some place of the document."""
    dimension, names = dimension_of(document), names_of_flocks(document)
    for at, inner, place in places(value, form, keys):
        if isinstance(inner, int) and not -MAX_INTEGER - 1 <= inner <= MAX_INTEGER:
            # A key with an upper bound of its own reports that instead.
            if not any(isinstance(bound, annotated_types.Lt | annotated_types.Le) for bound in constraints(place)):
                yield Problem(at, f"must fit into 64 bits, not {shown(inner)}")
        elif isinstance(inner, str) and has_remark(place, NameOfFlock):
            if inner not in names:
                known = [str(name) for name in names]
                hint = suggestion(inner, known) or f" (there is {', '.join(known[:MAX_CANDIDATES])})"
                yield Problem(at, f"there is no flock of this name{hint}")
            elif at[0] == "flock" and inner == names[at[1] if isinstance(at[1], int) else 0]:
                yield Problem(at, "is the flock itself; name another one")
        elif dimension is not None:
            table = table_of(inner, place)
            if table and dimension not in table.dimensions:
                known_in = " and ".join(f"{axes}D" for axes in table.dimensions)
                yield Problem(at, f"works in {known_in} only, and world.size has {dimension} entries")
            if _is_vector(inner) and len(inner) != dimension and has_remark(place, OfWorldDimension):
                yield Problem(at, f"must have {dimension} entries, as many as world.size, not {len(inner)}")


def misfits_of(scenario: Scenario) -> Iterator[Problem]:
    """Requirements of a look that the world and the flocks do not meet, and colors that nobody would see."""
    style, camera, overlay = scenario.style, scenario.camera, scenario.overlay
    axes, boundary = scenario.world.dimension, scenario.world.boundary
    if axes not in COLORINGS[style.color_by].dimensions:
        wrong = f"{style.color_by} needs three dimensions, and world.size has {axes} entries"
        yield Problem(("style", "color_by"), wrong)
    if camera.follows and boundary.leads_round:
        wrong = f"needs a boundary that is not periodic, and world.boundary is {boundary.kind}"
        yield Problem(("camera", "follow"), wrong)
    if camera.follows and (camera.center or any("camera.center" in event.set for event in scenario.events)):
        yield Problem(("camera", "center"), f"is where the {camera.follow} is; leave out camera.follow, or this")
    boids = _always_there(scenario)
    if overlay.focus >= boids and _shows_focus(scenario):
        counted = f"must be below {boids}, the number of boids in the first flock, counted from 0"
        yield Problem(("overlay", "focus"), counted)
    paths = [table for table in scenario.predators if table.path]
    if overlay.paths and paths and not any(map(has_route, paths)):
        wrong = "there is none to show; needs a path by position, or predators that it alone moves, without inertia"
        yield Problem(("overlay", "paths"), wrong)
    seam, most = scenario.output.loop_seam, scenario.time.frames // 2
    if seam > most:
        yield Problem(("output", "loop_seam"), f"must be at most {most}, half of time.frames, not {seam}")
    if style.shapes and style.colors.light:
        yield Problem(("style", "shapes"), f"theme {style.theme} draws all flocks alike; use style.shape")
    if style.transparent and style.colors.light:
        flat = ", ".join(name for name, theme in THEMES.items() if not theme.light)
        yield Problem(("style", "transparent"), f"theme {style.theme} is light on a background; take one of {flat}")
    yield from (Problem(("style", *key), wording) for key, wording in scenario.faint)


def event_problems(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Problem]:
    """Every change of a valid scenario's events that cannot be made, or does not fit the rest of the scenario."""
    impossible = list(scenario.event_mistakes())
    for keys, wrong in impossible:
        said = wrong if isinstance(wrong, str) else _wording_of_change(keys, scenario, document)
        yield Problem(as_written(keys, document), _unknown_in_event(said, str(keys[-1]), document) or said)
    for number, event in enumerate(scenario.events if not impossible else ()):
        for key, value in event.set.items():
            keys = resolve_key(document, names_of(key), Scenario)
            for problem in _inconsistencies_at(keys, value, form_of_key(document, keys, Scenario), document):
                yield Problem(as_written(("events", number, "set", key), document), problem.wording)


def _unknown_in_event(said: str, key: str, document: Mapping[str, object]) -> str:
    """The error about an unknown key in an event, with a suggestion; empty for any other error."""
    wrong = re.fullmatch("unknown key '(.*)'", said)
    try:
        names = names_of(key)
    except UnresolvedKeyError:  # it is no dotted key at all
        return ""
    if not wrong or wrong[1] not in names:
        return ""
    place = names[: names.index(wrong[1]) + 1]
    form = form_of_key(document, resolve_key(document, place[:-1], Scenario), Scenario)
    table = bare(entry(form, 0) or form)
    return unknown_key(place, list(fields(table)), Scenario) if is_table(table) else ""


def _wording_of_change(keys: Keys, scenario: Scenario, document: Mapping[str, object]) -> str:
    """The error there would be if the value stood at its key from the beginning."""
    _, number, _, key = keys
    value = scenario.events[int(number)].set[str(key)]
    resolved = resolve_key(document, names_of(str(key)), Scenario)
    changed = cast("Mapping[str, object]", set_key(document, resolved, value, Scenario))
    try:
        Scenario.model_validate(changed)
    except ValidationError as error:
        return next(problems_of(error, changed, Scenario)).wording
    return f"cannot become {shown(value)} after the events before it"


def dimension_of(document: Mapping[str, object]) -> int | None:
    """The number of axes that the document gives the world; None when that is an error by itself."""
    world = document.get("world", {})
    if not isinstance(world, Mapping) or "size" not in world:
        return int(Scenario.model_fields["world"].default.dimension)
    size = inside(world, "size")
    return len(size) if _is_vector(size) else None


def names_of_flocks(document: Mapping[str, object]) -> list[object]:
    """The names of a document's flocks, in their order."""
    flocks = document.get("flock", {})
    tables = flocks if isinstance(flocks, tuple) else (flocks,)
    return [table.get("name", Flock.model_fields["name"].default) for table in tables if isinstance(table, Mapping)]


def _is_vector(value: object) -> TypeGuard[tuple[object, ...]]:
    """True if a value has as many entries as a world can have axes."""
    return isinstance(value, tuple) and len(value) in Table.dimensions


def _always_there(scenario: Scenario) -> int:
    """Number of boids of the first flock in every frame; 0 where it is not always there."""
    first = scenario.flock[0]
    if first.from_ or (first.until is not None and first.until < scenario.time.frames):
        return 0
    keys = ("flock.count", "flock.0.count")
    changed = [event.set[key] for event in scenario.events for key in keys if isinstance(event.set.get(key), int)]
    return int(min([first.count, *changed]))


def _shows_focus(scenario: Scenario) -> bool:
    """True if an overlay about the boid in focus is on: one that has the key `focus` beside its own."""
    about: Sequence[Mapping[str, object]]
    about = [kind.model_fields for kind in OVERLAYS.values() if "focus" in kind.model_fields]
    return any(getattr(scenario.overlay, key) for keys in about for key in keys if key != "focus")
