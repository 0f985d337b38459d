"""Template: a commented scenario to begin with, generated from the tables.

`template()` lists every key with its meaning and its default. Keys that are not set by default are commented out with a
`#` without a space after it; deleting the `#` sets them. Explanations are behind a `#` with a space.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

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
    """The place where a table is written.

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
        if tables_in(form_of(field)):
            yield from ("", f"# {meaning(table, key)}")
            yield from _tables(key, field, place)
        elif not is_tag(field):
            yield f"# {meaning(table, key)}"
            yield _pair(key, field, place)


def _tables(key: str, field: FieldInfo, around: _Place) -> Iterator[str]:
    """The tables to show under a key: the default one, or the first kind; every kind where several tables may stand."""
    form = form_of(field)
    tables, several = tables_in(form), entry(form, 0) is not None
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
            yield f"{place.hash}{tag} = {written(kind)}"
        required = any(one.is_required() for one in table.model_fields.values())
        yield from _keys(table, replace(place, default=default or (None if required else table())))


def _pair(key: str, field: FieldInfo, place: _Place) -> str:
    form = form_of(field)
    value = None if field.is_required() else field.get_default()
    if value is not None:
        shown = getattr(place.default, attributes(type(place.default))[key]) if place.default else value
        # Editors that check TOML by a JSON Schema, which has no infinity, would underline it.
        return f"{place.hash or '#' * (shown == math.inf)}{key} = {written(shown)}"
    if has_remark(form, NameOfFlock):
        return f"# {key} = the name of another flock"  # no example is right in a scenario of one flock
    if own_words(form) is A_DURATION:
        return f'# {key} = "8s", instead of frames'  # both together are an error
    return f"{place.hash if field.is_required() else '#'}{key} = {written(_example(form))}"


def _example(form: Form, number: int = 0) -> object:
    """A value that may stand here; the entries of a list differ, so that its points do not coincide."""
    plain, own = bare(form), own_words(form)
    if named := words(form):
        return named[0]
    if own or has_remark(form, OfWorldDimension):
        return own.example if own else [100.0 + 20.0 * number, 100.0 + 20.0 * number**2]
    if entry(form, 0) is not None:
        return [_example(entry(form, at), at) for at in range(max(1, length(form)[0]))]
    least = max((getattr(one, "ge", getattr(one, "gt", 0)) for one in constraints(form)), default=0)
    return {bool: True, str: "text"}.get(plain) or plain(max(1, least))
