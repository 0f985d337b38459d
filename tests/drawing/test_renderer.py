import numpy as np
import pytest

from boidsgen.drawing import Look, Renderer
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.overlays.marks import Obstacles
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation import simulate
from tests.drawing.drawables import drawable

BALL = ({"kind": "circle", "center": (60.0, 40.0), "radius": 10.0},)
DEEP = {"world": {"size": (100.0, 80.0, 60.0)}}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("theme", THEMES)
def test_every_look_draws_something(setup, state, theme, shape):
    """Any theme with any shape shows the boid near its place and only there, but for a soft glow."""
    tables = setup()
    draw = Renderer(drawable(tables, {"style": {"theme": theme, "shape": shape}}), (120, 80))
    empty, drawn = (draw.palette[draw(state(tables, place)).index].astype(int) for place in ([], [(60, 40)]))
    rows, columns = np.nonzero(abs(drawn - empty).max(axis=2) > (24 if THEMES[theme].light else 0))

    assert len(rows) > 5
    assert np.hypot(columns - 60, rows - 40).max() < 12


@pytest.mark.parametrize("color_by", COLORINGS)
@pytest.mark.parametrize("size", [(120.0, 80.0), (100.0, 80.0, 60.0)])
def test_every_coloring_fits_the_palette(setup, size, color_by):
    """Any coloring stays within 255 colors, in flat and deep worlds, with everything else switched on."""
    tables = setup(
        world={"size": size}, predators=({"count": 2},), flock=({"name": "a"}, {"name": "b"}), time={"frames": 3}
    )
    everything = {"hud": True, "legend": True, "axes": True, "center_of_mass": True, "perception": True}
    renderer = Renderer(drawable(tables, {"style": {"color_by": color_by}, "overlay": everything}), (120, 80))
    frames = [renderer(state) for state in simulate(tables)]

    assert len(renderer.palette) <= 255
    assert max(frame.index.max() for frame in frames) < len(renderer.palette)


def test_frame_is_what_writers_expect(setup, state):
    """A frame is uint8, C-contiguous, (height, width), with the renderer's palette, and stays as it was."""
    tables = setup()
    renderer = Renderer(drawable(tables), (90, 60))
    frame = renderer(state(tables, [(60, 40)]))
    kept = frame.index.copy()
    renderer(state(tables, [(10, 10)]))

    assert frame.index.shape == (60, 90)
    assert frame.index.dtype == np.uint8
    assert frame.index.flags.c_contiguous
    assert frame.palette is renderer.palette
    np.testing.assert_array_equal(frame.index, kept)


def test_order_of_boids_does_not_matter(setup, picture):
    """The same boids in another order make the same picture, however they overlap."""
    random = np.random.default_rng(1)
    place, flight = random.uniform(30, 60, (80, 2)), random.normal(size=(80, 2))
    other = random.permutation(80)
    tables = setup()

    np.testing.assert_array_equal(
        picture(tables, place, velocity=flight), picture(tables, place[other], velocity=flight[other])
    )


def test_frames_are_reproducible(setup):
    """Two renderers draw the same frames from the same states."""
    tables = setup(time={"frames": 5}, predators=({},))
    look = Look.model_validate({"style": {"trails": 3}, "overlay": {"hud": True}})
    first, second = (Renderer(drawable(tables, look), (120, 80)) for _ in range(2))
    for state in simulate(tables):
        np.testing.assert_array_equal(first(state).index, second(state).index)


@pytest.mark.parametrize("size", [(120.0, 80.0), (100.0, 80.0, 60.0)])
@pytest.mark.parametrize("color_by", COLORINGS)
def test_empty_flock_is_fine(setup, picture, size, color_by):
    """Without boids there is a picture without boids."""
    tables = setup(world={"size": size})
    look = {
        "style": {"color_by": color_by, "trails": 2},
        "overlay": {"hud": True, "center_of_mass": True, "axes": False},
    }

    assert picture(tables, [], look).shape == (80, 120)


@pytest.mark.parametrize("place", [(0, 0), (119.99, 79.99), (0, 40), (60, 0), (119.9, 0.1)])
@pytest.mark.parametrize("shape", SHAPES)
def test_picture_of_a_torus_has_no_edges(setup, picture, place, shape):
    """A boid at an edge looks like one in the middle on a picture rolled over: what leaves enters on the other side."""
    tables, look = setup(), {"style": {"shape": shape}}
    middle = np.array([60.0, 40.0])
    moved = np.rint(np.array(place) * 4) / 4 - middle
    whole = np.floor(moved)
    drawn = picture(tables, [np.mod(middle + moved, (120, 80))], look)
    expected = picture(tables, [middle + moved - whole], look)
    shift = (int(-whole[1]), int(whole[0]))

    np.testing.assert_array_equal(drawn, np.roll(expected, shift, axis=(0, 1)))


@pytest.mark.parametrize("place", [(-1e9, 40), (1e300, -1e300), (60, 500), (-30, -30)])
def test_who_is_outside_is_not_drawn(setup, picture, place):
    """In an open world boids may be anywhere; the picture shows none of those beyond it."""
    tables = setup(world={"size": (120.0, 80.0), "boundary": {"kind": "open"}})

    assert not picture(tables, [place]).any()


def test_who_is_half_outside_is_half_drawn(setup, picture):
    """Beside a wall a body is cut at the picture's edge and does not appear on the other side."""
    tables = setup(world={"size": (120.0, 80.0), "boundary": {"kind": "reflect"}})
    drawn = picture(tables, [(0, 40)])

    assert drawn[:, :8].any()
    assert not drawn[:, 20:].any()


def test_predators_are_larger_and_stay_visible_in_a_crowd(setup, picture):
    """A predator shows every pixel of itself, whoever flies over it."""
    tables = setup(predators=({},))
    alone = picture(tables, [], predators=[(60, 40)])
    crowd = np.random.default_rng(2).uniform((40, 20), (80, 60), (300, 2))
    crowded = picture(tables, crowd, {"style": {"size": 10.0}}, predators=[(60, 40)])
    alone_large = picture(tables, [], {"style": {"size": 10.0}}, predators=[(60, 40)])
    boid = picture(tables, [(60, 40)])

    assert np.count_nonzero(alone) > 2 * np.count_nonzero(boid)
    assert (crowded[alone_large > 0] == alone_large[alone_large > 0]).mean() > 0.85
    strong = alone_large > alone_large.max() * 0.8
    np.testing.assert_array_equal(crowded[strong], alone_large[strong])


@pytest.mark.parametrize("times", [0.3, 1.0, 3.0, 8.0])
def test_predators_are_as_large_as_is_said(setup, picture, times):
    """A predator is so many times as long as a boid, to a step of sizes, and none of it is cut off."""
    tables = setup(predators=({},))
    look = {"style": {"size": 20.0, "predator_size": times, "shape": "dot"}}
    predator = np.ptp(np.flatnonzero(picture(tables, [], look, (240, 160), predators=[(60, 40)]).any(axis=0)))
    boid = np.ptp(np.flatnonzero(picture(tables, [(60, 40)], look, (240, 160)).any(axis=0)))

    assert predator / boid == pytest.approx(times, rel=0.2)


def test_backdrop_is_drawn_once_while_the_camera_stands(setup, state, monkeypatch):
    """What does not move is drawn for the first frame only, and is still there in the last."""
    tables = setup(obstacles=BALL)
    calls = counted(monkeypatch)
    renderer = Renderer(drawable(tables), (120, 80))
    frames = [renderer(state(tables, [(5, 5)], frame=frame)) for frame in range(4)]

    assert len(calls) == 1
    np.testing.assert_array_equal(frames[0].index, frames[3].index)


def test_backdrop_follows_the_camera(setup, state, monkeypatch):
    """A camera that goes round sees the backdrop anew in every frame, without traces of earlier ones."""
    tables = setup(**DEEP, obstacles=({"kind": "circle", "center": (20.0, 40.0, 30.0), "radius": 10.0},))
    calls = counted(monkeypatch)
    look = Look.model_validate({"camera": {"orbit": 30.0}})
    renderer, fresh = Renderer(drawable(tables, look), (240, 160)), Renderer(drawable(tables, look), (240, 160))
    frames = [renderer(state(tables, [], frame=frame)).index for frame in range(4)]

    assert len(calls) == 4
    np.testing.assert_array_equal(frames[3], fresh(state(tables, [], frame=3)).index)
    assert (frames[0] != frames[3]).any()


def test_near_boids_are_larger_and_stronger(setup, picture):
    """In a deep world the nearer of two boids covers more and has the stronger color."""
    look = {"camera": {"azimuth": -90.0, "elevation": 0.0}, "overlay": {"axes": False}}
    tables = setup(world={"size": (100.0, 100.0, 100.0), "boundary": {"kind": "open"}})
    near = picture(tables, [(50, 5, 50)], look, (300, 300))
    far = picture(tables, [(50, 95, 50)], look, (300, 300))

    assert np.count_nonzero(near) > np.count_nonzero(far)
    assert near.max() > far.max()


def counted(monkeypatch):
    """A list that grows with every drawing of the obstacles."""
    calls = []
    plain = Obstacles.draw

    def draw(self, canvas, scene):
        calls.append(1)
        plain(self, canvas, scene)

    monkeypatch.setattr(Obstacles, "draw", draw)
    return calls
