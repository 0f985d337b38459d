"""The forces on the boid in focus: arrows that point where it is driven, and strength against distance."""

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.overlays.forces import force_scale
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation.observe import strengths
from tests.drawing.drawables import drawable

OFF = {"weight": 0.0}
PULLED = {"separation": OFF, "alignment": OFF, "cohesion": {"steering": "direct"}}


@pytest.fixture
def view(setup, state):
    """A force view of two boids in colors, shape (height, width, 3); the one in focus flies to the right."""

    def made(flock, forces="panel", size=(400, 240), other=(60, 55), look=None, theme="night"):
        tables = setup(flock={"count": 2, "perception": {"radius": 30.0}, **flock})
        wanted = {"style": {"theme": theme, "size": 2.0}, "overlay": {"forces": forces}, **(look or {})}
        frame = Renderer(drawable(tables, wanted), size)(state(tables, [(60, 40), other]))
        return frame.palette[frame.index]

    return made


def painted(picture, color):
    """Rows and columns of the pixels of about this color, shape (k, 2)."""
    return np.argwhere((abs(picture - rgb(color)) < 25).all(axis=2))


@pytest.mark.parametrize("other", [(60, 55), (60, 25), (75, 40), (50, 30)])
def test_arrow_points_where_the_boid_is_driven(view, other):
    """Cohesion's arrow leads from the middle of the panel toward the other boid."""
    picture = view(PULLED, size=(640, 480), other=other)
    blue = painted(picture[120:, 340:], THEMES["night"].forces[2])
    center = painted(picture[120:, 340:], THEMES["night"].focus).mean(axis=0)
    way = (blue.mean(axis=0) - center) * (-1, 1)
    expected = np.subtract(other, (60, 40))[::-1]

    np.testing.assert_allclose(way / np.hypot(*way), expected / np.hypot(*expected), atol=0.12)


@pytest.mark.parametrize(("theme", "forces"), [("night", "boid"), ("paper", "panel"), ("deep", "panel")])
def test_rule_in_force_has_its_arrow(view, theme, forces):
    """Separation is red, alignment green, cohesion blue, in every theme; a rule that is off has no arrow."""
    colors = THEMES[theme].forces
    for number, rule in enumerate(("separation", "alignment", "cohesion")):
        flock = dict.fromkeys(("separation", "alignment", "cohesion"), OFF) | {rule: {"radius": 30.0}}
        picture = view(flock, forces, (640, 480), theme=theme)

        assert [len(painted(picture, color)) > 20 for color in colors[:3]] == [n == number for n in range(3)]


def test_ends_of_what_is_usual(setup):
    """The longest arrow stands for the largest weight times max_force, and for the highest speed without such."""
    capped = setup(flock={"separation": {"weight": 3.0}, "max_force": 0.2})
    direct = setup(flock={"steering": "direct", "max_speed": 5.0, "separation": {"weight": 0.1}})

    assert force_scale(capped) == pytest.approx(0.6)
    assert force_scale(direct) == 5.0


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
