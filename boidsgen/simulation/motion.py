"""Motion: how many animals, how fast, how a drive becomes a new position; and the points that draw them.

In one step a drive (the weighted sum of all rules, shape (n, d)) changes velocity and position:
  v' = inertia · v + drive, its length brought into [min_speed, max_speed]
  p' = p + dt · v' (semi_implicit) or p + dt · v (explicit)
The drive is an acceleration per step: it is not multiplied by dt.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from boidsgen.simulation.geometry import Array, length, limited, scaled
from boidsgen.simulation.rules.rule import Steering
from boidsgen.simulation.starts import AnyStart, Uniform
from boidsgen.simulation.world import Lasting, World
from boidsgen.tables import Finite, NotNegative, NotNegativeOrInfinite, Positive, PositiveOrInfinite, Table, Vector


class Motion(Table):
    """Number, speeds and start of one kind of animal."""

    name: str = ""
    """What they are called in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """How many there are."""
    max_speed: Positive = 4.0
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
        most = info.data.get("max_speed")
        if value is not None and most is not None and value > most:
            raise ValueError(f"must be at most max_speed, {most:g}, not {value:g}")
        return value

    @property
    def speeds(self) -> tuple[float, float]:
        """Lowest and highest speed."""
        return self.max_speed / 4 if self.min_speed is None else self.min_speed, self.max_speed

    def reynolds(self, desired: Array, velocity: Array, max_force: float | None = None) -> Array:
        """Steering toward the desired direction, lim(max_speed · unit(desired) - v, max_force).

        Zero where there is no wish. Without a `max_force` of its own the rule has that of the table. Both
        shape (..., n, d). Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999.
        """
        lengths = length(desired)
        steering = scaled(desired, lengths, self.max_speed)
        steering -= velocity
        steering *= np.sign(lengths)[..., None]
        return limited(steering, self.max_force if max_force is None else max_force)

    def accelerated(self, velocity: Array, drive: Array) -> Array:
        """The new velocity, its length within the speeds, shape (n, d)."""
        new = self.inertia * velocity + limited(drive, self.max_acceleration)
        low, high = self.speeds
        speed = length(new)
        return scaled(new, speed, np.minimum(np.maximum(speed, low), high))

    def moved(self, position: Array, old: Array, new: Array, dt: float) -> Array:
        """The new position, before any edge has had its say, shape (n, d)."""
        return position + dt * (new if self.integrator == "semi_implicit" else old)


class Attractor(Lasting):
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
        wish = offset * (length(offset) < self.radius)[:, None]
        return abs(self.weight) * motion.reynolds(wish * np.sign(self.weight), velocity)
