"""Consistency: what tables demand of each other, and what events would make wrong.

`inconsistencies(document, form)` goes through what the user wrote, whether or not the rest of it is valid, so that
these mistakes are shown together with all others.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import annotated_types
from pydantic import ValidationError

from boidsgen.drawing.colorings import COLORINGS
from boidsgen.scenario.grammar import Form, places, remarks, table_of
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.mistakes import Mistake, inside, mistakes_of
from boidsgen.scenario.overrides import landing, names_of, placed
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import constraints, shown, suggestion
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.rules.rule import NameOfFlock
from boidsgen.tables import OfWorldDimension

FLAT, DEEP = 2, 3
"""Axes of a world."""
LARGEST = 2**63
"""The first whole number that TOML need not carry."""


def inconsistencies(document: Mapping[str, object], form: Form) -> Iterator[Mistake]:
    """Vectors and tables that do not fit the dimension of the world, and names of flocks that are not there."""
    dimension = dimension_of(document)
    names = names_of_flocks(document)
    for keys, value, place in places(document, form):
        yield from _too_long_number(keys, value, place)
        yield from _unknown_flock(keys, value, place, names)
        if dimension is not None:
            yield from _misfit_table(keys, value, place, dimension)
            yield from _misfit_vector(keys, value, place, dimension)


def dimension_of(document: Mapping[str, object]) -> int | None:
    """The number of axes that the document gives the world; None when that is a mistake by itself."""
    world = document.get("world", {})
    size = inside(world, "size") if isinstance(world, Mapping) and "size" in world else (0,) * FLAT
    return len(size) if isinstance(size, tuple) and len(size) in {FLAT, DEEP} else None


def misfits_of(scenario: "Scenario") -> Iterator[Mistake]:
    """What a scenario that is valid key by key still cannot have."""
    color_by, axes = scenario.style.color_by, scenario.world.dimension
    if axes not in COLORINGS[color_by].dimensions:
        yield Mistake(("style", "color_by"), f"{color_by} needs three dimensions, and world.size has {axes} entries")
    yield from _nobody_in_focus(scenario)


def _nobody_in_focus(scenario: "Scenario") -> Iterator[Mistake]:
    overlay, boids = scenario.overlay, scenario.flock[0].count
    if overlay.focus >= boids and (overlay.perception or overlay.neighbors or overlay.forces):
        yield Mistake(("overlay", "focus"), f"must be below {boids}, the number of boids in the first flock")


def names_of_flocks(document: Mapping[str, object]) -> list[object]:
    """What the flocks of a document are called, in their order."""
    flocks = document.get("flock", {})
    tables = flocks if isinstance(flocks, tuple) else (flocks,)
    return [table.get("name", Flock.model_fields["name"].default) for table in tables if isinstance(table, Mapping)]


def _too_long_number(keys: Keys, value: object, form: Form) -> Iterator[Mistake]:
    """Whole numbers beyond what TOML promises to carry; where a key has a bound of its own, that is told instead."""
    if not isinstance(value, int) or -LARGEST <= value < LARGEST:
        return
    if not any(isinstance(bound, annotated_types.Lt | annotated_types.Le) for bound in constraints(form)):
        yield Mistake(keys, f"must fit into 64 bits, not {shown(value)}")


def _unknown_flock(keys: Keys, value: object, form: Form, names: Sequence[object]) -> Iterator[Mistake]:
    if not isinstance(value, str) or not any(isinstance(remark, NameOfFlock) for remark in remarks(form)):
        return
    if value not in names:
        yield Mistake(keys, f"there is no flock of this name{suggestion(value, [str(name) for name in names])}")
    elif keys[0] == "flock" and value == names[_flock_of(keys)]:
        yield Mistake(keys, "is the flock itself; name another one")


def _flock_of(keys: Keys) -> int:
    return keys[1] if isinstance(keys[1], int) else 0


def _misfit_vector(keys: Keys, value: object, form: Form, dimension: int) -> Iterator[Mistake]:
    if not isinstance(value, tuple) or len(value) not in {FLAT, DEEP} or len(value) == dimension:
        return
    if any(isinstance(remark, OfWorldDimension) for remark in remarks(form)):
        yield Mistake(keys, f"must have {dimension} entries, as many as world.size, not {len(value)}")


def _misfit_table(keys: Keys, value: object, form: Form, dimension: int) -> Iterator[Mistake]:
    table = table_of(value, form)
    if table and dimension not in table.dimensions:
        known = " and ".join(f"{axes}D" for axes in table.dimensions)
        yield Mistake(keys, f"makes sense in {known} only, and world.size has {dimension} entries")


def event_mistakes(scenario: Scenario, document: Mapping[str, object]) -> Iterator[Mistake]:
    """Every change of a valid scenario's events that could not be made."""
    for keys, wrong in scenario.event_mistakes():
        yield Mistake(keys, wrong if isinstance(wrong, str) else _wording(keys, scenario, document))


def _wording(keys: tuple[str | int, ...], scenario: Scenario, document: Mapping[str, object]) -> str:
    """What would be wrong if the value stood at its key from the beginning."""
    _, number, _, key = keys
    value = scenario.events[int(number)].set[str(key)]
    landed = landing(document, names_of(str(key)), Scenario)
    changed = cast("Mapping[str, object]", placed(document, landed, value, Scenario))
    try:
        Scenario.model_validate(changed)
    except ValidationError as error:
        return next(mistakes_of(error, changed, Scenario)).wording
    raise AssertionError(f"{key} = {value!r} is wrong in an event and right in the scenario")
