"""Consistency: what one part of a scenario asks of another.

Each check yields `Mistake`s, which name the keys as the user wrote them:

  inconsistencies(document, form)     what the user wrote, key by key, whether or not the rest of it is valid: shown
                                      together with all other mistakes
  misfits_of(scenario)                what is wrong with a scenario although each of its keys is valid
  event_mistakes(scenario, document)  changes that the events of a valid scenario cannot make

Which keys are checked is marked where they are declared: `OfWorldDimension` and `NameOfFlock` on a field, `dimensions`
on a table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard, cast

import annotated_types
from pydantic import ValidationError

from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.overlays import OVERLAYS
from boidsgen.drawing.overlays.paths import has_route
from boidsgen.drawing.themes import THEMES
from boidsgen.scenario.grammar import (
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
    too_long,
    unknown,
)
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.meant import MAX_CANDIDATES, unknown_key
from boidsgen.scenario.mistakes import Mistake, as_written, inside, mistakes_of
from boidsgen.scenario.overrides import UnresolvedKeyError, form_of_key, names_of, resolve_key, set_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import shown, suggestion
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.rules.rule import NameOfFlock
from boidsgen.tables import OfWorldDimension, Table


def oversized(document: Mapping[str, object], form: Form) -> Iterator[tuple[Keys, str]]:
    """Lists of tables with more entries than there may be, and why."""
    for keys, length, most in too_long(document, form):
        yield keys, f"must have at most {most:,} entries, not {length:,}"


def unknown_keys(document: Mapping[str, object], form: Form) -> Iterator[Mistake]:
    """Every key that no table knows."""
    for keys, table in unknown(document, form):
        yield Mistake(keys, unknown_key([key for key in keys if isinstance(key, str)], list(fields(table)), form))


def inconsistencies(document: Mapping[str, object], form: Form) -> Iterator[Mistake]:
    """What does not fit the world's dimension, unknown flocks, numbers too long for TOML, and the same said twice."""
    if {"frames", "duration"} <= set(_keys_of(document.get("time"))):
        yield Mistake(("time", "duration"), "says the same as time.frames; write only one of them")
    yield from _inconsistencies_at((), document, form, dimension_of(document), names_of_flocks(document))


def _keys_of(value: object) -> Iterable[str]:
    return value if isinstance(value, Mapping) else ()


def _inconsistencies_at(
    keys: Keys, value: object, form: Form, dimension: int | None, names: Sequence[object]
) -> Iterator[Mistake]:
    """The same for a value at some place of the document."""
    for at, inner, place in places(value, form, keys):
        yield from _too_long_number(at, inner, place)
        yield from _unknown_flock(at, inner, place, names)
        if dimension is not None:
            yield from _misfit_table(at, inner, place, dimension)
            yield from _misfit_vector(at, inner, place, dimension)


def misfits_of(scenario: Scenario) -> Iterator[Mistake]:
    """What a look asks of the world and of the flocks that they do not have, and colors that nobody would see."""
    color_by, axes = scenario.style.color_by, scenario.world.dimension
    if axes not in COLORINGS[color_by].dimensions:
        yield Mistake(("style", "color_by"), f"{color_by} needs three dimensions, and world.size has {axes} entries")
    boundary = scenario.world.boundary
    if scenario.camera.follows and boundary.leads_round:
        wrong = f"needs edges that do not lead round, and world.boundary is {boundary.kind}"
        yield Mistake(("camera", "follow"), wrong)
    aimed = scenario.camera.center or any("camera.center" in event.set for event in scenario.events)
    if scenario.camera.follows and aimed:
        yield Mistake(
            ("camera", "center"), f"is where the {scenario.camera.follow} is; leave out camera.follow, or this"
        )
    boids = _always_there(scenario)
    if scenario.overlay.focus >= boids and _shows_focus(scenario):
        counted = f"must be below {boids}, the number of boids in the first flock, counted from 0"
        yield Mistake(("overlay", "focus"), counted)
    paths = [table for table in scenario.predators if table.path]
    if scenario.overlay.paths and paths and not any(map(has_route, paths)):
        wrong = "there is none to show; needs a path by position, or predators that it alone moves, without inertia"
        yield Mistake(("overlay", "paths"), wrong)
    seam, most = scenario.output.loop_seam, scenario.time.frames // 2
    if seam > most:
        yield Mistake(("output", "loop_seam"), f"must be at most {most}, half of time.frames, not {seam}")
    if scenario.style.shapes and scenario.style.colors.light:
        yield Mistake(("style", "shapes"), f"theme {scenario.style.theme} draws all flocks alike; use style.shape")
    if scenario.style.transparent and scenario.style.colors.light:
        flat = ", ".join(name for name, theme in THEMES.items() if not theme.light)
        wrong = f"theme {scenario.style.theme} is light on a ground; take one of {flat}"
        yield Mistake(("style", "transparent"), wrong)
    yield from (Mistake(("style", *key), wording) for key, wording in scenario.faint)


def event_mistakes(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    """Every change of a valid scenario's events that could not be made."""
    impossible = list(scenario.event_mistakes())
    for keys, wrong in impossible:
        said = wrong if isinstance(wrong, str) else _event_wording(keys, scenario, document)
        yield Mistake(as_written(keys, document), _unknown_in_event(said, str(keys[-1]), document) or said)
    if not impossible:
        yield from _event_misfits(scenario, document)


def _unknown_in_event(said: str, key: str, document: Mapping[str, object]) -> str:
    """What to say instead of an unknown key in an event, with the one that was meant; nothing of anything else."""
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


def _event_misfits(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    """Values of possible changes that do not fit the rest of the scenario, such as a point of another dimension."""
    dimension, names = dimension_of(document), names_of_flocks(document)
    for number, event in enumerate(scenario.events):
        for key, value in event.set.items():
            keys = resolve_key(document, names_of(key), Scenario)
            for mistake in _inconsistencies_at(keys, value, form_of_key(document, keys, Scenario), dimension, names):
                yield Mistake(as_written(("events", number, "set", key), document), mistake.wording)


def dimension_of(document: Mapping[str, object]) -> int | None:
    """The number of axes that the document gives the world; None when that is a mistake by itself."""
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
    """Whether a value has as many entries as a world can have axes."""
    return isinstance(value, tuple) and len(value) in Table.dimensions


def _too_long_number(keys: Keys, value: object, form: Form) -> Iterator[Mistake]:
    """Whole numbers beyond what TOML can carry; a key with an upper bound of its own reports that instead."""
    if not isinstance(value, int) or -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        return
    if not any(isinstance(bound, annotated_types.Lt | annotated_types.Le) for bound in constraints(form)):
        yield Mistake(keys, f"must fit into 64 bits, not {shown(value)}")


def _unknown_flock(keys: Keys, value: object, form: Form, names: Sequence[object]) -> Iterator[Mistake]:
    if not isinstance(value, str) or not has_remark(form, NameOfFlock):
        return
    if value not in names:
        known = [str(name) for name in names]
        hint = suggestion(value, known) or f" (there is {', '.join(known[:MAX_CANDIDATES])})"
        yield Mistake(keys, f"there is no flock of this name{hint}")
    elif keys[0] == "flock" and value == names[_flock_of(keys)]:
        yield Mistake(keys, "is the flock itself; name another one")


def _flock_of(keys: Keys) -> int:
    return keys[1] if isinstance(keys[1], int) else 0


def _misfit_vector(keys: Keys, value: object, form: Form, dimension: int) -> Iterator[Mistake]:
    if _is_vector(value) and len(value) != dimension and has_remark(form, OfWorldDimension):
        yield Mistake(keys, f"must have {dimension} entries, as many as world.size, not {len(value)}")


def _misfit_table(keys: Keys, value: object, form: Form, dimension: int) -> Iterator[Mistake]:
    table = table_of(value, form)
    if table and dimension not in table.dimensions:
        known = " and ".join(f"{axes}D" for axes in table.dimensions)
        yield Mistake(keys, f"makes sense in {known} only, and world.size has {dimension} entries")


def _always_there(scenario: Scenario) -> int:
    """How many boids of the first flock are there in every frame; while others come, that is before events."""
    first = scenario.flock[0]
    if first.from_ or (first.until is not None and first.until < scenario.time.frames):
        return 0
    keys = ("flock.count", "flock.0.count")
    changed = [event.set[key] for event in scenario.events for key in keys if isinstance(event.set.get(key), int)]
    return int(min([first.count, *changed]))


def _shows_focus(scenario: Scenario) -> bool:
    """Whether an overlay about the boid in focus is on: one that has the key `focus` beside its own."""
    about = (kind.model_fields for kind in OVERLAYS.values() if "focus" in kind.model_fields)
    return any(getattr(scenario.overlay, key) for fields in about for key in fields if key != "focus")


def _event_wording(keys: Keys, scenario: Scenario, document: Mapping[str, object]) -> str:
    """What would be wrong if the value stood at its key from the beginning."""
    _, number, _, key = keys
    value = scenario.events[int(number)].set[str(key)]
    resolved = resolve_key(document, names_of(str(key)), Scenario)
    changed = cast("Mapping[str, object]", set_key(document, resolved, value, Scenario))
    try:
        Scenario.model_validate(changed)
    except ValidationError as error:
        return next(mistakes_of(error, changed, Scenario)).wording
    return f"cannot become {shown(value)} after the events before it"
