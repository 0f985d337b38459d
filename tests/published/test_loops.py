"""Invariants of the published models, which show that the plain loops of this folder are right."""

import ast
import math
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

import numpy as np
import pytest

from tests.published import (
    agents_jl,
    ben_eater,
    cucker_smale,
    dorsogna,
    lague,
    mason,
    mesa,
    nature_of_code,
    netlogo,
    opensteer,
    parker,
    rougier,
    statistics,
)

SEQUENTIAL = (netlogo, mesa, agents_jl, mason, opensteer, nature_of_code, ben_eater, lague, rougier, parker)
MODELS = (*SEQUENTIAL, cucker_smale, dorsogna)


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
    found = netlogo.step(turtles([0, 0, 10], [0.5, 0, 9], [2, 0, 200]), netlogo.Parameters(), order=[0, 1])

    assert found.headings == pytest.approx([11, 7.5, 200])  # 1 degree, then at most 1.5


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
    found = [measured(parameters, run(netlogo, parameters, 300, seed)) for seed in range(2)]
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


# Agents.jl


def test_a_lone_bird_of_agents_jl_is_normalized():
    """Unlike Mesa's, its direction becomes a unit without any neighbor, and it flies one unit."""
    state = agents_jl.State(np.array([[99.5, 50.0], [50.0, 50.0]]), np.array([[0.5, 0.0], [3.0, 4.0]]))
    found = agents_jl.step(state, agents_jl.Parameters())

    assert found.directions == pytest.approx(np.array([[1, 0], [0.6, 0.8]]))
    assert found.positions == pytest.approx(np.array([[0.5, 50], [50.6, 50.8]]))


def test_agents_jl_sees_at_most_its_visual_distance():
    """The edge of the exact radius is in, by the nearest image, and what is beyond it out."""
    directions = np.array([[0.0, 1], [1, 0], [1, 0]])
    at_edge = agents_jl.State(np.array([[1.0, 50], [96, 50], [6.001, 50]]), directions)
    found = agents_jl.step(at_edge, agents_jl.Parameters(), order=[0])
    direction = np.array([0.1 * -5 + 0.04, 1])

    assert found.directions[0] == pytest.approx(direction / np.hypot(*direction))


def test_close_birds_of_agents_jl_are_divided_by_all():
    """One bird with a close and a far neighbor, by hand, with each set of numbers."""
    state = agents_jl.State(np.array([[50.0, 50], [50.9, 50], [50, 54]]), np.array([[0.0, 1], [0, 1], [1, 0]]))
    for parameters, (cohere, separate, match) in (
        (agents_jl.Parameters(), (0.1, 0.25, 0.04)),
        (agents_jl.SMALL, (0.03, 0.015, 0.05)),
        (agents_jl.LARGE, (0.03, 0.015, 0.05)),
    ):
        found = agents_jl.step(state, parameters, order=[0])
        direction = np.array([(cohere - separate) * 0.9 + match, 2 + cohere * 4 + match])

        assert found.directions[0] == pytest.approx(direction / np.hypot(*direction))
    assert (agents_jl.SMALL.torus, agents_jl.LARGE.torus) == ((100, 100), (150, 150))
    assert (agents_jl.SMALL.view, agents_jl.LARGE.view) == (5, 15)


def test_agents_jl_and_mesa_agree_where_their_numbers_do():
    """From unit directions the two are one model, up to the numbers."""
    numbers = agents_jl.Parameters(100, 100.0, 1.0, 0.03, 2.0, 0.015, 0.05, 10.0)
    random = np.random.default_rng(3)
    first = run(agents_jl, numbers, 1, seed=3)
    one, other = first, mesa.State(first.positions, first.directions)
    for _ in range(20):
        order = random.permutation(100)
        one, other = agents_jl.step(one, numbers, order), mesa.step(other, mesa.Parameters(), order)

    assert one.positions == pytest.approx(other.positions, abs=1e-9)


# MASON


def test_first_step_of_mason_has_no_momentum():
    """Without last displacements the direction is cohesion plus avoidance, here of a living and a dead neighbor."""
    state = mason.State(np.array([[1.0, 1], [149, 1], [1, 5]]), np.zeros((3, 2)), np.array([False, False, True]))
    found = mason.step(state, mason.Parameters(), order=[0])
    # Cohesion: the mean of itself and the one at 2 to the left; avoidance: of that one and the dead one 4 above.
    direction = np.array([-2 / 2 / 10 + 200 * 2 / 17, -200 * 4 / 257])

    assert found.velocities[0] == pytest.approx(0.7 * direction / np.hypot(*direction))
    assert found.positions[0] == pytest.approx(state.positions[0] + found.velocities[0])


def test_mason_alone_goes_where_the_noise_says():
    """Noise is scaled to its length from the square's corner, and a lone flocker's consistency doubles its momentum."""
    alone = mason.State(np.array([[75.0, 75]]), np.zeros((1, 2)), np.array([False]))
    first = mason.step(alone, mason.Parameters(), noise=np.array([[1.0, 1]]))
    second = mason.step(first, mason.Parameters(), noise=np.array([[-0.1, 0.1]]))
    direction = np.array([1.4, 1.4]) * math.sqrt(0.5) + np.array([-0.05, 0.05]) * math.sqrt(0.5)

    assert first.velocities == pytest.approx(np.full((1, 2), 0.7 * math.sqrt(0.5)))
    assert second.velocities[0] == pytest.approx(0.7 * direction / np.hypot(*direction))


def test_dead_flockers_of_mason_never_move():
    """The living jump by 0.7 each step, and about a tenth stays where it is."""
    first = mason.start(np.random.default_rng(2), mason.Parameters())
    found = run(mason, mason.Parameters(), 3, state=first)
    speeds = np.hypot(*found.velocities.T)

    assert 8 <= first.dead.sum() <= 32
    assert np.array_equal(found.positions[first.dead], first.positions[first.dead])
    assert np.allclose(speeds, np.where(first.dead, 0, 0.7))


# The Nature of Code


def test_first_frame_of_nature_of_code():
    """The first boid is free, and the second one already sees it moved."""
    parameters = nature_of_code.Parameters(count=2)
    state = nature_of_code.State(np.full((2, 2), 100.0), np.array([[1.0, 0], [0, 0.5]]))
    found = nature_of_code.step(state, parameters)
    # The second one at (100, 100) sees the first at (101, 100) with velocity (1, 0).
    away = np.array([-3, -0.5]) / math.hypot(3, 0.5)
    toward = np.array([3, -0.5]) / math.hypot(3, 0.5)

    assert found.velocities[0] == pytest.approx([1, 0])
    assert found.positions[0] == pytest.approx([101, 100])
    assert found.velocities[1] == pytest.approx(np.array([0, 0.5]) + 0.05 * (1.5 * away + 2 * toward))


def test_nature_of_code_caps_each_steering_and_no_sum():
    """Velocities change by more than 0.05 and at most by 0.175, and speeds stay within 3."""
    parameters = nature_of_code.Parameters(count=60)
    state = run(nature_of_code, parameters, 150)
    after = nature_of_code.step(state, parameters)
    changes = np.hypot(*(after.velocities - state.velocities).T)
    capped = nature_of_code.step(state, replace(parameters, limit="sum"))

    assert 0.05 < changes.max() <= 0.175 + 1e-12
    assert np.hypot(*(capped.velocities - state.velocities).T).max() <= 0.05 + 1e-12
    assert np.hypot(*after.velocities.T).max() <= 3 + 1e-12


def test_edges_of_nature_of_code_lose_the_overshoot():
    """Beyond an edge of 3 pixels the coordinate is the other edge's, and distances do not wrap."""
    state = nature_of_code.State(np.array([[642.0, 100], [-2.5, 180]]), np.array([[2.5, 0], [-1.0, 0]]))
    found = nature_of_code.step(state, nature_of_code.Parameters())

    assert found.positions == pytest.approx(np.array([[-3.0, 100], [643.0, 180]]))
    assert found.velocities[0] == pytest.approx(state.velocities[0])


def test_opposed_mates_brake_a_boid_of_nature_of_code():
    """A mean of zero is no direction: alignment and cohesion brake, separation does nothing."""
    state = nature_of_code.State(np.array([[100.0, 100], [90, 100], [110, 100]]), np.array([[0, 2.0], [1, 0], [-1, 0]]))
    found = nature_of_code.step(state, nature_of_code.Parameters(), order=[0])

    assert found.velocities[0] == pytest.approx([0, 1.9])


# Ben Eater


def test_rules_of_ben_eater_follow_each_other():
    """Two boids, by hand: each rule starts from the velocity that the one before has left, itself included in means."""
    state = ben_eater.State(np.array([[800.0, 450], [810, 450]]), np.array([[1.0, 2], [3.0, 0]]))
    found = ben_eater.step(state, ben_eater.Parameters(), order=[0])
    u, v = 1 + 5 * 0.005 - 10 * 0.05, 2.0
    expected = [u + ((u + 3) / 2 - u) * 0.05, v + (v / 2 - v) * 0.05]

    assert found.velocities[0] == pytest.approx(expected)
    assert found.positions[0] == pytest.approx([800 + expected[0], 450 + expected[1]])


def test_edges_push_after_the_limit_of_ben_eater():
    """A boid in a corner may fly at 15 + √2, and one in a narrow window is pushed both ways."""
    corner = ben_eater.State(np.array([[100.0, 100.0]]), np.full((1, 2), 20.0))
    found = ben_eater.step(corner, ben_eater.Parameters())
    narrow = ben_eater.step(corner, ben_eater.Parameters(width=150, height=150))

    assert np.hypot(*found.velocities[0]) == pytest.approx(15 + math.sqrt(2))
    assert np.hypot(*narrow.velocities[0]) == pytest.approx(15)


def test_boids_of_ben_eater_keep_to_their_window():
    """A push of 1 stops a speed of 15 within 113 of the margin's 200 pixels; speeds stay below 15 + √2."""
    parameters = ben_eater.Parameters()
    state = run(ben_eater, parameters, 150)

    assert (abs(state.positions - (800, 450)) < (800, 450)).all()
    assert np.hypot(*state.velocities.T).max() <= 15 + math.sqrt(2)


# OpenSteer


def vehicles(places, headings, speed=9.0):
    """A state of boids without smoothed accelerations."""
    headings = np.array(headings, dtype=float)
    return opensteer.State(np.array(places, dtype=float), speed * headings, headings, np.zeros_like(headings))


def test_boids_of_opensteer_start_slowly_within_a_ball():
    """Places fill a ball of radius 20 by volume, and all fly at 2.7."""
    found = opensteer.start(np.random.default_rng(4), opensteer.Parameters(count=4000))

    assert np.allclose(np.sqrt((found.velocities**2).sum(axis=1)), 2.7)
    assert np.mean((found.positions**2).sum(axis=1) < 100) == pytest.approx(1 / 8, abs=0.02)


def test_a_rule_of_opensteer_weighs_a_lone_neighbor_like_a_crowd():
    """Straight ahead at a distance of 8 only cohesion acts, and the acceleration is smoothed by 0.15."""
    state = vehicles([[0, 0, 0], [8, 0, 0]], [[1, 0, 0], [0, 1, 0]], speed=4.0)
    crowd = vehicles([[0, 0, 0]] + [[8, 0, 0.1 * z] for z in (-1, 0, 1)], [[1, 0, 0]] + [[0, 1, 0]] * 3, speed=4.0)

    for found in (opensteer.step(one, opensteer.Parameters(), order=[0]) for one in (state, crowd)):
        assert found.smoothed[0] == pytest.approx([0.15 * 8, 0, 0])
        assert found.velocities[0] == pytest.approx([4 + 0.15 * 8 / 60, 0, 0])


@pytest.mark.parametrize(("place", "expected"), [((-1.499, 0, 0), 4), ((-1.501, 0, 0), 0), ((0, 1.4, 0), 4)])
def test_near_boids_of_opensteer_are_seen_at_any_angle(place, expected):
    """Those nearer than 1.5 count in each rule, behind too; separation minus cohesion is 12 - 8 along the line."""
    found = opensteer.step(vehicles([[0, 0, 0], place], [[1, 0, 0], [1, 0, 0]]), opensteer.Parameters(), order=[0])
    along = -np.array(place) / np.hypot(*place[:2])

    assert found.smoothed[0] == pytest.approx(0.15 * expected * along)


def test_slow_boids_of_opensteer_turn_their_force_forward():
    """At half the slow speed hardly any of a force may point backward: it is turned onto a cone, its length kept."""
    state = vehicles([[0, 0, 0], [-1, 0.5, 0]], [[1, 0, 0], [1, 0, 0]], speed=0.9)
    found = opensteer.step(state, opensteer.Parameters(cohesion=(9.0, -0.15, 24.0)), order=[0])
    cosine = 1 - 2 * 0.5**20
    expected = 0.15 * 12 * np.array([cosine, math.sqrt(1 - cosine**2), 0])

    assert found.smoothed[0] == pytest.approx(expected)


def test_the_ball_of_opensteer_wraps_to_the_other_side():
    """Beyond the radius a place moves by the ball's diameter along its own line; the heading stays."""
    found = opensteer.step(vehicles([[30, 40, 0]], [[0.6, 0.8, 0]]), opensteer.Parameters())

    assert found.positions[0] == pytest.approx((50.15 - 100) * np.array([0.6, 0.8, 0]))
    assert found.headings[0] == pytest.approx([0.6, 0.8, 0])


def test_order_matters_little_in_opensteer():
    """Another order moves boids by about 4e-5 in a step and 0.009 in ten."""
    parameters = opensteer.Parameters(count=100)
    first = opensteer.start(np.random.default_rng(0), parameters)
    order = np.random.default_rng(1).permutation(100)
    one = other = first
    apart = []
    for _ in range(10):
        one, other = opensteer.step(one, parameters), opensteer.step(other, parameters, order)
        apart.append(abs(one.positions - other.positions).max())

    assert 1e-6 < apart[0] < 1e-3
    assert 1e-3 < apart[9] < 1e-1


# Lague


def test_a_boid_of_lague_without_neighbors_feels_nothing():
    """It keeps its velocity, within the speeds that are allowed."""
    state = lague.State(np.array([[0.0, 0, 0], [9, 0, 0]]), np.array([[6.0, 0, 0], [0, 0, 1]]))
    found = lague.step(state, lague.Parameters())

    assert found.velocities == pytest.approx(np.array([[6, 0, 0], [0, 0, 5]]))
    assert found.positions[0] == pytest.approx([0.1, 0, 0])


def test_defaults_of_lague_differ_from_his_scene():
    """By the code alone a boid flies between 2 and 5, and weights are 1."""
    state = lague.State(np.array([[0.0, 0, 0], [2, 0, 0]]), np.array([[4.0, 0, 0], [4, 0, 0]]))
    found = lague.step(state, lague.CODE)
    lone = lague.step(lague.State(np.zeros((1, 3)), np.array([[1.0, 0, 0]])), lague.CODE)

    assert found.velocities[:, 0] == pytest.approx([4 + (1 + 1 - 3) / 60, 4 + (1 - 3 - 3) / 60])
    assert lone.velocities[0] == pytest.approx([2, 0, 0])


def test_separation_from_nobody_brakes_in_lague():
    """With a neighbor at 2 that flies alike, separation steers to speed zero, more than the others speed up."""
    state = lague.State(np.array([[0.0, 0, 0], [2, 0, 0]]), np.array([[6.0, 0, 0], [6, 0, 0]]))
    found = lague.step(state, lague.Parameters())
    # Alignment and cohesion: 8 - 6 forward, weights 2 and 1; separation: 6 back, weight 2.5.

    assert found.velocities[0] == pytest.approx([6 + (2 * 2 + 2 - 2.5 * 6) / 60, 0, 0])
    assert found.velocities[1] == pytest.approx([6 + (2 * 2 - 8 - 2.5 * 6) / 60, 0, 0])


def test_flocks_of_lague_hover_near_the_minimum_speed():
    """The brake of separation keeps those with neighbors slow, and no speed leaves its bounds."""
    parameters = lague.Parameters(count=60)
    state = run(lague, parameters, 90)
    speeds = np.sqrt((state.velocities**2).sum(axis=1))

    assert speeds.min() >= 5 - 1e-9
    assert speeds.max() <= 8 + 1e-9
    assert speeds.mean() < 5.7


def test_directions_of_lague_spiral_from_front_to_back():
    """All are units, the first is forward, each is further back than the one before, by equal parts of the height."""
    found = np.array(lague.directions())

    assert found[0] == pytest.approx([0, 0, 1])
    assert (found**2).sum(axis=1) == pytest.approx(np.ones(300))
    assert np.diff(found[:, 2]) == pytest.approx(np.full(299, -2 / 300))
    # The golden angle, clockwise: 360 (φ - 2) = -137.5 degrees from one to the next.
    turns = np.diff(np.degrees(np.arctan2(found[1:, 1], found[1:, 0]))) % 360
    assert turns == pytest.approx(np.full(298, 360 * (math.sqrt(5) - 1) / 2))


# From Python to NumPy


def test_nobody_is_a_brake_in_the_published_file():
    """Without neighbors the file brakes twice and steers to the origin; by the book nothing acts."""
    state = rougier.State(np.array([[300.0, 200.0], [500.0, 200.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    found = rougier.step(state, rougier.Parameters())
    free = rougier.step(state, rougier.Parameters(variant="book"))
    home = -2 * np.array([300, 200]) / math.hypot(300, 200) - [0, 1]

    assert found.velocities[0] == pytest.approx(np.array([0, 1 - 2.5 * 0.03]) + 0.03 * home / np.hypot(*home))
    assert free.velocities == pytest.approx(state.velocities)


def test_boids_of_rougier_start_dense_in_the_middle():
    """Radii are uniform up to half the height, and speeds are 1."""
    found = rougier.start(np.random.default_rng(6), rougier.Parameters(count=4000))
    radii = np.hypot(*(found.positions - (320, 180)).T)

    assert np.quantile(radii, [0.25, 0.5, 0.75]) == pytest.approx([45, 90, 135], abs=6)
    assert np.hypot(*found.velocities.T) == pytest.approx(np.ones(4000), abs=1e-6)


def test_boids_of_rougier_wrap_but_see_nobody_across():
    """Two at both sides of an edge act as if alone, and come out on the other side; speeds keep to 0.5 to 2."""
    state = rougier.State(np.array([[639.5, 100.0], [0.5, 100.0]]), np.array([[2.0, 0], [0.1, 0]]))
    found = rougier.step(state, rougier.Parameters(variant="book"))

    assert found.positions == pytest.approx(np.array([[1.5, 100], [1.0, 100]]))
    assert found.velocities == pytest.approx(np.array([[2.0, 0], [0.5, 0]]))


def test_variants_of_rougier_part_at_once():
    """The two differ by about 0.1 after a step and by several pixels after ten."""
    file, book = rougier.Parameters(count=200), rougier.Parameters(count=200, variant="book")
    first = rougier.start(np.random.default_rng(0), file)
    one, other = run(rougier, file, 1, state=first), run(rougier, book, 1, state=first)
    later, latest = run(rougier, file, 10, state=first), run(rougier, book, 10, state=first)

    assert 0.03 < abs(one.positions - other.positions).max() < 0.3
    assert 1 < abs(later.positions - latest.positions).max() < 10


# Parker


def test_together_parker_keeps_the_mean_velocity():
    """Each rule sums to zero over the flock."""
    parameters = parker.Parameters(order="together")
    first = parker.start(np.random.default_rng(0), parameters)
    found = run(parker, parameters, 50, state=first)

    assert found.velocities.mean(axis=0) == pytest.approx(first.velocities.mean(axis=0), abs=1e-11)
    assert abs(found.velocities - first.velocities).max() > 1


def test_in_place_parker_speeds_up_without_end():
    """A center that is half a step ahead makes the mean velocity about e^0.5 times as large every 100 steps."""

    def growth(parameters, seed):
        one = run(parker, parameters, 100, seed)
        other = run(parker, parameters, 300, state=one)
        return (np.hypot(*other.velocities.mean(axis=0)) / np.hypot(*one.velocities.mean(axis=0))) ** (1 / 3)

    # Rule 1 adds v / 200 a step; rule 3, which sees half of what the step adds, a sixteenth of that.
    calm = (1 + 1 / 200 / (1 - 1 / 16 - 1 / 200)) ** 100
    assert growth(parker.Parameters(count=10, distance=0.0), 0) == pytest.approx(calm, rel=2e-3)
    assert growth(parker.Parameters(count=20), 0) == pytest.approx(math.exp(0.5), rel=0.15)


def test_rules_of_parker_by_hand():
    """Two boids: a hundredth of the way, away from one within 100, an eighth of the difference of velocities."""
    state = parker.State(np.array([[0.0, 0], [60, 0]]), np.array([[8.0, 0], [0, 8]]))
    found = parker.step(state, parker.Parameters(), order=[0])
    limited = parker.step(state, parker.Parameters(speed_limit=10), order=[0])
    expected = np.array([8 + 0.6 - 60 - 1, 1])

    assert found.velocities[0] == pytest.approx(expected)
    assert found.positions[0] == pytest.approx(expected)
    assert limited.velocities[0] == pytest.approx(10 * expected / np.hypot(*expected))


# Cucker and Smale


def pair(distance, speed):
    """Two birds on a line that fly apart."""
    return cucker_smale.State(np.array([[0.0], [distance]]), np.array([[0.0], [speed]]))


def gap(state):
    """Their distance and its rate."""
    return float(np.diff(state.positions[:, 0])[0]), float(np.diff(state.velocities[:, 0])[0])


def test_cucker_and_smale_keep_the_mean_velocity():
    """The mean stays, and neither the sum of squared differences nor the largest deviation from the mean grows."""
    parameters = cucker_smale.Parameters()
    state = first = cucker_smale.start(np.random.default_rng(0), parameters)
    mean = first.velocities.mean(axis=0)
    for _ in range(50):
        before, state = state, cucker_smale.step(state, parameters)

        assert state.velocities.mean(axis=0) == pytest.approx(mean, abs=1e-12)
        assert cucker_smale.spread(state.velocities) < cucker_smale.spread(before.velocities)
        assert np.max(((state.velocities - mean) ** 2).sum(1)) <= np.max(((before.velocities - mean) ** 2).sum(1))


def test_two_birds_of_constant_weight_approach_exponentially():
    """With β = 0 the difference of two velocities is exp(-2 K t), in a step 1 - 2 K h."""
    parameters = cucker_smale.Parameters(beta=0.0, strength=0.7, dt=1e-3)
    found = gap(run(cucker_smale, parameters, 1000, state=pair(1.0, 3.0)))[1]

    assert found == pytest.approx(3 * (1 - 2 * 0.7e-3) ** 1000, rel=1e-12)
    assert found == pytest.approx(3 * math.exp(-1.4), rel=2e-3)


def test_two_birds_of_beta_one_keep_a_sum():
    """With β = 1 and a unit sigma w + 2 K arctan x is constant to the order of h, so that a fast pair never agrees."""

    def drift(dt):
        parameters = cucker_smale.Parameters(beta=1.0, dt=dt)
        x, w = gap(run(cucker_smale, parameters, round(2 / dt), state=pair(1.0, 2.0)))
        return w + 2 * math.atan(x) - 2 - math.pi / 2

    assert abs(drift(1e-3)) < 2e-3
    assert drift(1e-3) / drift(2e-3) == pytest.approx(0.5, abs=0.02)
    x, w = gap(run(cucker_smale, cucker_smale.Parameters(beta=1.0, dt=0.005), 20000, state=pair(1.0, 2.0)))
    assert x > 40
    assert w == pytest.approx(0.466, abs=0.006)  # 2 - 2 arctan 1 = 0.429 in the end


def test_places_of_cucker_and_smale_use_old_velocities():
    """Both come from the old state; the other scheme moves places with the new velocities."""
    state = pair(1.0, 2.0)
    found = cucker_smale.step(state, cucker_smale.Parameters(dt=0.1))
    other = cucker_smale.step(state, cucker_smale.Parameters(dt=0.1, scheme="semi-implicit"))

    assert found.positions == pytest.approx(state.positions + 0.1 * state.velocities)
    assert other.positions == pytest.approx(state.positions + 0.1 * found.velocities)


# D'Orsogna


@pytest.mark.parametrize("parameters", [dorsogna.MILL, dorsogna.MILL_LARGE, dorsogna.STABLE, dorsogna.SWARM])
@pytest.mark.parametrize("scale", ["sum", "N"])
def test_forces_are_the_gradient_of_the_potential(parameters, scale):
    """Minus the central difference of the sum over all pairs, for each set of numbers."""
    parameters = replace(parameters, scale=scale)
    positions = np.random.default_rng(8).uniform(-2, 2, (6, 2))
    found = dorsogna.forces(positions, parameters)
    numerical = np.empty_like(found)
    for index in np.ndindex(positions.shape):
        shift = np.zeros_like(positions)
        shift[index] = 1e-5
        ahead, behind = (dorsogna.potential(positions + sign * shift, parameters) for sign in (1, -1))
        numerical[index] = -(ahead - behind) / 2e-5

    assert found == pytest.approx(numerical, abs=1e-7)
    assert found.sum(axis=0) == pytest.approx([0, 0], abs=1e-13)


@pytest.mark.parametrize("scheme", ["rk4", "semi-implicit"])
def test_a_single_particle_comes_to_the_cruising_speed(scheme):
    """Alone, |v|² grows logistically to alpha / beta."""
    parameters = dorsogna.Parameters(scheme=scheme)
    state = dorsogna.State(np.zeros((1, 2)), np.array([[0.3, 0.4]]))
    found = run(dorsogna, parameters, 50, state=state)  # t = 1
    square = 3.2 / (1 + (3.2 / 0.25 - 1) * math.exp(-2 * 1.6))

    assert (found.velocities**2).sum() == pytest.approx(square, rel=1e-7 if scheme == "rk4" else 0.05)
    assert np.hypot(*run(dorsogna, parameters, 1000, state=found).velocities[0]) == pytest.approx(math.sqrt(3.2))


def test_particles_without_drive_keep_energy_and_momenta():
    """With alpha = beta = 0 only the forces act: energy, momentum and angular momentum stay."""
    parameters = dorsogna.Parameters(count=10, alpha=0.0, beta=0.0, dt=0.01)
    first = dorsogna.start(np.random.default_rng(2), parameters)
    last = run(dorsogna, parameters, 100, state=first)

    def kept(state):
        (x, y), (u, v) = state.positions.T, state.velocities.T
        energy = (u**2 + v**2).sum() / 2 + dorsogna.potential(state.positions, parameters)
        return [energy, u.sum(), v.sum(), (x * v - y * u).sum()]

    assert kept(last) == pytest.approx(kept(first), abs=1e-4)
    assert kept(last)[1:] == pytest.approx(kept(first)[1:], abs=1e-7)


@pytest.mark.parametrize(("scheme", "order"), [("rk4", 4), ("semi-implicit", 1)])
def test_schemes_have_their_order(scheme, order):
    """Half the time step divides the error of places by 2 to the power of the order."""
    parameters = dorsogna.Parameters(count=4, half_side=1.0)
    state = dorsogna.State(
        np.array([[1.0, 0], [0, 1.3], [-1.6, 0], [0, -1.9]]), np.array([[0, 1.0], [-1, 0], [0, -1], [1, 0.5]])
    )

    def places(dt, scheme):
        return run(dorsogna, replace(parameters, dt=dt, scheme=scheme), round(0.8 / dt), state=state).positions

    exact = places(0.002, "rk4")
    coarse, fine = (abs(places(dt, scheme) - exact).max() for dt in (0.04, 0.02))

    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.3)


# All


@pytest.mark.parametrize("model", MODELS)
def test_one_interface_drives_all_loops(model):
    """A start of any count, the random inputs of a step, and a step that leaves what it was given as it was."""
    parameters = model.Parameters()
    first = model.start(np.random.default_rng(0), parameters, 7)
    inputs = model.draws(np.random.default_rng(1), first, parameters)
    before = {field.name: np.copy(getattr(first, field.name)) for field in fields(first)}
    one, other = model.step(first, parameters, **inputs), model.step(first, parameters, **inputs)

    assert first.positions.shape == first.velocities.shape == one.positions.shape == one.velocities.shape
    assert len(first.positions) == 7
    assert len(model.start(np.random.default_rng(0), replace(parameters, count=9)).positions) == 9
    for name, value in before.items():
        assert np.array_equal(getattr(first, name), value)
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert not np.array_equal(one.positions, first.positions)
    assert measured(parameters, one)["mean_speed"] > 0
    with pytest.raises(FrozenInstanceError):
        parameters.count = 3


def test_loops_know_nothing_of_the_package():
    """They import numpy and the standard library alone."""
    for model in (*MODELS, statistics):
        tree = ast.parse(Path(model.__file__).read_text("utf-8"))
        found = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        found |= {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}

        assert found <= {"dataclasses", "math", "numpy"}


def two(model, distance, heading=(0.0, 1.0)):
    """Two boids of a model, the second to the right of the first, with another velocity."""
    apart = np.array([[0.0, 0.0], [distance, 0.0]])
    velocities = 2.0 * np.array([heading, [1.0, 0.5]])
    if model is netlogo:
        return netlogo.State(apart, np.array([0.0, 90.0]))
    if model is mason:
        return mason.State(apart + 75, velocities, np.zeros(2, dtype=bool))
    if model is ben_eater:
        return ben_eater.State(apart + np.array([800, 450]), velocities)
    if model in (opensteer, lague):
        apart, velocities = (np.pad(array, ((0, 0), (0, 1))) for array in (apart, velocities))
    if model is opensteer:
        return vehicles(apart, velocities / np.sqrt((velocities**2).sum(axis=1, keepdims=True)), speed=4.0)
    return model.State(apart + (50 if model in (mesa, agents_jl) else 0), velocities)


@pytest.mark.parametrize(
    ("model", "radius", "inclusive"),
    [
        *[(netlogo, 5, True), (netlogo, 1, False), (mesa, 10, True), (mesa, 2, False)],
        *[(agents_jl, 5, True), (agents_jl, 2, False), (mason, 10, True)],
        *[(opensteer, 5, True), (opensteer, 7.5, True), (opensteer, 9, False)],
        *[(nature_of_code, 25, False), (nature_of_code, 50, False), (ben_eater, 75, False), (ben_eater, 20, False)],
        *[(lague, 2.5, False), (lague, 1, False), (rougier, 25, False), (rougier, 50, False), (parker, 100, False)],
    ],
)
def test_radii_are_where_the_sources_have_them(model, radius, inclusive):
    """A neighbor acts otherwise within a radius than beyond, and at the radius itself as the source compares."""
    heading = (1.0, 0.0) if model is opensteer else (0.0, 1.0)

    def after(distance):
        return model.step(two(model, distance, heading), model.Parameters(), order=[0]).velocities[0]

    inside, at, outside = after(radius * (1 - 1e-9)), after(radius), after(radius * (1 + 1e-9))

    assert abs(inside - outside).max() > 1e-4
    assert at == pytest.approx(inside if inclusive else outside, abs=1e-6)


@pytest.mark.parametrize(("distance", "cosine"), [(4, -0.707), (7, 0.7), (8, -0.15)])
def test_cones_of_opensteer(distance, cosine):
    """Beyond a rule's cone a neighbor has no part in it: separation, alignment and cohesion in turn."""

    def after(cosine):
        state = two(opensteer, distance, (cosine, math.sqrt(1 - cosine**2)))
        return opensteer.step(state, opensteer.Parameters(), order=[0]).velocities[0]

    inside, outside = after(cosine + 1e-9), after(cosine - 1e-9)

    assert abs(inside - outside).max() > 1e-4


def test_forces_of_opensteer_are_capped_and_smoothed_by_frame():
    """Three rules that agree make 28, which is cut to 27; the rate of smoothing is 9 dt between 0.15 and 0.4."""
    slightly = [math.sin(1e-6), math.cos(1e-6), 0]
    state = vehicles(
        [[0, 0, 0], [-1.4, 0, 0], *[[8, 0, z] for z in (-0.1, 0.1)]], [[0, 1, 0], slightly, [0, 0, 1], [0, 0, 1]]
    )

    for dt, rate in ((1 / 120, 0.15), (1 / 30, 0.3), (1 / 10, 0.4)):
        found = opensteer.step(state, opensteer.Parameters(dt=dt), order=[0])

        assert found.smoothed[0] == pytest.approx([27 * rate, 0, 0], abs=1e-4)


def test_alignment_of_opensteer_turns_to_a_difference():
    """A neighbor straight ahead at 6 pulls by 8 ahead, and by 8 along its heading minus the own one."""
    found = opensteer.step(vehicles([[0, 0, 0], [6, 0, 0]], [[1, 0, 0], [0, 1, 0]]), opensteer.Parameters(), order=[0])

    assert found.smoothed[0] == pytest.approx(0.15 * 8 * np.array([1 - math.sqrt(0.5), math.sqrt(0.5), 0]))


@pytest.mark.parametrize(
    ("model", "places", "rates"),
    [
        (netlogo, (-35.5, 35.5), None),
        (mesa, (0, 100), (-1, 1)),
        (agents_jl, (0, 100), (-1, 1)),
        (mason, (0, 150), (0, 0)),
        (nature_of_code, (320, 320, 120, 120), (-1, 1)),
        (ben_eater, (0, 1600, 0, 900), (-5, 5)),
        (opensteer, (-20, 20), (-2.7, 2.7)),
        (lague, (-2.37, 2.37), (-6.5, 6.5)),
        (rougier, (140, 500, 0, 360), (-1, 1)),
        (parker, (-500, 500), (-5, 5)),
        (cucker_smale, (0, 10), None),
        (dorsogna, (-2, 2), (-1, 1)),
    ],
)
def test_starts_fill_what_the_sources_fill(model, places, rates):
    """Places and components of velocities come close to the ends of their ranges, and never leave them."""
    found = model.start(np.random.default_rng(0), model.Parameters(), 40_000)
    for values, ends in ((found.positions, places), (found.velocities, rates)):
        for axis, column in enumerate(values.T if ends else ()):
            low, high = ends[2 * axis : 2 * axis + 2] if len(ends) > 2 else ends
            slack = (high - low) * (0.01 if values.shape[1] == 3 else 2e-3)

            assert low - 1e-5 <= column.min() <= low + slack
            assert high - slack <= column.max() <= high + 1e-5


@pytest.mark.parametrize(("place", "push"), [((199, 450), (1, 0)), ((200, 200), (0, 0)), ((1401, 701), (-1, -1))])
def test_margins_of_ben_eater(place, push):
    """Within 200 pixels of an edge the velocity changes by 1 a frame."""
    state = ben_eater.State(np.array([place], dtype=float), np.array([[3.0, 4]]))
    found = ben_eater.step(state, ben_eater.Parameters())

    assert found.velocities[0] == pytest.approx(np.array([3, 4]) + push)


def test_numbers_of_the_papers_models():
    """Weight and force of a pair, with the chosen numbers written out."""
    pulls = cucker_smale.pulls(np.array([[0.0], [2.0]]), np.array([[0.0], [1.0]]), cucker_smale.Parameters())
    forces = dorsogna.forces(np.array([[0.0, 0.0], [1.0, 0.0]]), dorsogna.Parameters())

    assert pulls[0, 0] == pytest.approx(5**-0.3)
    assert forces[0] == pytest.approx([0.25 * math.exp(-0.5) - 2 * math.exp(-2), 0])
    assert (cucker_smale.Parameters().dt, dorsogna.Parameters().dt) == (0.01, 0.02)


@pytest.mark.parametrize("model", SEQUENTIAL)
def test_orders_differ(model):
    """A later one sees what an earlier one has done, unless all act together; then the order has no effect."""
    parameters = model.Parameters(count=60)
    state = model.start(np.random.default_rng(5), parameters)
    backward = np.arange(60)[::-1]

    def after(order, sequence):
        return model.step(state, replace(parameters, order=order), order=sequence).velocities

    assert abs(after("index", None) - after("index", backward)).max() > 1e-6
    assert abs(after("together", None) - after("together", backward)).max() < 1e-12
    assert abs(after("together", None) - after("index", None)).max() > 1e-6
