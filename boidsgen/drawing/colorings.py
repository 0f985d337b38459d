"""Colorings: what the color of a boid means.

A coloring chooses the colors it needs from a theme, says what each of them means, and picks one for every boid.
"""

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen import exact
from boidsgen.drawing.camera import Seen
from boidsgen.drawing.frame import blended, numbers_of
from boidsgen.drawing.themes import CYCLIC_COLORS, FLOCK_COLORS, SEQUENTIAL_COLORS, Theme
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.measures import members, neighbor_count
from boidsgen.simulation.profiles import everybody
from boidsgen.simulation.setup import Setup, State


class Coloring(ABC):
    """The meaning of the colors of boids."""

    dimensions: ClassVar[tuple[int, ...]] = (2, 3)
    """The dimensions of a world in which it makes sense."""
    role: ClassVar[str] = "sequential"
    """The role of its colors in a theme."""
    title: ClassVar[str] = ""
    """Heading of the legend; empty where its words suffice."""
    round: ClassVar[bool] = False
    """True if its colors are cyclic."""
    ends: ClassVar[tuple[str, str] | None] = None
    """Words for the first and the last color of a ramp."""
    words: ClassVar[tuple[str, ...]] = ()
    """Labels of the colors for the legend; empty within a ramp."""
    finer: ClassVar[int] = 1
    """Steps of the flat look between two colors of a theme. A lit pixel has room for few."""

    def __init__(self, *, lit: bool = False) -> None:
        """A coloring in the flat look, or in a lit one."""
        self.steps = 1 if lit else self.finer

    @property
    def ordered(self) -> bool:
        """True if its colors are a ramp, so that means of them have a meaning."""
        return self.role == "sequential"

    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        """The colors, each an ink: all of its role, and those between them."""
        colors: tuple[str, ...] = getattr(theme, self.role)
        if self.steps == 1:
            return colors
        around = (*colors, colors[0]) if self.round else colors
        place = np.arange((len(around) - 1) * self.steps + (not self.round)) / self.steps
        mixed = numbers_of(blended([(float(number), color) for number, color in enumerate(around)], place))
        return tuple("#" + bytes(row).hex() for row in mixed)

    def labels(self, setup: Setup) -> tuple[str, ...]:
        """Its words, or those for this setup."""
        return self.words

    @abstractmethod
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        """The number of a color for every boid of a flock, shape (n,)."""


def graded(part: Array, steps: int) -> NDArray[np.intp]:
    """The step of a ramp for values from 0 to 1, shape (n,)."""
    return np.clip(part * steps, 0, steps - 1).astype(np.intp)


class DepthColoring(Coloring):
    """From far to near; in worlds with depth only."""

    title: ClassVar[str] = "depth"
    ends: ClassVar[tuple[str, str]] = ("far", "near")
    dimensions: ClassVar[tuple[int, ...]] = (3,)
    finer: ClassVar[int] = 2

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        return ("far", *[""] * (_count(self) - 2), "near")

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        return graded(1.0 - seen.depth, _count(self))


def _count(coloring: Coloring) -> int:
    """Number of the colors of a ramp."""
    return (SEQUENTIAL_COLORS - 1) * coloring.steps + 1


class FlockColoring(Coloring):
    """One color per flock; more flocks than colors share them."""

    role: ClassVar[str] = "flocks"

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        return theme.flocks[: len(setup.flock)]

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        names = [flock.name for flock in setup.flock]
        return tuple(", ".join(names[color::FLOCK_COLORS]) for color in range(min(len(names), FLOCK_COLORS)))

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        return np.full(len(state.flocks[flock].position), flock % FLOCK_COLORS)


class GroupColoring(Coloring):
    """One color per group of neighbors of neighbors, and grey for who is alone.

    A group has the color of the first of its boids, and so keeps it as long as that one stays with it.
    """

    role: ClassVar[str] = "flocks"
    words: ClassVar[tuple[str, ...]] = ("groups", *[""] * (FLOCK_COLORS - 1), "alone")

    @override
    def colors(self, theme: Theme, setup: Setup) -> tuple[str, ...]:
        # Where letters stand on a plate their ink would be lost on the ground.
        return (*theme.flocks, theme.obstacle if theme.plate else theme.muted)

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        before = sum(len(group.position) for group in state.flocks[:flock])
        return _colors(state)[before : before + len(state.flocks[flock].position)]


@lru_cache(maxsize=1)
def _colors(state: State) -> NDArray[np.intp]:
    """The number of a color for every boid of all flocks, shape (n,)."""
    first = members(everybody(state)).astype(np.intp)
    alone = np.bincount(first, minlength=len(first))[first] == 1
    return np.where(alone, FLOCK_COLORS, first % FLOCK_COLORS)


class HeadingColoring(Coloring):
    """Direction of flight in the plane of x and y, in steps of 10 degrees; of 30 in a lit theme."""

    role: ClassVar[str] = "cyclic"
    title: ClassVar[str] = "heading"
    round: ClassVar[bool] = True
    finer: ClassVar[int] = 3

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        count = CYCLIC_COLORS * self.steps
        return tuple(f"{360 * step // count}°" if step % (count // 4) == 0 else "" for step in range(count))

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        velocity = state.flocks[flock].velocity
        turn = exact.heading(velocity[:, 1], velocity[:, 0]) / (2 * np.pi)
        count = CYCLIC_COLORS * self.steps
        return np.rint(turn * count).astype(np.intp) % count


class NeighborsColoring(Coloring):
    """Number of neighbors that a boid perceives: none, then in steps that double."""

    title: ClassVar[str] = "neighbors"
    ends: ClassVar[tuple[str, str]] = ("alone", "crowded")
    # The least count of each step: 0, 1, 3, 7, …
    words: ClassVar[tuple[str, ...]] = (*(f"{2**step - 1}" for step in range(SEQUENTIAL_COLORS - 1)), "127+")

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        _, exponent = np.frexp(neighbor_count(state, flock) + 1.0)
        step: NDArray[np.intp] = exponent.astype(np.intp) - 1
        return np.minimum(step, SEQUENTIAL_COLORS - 1)


class SpeedColoring(Coloring):
    """From min_speed to max_speed."""

    title: ClassVar[str] = "speed"
    ends: ClassVar[tuple[str, str]] = ("slow", "fast")
    finer: ClassVar[int] = 2

    @override
    def labels(self, setup: Setup) -> tuple[str, ...]:
        low, high = _range(setup)
        return (f"{low:g}", *[""] * (_count(self) - 2), f"{high:g}")

    @override
    def pick(self, state: State, flock: int, seen: Seen) -> NDArray[np.intp]:
        low, high = _range(state.setup)
        return graded((length(state.flocks[flock].velocity) - low) / max(high - low, 1e-9), _count(self))


def _range(setup: Setup) -> tuple[float, float]:
    """The lowest and the highest speed that any flock may fly at."""
    low, high = zip(*(flock.speeds for flock in setup.flock), strict=True)
    return min(low), max(high)


COLORINGS: dict[str, type[Coloring]] = {
    "depth": DepthColoring,
    "flock": FlockColoring,
    "group": GroupColoring,
    "heading": HeadingColoring,
    "neighbors": NeighborsColoring,
    "speed": SpeedColoring,
}
"""All colorings by the names that scenarios use."""
