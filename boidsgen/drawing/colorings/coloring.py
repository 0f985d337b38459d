"""The contract of every way to color boids.

A coloring chooses the colors it needs from a theme, says what each of them means, and picks one for every boid.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.projection import Seen
from boidsgen.drawing.theme import Theme
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.tables import Table


class Coloring(Table, ABC):
    """What the color of a boid means."""

    @abstractmethod
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        """The colors, each an ink."""

    @abstractmethod
    def labels(self, setup: Setup) -> tuple[str, ...]:
        """What each color means, for the legend; empty within a ramp."""

    @abstractmethod
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        """The number of a color for every boid of a flock, shape (n,)."""


def ramp(low: str, high: str, steps: int) -> tuple[str, ...]:
    """Labels of a ramp that names only its ends."""
    return (low, *[""] * (steps - 2), high)


def graded(part: Array, steps: int) -> NDArray[np.intp]:
    """The step of a ramp for values from 0 to 1, shape (n,)."""
    return np.clip(part * steps, 0, steps - 1).astype(np.intp)
