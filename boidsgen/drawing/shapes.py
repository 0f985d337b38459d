"""Shapes of a boid, as outlines in body lengths.

`outline()` is one closed polygon, shape (k, 2), of a body that flies along +x: x forward, y to its left. Its unit is
the body length the user sets. Where its origin lies does not matter: sprites put the middle of the area on the boid's
position.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.simulation.geometry import Array, circle
from boidsgen.tables import Table, by_name


class Shape(Table, ABC):
    """What a boid looks like."""

    alike_all_round: ClassVar[bool] = False
    """Whether it looks the same from every side, so that flying at the viewer does not shorten it."""

    @abstractmethod
    def outline(self) -> Array:
        """The corners in order, shape (k, 2), body flying along +x, unit: body length."""


def mirrored(upper: Array) -> Array:
    """The other side of a body, from tail to head, given the corners of its left side from head to tail."""
    lower: Array = upper[::-1] * np.array([1.0, -1.0])
    return lower


class Arrow(Shape):
    """An arrow with shaft and head, as in a plot of velocities."""

    @override
    def outline(self) -> Array:
        upper = np.array([(0.55, 0.0), (0.08, 0.30), (0.08, 0.085), (-0.45, 0.085)])
        return np.vstack((upper, mirrored(upper)))


class Bird(Shape):
    """A bird seen from above with swept wings and a short tail."""

    @override
    def outline(self) -> Array:
        head_and_wing = [(0.4, 0.0), (0.33, 0.06), (0.2, 0.08), (0.26, 0.24), (0.2, 0.42), (-0.06, 0.68)]
        wing_and_tail = [(0.02, 0.42), (0.0, 0.24), (-0.1, 0.08), (-0.24, 0.06), (-0.44, 0.16), (-0.4, 0.0)]
        upper = np.array(head_and_wing + wing_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Dart(Shape):
    """A slender arrowhead with a notched tail: direction at a glance, even when small."""

    @override
    def outline(self) -> Array:
        return np.array([(0.56, 0.0), (-0.44, 0.31), (-0.26, 0.0), (-0.44, -0.31)])


class Dot(Shape):
    """A disc, as wide as half a body length: it shows where a boid is, not which way it flies."""

    alike_all_round: ClassVar[bool] = True

    @override
    def outline(self) -> Array:
        return 0.25 * circle(48)


class Fish(Shape):
    """A fish: a round body, a thin stalk and a forked tail."""

    @override
    def outline(self) -> Array:
        along = np.array([0.5, 0.46, 0.36, 0.2, 0.02, -0.14, -0.28, -0.5])
        half = np.array([0.0, 0.07, 0.13, 0.17, 0.16, 0.11, 0.045, 0.2])
        upper = np.column_stack((along, half))
        notch = np.array([(-0.4, 0.0)])
        return np.vstack((upper, notch, mirrored(upper)))


SHAPES = by_name(Arrow, Bird, Dart, Dot, Fish)
