"""Setup: the part of a scenario that decides what happens, and nothing of how it looks."""

from itertools import compress
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from boidsgen.simulation.attractors import Attractor
from boidsgen.simulation.clock import Clock
from boidsgen.simulation.events import EventfulSetup
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.obstacles import AnyObstacle
from boidsgen.simulation.predators import Predators
from boidsgen.simulation.world import World
from boidsgen.tables import one_or_several


class Setup(EventfulSetup):
    """World, animals and obstacles."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Source of all randomness: equal seeds give equal flocks."""
    world: World = World.usual()
    """Where everything happens."""
    time: Clock = Clock.usual()
    """How long it lasts and in what steps."""
    flock: Annotated[tuple[Flock, ...], BeforeValidator(one_or_several)] = (Flock.usual(),)
    """The boids: one table, or several for several species."""
    predators: Annotated[tuple[Predators, ...], BeforeValidator(one_or_several)] = ()
    """Hunters, one table per kind."""
    obstacles: Annotated[tuple[AnyObstacle, ...], BeforeValidator(one_or_several)] = ()
    """What boids steer around."""
    attractors: Annotated[tuple[Attractor, ...], BeforeValidator(one_or_several)] = ()
    """Points that draw boids near or drive them away."""

    @field_validator("flock")
    @classmethod
    def _not_empty(cls, value: tuple[Flock, ...]) -> tuple[Flock, ...]:
        # Not a bound of the type: that one would also complain of a flock that is there but wrong.
        if not value:
            raise ValueError("must have at least 1 entry, not 0")
        return value

    def there(self, frame: int) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """Which obstacles and which attractors are there in this frame."""
        return (
            tuple(obstacle.present(frame) for obstacle in self.obstacles),
            tuple(attractor.present(frame) for attractor in self.attractors),
        )

    def only(self, obstacles: tuple[bool, ...], attractors: tuple[bool, ...]) -> "Setup":
        """The setup with only these obstacles and attractors; itself if that is all of them."""
        if all(obstacles) and all(attractors):
            return self
        return self.model_copy(
            update={
                "obstacles": tuple(compress(self.obstacles, obstacles)),
                "attractors": tuple(compress(self.attractors, attractors)),
            }
        )
