"""Paths of predators: closed curves that they follow.

`curve(angle)` gives points of the curve, shape (n, 3), for angles in radians, shape (n,); one turn of the angle is
once round the curve. `extent` is the curve's greatest distance from its middle in the x-y plane. In a flat world the
third component is dropped.
"""

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen.simulation.geometry import Array
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, Positive, Table, Vector, by_name, short_form


class Path(Table, ABC):
    """A closed curve. By position it carries the predators along; by velocity it only drives them."""

    extent: ClassVar[float] = 1.0

    mode: Literal["position", "velocity"] = "position"
    """position: predators are on the curve. velocity: the curve's point, as a vector, is added to what drives them."""
    scale: Positive | None = None
    """Size of the curve in mode position: greatest distance from its middle, in world units. Default: 0.4 of the
    smallest side."""
    period: Positive = 240.0
    """Time once round the curve."""
    phase: Finite = 45.0
    """Angle in degrees by which each predator is ahead of the one before."""
    center: Vector | None = None
    """Middle of the curve in mode position, in world units. Default: the middle of the world."""
    weight: Finite = 1.0
    """Factor on the curve's point in mode velocity."""

    @abstractmethod
    def curve(self, angle: Array) -> Array:
        """Points of the curve at these angles in radians, shape (n, 3)."""

    def position(self, time: float, count: int, world: World) -> Array:
        """Where `count` predators are at this time in mode position, shape (count, d)."""
        center = world.extent / 2 if self.center is None else np.array(self.center)
        scale = 0.4 * min(world.size) if self.scale is None else self.scale
        return center + scale / self.extent * self._points(time, count, world)

    def drive(self, time: float, count: int, world: World) -> Array:
        """What the curve adds to the velocity of `count` predators in mode velocity, shape (count, d)."""
        return self.weight * self._points(time, count, world)

    def _points(self, time: float, count: int, world: World) -> Array:
        angle = 2 * np.pi * time / self.period + np.arange(count) * np.radians(self.phase)
        return self.curve(angle)[:, : world.dimension]


class Circle(Path):
    """A circle in the x-y plane, counterclockwise."""

    kind: Literal["circle"] = "circle"

    @override
    def curve(self, angle: Array) -> Array:
        """(cos a, sin a, 0), shape (n, 3)."""
        return np.stack((np.cos(angle), np.sin(angle), np.zeros_like(angle)), axis=1)


class Trefoil(Path):
    """The trefoil knot; in a flat world its projection with three lobes."""

    extent: ClassVar[float] = 3.0

    kind: Literal["trefoil"] = "trefoil"

    @override
    def curve(self, angle: Array) -> Array:
        """((2 + cos 3a)·cos 2a, (2 + cos 3a)·sin 2a, sin 3a), shape (n, 3)."""
        ring = 2 + np.cos(3 * angle)
        return np.stack((ring * np.cos(2 * angle), ring * np.sin(2 * angle), np.sin(3 * angle)), axis=1)


PATHS = by_name(Circle, Trefoil, tag="kind")
"""What there is, by the name that a scenario writes."""

AnyPath = Annotated[Circle | Trefoil, Field(discriminator="kind"), short_form()]
"""Any of them, told apart by `kind`."""
