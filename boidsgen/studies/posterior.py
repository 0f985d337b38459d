"""Approximate Bayesian computation: which points of a design give runs like an observed one.

Points are in the unit cube, (n, k), where the prior is uniform; summaries are numbers about runs, (n, p), and nan where
one is not defined. Three steps lead from a table of both to a posterior:

1. Predict points from summaries, by ridge regression on their normal scores and the products of these (P. Fearnhead and
   D. Prangle, Constructing summary statistics for approximate Bayesian computation, Journal of the Royal Statistical
   Society B 74, 2012). Each run is predicted by the others.
2. Keep the eighth of the runs whose predictions are nearest to the observed one, with Epanechnikov's weights.
3. Move their points to where a linear regression on the predictions, in logits, expects them for the observed one (M.
   A. Beaumont, W. Zhang and D. J. Balding, Approximate Bayesian computation in population genetics, Genetics 162,
   2002), with residuals as large as for a run that is not among them.

The same regression predicts each summary, and the misfit is how far the observed one is from that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array

KEPT = 8  # One run in so many is kept …
LEAST = 10  # … but so many for each coefficient of the local regression
CENTER = 0.5  # Of the unit cube
PENALTIES = np.logspace(-1, 5, 25)  # Of the ridge regression; the one that predicts best is taken
EDGE = 1e-4  # Distance from the faces of the unit cube, where a logit would be infinite
FALSE_ALARMS = 0.05  # Share of runs of the model itself whose misfit counts as one
UNINFORMED = 0.8  # Width of a 90 % interval, relative to the prior's, from which on the data tell nothing
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)  # Ends of the intervals of 90 % and of 50 %, and the median


class Posterior(NamedTuple):
    """A weighted sample of points, and the distance of each summary from what they predict.

    Attributes:
        points: in the unit cube, (m, k).
        weights: of each, (m,).
        runs: the number of the run from which each was moved, nearest first, (m,).
        expected: the summaries that are expected, (p,).
        misfit: of each summary, in standard deviations of the runs around that, (p,).
    """

    points: Array
    weights: Array
    runs: NDArray[np.intp]
    expected: Array
    misfit: Array

    def quantiles(self, shares: Sequence[float] = SHARES) -> Array:
        """The quantiles of each coordinate, (shares, k), so far apart that a further draw is as often between them."""
        found, total = [], self.weights.sum()
        effective = total**2 / (self.weights**2).sum()
        for column in self.points.T:
            order = column.argsort(kind="stable")
            weight = self.weights[order]
            place = (weight.cumsum() - weight / 2) / total - 0.5  # Weibull's places, rather than Hazen's
            found.append(np.interp(shares, 0.5 + place * effective / (effective + 1), column[order]))
        return np.transpose(found)


@dataclass(frozen=True, eq=False)
class ReferenceTable:
    """Runs at points drawn evenly from the unit cube, and their summaries."""

    points: Array  # (n, k)
    summaries: Array  # (n, p)

    def posterior(self, summary: Array) -> Posterior:
        """The posterior of an observation with these summaries, (p,)."""
        filled = np.where(np.isnan(summary), self._medians, summary)
        predicted = self._standardized(self._features(filled[None])) @ self._ridge[1] + CENTER
        return self._near(predicted[0], filled, None)

    def of_run(self, run: int) -> Posterior:
        """The posterior of one of the runs, as if it were an observation, from all others."""
        return self._near(self._ridge[0][run], self._filled[run], run)

    @cached_property
    def usual_misfit(self) -> Array:
        """The size of the misfit of each summary of each run, given all others, sorted, (n, p)."""
        return np.sort(self._misfits, axis=0)

    def surprise(self, misfit: Array) -> Array:
        """For each summary, the share of the runs of the model whose misfit is smaller, (p,)."""
        pairs = zip(self.usual_misfit.T, np.abs(misfit), strict=True)
        return np.array([np.searchsorted(usual, one) for usual, one in pairs]) / len(self.points)

    @cached_property
    def alarm(self) -> float:
        """The surprise that some summary of one run in twenty of the model itself reaches."""
        return float(np.quantile([self.surprise(one).max() for one in self._misfits], 1 - FALSE_ALARMS))

    @cached_property
    def _misfits(self) -> Array:
        return np.array([np.abs(self.of_run(run).misfit) for run in range(len(self.points))])

    @cached_property
    def _medians(self) -> Array:
        """The median of each summary; 0 where no run defines it."""
        defined = [column[~np.isnan(column)] for column in self.summaries.T]
        return np.array([np.median(column) if len(column) else 0.0 for column in defined])

    @cached_property
    def _filled(self) -> Array:
        """The summaries with medians where one is not defined."""
        return np.where(np.isnan(self.summaries), self._medians, self.summaries)

    @cached_property
    def _leveled(self) -> Array:
        """The summaries on a scale on which outliers are no farther away than a logarithm has them."""
        return self._level(self._filled)

    def _level(self, summaries: Array) -> Array:
        median = np.median(self._filled, axis=0)
        spread = 1.4826 * np.median(np.abs(self._filled - median), axis=0)
        return np.arcsinh((summaries - median) / np.maximum(spread, 1e-9 * np.abs(median) + 1e-12))

    def _features(self, summaries: Array) -> Array:
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
    def _of_runs(self) -> Array:
        return self._features(self._filled)

    def _standardized(self, features: Array) -> Array:
        spread = self._of_runs.std(axis=0)
        result: Array = (features - self._of_runs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        return result

    @cached_property
    def _ridge(self) -> tuple[Array, Array]:
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

    def _near(self, predicted: Array, summary: Array, without: int | None) -> Posterior:
        known = self._ridge[0]
        scale = np.maximum(known.std(axis=0), EDGE)
        arm = (known - predicted) / scale
        distance = np.sqrt((arm**2).sum(axis=1))
        if without is not None:
            distance[without] = np.inf
        runs = distance.argsort(kind="stable")[: max(len(known) // KEPT, LEAST * (known.shape[1] + 1))]
        weights = 1 - 0.999 * (distance[runs] / max(distance[runs[-1]], EDGE)) ** 2
        inside = np.clip(self.points[runs], EDGE, 1 - EDGE)
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
        shown = (weights[:, None] * self._filled[runs]).sum(axis=0) / weights.sum()
        return Posterior(points, weights, runs, shown, misfit)


class Check(NamedTuple):
    """Runs of the model taken for observations: how often their points were found.

    Attributes:
        coverage_50: share of the runs whose coordinate lies in its interval of 50 %, (k,).
        coverage_90: likewise for 90 %, (k,).
        error: median distance of the posterior's median from the coordinate, (k,).
        prior_error: the same for the prior's median, (k,).
        flagged: share of the runs in which a misfit is reported.
    """

    coverage_50: Array
    coverage_90: Array
    error: Array
    prior_error: Array
    flagged: float


def check(table: ReferenceTable, number: int) -> Check:
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
        float(np.mean([table.surprise(one.misfit).max() >= table.alarm for one in found])),
    )
