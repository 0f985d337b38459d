"""Shapes of a boid, as outlines in body lengths.

`outline()` is one closed polygon, shape (k, 2), of a body that flies along +x: x forward, y to its left. Its unit is
the body length the user sets. Where its origin lies does not matter: sprites put the middle of the area on the boid's
position.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.plugins import Family, made_of
from boidsgen.simulation.geometry import Array, circle, length
from boidsgen.simulation.validation import misfit
from boidsgen.tables import by_name

FARTHEST = 10.0
"""Body lengths that a shape may reach from its middle: what is wider needs pictures of its own."""


class Shape(ABC):
    """The look of a boid."""

    alike_all_round: ClassVar[bool] = False
    """True if it looks the same from every side, so that flying at the viewer does not shorten it."""
    winged: ClassVar[bool] = False
    """True if it beats its wings and leans into turns, where the look shows that."""
    hunter: ClassVar[str] = "barb"
    """The shape of its predators in the lit look."""

    @abstractmethod
    def outline(self) -> Array:
        """The corners in order, shape (k, 2), body flying along +x, unit: body length."""


def outline_of(shape: Shape) -> Array:
    """The corners of a shape; a package may give them as a list."""
    return np.asarray(shape.outline(), np.float64)


def centered(outline: Array) -> Array:
    """The outline with the middle of its area at the origin, shape (k, 2)."""
    following = np.roll(outline, -1, axis=0)
    cross = outline[:, 0] * following[:, 1] - following[:, 0] * outline[:, 1]
    middle = ((outline + following) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    moved: Array = outline - middle
    return moved


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


class Barb(Shape):
    """A long arrowhead, hollow at its tail: a hunter among darts."""

    @override
    def outline(self) -> Array:
        return np.array([(0.62, 0.0), (-0.42, 0.34), (-0.2, 0.0), (-0.42, -0.34)])


class Bird(Shape):
    """A bird seen from above with swept wings and a short tail."""

    winged: ClassVar[bool] = True
    hunter: ClassVar[str] = "falcon"

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


class Falcon(Shape):
    """A bird of prey: long pointed wings, bent at the wrist, and a long tail."""

    winged: ClassVar[bool] = True
    hunter: ClassVar[str] = "falcon"

    @override
    def outline(self) -> Array:
        head_and_wing = [(0.42, 0.0), (0.38, 0.06), (0.24, 0.1), (0.34, 0.34), (0.3, 0.46), (-0.3, 0.98)]
        wing_and_tail = [(-0.06, 0.52), (0.02, 0.3), (-0.06, 0.1), (-0.3, 0.08), (-0.56, 0.1), (-0.56, 0.0)]
        upper = np.array(head_and_wing + wing_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Fish(Shape):
    """A fish: a round body, a thin stalk and a forked tail."""

    hunter: ClassVar[str] = "shark"

    @override
    def outline(self) -> Array:
        along = np.array([0.5, 0.46, 0.36, 0.2, 0.02, -0.14, -0.28, -0.5])
        half = np.array([0.0, 0.07, 0.13, 0.17, 0.16, 0.11, 0.045, 0.2])
        upper = np.column_stack((along, half))
        notch = np.array([(-0.4, 0.0)])
        return np.vstack((upper, notch, mirrored(upper)))


class Shark(Shape):
    """A fish of prey: a pointed body with fins spread to its sides, and a narrow tail."""

    hunter: ClassVar[str] = "shark"

    @override
    def outline(self) -> Array:
        body_and_fin = [(0.6, 0.0), (0.42, 0.1), (0.16, 0.14), (-0.08, 0.36), (-0.04, 0.12)]
        stalk_and_tail = [(-0.3, 0.07), (-0.42, 0.035), (-0.62, 0.22), (-0.52, 0.0)]
        upper = np.array(body_and_fin + stalk_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Triangle(Shape):
    """The triangle of the pygame lesson, by its own coordinates.

    For a size of 5 its corners are (5, 0), (-5, -3) and (-5, 2) in pixels: `size // 2` rounds down on either side.
    """

    @override
    def outline(self) -> Array:
        return np.array([(0.5, 0.0), (-0.5, 0.2), (-0.5, -0.3)])


_OWN = by_name(Arrow, Barb, Bird, Dart, Dot, Falcon, Fish, Shark, Triangle)


def _fault(name: str, kind: object) -> str:
    if not made_of(kind, Shape):
        return "is not a class made of Shape with a method `outline`"
    if kind.hunter not in {name, *_OWN}:
        return f"has the hunter {kind.hunter!r}, which is no shape; use one of {', '.join(_OWN)}, or {name}"
    given = kind().outline()
    if (wrong := misfit(given, (None, 2))) or len(given) < 3:
        return f"has no outline of at least three corners, shape (k, 2), but {wrong or len(given)}"
    with np.errstate(all="ignore"):  # an outline that encloses nothing has no middle
        farthest = float(np.nan_to_num(length(centered(np.asarray(given, np.float64))), nan=np.inf).max())
    return "" if farthest <= FARTHEST else f"has an outline that encloses nothing, or reaches over {FARTHEST:g} lengths"


SHAPES: Mapping[str, type[Shape]] = Family("shapes", _OWN, _fault)
"""All members by the names that scenarios use, those of installed packages last."""
