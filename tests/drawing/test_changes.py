"""Pictures of what changes during a run: it is seen from the frame on at which it happens, and not before."""

import numpy as np
import pytest

from boidsgen.drawing import Look, Renderer
from boidsgen.simulation import simulate
from tests.drawing.drawables import drawable

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
    ],
    ids=["obstacle", "attractor", "repeller", "predator"],
)
def test_what_comes_and_leaves_is_seen_while_it_is_there(film, tables):
    """It is in the pictures from its first frame on and leaves no trace after its last."""
    frames = film(**tables)

    assert changes(frames) == [2, 4]
    assert not frames[0].any()
    assert frames[2].any()
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
