"""Fits: the values of some keys with which a scenario moves like an observed group, with intervals.

An observation is compared with runs by mean, standard deviation and autocorrelation time of measures that do not depend
on a radius of the scenario, since a film shows none; it is measured in the same way, and has the same number of
animals, frames and rate. The runs of a fit are those of a sweep over a Latin hypercube, and then over smaller ones
around the posterior; so repeating the call completes what is missing.
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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
from boidsgen.studies.posterior import MAX_SUMMARIZED, Check, Posterior, ReferenceTable, cross_check
from boidsgen.studies.requests import FitRequest
from boidsgen.studies.sweep import Study, run_missing
from boidsgen.system import open_input, parsing

UNINFORMED = 0.8  # Width of a 90 % interval, relative to the prior's, from which on the data tell nothing


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
        misfit = self.likely.misfit
        far = self.first.unreached(misfit)
        return [at for at in np.argsort(-np.abs(misfit), kind="stable").tolist() if far[at]]

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
