"""Strength against distance: curves that are the rules' own, and a dot for each neighbor of the boid in focus."""

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.layout import stage_size
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation.observe import strengths
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
