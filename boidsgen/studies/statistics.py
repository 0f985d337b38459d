"""Statistics: standard errors of correlated series, estimates over runs, and the spreads that figures show.

The order parameter m of a run has N boids; means are over all frames of all runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]

WINDOW = 5.0
"""The sum of autocorrelations ends after this many correlation times; beyond there is only noise (Sokal)."""


class Moments(NamedTuple):
    """Moments of one measure in one run.

    Attributes:
        mean: of the values.
        second: mean of their squares.
        fourth: mean of their fourth powers.
        boids: number of boids.
    """

    mean: float
    second: float
    fourth: float
    boids: int


class Estimate(NamedTuple):
    """A number and the ends of its spread."""

    value: float
    low: float
    high: float


def correlated_error(values: Sequence[float]) -> float | None:
    """Standard error of the mean of a series, sqrt(2 tau variance / n); None for fewer than two values.

    tau = 1/2 + the sum of the autocorrelations up to the smallest lag M that is at least 5 tau(M), and at least 1/2:
    the error is never below that of independent values. Source: A. Sokal, Monte Carlo methods in statistical
    mechanics: foundations and new algorithms, 1997 (lectures of 1989).
    """
    count = len(values)
    if count < 2:
        return None
    away = np.asarray(values) - np.mean(values)
    variance = float((away**2).sum()) / (count - 1)
    if variance == 0:
        return 0.0
    spectrum = np.fft.rfft(away, 2 * count)
    sums = np.fft.irfft(np.abs(spectrum) ** 2)[:count]
    tau = 0.5 + np.concatenate(([0.0], (sums / sums[0])[1:].cumsum()))
    window = int(np.argmax(np.arange(count) >= WINDOW * tau))  # the last lag always is: tau of all lags is zero
    return float(np.sqrt(max(2 * tau[window], 1.0) * variance / count))


def susceptibility(runs: Sequence[Moments]) -> float:
    """N (<m²> - <m>²) of an order parameter m."""
    mean, second = (float(np.mean([run[power] for run in runs])) for power in range(2))
    return float(np.mean([run.boids for run in runs])) * max(0.0, second - mean**2)


def binder_cumulant(runs: Sequence[Moments]) -> float:
    """1 - <m⁴> / (3 <m²>²) of an order parameter m; 0 where all m are 0.

    Source: K. Binder, Finite size scaling analysis of Ising model block distribution functions, Zeitschrift für Physik
    B 43, 1981; for flocks G. Grégoire and H. Chaté, Physical Review Letters 92, 2004.
    """
    second, fourth = (float(np.mean([run[power] for run in runs])) for power in (1, 2))
    return 1 - fourth / (3 * second**2) if second else 0.0


OVER_RUNS: Mapping[str, Callable[[Sequence[Moments]], float]] = {
    "susceptibility": susceptibility,
    "binder_cumulant": binder_cumulant,
}
"""Functions of the moments of all runs of a point."""


def jackknife(function: Callable[[Sequence[Moments]], float], runs: Sequence[Moments]) -> tuple[float, float]:
    """A function of all runs, and its standard error by leaving out each run in turn; 0 for a single run."""
    value, count = function(runs), len(runs)
    if count < 2:
        return value, 0.0
    without = np.array([function([*runs[:number], *runs[number + 1 :]]) for number in range(count)])
    return value, float(np.sqrt((count - 1) * without.var()))


def _mean_and(half: Callable[[_Array], float]) -> Callable[[_Array], Estimate]:
    """The mean, and around it a half width, which a single value has not."""

    def estimate(values: _Array) -> Estimate:
        mean, around = float(values.mean()), float(half(values)) if len(values) > 1 else 0.0
        return Estimate(mean, mean - around, mean + around)

    return estimate


SPREADS: Mapping[str, tuple[str, Callable[[_Array], Estimate]]] = {
    "error": ("mean and standard error", _mean_and(lambda values: values.std(ddof=1) / np.sqrt(len(values)))),
    "deviation": ("mean and standard deviation", _mean_and(lambda values: values.std(ddof=1))),
    "quantiles": (
        "median, and 10 % to 90 % of the runs",
        lambda values: Estimate(*np.quantile(values, (0.5, 0.1, 0.9)).tolist()),
    ),
    "range": (
        "mean, lowest and highest",
        lambda values: Estimate(float(values.mean()), float(values.min()), float(values.max())),
    ),
}
"""Spreads of the runs of a point, by the name of the option: description and function."""


def estimate(values: Iterable[float], spread: str) -> Estimate:
    """A number for the runs of one point, at least one, and the spread around it."""
    return SPREADS[spread][1](np.array(list(values)))
