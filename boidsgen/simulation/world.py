"""The stage of a run: the world, its clock, and how long a thing stays in it."""

import re
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from boidsgen.simulation.boundaries import AnyBoundary, Torus
from boidsgen.simulation.geometry import Array, read_only
from boidsgen.tables import InWords, Positive, Table

MAX_SHOWN = 60
"""Letters of a text that are quoted."""
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|min)")
A_DURATION = InWords('a duration as in "8s"', 'durations as in "8s"', example="8s")
"""Annotation of durations on the screen."""


class World(Table):
    """A box from the origin to `size`; two numbers make it flat, three give it depth."""

    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3)] = (400.0, 400.0)
    """Extent along each axis, in world units; its length is the dimension of the world."""
    boundary: AnyBoundary = Torus.usual()
    """What happens at the edges."""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return len(self.size)

    @cached_property
    def extent(self) -> Array:
        """The size as an array, shape (d,)."""
        return read_only(np.array(self.size))

    @cached_property
    def periods(self) -> Array:
        """After what distance each axis repeats, 0 where it does not, shape (d,)."""
        return read_only(np.array(self.boundary.periods(self.extent)))

    def shortest(self, offset: Array) -> Array:
        """The offset as the crow flies in this world, shape (..., d)."""
        return self.boundary.shortest(offset, self.extent)


def in_seconds(text: str) -> str:
    """The text itself; ValueError when it is no duration above zero."""
    seconds_in(text)
    return text


def seconds_in(text: str) -> float:
    """The seconds of a duration.

    Raises:
        ValueError: when it is no duration above zero.
    """
    found = _DURATION.fullmatch(text)
    if not found or not float(found[1]):
        raise ValueError(f'must be a number above 0 with its unit (ms, s or min) as in "8s", not "{text[:MAX_SHOWN]}"')
    return float(found[1]) * _UNITS[found[2]]


class Clock(Table):
    """Frames and steps."""

    frames: Annotated[int, Field(ge=1)] = 200
    """Number of frames to render."""
    duration: Annotated[str, AfterValidator(in_seconds), A_DURATION] | None = None
    """How long the clip plays, as in "8s", "500ms" or "2min", instead of `frames`: so many as `output.fps` asks for."""
    steps_per_frame: Annotated[int, Field(ge=1)] = 1
    """Simulation steps between two frames."""
    dt: Positive = 1.0
    """Time that one step covers; velocities are world units per unit of time."""
    warmup: Annotated[int, Field(ge=0)] = 0
    """Steps before the first frame."""


class Lifetime(Table):
    """Something that is there for a time."""

    from_: Annotated[int, Field(ge=0, alias="from")] = 0
    """First frame in which it is there."""
    until: Annotated[int, Field(ge=0)] | None = None
    """First frame in which it is no longer there. Default: it stays."""

    @field_validator("until")
    @classmethod
    def _after_from(cls, value: int | None, info: ValidationInfo) -> int | None:
        first = info.data.get("from_")
        if value is not None and first is not None and value <= first:
            raise ValueError(f"must be after from, {first}, not {value}")
        return value

    def present(self, frame: int) -> bool:
        """True if it is there in this frame."""
        return self.from_ <= frame and (self.until is None or frame < self.until)
