"""Model choice: which of several scenarios moves most like an observed group.

Each scenario has units of its own, and a film has others. So lengths are compared in mean distances to the nearest
neighbor, speeds in mean speeds, and every scenario is run with so many steps to a frame that its animals move about as
far in one, in such distances, as those of the film. It gets the film's dimensions, animals, frames and gaps.

The probabilities are the shares of scenarios among the runs most like the film (A. Grelaud et al., ABC likelihood-free
methods for model choice in Gibbs random fields, Bayesian Analysis 4, 2009), with equal priors. Like it are those with
the nearest predictions of the scenario from summaries, as in a fit. Whether a scenario fits is judged by its own runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import ScenarioError, UsageError
from boidsgen.measuring import NOTHING_OWN, Own, entries_of
from boidsgen.output.columns import Columns, write_columns
from boidsgen.output.publish import make_folder
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, source_of
from boidsgen.scenario.sources import Source, find
from boidsgen.simulation.measures import unit_of
from boidsgen.simulation.observing import ObservationModel
from boidsgen.simulation.run import simulate
from boidsgen.studies.design import OWN_SEEDS, Floats, plan_design, read_design
from boidsgen.studies.fit import (
    DEFAULT_SUMMARIES,
    MEASURED,
    RUNS_A_KEY,
    SUMMARIES,
    Observation,
    animals_alike,
    in_frames,
    measured_frames,
    observe,
    summaries_of,
)
from boidsgen.studies.plan import SweepPlan, plan_sweep
from boidsgen.studies.posterior import KEPT, TOO_FEW, ReferenceTable
from boidsgen.studies.requests import FitRequest
from boidsgen.studies.sweep import Study, run_missing

SCALES = {"world units": "nearest_neighbor_distance", "world units per unit of time": "mean_speed"}
"""The measures whose means are the units of others."""
NEAR_LEAST = 15  # Runs of each model for each model and one more, of which some are always those of other models
SHOWN = ("observed", "predicted_low", "predicted", "predicted_high")
"""Columns about the summary that fits worst: lengths in mean neighbor distances, speeds in mean speeds, frames."""


class Model(NamedTuple):
    """One of the scenarios, with its runs."""

    name: str  # of its directory
    table: ReferenceTable
    steps: int  # to a frame


@dataclass(frozen=True, eq=False)
class Choice:
    """A choice between models."""

    observed: Floats  # summaries without units, (p,)
    models: tuple[Model, ...]
    names: tuple[str, ...]  # of the measures
    every: int  # frames from one that is measured to the next
    check: int  # runs of each model that are taken for films

    @cached_property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The records of each table."""
        records = [self._record(one, share) for one, share in zip(self.models, self._chosen(None), strict=True)]
        return {"models": records} | ({"confusion": self._confusion()} if self.check else {})

    def _record(self, model: Model, probability: float) -> dict[str, Any]:
        """The probability of a model, whether it fits, and the summary that fits worst."""
        posterior = model.table.posterior(self.observed)
        surprise = model.table.surprise(posterior.misfit)
        worst = int(np.lexsort((np.abs(posterior.misfit), surprise))[-1])
        measure, kind = divmod(worst, len(SUMMARIES))
        summary = [*SUMMARIES.values()][kind].format(self.names[measure].replace("_", " "))
        values = np.array([self.observed[worst], *posterior.predicted_interval[:, worst]])
        values = in_frames(values, self.every) if kind == len(SUMMARIES) - 1 else values
        fits = model.table.fits(posterior.misfit)
        known = {"model": model.name, "probability": probability, "fits": fits, "steps_per_frame": model.steps}
        return known | {"worst_summary": summary, **dict(zip(SHOWN, values.tolist(), strict=True))}

    def _confusion(self) -> list[dict[str, Any]]:
        """For each model the share of its runs, taken for films, for which each model is the most probable one."""
        records = []
        for at, model in enumerate(self.models):
            runs = np.flatnonzero(self._joint[0] == at)
            films = np.unique(runs[np.linspace(0, len(runs) - 1, min(self.check, len(runs))).astype(np.intp)])
            chosen = [int(np.argmax(self._chosen(film))) for film in films.tolist()]
            shares = (np.bincount(chosen, minlength=len(self.models)) / len(films)).tolist()
            records.append({"film_of": model.name, **dict(zip([one.name for one in self.models], shares, strict=True))})
        return records

    def _chosen(self, run: int | None) -> list[float]:
        """The probability of each model, for the film or for one of the runs."""
        count, (number, table) = len(self.models), self._joint
        near = table.posterior(self.observed) if run is None else table.of_run(run)
        shares: list[float] = (np.bincount(number[near.runs], near.weights, count) / near.weights.sum()).tolist()
        return shares

    @cached_property
    def _joint(self) -> tuple[NDArray[np.intp], ReferenceTable]:
        """The number of the model of each run, and the runs of all models, at points that tell the model."""
        count = len(self.models)
        number = np.repeat(np.arange(count), [len(one.table.points) for one in self.models])
        summaries = np.concatenate([one.table.summaries for one in self.models])
        return number, ReferenceTable(np.eye(count)[number], summaries, max(KEPT, 2 * count))


def choose_model(
    target: str,
    overrides: Sequence[Override],
    request: FitRequest,
    directory: Path,
    options: RunOptions = DEFAULT_OPTIONS,
    own: Own = NOTHING_OWN,
) -> Choice:
    """Choose between the models of a request, with the runs of each in a directory of its own in this one.

    Rules of a program steer each of them.

    Keys are varied as `--vary MODEL:KEY=LOW:HIGH`, or without a model in all of them.

    Raises:
        UsageError: there is nothing to choose, before the first run.
        SweepError: runs failed.
    """
    sources = {(source := find(name)).stem: source for name in request.models}
    if not 1 < len(sources) == len(request.models):
        raise UsageError(f"--models {','.join(request.models)}: name at least two scenarios, all different")
    given = {text.partition("=")[0].rpartition(":")[0] for text in request.vary} - {""}
    if unknown := sorted(given - sources.keys()):
        raise UsageError(f"--vary {unknown[0]}:…: must begin with one of the models, {', '.join(sources)}")
    measuring = [Override("measure", {"names": [*DEFAULT_SUMMARIES]}, "--models")]
    measuring += [one for one in overrides if one.key.split(".")[0] == "measure"]
    like = draft(source_of({}), measuring).scenario()
    observation = observe(target, like, request.noise)
    names = tuple(one for one in observation.entries["mean"] if unit_of(one) in {"", *SCALES})
    if not {*SCALES.values()} <= {*names}:
        raise UsageError(f"{target}: needs {' and '.join(SCALES.values())}, the units in which models are compared")
    each, most = request.runs // len(sources), max(RUNS_A_KEY, NEAR_LEAST * (len(sources) + 1))
    if each < most:
        raise UsageError(f"--runs {request.runs}: these models need at least {most * len(sources)}")
    plans = [
        _plan(source, [*overrides, *measuring], observation, _of_model(stem, request.vary), each, own)
        for stem, source in sources.items()
    ]
    make_folder(str(directory))
    models, progress = [], options.progress
    for number, (stem, (plan, points, model)) in enumerate(zip(sources, plans, strict=True)):
        with Study(plan, directory / stem, options, own=own, model=model) as study:
            before = number * each + len(plan.runs) - len(study.missing())
            shown = (lambda count, before=before: progress(before + count)) if progress else None
            run_missing(study, shown)
            summaries = np.array([without_units(row, names) for row in study.rows()])
        models.append(Model(stem, ReferenceTable(points, summaries), plan.base.time.steps_per_frame))
    observed, every = without_units(observation.entries, names), -measured_frames(like, observation.frames).step
    return Choice(observed, tuple(models), names, every, request.check)


def _of_model(stem: str, texts: Sequence[str]) -> list[str]:
    """The texts after `--vary` that are about this model, without its name."""
    parts = [text.partition("=") for text in texts]
    return [f"{key.rpartition(':')[2]}={value}" for key, _, value in parts if key.rpartition(":")[0] in {"", stem}]


def _plan(
    source: Source, overrides: Sequence[Override], observation: Observation, vary: Sequence[str], runs: int, own: Own
) -> tuple[SweepPlan, Floats, ObservationModel | None]:
    """The runs of a model, their points in the unit cube, and the manner in which they are seen."""
    base = draft(source, overrides).scenario()
    made: dict[str, Any] = {"time.frames": observation.frames}
    if observation.run:
        number, size = observation.run.scenario.world.dimension, base.world.size
        if number != len(size):
            made["world.size"] = [*size, size[-1]][:number]
        made |= animals_alike(observation, base)
    settings = [*overrides, *(Override(key, value, f"{observation.name}: {key}") for key, value in made.items())]
    try:
        pilot = draft(source, settings).scenario()
    except ScenarioError as error:
        animals = f"{observation.animals} animals in {number} dimensions" if observation.run else "these frames"
        raise UsageError(f"{source.stem}: cannot have {animals}, as the film: {error.errors[0]}") from None
    mine, theirs = (
        entries["mean"] for entries in (entries_of(pilot, simulate(own.steered(pilot))), observation.entries)
    )
    if not {*SCALES.values()} <= mine.keys() or not mine["mean_speed"]:
        raise UsageError(f"{source.stem}: does not move, or has too few boids, so that it has no units to compare in")
    length, speed = (mine[name] / theirs[name] for name in SCALES.values())
    steps = max(1, round(length / speed * observation.interval / pilot.time.dt))
    settings.append(Override("time.steps_per_frame", steps, "--models"))
    model = observation.model
    if model:
        model = model._replace(noise=float(f"{model.noise * length:.3g}"))
    if not vary:  # the coordinate stands for nothing
        plan = plan_sweep(source, [*settings, OWN_SEEDS], replace(MEASURED, seeds=runs))
        return plan, np.random.default_rng(pilot.seed).random((runs, 1)), model
    design = read_design("lhs", vary, source, settings)
    points = design.points(runs)
    return plan_design(source, settings, design, points, MEASURED), points, model


def without_units(entries: Mapping[str, Any], names: Sequence[str]) -> Floats:
    """The summaries of measures, with means and deviations in parts of the unit of each, (p,)."""
    found = np.array(summaries_of(entries, names)).reshape(len(names), len(SUMMARIES))
    units = [entries["mean"].get(SCALES[unit_of(name)], np.nan) if unit_of(name) else 1.0 for name in names]
    found[:, :2] /= np.array(units)[:, None]
    return found.ravel()


def write_choice(found: Choice, directory: Path) -> list[str]:
    """Write the tables of a choice into the directory; returns their paths."""
    paths = {str(directory / f"{name}.csv"): rows for name, rows in found.tables.items()}
    for path, rows in paths.items():
        write_columns(path, Columns.of(rows))
    return [*paths]


def lines_of_choice(found: Choice) -> list[str]:
    """Lines about a choice, the most probable model first."""
    records = sorted(found.tables["models"], key=lambda one: -one["probability"])
    lines = ["no model fits, so that probabilities mean little"] if all(one["fits"] is False for one in records) else []
    for one in records:
        wrong = f"{one['worst_summary']} is {one['observed']:.3g}, in runs like it {one['predicted_low']:.3g} to "
        does = {True: "fits", None: TOO_FEW, False: f"does not fit: {wrong}{one['predicted_high']:.3g}"}[one["fits"]]
        lines.append(f"{one['model']}: probability {one['probability']:.3g}, {does}")
    checked = found.tables.get("confusion", [])
    return lines + [f"check, films of {row['film_of']}: {row[row['film_of']]:.0%} chosen right" for row in checked]
