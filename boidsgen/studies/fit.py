"""Fits: the values of some keys with which a scenario moves like an observed group, with intervals.

The method is approximate Bayesian computation: it finds the points of a design that give runs like the observed one.
Points are in the unit cube, (n, k), where the prior is uniform; summaries are numbers about runs, (n, p), and nan where
one is not defined. Three steps lead from a table of both to a posterior:

1. Predict points from summaries, by ridge regression on their normal scores and the products of these (P. Fearnhead and
   D. Prangle, Constructing summary statistics for approximate Bayesian computation, Journal of the Royal Statistical
   Society B 74, 2012). Each run is predicted by the others.
2. Keep the eighth of the runs whose predictions are nearest to the observed one, with Epanechnikov's weights.
3. Move their points to where a linear regression on the predictions, in logits, expects them for the observed one (M.
   A. Beaumont, W. Zhang and D. J. Balding, Approximate Bayesian computation in population genetics, Genetics 162,
   2002), with residuals as large as for a run that is not among them.

The same regression predicts each summary; the misfit is the distance of the observed summary from its prediction.

An observation is compared with runs by mean, standard deviation and autocorrelation time of measures that do not depend
on a radius of the scenario, since a film shows none; it is measured in the same way, and has the same number of
animals, frames and rate. The runs of a fit are those of a sweep over a Latin hypercube, and then over smaller ones
around the posterior; so repeating the call completes what is missing.
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import TextIOWrapper
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.measuring import MAX_MEASURED, NOTHING_OWN, Own, entries_of, summary
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions, preflight
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import LoadedRun, draft, load_run, refuse_slow
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation.measures import INSTANT, unit_of
from boidsgen.simulation.observing import ObservationModel, observation_of
from boidsgen.simulation.run import simulate
from boidsgen.studies.design import Design, Floats, plan_design, read_design
from boidsgen.studies.plan import SweepOptions, SweepPlan, refuse_runs
from boidsgen.studies.requests import FitRequest
from boidsgen.studies.sweep import Study, run_missing
from boidsgen.system import open_input, parsing

KEPT = 8  # One run in so many is kept …
KEPT_LEAST = 10  # … but so many for each coefficient of the local regression
CENTER = 0.5  # Of the unit cube
PENALTIES = np.logspace(-1, 5, 25)  # Of the ridge regression; the one that predicts best is taken
CUBE_EDGE = 1e-4  # Distance from the faces of the unit cube, where a logit would be infinite
FALSE_ALARMS = 0.05  # Share of runs of the model itself whose misfit counts as one
UNINFORMED = 0.8  # Width of a 90 % interval, relative to the prior's, from which on the data tell nothing
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)  # Ends of the intervals of 90 % and of 50 %, and the median


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
        return float(np.quantile([self.surprise(one).max() for one in self._misfits], 1 - FALSE_ALARMS))

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
        float(np.mean([table.surprise(one.misfit).max() >= table.alarm for one in found])),
    )


OF_RADIUS = {"groups", "largest_group", "close_encounters", "collisions_avoided"}
DEFAULT_SUMMARIES = (
    "polarization",
    "rotation",
    "dispersion",
    "nearest_neighbor_distance",
    "mean_speed",
    "speed_spread",
    "mean_squared_displacement",
    "velocity_autocorrelation",
)
"""Measures that are compared where the scenario does not name others."""
SUMMARIES = {
    "mean": "mean {}",
    "deviation": "standard deviation of {}",
    "time": "autocorrelation time of {}",
}
"""Summaries of a measure, by their names in tables, in words; of the time its logarithm is compared."""
MAX_SUMMARIZED = 1e60  # Of which the fourth power is a number, too
MIN_FITTED_FRAMES = 8  # Fewer measured frames tell no autocorrelation
ROUNDS = (0.5, 0.25, 0.25)  # Shares of the runs: over the whole ranges, then where the posterior is
POSTERIOR_REACH = (0.005, 0.995)  # Quantiles of the posterior between which the next round looks …
BEYOND_REACH = 0.1  # … and how far beyond, in parts of their distance
RUNS_A_KEY = 50  # Fewest runs for each key, and for one more
MEASURED = SweepOptions(drawn=False)
TABLES = ("misfit", "intervals", "posterior", "check")
RESULTS = (*(f"{name}.csv" for name in TABLES), "methods.txt", "beside.html", "beside.gif", "series.csv")
"""Names of the files that a fit adds to those of a sweep."""
UNITS_DIFFER = 3.0  # Factor between mean speeds from which on their units are taken to differ


class Observation(NamedTuple):
    """An observed group, measured."""

    name: str
    entries: Mapping[str, Any]  # as in the manifest of a sweep: "mean", "moments", "tau" and "n_eff", by measure
    frames: int
    interval: float  # simulated time between two frames
    animals: int | None = None  # None for a table of measures
    run: LoadedRun | None = None  # likewise
    model: ObservationModel | None = None  # of tracks; runs are seen as the animals were

    def seen(self, scenario: Scenario) -> Iterable[Any]:
        """The states of a run, as this film shows them."""
        states = simulate(scenario)
        return self.model.tracks(states, scenario.seed) if self.model else states


def compared_measures(scenario: Scenario) -> tuple[str, ...]:
    """The measures by which a scenario is compared with an observation."""
    named = scenario.measure.names
    return (
        DEFAULT_SUMMARIES
        if named == Scenario.default().measure.names
        else tuple(name for name in named if name not in OF_RADIUS)
    )


def summaries_of(entries: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    """The summaries of each measure; nan where they are not defined."""
    found = []
    for name in names:
        mean, squared = entries["mean"].get(name, math.nan), entries["moments"].get(name, [math.nan])[0]
        found += [mean, math.sqrt(max(0.0, squared - mean**2)), math.log(entries["tau"].get(name) or math.nan)]
    return found


def observe(name: str, like: Scenario, noise: float | None = None) -> Observation:
    """Measure a recording or a clip as a scenario is measured, or read a table of measures.

    Args:
        name: of the file.
        like: the scenario.
        noise: standard deviation of the positions of tracks, in world units; None to estimate it.

    Raises:
        UsageError: there is too little to compare.
        BoidsgenError: another of its kinds, when it cannot be read.
    """
    if not compared_measures(like):
        raise UsageError(
            "measure.names: all of them depend on a radius, which no film shows; name polarization or others"
        )
    if noise is not None and not 0 <= noise < math.inf:
        raise UsageError(f"--noise {noise:g}: must be 0 or above, in world units")
    found = _of_table(name, like) if name.lower().endswith(".csv") else _of_states(name, like, noise)
    if noise is not None and not found.model:
        raise UsageError(f"{name}: --noise is for recordings of tracks; the positions of this one are exact")
    if found.animals is not None and found.animals < 2:
        raise UsageError(f"{name}: has one animal; at least two are needed")
    if (measured := len(measured_frames(like, found.frames))) < MIN_FITTED_FRAMES:
        raise UsageError(
            f"{name}: {measured} of its frames are measured; at least {MIN_FITTED_FRAMES} are needed, record longer"
        )
    if not found.entries["mean"]:
        raise UsageError(f"{name}: no measure is defined in any frame; look at it with boidsgen measure {name}")
    if all(number is None or number < 2 for number in found.entries["n_eff"].values()):
        raise UsageError(f"{name}: is shorter than the correlation times of all its measures; record longer")
    return found


def measured_frames(like: Scenario, frames: int) -> range:
    """The frames that are measured, the last one first."""
    return like.measure.frames(like.time.model_copy(update={"frames": frames}), MAX_MEASURED)


def _of_states(name: str, like: Scenario, noise: float | None) -> Observation:
    try:
        run = load_run(name)
    except (ScenarioError, StorageError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{reason}; of a film, fit its tracks: boidsgen tracks TABLE -o fish.npz") from None
    states, scenario, clock = run.states, run.scenario, run.scenario.time
    measuring = like.measure.model_copy(update={"names": compared_measures(like), "profiles": ()})
    measured = scenario.model_copy(update={"measure": measuring})
    if states is None:
        preflight(measured, drawn=False)
        refuse_slow(name, measured, "fit")
    entries = entries_of(measured, simulate(measured) if states is None else states)
    animals = sum(flock.count for flock in scenario.flock)
    model = observation_of(states or (), scenario, noise)
    return Observation(name, entries, clock.frames, clock.dt * clock.steps_per_frame, animals, run, model)


def _of_table(name: str, like: Scenario) -> Observation:
    """A table as `boidsgen measure` writes it, of one run."""
    with parsing(name), TextIOWrapper(open_input(name), "utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = rows[0].keys() if rows else ()
    names = [one for one in compared_measures(like) if one in columns]
    if not {*INSTANT} <= {*columns} or not names:
        what = f"{', '.join(INSTANT)} and {compared_measures(like)[0]}"
        raise UsageError(f"{name}: has no columns {what}; make a table by boidsgen measure, or a recording by tracks")
    table = {
        column: [_number(row[column], f"{name}: row {at}: {column}") for at, row in enumerate(rows, 1)]
        for column in ("frame", "time", *names)
    }
    if len({row["seed"] for row in rows}) > 1 or table["frame"] != [*range(len(rows))]:
        raise UsageError(f"{name}: must have each frame from 0 on once, of one seed")
    kept = measured_frames(like, len(rows))[::-1]
    series = {one: [value for at in kept if (value := table[one][at]) is not None] for one in names}
    series = {one: values for one, values in series.items() if values}
    moments = {one: [float(np.mean(np.power(values, power))) for power in (2, 4)] for one, values in series.items()}
    times = [time or 0.0 for time in table["time"]]
    interval = times[1] - times[0] if len(rows) > 1 else 0.0
    return Observation(name, {**summary(series), "moments": moments}, len(rows), interval)


def _number(text: str | None, place: str) -> float | None:
    """A number of a table; None for an empty cell."""
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not abs(value) < MAX_SUMMARIZED:
        raise UsageError(
            f"{place} must be a number below {MAX_SUMMARIZED:g}, or empty where it is not defined, not {text}"
        )
    return value


@dataclass(frozen=True, eq=False)
class Fit:
    """A posterior, with the runs that it is made of."""

    observation: Observation
    design: Design
    plan: SweepPlan
    names: tuple[str, ...]  # of the measures that both sides have
    observed: Floats  # their summaries, (p,)
    posterior: Posterior  # its points in the cube of the whole ranges, its runs those of the plan
    first: ReferenceTable  # the runs over the whole ranges, which the misfit is judged by
    likely: Posterior  # from the first runs
    own: Own  # the rules of a program
    check: Check | None = None  # of the first runs, where that was asked for

    @property
    def unreached(self) -> list[int]:
        """Numbers of the summaries that no run reaches, the farthest first."""
        surprise, misfit = self.first.surprise(self.likely.misfit), np.abs(self.likely.misfit)
        return [at for at in np.argsort(-misfit, kind="stable").tolist() if surprise[at] >= self.first.alarm]

    def in_units(self, summaries: Floats) -> Floats:
        """Summaries, (n, p), with autocorrelation times in frames instead of their logarithms."""
        times = np.arange(summaries.shape[1]) % len(SUMMARIES) == len(SUMMARIES) - 1
        every = -measured_frames(self.plan.base, self.observation.frames).step
        return np.where(times, in_frames(np.where(times, summaries, 0.0), every), summaries)

    def summary_unit(self, number: int) -> str:
        """The unit of a summary; empty for a plain number."""
        measure, kind = divmod(number, len(SUMMARIES))
        return "frames" if kind == len(SUMMARIES) - 1 else unit_of(self.names[measure])

    def summary_name(self, number: int) -> str:
        """The name of a summary in words."""
        kind = [*SUMMARIES.values()][number % len(SUMMARIES)]
        return kind.format(self.names[number // len(SUMMARIES)].replace("_", " "))


def in_frames(logarithm: Floats, every: int) -> Floats:
    """Autocorrelation times in frames, of which one in so many is measured."""
    return every * np.exp(np.minimum(logarithm, math.log(MAX_SUMMARIZED)))


def fit_scenario(
    target: str,
    source: Source,
    overrides: Sequence[Override],
    request: FitRequest,
    directory: Path,
    options: RunOptions = DEFAULT_OPTIONS,
    own: Own = NOTHING_OWN,
) -> Fit:
    """Fit a scenario to a recording, a clip or a table of measures, with runs in this directory.

    Rules of a program steer it, too.

    Progress is called with the number of runs done, those of earlier calls included.

    Raises:
        UsageError: there is nothing to fit, before the first run.
        SweepError: runs failed.
    """
    base = draft(source, overrides).scenario()
    observation = observe(target, base, request.noise)
    settings = [*overrides, *_alike(observation, base)]
    design = read_design("lhs", request.vary, source, settings)
    if chosen := [one.key for one in design.factors if one.choices]:
        raise UsageError(f"--vary {chosen[0]}: needs a range LOW:HIGH; fit each choice, and compare the misfits")
    if request.runs < (fewest := RUNS_A_KEY * (len(design.factors) + 1)):
        raise UsageError(f"--runs {request.runs}: these keys need at least {fewest}")
    refuse_runs(request.runs, design.most)
    names = _common_measures(observation, design, source, settings, own)
    observed = np.array(summaries_of(observation.entries, names))
    numbers = [round(request.runs * share) for share in ROUNDS]
    low, high, progress = np.zeros(len(design.factors)), np.ones(len(design.factors)), options.progress
    points = design.points(numbers[0])
    plan = plan_design(source, settings, design, points, MEASURED)
    for round_, number in enumerate(numbers):
        if round_:  # further points, of which a run that there is already is not repeated
            new = low + (high - low) * replace(design, seed=design.seed + round_).points(number)
            more, known = plan_design(source, settings, design, new, MEASURED), {run.name for run in plan.runs}
            fresh = [at for at, run in enumerate(more.runs) if run.name not in known]
            points, runs = np.concatenate([points, new[fresh]]), (*plan.runs, *(more.runs[at] for at in fresh))
            plan = replace(more, axes=design.axes(points), runs=runs)
        with Study(plan, directory, options, more=RESULTS, own=own, model=observation.model) as study:
            done = len(plan.runs) - len(study.missing())
            shown = (lambda count, done=done: progress(done + count)) if progress else None
            run_missing(study, shown)
            rows = list(study.rows())
        values = np.array([summaries_of(row, names) for row in rows])
        inside = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        table = ReferenceTable((points[inside] - low) / (high - low), values[inside])
        local = table.posterior(observed)
        if not round_:
            first, likely = table, local
        posterior = local._replace(points=low + (high - low) * local.points, runs=inside[local.runs])
        ends = posterior.quantiles(POSTERIOR_REACH)
        margin = BEYOND_REACH * (ends[1] - ends[0])
        low, high = np.maximum(low, ends[0] - margin), np.minimum(high, ends[1] + margin)
    checked = cross_check(first, min(request.check, numbers[0])) if request.check else None
    return Fit(observation, design, plan, names, observed, posterior, first, likely, own, checked)


def _alike(observation: Observation, base: Scenario) -> list[Override]:
    """Overrides by which a scenario has the frames, the number of animals and the measures of an observation."""
    interval, steps = base.time.dt * base.time.steps_per_frame, round(observation.interval / base.time.dt)
    if not steps or not math.isclose(steps * base.time.dt, observation.interval, rel_tol=1e-3):
        lasts = f"a frame lasts {observation.interval:.4g}, and one of the scenario {interval:.4g}"
        step = observation.interval / base.time.steps_per_frame
        raise UsageError(f"{observation.name}: {lasts}; --set time.dt={step:.6g} makes them equal")
    names = compared_measures(base)
    made = {"time.frames": observation.frames, "measure.names": [*names], "measure.profiles": []}
    made |= {"time.steps_per_frame": steps} if steps != base.time.steps_per_frame else {}
    made |= animals_alike(observation, base)
    return [Override(key, value, f"{observation.name}: {key}") for key, value in made.items()]


def animals_alike(observation: Observation, base: Scenario) -> dict[str, int]:
    """The key by which a scenario has the number of animals of an observation; UsageError where there is none."""
    if (animals := observation.animals) is None:
        return {}
    count = sum(flock.count for flock in base.flock)
    if len(base.flock) > 1 and animals != count:
        raise UsageError(f"{observation.name}: has {animals} animals, and the flocks of the scenario {count}")
    if observation.model and sum(base.most_boids) != count:
        raise UsageError(f"{observation.name}: is made of tracks, and boids of the scenario come or go by events")
    return {"flock.count": animals} if len(base.flock) == 1 else {}


def _common_measures(
    observation: Observation, design: Design, source: Source, settings: Sequence[Override], own: Own
) -> tuple[str, ...]:
    """The measures that both sides have; found by one run at each end of each range, all others in the middle.

    Raises:
        UsageError: there are none, a key changes none of them, or speeds are in other units.
    """
    middle = np.full((1 + 2 * len(design.factors), len(design.factors)), 0.5)
    for at in range(len(design.factors)):
        middle[1 + 2 * at : 3 + 2 * at, at] = 0.0, 1.0
    plan = plan_design(source, settings, design, middle, MEASURED)
    scenarios = [plan.scenario(run).model_copy(update={"seed": plan.base.seed}) for run in plan.runs]
    runs: list[Mapping[str, Any]] = [entries_of(one, observation.seen(own.steered(one))) for one in scenarios]
    mine = observation.entries["mean"]
    names = tuple(
        name for name in compared_measures(plan.base) if name in mine and any(name in run["mean"] for run in runs)
    )
    if not names:
        raise UsageError(f"{observation.name}: has no measure in common with the runs: {', '.join(mine)}")
    for at, factor in enumerate(design.factors):
        low, high = (runs[1 + 2 * at + end]["mean"] for end in (0, 1))
        if low == high:
            raise UsageError(f"--vary {factor.key}: has no effect on any measure; leave it out")
    if "mean_speed" in names:
        speed, speeds = mine["mean_speed"], [run["mean"].get("mean_speed", 0.0) for run in runs]
        if not min(speeds) / UNITS_DIFFER <= speed <= max(speeds) * UNITS_DIFFER:
            theirs = f"{min(speeds):.3g} to {max(speeds):.3g}" if min(speeds) < max(speeds) else f"{speeds[0]:.3g}"
            told = f"the animals move {speed:.3g} world units per unit of time, those of the scenario {theirs}"
            raise UsageError(f"{observation.name}: {told}; give tracks a --scale, or set the speeds of the scenario")
    return names
