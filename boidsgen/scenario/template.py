"""Scenarios as text: a short one to start from, one with every key, and documents with a header for each table."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from boidsgen.scenario.annotations import (
    Annotation,
    choices,
    constraints,
    entry_annotation,
    form_of,
    keys_of,
    own_words,
    remarks,
    tables_in,
    unwrapped,
    without_none,
)
from boidsgen.scenario.reference import by_themes, meaning, ranges, summary
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import dotted, length, pairs, to_toml
from boidsgen.simulation.rules.rule import KnownFlock
from boidsgen.simulation.world import A_DURATION
from boidsgen.tables import InWorld, Table, attributes, is_tag

LESSON = "lesson"  # Name under which `boidsgen new --from` knows it
_START = """\
# A flock to start from. Change a number, then run: boidsgen render THIS_FILE
# `boidsgen explain KEY` says more about a key, `boidsgen new --full OUT.toml` lists all of them.
"""


def starter() -> str:
    """A short scenario: the keys that matter most, each with its range and its effect."""
    lines, header = [_START.rstrip()], ""
    for key, known in ranges().items():
        table, _, name = key.rpartition(".")
        if table != header:
            lines += ["", f"[{table}]"]
            header = table
        lines.append(f"{name} = {to_toml(known['value'])}  # {known['range']}; {known['effect']}")
    return "\n".join(lines) + "\n"


def lesson() -> str:
    """A short scenario whose page asks a question, with comments for teachers."""
    return (files("boidsgen.scenario") / "lesson.toml").read_text("utf-8")


def with_headers(document: Mapping[str, Any]) -> str:
    """A document as TOML: its own keys, then each table under its header."""
    keys = {key: value for key, value in document.items() if not is_tables(value)}
    tables = {key: value for key, value in document.items() if key not in keys}
    return "\n".join([*pairs(keys), "", *as_tables((), tables)])


def is_tables(value: object) -> bool:
    """True for a table, or several."""
    several = isinstance(value, list | tuple) and bool(value) and all(isinstance(one, Mapping) for one in value)
    return several or isinstance(value, Mapping)


def as_tables(above: tuple[str, ...], tables: Mapping[str, Any]) -> Iterator[str]:
    """Tables as TOML, each under its header."""
    for name, value in tables.items():
        keys = (*above, name)
        single = isinstance(value, Mapping) or (keys == ("flock",) and len(value) == 1)
        for one in (value if isinstance(value, Mapping) else value[0],) if single else value:
            yield from _table(keys, one, array=not single)


def _table(keys: tuple[str, ...], table: Mapping[str, Any], *, array: bool) -> Iterator[str]:
    """One table, and those below it."""
    plain = {key: value for key, value in table.items() if not is_tables(value) or keys[0] == "events"}
    if plain or not table or array:
        yield f"[[{dotted(keys)}]]" if array else f"[{dotted(keys)}]"
        yield from pairs(plain)
        yield ""
    yield from as_tables(keys, {key: value for key, value in table.items() if key not in plain})


_HEAD = """\
# A scenario for boidsgen: every table, its keys at their defaults.
# Lines that begin with # and a key are disabled; delete the # to enable them.
"""


@dataclass(frozen=True)
class _Place:
    """The place where a table is written."""

    name: str = ""  # its dotted key, empty for the top of the file
    brackets: int = 1  # 1 for `[name]`, 2 for `[[name]]`, one of several
    hash: str = ""  # "#" where the table is not there by default, else empty
    default: Table | None = None  # the table with the values to write, where there is one


def template() -> str:
    """A commented document that loads to the default scenario."""
    return "\n".join([_HEAD, *_keys(Scenario, _Place(default=Scenario()))]) + "\n"


def _keys(table: type[Table], place: _Place) -> Iterator[str]:
    for key, field in keys_of(table).items():
        # Tables within one that cannot be empty are written as values, so that all of it can be uncommented at once.
        if tables_in(form_of(field)) and not (entry_annotation(form_of(field), 0) and _empty(table) is None):
            yield from ("", f"# {meaning(table, key)}")
            yield from _tables(key, field, place)
        elif not is_tag(field):
            yield f"# {meaning(table, key)}"
            yield _pair(key, field, place)


def _tables(key: str, field: FieldInfo, around: _Place) -> Iterator[str]:
    """The tables to show under a key: the default one, or the first kind; every kind where several tables may stand."""
    form = form_of(field)
    tables, several = tables_in(form), entry_annotation(form, 0) is not None
    default = getattr(around.default, attributes(type(around.default))[key]) if around.default else None
    hidden = around.hash or ("" if default else "#")
    default = default[0] if several and default else default or None
    place = _Place(f"{around.name}.{key}".lstrip("."), 2 if several and not default else 1, hidden, default)
    shown = [kind for kind, table in tables.items() if default is None or type(default) is table]
    if len(tables) > 1:
        yield f"# There are: {', '.join(tables)}."
    for kind in shown if place.brackets > 1 else shown[:1]:
        table = tables[kind]
        if kind:
            yield f"# {kind}: {summary(table)}"
        yield f"{place.hash}{'[' * place.brackets}{place.name}{']' * place.brackets}"
        if tag := next((name for name, one in keys_of(table).items() if is_tag(one)), None):
            yield f"{place.hash}{tag} = {to_toml(kind)}"
        yield from _keys(table, replace(place, default=default or _empty(table)))


def _empty(table: type[Table]) -> Table | None:
    """A table of which nothing is written; None where something must be."""
    try:
        return table()
    except ValidationError:
        return None


def _pair(key: str, field: FieldInfo, place: _Place) -> str:
    form = form_of(field)
    value = None if field.is_required() else field.get_default()
    if value is not None:
        shown = getattr(place.default, attributes(type(place.default))[key]) if place.default else value
        # Editors that check TOML by a JSON Schema, which has no infinity, would underline it; themes know better.
        idle = shown == math.inf or any(by_themes(f"{place.name}.{key}"))
        return f"{place.hash or '#' * idle}{key} = {to_toml(shown)}"
    if KnownFlock in remarks(form):
        return f"# {key} = the name of another flock"  # no example is right in a scenario of one flock
    if own_words(form) is A_DURATION:
        return f'# {key} = "8s", instead of frames'  # both together are an error
    return f"{place.hash if field.is_required() else '#'}{key} = {to_toml(_example(form))}"


def _example(form: Annotation, number: int = 0) -> object:
    """A value that may stand here; the entries of a list differ, so that its points do not coincide."""
    plain, own = unwrapped(form), own_words(form)
    if named := choices(form):
        return named[0]
    if own or InWorld in remarks(form):
        return own.example if own else [100.0 + 20.0 * number, 100.0 + 20.0 * number**2]
    if entry_annotation(form, 0) is not None:
        return [_example(entry_annotation(form, at), at) for at in range(max(1, length(form)[0]))]
    if len(options := without_none(plain)) > 1:
        return _example(options[-1])
    least = max((getattr(one, "ge", getattr(one, "gt", 0)) for one in constraints(form)), default=0)
    return {bool: True, str: "text"}.get(plain) or plain(max(1, least))
