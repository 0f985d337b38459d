"""Strength: how hard each rule about neighbors pushes or pulls, against the distance, in a panel beside the world.

The curves are what the rules themselves answer about a boid at rest with a single neighbor (`observe.strengths`), each
as far as its rule looks; the dots on them are the present neighbors of the boid in focus. Where separation pushes as
hard as cohesion pulls, a line marks the distance that two boids keep. In a flock pushes add up over all neighbors,
while cohesion is one pull toward their mean: there boids keep further apart than a pair.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Rectangle
from boidsgen.drawing.lettering import width
from boidsgen.drawing.overlays.forces import MIN_SCALE, Forces
from boidsgen.drawing.overlays.rows import PITCH, rows_width, rule_role, rule_rows, write_rows
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array, circle, length, magnitude
from boidsgen.simulation.observe import neighbors_of, strengths
from boidsgen.simulation.rules.rule import NeighborRule
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State

POINTS = 160
"""Distances at which the curves are computed."""
HEADROOM = 2.5
"""How many times as high as the strongest rule at half its reach the chart is; 1/r grows beyond any chart."""
MIN_HEIGHT = 6.0
"""A chart less high or wide than this, in heights of a letter, is not drawn."""
BALANCE = "push = pull, for a pair"
"""What the line at the distance says where separation is as strong as cohesion."""
WIDTH = 0.2
"""Width of a curve, in heights of a letter."""


class ForcesChart(Forces):
    """Curves of strength against distance, with the present neighbors of the boid in focus as dots."""

    in_world: ClassVar[bool] = False
    panel: ClassVar[bool] = True

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.forces == "chart" and self.exists(setup)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        self.draw_panel(canvas, scene)
        left, _, wide, high = scene.layout.panel
        rows, margin, size = rule_rows(scene, state.setup), 1.2 * scene.text, scene.text
        top = margin
        if rows_width(scene, rows) < wide - 2 * margin:
            write_rows(canvas, scene, rows, (left + margin, margin), wide - 2 * margin)
            top += PITCH * size * len(rows)
        plot = Rectangle(left + 2.2 * size, top + 2.4 * size, left + wide - margin, high - margin - 2.8 * size)
        if min(plot.right - plot.left, plot.bottom - plot.top) > MIN_HEIGHT * size:
            self._chart(canvas, scene, state, plot)

    def _chart(self, canvas: Canvas, scene: Scene, state: State, plot: Rectangle) -> None:
        reach = reaches(state.setup)
        if not reach:
            return
        farthest = max(reach.values())
        curves = _curves(state.setup, farthest)
        highest = _highest(curves, reach, farthest)
        _frame(canvas, scene, plot, farthest)
        _balance(canvas, scene, plot, _crossing(curves, farthest), farthest)
        scale = np.array([(plot.right - plot.left) / farthest, (plot.bottom - plot.top) / highest])
        for name, strength in curves.items():
            distance = np.linspace(0, farthest, POINTS + 1)[1:]
            inside = (distance < reach[name]) & (strength <= highest)
            points = _placed(plot, scale, distance[inside], strength[inside])
            canvas.path(points, scene.tone(rule_role(name)), WIDTH * scene.text)
        self._dots(canvas, scene, state, plot, scale)

    def _dots(self, canvas: Canvas, scene: Scene, state: State, plot: Rectangle, scale: Array) -> None:
        """A dot on each curve for each neighbor; those stronger than the chart is high stand at its top."""
        others = state.flocks[0].position[neighbors_of(state, 0, self.focus)]
        distance = length(state.setup.world.shortest(others - self.position(state)))
        highest = (plot.bottom - plot.top) / scale[1]
        for name, strength in strengths(state.setup, 0, distance).items():
            felt = strength > 0
            for point in _placed(plot, scale, distance[felt], np.minimum(strength[felt], highest)):
                canvas.fill(point + 0.42 * scene.text * circle(24), scene.tone("focus"))
                canvas.fill(point + 0.28 * scene.text * circle(24), scene.tone(rule_role(name)))


def reaches(setup: Setup) -> Mapping[str, float]:
    """How far each rule about neighbors of the first flock looks that is on; without bound, across the world."""
    flock, across = setup.flock[0], magnitude(setup.world.extent) / 2
    rules = {name: rule for name, rule in flock.rules.items() if isinstance(rule, NeighborRule)}
    steering = {name: rule for name, rule in rules.items() if rule.acts_on == "velocity"}
    return {name: min(rule.reach(flock.perception)[0], across) for name, rule in steering.items()}


@lru_cache(maxsize=4)
def _curves_of(key: "_Flock", farthest: float) -> Mapping[str, Array]:
    return strengths(key.setup, 0, np.linspace(0, farthest, POINTS + 1)[1:])


class _Flock:
    """A setup that is equal to another if their first flocks are the same, for curves change with nothing else."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Flock) and self.setup.flock[0] == other.setup.flock[0]

    def __hash__(self) -> int:
        return hash(self.setup.flock[0].name)


def _curves(setup: Setup, farthest: float) -> Mapping[str, Array]:
    return _curves_of(_Flock(setup), farthest)


def _highest(curves: Mapping[str, Array], reach: Mapping[str, float], farthest: float) -> float:
    """The strength at the top of the chart."""
    middle = [strength[int(POINTS * 0.5 * reach[name] / farthest)] for name, strength in curves.items()]
    return HEADROOM * float(max([*middle, MIN_SCALE]))


def _crossing(curves: Mapping[str, Array], farthest: float) -> float | None:
    """The distance beyond which cohesion is the stronger one; None where it always or never is."""
    if not {"separation", "cohesion"} <= curves.keys():
        return None
    pull = curves["cohesion"] > curves["separation"]
    turns = np.flatnonzero(pull[1:] & ~pull[:-1])
    return float((turns[0] + 2) * farthest / POINTS) if len(turns) else None


def _placed(plot: Rectangle, scale: Array, distance: Array, strength: Array) -> Array:
    """Points in the picture, shape (k, 2)."""
    return np.column_stack((plot.left + distance * scale[0], plot.bottom - strength * scale[1]))


def _frame(canvas: Canvas, scene: Scene, plot: Rectangle, farthest: float) -> None:
    """Both axes, what they mean, and how far the farthest rule looks."""
    size, muted = scene.text, scene.tone("muted")
    canvas.path(
        np.array([(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)]), muted, 1.6 * scene.pen
    )
    canvas.write("strength", (plot.left - size, plot.top - 0.5 * size), scene.tone("text"), size, (0, 1))
    canvas.write("0", (plot.left, plot.bottom + 0.3 * size), scene.tone("text"), size, (0.5, 0))
    canvas.write(f"{farthest:.3g}", (plot.right, plot.bottom + 0.3 * size), scene.tone("text"), size, (1, 0))
    middle = (plot.left + plot.right) / 2, plot.bottom + 1.6 * size
    canvas.write("distance of a neighbor", middle, scene.tone("text"), size, (0.5, 0))


def _balance(canvas: Canvas, scene: Scene, plot: Rectangle, distance: float | None, farthest: float) -> None:
    """A line at the distance where push and pull are equal, with words where there is room for them."""
    if distance is None:
        return
    x, size, tone = plot.left + distance / farthest * (plot.right - plot.left), scene.text, scene.tone("text")
    canvas.lines(np.array([(x, plot.top)]), np.array([(x, plot.bottom)]), scene.tone("muted", 0.8), 1.2 * scene.pen)
    if x + 0.4 * size + width(BALANCE, size) <= plot.right:
        canvas.write(BALANCE, (x + 0.4 * size, plot.top), tone, size)
    if plot.left + 2 * size < x < plot.right - 4 * size:
        canvas.write(f"{distance:.2g}", (x, plot.bottom + 0.3 * size), tone, size, (0.5, 0))
