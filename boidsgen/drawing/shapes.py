"""Shapes of a boid, as outlines in body lengths.

`outline()` is one closed polygon, shape (k, 2), of a body that flies along +x: x forward, y to its left. Its unit is
the body length the user sets. Where its origin lies does not matter: sprites put the middle of the area on the boid's
position. `posed()` moves its wings, or bends it: body, legs and tail of whoever swims or runs.
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

FARTHEST = 10.0  # Body lengths that a shape may reach from its middle: what is wider needs pictures of its own


class Shape(ABC):
    """The look of a boid."""

    alike_all_round: ClassVar[bool] = False
    """True if it looks the same from every side, so that flying at the viewer does not shorten it."""
    winged: ClassVar[bool] = False
    """True if it beats its wings, and in the lit look leans into turns."""
    beat: ClassVar[float] = 0.0
    """Beats of its wings or tail in a frame; 0 = a stiff body. One without wings bends into its turns."""
    hunter: ClassVar[str] = "barb"
    """The shape of its predators in the lit look."""

    @abstractmethod
    def outline(self) -> Array:
        """The corners in order, shape (k, 2), body flying along +x, unit: body length."""

    def posed(self, outline: Array, pose: Array | float) -> Array:
        """An outline, (k, 2), in a pose: a number, or (n, 1) for (n, k, 2).

        With wings the part of the span that is seen; else the bend, from 0, tail to the right, to 1, tail to the left.
        """
        x, y = outline.T
        if self.winged or not self.beat:
            return np.stack((x + 0.0 * pose, y * pose), axis=-1)
        behind = np.maximum(STIFF - x, 0.0)
        # The spine is a parabola, shortened by what goes sideways; across it stands the body.
        slope = 2.0 * MAX_BEND * (2.0 * np.asarray(pose) - 1.0) * behind
        across = y / np.sqrt(1.0 + slope * slope)
        return np.stack((x + slope * slope * behind / 6.0 + slope * across, slope * behind / 2.0 + across), axis=-1)


STIFF = 0.15  # Position of the first point that bends, in body lengths ahead of the centroid
MAX_BEND = 0.62
"""Offset of the spine of the most bent body, by the squared length behind its stiff part: half its curvature."""


def body_of(shape: Shape) -> Array:
    """The corners of a shape about the middle of its area, (k, 2)."""
    return centered(outline_of(shape))


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
    beat: ClassVar[float] = 0.095
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
    beat: ClassVar[float] = 0.06
    hunter: ClassVar[str] = "falcon"

    @override
    def outline(self) -> Array:
        head_and_wing = [(0.42, 0.0), (0.38, 0.06), (0.24, 0.1), (0.34, 0.34), (0.3, 0.46), (-0.3, 0.98)]
        wing_and_tail = [(-0.06, 0.52), (0.02, 0.3), (-0.06, 0.1), (-0.3, 0.08), (-0.56, 0.1), (-0.56, 0.0)]
        upper = np.array(head_and_wing + wing_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Fish(Shape):
    """A fish: a round body, a thin stalk and a forked tail."""

    beat: ClassVar[float] = 0.09
    hunter: ClassVar[str] = "shark"

    @override
    def outline(self) -> Array:
        along = np.array([0.5, 0.46, 0.36, 0.2, 0.02, -0.14, -0.28, -0.5])
        half = np.array([0.0, 0.07, 0.13, 0.17, 0.16, 0.11, 0.045, 0.2])
        upper = np.column_stack((along, half))
        notch = np.array([(-0.4, 0.0)])
        return np.vstack((upper, notch, mirrored(upper)))


class Fox(Shape):
    """A fox, larger than a rabbit: a pointed snout, pointed ears, a slender body and a bushy tail."""

    beat: ClassVar[float] = 0.08
    hunter: ClassVar[str] = "fox"

    @override
    def outline(self) -> Array:
        head = [(0.56, 0.0), (0.44, 0.05), (0.35, 0.11), (0.28, 0.2), (0.22, 0.1)]
        body_and_tail = [(0.1, 0.13), (-0.12, 0.14), (-0.24, 0.06), (-0.36, 0.06), (-0.5, 0.13), (-0.66, 0.1)]
        upper = 1.45 * np.array([*head, *body_and_tail, (-0.84, 0.0)])
        return np.vstack((upper, mirrored(upper)))


class Hawk(Shape):
    """A bird of prey that soars: broad wings with blunt tips, and a tail like a fan."""

    winged: ClassVar[bool] = True
    beat: ClassVar[float] = 0.05
    hunter: ClassVar[str] = "hawk"

    @override
    def outline(self) -> Array:
        head_and_wing = [(0.36, 0.0), (0.32, 0.06), (0.2, 0.08), (0.28, 0.32), (0.24, 0.56), (0.1, 0.76), (-0.02, 0.72)]
        wing_and_tail = [(-0.1, 0.5), (-0.12, 0.26), (-0.1, 0.09), (-0.22, 0.07), (-0.42, 0.2), (-0.46, 0.0)]
        upper = np.array(head_and_wing + wing_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Mouse(Shape):
    """A mouse: round ears, a round body and a long thin tail."""

    beat: ClassVar[float] = 0.11
    hunter: ClassVar[str] = "fox"

    @override
    def outline(self) -> Array:
        head = [(0.5, 0.0), (0.4, 0.07), (0.34, 0.1), (0.33, 0.19), (0.25, 0.22), (0.19, 0.14)]
        body_and_tail = [(0.06, 0.2), (-0.1, 0.21), (-0.22, 0.14), (-0.28, 0.035), (-0.56, 0.03), (-0.84, 0.02)]
        upper = np.array(head + body_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Rabbit(Shape):
    """A rabbit: long ears laid back, a round body and a short round tail."""

    beat: ClassVar[float] = 0.1
    hunter: ClassVar[str] = "fox"

    @override
    def outline(self) -> Array:
        head_and_ear = [(0.52, 0.0), (0.47, 0.08), (0.38, 0.12), (0.3, 0.14), (0.04, 0.38), (-0.08, 0.36), (0.17, 0.12)]
        body_and_tail = [(0.0, 0.16), (-0.18, 0.21), (-0.34, 0.15), (-0.4, 0.07), (-0.47, 0.09), (-0.54, 0.0)]
        upper = np.array(head_and_ear + body_and_tail)
        return np.vstack((upper, mirrored(upper)))


class Shark(Shape):
    """A fish of prey: a pointed body with fins spread to its sides, and a narrow tail."""

    beat: ClassVar[float] = 0.06
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


_OWN = by_name(Arrow, Barb, Bird, Dart, Dot, Falcon, Fish, Fox, Hawk, Mouse, Rabbit, Shark, Triangle)


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
