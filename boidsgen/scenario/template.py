"""Template: a commented scenario to begin with, generated from the tables.

`template()` lists every key with its meaning and its default. What is not set by default is commented out with a `#`
without a space after it; deleting the `#` turns it on. Explanations stand behind a `#` with a space.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic.fields import FieldInfo

from boidsgen.scenario.annotations import (
    Form,
    attributes,
    bare,
    constraints,
    entry,
    form_of,
    has_remark,
    is_tag,
    keys_of,
    own_words,
    tables_in,
    words,
)
from boidsgen.scenario.reference import meaning, summary
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import length, written
from boidsgen.simulation.rules.rule import NameOfFlock
from boidsgen.simulation.world import A_DURATION
from boidsgen.tables import OfWorldDimension, Table

_HEAD = """\
# A scenario for boidsgen: every table, its keys at their defaults.
# What stands behind a # without a space is not set; it comes alive when the # goes.
"""


@dataclass(frozen=True)
class _Place:
    """Where a table is written.

    Attributes:
        name: its dotted key, empty for the top of the file.
        brackets: 1 for `[name]`, 2 for `[[name]]`, one of several.
        hash: "#" where the table is not there by default, else empty.
        default: the table with the values to write, where there is one.
    """

    name: str = ""
    brackets: int = 1
    hash: str = ""
    default: Table | None = None


def template() -> str:
    """A commented document that loads to the default scenario."""
    return "\n".join([_HEAD, *_keys(Scenario, _Place(default=Scenario()))]) + "\n"


def _keys(table: type[Table], place: _Place) -> Iterator[str]:
    for key, field in keys_of(table).items():
        if tables := tables_in(form_of(field)):
            yield from _tables(tables, meaning(table, key), _inner(field, key, place))
        elif not is_tag(field):
            yield f"# {meaning(table, key)}"
            yield _pair(key, field, place)


def _inner(field: FieldInfo, key: str, place: _Place) -> _Place:
    """The place of a table below another, hidden where it is not there by default."""
    several = entry(form_of(field), 0) is not None
    default = _value(place.default, key)
    hash_sign = place.hash or ("" if default else "#")
    name = f"{place.name}.{key}".lstrip(".")
    if several and default:
        default = default[0]
    return _Place(name, 2 if several and not default else 1, hash_sign, default or None)


def _tables(tables: Mapping[str, type[Table]], text: str, place: _Place) -> Iterator[str]:
    """The tables to show at a place: the default one, or the first kind; every kind where several tables may stand."""
    yield from ("", f"# {text}")
    shown = [kind for kind, table in tables.items() if place.default is None or type(place.default) is table]
    if len(tables) > 1:
        yield f"# There are: {', '.join(tables)}."
    for kind in shown if place.brackets > 1 else shown[:1]:
        yield from _table(tables[kind], kind, place)


def _table(table: type[Table], kind: str, place: _Place) -> Iterator[str]:
    if kind:
        yield f"# {kind}: {summary(table)}"
    yield f"{place.hash}{'[' * place.brackets}{place.name}{']' * place.brackets}"
    tag = next((name for name, field in keys_of(table).items() if is_tag(field)), None)
    if tag:
        yield f"{place.hash}{tag} = {written(kind)}"
    yield from _keys(table, replace(place, default=place.default or _made(table)))


def _made(table: type[Table]) -> Table | None:
    """The table at its defaults, if it has one for every key."""
    return None if any(field.is_required() for field in table.model_fields.values()) else table()


def _value(table: Table | None, key: str) -> Any:  # noqa: ANN401  whatever the key holds
    return getattr(table, attributes(type(table))[key]) if table else None


def _pair(key: str, field: FieldInfo, place: _Place) -> str:
    value = None if field.is_required() else field.get_default()
    if value is not None:
        shown = value if place.default is None else _value(place.default, key)
        # Editors that check TOML by a JSON Schema, which has no infinity, would underline it.
        return f"{place.hash or '#' * (shown == math.inf)}{key} = {written(shown)}"
    if has_remark(form_of(field), NameOfFlock):
        return f"# {key} = the name of another flock"  # no example is right in a scenario of one flock
    if own_words(form_of(field)) is A_DURATION:
        return f'# {key} = "8s", instead of frames'  # both together are a mistake
    mark = place.hash if field.is_required() else "#"
    return f"{mark}{key} = {written(_example(form_of(field)))}"


def _example(form: Form, number: int = 0) -> object:
    """A value that may stand here; the entries of a list differ, so that its points do not coincide."""
    if named := words(form):
        return named[0]
    if own := own_words(form):
        return own.example
    if has_remark(form, OfWorldDimension):
        return [100.0 + 20.0 * number, 100.0 + 20.0 * number**2]
    if entry(form, 0) is not None:
        return [_example(entry(form, at), at) for at in range(max(1, length(form)[0]))]
    plain = bare(form)
    return {bool: True, str: "text"}.get(plain) or plain(max(1, _least(form)))


def _least(form: Form) -> float:
    bounds = (getattr(bound, "ge", getattr(bound, "gt", 0)) for bound in constraints(form))
    return max(bounds, default=0)
