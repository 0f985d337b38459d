"""Trails: where animals have been in the last frames, fading with age."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.frame import Inks
from boidsgen.drawing.projection import Projection
from boidsgen.drawing.strokes import Trace
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.world import World

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
        """What is left of each piece, from 1 for the newest on, shape (pieces,)."""
        life: Array = 1.0 - np.arange(len(self._pieces)) / self.frames
        return life

    def ways(self) -> list[tuple[Array, Array, NDArray[np.bool_]]]:
        """The pieces from the newest on: starts and ends, (n, d) each, and which of them were flown."""
        return [(piece.start, piece.end, piece.flown) for piece in reversed(self._pieces)]

    def traces(self, canvas: Canvas, projection: Projection) -> list[tuple[int, Trace]]:
        """The pixels of all pieces from the newest to the oldest, lines numbered through; the first number of each."""
        traces = self._traces(canvas, projection)
        self._seen_by = projection
        return traces

    def _traces(self, canvas: Canvas, projection: Projection) -> list[tuple[int, Trace]]:
        pieces = list(reversed(self._pieces))
        if not pieces:
            return []
        if self._seen_by is not projection:
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
