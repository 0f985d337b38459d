"""Setup: the part of a scenario that decides what happens, and the setup in force at each frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Annotated, Union

from pydantic import BeforeValidator, Field, field_validator

from boidsgen.errors import MAX_OF_TABLE
from boidsgen.plugins import Family
from boidsgen.simulation.events import EventfulSetup, Progress
from boidsgen.simulation.groups import Flock, Predators
from boidsgen.simulation.motion import Group
from boidsgen.simulation.obstacles import OBSTACLES, Obstacle, fault
from boidsgen.simulation.paths import Attractor
from boidsgen.simulation.world import Clock, World
from boidsgen.tables import one_or_several, short_form

ALL_OBSTACLES: Mapping[str, type[Obstacle]] = Family("obstacles", OBSTACLES, fault)
"""Our own obstacles and those of installed packages."""

if TYPE_CHECKING:
    AnyObstacle = Obstacle
else:
    AnyObstacle = Annotated[Union[tuple(ALL_OBSTACLES.values())], Field(discriminator="kind"), short_form()]  # noqa: UP007


class Setup(EventfulSetup):
    """World, animals and obstacles."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Source of all randomness: equal seeds give equal flocks."""
    world: World = World.usual()
    """World in which everything happens."""
    time: Clock = Clock.usual()
    """Duration and time steps."""
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
    """Obstacles that boids steer around."""
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
        most = [flock.count for flock in self.flock]
        for keys, value in (pair for event in self.events for pair in event.set.items()):
            kind, *which, last = keys.split(".")
            if (kind, last) == ("flock", "count") and isinstance(value, int):
                number = int(which[0]) if which else 0
                most[number] = max(most[number], value)
        return tuple(most)

    @property
    def steps(self) -> int:
        """Steps of the whole run, warm-up included."""
        return self.time.warmup + (self.time.frames - 1) * self.time.steps_per_frame

    @property
    def most_turns(self) -> tuple[int, ...]:
        """Maximum number of boids of each flock that move one after the other."""
        sequential = (flock.update == "sequential" for flock in self.flock)
        return tuple(most if turns else 0 for most, turns in zip(self.most_boids, sequential, strict=True))


class Timeline:
    """Answers with the setup at a frame; the same object as long as nothing changes.

    Events take effect with the frame they name, and obstacles and attractors are those that are there.
    """

    def __init__(self, setup: Setup) -> None:
        self._progress = Progress(setup, setup.events)
        self._changed = self._shown = setup
        self._there: tuple[list[bool], ...] = ()

    def at(self, frame: int) -> Setup:
        """The setup in force at this frame."""
        changed = self._progress.at(frame)
        there = tuple([thing.present(frame) for thing in things] for things in (changed.obstacles, changed.attractors))
        if changed is not self._changed or there != self._there:
            self._changed, self._there, self._shown = changed, there, changed
            if not all(map(all, there)):
                obstacles, attractors = map(compress, (changed.obstacles, changed.attractors), there)
                self._shown = changed.model_copy(update={"obstacles": (*obstacles,), "attractors": (*attractors,)})
        return self._shown


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The world at one instant.

    Attributes:
        step: steps done since the start, warm-up included.
        time: simulated time since the start.
        frame: number of the frame that shows this state, counted from 0; -1 between frames.
        flocks: one group per [[flock]] table.
        predators: one group per [[predators]] table.
        setup: the scenario's simulation tables in force at this instant.
    """

    step: int
    time: float
    frame: int
    flocks: tuple[Group, ...]
    predators: tuple[Group, ...]
    setup: Setup
