"""Flock: boids of one kind, which flock unless their rules are switched off."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, create_model, field_validator

from boidsgen.errors import UsageError
from boidsgen.simulation.rules.flocking import Alignment, Cohesion, Separation
from boidsgen.simulation.rules.pursuit import Flee
from boidsgen.simulation.rules.registry import CommonRules, refuse_taken
from boidsgen.simulation.rules.rule import Rule
from boidsgen.simulation.steering import SteeredGroup
from boidsgen.simulation.world import Lifetime
from boidsgen.tables import Text, by_name


class Flock(CommonRules, SteeredGroup, Lifetime):
    """Boids of one kind. They flock with their own kind and keep clear of the others."""

    name: Text = "boids"
    """What they are called in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 50
    """How many boids there are. Events may change it: new ones begin as `start` says, and the last leave first."""
    update: Literal["synchronous", "sequential"] = "synchronous"
    """Whether all boids move at once (synchronous), or one after the other, each seeing the earlier ones of its flock
    where they have come to (sequential): every boid then looks at every other one."""
    accumulate: bool = False
    """Whether what steers a boid is added to what has steered it before, in every step: nobody sets the acceleration
    back to zero. It is a mistake that loops make; forces pile up."""
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
        name = _name_of(rule)
        if name in named or name in Flock.model_fields:
            raise UsageError(f"rules: {name} is there already; give the class {type(rule).__name__} another name")
        named[name] = (type(rule) | None, rule)
    kind = create_model(Flock.__name__, __base__=Flock, __module__=__name__, **named)
    written = {Flock.model_fields[name].alias or name: getattr(flock, name) for name in flock.model_fields_set}
    return kind.model_validate(written)


def own_rules(flock: Flock) -> list[str]:
    """The names of the rules that `with_rules` has added."""
    return [name for name in type(flock).model_fields if name not in Flock.model_fields]


def _name_of(rule: object) -> str:
    if not isinstance(rule, Rule):
        raise UsageError(f"rules: {rule!r} is not a rule with its values, as in rules=[Wind(toward=(1.0, 0.0))]")
    (name,) = by_name(type(rule))
    return name
