"""Predators: animals that boids flee from; rules steer them like any other group, or a path carries them along.

A path in mode `position` carries them: nothing else moves them. In mode `velocity` it is one of the rules, the first to
be added up. Unless they have a path, or a hunt of their own, they hunt the nearest boid.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator
from typing_extensions import override

from boidsgen.simulation.paths import AnyCurve
from boidsgen.simulation.rules.chance import Noise
from boidsgen.simulation.rules.pursuit import Hunt, HuntingRules
from boidsgen.simulation.rules.registry import CommonRules, refuse_taken
from boidsgen.simulation.rules.rule import Rule
from boidsgen.simulation.steering import SteeredGroup
from boidsgen.simulation.world import Lifetime
from boidsgen.tables import AnyPositive, Finite, NotNegativeOrInfinite, Table, Text


class PredatorNoise(Noise):
    """Random motion of a predator: a new vector every step, each component evenly spread between -1 and 1."""

    weight: Finite = 0.2
    """Factor on the random vector."""


class OnCurve(Table):
    """Animals that a curve may carry along or drive; it is read before any rule, none of which moves who is carried."""

    path: AnyCurve | None = None
    """The curve that carries or drives them."""

    @field_validator("*")
    @classmethod
    def _free_to_move(cls, value: object, info: ValidationInfo) -> object:
        path = info.data.get("path")
        if isinstance(value, Rule) and path is not None and path.mode == "position":
            raise ValueError('has no effect on predators carried along a path; use path mode = "velocity"')
        return value

    @property
    def carried(self) -> bool:
        """True if a path carries them along, so that nothing else moves them."""
        return self.path is not None and self.path.mode == "position"


class Predators(HuntingRules, CommonRules, SteeredGroup, OnCurve, Lifetime):
    """Predators of one kind. Without path and hunt tables they hunt the nearest boid."""

    name: Text = "predators"
    """What they are called in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """How many predators there are."""
    max_speed: AnyPositive = 5.0
    """Highest speed, in world units per unit of time; carried along a path by position, they keep the path's own
    speed."""
    max_force: NotNegativeOrInfinite = 0.3
    """Longest steering of one rule in the reynolds form in one step, before its weight; inf = no bound."""
    noise: PredatorNoise | None = None
    """Random unrest."""

    @property
    @override
    def tables(self) -> Mapping[str, Rule | None]:
        """The table of each rule, the path first; without hunt and path the usual hunt."""
        hunt = Hunt() if self.hunt is None and self.path is None else self.hunt
        return {"path": self.path, **super().tables, "hunt": hunt}


refuse_taken(Predators)
