"""Grammar: what may stand under a key of the scenario, read off the annotations of the tables.

`descend(form, part)` takes one step of pydantic's location of an error, and gives the key a user would have written
for it (nothing where pydantic names a type rather than a key) with the form below it. `places(value, form)` goes
through what a user wrote, key by key, as far as the tables know it. A form is a type annotation; None stands for "not
known".
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from annotated_types import MaxLen
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from boidsgen.scenario.lines import Keys
from boidsgen.tables import InWords, ShortForm, Table

Form: TypeAlias = Any
"""A type annotation, or None."""

MAX_INTEGER = 2**63 - 1
"""The largest whole number that TOML promises to carry."""


Answer = TypeVar("Answer")


def remembered(ask: Callable[[Form], Answer]) -> Callable[[Form], Answer]:
    """The function, asked once about each form: annotations live as long as the program, and not all can be hashed."""
    known: dict[int, tuple[Form, Answer]] = {}

    def answer(form: Form) -> Answer:
        if id(form) not in known:
            known[id(form)] = form, ask(form)
        return known[id(form)][1]

    return answer


def origin(form: Form) -> object:
    """What a form is made with, such as Annotated or tuple; None for a plain class."""
    return get_origin(form)


def form_of(field: FieldInfo) -> Form:
    """The whole annotation of a field, with what pydantic has taken out of it put back."""
    remarks = (*field.metadata, *([field] if field.discriminator else []))
    return Annotated[(field.annotation, *remarks)] if remarks else field.annotation


@cache
def attributes(table: type[Table]) -> dict[str, str]:
    """The keys of a table, each with the name of its attribute, which differs where the key is a word of Python."""
    return {field.alias or name: name for name, field in table.model_fields.items()}


@cache
def fields(table: type[Table]) -> dict[str, Form]:
    """The keys of a table, each with its form."""
    return {key: form_of(table.model_fields[name]) for key, name in attributes(table).items()}


@remembered
def bare(form: Form) -> Form:
    """The form without remarks and without "or nothing"."""
    while True:
        if origin(form) is Annotated:
            form = get_args(form)[0]
        elif len(rest := without_none(form)) == 1 and rest[0] is not form:
            form = rest[0]
        else:
            return form


def without_none(form: Form) -> tuple[Form, ...]:
    """The alternatives of a form, leaving out that the key may be absent."""
    if origin(form) in {Union, UnionType}:
        return tuple(option for option in get_args(form) if option is not NoneType)
    return (form,)


@remembered
def remarks(form: Form) -> tuple[object, ...]:
    """Everything that is annotated on a form itself, through "or nothing"."""
    if origin(form) is Annotated:
        inner, *own = get_args(form)
        return (*own, *remarks(inner))
    rest = without_none(form)
    return remarks(rest[0]) if len(rest) == 1 and rest[0] is not form else ()


def has_remark(form: Form, kind: type) -> bool:
    """Whether a marker of this class, such as `OfWorldDimension`, is annotated on a form."""
    return any(isinstance(remark, kind) for remark in remarks(form))


def told(form: Form) -> InWords | None:
    """What a form says of itself in words, if it does."""
    return next((remark for remark in remarks(form) if isinstance(remark, InWords)), None)


@remembered
def constraints(form: Form) -> tuple[object, ...]:
    """Everything that bounds a form, as `annotated_types` and pydantic's own bounds."""
    groups = (remark.metadata if isinstance(remark, FieldInfo) else (remark,) for remark in remarks(form))
    return tuple(chain.from_iterable(groups))


def is_table(form: Form) -> bool:
    """Whether the form is one table."""
    return isinstance(form, type) and issubclass(form, Table)


@remembered
def members(form: Form) -> dict[str, type[Table]]:
    """The tables of a family by their tag; empty when the form is not a family."""
    tag = tag_of(form)
    if tag is None:
        return {}
    return {str(option.model_fields[tag].default): option for option in without_none(bare(form))}


@remembered
def tag_of(form: Form) -> str | None:
    """The key that tells the members of a family apart, if the form is a family."""
    tags = (remark.discriminator for remark in remarks(form) if isinstance(remark, FieldInfo))
    return next((tag for tag in tags if isinstance(tag, str)), None)


def words(form: Form) -> tuple[object, ...]:
    """The values that a form lists by name; empty when it does not."""
    plain = bare(form)
    if origin(plain) is Literal:
        return get_args(plain)
    return tuple(word for option in without_none(plain) if option is not plain for word in words(option))


def completed(value: object, form: Form) -> object:
    """What the user wrote, as the table for which it is short; anything else as it is."""
    for remark in remarks(form):
        if isinstance(remark, BeforeValidator) and isinstance(remark.func, ShortForm):
            return remark.func(value)
    return value


@remembered
def _entries(form: Form) -> tuple[Form, ...]:
    """The forms of a list's entries, the last one for all further ones; empty when the form is not a list."""
    plain = bare(form)
    entries = get_args(plain) if origin(plain) is tuple else ()
    return entries[:1] if entries and entries[-1] is Ellipsis else entries


def entry(form: Form, number: int) -> Form:
    """The form of one entry of a list; None when the form is not a list."""
    entries = _entries(form)
    return entries[min(number, len(entries) - 1)] if entries else None


def descend(form: Form, part: str | int) -> tuple[Keys, Form]:
    """One step along a location: the key as the user knows it, or nothing, and the form there."""
    plain = bare(form)
    if isinstance(part, int):
        return (part,), entry(form, part)
    if is_table(plain):
        return (part,), fields(plain).get(part)
    if family := members(form):
        return (), family.get(part)
    if len(options := without_none(plain)) > 1:
        return (), next((option for option in options if _is_called(option, part)), None)
    return (part,), None


def _is_called(option: Form, label: str) -> bool:
    """Whether pydantic means this alternative by a label: a type by its name, lists and words by what they hold."""
    plain = bare(option)
    if origin(plain) is Literal:
        return label.startswith("literal[")
    return "tuple[" in label if origin(plain) is tuple else getattr(plain, "__name__", None) == label


def table_of(value: object, form: Form) -> type[Table] | None:
    """The table that the user means with a value, which may be the name of a kind or stand where several could."""
    if (inner := entry(form, 0)) is not None:
        return table_of(value, inner) if isinstance(value, Mapping) else None
    if family := members(form):
        whole = completed(value, form)
        kind = whole.get(tag_of(form)) if isinstance(whole, Mapping) else whole
        return family.get(str(kind))
    plain = bare(form)
    return plain if is_table(plain) and isinstance(value, Mapping) else None


def below(value: Mapping[str, object], form: Form, name: str) -> Form:
    """The form of one key of a user's table."""
    table = table_of(value, form)
    return fields(table).get(name) if table else None


def too_long(value: object, form: Form, keys: Keys = ()) -> Iterator[tuple[Keys, int, int]]:
    """The longest lists that a user wrote, at the top of the scenario: where, their length, and the most there may be.

    To be asked before the entries are looked at, which for a million of them takes a thousand times their own place.
    """
    if not isinstance(value, Mapping):
        return
    for name, inner in value.items():
        most = max_entries(below(value, form, name))
        if isinstance(inner, list | tuple) and most is not None and len(inner) > most:
            yield (*keys, name), len(inner), most


def max_entries(form: Form) -> int | None:
    """How many entries a list may have; None where there is no bound."""
    return min((bound.max_length for bound in constraints(form) if isinstance(bound, MaxLen)), default=None)


def unknown(value: object, form: Form, keys: Keys = ()) -> Iterator[tuple[Keys, type[Table]]]:
    """Every key that a user wrote and its table does not know, with that table."""
    if isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from unknown(inner, entry(form, number), (*keys, number))
    elif isinstance(value, Mapping) and (table := table_of(value, form)):
        known = fields(table)
        for name, inner in value.items():
            if name in known:
                yield from unknown(inner, known[name], (*keys, name))
            else:
                yield (*keys, name), table


def places(value: object, form: Form, keys: Keys = ()) -> Iterator[tuple[Keys, object, Form]]:
    """Every value that the user wrote and the tables know, with its keys and its form."""
    if form is None:
        return
    yield keys, value, form
    if isinstance(value, list | tuple):
        form = _as_list(value, form)
        for number, inner in enumerate(value):
            yield from places(inner, entry(form, number), (*keys, number))
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from places(inner, below(value, form, name), (*keys, name))


def _as_list(value: object, form: Form) -> Form:
    """The form of a list that the user wrote: that of a key of a table, where the list is short for the table."""
    whole = completed(value, form)
    if not isinstance(whole, Mapping):
        return form
    return next(below(whole, form, name) for name, inner in whole.items() if inner is value)
