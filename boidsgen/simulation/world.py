"""World, boundary conditions and clock.

Lengths are world units; `size` is the extent of the world, shape (d,). No other module branches on the type of a
boundary.
"""

import re
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array, length, read_only, scaled
from boidsgen.tables import OFF_BY_DEFAULT, InWords, NotNegative, Positive, Table, by_name, tagged


class Boundary(Table):
    """A boundary condition."""

    leads_round: ClassVar[bool] = False
    """True if boids that leave on one side enter on the other, whole sizes away."""
    jumps: ClassVar[bool] = False
    """True if boids that leave are put elsewhere, so that no line leads from where they were."""

    @property
    def before_turns(self) -> bool:
        """True if sequential updates apply it before a boid's move instead of after it."""
        return False

    def periods(self, size: Array) -> Array:
        """Period of each axis, 0 where it does not repeat, shape (d,)."""
        return np.zeros_like(size)

    def shortest(self, offset: Array, size: Array) -> Array:
        """The minimum-image offset, shape (..., d)."""
        return offset

    def displacement(self, offset: Array, size: Array) -> Array:
        """Displacements of animals whose positions differ by these offsets, shape (..., d)."""
        return minimum_image(offset, size) if self.leads_round else offset

    def push(self, position: Array, size: Array) -> Array | None:
        """Steering away from the edges, shape (n, d), or nothing at all."""
        return None

    def turned(self, position: Array, velocity: Array, size: Array) -> Array:
        """Velocities as the edges change them after every limit on them, before the move, shape (n, d)."""
        return velocity

    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        """Positions and velocities after applying the boundary condition, shape (n, d) each."""
        return position, velocity


class Ball(Boundary):
    """A ball in the middle of the world, as wide as its smallest side: who leaves it enters on the opposite side.

    The boid is put back by one diameter, toward the middle, so that what it overshot is kept; neighbors do not wrap.
    Source: C. Reynolds, OpenSteer, plugin Boids.
    """

    jumps: ClassVar[bool] = True

    kind: Literal["ball"] = "ball"

    @override
    def displacement(self, offset: Array, size: Array) -> Array:
        way, diameter = length(offset), min(size)
        return scaled(offset, way, np.where(way > diameter / 2, way - diameter, way))

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        diameter, middle = min(size), size / 2
        outward = position - middle
        away = length(outward)
        back = scaled(outward, away, np.where(away > diameter / 2, away - diameter, away))
        return np.where((away > diameter / 2)[:, None], middle + back, position), velocity


class Open(Boundary):
    """Boids may leave the world and need not return."""

    kind: Literal["open"] = "open"


class Reflect(Boundary):
    """Hard walls: positions beyond them are mirrored back, and the velocity into the wall is reversed."""

    kind: Literal["reflect"] = "reflect"
    restitution: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Fraction of the speed into the wall that is kept in a bounce."""

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        # A boid may cross the world several times in one long step: fold the way it went like a strip of paper.
        folded = np.mod(position, 2 * size)
        inside = np.minimum(folded, 2 * size - folded)
        bounced = np.floor(position / size)
        turned = np.mod(bounced, 2) == 1
        kept = exact.whole_power(self.restitution, np.abs(bounced))
        return inside, np.where(turned, -velocity, velocity) * kept


class Soft(Boundary):
    """A push inward within a margin of each wall, growing linearly; boids may overshoot and are pushed back harder."""

    kind: Literal["soft"] = "soft"
    margin: Positive = 40.0
    """Distance from a wall at which the push begins, in world units."""
    strength: NotNegative = 1.0
    """Push at the wall itself, as acceleration in one step; it falls to zero at the margin."""

    @override
    def push(self, position: Array, size: Array) -> Array:
        """Inward, strength · (1 - distance/margin) within the margin of a wall; beyond the wall it keeps growing."""
        low = np.maximum(1.0 - position / self.margin, 0.0)
        high = np.maximum(1.0 - (size - position) / self.margin, 0.0)
        return self.strength * (low - high)


class Teleport(Boundary):
    """A boid past an edge is put exactly on the opposite one, however far past; neighbors do not wrap.

    It is what many lessons do: below 0 becomes the size, beyond the size becomes 0. Boids that leave at different
    places in one step come back in line, and two that are near each other across an edge do not know it.
    """

    leads_round: ClassVar[bool] = True
    jumps: ClassVar[bool] = True

    kind: Literal["teleport"] = "teleport"
    applied: Literal["after", "before"] = "after"
    """In sequential updates: after a boid's move, or before its next one, so that until then others see it outside."""
    margin: NotNegative = 0.0
    """Distance beyond the edges, in world units, at which a boid is put on the other side, as far beyond that edge."""

    @property
    @override
    def before_turns(self) -> bool:
        return self.applied == "before"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        low, high = 0.0 - self.margin, size + self.margin
        return np.where(position < low, high, np.where(position > high, low, position)), velocity


class Torus(Boundary):
    """Opposite edges are joined."""

    leads_round: ClassVar[bool] = True
    jumps: ClassVar[bool] = True

    kind: Literal["torus"] = "torus"

    @override
    def periods(self, size: Array) -> Array:
        return size

    @override
    def shortest(self, offset: Array, size: Array) -> Array:
        return minimum_image(offset, size)

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return wrapped(position, size), velocity


def minimum_image(offset: Array, size: Array) -> Array:
    """Offsets less whole sizes, so that at most half a size remains along each axis."""
    return offset - size * np.rint(offset / size)


def wrapped(position: Array, size: Array) -> Array:
    """Positions brought back into [0, size) by whole sizes."""
    outside = (position < 0) | (position >= size)
    remainder = np.mod(position, size)
    # A tiny negative coordinate rounds up to the size itself, which is the origin again.
    return np.where(outside, np.where(remainder >= size, 0.0, remainder), position)


class TurnBack(Boundary):
    """A constant turn inward within a margin of each wall, after the limits on speed; boids may overshoot.

    It acts once per step and wall, however near the wall is, and may make a boid faster than max_speed. Source:
    B. Eater, Boids.
    """

    kind: Literal["turn_back"] = "turn_back"
    margin: Positive = 40.0
    """Distance from a wall within which boids are turned, in world units."""
    strength: NotNegative = 1.0
    """Change of the velocity in one step."""

    @override
    def turned(self, position: Array, velocity: Array, size: Array) -> Array:
        low = np.where(position < self.margin, self.strength, 0.0)
        high = np.where(position > size - self.margin, self.strength, 0.0)
        turned: Array = velocity + (low - high)
        return turned


class Wrap(Boundary):
    """Positions wrap as on a torus, but neighbors and offsets do not.

    It is what many tutorials do, and a trap: a flock that crosses an edge is torn in two halves that do not know each
    other. Use torus unless that is what is to be shown.
    """

    leads_round: ClassVar[bool] = True
    jumps: ClassVar[bool] = True

    kind: Literal["wrap"] = "wrap"

    @override
    def confine(self, position: Array, velocity: Array, size: Array) -> tuple[Array, Array]:
        return wrapped(position, size), velocity


BOUNDARIES = by_name(Ball, Open, Reflect, Soft, Teleport, Torus, TurnBack, Wrap, tag="kind")
"""All boundary conditions by the name that a scenario writes."""

AnyBoundary = Annotated[Ball | Open | Reflect | Soft | Teleport | Torus | TurnBack | Wrap, tagged()]
"""Any of them, told apart by `kind`."""


MAX_QUOTED = 60  # Letters of a text that are quoted
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|min)")
A_DURATION = InWords('a duration as in "8s"', 'durations as in "8s"', example="8s")
"""Annotation of durations on the screen."""


class World(Table):
    """A box from the origin to `size`; two numbers make it flat, three give it depth."""

    size: Annotated[tuple[Positive, ...], Field(min_length=2, max_length=3)] = (400.0, 400.0)
    """Extent along each axis, in world units; its length is the dimension of the world."""
    boundary: AnyBoundary = Torus.default()
    """Behavior at the edges of the world. Whom it would put inside a solid obstacle stays where it was."""

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
        """The minimum-image offset in this world, shape (..., d)."""
        return self.boundary.shortest(offset, self.extent)

    def displacement(self, offset: Array) -> Array:
        """Displacements of animals whose positions differ by these offsets, shape (..., d).

        They lead across the edges of every boundary that puts animals on the opposite side; `shortest`, which is for
        what sees each other, only across those of a torus.
        """
        return self.boundary.displacement(offset, self.extent)

    def unwrapped(self, position: Array) -> Array:
        """Paths without jumps at the edges: positions of the same animals, (frames, n, d), plus whole sizes.

        Where an animal is absent, there is nan; its displacement across such a gap is that between the ends.
        """
        if not self.boundary.leads_round:
            return position
        last = np.where(np.isfinite(position[..., :1]), np.arange(len(position))[:, None, None], 0)
        step = np.diff(np.take_along_axis(position, np.maximum.accumulate(last), axis=0), axis=0)
        path = position.copy()
        path[1:] += np.nan_to_num(self.displacement(step) - step).cumsum(axis=0)
        return path

    def wrapped(self, position: Array) -> Array:
        """Positions of paths, shape (..., d), brought back into the world."""
        return wrapped(position, self.extent) if self.boundary.leads_round else position

    def nearest_image(self, offset: Array, middle: Array) -> Array:
        """The image of an offset that is nearest to the middle, (d,), shape (..., d)."""
        period = self.periods
        turns = np.divide(offset - middle, period, out=np.zeros_like(offset), where=period > 0)
        return offset - period * np.rint(turns)


def seconds_in(text: str) -> float:
    """The seconds of a duration; ValueError if it is no duration above zero."""
    found = _DURATION.fullmatch(text)
    if not found or not float(found[1]):
        raise ValueError(f'must be a number above 0 with its unit (ms, s or min) as in "8s", not "{text[:MAX_QUOTED]}"')
    return float(found[1]) * _UNITS[found[2]]


class Clock(Table):
    """Frames and steps."""

    frames: Annotated[int, Field(ge=1)] = 200
    """Number of frames to render."""
    duration: Annotated[str, A_DURATION] | None = None
    """Playing time of the clip, as in "8s", "500ms" or "2min"; gives the number of frames by `output.fps`."""
    steps_per_frame: Annotated[int, Field(ge=1)] = 1
    """Simulation steps between two frames."""
    dt: Positive = 1.0
    """Time that one step covers, in units of time."""
    warmup: Annotated[int, Field(ge=0)] = 0
    """Steps before the first frame."""
    rate: Annotated[float, Field(ge=0.02, le=1)] = 1.0
    """Slow motion: speed of the clip relative to the simulation, 0.25 = a quarter. The states are unchanged; frames
    between them are interpolated linearly. Events may set it. Trails keep their length in frames, and pages play at
    full speed."""

    @property
    def pictures(self) -> int:
        """Number of pictures from one state to the next."""
        return round(1 / self.rate)

    @field_validator("duration")
    @classmethod
    def _in_seconds(cls, value: str | None) -> str | None:
        if value is not None:
            seconds_in(value)
        return value


class Lifetime(Table):
    """Something that is there for a time."""

    from_: Annotated[int, Field(ge=0, alias="from"), OFF_BY_DEFAULT] = 0
    """First frame in which it is present."""
    until: Annotated[Annotated[int, Field(ge=0)] | None, OFF_BY_DEFAULT] = None
    """First frame in which it is absent. Default: it stays."""

    @field_validator("until")
    @classmethod
    def _after_from(cls, value: int | None, info: ValidationInfo) -> int | None:
        first = info.data.get("from_")
        if value is not None and first is not None and value <= first:
            raise ValueError(f"must be after from, {first}, not {value}")
        return value

    def present(self, frame: float) -> bool:
        """True if it is there in this frame."""
        return self.from_ <= frame and (self.until is None or frame < self.until)
