"""Statistics by hand, and against series whose correlation is known."""

import numpy as np
import pytest

from boidsgen.studies.results import SPREADS, Moments, binder_cumulant, estimate, jackknife, susceptibility
from boidsgen.studies.tasks import correlated_error


def test_moments_of_an_order_parameter_by_hand():
    """Two runs of ten boids with values 0 and 1 in equal shares: N (1/2 - 1/4) and 1 - (1/2) / (3/4)."""
    runs = [Moments(0.0, 0.0, 0.0, 10), Moments(1.0, 1.0, 1.0, 10)]

    assert susceptibility(runs) == pytest.approx(2.5)
    assert binder_cumulant(runs) == pytest.approx(1 / 3)
    assert binder_cumulant([Moments(0.0, 0.0, 0.0, 10)]) == 0


def test_order_has_the_binder_cumulant_of_order():
    """A value that never changes gives 2/3; one of two normal components gives 1/3."""
    pair = np.hypot(*np.random.default_rng(1).normal(size=(2, 200_000)))

    assert binder_cumulant([Moments(0.9, 0.81, 0.9**4, 5)]) == pytest.approx(2 / 3)
    assert binder_cumulant([Moments(pair.mean(), (pair**2).mean(), (pair**4).mean(), 5)]) == pytest.approx(
        1 / 3, abs=0.01
    )


def test_jackknife_of_a_mean_is_its_standard_error():
    """For the mean, leaving out each run in turn gives the usual standard error."""
    values = np.array([1.0, 2.0, 4.0, 9.0])
    runs = [Moments(value, 0.0, 0.0, 1) for value in values]

    value, error = jackknife(lambda some: float(np.mean([run.mean for run in some])), runs)

    assert (value, error) == pytest.approx((4.0, values.std(ddof=1) / 2))
    assert jackknife(susceptibility, runs[:1])[1] == 0


@pytest.mark.parametrize(("memory", "tau"), [(0.0, 0.5), (0.5, 1.5), (0.9, 9.5)])
def test_correlated_series_have_larger_errors(memory, tau):
    """For x' = a x + noise the integrated time is (1 + a) / (2 (1 - a)): the error is the true one, not the naive."""
    random, length = np.random.default_rng(5), 40_000
    noise = random.normal(size=length)
    values = np.empty(length)
    values[0] = 0
    for number in range(1, length):
        values[number] = memory * values[number - 1] + noise[number]

    expected = np.sqrt(2 * tau * values.var() / length)
    assert correlated_error(values) == pytest.approx(expected, rel=0.15)


def test_short_and_constant_series():
    """One value has no error, and one that never changes has none of any size."""
    assert correlated_error([]) is None
    assert correlated_error([1.0]) is None
    assert correlated_error([2.0, 2.0, 2.0]) == 0
    assert correlated_error([0.0, 1.0]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        ("error", (3.0, 3 - np.sqrt(2.5 / 5), 3 + np.sqrt(2.5 / 5))),
        ("deviation", (3.0, 3 - np.sqrt(2.5), 3 + np.sqrt(2.5))),
        ("quantiles", (3.0, 1.4, 4.6)),
        ("range", (3.0, 1.0, 5.0)),
    ],
)
def test_spreads_by_hand(spread, expected):
    """Of 1 to 5 the mean is 3, the variance 2.5; the lowest tenth ends at 1.4."""
    assert set(SPREADS) == {"error", "deviation", "quantiles", "range"}
    assert estimate([1, 2, 3, 4, 5], spread) == pytest.approx(expected)
    assert estimate([2.0], spread) == pytest.approx((2.0, 2.0, 2.0))
