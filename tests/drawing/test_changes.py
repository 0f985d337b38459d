"""Pictures of what changes during a run: it is seen from the frame on at which it happens, and not before."""

import numpy as np
import pytest

from boidsgen.drawing import Look, Renderer
from boidsgen.drawing.overlays import OVERLAYS
from boidsgen.drawing.overlays.layer import Backdrop
from boidsgen.drawing.overlays.marks import Obstacles
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


def test_moving_obstacle_leaves_no_trace(film, setup, picture):
    """An obstacle that an event moves is drawn where it is, and only there."""
    moved = ({"at": 1, "over": 3, "set": {"obstacles.center": (90.0, 30.0), "obstacles.radius": 16.0}},)
    frames = film(obstacles=(BALL,), events=moved)
    there = picture(setup(obstacles=({**BALL, "center": (90.0, 30.0), "radius": 16.0},)), [])

    assert changes(frames) == [2, 3, 4]
    np.testing.assert_array_equal(frames[5], there)


def test_ground_is_drawn_anew_only_when_it_changes(film, monkeypatch):
    """Changes of other tables do not draw the obstacles anew."""
    calls = []
    plain = Obstacles.draw
    monkeypatch.setattr(Obstacles, "draw", lambda *given: (calls.append(1), plain(*given)))
    film(
        frames=10,
        obstacles=({**BALL, "until": 8},),
        events=({"at": 2, "over": 3, "set": {"flock.cohesion.weight": 9.0}},),
    )

    assert len(calls) == 2


@pytest.mark.parametrize("name", [name for name, kind in OVERLAYS.items() if issubclass(kind, Backdrop)])
def test_every_backdrop_says_what_it_shows(setup, name):
    """The answer is equal for equal setups, so that nothing is drawn anew without need."""
    one, other = (setup(obstacles=(BALL,), attractors=({"point": (1.0, 2.0)},)) for _ in range(2))

    assert OVERLAYS[name]().shows(one) == OVERLAYS[name]().shows(other)


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
