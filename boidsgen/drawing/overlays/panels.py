"""The ways to show the forces on the boid in focus: on the boid, with a key, or in a panel beside the world."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.overlays.forces import PITCH, Forces, Row, breadth, steering, usual, write
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.figures import circle
from boidsgen.simulation.geometry import length
from boidsgen.simulation.measures import measure
from boidsgen.simulation.observe import neighbors_of
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class ForcesMark(Forces):
    """A ring round the boid in focus, whose arrows are elsewhere."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "panel" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.ring(canvas, scene, state)


ROOM = 5.0
"""Length of the longest arrow, in heights of a letter."""


class ForcesOnBoid(Forces):
    """Arrows on the boid in focus itself."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "boid" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        seen = scene.projection(self.place(state)[None])
        if seen.shown[0]:
            self.ring(canvas, scene, state)
            self.rose(canvas, scene, state, seen.xy[0], ROOM * scene.text)


class ForcesKey(Forces):
    """The colors of the arrows at the top left, each with the state of its rule."""

    in_world: ClassVar[bool] = False

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "boid" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        left, top, wide, _ = scene.open
        rows = [*steering(scene, state), Row("velocity", "", "text")]
        if breadth(scene, rows) < 0.6 * wide:
            write(canvas, scene, rows, (left + 0.9 * scene.text, top + 0.5 * scene.text), breadth(scene, rows))


PANEL_ROOM = 0.36
"""Length of the longest arrow, in widths of the panel."""


class ForcesBeside(Forces):
    """The boid in focus as a dot in a panel, its arrows round it, words above and numbers below.

    The ring is where the longest arrows end.
    """

    in_world: ClassVar[bool] = False
    panel: ClassVar[bool] = True

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "panel" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        left, _, wide, high = scene.layout.panel
        canvas.blank((left, 0), (left + wide, high))
        canvas.lines(np.array([(left, 0.0)]), np.array([(left, high)]), scene.tone("muted", 0.6), 1.2)
        above, below = self._above(scene, state), self._below(scene, state)
        margin, pitch = 1.2 * scene.text, PITCH * scene.text
        top, bottom = margin + pitch * len(above), high - margin - pitch * len(below)
        readable = breadth(scene, above + below) < wide - 2 * margin and bottom - top > 8 * scene.text
        if readable:
            write(canvas, scene, above, (left + margin, margin), wide - 2 * margin)
            write(canvas, scene, below, (left + margin, bottom), wide - 2 * margin)
        else:
            top, bottom = 0.0, high
        center, room = np.array([left + wide / 2, (top + bottom) / 2]), min(PANEL_ROOM * wide, 0.46 * (bottom - top))
        rim = center + room * circle(96)
        canvas.lines(rim, np.roll(rim, -1, axis=0), scene.tone("muted", 0.5), 1.0)
        self.rose(canvas, scene, state, center, room)

    def _above(self, scene: Scene, state: State) -> list[Row]:
        speed = float(length(self.flight(state)[None])[0])
        return [*steering(scene, state), Row("velocity", f"{speed:.3g}", "text")]

    def _below(self, scene: Scene, state: State) -> list[Row]:
        means = measure(state, ["mean_speed"])
        return [
            Row("longest force", f"{usual(scene.beginning):.2g} per step", ink="muted"),
            Row("highest speed", f"{scene.beginning.flock[0].max_speed:g}", ink="muted"),
            Row("average speed", f"{means['mean_speed']:.3g}"),
            Row("neighbors", f"{len(neighbors_of(state, 0, self.focus))}"),
            Row("boids", f"{sum(len(flock.position) for flock in state.flocks)}"),
        ]
