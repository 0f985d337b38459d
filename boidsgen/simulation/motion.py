"""Motion: how many animals there are, where they start and how fast they fly; and the points that attract them.

`Motion` holds the keys that every group of animals has; what they do in a step is defined in `dynamics`. Speeds are
world units per unit of time, forces and accelerations changes of velocity in one step.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from boidsgen.simulation.dynamics import Limits, Steering, reynolds
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.starts import AnyStart, Groups, Start, Uniform
from boidsgen.simulation.world import Lifetime, World
from boidsgen.tables import (
    AnyPositive,
    Finite,
    NotNegative,
    NotNegativeOrInfinite,
    PositiveOrInfinite,
    Table,
    Text,
    Vector,
)


class Motion(Table):
    """Number, speeds and start of one kind of animal."""

    name: Text = ""
    """What they are called in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """How many there are."""
    max_speed: AnyPositive = 4.0
    """Highest speed, in world units per unit of time."""
    min_speed: NotNegative | None = None
    """Lowest speed, in world units per unit of time; only who stands still stays so. Default: a quarter of
    max_speed."""
    max_force: NotNegativeOrInfinite = 0.2
    """Longest steering of one rule in the reynolds form in one step, before its weight; inf = no bound."""
    max_acceleration: NotNegativeOrInfinite = float("inf")
    """Longest sum of all rules in one step; inf = no bound."""
    inertia: Annotated[float, Field(ge=0, le=1)] = 1.0
    """How much of the old velocity is kept in a step; 0 = the velocity is the sum of the rules."""
    integrator: Literal["semi_implicit", "explicit"] = "semi_implicit"
    """Which velocity moves them: semi_implicit the new one, explicit the old one."""
    steering: Steering = "reynolds"
    """How a rule's vector becomes a change of velocity, unless the rule says otherwise: reynolds or direct."""
    start: AnyStart = Uniform.usual()
    """Where they are at the beginning, and how they fly."""

    @field_validator("min_speed")
    @classmethod
    def _not_above_max_speed(cls, value: float | None, info: ValidationInfo) -> float | None:
        max_speed = info.data.get("max_speed")
        if value is not None and max_speed is not None and value > max_speed:
            raise ValueError(f"must be at most max_speed, {max_speed:g}, not {value:g}")
        return value

    @field_validator("start")
    @classmethod
    def _everybody_placed(cls, value: Start, info: ValidationInfo) -> Start:
        count = info.data.get("count")
        if isinstance(value, Groups) and count is not None and sum(value.shares(count)) != count:
            raise ValueError(f"has groups of {sum(value.shares(count))} boids together, but count is {count}")
        return value

    @property
    def speeds(self) -> tuple[float, float]:
        """Lowest and highest speed."""
        return self.max_speed / 4 if self.min_speed is None else self.min_speed, self.max_speed

    def limits(self, dt: float) -> Limits:
        """What a drive can do to these animals in one step of this length."""
        return Limits(self.inertia, self.max_acceleration, *self.speeds, self.integrator == "explicit", dt)


class Attractor(Lifetime):
    """A point that all boids in range seek (Reynolds 1999); with a negative weight they flee it."""

    point: Vector
    """Where it is, in world units."""
    weight: Finite = 1.0
    """Factor on the steering toward the point; negative = away from it."""
    radius: PositiveOrInfinite = float("inf")
    """How far it is felt, in world units; inf = everywhere."""

    def pull(self, motion: Motion, position: Array, velocity: Array, world: World) -> Array:
        """Weight times lim(max_speed · unit(±offset) - v, max_force) for boids in range, shape (n, d)."""
        offset = world.shortest(np.array(self.point) - position)
        desired = offset * (length(offset) < self.radius)[:, None]
        return abs(self.weight) * reynolds(desired * np.sign(self.weight), velocity, motion.max_speed, motion.max_force)
