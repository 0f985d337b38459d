"""Groups of animals: flocks of boids, and predators.

A predator path in mode `position` carries the predators: nothing else moves them. In mode `velocity` it is one of their
rules, the first to be added up. Unless they have a path, or a hunt table of their own, predators hunt the nearest boid.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, create_model, field_validator
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.simulation.paths import AnyCurve
from boidsgen.simulation.rules.flocking import Alignment, Cohesion, Noise, Separation
from boidsgen.simulation.rules.pursuit import Flee, Hunt, HuntingRules
from boidsgen.simulation.rules.registry import CommonRules, refuse_taken
from boidsgen.simulation.rules.rule import Rule
from boidsgen.simulation.steering import SteeredGroup
from boidsgen.simulation.world import Lifetime
from boidsgen.tables import AnyPositive, Finite, NotNegativeOrInfinite, Table, Text, by_name


class Flock(CommonRules, SteeredGroup, Lifetime):
    """Boids of one kind. They flock with their own kind and keep clear of the others."""

    name: Text = "boids"
    """Name in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 50
    """Number of boids. Events may change it: new ones begin as `start` says, and the last leave first."""
    update: Literal["synchronous", "sequential"] = "synchronous"
    """Synchronous: all boids move at once. Sequential: one after the other, each seeing the earlier ones of its flock
    where they have come to; every boid then looks at every other one."""
    accumulate: bool = False
    """If true, the acceleration of a boid is never reset to zero and piles up from step to step: a known error of
    published loops."""
    separation: Separation = Separation.usual()
    """Move away from neighbors nearer than the radius, of the own kind and of every other (Reynolds 1987)."""
    alignment: Alignment = Alignment.usual()
    """Match the mean velocity of the neighbors (Reynolds 1987)."""
    cohesion: Cohesion = Cohesion.usual()
    """Move toward the center of the neighbors (Reynolds 1987)."""
    flee: Flee = Flee.usual()
    """Move away from every predator within the radius, whichever way the boid looks."""

    @field_validator("update")
    @classmethod
    def _turned_at_once(cls, update: str, info: ValidationInfo) -> str:
        if update == "sequential" and info.data.get("angular_noise"):
            raise ValueError("sequential goes without angular_noise, which turns everybody at once")
        return update


refuse_taken(Flock)


def with_rules(flock: Flock, rules: Iterable[Rule]) -> Flock:
    """The flock with rules that no table of it knows, each under the name of its class in snake case.

    Raises:
        UsageError: when one is no rule, or has a name that is taken.
    """
    named: dict[str, Any] = {}
    for rule in rules:
        if not isinstance(rule, Rule):
            raise UsageError(f"rules: {rule!r} is not a rule with its values, as in rules=[Wind(toward=(1.0, 0.0))]")
        (name,) = by_name(type(rule))
        if name in named or name in Flock.model_fields:
            raise UsageError(f"rules: {name} is there already; give the class {type(rule).__name__} another name")
        named[name] = (type(rule) | None, rule)
    kind = create_model(Flock.__name__, __base__=Flock, __module__=__name__, **named)
    written = {Flock.model_fields[name].alias or name: getattr(flock, name) for name in flock.model_fields_set}
    return kind.model_validate(written)


def own_rules(flock: Flock) -> list[str]:
    """The names of the rules that `with_rules` has added."""
    return [name for name in type(flock).model_fields if name not in Flock.model_fields]


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
        """True if a path carries them, so that nothing else moves them."""
        return self.path is not None and self.path.mode == "position"


class Predators(HuntingRules, CommonRules, SteeredGroup, OnCurve, Lifetime):
    """Predators of one kind. Without path and hunt tables they hunt the nearest boid."""

    name: Text = "predators"
    """Name in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """Number of predators."""
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
        """Rules by the names of their tables, the path first; without hunt and path the default hunt."""
        hunt = Hunt() if self.hunt is None and self.path is None else self.hunt
        return {"path": self.path, **super().tables, "hunt": hunt}


refuse_taken(Predators)
