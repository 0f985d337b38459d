"""What a format of trajectories has to be, and what it holds: where every animal was in every frame.

step, time                                    (frames,), as in `State`
flock.0.position, flock.0.velocity, …         (frames, n, d), float64
predators.0.position, predators.0.velocity    likewise
  n is the most that a group has in the run; nan in frames in which an animal is not there
scenario                                      a text: the scenario in TOML, with versions and seed
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boidsgen.output.base import Part, Writer
from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class TrajectoryWriter(Writer[State]):
    """One format of trajectories."""

    @abstractmethod
    def __init__(self, part: Part, setup: Setup, text: str) -> None:
        """Begin, with the tables of the run and a text that tells its origin."""


GROUPS = ("flock", "predators")
QUANTITIES = ("position", "velocity")


class Track(NamedTuple):
    """The arrays of one group.

    Attributes:
        kind: one of `GROUPS`.
        number: of the group among those of its kind.
        name: what the scenario calls the group.
        animals: the most that it has in the run.
    """

    kind: str
    number: int
    name: str
    animals: int

    def array(self, quantity: str) -> str:
        """The name of one of its arrays."""
        return f"{self.kind}.{self.number}.{quantity}"

    def group(self, state: State) -> Group:
        """The group itself."""
        return (state.flocks if self.kind == "flock" else state.predators)[self.number]


def tracks(setup: Setup) -> Iterator[Track]:
    """The groups of a run, in the order of the scenario."""
    sizes = {"flock": setup.most_boids, "predators": [table.count for table in setup.predators]}
    for kind in GROUPS:
        for number, table in enumerate(getattr(setup, kind)):
            yield Track(kind, number, table.name, sizes[kind][number])


def padded(vectors: Array, count: int) -> Array:
    """The vectors of a group, and nan for those that are not there, stored boid by boid."""
    if len(vectors) == count:
        return np.ascontiguousarray(vectors)
    return np.concatenate((vectors, np.full((count - len(vectors), vectors.shape[1]), np.nan)))
