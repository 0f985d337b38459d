"""Units: in what a key of the scenario is counted, as its docstring says.

`key_unit("flock.angular_noise")` is "degrees"; a key without a unit, or that there is not, has the empty one.
"""

from collections.abc import Iterator
from functools import cache

from boidsgen.scenario.documentation import keys_of, meaning, tables_in
from boidsgen.scenario.grammar import form_of
from boidsgen.scenario.overrides import names_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.tables import Table

UNITS = (
    "world units per unit of time",
    "world units",
    "turns per unit of time",
    "degrees",
    "pixels",
    "frames a second",
)
"""What docstrings count in, a unit before those that are part of its name."""


@cache
def key_unit(key: str) -> str:
    """The unit of a dotted key, empty where it has none."""
    names = [name for name in names_of(key) if not name.isdecimal()]
    texts = (meaning(table, names[-1]) for table in _tables(Scenario, names[:-1]) if names[-1] in keys_of(table))
    return next((unit for text in texts for unit in UNITS if unit in text), "")


def _tables(table: type[Table], names: list[str]) -> Iterator[type[Table]]:
    """Every table that may stand at this place."""
    if not names:
        yield table
    elif (field := keys_of(table).get(names[0])) is not None:
        for inner in tables_in(form_of(field)).values():
            yield from _tables(inner, names[1:])
