"""Animals in the picture: where they are, how they are turned, and the trails behind them."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen import exact
from boidsgen.drawing.camera import Projection, Seen
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.strokes import Integers, Short, Trace
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.motion import Group
from boidsgen.simulation.world import World

BANK = 28.0
"""Bank angle of a bird: its tangent for each radian of turn in a step."""


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
    """Orientation of bodies with wings, as seen in the picture.

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
    within = (seen.xy > low) & (seen.xy < high)
    return (seen.shown & within[:, 0] & within[:, 1]).nonzero()[0]


def placed(
    group: Group,
    projection: Projection,
    seen: Seen,
    size: tuple[int, int],
    reach: int,
    attitude: Attitude | None = None,
) -> Placed:
    """The animals of a group that are in the picture; `attitude` is that of all of them, where they have wings."""
    shown = visible(seen, size, reach)
    here = seen.of(shown)
    which, xy = projection.repeated(here.xy, reach)
    animal, scale = shown[which], here.scale[which] / projection.scale
    if attitude:
        return Placed(animal, xy, attitude.heading[animal], scale, attitude.apparent[animal], attitude.width[animal])
    heading, apparent = projection.heading(group.position[shown], group.velocity[shown], here)
    return Placed(animal, xy, heading[which], scale, apparent[which])


def attitudes(velocity: Array, before: Array, axes: Array) -> Attitude:
    """Orientation of bodies by their velocity now and a frame before, (n, d) each, seen along these axes, (3, d).

    Half as long numbers are twice as fast, and good for a thousandth of a turn. The right wing lies across the way and
    across what is up for the bird: the vertical, leaned into the turn.
    """
    if velocity.shape[1] == 2:
        whole = np.ones(len(velocity))
        return Attitude(exact.heading(velocity[:, 1], velocity[:, 0]), whole, whole)
    x, y, z = (np.ascontiguousarray(part, np.float32) for part in velocity.T)
    u, v, w = (part - np.ascontiguousarray(past, np.float32) for part, past in zip((x, y, z), before.T, strict=True))
    pace = 1.0 / np.maximum(np.sqrt(x * x + y * y + z * z), np.float32(1e-9))
    x, y, z, lean = x * pace, y * pace, z * pace, np.float32(BANK) * pace
    u, v, w = lean * u, lean * v, lean * w + np.float32(1.0)
    aside = y * w - z * v, z * u - x * w, x * v - y * u
    span = np.sqrt(aside[0] * aside[0] + aside[1] * aside[1] + aside[2] * aside[2])
    upright = span < np.float32(1e-6)
    span = np.where(upright, np.float32(1.0), span)
    right = [np.where(upright, np.float32(axis), part / span) for part, axis in zip(aside, axes[0], strict=True)]
    return _seen(_on_screen((x, y, z), axes), _on_screen(right, axes))


def _on_screen(vector: Sequence[Short], axes: Array) -> tuple[Short, Short]:
    """Unit vectors along the axes to the right and up."""
    right, up = (
        sum((part * np.float32(share) for part, share in zip(vector[1:], axis[1:], strict=True)), vector[0] * axis[0])
        for axis in axes[:2].astype(np.float32)
    )
    return right, up


def _seen(ahead: tuple[Short, Short], aside: tuple[Short, Short]) -> Attitude:
    """By what is seen of the axis forward and of the axis to the right, each of length 1 in the world.

    The longer of the two gives the direction, the area between them the rest, so that no direction is lost in who flies
    at the viewer.
    """
    (x, y), (u, v) = ahead, aside
    area = np.abs(x * v - y * u)
    long, wide = np.sqrt(x * x + y * y), np.sqrt(u * u + v * v)
    by_length = long >= wide
    across = area / np.maximum(np.maximum(long, wide), np.float32(1e-9))
    # A quarter turn from the right wing against the clock lies the head, unless one sees the body from below.
    below = np.where(u * y - v * x < 0, np.float32(-1.0), np.float32(1.0))
    turn = TURNS.take(_direction(np.where(by_length, x, -v * below), np.where(by_length, y, u * below)))
    return Attitude(turn, np.where(by_length, long, across), np.where(by_length, across, wide))


def _direction(x: Short, y: Short) -> Integers:
    """Direction of a vector, in whole STEPS of an eighth of a turn."""
    wide, high = np.abs(x), np.abs(y)
    part = np.minimum(wide, high) * np.float32(STEPS) / np.maximum(np.maximum(wide, high), np.float32(1e-9))
    eighth = (x < 0) * 4 + (y < 0) * 2 + (high > wide)
    place: Integers = eighth * (STEPS + 1) + (part + np.float32(0.5)).astype(np.intp)
    return place


def _turns() -> Array:
    """The angle of every direction that `_direction` knows, in radians."""
    step = exact.heading(np.arange(STEPS + 1) / STEPS, np.ones(STEPS + 1))
    quarter = [step, np.pi / 2 - step]
    return np.concatenate(
        [
            angle
            for behind in (False, True)
            for below in (False, True)
            for angle in ((-1 if below else 1) * (np.pi - part if behind else part) for part in quarter)
        ]
    )


STEPS = 64
TURNS = _turns()
"""Angles by whole directions: twice as fine as the headings of sprites."""


MAX_STRENGTH = 0.65
"""Strength of the newest piece of a trail."""


class Trails:
    """The trails of one group of animals."""

    def __init__(self, frames: int, width: float) -> None:
        self._width = width
        self._pieces: deque[_Piece] = deque(maxlen=frames)
        self._last: Array | None = None
        self._seen_by: Projection | None = None

    def follow(self, position: Array, world: World) -> None:
        """Go on to where the animals are now, shape (n, d); begin anew when others have come or some have left."""
        if self._last is not None and len(self._last) == len(position):
            self._pieces.append(_Piece(self._last, position, world, self._width))
        else:
            self._pieces.clear()
        self._last = position

    def draw(self, canvas: Canvas, projection: Projection, inks: Inks, ink: NDArray[np.intp], strength: Array) -> None:
        """Draw the trails, each in the ink and at the strength of its animal, shape (n,) each."""
        tone = inks.tone(ink, strength * (MAX_STRENGTH * self.life)[:, None])
        traces = self.traces(canvas, projection)
        if traces:
            # All pieces in one go: to draw each takes longer than to put them together.
            count = [len(trace.flat) for _, trace in traces]
            line, flat, coverage = map(np.concatenate, zip(*(trace for _, trace in traces), strict=True))
            line = line + np.repeat([first for first, _ in traces], count)
            canvas.draw(Trace(line, flat, coverage), tone.reshape(-1))

    @property
    def frames(self) -> int:
        """For how many frames a piece stays visible."""
        return self._pieces.maxlen or 1

    @property
    def life(self) -> Array:
        """Remaining strength of each piece, 1 for the newest, shape (pieces,)."""
        life: Array = 1.0 - np.arange(len(self._pieces)) / self.frames
        return life

    def ways(self) -> list[tuple[Array, Array, NDArray[np.bool_]]]:
        """The pieces from the newest on: starts and ends, (n, d) each, and which of them were flown."""
        return [(piece.start, piece.end, piece.flown) for piece in reversed(self._pieces)]

    def traces(self, canvas: Canvas, projection: Projection) -> list[tuple[int, Trace]]:
        """The pixels of all pieces from the newest to the oldest, lines numbered through; the first number of each."""
        pieces = list(reversed(self._pieces))
        moved, self._seen_by = self._seen_by is not projection, projection
        if not pieces:
            return []
        if moved:
            # The camera has moved, and will again: all pieces in one go are traced faster than one by one.
            return [(0, _traced(canvas, projection, pieces, self._width))]
        animals = len(pieces[0].end)
        return [(age * animals, piece.trace(canvas, projection)) for age, piece in enumerate(pieces)]


class _Piece:
    """The ways of all animals from one frame to the next.

    Attributes:
        start: (n, d) from where.
        end: (n, d) to where.
        flown: (n,) false for who left on one side and entered on the other: that is no flight across the picture.
    """

    def __init__(self, start: Array, end: Array, world: World, width: float) -> None:
        self.start, self.end, self._width = start, end, width
        # Where an edge leads to the opposite one, a way of half the world is the way round, whoever is seen across it.
        near = (np.abs(end - start) < world.extent / 2).all(axis=1)
        self.flown: NDArray[np.bool_] = np.asarray(near | (not world.boundary.leads_round))
        self._seen_by: Projection | None = None
        self._trace = Trace(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.uint8))

    def trace(self, canvas: Canvas, projection: Projection) -> Trace:
        """The pixels; traced anew only when the camera has moved."""
        if self._seen_by is not projection:
            self._trace = _traced(canvas, projection, [self], self._width)
            self._seen_by = projection
        return self._trace


def _traced(canvas: Canvas, projection: Projection, pieces: list[_Piece], width: float) -> Trace:
    """The pixels of pieces that follow each other, the newest first, lines numbered through."""
    # Each begins where the older one ends, so that every place is projected once.
    seen = projection(np.concatenate([pieces[0].end, *(piece.start for piece in pieces)]))
    animals = len(pieces[0].end)
    end, start = slice(None, len(seen.xy) - animals), slice(animals, None)
    flown = np.concatenate([piece.flown for piece in pieces])
    shown = np.flatnonzero(seen.shown[start] & seen.shown[end] & flown)
    if len(shown) == len(flown):
        return canvas.trace(seen.xy[start], seen.xy[end], width)
    trace = canvas.trace(seen.xy[start][shown], seen.xy[end][shown], width)
    return trace._replace(line=shown[trace.line])
