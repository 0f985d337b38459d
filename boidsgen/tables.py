"""The tables that a scenario is made of.

A table of a scenario is one small frozen class: its fields are the keys a user may write, each with its type, bounds,
default and a docstring below it that gives the meaning and the unit; its methods are what the table does. The class
is the
registry: schema, reference and wording of mistakes are all derived from it, and a new member of a family (a rule, a
boundary, an obstacle, …) is found by standing in the family's folder.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import partial
from inspect import isabstract
from typing import Annotated, Any, ClassVar, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Table(BaseModel):
    """A table of the scenario: frozen, strict about types, closed to unknown keys."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    """The dimensions of a world in which this table makes sense."""


class OfWorldDimension:
    """Marks a vector that must have as many components as the world has dimensions."""


Finite = Annotated[float, Field(allow_inf_nan=False)]
"""Any finite number."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A finite number above zero."""
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A finite number, zero or above."""
PositiveOrInfinite = Annotated[float, Field(gt=0)]
"""A number above zero; inf means without bound."""
NotNegativeOrInfinite = Annotated[float, Field(ge=0)]
"""A number, zero or above; inf means without bound."""
Vector = Annotated[tuple[Finite, ...], Field(min_length=2, max_length=3), OfWorldDimension()]
"""A point or direction in the world: two numbers in 2D, three in 3D."""

Member = TypeVar("Member", bound=Table)


def family(package: str, base: type[Member], tag: str | None = None) -> dict[str, type[Member]]:
    """Every concrete class below `base` that stands in a module of `package`, in the order of their names.

    A class is concrete when none of its methods is abstract. Its name in the family is the default of its field
    `tag`, or, without a tag, its class name in snake case.
    """
    root = importlib.import_module(package)
    modules = (importlib.import_module(f"{package}.{entry.name}") for entry in pkgutil.iter_modules(root.__path__))
    classes = {
        _name(thing, tag): thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, base) and _concrete(thing, module.__name__)
    }
    return dict(sorted(classes.items()))


def choice(members: Mapping[str, type[Table]], tag: str = "kind") -> Any:  # noqa: ANN401  a type made at run time
    """The type of a key that holds one member of a family, told apart by `tag`.

    A plain string stands for the table with only its tag, so that `boundary = "torus"` equals `boundary = { kind =
    "torus" }`.
    """
    union: Any = Union[tuple(members.values())]  # noqa: UP007  built from a list that is known only at run time
    return Annotated[union, Field(discriminator=tag), BeforeValidator(partial(_spelled_out, tag))]


def one_or_several(value: object) -> object:
    """A single table as a tuple of one; anything else as it is."""
    return (value,) if isinstance(value, Mapping) else value


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


def _concrete(thing: type, module: str) -> bool:
    return thing.__module__ == module and not isabstract(thing)


def _name(thing: type[Table], tag: str | None) -> str:
    if tag is not None:
        return str(thing.model_fields[tag].default)
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in thing.__name__).lstrip("_")


def _spelled_out(tag: str, value: object) -> object:
    return {tag: value} if isinstance(value, str) else value
