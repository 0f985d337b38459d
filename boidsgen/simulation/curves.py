"""Curves: the closed paths that predators follow.

  points(angle)                    of the curve, shape (n, 3), at angles in radians, shape (n,); 2π is once round it
  position(time, count, world)     where predators are that it carries along, shape (count, d), world units
A curve that only drives predators is one of their rules: it steers by the point itself, taken as a vector. `extent` is
the curve's greatest distance from its middle in the x-y plane. In a flat world the third component is dropped.
"""

from abc import abstractmethod
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field
from typing_extensions import override

from boidsgen import exact
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.rules.rule import Rule, View
from boidsgen.simulation.world import World
from boidsgen.tables import Finite, Positive, Vector, by_name, short_form


class Curve(Rule):
    """A closed curve. By position it carries the predators along; by velocity it only drives them."""

    extent: ClassVar[float] = 1.0
    by_number: ClassVar[bool] = True

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
    def points(self, angle: Array) -> Array:
        """Points of the curve at these angles in radians, shape (n, 3)."""

    def position(self, time: float, count: int, world: World) -> Array:
        """Where `count` predators are at this time in mode position, shape (count, d)."""
        center = world.extent / 2 if self.center is None else np.array(self.center)
        scale = 0.4 * min(world.size) if self.scale is None else self.scale
        return center + scale / self.extent * self._current(time, count, world)

    @override
    def desired(self, view: View) -> Array:
        """The point of the curve at which each predator would now be, as a vector, shape (n, d)."""
        return self._current(view.time, len(view.position), view.world)

    def _current(self, time: float, count: int, world: World) -> Array:
        angle = 2 * np.pi * time / self.period + np.arange(count) * np.radians(self.phase)
        return self.points(angle)[:, : world.dimension]


class CircleCurve(Curve):
    """A circle in the x-y plane, counterclockwise."""

    formula: ClassVar[str] = "(cos a, sin a, 0) with a = 2π · t/period + index · phase"
    source: ClassVar[str] = "elementary"

    kind: Literal["circle"] = "circle"

    @override
    def points(self, angle: Array) -> Array:
        """(cos a, sin a, 0), shape (n, 3)."""
        return np.stack((exact.cosine(angle), exact.sine(angle), np.zeros_like(angle)), axis=1)


class TrefoilCurve(Curve):
    """The trefoil knot; in a flat world its projection with three lobes."""

    formula: ClassVar[str] = "((2 + cos 3a) cos 2a, (2 + cos 3a) sin 2a, sin 3a) with a = 2π · t/period + index · phase"
    source: ClassVar[str] = "001, the trefoil knot"

    extent: ClassVar[float] = 3.0

    kind: Literal["trefoil"] = "trefoil"

    @override
    def points(self, angle: Array) -> Array:
        """((2 + cos 3a)·cos 2a, (2 + cos 3a)·sin 2a, sin 3a), shape (n, 3)."""
        ring = 2 + exact.cosine(3 * angle)
        return np.stack((ring * exact.cosine(2 * angle), ring * exact.sine(2 * angle), exact.sine(3 * angle)), axis=1)


CURVES = by_name(CircleCurve, TrefoilCurve, tag="kind")
"""What there is, by the name that a scenario writes."""

AnyCurve = Annotated[CircleCurve | TrefoilCurve, Field(discriminator="kind"), short_form()]
"""Any of them, told apart by `kind`."""
