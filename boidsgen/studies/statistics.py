"""Accuracy of the mean of a correlated series, such as a measure in the frames of one run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, inf, isqrt, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MIN_BLOCKS = 8  # Blocks of a series of up to a thousand values; of longer ones there are sqrt(n) / 4
MAX_CORRELATION = 0.85
"""Maximum correlation between the means of successive blocks; the error grows by a factor of up to 3.5 for it."""
UNSETTLED = 4.0  # Standard errors between the beginning of a series and its second half that chance does not explain
MIN_DRIFT = 1e-4  # Differences between the same, relative to the latter, that no reader of a mean cares about
ROUNDING = 1e-9  # Differences of a series relative to its mean that are taken for rounding
MIN_JUDGED = 32  # Minimum number of values that are tested for stationarity
FIRST_SEEDS = 8  # Seeds of a cell before its error is looked at; of fewer the error is too uncertain
UNLIKELY = 3.09  # Standard deviations that chance exceeds once in a thousand times
TOO_SMALL = 2.0  # Factor by which the standard error of a run may be too small
MAX_NAMED = 3  # Measures that a notice names


class Accuracy(NamedTuple):
    """Accuracy of the mean of a correlated series.

    Attributes:
        error: standard error of the mean.
        tau: integrated autocorrelation time, in values; 1/2 where they are independent.
        n_eff: number of independent values with the same error.
        settled: false if the mean of the first quarter differs from that of the second half by more than four standard
            errors and a ten-thousandth of the latter; None for fewer than 32 values.
    """

    error: float
    tau: float
    n_eff: float
    settled: bool | None


def accuracy(values: Sequence[float]) -> Accuracy | None:
    """The accuracy of the mean of a series in the order of time; None for fewer than two values.

    Source of `settled`: J. Geweke, Evaluating the accuracy of sampling-based approaches, Bayesian Statistics 4, 1992.
    """
    series = np.asarray(values, dtype=float)
    count = len(series)
    if count < 2:
        return None
    error, settled = _error_of_mean(series), None
    if count >= MIN_JUDGED:
        first, second = series[: count // 4], series[count // 2 :]
        mean = float(second.mean())
        allowed = UNSETTLED * _error_of_mean(second) * sqrt(1 + len(second) / len(first)) + MIN_DRIFT * abs(mean)
        settled = abs(float(first.mean()) - mean) <= allowed
    n_eff = min(float(count), float(series.var(ddof=1)) / error**2) if error else float(count)
    return Accuracy(error, count / (2 * n_eff), n_eff, settled)


def summary(series: Mapping[str, Sequence[float]]) -> dict[str, dict[str, Any]]:
    """The mean of each named series with at least one value, and each attribute of its `Accuracy`, by the name."""
    found = {name: accuracy(values) for name, values in series.items()}
    return {
        "mean": {name: sum(values) / len(values) for name, values in series.items()},
        **{
            entry: {name: getattr(one, entry) if one else None for name, one in found.items()}
            for entry in Accuracy._fields
        },
    }


def seeds_needed(values: Sequence[Sequence[float | None]], until: Sequence[float], most: int) -> int:
    """Number of seeds, at most `most`, whose means have these standard errors, as far as the results tell.

    It depends on the results alone, not on who had them when: after eight seeds, and then after at most twice as many
    as before, it is estimated from the standard deviation how many would do.

    Args:
        values: of each measure, for one seed after the other, as many as there are; None where it is not defined.
        until: standard error that is wanted of each measure.
        most: maximum.
    """
    wanted = min(FIRST_SEEDS, most)
    while wanted < most and len(values[0]) >= wanted:
        if (times := _times([found[:wanted] for found in values], until)) <= 1:
            break
        wanted = min(most, max(wanted + 1, ceil(min(times**2, 2.0) * wanted)))
    return wanted


def accurate(values: Sequence[Sequence[float | None]], until: Sequence[float]) -> bool:
    """True if the means of all measures have these standard errors."""
    return _times(values, until) <= 1


def _times(values: Sequence[Sequence[float | None]], until: Sequence[float]) -> float:
    """The largest standard error in parts of what is wanted."""
    known = [[value for value in found if value is not None] for found in values]
    errors = [float(np.std(some, ddof=1)) / sqrt(len(some)) if len(some) > 1 else inf for some in known]
    return max(error / wanted for error, wanted in zip(errors, until, strict=True))


def unsettled_notice(runs: Iterable[Mapping[str, bool | None]]) -> tuple[str, ...]:
    """A line that names the measures that are not settled in more than a tenth of the runs, where there are any.

    Of settled runs up to 5 % are called unsettled by chance.

    Args:
        runs: for each run, which measures are settled; None where that is not known.
    """
    judged = list(runs)
    counts = Counter(name for run in judged for name, settled in run.items() if settled is False)
    found = [(name, count) for name, count in counts.most_common() if 10 * count > len(judged)]
    if not found:
        return ()
    named = ", ".join(
        f"{name} in {count:,} of {len(judged):,} runs" if len(judged) > 1 else name for name, count in found[:MAX_NAMED]
    )
    more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    return (f"not settled: {named}{more}; means include the start, measure later (--from FRAME) or longer",)


def disagreement_notice(runs: Iterable[Mapping[str, Mapping[str, Any]]]) -> tuple[str, ...]:
    """A line that names the measures whose means differ between seeds far more than their standard errors explain.

    With k seeds in one state, the variance of the means is that of a chi-square variable of k - 1 degrees of freedom,
    in parts of the mean square of the errors. What one state exceeds in one of a thousand cases (E. B. Wilson and M. M.
    Hilferty, The distribution of chi-square, PNAS 17, 1931) is allowed, of errors that may be too small by half, as the
    test of their coverage has them. Runs that are not settled do not count: their errors mean nothing.

    Args:
        runs: the `summary` of the runs of one scenario with different seeds.
    """
    seeds, found = list(runs), dict[str, float]()
    for name in dict.fromkeys(name for run in seeds for name in run["mean"]):
        settled = [run for run in seeds if run["settled"].get(name) and run["error"].get(name) is not None]
        if len(settled) < 2:
            continue
        means, errors = (np.array([run[entry][name] for run in settled]) for entry in ("mean", "error"))
        freedom, scatter = len(settled) - 1, float(means.std(ddof=1))
        chance = (1 - 2 / (9 * freedom) + UNLIKELY * sqrt(2 / (9 * freedom))) ** 3
        error = sqrt(float((errors**2).mean()))
        if scatter > max(TOO_SMALL * sqrt(chance) * error, MIN_DRIFT * abs(float(means.mean()))):
            found[name] = scatter / error if error else inf
    if not found:
        return ()
    listed = sorted(found.items(), key=lambda one: -one[1])
    named = ", ".join(
        f"{name} by {f'{times:.0f} times its' if times < inf else 'more than no'} standard error"
        for name, times in listed[:MAX_NAMED]
    )
    more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    return (f"not one state: seeds differ in {named}{more}; give the scatter over seeds, not the errors of runs",)


def _error_of_mean(series: NDArray[np.float64]) -> float:
    """The standard error of the mean of at least two values, from the means of blocks.

    Means of long blocks are nearly independent (H. Flyvbjerg and H. G. Petersen, Error estimates on averages of
    correlated data, Journal of Chemical Physics 91, 1989). What is left of their correlation r at lag 1 is taken for
    that of a first-order autoregressive process, whose mean has a variance (1 + r) / (1 - r) times as large, after r
    was freed from its bias (M. G. Kendall, Note on bias in the estimation of autocorrelation, Biometrika 41, 1954).
    Blocks are few, since a slow component may be much smaller than a fast one and shows in long blocks only: the
    price is that the estimate itself scatters by half.
    """
    count = len(series)
    size = max(1, count // max(MIN_BLOCKS, isqrt(count) // 4))
    blocks = count // size
    means = series[count - size * blocks :].reshape(blocks, size).mean(axis=1)
    away = means - means.mean()
    squares = float(away @ away)
    if squares <= ROUNDING**2 * float(means @ means):
        return 0.0
    correlation = float(away[1:] @ away[:-1]) / squares
    correlation = min(max(correlation + (1 + 4 * correlation) / blocks, 0.0), MAX_CORRELATION)
    return sqrt(squares / (blocks - 1) * size / count * (1 + correlation) / (1 - correlation))
