"""Attractors on their way, and the curves that predators follow."""

import numpy as np
import pytest

from boidsgen import Scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.paths import CURVES, Attractor
from tests.simulation.stages import SIZE, world

WAY = {"points": ((10.0, 20.0), (30.0, 20.0), (30.0, 50.0)), "times": (10.0, 20.0, 50.0)}


def place(time, **path):
    """Where an attractor with this path is."""
    return Attractor.model_validate({"path": path}).place(time, world("open"))


@pytest.mark.parametrize(
    ("time", "expected"),
    [(0, (10, 20)), (10, (10, 20)), (15, (20, 20)), (20, (30, 20)), (35, (30, 35)), (50, (30, 50)), (99, (30, 50))],
)
def test_waypoints_are_reached_in_time(time, expected):
    """At each point at its time, evenly between them, at the first before and at the last afterwards."""
    np.testing.assert_allclose(place(float(time), **WAY), expected, atol=1e-12)


def test_waypoints_begin_anew():
    """After the last time as at the beginning."""
    for time in (0.0, 12.0, 49.0):
        np.testing.assert_allclose(place(time + 100.0, **WAY, repeat=True), place(time, **WAY), atol=1e-12)


def test_point_is_the_middle_unless_it_is_said():
    """As it is for seek, arrive and home."""
    np.testing.assert_array_equal(Attractor().place(3.0, world("open")), (50, 30))


def test_curves_lead_attractors_as_they_lead_predators():
    """A circle is passed once in a period, counterclockwise from the right."""
    circle = {"kind": "circle", "center": (50.0, 30.0), "scale": 10.0, "period": 40.0}

    np.testing.assert_allclose([place(time, **circle) for time in (0.0, 10.0, 20.0)], [(60, 30), (50, 40), (40, 30)])


def test_boids_follow_the_point():
    """A boid alone follows the point wherever it goes, and a fleeing one ends far from it."""

    def distance(weight):
        path = {"points": ((20.0, 20.0), (180.0, 20.0), (180.0, 180.0)), "times": (0.0, 80.0, 160.0)}
        document = {
            "world": {"size": (200.0, 200.0), "boundary": "reflect"},
            "time": {"frames": 161},
            "flock": {"count": 1, "max_speed": 3.0, "start": {"points": ((30.0, 30.0),)}},
            "attractors": ({"path": path, "weight": weight},),
        }
        *_, last = simulate(Scenario.model_validate(document))
        return np.linalg.norm(last.flocks[0].position[0] - (180.0, 180.0))

    assert distance(1.0) < 60
    assert distance(-1.0) > 100


def test_trefoil_by_hand():
    """The trefoil starts at (3, 0, 0)·scale/3 and closes after its period; predators are a phase apart."""
    deep = world("open", (100.0, 100.0, 100.0))
    path = CURVES["trefoil"].model_validate({"scale": 30.0, "period": 60.0, "phase": 90.0})

    start, later = path.position(0.0, 2, deep), path.position(60.0, 2, deep)

    np.testing.assert_allclose(start[0], [80.0, 50.0, 50.0])
    np.testing.assert_allclose(start[1], [50 - 20.0, 50.0, 50 - 10.0])
    np.testing.assert_allclose(later, start, atol=1e-9)


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("size", [SIZE, (100.0, 60.0, 80.0)])
def test_paths_keep_to_their_scale(kind, size):
    """Seen from above no path leads further from its center than its scale, and it gets there."""
    path = CURVES[kind].model_validate({"scale": 20.0, "period": 100.0})
    along = np.concatenate([path.position(t, 1, world("open", size)) for t in np.linspace(0, 100, 500)])
    distance = np.linalg.norm((along - np.array(size) / 2)[:, :2], axis=1)

    assert distance.max() == pytest.approx(20.0)
