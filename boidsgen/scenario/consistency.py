"""Consistency: what tables demand of each other.

`inconsistencies(document, form)` goes through what the user wrote, whether or not the rest of it is valid, so that
these mistakes are shown together with all others.
"""

from collections.abc import Iterator, Mapping

from boidsgen.scenario.grammar import Form, places, remarks, table_of
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.mistakes import Mistake, inside
from boidsgen.tables import OfWorldDimension

FLAT, DEEP = 2, 3
"""Axes of a world."""


def inconsistencies(document: Mapping[str, object], form: Form) -> Iterator[Mistake]:
    """Vectors that do not fit the dimension of the world, and tables that make no sense in it."""
    dimension = dimension_of(document)
    for keys, value, place in places(document, form):
        if dimension is not None:
            yield from _misfit_table(keys, value, place, dimension)
            yield from _misfit_vector(keys, value, place, dimension)


def dimension_of(document: Mapping[str, object]) -> int | None:
    """The number of axes that the document gives the world; None when that is a mistake by itself."""
    world = document.get("world", {})
    size = inside(world, "size") if isinstance(world, Mapping) and "size" in world else (0,) * FLAT
    return len(size) if isinstance(size, tuple) and len(size) in {FLAT, DEEP} else None


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
