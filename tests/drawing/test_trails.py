import numpy as np
import pytest

from boidsgen.drawing import Renderer
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
