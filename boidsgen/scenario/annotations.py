"""Type annotations of the tables: what may stand under each key of a scenario.

A form is the annotation of a key, or None where the tables do not know the key. `below(table, form, name)` follows what
a user wrote, `descend(form, part)` one part of pydantic's location of an error.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from boidsgen.scenario.documents import Keys
from boidsgen.tables import InWords, NamesFile, ShortForm, Table, attributes, is_tag

Annotation: TypeAlias = Any
"""A type annotation, or None."""
MAX_INTEGER = 2**63 - 1  # The largest integer that TOML guarantees


def origin(form: Annotation) -> object:
    """The generic type of a form, such as Annotated or tuple; None for a plain class."""
    return get_origin(form)


def form_of(field: FieldInfo) -> Annotation:
    """The annotation of a field, with what pydantic has taken out of it put back."""
    remarks = (*field.metadata, *([field] if field.discriminator else []))
    return Annotated[(field.annotation, *remarks)] if remarks else field.annotation


@cache
def fields(table: type[Table]) -> dict[str, Annotation]:
    """The form of each key of a table."""
    return {key: form_of(table.model_fields[name]) for key, name in attributes(table).items()}


@cache
def keys_of(table: type[Table]) -> Mapping[str, FieldInfo]:
    """The keys of a table in the order in which one writes them: its kind, plain values, tables."""
    found = {key: table.model_fields[name] for key, name in attributes(table).items()}
    order = {key: (bool(tables_in(form_of(field))), not is_tag(field)) for key, field in found.items()}
    return {key: found[key] for key in sorted(order, key=order.__getitem__)}


def unwrapped(form: Annotation) -> Annotation:
    """The form without remarks and without "or None"."""
    while True:
        if origin(form) is Annotated:
            form = get_args(form)[0]
        elif len(rest := without_none(form)) == 1 and rest[0] is not form:
            form = rest[0]
        else:
            return form


def without_none(form: Annotation) -> tuple[Annotation, ...]:
    """The alternatives of a form other than None."""
    if origin(form) in {Union, UnionType}:
        return tuple(option for option in get_args(form) if option is not NoneType)
    return (form,)


def remarks(form: Annotation) -> tuple[object, ...]:
    """Everything that is annotated on a form itself, through "or None"."""
    if origin(form) is Annotated:
        inner, *own = get_args(form)
        return (*own, *remarks(inner))
    rest = without_none(form)
    return remarks(rest[0]) if len(rest) == 1 and rest[0] is not form else ()


def own_words(form: Annotation) -> InWords | None:
    """The description that is annotated on a form, if there is one."""
    return next((remark for remark in remarks(form) if isinstance(remark, InWords)), None)


def constraints(form: Annotation) -> tuple[object, ...]:
    """The bounds of a form, as `annotated_types` and pydantic's own."""
    groups = (remark.metadata if isinstance(remark, FieldInfo) else (remark,) for remark in remarks(form))
    return tuple(chain.from_iterable(groups))


def is_table(form: Annotation) -> bool:
    """True if the form is a table class."""
    return isinstance(form, type) and issubclass(form, Table)


def members(form: Annotation) -> dict[str, type[Table]]:
    """The tables of a family by their tag; empty for any other form."""
    tag = tag_of(form)
    return {str(one.model_fields[tag].default): one for one in without_none(unwrapped(form))} if tag else {}


def tag_of(form: Annotation) -> str | None:
    """The key that tells the members of a family apart, if the form is a family."""
    tags = (remark.discriminator for remark in remarks(form) if isinstance(remark, FieldInfo))
    return next((tag for tag in tags if isinstance(tag, str)), None)


def choices(form: Annotation) -> tuple[object, ...]:
    """The values that a form lists; empty where it lists none."""
    plain = unwrapped(form)
    if origin(plain) is Literal:
        return get_args(plain)
    return tuple(word for option in without_none(plain) if option is not plain for word in choices(option))


def completed(value: object, form: Annotation) -> object:
    """The table for which a value is short; any other value itself."""
    for remark in remarks(form):
        if isinstance(remark, BeforeValidator) and isinstance(remark.func, ShortForm):
            return remark.func(value)
    return value


def entry_annotation(form: Annotation, number: int) -> Annotation:
    """The form of one entry of a list; None when the form is not a list."""
    plain = unwrapped(form)
    if origin(plain) is not tuple:
        return None
    entries = [one for one in get_args(plain) if one is not Ellipsis]
    return entries[min(number, len(entries) - 1)]


@cache
def file_keys(root: type[Table]) -> Mapping[str, NamesFile]:
    """The keys of a table, and of all below it, that name files."""
    forms = [(key, form) for section in everywhere(root) for key, form in fields(section.table).items()]
    found = [(key, remarks(form) + remarks(entry_annotation(form, 0))) for key, form in forms]
    return {key: one for key, marks in found for one in marks if isinstance(one, NamesFile)}


def tables_in(form: Annotation) -> Mapping[str, type[Table]]:
    """The tables that may stand under a key, by kind; the kind is empty where there is no choice."""
    if (inner := entry_annotation(form, 0)) is not None:
        return tables_in(inner)
    plain = unwrapped(form)
    return members(form) or ({"": plain} if is_table(plain) else {})


def descend(form: Annotation, part: str | int) -> tuple[Keys, Annotation]:
    """Follow one part of a location: the key as the user knows it, or nothing where pydantic names a type; the form."""
    plain = unwrapped(form)
    if isinstance(part, int):
        return (part,), entry_annotation(form, part)
    if is_table(plain):
        return (part,), fields(plain).get(part)
    if family := members(form):
        return (), family.get(part)
    if len(options := without_none(plain)) > 1:
        return (), next((option for option in options if _has_label(unwrapped(option), part)), None)
    return (part,), None


def _has_label(plain: Annotation, label: str) -> bool:
    """True if pydantic's label means this alternative: a type by its name, lists and words by what they contain."""
    if origin(plain) is Literal:
        return label.startswith("literal[")
    return (
        "tuple[" in label
        if origin(plain) is tuple
        else getattr(plain, "__name__", None) == label.removeprefix("constrained-")
    )


def table_of(value: object, form: Annotation) -> type[Table] | None:
    """The table class that a value is meant for; the value may be the name of a kind, or one of several tables."""
    if (inner := entry_annotation(form, 0)) is not None:
        return table_of(value, inner) if isinstance(value, Mapping) else None
    if family := members(form):
        whole = completed(value, form)
        kind = whole.get(tag_of(form)) if isinstance(whole, Mapping) else whole
        return family.get(str(kind))
    plain = unwrapped(form)
    return plain if is_table(plain) and isinstance(value, Mapping) else None


def below(value: Mapping[str, object], form: Annotation, name: str) -> Annotation:
    """The form of one key of a user's table."""
    table = table_of(value, form)
    return fields(table).get(name) if table else None


def own_tag(table: type[Table]) -> str:
    """The key of a table that tells which member of its family it is; empty where there is no choice."""
    return next((key for key, field in keys_of(table).items() if is_tag(field)), "")


class Section(NamedTuple):
    """A table of the scenario at its place."""

    name: str  # dotted key of the table, empty for the top of the file
    kind: str  # the member of its family, empty where there is no choice
    table: type[Table]  # the class

    @property
    def tag(self) -> str:
        """The key that tells which member of its family it is, such as `layout`; empty where there is no choice."""
        return own_tag(self.table) if self.kind else ""


@cache
def everywhere(root: type[Table]) -> tuple[Section, ...]:
    """A table and every one at every place below it where it may stand, but none within one of its own class."""

    def below(section: Section) -> Iterator[Section]:
        yield section
        for key, field in keys_of(section.table).items():
            for kind, table in tables_in(form_of(field)).items():
                if table is not section.table:
                    yield from below(Section(f"{section.name}.{key}".lstrip("."), kind, table))

    return tuple(below(Section("", "", root)))
