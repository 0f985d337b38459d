"""Posteriors: the points of a design that give runs like the observed one, and whether any of them does.

The method is approximate Bayesian computation. Points are in the unit cube, (n, k), where the prior is uniform;
summaries are numbers about runs, (n, p), and nan where one is not defined. Three steps lead from a table of both to a
posterior:

1. Predict points from summaries, by ridge regression on their normal scores and the products of these (P. Fearnhead and
   D. Prangle, Constructing summary statistics for approximate Bayesian computation, Journal of the Royal Statistical
   Society B 74, 2012). Each run is predicted by the others.
2. Keep the eighth of the runs whose predictions are nearest to the observed one, with Epanechnikov's weights.
3. Move their points to where a linear regression on the predictions, in logits, expects them for the observed one (M.
   A. Beaumont, W. Zhang and D. J. Balding, Approximate Bayesian computation in population genetics, Genetics 162,
   2002), with residuals as large as for a run that is not among them.

The same regression predicts each summary; the misfit is the distance of the observed summary from its prediction.

A scenario does not fit if some summary is farther off than any of 95 % of its own runs. Of few runs, many more than
one in twenty are the farthest of all in some summary, and so is many a film of the scenario itself. Then a misfit must
exceed the largest of all runs by as much as one run in twenty exceeds all others; less tells nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.studies.design import Floats

KEPT = 8  # One run in so many is kept …
KEPT_LEAST = 10  # … but so many for each coefficient of the local regression
CENTER = 0.5  # Of the unit cube
PENALTIES = np.logspace(-1, 5, 25)  # Of the ridge regression; the one that predicts best is taken
CUBE_EDGE = 1e-4  # Distance from the faces of the unit cube, where a logit would be infinite
FALSE_ALARMS = 0.05  # Share of runs of the model itself whose misfit counts as one …
MOST_FALSE_ALARMS = 0.08  # … and the largest one that is accepted; of films of the model up to twice as many have one
TOO_FEW = "too few runs to tell whether it fits; raise --runs"
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  # Ends of the intervals of 90 % and of 50 %, and the median
MAX_SUMMARIZED = 1e60  # Of which the fourth power is a number, too


class Posterior(NamedTuple):
    """A weighted sample of points, and the distance of each summary from what they predict.

    Attributes:
        points: in the unit cube, (m, k).
        weights: of each, (m,).
        runs: the number of the run from which each was moved, nearest first, (m,).
        predicted: summaries of runs like the observed one, in their own units, with the same weights, (m, p).
        misfit: of each summary, in standard deviations of the runs around that, (p,).
    """

    points: Floats
    weights: Floats
    runs: NDArray[np.intp]
    predicted: Floats
    misfit: Floats

    def quantiles(self, shares: Sequence[float] = QUANTILES) -> Floats:
        """The quantiles of each coordinate, (shares, k)."""
        return self._quantiles(self.points, shares)

    @property
    def predicted_interval(self) -> Floats:
        """The ends of the interval in which 90 % of runs have each summary, and the median between them, (3, p)."""
        return self._quantiles(self.predicted, (QUANTILES[0], 0.5, QUANTILES[-1]))

    def share_below(self, summary: Floats) -> Floats:
        """The share of runs that have less of each summary, (p,); those that have as much count half."""
        less = (self.predicted < summary) + 0.5 * (self.predicted == summary)
        shares: Floats = (self.weights[:, None] * less).sum(axis=0) / self.weights.sum()
        return shares

    def _quantiles(self, values: Floats, shares: Sequence[float]) -> Floats:
        """Quantiles of each column, (shares, columns), so far apart that a further draw is as often between them."""
        found, total = [], self.weights.sum()
        effective = total**2 / (self.weights**2).sum()
        for column in values.T:
            order = column.argsort(kind="stable")
            weight = self.weights[order]
            place = (weight.cumsum() - weight / 2) / total - 0.5  # Weibull's places, rather than Hazen's
            found.append(np.interp(shares, 0.5 + place * effective / (effective + 1), column[order]))
        return np.transpose(found)


@dataclass(frozen=True, eq=False)
class ReferenceTable:
    """Runs at points drawn evenly from the unit cube, and their summaries."""

    points: Floats  # (n, k)
    summaries: Floats  # (n, p)
    kept: int = KEPT  # one run in so many

    def posterior(self, summary: Floats) -> Posterior:
        """The posterior of an observation with these summaries, (p,)."""
        filled = np.where(np.isnan(summary), self._medians, summary)
        predicted = self._standardized(self._features(filled[None])) @ self._ridge[1] + CENTER
        return self._near(predicted[0], filled, None)

    def of_run(self, run: int) -> Posterior:
        """The posterior of one of the runs, as if it were an observation, from all others."""
        return self._near(self._ridge[0][run], self._filled[run], run)

    @cached_property
    def usual_misfit(self) -> Floats:
        """The size of the misfit of each summary of each run, given all others, sorted, (n, p)."""
        return np.sort(self._misfits, axis=0)

    def surprise(self, misfit: Floats) -> Floats:
        """For each summary, the share of the runs of the model whose misfit is smaller, (p,)."""
        pairs = zip(self.usual_misfit.T, np.abs(misfit), strict=True)
        return np.array([np.searchsorted(usual, one) for usual, one in pairs]) / len(self.points)

    @cached_property
    def alarm(self) -> float:
        """The surprise that some summary of one run in twenty of the model itself reaches."""
        return float(np.quantile(self._most, 1 - FALSE_ALARMS))

    def unreached(self, misfit: Floats) -> NDArray[np.bool_]:
        """True for the summaries with which the model does not fit, (p,)."""
        least = self._excess * self.usual_misfit[-1]
        far: NDArray[np.bool_] = (self.surprise(misfit) >= self.alarm) & (np.abs(misfit) >= least)
        return far

    def fits(self, misfit: Floats) -> bool | None:
        """True for a model that fits; None where there are too few runs to tell."""
        if self.unreached(misfit).any():
            return False
        return True if self.surprise(misfit).max() < self.alarm else None

    @cached_property
    def _most(self) -> Floats:
        """The largest surprise of each run, (n,)."""
        return np.array([self.surprise(one).max() for one in self._misfits])

    @cached_property
    def _excess(self) -> float:
        """By what factor a misfit must exceed that of all runs; 0 where there are enough to tell by their number."""
        if (self._most >= self.alarm).mean() <= MOST_FALSE_ALARMS:
            return 0.0
        others, largest = np.maximum(self.usual_misfit[-2:], 1e-9)
        factor = self._misfits / np.where(self._misfits < largest, largest, others)
        return float(np.quantile(factor.max(axis=1), 1 - FALSE_ALARMS, method="higher"))

    @cached_property
    def _misfits(self) -> Floats:
        return np.array([np.abs(self.of_run(run).misfit) for run in range(len(self.points))])

    @cached_property
    def _medians(self) -> Floats:
        """The median of each summary; 0 where no run defines it."""
        defined = [column[~np.isnan(column)] for column in self.summaries.T]
        return np.array([np.median(column) if len(column) else 0.0 for column in defined])

    @cached_property
    def _filled(self) -> Floats:
        """The summaries with medians where one is not defined."""
        return np.where(np.isnan(self.summaries), self._medians, self.summaries)

    @cached_property
    def _leveled(self) -> Floats:
        """The summaries on a scale on which outliers are no farther away than a logarithm has them."""
        return self._level(self._filled)

    def _level(self, summaries: Floats) -> Floats:
        median, spread = self._scale
        return np.arcsinh((summaries - median) / spread)

    @cached_property
    def _scale(self) -> tuple[Floats, Floats]:
        """Median and spread of each summary."""
        median = np.median(self._filled, axis=0)
        spread = 1.4826 * np.median(np.abs(self._filled - median), axis=0)
        return median, np.maximum(spread, 1e-9 * np.abs(median) + 1e-12)

    def _features(self, summaries: Floats) -> Floats:
        """Normal scores of the summaries among those of the runs, and their products by two."""
        count = len(self.points)
        normal = NormalDist()
        table = np.array([normal.inv_cdf((half / 2 + 0.5) / (count + 1)) for half in range(2 * count + 1)])
        scores = []
        for known, column in zip(np.sort(self._filled, axis=0).T, summaries.T, strict=True):
            if known[0] < known[-1]:
                scores.append(table[np.searchsorted(known, column, "left") + np.searchsorted(known, column, "right")])
        score = np.transpose(scores) if scores else np.zeros((len(summaries), 1))
        one, other = np.triu_indices(score.shape[1])
        return np.concatenate([score, score[:, one] * score[:, other]], axis=1)

    @cached_property
    def _of_runs(self) -> Floats:
        return self._features(self._filled)

    def _standardized(self, features: Floats) -> Floats:
        spread = self._of_runs.std(axis=0)
        result: Floats = (features - self._of_runs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        return result

    @cached_property
    def _ridge(self) -> tuple[Floats, Floats]:
        """The prediction of each run's point by all other runs, (n, k), and the coefficients, (features, k).

        Predictions are around the middle of the cube: around the mean of all other runs, they would tell the point.
        """
        left, values, right = np.linalg.svd(self._standardized(self._of_runs), full_matrices=False)
        turned, best = left.T @ (self.points - CENTER), (np.inf, self.points, left)
        for penalty in PENALTIES:
            shrunk = values**2 / (values**2 + penalty)
            leverage = (left**2 * shrunk).sum(axis=1)
            error = (self.points - CENTER - (left * shrunk) @ turned) / (1 - np.minimum(leverage, 0.99))[:, None]
            if (squared := float((error**2).mean())) < best[0]:
                slopes = right.T @ (turned * (values / (values**2 + penalty))[:, None])
                best = squared, self.points - error, slopes
        return best[1:]

    def _near(self, predicted: Floats, summary: Floats, without: int | None) -> Posterior:
        known = self._ridge[0]
        scale = np.maximum(known.std(axis=0), CUBE_EDGE)
        arm = (known - predicted) / scale
        distance = np.sqrt((arm**2).sum(axis=1))
        if without is not None:
            distance[without] = np.inf
        runs = distance.argsort(kind="stable")[: max(len(known) // self.kept, KEPT_LEAST * (known.shape[1] + 1))]
        weights = 1 - 0.999 * (distance[runs] / max(distance[runs[-1]], CUBE_EDGE)) ** 2
        inside = np.clip(self.points[runs], CUBE_EDGE, 1 - CUBE_EDGE)
        response = np.concatenate([np.log(inside / (1 - inside)), self._leveled[runs]], axis=1)
        base = np.concatenate([np.ones((len(runs), 1)), arm[runs]], axis=1)
        inverse = np.linalg.pinv((base * weights[:, None]).T @ base)
        slopes = inverse @ ((base * weights[:, None]).T @ response)
        leverage = np.minimum((base @ inverse * base).sum(axis=1) * weights, 0.9)
        residual = (response - base @ slopes) / np.sqrt(1 - leverage)[:, None]
        factors = known.shape[1]
        points = 1 / (1 + np.exp(-(slopes[0, :factors] + residual[:, :factors])))
        expected = slopes[0, factors:]
        spread = np.sqrt((weights[:, None] * residual[:, factors:] ** 2).sum(axis=0) / weights.sum())
        misfit = (self._level(summary) - expected) / np.maximum(spread, 1e-9)
        median, scale = self._scale
        most = np.arcsinh(MAX_SUMMARIZED)
        predicted = median + scale * np.sinh(np.clip(expected + residual[:, factors:], -most, most))
        return Posterior(points, weights, runs, predicted, misfit)


class Check(NamedTuple):
    """Runs of the model taken for observations: how often their points were found.

    Attributes:
        coverage_50: share of the runs whose coordinate lies in its interval of 50 %, (k,).
        coverage_90: likewise for 90 %, (k,).
        error: median distance of the posterior's median from the coordinate, (k,).
        prior_error: the same for the prior's median, (k,).
        flagged: share of the runs in which a misfit is reported.
    """

    coverage_50: Floats
    coverage_90: Floats
    error: Floats
    prior_error: Floats
    flagged: float


def cross_check(table: ReferenceTable, number: int) -> Check:
    """Take so many of the runs, evenly spaced, for observations."""
    chosen = np.unique(np.linspace(0, len(table.points) - 1, number).astype(np.intp))
    found = [table.of_run(run) for run in chosen.tolist()]
    low, lower, median, upper, high = np.moveaxis(np.array([one.quantiles() for one in found]), 1, 0)
    true = table.points[chosen]
    return Check(
        ((lower <= true) & (true <= upper)).mean(axis=0),
        ((low <= true) & (true <= high)).mean(axis=0),
        np.median(np.abs(median - true), axis=0),
        np.median(np.abs(0.5 - true), axis=0),
        float(np.mean([table.fits(one.misfit) is False for one in found])),
    )
