"""Tables: what a scenario is made of.

A table is one small frozen class. Its fields are the keys that a user may write, each with its type, bounds and default
and a docstring below it that gives the meaning and the unit; its methods are what the table does. JSON Schema,
reference and error messages are all derived from it. A family (boundaries, obstacles, measures, …) is a module that
ends with its members: a new one is a class there, and its name in the last lines.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar, cast, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator
from pydantic.fields import FieldInfo
from typing_extensions import override

from boidsgen.errors import MAX_DEPTH, MAX_TEXT, TOO_DEEP


class Table(BaseModel):
    """A table of the scenario: frozen, strict about types, closed to unknown keys."""

    # Validators are built on first use: most tables are only ever checked as part of a scenario.
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", defer_build=True)

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    """The dimensions of a world in which this table makes sense."""
    telling: ClassVar[tuple[str, ...]] = ()
    """Keys that no other member of its family has, so that they tell which member it is."""

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


def is_tag(field: FieldInfo) -> bool:
    """True for a key that only selects the member of a family, such as `kind`."""
    return isinstance(field.default, str) and get_args(field.annotation) == (field.default,)


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
Kind = TypeVar("Kind")  # A member of a family, which need not be a table: what has no keys is a plain class


def by_name(*members: type[Kind], tag: str | None = None) -> dict[str, type[Kind]]:
    """The members of a family by the names that users write.

    They are the defaults of the members' field `tag`, or, without a tag, their class names in snake case.
    """
    return {_name(member, tag): member for member in members}


@dataclass(frozen=True)
class ShortForm:
    """Takes less than a whole table for it, which is how the JSON Schema recognizes such keys."""

    tag: str  # the key that tells the members of the family apart; a string is the table with only this key
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


def short_form(tag: str = "kind", *telling: type[Table], several: str = "") -> BeforeValidator:
    """Lets a plain string stand for the table with only its tag.

    So `boundary = "torus"` equals `boundary = { kind = "torus" }`.

    Args:
        tag: the key that tells the members of the family apart.
        telling: members that their `telling` keys tell as well, so that the tag may be left out.
        several: the member, and its key, for which a list stands.
    """
    names = tuple((key, _name(member, tag)) for member in telling for key in member.telling)
    return BeforeValidator(ShortForm(tag, names, several))


def one_or_several(value: object) -> object:
    """A single table as a tuple of one; anything else as it is."""
    return (value,) if isinstance(value, Mapping) else value


OneOrSeveral = BeforeValidator(one_or_several)  # Lets a single table stand for a list of one


def walk(table: Table, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Table]]:
    """The table and every table below it, each with the keys that lead there."""
    yield keys, table
    for name in type(table).model_fields:
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
    # Made anew rather than copied: a copy would keep what the table has already derived from its old values.
    fields = type(table).model_fields
    written = {fields[field].alias or field: getattr(table, field) for field in table.model_fields_set}
    return type(table).model_validate({**written, keys[0]: value}, context=context)


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
