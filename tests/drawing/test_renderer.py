"""Pictures of boids, trails and what comes and goes."""

import numpy as np
import pytest

from boidsgen.drawing.look import Look
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.shapes import SHAPES
from boidsgen.simulation.run import simulate
from tests.drawing.drawables import drawable


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


@pytest.fixture
def flight(setup, state):
    """The last picture of one boid seen at these places, one a frame."""

    def made(places, trails, tables=None, **look):
        tables = tables or setup()
        renderer = Renderer(drawable(tables, {"style": {"trails": trails, "size": 4.0}, **look}), (120, 80))
        for frame, place in enumerate(places):
            drawn = renderer(state(tables, [place], frame=frame)).index
        return drawn

    return made


@pytest.mark.parametrize("trails", [1, 3, 7])
def test_path_stays_for_so_many_frames(flight, trails):
    """The path of the last frames is visible, the path before them is not."""
    drawn = flight([(10 + 8 * frame, 40) for frame in range(11)], trails)
    columns = np.flatnonzero(drawn[39:42].any(axis=0))
    begin = 90 - 8 * trails

    assert begin - 3 <= columns.min() <= begin + 4
    assert set(range(begin + 4, 90)) <= set(columns.tolist())


def test_path_breaks_where_a_boid_goes_round(flight):
    """A boid that leaves on one side and enters on the other draws no line across the picture."""
    drawn = flight([(110, 40), (116, 40), (2, 40), (8, 40)], 10)

    assert drawn[:, 111:115].any()
    assert not drawn[:, 20:105].any()


def test_path_lies_in_the_world(setup, flight):
    """A camera that goes round carries the old path along: it ends where the boid is."""
    tables = setup(world={"size": (100.0, 80.0, 60.0), "boundary": {"kind": "open"}})
    look = {"camera": {"orbit": 20.0}, "overlay": {"axes": False}}
    still = flight([(50, 40, 30)] * 5, 10, tables, **look)

    assert np.count_nonzero(still) < 60


BALL = {"kind": "circle", "center": (60.0, 40.0), "radius": 10.0}


def changes(frames):
    """The numbers of the frames that differ from the one before."""
    return [number for number in range(1, len(frames)) if (frames[number] != frames[number - 1]).any()]


@pytest.mark.parametrize(
    "tables",
    [
        {"obstacles": ({**BALL, "from": 2, "until": 4},)},
        {"attractors": ({"point": (60.0, 40.0), "from": 2, "until": 4},)},
        {"attractors": ({"point": (60.0, 40.0), "radius": 20.0, "weight": -1.0, "from": 2, "until": 4},)},
        {"predators": ({"from": 2, "until": 4, "path": {"kind": "circle", "scale": 1e-9}},)},
        {"events": ({"at": 2, "caption": "alignment off"}, {"at": 4, "caption": ""})},
    ],
    ids=["obstacle", "attractor", "repeller", "predator", "caption"],
)
def test_what_comes_and_leaves_is_seen_while_it_is_there(film, tables):
    """It is in the pictures from its first frame on and leaves no trace after its last."""
    frames = film(**tables)

    assert changes(frames) == [2, 4]
    np.testing.assert_array_equal(frames[5], frames[0])


def test_frames_in_between_need_not_be_drawn(setup):
    """Noting the states before a picture gives the same picture as drawing them all."""
    tables = setup(time={"frames": 8}, flock={"count": 20})
    look = Look.model_validate({"style": {"trails": 4}, "overlay": {"chart": "polarization"}})
    drawing, noting = (Renderer(drawable(tables, look), (240, 160)) for _ in range(2))
    for state in simulate(tables):
        last = drawing(state).index
        if state.frame < 7:
            noting.note(state)

    np.testing.assert_array_equal(noting(state).index, last)
