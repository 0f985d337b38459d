"""Attractors on their way: curves and waypoints."""

import numpy as np
import pytest

from boidsgen import Scenario, ScenarioError, load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.paths import Attractor
from tests.simulation.stages import world

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


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('point = [1, 2]\npath = "circle"', "must have either a point or a path, not both"),
        ('path = { kind = "circle", mode = "velocity" }', "moves a point by position only"),
        ("path = { points = [[1, 2], [3, 4]], times = [0] }", "attractors.path.times: must have at least 2 entries"),
        (
            "path = { points = [[1, 2], [3, 4]], times = [0, 1, 2] }",
            "an entry for each of the 2 points, not 3",
        ),
        ("path = { points = [[1, 2], [3, 4]], times = [5, 5] }", "5 comes after 5"),
        ("path = { points = [[1, 2, 3], [3, 4, 5]], times = [0, 5] }", "path.points.0: must have 2 entries"),
    ],
)
def test_mistakes_are_told(tmp_path, keys, said):
    """What is no place and no way is refused in words."""
    path = tmp_path / "scenario.toml"
    path.write_text(f"[[attractors]]\n{keys}\n", "utf-8")
    with pytest.raises(ScenarioError, match=said):
        load_scenario(path)
