"""The reef: light in its fish, their shadows on its sand, and water that looks the same in every run."""

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.frame import light, numbers_of
from boidsgen.drawing.reef import net, rays
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.sheen import sheen_of
from boidsgen.drawing.themes import THEMES
from tests.drawing.drawables import drawable, luminance

SIZE = (320, 240)
REEF = THEMES["reef"]
AXES = np.eye(3)[[1, 2, 0]]  # A camera on the x axis: right is y, up is z, toward the viewer is x


def drawn(place, way, world=(100, 100, 100), **style):
    """A picture of one fish, large, and of the water without it."""
    keys = {
        "world": {"size": world, "boundary": "open"},
        "flock": {"start": {"layout": "points", "points": [place], "velocities": [way]}},
        "style": {"theme": "reef", "size": "20%", **style},
        "camera": {"azimuth": 0, "elevation": 20, "follow": "nothing"} if len(world) == 3 else {},
        "time": {"frames": 1},
    }
    scenario = load_scenario(keys)
    state = next(simulate(scenario))
    renderer = Renderer(scenario, SIZE, layers=[])
    full = renderer(state).full()
    bare = numbers_of(renderer.painter.background.ground().light / 65535)
    return full.astype(int), bare.astype(int), renderer.painter


def test_a_flank_flashes_when_it_faces_the_light():
    """Of fish that swim in all directions the brightest shows its side to the sun; who is seen from ahead does not."""
    sheen = sheen_of(REEF.light, ("#cfe6e6",), 3)
    angle = np.linspace(0, 2 * np.pi, 73)
    way = np.stack((np.cos(angle), np.sin(angle), 0 * angle), axis=1)
    hue = sheen.flank(way, AXES)

    assert hue.min() < sheen.flanks // 2 < hue.max() == sheen.flanks - 1
    assert np.abs(way[hue.argmax()] @ AXES[2]) < 0.9
    assert hue[np.abs(way @ AXES[2]) > 0.95].max() < hue.max()


def test_hues_lead_from_the_back_to_the_gleam():
    """The hues of a flank grow brighter, the back is darker than all, and a shadow darker than that."""
    sheen = sheen_of(REEF.light, ("#cfe6e6",), 3)
    shadow, *own = (float(luminance(255 * light(color) ** (1 / 2.2))) for color in sheen.hues)

    assert own[: sheen.flanks] == sorted(own[: sheen.flanks])
    assert own[-1] < own[-2] < own[sheen.flanks // 2]
    assert shadow < own[-1]


@pytest.mark.parametrize("count", [1, 3, 6, 8, 12])
def test_there_is_room_for_every_coloring(count):
    """However many colors there are, each has a hue at least, and the buffer has room for all."""
    sheen = sheen_of(REEF.light, ("#cfe6e6",) * count, 3)

    assert len(sheen.hues) == 1 + count * sheen.flanks + len(sheen.backs) <= 16
    assert sheen.flanks >= 1


def test_a_fish_has_a_dark_back_above_a_silver_belly():
    full, bare, _ = drawn((50.0, 50.0, 60.0), (0.0, 1.0, 0.0))
    rows, columns = np.nonzero(np.abs(full - bare).max(axis=2) > 40)
    middle = (columns.min() + columns.max()) // 2
    column = luminance(full[rows[columns == middle], middle])

    assert len(column) > 8
    assert column[: len(column) // 2].min() < 0.3 * column[-len(column) // 3 :].max()


def test_edges_of_flat_fish_are_smooth():
    """A pixel of which a fish covers less than half is more like the sand than like the fish: edges are no stairs."""
    full, bare, painter = drawn((50.0, 50.0), (1.0, 0.4), world=(100, 75))
    margin = painter.canvas.margin
    covered = (painter._buffer._sums[margin:-margin, margin:-margin] >> 32).astype(int)
    change, edge = np.abs(full - bare).max(axis=2), (covered > 6) & (covered < 24)

    assert edge.sum() > 30
    assert change[edge].mean() < 0.5 * np.median(change[covered > 60])


def test_fish_cast_soft_shadows():
    """Below a fish the sand is darker, but nowhere much darker."""
    full, bare, painter = drawn((50.0, 50.0, 30.0), (0.0, 1.0, 0.0), size="4%")
    dark = luminance(bare) - luminance(full)
    margin = painter.canvas.margin
    fish = painter._buffer._front[margin:-margin, margin:-margin]
    shadow = np.where(fish > 0, 0, dark)

    assert (shadow > 0.004).sum() > 20
    assert (np.abs(full - bare).max(axis=2)[fish == 0] < 40).all()


def test_far_fish_are_lost_in_the_water():
    """The same fish differs less from the water behind it the farther it is."""
    ways = [drawn((x, 50.0, 50.0), (0.0, 1.0, 0.0)) for x in (90.0, 50.0, 10.0)]
    strength = [np.sort((luminance(full) - luminance(bare)).ravel())[-20:].mean() for full, bare, _ in ways]

    assert strength == sorted(strength, reverse=True)


def test_light_is_between_dark_and_bright():
    """Rays and the net of light are finite, and neither empty nor everywhere."""
    x, y = np.meshgrid(np.linspace(-60, 60, 300), np.linspace(-40, 40, 200))
    for found in (net(x, y), rays(np.linspace(-9, 9, 500))):
        assert np.isfinite(found).all()
        assert 0 <= found.min() < 0.05 < found.max() < 9
        assert 0.001 < found.mean() < 2


def test_bodies_turn_with_the_camera(setup):
    """What is kept of the ground from one picture to the next has the bodies where they are seen now."""
    ball = {"kind": "circle", "center": (50.0, 40.0, 30.0), "radius": 22.0, "solid": False}
    made = setup(world={"size": (100.0, 80.0, 60.0)}, obstacles=(ball,), time={"frames": 4})
    scenario = drawable(made, {"style": {"theme": "reef"}, "camera": {"orbit": 20.0}})
    states, renderer = list(simulate(scenario)), Renderer(scenario, SIZE)
    pictures = [renderer(state).full().copy() for state in states]

    assert (pictures[0] != pictures[-1]).any(axis=2).mean() > 0.02
    for state, picture in zip(states, pictures, strict=True):
        np.testing.assert_array_equal(picture, Renderer(scenario, SIZE)(state).full())
