"""Provenance: the scenario written back as TOML, which every output embeds to show how it was made.

The text loads to the same scenario: a comment with the versions, then every key that is not at its default, and always
the seed. It does not contain where, when or by whom the output was made.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from boidsgen import plugins
from boidsgen.errors import MAX_ORIGIN, LimitError
from boidsgen.scenario.documents import ExcessError, refuse_oversized
from boidsgen.scenario.wording import written
from boidsgen.tables import Table, has_tables, is_tag, value_at
from boidsgen.version import __version__

if TYPE_CHECKING:
    from boidsgen.scenario.scenario import Scenario

_MADE_WITH = re.compile(r"^# boidsgen \S+, numpy \S+, pillow \S+((?:, (?!rules of )[^\s,]+ [^\s,]+)+)", re.MULTILINE)
"""The comment of `versions` where packages stand in it."""
STATES_FROM = "# states from "  # Beginning of the comment of an output whose states were not made by its scenario
_NONE: Mapping[str, object] = MappingProxyType({})
_NO_DEFAULT = object()  # Equal to no value


def resolved(scenario: "Scenario") -> str:
    """One line of TOML for each key at the top that is not at its default, and a comment with those of the theme."""
    lines = [f"{name} = {written(value)}\n" for name, value in chosen(scenario, scenario.theme_defaults).items()]
    return "".join([*(f"# {line}\n" for line in from_theme(scenario)), *lines])


def from_theme(scenario: "Scenario") -> tuple[str, ...]:
    """A line that names the values in force that are the theme's defaults, where there are any."""
    defaults = scenario.theme_defaults.items()
    given = [f"{key} = {written(value)}" for key, value in defaults if value_at(scenario, key.split(".")) == value]
    return (f"theme {scenario.style.theme}: {', '.join(given)}",) if given else ()


def chosen(table: Table, defaults: Mapping[str, object] = _NONE, path: str = "") -> dict[str, object]:
    """The keys of a table that differ from their defaults, and the one that selects its kind; tables come last.

    Args:
        table: to be written.
        defaults: those of dotted keys that differ from the usual ones.
        path: the dotted key of the table, with a dot at its end.
    """
    found: list[tuple[bool, str, object]] = []
    for key, name, always, normal in _defaults(type(table)):
        inner, usual = getattr(table, name), defaults.get(path + key, normal)
        value = chosen(inner, defaults, f"{path}{key}.") if isinstance(inner, Table) else _plain(inner)
        if always or (value is not None and value != usual):
            found.append((has_tables(getattr(table, name)), key, value))
    return {key: value for _, key, value in sorted(found, key=lambda one: one[0])}


@cache
def _defaults(table: type[Table]) -> tuple[tuple[str, str, bool, object], ...]:
    """The keys of a table, each with its attribute, True where it is always written, and its default if it has one."""
    found = [
        (field.alias or name, name, is_tag(field), _NO_DEFAULT if field.is_required() else _plain(field.get_default()))
        for name, field in table.model_fields.items()
    ]
    return tuple(sorted(found, key=lambda one: not one[2]))


def _plain(value: object) -> object:
    """A value without classes; two tables are alike when they are written alike."""
    if isinstance(value, Table):
        return chosen(value)
    if isinstance(value, tuple):
        return tuple(_plain(entry) for entry in value)
    return value


def provenance(scenario: "Scenario", own_rules: Sequence[str] = (), states_from: str = "") -> str:
    """The text that outputs of this scenario embed; it loads to the same scenario.

    Args:
        scenario: whose output it is.
        own_rules: names of rules that a program has added, and that a text cannot reproduce.
        states_from: name of the file that the states come from, where they may not be those of the scenario.

    Raises:
        LimitError: when the text could not be read again.
    """
    text, made_by = resolved(scenario), versions(own_rules)
    if states_from:
        made_by += f"{STATES_FROM}{json.dumps(states_from)}, changed or made elsewhere, not from this scenario\n"
    return readable_again(f"{made_by}{text}" if scenario.seed else f"{made_by}seed = 0\n{text}")


def readable_again(text: str) -> str:
    """The text itself; LimitError when a reader of an output with this text would refuse it."""
    try:
        refuse_oversized(text)
    except ExcessError as error:
        raise LimitError(f"the scenario could not be read again from its output: {error}") from None
    if len(text.encode()) > MAX_ORIGIN:
        wanted = f"{len(text.encode()):,} bytes with every number written out, and {MAX_ORIGIN:,} are allowed"
        raise LimitError(f"the scenario could not be read again from its output: {wanted}")
    return text


def versions(own_rules: Sequence[str] = ()) -> str:
    """A comment with the versions on which the frames of a scenario depend, and the rules that a program has added."""
    import numpy as np  # noqa: PLC0415  after them everything else
    import PIL  # noqa: PLC0415

    parts = (f"boidsgen {__version__}", f"numpy {np.__version__}", f"pillow {PIL.__version__}", *plugins.versions())
    parts += (f"rules of a program: {' and '.join(own_rules)}",) if own_rules else ()
    return f"# {', '.join(parts)}\n"


def absent(text: str) -> tuple[str, ...]:
    """The packages, with their versions, that a text names as its makers and that are not installed here."""
    found = _MADE_WITH.search(text)
    return tuple(package for package in found[1].split(", ")[1:] if package not in plugins.versions()) if found else ()
