"""What is measured, and when; and what changes with the distance, by hand."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.simulation import Setup, simulate
from boidsgen.simulation.measures import MEASURES, USUAL_MEASURES, measure
from boidsgen.simulation.measuring import KNOWN, RUN_MEASURES, MeanSquaredDisplacement, Measurement, Measuring, unit_of
from boidsgen.simulation.profiles import PROFILES, SHELLS, distances, everybody
from boidsgen.simulation.world import Clock
from tests.simulation.test_measures import AGAINST_EACH_OTHER, PAIRS_ON_A_LINE, state


@pytest.mark.parametrize(
    ("keys", "clock", "frames"),
    [
        ({}, {"frames": 3}, [2, 1, 0]),
        ({"from": 2}, {"frames": 5}, [4, 3, 2]),
        ({"from": 1, "every": 2}, {"frames": 6}, [5, 3, 1]),
        ({"from": 2, "every": 2}, {"frames": 6}, [5, 3]),
        ({"after": 7.0}, {"frames": 5, "steps_per_frame": 2, "dt": 1.0}, [4]),
        ({"after": 6.0}, {"frames": 5, "steps_per_frame": 2, "dt": 1.0}, [4, 3]),
        ({"after": 6.0}, {"frames": 5, "steps_per_frame": 2, "dt": 1.0, "warmup": 4}, [4, 3, 2, 1]),
        ({"after": 0.3}, {"frames": 5, "dt": 0.1}, [4, 3]),
        ({"after": 0.3, "from": 4}, {"frames": 5, "dt": 0.1}, [4]),
    ],
)
def test_frames_are_counted_back_from_the_last_one(keys, clock, frames):
    """The last frame is always measured, and none before the first that may be."""
    assert list(Measuring.model_validate(keys).frames(Clock.model_validate(clock))) == frames


def test_where_nobody_says_how_often_a_bound_does():
    """A hundred frames under a bound of ten are measured at every tenth."""
    assert list(Measuring().frames(Clock(frames=100), most=10)) == list(range(99, 0, -10))
    assert len(Measuring.model_validate({"every": 1}).frames(Clock(frames=100), most=10)) == 100


def test_only_what_is_named_is_computed(monkeypatch):
    """A measure that is not wanted is never asked."""

    def refuse(_, __):
        raise AssertionError

    for name, kind in MEASURES.items():
        if name != "polarization":
            monkeypatch.setattr(kind, "value", refuse)
    setup = Setup.model_validate({"flock": {"count": 4}, "time": {"frames": 3}})
    measurement = Measurement(Measuring.model_validate({"names": ("polarization",), "from": 1}), setup.time)

    values = [measurement.of(state) for state in simulate(setup)]

    assert values[0] is None
    assert values[1:] == [measure(state, ["polarization"]) for state in simulate(setup)][1:]


def test_displacement_is_that_of_straight_flight():
    """Who flies straight for t has gone v t, however often round the torus: the mean square is v² t²."""
    clock = {"frames": 60}
    flock = {"count": 9, "max_speed": 3.0, "min_speed": 3.0, "start": {"layout": "uniform", "speed": (3.0, 3.0)}}
    still = {rule: {"weight": 0.0} for rule in ("separation", "alignment", "cohesion")}
    setup = Setup.model_validate({"world": {"size": (20.0, 30.0)}, "flock": {**flock, **still}, "time": clock})
    wanted = Measuring.model_validate({"names": ("mean_squared_displacement",), "from": 10, "every": 7})
    measurement = Measurement(wanted, setup.time)

    found = {state.frame: values for state in simulate(setup) if (values := measurement.of(state))}

    first = min(found)
    assert first == 10
    expected = {frame: {"mean_squared_displacement": pytest.approx((3.0 * (frame - first)) ** 2)} for frame in found}
    assert found == expected


def test_displacement_ends_when_boids_come_or_go():
    """Who is who is not known any more, and the measure is no longer defined."""
    course = MeanSquaredDisplacement()

    values = [course.value(everybody(state([[1, 1]] * count))) for count in (2, 2, 3, 2)]

    assert values == [0.0, 0.0, None, None]
    assert MeanSquaredDisplacement().value(everybody(state(np.empty((0, 2))))) is None


def test_density_by_hand():
    """Four boids within 1 of their center, in a world whose shells are 1 wide: 4 / pi in the first, none beyond."""
    cross = np.array([[0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]]) + 25
    flat = everybody(state(cross, size=(50.0, 50.0), boundary="open"))
    deep = everybody(state(np.insert(cross, 2, 25.0, axis=1), size=(50.0, 50.0, 50.0), boundary="open"))

    assert PROFILES["density_profile"]().values(flat) == pytest.approx([4 / math.pi] + [0] * (SHELLS - 1))
    assert PROFILES["density_profile"]().values(deep) == pytest.approx([3 / math.pi] + [0] * (SHELLS - 1))
    assert distances(flat.world)[:2].tolist() == [0.5, 1.5]


def test_correlation_by_hand():
    """Two that rise and two that sink: 1 at a distance of 1, -1 from 4 to 6, and nothing known elsewhere."""
    line = everybody(state(np.array(PAIRS_ON_A_LINE) - (0, 20), AGAINST_EACH_OTHER, size=(50.0, 50.0), boundary="open"))

    found = PROFILES["velocity_correlation"]().values(line)

    expected = np.full(SHELLS, np.nan)
    expected[[1, 4, 5, 6]] = [1, -1, -1, -1]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("kind", [*RUN_MEASURES.values(), *PROFILES.values()])
def test_everything_measured_says_what_it_is(kind):
    """Each has a definition, and a unit that reports can show."""
    assert kind.__doc__
    assert kind.unit in map(unit_of, KNOWN)


def test_a_measure_may_be_named_once():
    """Naming one twice, none, or an unknown one is a mistake; without names the usual ones are meant."""
    assert Measuring().names == USUAL_MEASURES
    for names in ((), ("groups", "groups"), ("order",)):
        with pytest.raises(ValidationError):
            Measuring.model_validate({"names": names})
