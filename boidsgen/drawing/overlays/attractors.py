"""Attractors: points that draw boids near or drive them away."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Backdrop
from boidsgen.drawing.outlines import ball, circle
from boidsgen.drawing.scene import Scene, faded
from boidsgen.simulation.attractors import Attractor
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup

NEAR, FAR = 0.5, 1.25
"""Where the arrowheads round an attractor begin and end, in heights of a letter."""


class Attractors(Backdrop):
    """A dot with four arrowheads: toward it where boids are drawn near, away from it where they are driven away."""

    roles: ClassVar[tuple[str, ...]] = ("muted",)

    attractors: bool = True
    """Mark the attractors: arrowheads point toward those that draw near and away from those that drive away."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.attractors and bool(setup.attractors)

    @override
    def shows(self, setup: Setup) -> object:
        return setup.attractors

    @override
    def draw(self, canvas: Canvas, scene: Scene) -> None:
        for attractor in scene.setup.attractors:
            if attractor.weight:
                _mark(canvas, scene, attractor)


def _mark(canvas: Canvas, scene: Scene, attractor: Attractor) -> None:
    seen = scene.projection(np.array([attractor.point]))
    if not seen.shown[0]:
        return
    tone = scene.tone("muted", float(faded(seen.depth)[0]))
    canvas.fill(seen.xy[0] + 0.2 * scene.text * circle(24), tone)
    for head in _heads(attractor):
        canvas.fill(seen.xy[0] + scene.text * head, tone)
    if np.isfinite(attractor.radius):
        for copy in scene.projection.copies(ball(np.array(attractor.point), attractor.radius, scene.projection)):
            canvas.lines(copy[::2], copy[1::2], scene.tone("muted", 0.6), 1.0)


def _heads(attractor: Attractor) -> list[Array]:
    """Corners of four arrowheads in heights of a letter, shape (3, 2) each."""
    tip, tail = (NEAR, FAR) if attractor.weight > 0 else (FAR, NEAR)
    head = np.array([(tip, 0.0), (tail, 0.32), (tail, -0.32)])
    return [head @ np.array([ahead, (-ahead[1], ahead[0])]) for ahead in circle(4)]
