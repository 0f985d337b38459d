"""Tables: what a scenario is made of.

A table is one small frozen class. Its fields are the keys that a user may write, each with its type, bounds and default
and a docstring below it that gives the meaning and the unit; its methods are what the table does. JSON Schema,
reference and error messages are all derived from it. A family (boundaries, obstacles, measures, …) is a module that
ends with its members: a new one is a class there, and its name in the last lines.

`keys_of(table)` gives a `Key` for each field, which has everything that the rest of the package asks about it: no other
module looks at the fields of pydantic, at its annotations, or at the sources of docstrings.
"""

import ast
import inspect
import math
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, Union, cast, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializationInfo,
    Tag,
    ValidationInfo,
    model_validator,
)
from pydantic.annotated_handlers import GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, core_schema
from typing_extensions import override

from boidsgen import system
from boidsgen.errors import MAX_DEPTH, MAX_TEXT, TOO_DEEP


class Table(BaseModel):
    """A table of the scenario: frozen, strict about types, closed to unknown keys."""

    # Validators are built on first use, those of tables inside it likewise: no scenario has all tables.
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", defer_build=True)

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    """The dimensions of a world in which this table makes sense."""
    telling: ClassVar[tuple[str, ...]] = ()
    """Keys that no other member of its family has, so that they tell which member it is."""

    @classmethod
    @override
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return handler(source) if handler.field_name is None else _built_later(cls)

    @property
    def idle(self) -> Collection[str]:
        """Keys that change nothing beside the other keys of this table, dotted where they are of a table below it."""
        return ()

    @model_validator(mode="before")
    @classmethod
    def _fits_the_world(cls, value: object, about: ValidationInfo) -> object:
        """The value itself; ValueError in a world of a dimension in which the table makes no sense."""
        dimension = (about.context or {}).get("dimension")
        if dimension is not None and dimension not in cls.dimensions:
            known = " and ".join(f"{axes}D" for axes in cls.dimensions)
            raise ValueError(f"works in {known} only, and world.size has {dimension} entries")
        return with_tuples(value) if about.mode == "json" else value

    @override
    def __eq__(self, other: object) -> bool:  # what has been computed from the values, and is kept, does not matter
        return isinstance(other, Table) and type(self) is type(other) and self._values() == other._values()

    @override
    def __hash__(self) -> int:
        return hash(self._values())

    @override
    def __copy__(self) -> Self:  # `model_copy` gives it other values, for which what has been computed need not hold
        copied = super().__copy__()
        for computed in vars(copied).keys() - type(self).model_fields.keys():
            del vars(copied)[computed]
        return copied

    def _values(self) -> tuple[Any, ...]:
        return tuple(map(vars(self).get, type(self).model_fields))

    @classmethod
    def default(cls) -> Self:
        """The table with every key at its default, made without a check: that would build its validator at start-up."""
        return cast("Self", cls.model_construct())


@dataclass(frozen=True)
class TableInside:
    """Checks a table inside another one by its own validator, which is built when the first such table comes."""

    table: type[Table]

    def __call__(self, value: object, about: ValidationInfo) -> Table:
        """The table that a value describes; ValidationError, with places below that of the value, where none does."""
        return self.table.model_validate(value, context=about.context)

    @staticmethod
    def dumped(table: Table, about: SerializationInfo) -> dict[str, Any]:
        """The keys of a table as a mapping; pydantic 2.11 would not build the serializer of an inner one."""
        return table.model_dump(by_alias=about.by_alias, exclude=cast("Any", about.exclude))


def _built_later(table: type[Table]) -> core_schema.CoreSchema:
    """The schema of a table inside another one; its name tells it from other alternatives in the place of an error."""
    dumped = core_schema.plain_serializer_function_ser_schema(TableInside.dumped, info_arg=True)
    later = core_schema.with_info_plain_validator_function(TableInside(table), serialization=dumped)
    return Tag(table.__name__).__get_pydantic_core_schema__(table, cast("Any", lambda _: later))


def with_tuples(value: object, levels: int = MAX_DEPTH + 1) -> Any:  # noqa: ANN401  of the same kind
    """A value with its lists as tuples, as the strict tables want them; ValueError when it is nested too deep."""
    if not levels:
        raise ValueError(TOO_DEEP)
    if isinstance(value, list | tuple):
        return tuple(with_tuples(entry, levels - 1) for entry in value)
    if isinstance(value, Mapping):
        return {name: with_tuples(entry, levels - 1) for name, entry in value.items()}
    return value


class InWords(NamedTuple):
    """Says what may stand under a key whose type alone does not tell."""

    one: str  # a single value, as in "a color"
    several: str  # a list of them, as in "colors"
    example: object  # of a single value


class NamesFile(NamedTuple):
    """Marks a key whose text names a file; a scenario inside a file must not have one."""

    extensions: frozenset[str] = frozenset()  # of those files; where there are any, another text names something else


class OffByDefault(NamedTuple):
    """Marks a key whose default is as if there were no such key; a model is described without it."""


OFF_BY_DEFAULT = OffByDefault()

MAX_TABLE_DIGITS = 9  # Digits that the number of a table may have; Python refuses to convert thousands of them

BoundedText = Annotated[str, Field(max_length=MAX_TEXT)]  # A text in the picture, or a name
MAX_NUMBER, MIN_NUMBER = 1e50, 1e-50
"""The range of numbers: the product of any three of them, and the quotient, is finite and not zero."""


def in_range(value: float) -> float:
    """The number itself, zero and infinity included; ValueError where arithmetic would soon leave the numbers."""
    size = abs(value)
    if MIN_NUMBER <= size <= MAX_NUMBER or size in {0.0, math.inf}:
        return value
    far = f"at most {MAX_NUMBER:g}" if size > MAX_NUMBER else f"0 or at least {MIN_NUMBER:g}"
    raise ValueError(f"must be {far} in size, not {value:g}: arithmetic would overflow")


InRange = AfterValidator(in_range)  # Holds a number to the range

Finite = Annotated[float, Field(allow_inf_nan=False), InRange]  # Any finite number
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False), InRange]  # A finite number above zero
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False), InRange]  # A finite number, zero or above
PositiveOrInfinite = Annotated[float, Field(gt=0), InRange]  # A number above zero; inf means without bound
NotNegativeOrInfinite = Annotated[float, Field(ge=0), InRange]  # A number, zero or above; inf means without bound


def _in_world(vector: tuple[float, ...], about: ValidationInfo) -> tuple[float, ...]:
    """The vector itself; ValueError where the context of the validation has another dimension of the world."""
    dimension = (about.context or {}).get("dimension", len(vector))
    if dimension is not None and len(vector) != dimension:
        raise ValueError(f"must have {dimension} entries, as many as world.size, not {len(vector)}")
    return vector


InWorld = AfterValidator(_in_world)  # Holds a vector to as many components as the world has dimensions
Vector = Annotated[tuple[Finite, ...], Field(min_length=2, max_length=3), InWorld]
"""A point or direction in the world: two numbers in 2D, three in 3D."""

Member = TypeVar("Member", bound=Table)
_Kind = TypeVar("_Kind")  # A member of a family, which need not be a table: what has no keys is a plain class


def by_name(*members: type[_Kind], tag: str | None = None) -> dict[str, type[_Kind]]:
    """The members of a family by the names that users write.

    They are the defaults of the members' field `tag`, or, without a tag, their class names in snake case.
    """
    return {_name(member, tag): member for member in members}


@dataclass(frozen=True)
class Tagged:
    """Tells the tables of a family apart, and takes less than a whole table for it."""

    tag: str  # the key that tells them apart; a string is the table with only this key
    # keys that only one member has, each with that member; who writes one may leave out the tag
    telling: tuple[tuple[str, str], ...] = ()
    several: str = ""  # the member, and its key, for which a list stands; empty where none does

    def __call__(self, value: object) -> object:
        """The table that a value is short for; anything else as it is."""
        if isinstance(value, str):
            return {self.tag: value}
        if isinstance(value, list | tuple) and self.several:
            return {self.tag: self.several, self.several: value}
        if isinstance(value, Mapping) and self.tag not in value:
            names = [name for key, name in self.telling if key in value]
            return {self.tag: names[0], **value} if names else value
        return value

    def __get_pydantic_core_schema__(self, union: object, _: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        choices = {name: _built_later(member) for name, member in by_name(*get_args(union), tag=self.tag).items()}
        family = core_schema.tagged_union_schema(choices, self.tag, strict=False, from_attributes=True)
        return core_schema.no_info_before_validator_function(self, family)


def tagged(tag: str = "kind", *telling: type[Table], several: str = "") -> Tagged:
    """Tells the tables of a family apart by a key, and lets a plain string stand for the table with only that.

    So `boundary = "torus"` equals `boundary = { kind = "torus" }`.

    Args:
        tag: the key that tells the members of the family apart.
        telling: members that their `telling` keys tell as well, so that the tag may be left out.
        several: the member, and its key, for which a list stands.
    """
    names = tuple((key, _name(member, tag)) for member in telling for key in member.telling)
    return Tagged(tag, names, several)


def one_or_several(value: object) -> object:
    """A single table as a tuple of one; anything else as it is."""
    return (value,) if isinstance(value, Mapping) else value


OneOrSeveral = BeforeValidator(one_or_several)  # Lets a single table stand for a list of one


def walk(table: Table, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Table]]:
    """The table and every table below it, each with the keys that lead there."""
    yield keys, table
    for name in attributes(type(table)).values():
        value = getattr(table, name)
        if isinstance(value, Table):
            yield from walk(value, (*keys, name))
        elif isinstance(value, tuple):
            for number, entry in enumerate(value):
                if isinstance(entry, Table):
                    yield from walk(entry, (*keys, name, number))


def has_tables(value: object) -> bool:
    """True for a table, and for several."""
    return isinstance(value, Table) or (isinstance(value, tuple) and any(map(has_tables, value)))


def value_at(table: Table, keys: Sequence[str]) -> Any:  # noqa: ANN401  whatever the key holds
    """The value of a dotted key, given as its parts; the only table of an array needs no number.

    Raises:
        KeyError: with the reason, when there is no such key.
    """
    inner, rest = _entered(table, keys)
    return value_at(inner, rest) if rest else inner


def replaced(table: Member, keys: Sequence[str], value: object, context: Mapping[str, Any] | None = None) -> Member:
    """The table with one dotted key, given as its parts, set to a new value that is checked like any other.

    Args:
        table: to be changed.
        keys: parts of the dotted key.
        value: what it becomes.
        context: of the validation.

    Raises:
        KeyError: with the reason, when there is no such key.
        ValidationError: when the value does not fit the key.
    """
    name = _field(table, keys[0])
    if len(keys) > 1:
        inner, rest = _entered(table, keys)
        value = replaced(inner, rest, value, context)
        whole = getattr(table, name)
        if isinstance(whole, tuple):
            value = tuple(value if part is inner else part for part in whole)
    # Made anew rather than copied: a copy would not check the value.
    return type(table).model_validate({**given_keys(table), keys[0]: value}, context=context)


def given_keys(table: Table) -> dict[str, Any]:
    """The keys that a table was given, with their values."""
    given = table.model_fields_set
    return {key: getattr(table, name) for key, name in attributes(type(table)).items() if name in given}


def _name(thing: type[Any], tag: str | None) -> str:
    if tag is not None:
        return str(thing.model_fields[tag].default)
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in thing.__name__).lstrip("_")


def _entered(table: Table, keys: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """Resolve the first key: its value and the remaining keys; an index after an array of tables is consumed too."""
    key, *rest = keys
    inner = getattr(table, _field(table, key))
    if rest and isinstance(inner, tuple) and rest[0].isdecimal():
        number, *rest = rest
        if len(number) > MAX_TABLE_DIGITS or int(number) >= len(inner):
            raise KeyError(f"there is no {key}.{number}")
        if not rest:
            raise KeyError(f"{key}.{number} is a whole table; name one of its keys")
        inner = inner[int(number)]
    elif rest and isinstance(inner, tuple):
        if len(inner) != 1:
            known = inner and hasattr(inner[0], "name") and len(rest) > 1 and rest[0] not in type(inner[0]).model_fields
            hint = f", of which not exactly one is called {rest[0]}" if known else ""
            raise KeyError(f"there are {len(inner)} {key} tables{hint}; give the index, as in {key}.0")
        inner = inner[0]
    if rest and not isinstance(inner, Table):
        raise KeyError(f"{key} is not a table of this scenario; add it, with weight = 0 if it should start later")
    return inner, rest


@cache
def attributes(table: type[Table]) -> dict[str, str]:
    """The attribute of each key of a table, which differs where the key is a keyword of Python."""
    return {field.alias or name: name for name, field in table.model_fields.items()}


def _field(table: Table, key: str) -> str:
    """The field that a key stands for."""
    if key not in attributes(type(table)):
        raise KeyError(f"unknown key {key!r}", key, type(table))
    return attributes(type(table))[key]


# Keys

UNITS = (
    *("world units per unit of time", "world units", "turns per unit of time", "degrees per unit of time"),
    *("units of time", "degrees", "pixels", "frames a second"),
)
"""Units in docstrings, behind "in" or a colon; one stands before those that are part of its name."""
_UNIT = re.compile(rf"(?:^|\bin |: )({'|'.join(UNITS)})", re.IGNORECASE)
_BOUNDS = ("gt", "ge", "lt", "le", "min_length", "max_length", "allow_inf_nan")  # By pydantic's names

Remark = TypeVar("Remark")


@dataclass(frozen=True, eq=False)
class Annotation:
    """The values that one place of a scenario takes, as its type annotation has them.

    `below(value, name)` follows the names that a user wrote, `descend(part)` one part of pydantic's location of an
    error.
    """

    plain: Any  # the type, without remarks and without "or None"; None where the tables know no such place
    remarks: tuple[object, ...] = ()  # whatever is annotated on it, through "or None"

    @property
    def origin(self) -> Any:  # noqa: ANN401  a class, or Literal or Union
        """The type without its parameters."""
        return get_origin(self.plain) or self.plain

    @cached_property
    def options(self) -> tuple["Annotation", ...]:
        """The alternatives other than None; the annotation itself where there are none."""
        options = _without_none(self.plain)
        return tuple(Annotation(*_peeled(one)) for one in options) if len(options) > 1 else (self,)

    @cached_property
    def entries(self) -> tuple["Annotation", ...]:
        """The entries of a list, of which the last may repeat; empty where there is no list."""
        found = get_args(self.plain) if self.origin is tuple else ()
        return tuple(Annotation(*_peeled(one)) for one in found if one is not Ellipsis)

    @cached_property
    def choices(self) -> tuple[object, ...]:
        """The values to choose from; empty where none are listed."""
        if self.origin is Literal:
            return get_args(self.plain)
        return tuple(word for option in self.options if option is not self for word in option.choices)

    @cached_property
    def bounds(self) -> Mapping[str, Any]:
        """The bounds of a value, or of the number of its entries, by pydantic's names."""
        groups = (remark.metadata if isinstance(remark, FieldInfo) else (remark,) for remark in self.remarks)
        found = ((name, getattr(one, name, None)) for one in chain.from_iterable(groups) for name in _BOUNDS)
        return {name: bound for name, bound in found if bound is not None}

    @property
    def length(self) -> tuple[int, int | None]:
        """The minimum and maximum number of entries of a list."""
        types = get_args(self.plain)
        if types and types[-1] is not Ellipsis:
            return len(types), len(types)
        return self.bounds.get("min_length", 0), self.bounds.get("max_length")

    @property
    def is_table(self) -> bool:
        """True for one table that is of no family."""
        return isinstance(self.plain, type) and issubclass(self.plain, Table)

    @property
    def tag(self) -> str:
        """The key that tells the members of a family apart; empty for anything else."""
        family = self.remark(Tagged)
        return family.tag if family else ""

    @cached_property
    def family(self) -> Mapping[str, type[Table]]:
        """The tables of a family by their tag; empty for anything else."""
        return by_name(*(one.plain for one in self.options), tag=self.tag) if self.tag else {}

    @cached_property
    def tables(self) -> Mapping[str, type[Table]]:
        """The tables that may stand here, or several of them, by kind, which is empty where there is no choice."""
        if self.entries:
            return self.entries[0].tables
        return self.family or ({"": self.plain} if self.is_table else {})

    def remark(self, kind: type[Remark]) -> Remark | None:
        """The remark of a class, if there is one."""
        return next((one for one in self.remarks if isinstance(one, kind)), None)

    def entry(self, number: int) -> "Annotation":
        """One entry of a list; unknown where there is no list."""
        return self.entries[min(number, len(self.entries) - 1)] if self.entries else UNKNOWN

    def completed(self, value: object) -> object:
        """The table for which a value is short; any other value itself."""
        family = self.remark(Tagged)
        return family(value) if family else value

    def table_of(self, value: object) -> type[Table] | None:
        """The table class that a value is meant for; the value may be the name of a kind, or one of several tables."""
        if self.entries:
            return self.entries[0].table_of(value) if isinstance(value, Mapping) else None
        if self.family:
            whole = self.completed(value)
            return self.family.get(str(whole.get(self.tag) if isinstance(whole, Mapping) else whole))
        return self.plain if self.is_table and isinstance(value, Mapping) else None

    def below(self, value: Mapping[str, object], name: str) -> "Annotation":
        """One key of a user's table; unknown where the table has no such key."""
        table = self.table_of(value)
        return keys_of(table).get(name, UNKNOWN) if table else UNKNOWN

    def descend(self, part: str | int) -> tuple[tuple[str | int, ...], "Annotation"]:
        """Follow one part of a location: the key as the user knows it, or nothing where it names a type; what is there.

        A label names one of several alternatives: a type by its name, lists and words by what they contain.
        """
        if isinstance(part, int):
            return (part,), self.entry(part)
        if self.is_table:
            return (part,), keys_of(self.plain).get(part, UNKNOWN)
        if self.family:
            return (), Annotation(self.family.get(part))
        generics = {Literal: part.startswith("literal["), tuple: "tuple[" in part}
        name = part.removeprefix("constrained-")
        for one in self.options if len(self.options) > 1 else ():
            if generics.get(one.origin, getattr(one.plain, "__name__", None) == name):
                return (), one
        return ((part,) if len(self.options) == 1 else ()), UNKNOWN


UNKNOWN = Annotation(None)
"""The annotation of a place that the tables do not know."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Key(Annotation):
    """One key of a table, as its field has it: everything that schema, reference, messages and pages say of it."""

    table: type[Table]  # in which it stands
    name: str  # as users write it
    attribute: str  # of the table, which differs where the name is a keyword of Python
    default: Any  # undefined where it must be given
    description: str  # in the field itself, where Python generates it

    @property
    def required(self) -> bool:
        """True if it must be given."""
        return self.default is PydanticUndefined

    @property
    def is_tag(self) -> bool:
        """True if it only selects the member of a family, such as `kind`."""
        return isinstance(self.default, str) and get_args(self.plain) == (self.default,)

    @cached_property
    def text(self) -> str:
        """Its meaning: the docstring below its field, else that of the table that stands there."""
        if self.is_tag:
            return f"Selects this {self.name}."
        tables = (base for base in self.table.__mro__ if issubclass(base, Table))  # the nearest first
        below = (_below_fields(base.__module__).get((base.__name__, self.attribute), "") for base in tables)
        by_tables = map(table_meaning, self.tables.values())
        return next(filter(None, chain(below, (self.description,), by_tables)), "")

    @cached_property
    def unit(self) -> str:
        """Its unit, as its meaning has it; empty where it has none."""
        unit = _UNIT.search(self.text)
        return unit[1].lower() if unit else ""


@cache
def keys_of(table: type[Table]) -> Mapping[str, Key]:
    """The keys of a table in the order in which one writes them: its kind, plain values, tables."""
    found = []
    for name, attribute in attributes(table).items():
        field = table.model_fields[attribute]
        plain, remarks = _peeled(field.annotation, tuple(field.metadata))
        about = {"attribute": attribute, "default": field.default, "description": field.description or ""}
        found.append(Key(plain, remarks, table=table, name=name, **about))
    return {key.name: key for key in sorted(found, key=lambda key: (bool(key.tables), not key.is_tag))}


def own_tag(table: type[Table]) -> str:
    """The key of a table that tells which member of its family it is; empty where there is no choice."""
    return next((key.name for key in keys_of(table).values() if key.is_tag), "")


def table_meaning(table: type[Table]) -> str:
    """The meaning of a table."""
    return system.docstring(table).partition("\n\n")[0].replace("\n", " ")


def _peeled(form: Any, remarks: tuple[object, ...] = ()) -> tuple[Any, tuple[object, ...]]:  # noqa: ANN401  a type
    """A type without remarks and without "or None", and the remarks, outer ones first."""
    while True:
        if get_origin(form) is Annotated:
            form, *inner = get_args(form)
            remarks = (*remarks, *inner)
        elif len(rest := _without_none(form)) == 1 and rest[0] is not form:
            form = rest[0]
        else:
            return form, remarks


def _without_none(form: Any) -> tuple[Any, ...]:  # noqa: ANN401  a type
    if get_origin(form) in {Union, UnionType}:
        return tuple(option for option in get_args(form) if option is not NoneType)
    return (form,)


@cache
def _below_fields(module: str) -> Mapping[tuple[str, str], str]:
    """The docstrings below the fields of every class in a module, by the names of class and field.

    Python does not keep them at run time, so they are read from the source of the module when they are needed;
    pydantic's `use_attribute_docstrings` would read them at every start.
    """
    found: dict[tuple[str, str], str] = {}
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
        if not isinstance(node, ast.ClassDef):
            continue
        for pair in pairwise(node.body):
            match pair:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[node.name, name] = inspect.cleandoc(text).replace("\n", " ")
    return found
