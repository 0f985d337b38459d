"""Setup: the part of a scenario that decides what happens, and nothing of how it looks."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from boidsgen.simulation.clock import Clock
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.obstacles import AnyObstacle
from boidsgen.simulation.predators import Predators
from boidsgen.simulation.world import World
from boidsgen.tables import Table, one_or_several


class Setup(Table):
    """World, animals and obstacles."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Source of all randomness: equal seeds give equal flocks."""
    world: World = World()
    """Where everything happens."""
    time: Clock = Clock()
    """How long it lasts and in what steps."""
    flock: Annotated[tuple[Flock, ...], BeforeValidator(one_or_several)] = (Flock(),)
    """The boids: one table, or several for several species."""
    predators: Annotated[tuple[Predators, ...], BeforeValidator(one_or_several)] = ()
    """Hunters, one table per kind."""
    obstacles: Annotated[tuple[AnyObstacle, ...], BeforeValidator(one_or_several)] = ()
    """What boids steer around."""
