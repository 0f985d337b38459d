"""Setup: the part of a scenario that decides what happens, and the setup in force at each frame."""

from functools import cached_property, lru_cache
from itertools import compress
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from boidsgen.caps import MAX_OF_TABLE
from boidsgen.simulation.events import EventfulSetup
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.motion import Attractor
from boidsgen.simulation.obstacles import AnyObstacle
from boidsgen.simulation.predators import Predators
from boidsgen.simulation.world import Clock, World
from boidsgen.tables import one_or_several, replaced


class Setup(EventfulSetup):
    """World, animals and obstacles."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Source of all randomness: equal seeds give equal flocks."""
    world: World = World.usual()
    """Where everything happens."""
    time: Clock = Clock.usual()
    """How long it lasts and in what steps."""
    flock: Annotated[tuple[Flock, ...], BeforeValidator(one_or_several), Field(max_length=MAX_OF_TABLE["flock"])] = (
        Flock.usual(),
    )
    """The boids: one table, or several for several species."""
    predators: Annotated[
        tuple[Predators, ...], BeforeValidator(one_or_several), Field(max_length=MAX_OF_TABLE["predators"])
    ] = ()
    """Hunters, one table per kind."""
    obstacles: Annotated[
        tuple[AnyObstacle, ...], BeforeValidator(one_or_several), Field(max_length=MAX_OF_TABLE["obstacles"])
    ] = ()
    """What boids steer around."""
    attractors: Annotated[
        tuple[Attractor, ...], BeforeValidator(one_or_several), Field(max_length=MAX_OF_TABLE["attractors"])
    ] = ()
    """Points that draw boids near or drive them away."""

    @field_validator("flock")
    @classmethod
    def _not_empty(cls, value: tuple[Flock, ...]) -> tuple[Flock, ...]:
        # Not a bound of the type: that one would also complain of a flock that is there but wrong.
        if not value:
            raise ValueError("must have at least 1 entry, not 0")
        return value

    @cached_property
    def most_boids(self) -> tuple[int, ...]:
        """The largest size that each flock has in the run, by its count and the events that change it."""
        setup, most = self, [flock.count for flock in self.flock]
        for event in sorted(self.events, key=lambda event: event.at):
            for key, value in event.set.items():
                if key.split(".")[0] == "flock" and key.split(".")[-1] == "count":
                    setup = replaced(setup, key.split("."), value)
                    most = [max(size, flock.count) for size, flock in zip(most, setup.flock, strict=True)]
        return tuple(most)

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


class Timeline:
    """Answers with the setup at a frame; the same object as long as nothing changes.

    Events take effect with the frame they name, and obstacles and attractors are those that are there.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._events = sorted(setup.events, key=lambda event: event.at)
        self._changed = lru_cache(maxsize=2)(self._with_events)
        self._present = lru_cache(maxsize=2)(self._with_what_is_there)

    def at(self, frame: int) -> Setup:
        """The setup in force at this frame."""
        progress = tuple(event.progress(frame) for event in self._events if event.at <= frame)
        changed = self._changed(progress)
        return self._present(progress, changed.there(frame))

    def _with_events(self, progress: tuple[float, ...]) -> Setup:
        setup = self._setup
        for event, part in zip(self._events, progress, strict=False):
            setup = event.applied(setup, part)
        return setup

    def _with_what_is_there(
        self, progress: tuple[float, ...], there: tuple[tuple[bool, ...], tuple[bool, ...]]
    ) -> Setup:
        return self._changed(progress).only(*there)
