"""Errors of means held against the scatter of means, over series of known and of flocking origin; and the notice."""

import re

import numpy as np
import pytest

from boidsgen import measure
from boidsgen.measuring import accuracy, disagreement_notice, summary, unsettled_notice

WITHIN = 1.25  # Maximum factor between the reported error and the true one


def autoregressive(memory, runs, length, seed=5):
    """Series x' = a x + noise in equilibrium, shape (runs, length)."""
    noise = np.random.default_rng(seed).normal(size=(runs, length))
    values = np.empty((runs, length))
    values[:, 0] = noise[:, 0] / np.sqrt(1 - memory**2)
    for number in range(1, length):
        values[:, number] = memory * values[:, number - 1] + noise[:, number]
    return values


def true_error(memory, length):
    """Of the mean of such a series: the sum over all pairs of values of a^|i - j| / (1 - a²)."""
    covariance = sum(memory ** abs(i - j) for i in range(length) for j in range(length)) / (1 - memory**2)
    return np.sqrt(covariance) / length


def vicsek(degrees, boids, runs, frames):
    """Order of independent flocks of Vicsek et al. 1995 at density 4, every tenth step after 300, (runs, frames)."""
    side = (boids / 4) ** 0.5
    flock = {"flock.angular_noise": degrees, "flock.count": boids, "world.size": [side, side]}
    clock = {"time.warmup": 300, "time.frames": frames, "measure.from": 0}
    return measure("vicsek-1995", seeds=runs, overrides={**flock, **clock})["polarization"].reshape(runs, frames)


@pytest.mark.parametrize("length", [50, 200, 500])
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_the_error_is_that_of_the_mean(memory, length):
    """Over 400 series the mean of the reported errors is within 1.25 of the exact one."""
    reported = [accuracy(one).error for one in autoregressive(memory, 400, length)]

    assert 1 / WITHIN < np.mean(reported) / true_error(memory, length) < WITHIN


@pytest.mark.parametrize("count", [2, 3, 7, 8, 15, 31])
def test_few_values(count):
    """The error of a few independent values is not far too small, however they fall into blocks."""
    reported = [accuracy(one).error for one in autoregressive(0.0, 400, count)]

    assert 0.75 < np.mean(reported) * np.sqrt(count) < 1.3
    assert accuracy(autoregressive(0.0, 1, count)[0]).settled is None


def hold_windows(series, windows):
    """Means of windows scatter within 1.25 of the mean reported error; at most 5 % are called unsettled."""
    for window in windows:
        parts = series[:, : series.shape[1] // window * window].reshape(-1, window)
        found = [accuracy(part) for part in parts]
        true = parts.mean(axis=1).std(ddof=1)
        assert 1 / WITHIN < np.mean([one.error for one in found]) / true < WITHIN, window
        assert np.mean([not one.settled for one in found]) <= 0.05, window


@pytest.mark.parametrize(("degrees", "boids"), [(240, 64), (360, 40)])
def test_the_error_is_the_scatter_of_means_of_vicsek(degrees, boids):
    """Near the transition, where a fast and a slow correlation are mixed, and beyond it."""
    hold_windows(vicsek(degrees, boids, runs=64, frames=200), [200])


@pytest.mark.slow
@pytest.mark.parametrize("degrees", [150, 180, 240, 360])
def test_the_error_is_the_scatter_of_means_of_vicsek_in_full(degrees):
    """With 100 boids on both sides of the transition, in windows of 200 and 500 frames."""
    hold_windows(vicsek(degrees, 100, runs=64, frames=1000), [200, 500])


@pytest.mark.parametrize(("memory", "tau"), [(0.0, 0.5), (0.5, 1.5), (0.9, 9.5)])
def test_autocorrelation_time(memory, tau):
    """For x' = a x + noise it is (1 + a) / (2 (1 - a)), and n_eff values of 2 tau each are all."""
    found = [accuracy(one) for one in autoregressive(memory, 20, 40_000)]

    assert np.median([one.tau for one in found]) == pytest.approx(tau, rel=0.2)
    assert [one.n_eff * 2 * one.tau for one in found] == pytest.approx([40_000] * 20)


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_a_start_that_has_not_settled_is_found(memory):
    """A rise by six standard deviations over the first half is found in 17 of 20 series; no rise, in at most one."""
    series = autoregressive(memory, 20, 500)
    rising = series + 6 * series.std() * np.linspace(-1, 1, 500).clip(max=0)

    assert sum(accuracy(one).settled is False for one in rising) >= 17
    assert sum(accuracy(one).settled is False for one in series) <= 1


def test_short_and_constant_series():
    """One value has no error; one that only rounding changes has an error of 0, and tiny drifts count as settled."""
    assert accuracy([]) is None
    assert accuracy([1.0]) is None
    assert accuracy([0.1, 0.1, 0.1]) == (0.0, 0.5, 3.0, None)
    assert accuracy([1.0, 1.0 - 1e-15] * 20) == (0.0, 0.5, 40.0, True)
    assert accuracy([0.0] * 20 + [1.0] * 20).settled is False
    assert accuracy(1 - 1e-5 * 0.9 ** np.arange(200)).settled
    assert accuracy(1 - 0.1 * 0.9 ** np.arange(200)).settled is False
    assert accuracy([0.0, 1.0]).error == pytest.approx(0.5)


def test_unsettled_runs_are_named():
    """Measures that are unsettled in more than a tenth of the runs are; one in ten or none gives no line."""
    runs = [{"a": number > 1, "b": number > 0, "c": None} for number in range(10)]

    assert unsettled_notice(runs) == (
        "not settled: a in 2 of 10 runs; means include the start, measure later (--from FRAME) or longer",
    )
    assert unsettled_notice(runs[2:]) == unsettled_notice([]) == unsettled_notice([{"a": None}]) == ()
    assert unsettled_notice([dict.fromkeys("abcde", False)])[0].startswith("not settled: a, b, c and 2 more; ")


@pytest.mark.parametrize("memory", [0.0, 0.7, 0.95])
@pytest.mark.parametrize("runs", [2, 5, 20])
def test_seeds_of_one_state_are_not_told_apart(memory, runs):
    """Of 100 sets of runs in one state, however correlated their values, at most one is said to be in several."""
    series = autoregressive(memory, 100 * runs, 300).reshape(100, runs, 300)
    told = [disagreement_notice(summary({"a": one}) for one in some) for some in series]

    assert sum(map(bool, told)) <= 1


def test_seeds_in_several_states_are_told():
    """Means that differ ten times more than their errors explain give one line, which names the largest first."""
    series = autoregressive(0.5, 10, 300)
    states = 2.0 * (np.arange(10) % 2)[:, None]
    runs = [
        summary({"a": one, "b": one + state, "c": one + 9 * state}) for one, state in zip(series, states, strict=True)
    ]
    (line,) = disagreement_notice(runs)
    told = re.findall(r"(\w) by (\d+) times its standard error", line)

    assert line.startswith("not one state: seeds differ in c by ")
    assert [name for name, _ in told] == ["c", "b"]
    assert 5 < int(told[1][1]) < int(told[0][1])


@pytest.mark.parametrize(
    "changed", [{}, {"error": {"a": None}}, {"settled": {"a": False}}, {"settled": {"a": None}}, {"mean": {}}]
)
def test_runs_whose_errors_mean_nothing_do_not_count(changed):
    """One seed, runs that are not settled or too short to tell, and measures that are missing give no line."""
    runs = [{**summary({"a": one}), **changed} for one in (np.arange(40) % 2, 9 + np.arange(40) % 2)]

    assert bool(disagreement_notice(runs)) == (not changed)
    assert disagreement_notice(runs[:1]) == disagreement_notice([]) == ()


@pytest.mark.parametrize(
    ("scenario", "settings", "differs"),
    [
        ("quickstart", {"time.warmup": 600, "time.frames": 200}, False),
        (
            "vicsek-1995",
            {"flock.count": 100, "world.size": [5, 5], "flock.angular_noise": 150, "time.warmup": 1000},
            False,
        ),
        pytest.param(
            "couzin-torus",
            {"flock.zones.orientation": 2.5, "time.warmup": 2000, "time.frames": 200},
            True,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_only_a_flock_with_several_states_is_told(boidsgen, scenario, settings, differs):
    """20 seeds of a settled flock give no line; those of a school that mills or swims one way give it."""
    given = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    found = boidsgen("measure", scenario, *given, "--seeds", "20", "-o", "-", "--format", "csv")

    assert ("not one state: " in found.err) == differs
