"""Foreign: rules that other installed packages bring along, under the entry point `boidsgen.rules`.

Installed with boidsgen, a package with the entry point `wind = "windy:Wind"` gives flocks and predators the table
`wind`, a class made of `Rule`; see `packages` for what is asked, and when.
"""

from collections.abc import Iterator, Mapping
from inspect import isabstract
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from boidsgen.errors import UsageError
from boidsgen.packages import Family, owner
from boidsgen.simulation.rules.rule import Rule, rules_in
from boidsgen.tables import Table


def refuse_taken(table: type[Table]) -> None:
    """Stop when a table has another meaning for the name of a foreign rule.

    Raises:
        UsageError: naming the rule.
    """
    known = rules_in(table)
    for name, rule in FOREIGN.items():
        if known.get(name) is not rule:
            wrong = f"is a key of {table.__name__.lower()} already; the package must rename it"
            raise UsageError(f"package {owner('rules', name)}: boidsgen.rules: {name}: {wrong}")


def _fault(name: str, rule: object) -> str:
    del name
    if isinstance(rule, type) and issubclass(rule, Rule) and not isabstract(rule):
        return ""
    return "is not a class made of Rule with a method `desired`"


def _fields(rules: Mapping[str, type[Rule]]) -> Iterator[tuple[str, Any]]:
    for name, rule in rules.items():
        summary = (rule.__doc__ or "").strip().partition("\n\n")[0]
        yield name, (rule | None, Field(default=None, description=summary))


FOREIGN: Mapping[str, type[Rule]] = Family("rules", {}, _fault)
"""The rules of installed packages, by the names of their tables."""

if TYPE_CHECKING:

    class ForeignRules(Table):
        """The rules of installed packages."""

else:
    ForeignRules = create_model("ForeignRules", __base__=Table, __module__=__name__, **dict(_fields(FOREIGN)))
