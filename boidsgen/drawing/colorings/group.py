"""Color by group: boids that fly together share a color."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.colorings.coloring import Coloring
from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import FLOCKS, Theme
from boidsgen.simulation.measures.groups import members
from boidsgen.simulation.measures.population import everybody
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Group(Coloring):
    """One color per group of neighbors of neighbors, and grey for who is alone.

    A group has the color of the first of its boids, and so keeps it as long as that one stays with it.
    """

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return (*theme.flocks, theme.muted)

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        return ("groups", *[""] * (FLOCKS - 1), "alone")

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        del seen
        before = sum(len(group.position) for group in state.flocks[:flock])
        return _colors(state)[before : before + len(state.flocks[flock].position)]


@lru_cache(maxsize=1)
def _colors(state: State) -> NDArray[np.intp]:
    """The number of a color for every boid of all flocks, shape (n,)."""
    first = members(everybody(state)).astype(np.intp)
    alone = np.bincount(first, minlength=len(first))[first] == 1
    return np.where(alone, FLOCKS, first % FLOCKS)
