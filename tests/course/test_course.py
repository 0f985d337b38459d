"""What the course page in docs/course.md claims, each claim as a measure: a median over three seeds, or twenty.

The slow form runs the twenty seeds that the documents' own loops are measured over.
"""

from functools import cache
from statistics import median

import pytest

from boidsgen import load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.measures import measure

SHORT, FULL = (1, 2, 3), tuple(range(20))


@pytest.fixture(params=[pytest.param(SHORT, id="short"), pytest.param(FULL, id="full", marks=pytest.mark.slow)])
def at_the_end(request):
    """A function that gives the median over the seeds of one measure at the last frame."""

    def measured_at_the_end(name, measured, changes=(), frames=400):
        return median(_last(name, changes, frames, seed)[measured] for seed in request.param)

    return measured_at_the_end


@cache
def _last(name, changes, frames, seed):
    overrides = {**dict(changes), "time.frames": frames, "seed": seed}
    *_, state = simulate(load_scenario(name, overrides=overrides))
    return measure(state)


def without(rule):
    return ((f"flock.{rule}.weight", 0.0),)


def test_the_whole_flock_flies_one_way(at_the_end):
    """With all three rules the canonical flock becomes one group or two that fly one way, spaced out."""
    assert at_the_end("002-canonical", "polarization") > 0.85
    assert at_the_end("002-canonical", "groups") <= 2
    assert at_the_end("002-canonical", "nearest_neighbor_distance") > 10


def test_without_separation_they_clump(at_the_end):
    """Separation off: boids gather in few points, less than a third as far from each other as in the whole flock."""
    clumped = at_the_end("002-canonical", "nearest_neighbor_distance", without("separation"))

    assert clumped < at_the_end("002-canonical", "nearest_neighbor_distance") / 3


def test_without_alignment_headings_stay_random(at_the_end):
    """Alignment off: headings stay as random as at the start, though the boids stay together."""
    assert at_the_end("002-canonical", "polarization", without("alignment")) < 0.4
    assert at_the_end("002-canonical", "nearest_neighbor_distance", without("alignment")) < 30


def test_without_cohesion_they_disperse(at_the_end):
    """Cohesion off: boids spread over the whole world, half as far again from each other as in the whole flock."""
    spread = at_the_end("002-canonical", "nearest_neighbor_distance", without("cohesion"))

    assert spread > 1.5 * at_the_end("002-canonical", "nearest_neighbor_distance")
    assert at_the_end("002-canonical", "polarization", without("cohesion")) > 0.95
    # 108 over twenty seeds; the first three alone give more than 110: lucky ones.
    assert at_the_end("002-canonical", "dispersion", without("cohesion")) > 105


def test_three_retunings_three_characters(at_the_end):
    """After the document's 200 frames: a wide cloud that flies no one way, streams that do, tight balls that do not."""
    spacing = {name: at_the_end(f"002-{name}", "nearest_neighbor_distance", frames=200) for name in RETUNED}
    polarization = {name: at_the_end(f"002-{name}", "polarization", frames=200) for name in RETUNED}

    assert spacing["separation"] > 25 > spacing["alignment"] > spacing["cohesion"]
    assert spacing["cohesion"] < spacing["separation"] / 2
    assert polarization["alignment"] > 0.95
    assert polarization["separation"] < 0.7
    assert polarization["cohesion"] < 0.4


RETUNED = ("separation", "alignment", "cohesion")


@pytest.mark.parametrize(
    ("state", "polarized", "rotating"),
    [("swarm", False, False), ("torus", False, True), ("parallel", True, False), ("highly-parallel", True, False)],
)
def test_four_collective_states(state, polarized, rotating):
    """Couzin's four states are told apart by polarization and rotation, with the thresholds in use: 0.7 and 0.5."""
    scenario = load_scenario(f"couzin-{state}")
    *_, last = simulate(scenario)
    measured = measure(last, ["polarization", "rotation"])

    assert (measured["polarization"] > 0.7) == polarized
    assert (measured["rotation"] > 0.5) == rotating


def test_trap_of_the_separation_that_does_not_grow():
    """With the lesson's steering two boids come half as near to each other as with a push that grows."""
    growing = {"steering": "direct", "falloff": "inverse_square", "weight": 125.0}
    changes = {f"flock.{n}.separation.{key}": value for n in (0, 1) for key, value in growing.items()}

    lesson, grown = (_nearest("trap-separation", changed) for changed in ({}, changes))

    assert lesson < 0.6 * grown


def _nearest(name, changes):
    states = simulate(load_scenario(name, overrides=changes))
    return min(measure(state, ["nearest_neighbor_distance"])["nearest_neighbor_distance"] for state in states)


def test_trap_of_the_frame_rate(at_the_end):
    """The same ten seconds at half the ticks leave the lesson's flock far less aligned."""
    half = (("time.dt", 1 / 30), ("time.steps_per_frame", 1))

    full_rate = at_the_end("trap-frame-rate", "polarization", frames=300)
    half_rate = at_the_end("trap-frame-rate", "polarization", half, frames=300)

    assert half_rate < 0.75 * full_rate


def test_trap_of_the_edge_that_cuts(at_the_end):
    """A flock on a torus stays one group; if neighbors are not seen across the edge, it is cut into several."""
    assert at_the_end("trap-edges", "groups", frames=260) == 1
    assert at_the_end("trap-edges", "groups", (("world.boundary", "wrap"),), frames=260) > 1


def test_vicsek_transition(at_the_end):
    """Noise turns order into disorder, steeply: from more than 0.8 to less than 0.35 between weights 0.2 and 0.6."""
    weights = (0.1, 0.2, 0.6, 0.8)
    order = [at_the_end("vicsek", "polarization", (("flock.noise.weight", weight),), 150) for weight in weights]

    assert min(order[:2]) > 0.8
    assert max(order[2:]) < 0.35
