"""Groups of animals: their keys, how a desired direction becomes steering, and how a drive becomes a new position.

In one step a drive (the weighted sum of all rules, shape (n, d)) changes velocity and position:
  v' = inertia · v + drive, its length brought into [min_speed, max_speed]
  p' = p + dt · v' (semi-implicit) or p + dt · v (explicit)
The drive is a change per step, or with forces = "per_time" an acceleration, which is multiplied by dt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator, model_validator

from boidsgen import exact
from boidsgen.simulation.geometry import Array, GroupRandomness, Spread, dot, length, limited, scaled, unit
from boidsgen.simulation.starts import AnyStart, GroupsLayout, Start, Uniform, points_of
from boidsgen.simulation.world import World
from boidsgen.tables import OFF_BY_DEFAULT, BoundedText, InWords, NotNegative, NotNegativeOrInfinite, Positive, Table

Steering = Literal["reynolds", "direct", "unit", "turn"]
"""Forms in which the vector of a rule becomes a change of velocity."""

FORMULAS: Mapping[Steering, str] = {
    "reynolds": "lim(max_speed · unit(x) - v, max_force); zero where x is zero",
    "direct": "x itself; lim(x, max_force) if the rule has a max_force of its own",
    "unit": "unit(x); lim(unit(x), max_force) if the rule has a max_force of its own",
    "turn": "v turned toward x by at most max_turn · dt, minus v; zero where x is zero",
}
"""Result of each form for a raw vector x before the weight; the first is Reynolds' desired velocity minus velocity."""

STRAIGHT = 1e-9  # Part across of a direction below which it is straight ahead or straight behind


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Animals of one kind: a flock, or the predators of one table."""

    name: str  # what the scenario calls them
    position: Array  # (n, d) world units, read-only
    velocity: Array  # (n, d) world units per unit of time, read-only
    drive: Array | None = None  # (n, d) what has steered them so far, read-only, where it is never set back; else None
    # (n,) ascending numbers of the animals who are here, among those of a recording with gaps; else None
    members: NDArray[np.intp] | None = None

    @property
    def numbers(self) -> NDArray[np.intp]:
        """Numbers of the animals, which they keep from frame to frame, shape (n,)."""
        return np.arange(len(self.position)) if self.members is None else self.members


def reynolds(
    desired: Array, velocity: Array, max_speed: float | Array, max_force: float, brakes: float | Array = 0.0
) -> Array:
    """Steering toward the desired direction, lim(max_speed · unit(desired) - v, max_force), shape (..., n, d).

    Where no direction is desired it is zero or, with 1 in `brakes`, (..., n), lim(-v, max_force). Source: C. Reynolds,
    Steering Behaviors for Autonomous Characters, GDC 1999.
    """
    lengths = length(desired)
    steering = scaled(desired, lengths, max_speed)
    steering -= velocity
    steering *= np.maximum(np.sign(lengths), brakes)[..., None]
    return limited(steering, max_force)


def turning(desired: Array, velocity: Array, largest: float) -> Array:
    """The change that turns velocities toward desired directions, at the speed that they have, shape (n, d).

    Whoever should turn right round turns to the right, in 3D as seen from above, as in U. Wilensky, NetLogo Flocking,
    1998. Where no direction is desired there is no change.

    Args:
        desired: the directions, of any length.
        velocity: of the animals.
        largest: turn, in radians.
    """
    lengths, speed = length(desired), length(velocity)
    wanted, ahead = scaled(desired, lengths, 1.0), scaled(velocity, speed, 1.0)
    along = dot(wanted, ahead)
    across = wanted - along[:, None] * ahead
    right = np.zeros_like(ahead)
    right[:, 0], right[:, 1] = ahead[:, 1], -ahead[:, 0]
    right[length(right) <= STRAIGHT, 0] = 1.0  # straight up or down
    across = np.where((length(across) > STRAIGHT)[:, None], across, right)
    turned = exact.cosine(largest) * ahead + exact.sine(largest) * scaled(across, length(across), 1.0)
    new = np.where((along >= exact.cosine(largest))[:, None], wanted, turned)
    return (scaled(new, length(new), speed) - velocity) * np.sign(lengths)[:, None]


class Differences(Table):
    """Individual differences in one number of a group: a factor for each animal, the same for the whole run."""

    key: Annotated[BoundedText, InWords("max_speed or the weight of a rule", "keys", example="max_speed")]
    """Number that differs: max_speed, with min_speed in proportion, or the weight of a rule, as "seek.weight"."""
    sd: NotNegative = 0.0
    """Standard deviation of the factors, which are normally distributed around 1 and never below 0. They have their own
    random stream: all other random numbers stay the same."""
    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Share of the animals with the number, the first ones of the group; the others have 0."""
    factors: tuple[NotNegative, ...] = ()
    """Further factors, in the order of the animals; after the last they repeat."""

    def of(self, count: int, randomness: GroupRandomness) -> Array:
        """The factors of so many animals, shape (n,)."""
        # Box and Muller rather than the generator's own: as the group grows, those who are there keep their factors.
        drawn = randomness.fixed(f"individual {self.key}", (2, count))
        normal = np.sqrt(-2.0 * exact.logarithm(1.0 - drawn[0])) * exact.cosine(2 * np.pi * drawn[1])
        factors: Array = np.maximum(1.0 + self.sd * normal, 0.0) * np.resize(self.factors or (1.0,), count)
        factors[round(self.share * count) :] = 0.0
        return factors


class Motion(Table):
    """Number, speeds and start of one kind of animal."""

    name: BoundedText = ""
    """Name in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """Number of animals."""
    max_speed: Positive = 4.0
    """Maximum speed, in world units per unit of time."""
    limit_speed: bool | Literal["steered"] = True
    """If true, max_speed and min_speed are enforced. If false, max_speed is only the speed of desired velocities in the
    reynolds form, as in loops that never limit the velocity. If steered, both are enforced for those only whom
    something has steered in this step, as in loops that leave a lone boid as it is."""
    min_speed: NotNegative | None = None
    """Minimum speed, in world units per unit of time; only a boid at rest stays at rest. Default: a quarter of
    max_speed."""
    max_force: NotNegativeOrInfinite = 0.2
    """Maximum steering of one rule in the reynolds form in one step, before its weight; inf = no limit."""
    max_acceleration: NotNegativeOrInfinite = float("inf")
    """Maximum length of the sum of all rules in one step; inf = no limit."""
    forces: Annotated[Literal["per_step", "per_time"], OFF_BY_DEFAULT] = "per_step"
    """Meaning of the sum of all rules: per_step, the change of the velocity in one step, whatever dt is; per_time, an
    acceleration, of which a step takes dt times as much. max_acceleration is about the same sum."""
    smoothing: Annotated[float, Field(gt=0, le=1), OFF_BY_DEFAULT] = 1.0
    """Share of the new sum of all rules in the one that steers; the rest is that of the step before, at first zero:
    a + (new - a) · smoothing (OpenSteer)."""
    steady_below: Annotated[float, Field(ge=0, le=1), OFF_BY_DEFAULT] = 0.0
    """Share of max_speed below which a boid cannot turn on the spot: the sum of all rules keeps its length, and its
    angle to the flight a cosine of at least 1 - 2 · (speed / this share of max_speed)^20 (OpenSteer: 0.2). 0 = none."""
    inertia: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Share of the old velocity that is kept in a step; 0 = the velocity is the sum of the rules."""
    angular_noise: Annotated[float, Field(ge=0, le=360)] = 0.0
    """Width in degrees of the interval of a uniform random turn, half to either side, new in every step, after all
    other steering (Vicsek et al. 1995); max_acceleration caps it too."""
    angular_noise_spread: Spread = "angle"
    """Quantity over which the turns are evenly spread: angle, about a random axis in 3D; or solid_angle, in 3D the
    directions within the cone of half that width, so that 360 gives every direction the same chance."""
    integrator: Literal["semi_implicit", "explicit"] = "semi_implicit"
    """Velocity that moves the boids: semi_implicit the new one, explicit the old one."""
    steering: Steering = "reynolds"
    """Form of a rule's vector as a change of velocity, unless the rule says otherwise: reynolds, direct, unit or
    turn."""
    start: AnyStart = Uniform.default()
    """Initial positions and velocities."""

    @model_validator(mode="before")
    @classmethod
    def _as_many_as_points(cls, table: Any) -> Any:  # noqa: ANN401  whatever the user wrote
        if isinstance(table, Mapping) and "count" not in table and (points := points_of(table.get("start"))):
            return {**table, "count": points}
        return table

    @field_validator("min_speed")
    @classmethod
    def _not_above_max_speed(cls, value: float | None, info: ValidationInfo) -> float | None:
        max_speed = info.data.get("max_speed")
        if value is not None and max_speed is not None and value > max_speed:
            raise ValueError(f"must be at most max_speed, {max_speed:g}, not {value:g}")
        return value

    @field_validator("angular_noise")
    @classmethod
    def _turned_by_step(cls, value: float, info: ValidationInfo) -> float:
        if value and info.data.get("forces") == "per_time":
            raise ValueError('cannot be combined with forces = "per_time": it turns boids by the step')
        return value

    @field_validator("start")
    @classmethod
    def _everybody_placed(cls, value: Start, info: ValidationInfo) -> Start:
        count = info.data.get("count")
        if count is not None and (room := value.room(count)) != count:
            points = "1 point" if room == 1 else f"{room:,} points"
            what = f"groups of {room} boids together" if isinstance(value, GroupsLayout) else points
            raise ValueError(f"has {what}, but count is {count}")
        return value

    @property
    def speeds(self) -> tuple[float, float]:
        """Lowest and highest speed."""
        return self.max_speed / 4 if self.min_speed is None else self.min_speed, self.max_speed

    @property
    def keeps_drive(self) -> bool:
        """True if the drive of a step is needed in the next one."""
        return self.smoothing != 1.0

    def _steadied(self, drive: Array, velocity: Array) -> Array:
        """The drive, of slow animals turned into a cone around the flight, shape (n, d)."""
        speed, size = length(velocity), length(drive)
        share, heading = speed / (self.steady_below * self.max_speed), scaled(velocity, speed, 1.0)
        share = np.minimum(share, 2.0)  # whoever is faster turns freely
        fourth = (share * share) * (share * share)
        tenth = (fourth * share) * (fourth * share)
        cosine = 1.0 - 2.0 * (tenth * tenth)
        along = dot(drive, heading)
        narrow = (share <= 1.0) & (speed > 0) & (along < cosine * size)
        across = unit(drive - along[:, None] * heading)
        sine = np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
        cone = (cosine[:, None] * heading + sine[:, None] * across) * size[:, None]
        return np.where(narrow[:, None], cone, drive)

    def smoothed(self, drive: Array, velocity: Array, last: Array | None) -> Array:
        """The drive as it steers, by the velocity and the drive of the step before, at first none, shape (n, d)."""
        drive = self._steadied(drive, velocity) if self.steady_below else drive
        if self.smoothing == 1.0:
            return drive
        before = np.zeros_like(drive) if last is None else last
        return before + (limited(drive, self.max_acceleration) - before) * self.smoothing

    def move(
        self,
        position: Array,
        velocity: Array,
        drive: Array,
        dt: float,
        factor: float | Array = 1.0,
        world: World | None = None,
    ) -> tuple[Array, Array]:
        """Positions and velocities one step later, shape (n, d) each, before the world confines them.

        Individual factors, (n,), are those on the speeds.
        """
        change = limited(drive, self.max_acceleration)
        new = self.inertia * velocity + (change * dt if self.forces == "per_time" else change)
        speed, (lowest, highest) = length(new), self.speeds
        most = highest * factor if self.limit_speed else np.inf
        wanted = np.minimum(np.maximum(speed, lowest * factor), most)
        if self.limit_speed == "steered":
            wanted = np.where(length(drive) > 0, wanted, speed)
        new = scaled(new, speed, wanted)
        if world is not None:
            new = world.boundary.turned(position, new, world.extent)
        return position + dt * (velocity if self.integrator == "explicit" else new), new
