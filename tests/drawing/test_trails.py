import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.animals import _Piece
from boidsgen.simulation.boundaries import BOUNDARIES
from boidsgen.simulation.world import World
from tests.drawing.drawables import drawable


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


def test_older_is_fainter(flight):
    """The path fades with age."""
    drawn = flight([(10 + 8 * frame, 40) for frame in range(11)], 10)
    strength = drawn[39:42].max(axis=0)

    assert strength[14] < strength[44] < strength[80]


def test_trails_may_be_wide(setup, state):
    """A trail is as wide as is asked for, and one wide no wider than before."""

    def width(**style):
        tables = setup()
        renderer = Renderer(drawable(tables, {"style": {"trails": 9, "size": 4.0, **style}}), (120, 80))
        for frame in range(9):
            drawn = renderer(state(tables, [(10 + 8 * frame, 40)], frame=frame)).index
        return np.count_nonzero(drawn[:, 50])

    assert width() == width(trail_width=1.0) <= 3
    assert 5 <= width(trail_width=5.0) <= 7


def test_no_trail_without_trails(flight):
    """Zero frames of trail draw nothing but the boid."""
    assert not flight([(20, 40), (60, 40)], 0)[:, :50].any()


def test_path_breaks_where_a_boid_goes_round(flight):
    """Who leaves on one side and enters on the other draws no line across the picture."""
    drawn = flight([(110, 40), (116, 40), (2, 40), (8, 40)], 10)

    assert drawn[:, 111:115].any()
    assert not drawn[:, 20:105].any()


def test_path_lies_in_the_world(setup, flight):
    """A camera that goes round carries the old path along: it ends where the boid is."""
    tables = setup(world={"size": (100.0, 80.0, 60.0), "boundary": {"kind": "open"}})
    look = {"camera": {"orbit": 20.0}, "overlay": {"axes": False}}
    still = flight([(50, 40, 30)] * 5, 10, tables, **look)

    assert np.count_nonzero(still) < 60


@pytest.mark.parametrize("kind", BOUNDARIES)
def test_no_trail_right_across_the_picture(kind):
    """Where an edge leads to the opposite one, a boid that goes round leaves no line across."""
    world = World.model_validate({"size": (100.0, 100.0), "boundary": kind})
    start, end = np.array([[99.0, 50.0], [10.0, 10.0]]), np.array([[1.0, 50.0], [14.0, 12.0]])

    flown = _Piece(start, end, world, 1.0).flown

    assert list(flown) == [not world.boundary.leads_round, True]


def test_trails_break_where_a_group_changes(film):
    """Predators that leave take their trails with them; those that come begin new ones."""
    path = {"kind": "circle", "scale": 30.0, "period": 20.0}
    frames = film({"style": {"trails": 9}}, frames=12, predators=({"path": path, "from": 2, "until": 8},))

    assert np.count_nonzero(frames[7]) > np.count_nonzero(frames[2]) > 0
    assert not frames[8].any()
