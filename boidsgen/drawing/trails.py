"""Trails: where animals have been in the last frames, fading with age."""

from collections import deque

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.canvas import Canvas, Trace
from boidsgen.drawing.inks import Inks
from boidsgen.drawing.projection import Projection
from boidsgen.simulation.geometry import Array, length
from boidsgen.simulation.world import World

STRONGEST = 0.65
"""Strength of the newest piece of a trail."""


class Trails:
    """The trails of one group of animals."""

    def __init__(self, frames: int) -> None:
        self._pieces: deque[_Piece] = deque(maxlen=frames)
        self._last: Array | None = None

    def follow(self, position: Array, world: World) -> None:
        """Go on to where the animals are now, shape (n, d)."""
        if self._last is not None:
            self._pieces.append(_Piece(self._last, position, world))
        self._last = position

    def draw(self, canvas: Canvas, projection: Projection, inks: Inks, ink: NDArray[np.intp], strength: Array) -> None:
        """Draw the trails, each in the ink and at the strength of its animal, shape (n,) each."""
        frames = self._pieces.maxlen or 1
        for age, piece in enumerate(reversed(self._pieces)):
            fading = STRONGEST * (1.0 - age / frames)
            canvas.draw(piece.trace(canvas, projection), inks.tone(ink, strength * fading))


class _Piece:
    """The ways of all animals from one frame to the next; traced anew only when the camera has moved."""

    def __init__(self, start: Array, end: Array, world: World) -> None:
        # Who left on one side and entered on the other has not flown across the picture.
        stayed = np.flatnonzero(length(end - start - world.shortest(end - start)) <= 1e-6 * max(world.size))
        self._animal = stayed
        self._start, self._end = start[stayed], end[stayed]
        self._seen_by: Projection | None = None
        self._trace = Trace(*(np.zeros(0, np.intp) for _ in Trace._fields))

    def trace(self, canvas: Canvas, projection: Projection) -> Trace:
        if self._seen_by is not projection:
            start, end = projection(self._start), projection(self._end)
            shown = np.flatnonzero(start.shown & end.shown)
            trace = canvas.trace(start.xy[shown], end.xy[shown])
            self._trace = trace._replace(line=self._animal[shown][trace.line])
            self._seen_by = projection
        return self._trace
