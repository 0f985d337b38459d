"""Strength against distance: curves that are the rules' own, and a dot for each neighbor of the boid in focus."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing import Renderer
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.layout import stage_size
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation import simulate
from boidsgen.simulation.observe import neighbors_of, strengths
from tests.drawing.drawables import drawable

SIZE = (640, 480)
RED, GREEN, BLUE = THEMES["night"].forces[:3]
DISTANCES = np.array([2.0, 10.0, 29.0, 30.0, 44.0])


def test_strengths_are_what_the_formulas_say(setup):
    """w/r² within the radius, and the rules that do not ask how far away somebody is; all zero beyond."""
    flock = {"perception": {"radius": 30.0}, "max_force": float("inf"), "max_speed": 3.0}
    separation = {"weight": 25.0, "radius": 40.0, "falloff": "inverse_square", "steering": "direct"}
    cohesion = {"weight": 0.5, "steering": "direct"}
    given = strengths(setup(flock={**flock, "separation": separation, "cohesion": cohesion}), 0, DISTANCES)
    near = DISTANCES < 30

    np.testing.assert_allclose(given["separation"], 25 / DISTANCES**2 * (DISTANCES < 40))
    np.testing.assert_allclose(given["alignment"], 3.0 * near)
    np.testing.assert_allclose(given["cohesion"], 0.5 * DISTANCES * near)


def test_the_push_that_does_not_grow(setup):
    """Steering cut to 0.2: whatever the falloff, being nearer pushes no harder (000)."""
    given = strengths(setup(flock={"separation": {"weight": 1.5, "falloff": "inverse"}}), 0, DISTANCES[:2])

    np.testing.assert_allclose(given["separation"], 0.3)


def test_nothing_else_is_in_them(setup):
    """Obstacles, predators, edges and other rules do not count, and rules that are off have no curve."""
    plain = {"separation": {"weight": 0.0}}
    crowded = setup(
        flock={**plain, "home": {}, "noise": {}},
        predators=({},),
        obstacles=({"kind": "circle", "center": (1.0, 1.0), "radius": 5.0},),
    )
    given, expected = (strengths(one, 0, DISTANCES) for one in (crowded, setup(flock=plain)))

    assert list(given) == list(expected) == ["alignment", "cohesion"]
    for name, values in expected.items():
        np.testing.assert_array_equal(given[name], values)


@pytest.fixture
def panel(setup, state):
    """The panel of a picture of some boids in colors, the one in focus in the middle; and the text height."""

    def drawn(flock, others=((60, 55),)):
        tables = setup(flock={"count": 1 + len(others), "perception": {"radius": 30.0}, **flock})
        renderer = Renderer(drawable(tables, {"style": {"size": 2.0}, "overlay": {"forces": "chart"}}), SIZE)
        frame = renderer(state(tables, [(60, 40), *others]))
        return frame.palette[frame.index][90:, stage_size(SIZE)[0] + 6 :]

    return drawn


def painted(picture, color):
    """Rows and columns of the pixels of about this color, shape (k, 2)."""
    return np.argwhere((abs(picture - rgb(color)) < 25).all(axis=2))


OFF = {"weight": 0.0}


def test_each_rule_that_is_on_has_a_curve(panel):
    """Flat for steering that is cut, and none for a rule that is off."""
    picture = panel({"separation": OFF, "alignment": {"weight": 0.5}}, others=((60, 75),))
    green, blue = painted(picture, GREEN), painted(picture, BLUE)

    assert len(painted(picture, RED)) == 0
    for curve in (green, blue):
        assert np.ptp(curve[:, 1]) > 100
        assert np.ptp(curve[:, 0]) < 25


def test_an_inverse_square_falls(panel):
    """From left to right the curve of separation only falls, steeply at first."""
    steep = {"weight": 60.0, "radius": 30.0, "falloff": "inverse_square", "steering": "direct"}
    curve = painted(panel({"separation": steep}, others=((60, 400),)), RED)
    rows = [curve[curve[:, 1] == column, 0].mean() for column in np.unique(curve[:, 1])]

    assert np.diff(rows).min() > -1.5
    assert rows[len(rows) // 4] - rows[0] > 3 * (rows[-1] - rows[len(rows) // 2])


@pytest.mark.parametrize("others", [[], [(60, 55)], [(60, 55), (72, 40), (60, 15)]])
def test_a_dot_for_each_neighbor_on_each_curve(panel, others):
    """Rings of the focus color, one for each neighbor and rule, and none for who is too far away."""
    picture = panel({"separation": OFF}, others=(*others, (60, 400)))
    columns = np.unique(painted(picture, THEMES["night"].focus)[:, 1])
    groups = 1 + (np.diff(columns) > 3).sum() if len(columns) else 0

    assert groups == len(others)


def test_dots_move_right_with_the_distance(panel):
    """Equal steps away from the boid in focus are equal steps along the axis."""
    dots = [painted(panel({"separation": OFF}, others=((60, y),)), THEMES["night"].focus) for y in (48, 56, 64)]
    first, second, third = (dot[:, 1].mean() for dot in dots)

    assert second - first > 20
    assert third - second == pytest.approx(second - first, abs=2)


@pytest.mark.parametrize("seed", range(5))
def test_a_flock_keeps_further_apart_than_a_pair(seed):
    """In the preset push equals pull at 20; in the flock, once it has formed, hardly anybody is that near."""
    scenario = load_scenario("003-strength", overrides={"seed": seed})
    flock = scenario.flock[0]
    distances = np.concatenate([_distances(state) for state in simulate(scenario) if state.frame > 100])

    assert np.sqrt(flock.separation.weight / (flock.cohesion.weight * flock.max_speed)) == pytest.approx(20)
    assert (distances < 20).mean() < 0.02


def _distances(state):
    """From the first boid to those that it perceives."""
    position = state.flocks[0].position
    offsets = position[neighbors_of(state, 0, 0)] - position[0]
    return np.linalg.norm(state.setup.world.shortest(offsets), axis=1)
