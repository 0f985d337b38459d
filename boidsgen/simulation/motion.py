"""Motion: number, start and speeds of a group of animals.

Speeds are world units per unit of time, forces and accelerations changes of velocity in one step.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from boidsgen.simulation.dynamics import Limits, Steering
from boidsgen.simulation.layouts import Start, Uniform
from boidsgen.simulation.starts import AnyStart, Groups, points_of
from boidsgen.tables import AnyPositive, NotNegative, NotNegativeOrInfinite, Table, Text


class Motion(Table):
    """Number, speeds and start of one kind of animal."""

    name: Text = ""
    """Name in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """Number of animals."""
    max_speed: AnyPositive = 4.0
    """Highest speed, in world units per unit of time."""
    limit_speed: bool = True
    """If true, max_speed is enforced. If false, it is only the speed of desired velocities in the reynolds form,
    as in loops that never cut the velocity."""
    min_speed: NotNegative | None = None
    """Lowest speed, in world units per unit of time; only a boid at rest stays at rest. Default: a quarter of
    max_speed."""
    max_force: NotNegativeOrInfinite = 0.2
    """Longest steering of one rule in the reynolds form in one step, before its weight; inf = no bound."""
    max_acceleration: NotNegativeOrInfinite = float("inf")
    """Longest sum of all rules in one step; inf = no bound."""
    inertia: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Share of the old velocity that is kept in a step; 0 = the velocity is the sum of the rules."""
    angular_noise: Annotated[float, Field(ge=0, le=360)] = 0.0
    """Width in degrees of the interval over which a random turn is evenly spread, half to either side, fresh every
    step, after all else that steers (Vicsek et al. 1995); max_acceleration caps it too."""
    integrator: Literal["semi_implicit", "explicit"] = "semi_implicit"
    """Velocity that moves them: semi_implicit the new one, explicit the old one."""
    steering: Steering = "reynolds"
    """Form of a rule's vector as a change of velocity, unless the rule says otherwise: reynolds or direct."""
    start: AnyStart = Uniform.usual()
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

    @field_validator("start")
    @classmethod
    def _everybody_placed(cls, value: Start, info: ValidationInfo) -> Start:
        count = info.data.get("count")
        if count is not None and (room := value.room(count)) != count:
            points = "1 point" if room == 1 else f"{room:,} points"
            what = f"groups of {room} boids together" if isinstance(value, Groups) else points
            raise ValueError(f"has {what}, but count is {count}")
        return value

    @property
    def speeds(self) -> tuple[float, float]:
        """Lowest and highest speed."""
        return self.max_speed / 4 if self.min_speed is None else self.min_speed, self.max_speed

    def limits(self, dt: float) -> Limits:
        """Bounds on one step of this length."""
        lowest, highest = self.speeds
        bounds = lowest, highest if self.limit_speed else float("inf")
        return Limits(self.inertia, self.max_acceleration, *bounds, self.integrator == "explicit", dt)
