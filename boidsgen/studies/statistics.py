"""Statistics: what many numbers of one run, or one number of many runs, come down to.

correlated_error(values)     standard error of the mean of a series whose values depend on those before them
Moments                      means of the second and fourth powers, which susceptibility and Binder cumulant need
susceptibility, binder       of an order parameter, over the runs of one point
jackknife(estimate, runs)    an estimate over runs, and its standard error
SPREADS                      what may be shown around a mean: standard error, standard deviation, quantiles, range
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WINDOW = 5.0
"""The sum over correlations ends after so many correlation times: further on there is only noise (Sokal)."""


class Moments(NamedTuple):
    """What is kept of the values of one measure in one run.

    Attributes:
        mean: of the values.
        second: mean of their squares.
        fourth: mean of their fourth powers.
        boids: how many there are.
    """

    mean: float
    second: float
    fourth: float
    boids: int


class Estimate(NamedTuple):
    """A number and what stands around it.

    Attributes:
        value: the number.
        low: lower end of the spread.
        high: upper end of the spread.
    """

    value: float
    low: float
    high: float


def correlated_error(values: Sequence[float]) -> float | None:
    """The standard error of a mean over a series, sqrt(2 tau variance / n); None for fewer than two values.

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
    tau = 0.5 + np.concatenate(([0.0], _autocorrelation(away)[1:].cumsum()))
    window = int(np.argmax(np.arange(count) >= WINDOW * tau))  # the last lag always is: tau of all lags is zero
    return float(np.sqrt(max(2 * tau[window], 1.0) * variance / count))


def _autocorrelation(away: Array) -> Array:
    """Of a series with mean zero at each lag from 0, shape (n,), 1 at lag 0."""
    spectrum = np.fft.rfft(away, 2 * len(away))
    sums = np.fft.irfft(np.abs(spectrum) ** 2)[: len(away)]
    correlation: Array = sums / sums[0]
    return correlation


def susceptibility(runs: Sequence[Moments]) -> float:
    """N (<m²> - <m>²) of an order parameter m, the means over all frames of all runs; N is the number of boids."""
    mean, second = (float(np.mean([run[power] for run in runs])) for power in range(2))
    return float(np.mean([run.boids for run in runs])) * max(0.0, second - mean**2)


def binder(runs: Sequence[Moments]) -> float:
    """1 - <m⁴> / (3 <m²>²) of an order parameter m, the means over all frames of all runs; 0 where all m are 0.

    Source: K. Binder, Finite size scaling analysis of Ising model block distribution functions, Zeitschrift für Physik
    B 43, 1981; for flocks G. Grégoire and H. Chaté, Physical Review Letters 92, 2004.
    """
    second, fourth = (float(np.mean([run[power] for run in runs])) for power in (1, 2))
    return 1 - fourth / (3 * second**2) if second else 0.0


OVER_RUNS: Mapping[str, Callable[[Sequence[Moments]], float]] = {
    "susceptibility": susceptibility,
    "binder_cumulant": binder,
}
"""What is computed from the moments of all runs of a point."""


def jackknife(estimate: Callable[[Sequence[Moments]], float], runs: Sequence[Moments]) -> tuple[float, float]:
    """An estimate over all runs, and its standard error by leaving out each run in turn; 0 for a single run."""
    value, count = estimate(runs), len(runs)
    if count < 2:
        return value, 0.0
    without = np.array([estimate([*runs[:number], *runs[number + 1 :]]) for number in range(count)])
    return value, float(np.sqrt((count - 1) * without.var()))


def _by_standard_error(values: Array) -> Estimate:
    return _around(values, values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0)


def _by_standard_deviation(values: Array) -> Estimate:
    return _around(values, values.std(ddof=1) if len(values) > 1 else 0.0)


def _by_quantiles(values: Array) -> Estimate:
    return Estimate(*np.quantile(values, (0.5, 0.1, 0.9)).tolist())


def _by_range(values: Array) -> Estimate:
    return Estimate(float(values.mean()), float(values.min()), float(values.max()))


def _around(values: Array, half: float) -> Estimate:
    mean = float(values.mean())
    return Estimate(mean, mean - float(half), mean + float(half))


SPREADS: Mapping[str, tuple[str, Callable[[Array], Estimate]]] = {
    "error": ("mean and standard error", _by_standard_error),
    "deviation": ("mean and standard deviation", _by_standard_deviation),
    "quantiles": ("median, and 10 % to 90 % of the runs", _by_quantiles),
    "range": ("mean, lowest and highest", _by_range),
}
"""What may be shown of the runs of a point, by the name of the option: its description, and how it is computed."""


def estimate(values: Iterable[float], spread: str) -> Estimate:
    """A number for the runs of one point, at least one, and the spread around it."""
    return SPREADS[spread][1](np.array(list(values)))
