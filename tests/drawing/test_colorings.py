import pytest

from boidsgen.drawing.camera import Camera
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.layout import Viewport
from boidsgen.drawing.themes import FLOCKS, THEMES


def picked(tables, state, name):
    """The color of every boid of the first flock."""
    seen = Camera().aim(tables.world, Viewport(0, 0, 120, 80)).projection(0)(state.flocks[0].position)
    return COLORINGS[name]().pick(state, 0, seen)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", COLORINGS)
def test_every_color_has_a_label(setup, name, theme):
    """There are as many labels as colors, and some of them say something."""
    coloring, tables = COLORINGS[name](), setup(flock=({"name": "a"}, {"name": "b"}))
    colors, labels = coloring.colors(THEMES[theme], tables), coloring.labels(tables)

    assert len(colors) == len(labels)
    assert any(labels)


def test_groups_have_colors_and_the_lonely_are_grey(setup, state):
    """Boids joined by a chain of neighbors share a color; who has no neighbor has none of these."""
    tables = setup(flock={"perception": {"radius": 10.0}})
    place = [(20, 20), (28, 20), (36, 20), (80, 60), (84, 60), (60, 40)]

    color = picked(tables, state(tables, place), "group")

    assert len(set(color[:3])) == len(set(color[3:5])) == 1
    assert color[0] != color[3]
    assert color[5] == FLOCKS


def test_colors_of_speed_follow_the_speeds_in_force(setup, state):
    """When an event changes the highest speed, colors and legend change together."""
    slow, fast = (setup(flock={"max_speed": most}) for most in (4.0, 8.0))
    colors = [picked(tables, state(tables, [(1, 1)], [(4, 0)]), "speed")[0] for tables in (slow, fast)]

    assert colors[0] > colors[1]
    assert [COLORINGS["speed"]().labels(tables)[-1] for tables in (slow, fast)] == ["4", "8"]
