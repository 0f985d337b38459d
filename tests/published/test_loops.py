"""Invariants of the published models, which show that the plain loops of this folder are right."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.published import mesa, netlogo, statistics


def run(model, parameters, steps, seed=0, state=None):
    """The state after so many steps, from the source's start where none is given."""
    random = np.random.default_rng(seed)
    state = model.start(random, parameters) if state is None else state
    for _ in range(steps):
        state = model.step(state, parameters, **model.draws(random, state, parameters))
    return state


def measured(parameters, state):
    """The five statistics of a state, by the model's own view and world."""
    return statistics.measure(state.positions, state.velocities, parameters.view, parameters.torus)


# Statistics


def test_statistics_of_a_known_flock():
    """Two pairs a world's side apart are two groups in the open, and one where the world is periodic."""
    positions = np.array([[0.5, 5.0], [1.5, 5.0], [9.5, 5.0], [8.0, 5.0]])
    velocities = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.0], [-2.0, 0.0]])

    found = statistics.measure(positions, velocities, view=1.5)
    around = statistics.measure(positions, velocities, view=1.5, size=(10.0, 10.0))

    assert found == pytest.approx(
        {"polarization": 1 / 3, "mean_speed": 1.5, "nearest_distance": 1.25, "neighbors": 1.0, "groups": 2}
    )
    assert around == pytest.approx(
        {"polarization": 1 / 3, "mean_speed": 1.5, "nearest_distance": 1.125, "neighbors": 1.5, "groups": 1}
    )


def test_error_of_a_mean_over_seeds():
    """The standard error is the deviation of a sample over the root of the number of seeds."""
    assert statistics.over_seeds([{"speed": 1.0}, {"speed": 2.0}, {"speed": 6.0}])["speed"] == pytest.approx(
        (3.0, math.sqrt(7 / 3))
    )


# NetLogo


def turtles(*rows):
    """A state of rows of x, y and heading."""
    table = np.array(rows, dtype=float)
    return netlogo.State(table[:, :2], table[:, 2])


def test_an_opposite_heading_turns_a_turtle_right():
    """Of two that fly head-on, the first turns right by 5 degrees to align, and by 3 to its mate in the east."""
    found = netlogo.step(turtles([0, 0, 0], [2, 0, 180]), netlogo.Parameters(), order=[0, 1])

    # The second sees the heading 8 on its left (5 degrees), and its mate in the west on its right (3 degrees).
    assert found.headings == pytest.approx([8, 178])
    assert netlogo.subtract(0, 180) == netlogo.subtract(180, 0) == 180


def test_a_close_turtle_turns_away_from_a_heading():
    """Separation replaces the other rules, and asks for the nearest mate's heading alone."""
    found = netlogo.step(turtles([0, 0, 10], [0.5, 0, 9], [2, 0, 200]), netlogo.Parameters(), order=[0])

    assert found.headings == pytest.approx([11, 9, 200])


def test_equal_headings_stay_equal_when_close():
    """A pair side by side of one heading never parts."""
    found = run(netlogo, netlogo.Parameters(), 10, state=turtles([35.4, 0, 90], [-35.4, 0, 90]))

    assert found.headings == pytest.approx([90, 90])
    assert statistics.nearest_distance(found.positions, (71, 71)) == pytest.approx(0.2)


def test_turtles_turn_at_most_eight_degrees_a_tick():
    """Alignment and cohesion add up to 8 degrees, and some turtle uses them."""
    state = run(netlogo, netlogo.Parameters(), 3)
    parameters = netlogo.Parameters()
    after = netlogo.step(state, parameters)
    turns = [abs(netlogo.subtract(new, old)) for new, old in zip(after.headings, state.headings, strict=True)]

    assert max(turns) == pytest.approx(8)


def test_opposite_mates_on_both_sides_leave_a_turtle_alone():
    """Where a sum is exactly zero the goal is the own heading, in spite of the rounding of sines."""
    found = netlogo.step(turtles([0, 0, 30], [3, 0, 0], [-3, 0, 180]), netlogo.Parameters(), order=[0])

    assert found.headings[0] == 30


def test_turtles_move_one_patch_a_tick():
    """Without mates the heading stays, and five strides make one patch."""
    found = netlogo.step(turtles([35, 0, 90], [0, 20, 180]), netlogo.Parameters())

    assert found.positions == pytest.approx(np.array([[-35, 0], [0, 19]]))


def test_flocks_of_vision_three_have_the_known_density():
    """At tick 300 the nearest neighbor is about 1 patch away, and about 7 flockmates are within 3 patches."""
    parameters = netlogo.Parameters(count=75, world=35.5, vision=3.0)  # the density of 300 in 71 x 71
    found = [measured(parameters, run(netlogo, parameters, 300, seed)) for seed in range(3)]
    mean = {name: value for name, (value, _) in statistics.over_seeds(found).items()}

    assert 0.85 < mean["nearest_distance"] < 1.25
    assert 6 < mean["neighbors"] < 8.5
    assert mean["polarization"] > 0.9


# Mesa


def test_boids_of_mesa_start_slowly():
    """Directions of a square have the mean length 0.765, and length 1 once each boid has met another one."""
    parameters = mesa.Parameters(count=4000)
    first = mesa.start(np.random.default_rng(1), parameters)
    crowd = mesa.Parameters(count=60, width=20, height=20)

    assert statistics.mean_speed(first.velocities) == pytest.approx(0.765, abs=0.015)
    assert statistics.mean_speed(run(mesa, crowd, 1).velocities) == pytest.approx(1, abs=1e-12)


def test_a_lone_boid_of_mesa_keeps_its_direction():
    """Nothing normalizes the direction of a boid without neighbors."""
    state = mesa.State(np.array([[99.9, 50.0], [50.0, 50.0]]), np.array([[0.5, 0.0], [1.0, 1.0]]))
    found = mesa.step(state, mesa.Parameters())

    assert found.positions == pytest.approx(np.array([[0.4, 50], [51, 51]]))
    assert found.directions == pytest.approx(state.directions)


def test_close_boids_of_mesa_are_divided_by_all():
    """One boid with a close and a far neighbor, by hand: the close offset counts half."""
    state = mesa.State(np.array([[50.0, 50], [51, 50], [50, 55]]), np.array([[0.0, 1], [0, 1], [1, 0]]))
    found = mesa.step(state, mesa.Parameters(), order=[0])
    direction = np.array([(0.03 * 1 - 0.015 * 1 + 0.05 * 1) / 2, 1 + (0.03 * 5 + 0.05 * 1) / 2])

    assert found.directions[0] == pytest.approx(direction / np.hypot(*direction))


@pytest.mark.parametrize("model", [netlogo, mesa])
def test_orders_differ(model):
    """A later one sees what an earlier one has done, unless all act together; then the order has no effect."""
    parameters = model.Parameters(count=80)
    state = model.start(np.random.default_rng(5), parameters)
    backward = np.arange(80)[::-1]

    def after(order, sequence):
        return model.step(state, replace(parameters, order=order), order=sequence).velocities

    assert abs(after("index", None) - after("index", backward)).max() > 1e-6
    assert abs(after("together", None) - after("together", backward)).max() < 1e-12
    assert abs(after("together", None) - after("index", None)).max() > 1e-6
