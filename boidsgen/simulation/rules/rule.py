"""The contract of every rule of a flock.

A rule looks at what a flock perceives (`View`) and says which way each boid should go: a raw vector per boid, shape
(n, d). How the raw vector becomes a change of velocity is the rule's steering form:
  direct     the raw vector itself is the change
  reynolds   the raw vector is the desired direction: lim(max_speed · unit(raw) - velocity, max_force)
In either form it is multiplied by the rule's weight afterwards, and a zero raw vector gives no steering at all.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_args

from pydantic import Field
from typing_extensions import TypeIs, override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.neighbors.engines import Neighbors
from boidsgen.simulation.neighbors.request import Request, Sum
from boidsgen.simulation.obstacles import Obstacle
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, NotNegativeOrInfinite, PositiveOrInfinite, Table

if TYPE_CHECKING:
    from boidsgen.simulation.motion import Motion
    from boidsgen.simulation.state import Group

Steering = Literal["reynolds", "direct"]
"""How a raw vector becomes a change of velocity."""


class Perception(Table):
    """The neighborhood that the rules of a flock work in, unless a rule has its own."""

    radius: PositiveOrInfinite = 50.0
    """How far a boid sees, in world units; inf = everyone."""
    field_of_view: Annotated[float, Field(gt=0, le=360)] = 360.0
    """Total angle in degrees around the direction of flight; 360 = all round."""
    neighbors: Annotated[int, Field(ge=1)] | None = None
    """Only the nearest so many in view count: topological interaction, about 7 in starlings (Ballerini et al. 2008).
    Alignment and cohesion go by it; separation is from everyone too close. Default: all within the radius."""


class NameOfFlock:
    """Marks a string that must be the name of a flock of the scenario."""


FlockName = Annotated[str, NameOfFlock()]
"""The name of a flock, as its table gives it."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What one flock perceives in one step.

    Attributes:
        flock: number of the flock.
        position: (n, d) world units.
        velocity: (n, d) world units per unit of time.
        time: simulated time at the beginning of the step.
        world: the world.
        perception: whom the flock's boids see.
        motion: the flock's speeds and forces.
        own: sums over neighbors of the own kind, by request.
        others: sums over neighbors in the other flocks, by request; empty without other flocks.
        predators: sums over predators, by request; empty without predators.
        flocks: all flocks, one by one, the own one among them.
        hunters: all predators, one group per kind.
        obstacles: what stands in the world.
        neighbors: answers further requests.
        randomness: the streams of random numbers.
    """

    flock: int
    position: Array
    velocity: Array
    time: float
    world: World
    perception: Perception
    motion: "Motion"
    own: Mapping[Request, Sum]
    others: Mapping[Request, Sum]
    predators: Mapping[Request, Sum]
    flocks: Sequence["Group"]
    hunters: Sequence["Group"]
    obstacles: Sequence[Obstacle]
    neighbors: Neighbors
    randomness: Randomness


class Rule(Table, ABC):
    """One of the things that steer a boid."""

    usual_steering: ClassVar[Steering | None] = "direct"
    """The form of this rule unless its table says otherwise; None = the flock's."""

    weight: Finite = 1.0
    """Factor on the rule's steering; 0 switches the rule off, a negative one turns it round."""
    steering: Steering | None = None
    """How the rule's vector becomes a change of velocity: reynolds or direct."""
    max_force: NotNegativeOrInfinite | None = None
    """Longest change of velocity by this rule in one step, before its weight; inf = no bound. Default: the flock's
    max_force in the reynolds form, no bound in the direct form."""

    def own_requests(self, perception: Perception) -> Sequence[Request]:
        """What the rule must know about neighbors of the own kind."""
        del perception
        return ()

    def other_requests(self, perception: Perception) -> Sequence[Request]:
        """What the rule must know about neighbors in other flocks."""
        del perception
        return ()

    def predator_requests(self) -> Sequence[Request]:
        """What the rule must know about predators."""
        return ()

    def notices(self, flock: str) -> bool:
        """Whether boids of another flock with this name count among the neighbors in other flocks."""
        del flock
        return True

    @abstractmethod
    def desired(self, view: View) -> Array:
        """The direction in which each boid should go, shape (n, d); zero = no wish."""

    def direct(self, view: View) -> Array:
        """The change of velocity in the direct form, before the weight, shape (n, d)."""
        return self.desired(view)


def rules_in(table: type[Table]) -> dict[str, type[Rule]]:
    """The rules that a table has keys for, by those keys."""
    kinds = {name: field.annotation for name, field in table.model_fields.items()}
    found = {
        name: [kind for kind in (annotation, *get_args(annotation)) if _is_rule(kind)]
        for name, annotation in kinds.items()
    }
    return {name: rule for name, (rule, *_) in ((name, rules) for name, rules in found.items() if rules)}


def _is_rule(kind: object) -> TypeIs[type[Rule]]:
    return isinstance(kind, type) and issubclass(kind, Rule)


class NeighborRule(Rule):
    """A rule about neighbors of the own kind, in a neighborhood that may differ from the flock's perception."""

    usual_steering: ClassVar[Steering | None] = None

    radius: PositiveOrInfinite | None = None
    """How far this rule looks, in world units; inf = everyone. Default: perception.radius."""
    field_of_view: Annotated[float, Field(gt=0, le=360)] | None = None
    """Total angle this rule looks at, in degrees. Default: perception.field_of_view."""

    @abstractmethod
    def request(self, perception: Perception) -> Request:
        """The one sum this rule is about."""

    @override
    def own_requests(self, perception: Perception) -> Sequence[Request]:
        return (self.request(perception),)

    def reach(self, perception: Perception) -> tuple[float, float]:
        """Radius and field of view of this rule."""
        return (
            perception.radius if self.radius is None else self.radius,
            perception.field_of_view if self.field_of_view is None else self.field_of_view,
        )
