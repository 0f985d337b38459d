"""All rules together, with those of installed packages (entry points `boidsgen.rules`).

With the entry point `wind = "windy:Wind"` a package adds the table `wind`, a class made of `Rule`.
"""

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, create_model

from boidsgen.plugins import Family, made_of
from boidsgen.simulation.rules.flocking import AvoidanceRules, ChanceRules, FlockingRules
from boidsgen.simulation.rules.places import PlaceRules
from boidsgen.simulation.rules.pursuit import HuntingRules, PursuitRules
from boidsgen.simulation.rules.rule import Rule, rules_in
from boidsgen.tables import Table


def refuse_taken(table: type[Table]) -> None:
    """Stop when a table has another meaning for the name of a foreign rule: a key, or what code calls it by.

    Raises:
        PackageError: naming the rule.
    """
    FOREIGN.refuse({*_meanings(table)}, f"is a key of {table.__name__.lower()} already")


def _meanings(table: type[Table]) -> Iterator[str]:
    """Every name that a table has by itself: of its keys, however they are called in code, and of what it can do."""
    for base in table.__mro__:
        if base is ForeignRules:
            continue
        yield from vars(base)
        if issubclass(base, BaseModel):
            own = inspect.get_annotations(base) if issubclass(base, ForeignRules) else base.model_fields
            aliases = {field.alias for name, field in base.model_fields.items() if name not in FOREIGN}
            yield from (*own, *filter(None, aliases))


def _fault(name: str, rule: object) -> str:
    del name
    return "" if made_of(rule, Rule) else "is not a class made of Rule with a method `desired`"


FOREIGN: Family[type[Rule]] = Family("rules", {}, _fault)
"""The rules of installed packages, by the names of their tables."""
FOREIGN.refuse(dir(Table), "is what every table has already")

if TYPE_CHECKING:

    class ForeignRules(Table):
        """The rules of installed packages."""

else:
    _fields = {
        name: (rule | None, Field(default=None, description=(rule.__doc__ or "").strip().partition("\n\n")[0]))
        for name, rule in FOREIGN.items()
    }
    ForeignRules = create_model("ForeignRules", __base__=Table, __module__=__name__, **_fields)


class CommonRules(ForeignRules, ChanceRules, AvoidanceRules, PursuitRules, PlaceRules, FlockingRules):
    """The rules that any group of animals may have; they are off until their table is written."""


RULES: dict[str, type[Rule]] = rules_in(CommonRules) | rules_in(HuntingRules)
"""Every rule by the name of its table."""
