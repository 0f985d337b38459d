"""Animals: where they are in the picture, and how they are turned there.

A `Placed` holds the animals of one group that are in the picture, those beyond an edge where the picture goes on
included. `attitudes` adds how a winged animal leans into its turn, seen from where the camera stands.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.projection import Projection, Seen, along
from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.geometry import Array, dot, length, unit

BANK = 28.0
"""How far a bird leans to the side: tangent of the angle for each radian by which it turns in a step."""

Integers = NDArray[np.intp]


class Placed(NamedTuple):
    """Animals in the picture, copies beyond the edges included.

    Attributes:
        animal: (k,) whose it is.
        xy: (k, 2) where.
        heading: (k,) radians, counterclockwise from the right.
        scale: (k,) how large it is seen, 1 in the middle of the world.
        apparent: (k,) the part of its length that is seen.
        width: (k,) the part of its width that is seen.
    """

    animal: Integers
    xy: Array
    heading: Array
    scale: Array
    apparent: Array
    width: Array | float = 1.0


class Attitude(NamedTuple):
    """How bodies with wings are turned, as seen in the picture.

    Attributes:
        heading: (n,) radians, counterclockwise from the right.
        apparent: (n,) the part of the length that is seen.
        width: (n,) the part of the span that is seen.
    """

    heading: Array
    apparent: Array
    width: Array


def visible(seen: Seen, size: tuple[int, int], reach: int) -> Integers:
    """The numbers of those that are in a picture of this size, or reach into it."""
    low, high = -reach, np.array(size) + reach
    return np.flatnonzero(seen.shown & ((seen.xy > low) & (seen.xy < high)).all(axis=1))


def placed(group: Group, projection: Projection, seen: Seen, size: tuple[int, int], reach: int) -> Placed:
    """The animals of a group that are in the picture."""
    shown = visible(seen, size, reach)
    here = seen.of(shown)
    which, xy = projection.repeated(here.xy, reach)
    heading, apparent = projection.heading(group.position[shown], group.velocity[shown], here)
    scale = here.scale[which] / projection.scale
    return Placed(shown[which], xy, heading[which], scale, apparent[which])


def winged(
    group: Group, before: Array, projection: Projection, seen: Seen, size: tuple[int, int], reach: int
) -> Placed:
    """The same for animals with wings that had these velocities one frame before."""
    shown = visible(seen, size, reach)
    here = seen.of(shown)
    which, xy = projection.repeated(here.xy, reach)
    attitude = attitudes(group.velocity[shown], before[shown], projection.axes)
    scale = here.scale[which] / projection.scale
    return Placed(shown[which], xy, attitude.heading[which], scale, attitude.apparent[which], attitude.width[which])


def attitudes(velocity: Array, before: Array, axes: Array) -> Attitude:
    """How bodies fly that had another velocity a frame before, (n, d) each, seen along these axes, (3, d)."""
    if velocity.shape[1] == 2:
        whole = np.ones(len(velocity))
        return Attitude(exact.heading(velocity[:, 1], velocity[:, 0]), whole, whole)
    ahead = unit(velocity)
    speed = np.maximum(length(velocity), 1e-9)
    change = velocity - before
    lateral = change - dot(change, ahead)[:, None] * ahead
    up = np.array([0.0, 0.0, 1.0]) + (BANK / speed)[:, None] * lateral
    right = _cross(ahead, up)
    right = np.where(length(right)[:, None] > 1e-9, unit(right), axes[0])
    return _seen(along(axes[:2], ahead), along(axes[:2], right))


def _cross(one: Array, other: Array) -> Array:
    (x, y, z), (u, v, w) = one.T, other.T
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u), axis=1)


def _seen(ahead: Array, aside: Array) -> Attitude:
    """By what is seen of the axis forward and of the axis to the right, both of length 1 and of shape (2, n).

    The longer of the two gives the direction, the area between them the rest, so that no direction is lost in who flies
    at the viewer.
    """
    area = np.abs(ahead[0] * aside[1] - ahead[1] * aside[0])
    long, wide = np.sqrt((ahead * ahead).sum(axis=0)), np.sqrt((aside * aside).sum(axis=0))
    by_length = long >= wide
    # A quarter turn from the right wing against the clock lies the head, unless one sees the body from below.
    turned = np.stack((-aside[1], aside[0]))
    turned = np.where((turned * ahead).sum(axis=0) < 0, -turned, turned)
    way = np.where(by_length, ahead, turned)
    across = area / np.maximum(np.where(by_length, long, wide), 1e-9)
    return Attitude(exact.heading(way[1], way[0]), np.where(by_length, long, across), np.where(by_length, across, wide))
