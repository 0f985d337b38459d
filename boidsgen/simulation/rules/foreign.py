"""Foreign: rules that other installed packages bring along.

A package names a rule under the entry point `boidsgen.rules`, in its pyproject.toml:

    [project.entry-points."boidsgen.rules"]
    wind = "windy:Wind"

Installed with boidsgen, it gives flocks and predators the table `wind`, a class made of `Rule`. Nothing but an
installed package is asked: a scenario can name no code. What is wrong with one of them is told in a line that names it.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from inspect import isabstract
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from boidsgen.errors import UsageError
from boidsgen.simulation.rules.rule import Rule, rules_in
from boidsgen.tables import Table

GROUP = "boidsgen.rules"
"""The entry point."""


def foreign_rules() -> Mapping[str, type[Rule]]:
    """The rules of installed packages, by the names of their tables.

    Raises:
        UsageError: when one of them is none.
    """
    return {point.name: _loaded(point) for point in sorted(_points(), key=lambda point: point.name)}


def _points() -> Iterable["EntryPoint"]:
    """The entry points of the group; packages are asked only where one has the group's name in its files."""
    if not any(map(_may_name_rules, sys.path)):
        return ()

    from importlib.metadata import entry_points  # noqa: PLC0415  takes longer than all else here, mostly for nothing

    return entry_points(group=GROUP)


def _may_name_rules(place: str) -> bool:
    """Whether a package in a place that Python imports from may bring rules along; an archive has to be asked."""
    folder = Path(place)
    if folder.is_file():
        return True
    found = folder.glob("*-info/entry_points.txt")
    return any(GROUP in file.read_text("utf-8", errors="replace") for file in found)


def refuse_taken(table: type[Table]) -> None:
    """Stop when a table has another meaning for the name of a foreign rule.

    Raises:
        UsageError: naming the rule.
    """
    known = rules_in(table)
    for name, rule in FOREIGN.items():
        if known.get(name) is not rule:
            raise UsageError(
                f"{GROUP}: {name}: is a key of {table.__name__.lower()} already; the package must rename it"
            )


def _loaded(point: "EntryPoint") -> type[Rule]:
    if not point.name.isidentifier() or point.name != point.name.lower():
        raise UsageError(f"{GROUP}: {point.name}: must be a name in small letters, such as wind")
    try:
        rule = point.load()
    except Exception as error:
        raise UsageError(f"{GROUP}: {point.name}: {point.value} cannot be loaded: {error}") from error
    if not (isinstance(rule, type) and issubclass(rule, Rule)) or isabstract(rule):
        raise UsageError(f"{GROUP}: {point.name}: {point.value} is not a class made of Rule with a method `desired`")
    return rule


def _fields(rules: Mapping[str, type[Rule]]) -> Iterator[tuple[str, Any]]:
    for name, rule in rules.items():
        summary = (rule.__doc__ or "").strip().partition("\n\n")[0]
        yield name, (rule | None, Field(default=None, description=summary))


FOREIGN = foreign_rules()
"""The rules of installed packages, by the names of their tables."""

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    class ForeignRules(Table):
        """The rules of installed packages."""

else:
    ForeignRules = create_model("ForeignRules", __base__=Table, __module__=__name__, **dict(_fields(FOREIGN)))
