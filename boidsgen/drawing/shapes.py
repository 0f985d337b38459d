"""Shapes of a boid, as outlines in body lengths.

`outline()` is one closed polygon, shape (k, 2), of a body that flies along +x: x forward, y to its left. Its unit is
the body length the user sets. Where its origin lies does not matter: sprites put the middle of the area on the boid's
position. `posed()` moves its wings, or bends it: body, legs and tail of whoever swims or runs.
"""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.plugins import Family, made_of
from boidsgen.simulation.geometry import Array, circle, length
from boidsgen.simulation.validation import misfit

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


class Dot(Shape):
    """A disc, as wide as half a body length: it shows where a boid is, not which way it flies."""

    alike_all_round: ClassVar[bool] = True

    @override
    def outline(self) -> Array:
        return 0.25 * circle(48)


def _shape(table: dict[str, Any]) -> type[Shape]:
    """A shape of `shapes.toml`."""
    left = table.pop("scale", 1.0) * np.array(table.pop("left", [(0.0, 0.0)]))
    corners = np.array(table.pop("outline", None) or np.vstack((left, left[::-1] * np.array([1.0, -1.0]))))
    return type("Outlined", (Shape,), {"outline": lambda _: corners, **table})


_TABLES = tomllib.loads(files("boidsgen.drawing").joinpath("shapes.toml").read_text(encoding="utf-8"))
_OWN = {name: Dot if name == "dot" else _shape(_TABLES[name]) for name in sorted([*_TABLES, "dot"])}


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
