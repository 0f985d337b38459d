"""Measured runs: frame by frame as a series, or as the outcome of one run of a sweep.

The table `[measure]` of the scenario names the measures and frames. A row of a series is `{"seed": …, "frame": …,
"time": …, NAME: …}`; a measure that is not defined in a frame is None. Rows come frame by frame and seed by seed, one
at a time.

`do_run` is the work of a worker process, here or on another machine: it takes a `RunJob` and returns an `Outcome`, a
small dictionary, whatever happens; a run that fails has the status "failed" and a reason.
"""

import time
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from boidsgen.errors import BoidsgenError, LimitError, UsageError
from boidsgen.inputs import open_regular
from boidsgen.output.formats import FORMATS, Target, format_of
from boidsgen.output.outputs import open_pending
from boidsgen.output.series import SERIES_WRITERS, Row
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions, preflight, render
from boidsgen.plugins import boundary
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation.measures import INSTANT, KNOWN, Measurement, StateMeasure
from boidsgen.simulation.profiles import PROFILES, SHELLS, distances, everybody
from boidsgen.simulation.rules.rule import Rule, RuleFunction, Rules
from boidsgen.simulation.run import engine_name, simulate
from boidsgen.simulation.setup import Setup, State
from boidsgen.studies.manifest import DONE, FAILED, Outcome, hash_output
from boidsgen.studies.statistics import summary
from boidsgen.tables import value_at

MAX_MEASURED = 64
"""Maximum number of measured frames in one run, evenly spread, unless the scenario sets the interval.

Measuring a large flock costs as much as moving it.
"""
POSTER_SIDE = 320  # Longer side of a run's still picture on the page, in pixels
SEED_BITS = 48  # Bits of a spawned seed: at most fifteen digits, which spreadsheets and JavaScript keep exactly


@lru_cache(maxsize=4)
def spawn_seeds(seed: int, number: int) -> tuple[int, ...]:
    """Independent seeds; the first ones stay the same when more are wanted."""
    children = np.random.SeedSequence(seed).spawn(number)
    return tuple(int(child.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS) for child in children)


def columns(scenario: Scenario) -> tuple[str, ...]:
    """Columns of a row of this scenario, in order; numbers that events set come last."""
    return (*INSTANT, *scenario.measure.names, *moved_keys(scenario))


def moved_keys(setup: Setup) -> tuple[str, ...]:
    """The keys with numbers that events of a setup change, in the order of the events."""
    settings = (setting for event in setup.events for setting in event.set.items())
    return tuple(dict.fromkeys(key for key, value in settings if isinstance(value, int | float)))


def series_row(seed: int, state: State, names: Iterable[str], values: Mapping[str, float]) -> Row:
    """The row of one state."""
    moved = {key: value_at(state.setup, key.split(".")) for key in moved_keys(state.setup)}
    return {"seed": seed, "frame": state.frame, "time": state.time, **dict.fromkeys(names), **values, **moved}


def refuse_unmeasured(scenario: Scenario) -> None:
    """Stop when no frame would be measured; UsageError if measuring begins after the last frame."""
    first, last = scenario.measure.first(scenario.time), scenario.time.frames - 1
    if first > last:
        key = "from" if scenario.measure.from_ == first else "after"
        raise UsageError(f"measure.{key}: nothing is left to measure from frame {first} on; the last one is {last}")


class Own(NamedTuple):
    """Parts that a program adds to a scenario, and no scenario can tell."""

    rules: tuple[tuple[str, Rule | RuleFunction], ...] = ()  # that also steer every flock, with names of functions
    measures: Mapping[str, StateMeasure] = {}  # further measures by their names

    def steered(self, scenario: Scenario) -> Scenario:
        """The scenario with these rules; UsageError if one is no rule, or has a name that is taken."""
        for name, rule in self.rules:
            scenario = scenario.with_rule(rule, name)
        return scenario


NOTHING = Own()


def own_parts(rules: Rules, measures: Sequence[StateMeasure]) -> Own:
    """Rules and measures of a program, the measures under the names of their functions.

    Raises:
        UsageError: when a measure is no function of a state, or its name is taken.
    """
    named: dict[str, StateMeasure] = {}
    for measure in measures:
        name = getattr(measure, "__name__", "")
        if not callable(measure) or not name.isidentifier():
            raise UsageError(f"measures: {measure!r} is not a function with a name, of a state")
        if name in named or name in (*INSTANT, *KNOWN):
            raise UsageError(f"measures: {name} already exists; give the function another name")
        named[name] = measure
    steering = rules.items() if isinstance(rules, Mapping) else (("", rule) for rule in rules)
    return Own(tuple(steering), named)


@dataclass(frozen=True)
class Measured:
    """Runs to measure."""

    scenario: Scenario  # of all runs
    runs: Mapping[int, Iterable[State]]  # the states of each run by its seed; the runs differ in nothing else
    engine: str | None = None  # of the simulation; None for a saved run
    own: Own = NOTHING  # what a program adds
    # by seed and measure, its values where it is defined, as far as the series has come
    values: dict[int, defaultdict[str, list[float]]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of a row, in order."""
        return tuple(dict.fromkeys((*columns(self.scenario), *self.own.measures)))

    @property
    def rows(self) -> int:
        """Number of rows in the series."""
        return len(self.runs) * len(self.scenario.measure.frames(self.scenario.time))

    def series(self) -> Iterator[Row]:
        """The rows of all runs, one run after the other."""
        for seed, states in self.runs.items():
            measurement = Measurement(self.scenario.measure, self.scenario.time, own=self.own.measures)
            self.values[seed] = defaultdict(list)
            for state in states:
                if (values := measurement.of(state)) is not None:
                    for name, value in values.items():
                        self.values[seed][name].append(value)
                    yield series_row(seed, state, measurement.names, values)

    def summaries(self) -> list[dict[str, Any]]:
        """The seed of each run and its `summary`, when the series has ended."""
        return [{"seed": seed, **summary(values)} for seed, values in self.values.items() if values]


def measured(
    scenario: Scenario, seeds: int | None, options: RunOptions = DEFAULT_OPTIONS, own: Own = NOTHING
) -> Measured:
    """Runs with this number of seeds spawned from the scenario's, or one run with its own, whose states may be given.

    Raises:
        LimitError: they exceed the limits, each or together.
        UsageError: there is no such engine, nothing to measure, or more than one seed of a finished run.
    """
    if options.states is not None:
        if own.rules or seeds is not None:
            raise UsageError("--seeds and rules: change nothing in a finished run")
        return Measured(scenario, {scenario.seed: options.states}, own=own)
    preflight(scenario, drawn=False)
    runs = seeds or 1
    if (wanted := runs * max(scenario.steps, scenario.time.frames)) > scenario.limits.steps:
        allowed = f"{scenario.limits.steps:,} allowed; --set limits.steps={wanted} allows it"
        raise LimitError(f"{wanted:,} steps requested by {runs:,} runs together, {allowed}")
    refuse_unmeasured(scenario)
    chosen = [scenario.seed] if seeds is None else spawn_seeds(scenario.seed, seeds)
    steered = own.steered(scenario)
    states = {seed: simulate(steered.model_copy(update={"seed": seed}), options.engine) for seed in chosen}
    return Measured(scenario, states, engine_name(options.engine), own)


def write_series(
    rows: Iterable[Row],
    paths: Sequence[str],
    *,
    names: Sequence[str],
    output_format: str | None = None,
    no_clobber: bool = False,
    observe: Callable[[Row], None] | None = None,
) -> None:
    """Write rows to all paths as they come, complete or not at all.

    Args:
        rows: of a series.
        paths: files whose extensions select the format; "-" is standard output.
        names: columns in order.
        output_format: the format where an extension selects none.
        no_clobber: leave existing files as they are.
        observe: called with every row after it is written.

    Raises:
        BoidsgenError: one of its kinds; then every file is as it was before.
    """
    kinds = [(path, SERIES_WRITERS[format_of(path, SERIES_WRITERS, output_format)]) for path in paths]
    with open_pending(kinds, lambda kind, part: kind(part, names), no_clobber=no_clobber) as outputs:
        for row in rows:
            for output in outputs:
                output.write(row)
            if observe:
                observe(row)


class RunJob(NamedTuple):
    """Everything a worker needs for one run."""

    run: str  # name of the run
    label: str  # display name of the scenario
    text: str  # of the scenario
    settings: tuple[tuple[str, object], ...]  # keys to set in it, in order, with their values
    output: str  # path of the file or folder to make
    format: str  # of the output; empty for a run that is only measured
    engine: str  # of the simulation
    series: str = ""  # path of the file for the measures of every measured frame; empty for none


def do_run(job: RunJob, own: Own = NOTHING) -> Outcome:
    """Simulate and measure a run, and draw it if its job has a format."""
    began = time.monotonic()
    try:
        with boundary():
            found = {"status": DONE, **_run(job, own)}
    except MemoryError:
        found = {"status": FAILED, "reason": "not enough memory", "exit_code": LimitError.exit_code}
    except (Exception, SystemExit) as bug:  # noqa: BLE001  a bug in one run must not stop the others; the row names it
        error = bug if isinstance(bug, BoidsgenError) else BoidsgenError(f"{type(bug).__name__}: {bug}")
        found = {"status": FAILED, "reason": str(error), "exit_code": error.exit_code}
    return {**found, "seconds": round(time.monotonic() - began, 3)}


def _run(job: RunJob, own: Own) -> Outcome:
    settings = [Override(key, value, key) for key, value in job.settings]
    scenario = draft(Source(job.label, "", job.text), settings).scenario()
    measures = RunMeasures(scenario, own.measures, keep_rows=bool(job.series))
    found: Outcome = {"frames": scenario.time.frames}
    if not job.format:
        preflight(scenario, drawn=False)
        for state in simulate(own.steered(scenario), job.engine):
            measures.add(state)
    else:
        path = Path(job.output)
        options = RunOptions(job.engine, observe=measures.add)
        report = render(own.steered(scenario), Target(job.output, job.format), options=options)
        found = {"frames": report.frames, "digest": report.digest, **hash_output(path)}
        writer = FORMATS[job.format]
        if writer.makes != "folder" and writer.element == "img":  # a page cannot show the last frame of such a file
            found["poster"] = poster(path)
    found |= measures.entries()
    if job.series:
        write_series(measures.rows, [job.series], names=columns(scenario))
    return found


class RunMeasures:
    """Collects the measures and profiles of one run, frame by frame.

    Attributes:
        rows: of a series, if they are kept.
    """

    def __init__(self, scenario: Scenario, own: Mapping[str, StateMeasure], *, keep_rows: bool) -> None:
        self.rows: list[Row] = []
        self._measurement = Measurement(scenario.measure, scenario.time, MAX_MEASURED, own=own)
        self._profiles = {name: PROFILES[name]() for name in scenario.measure.profiles}
        self._sums = {name: np.zeros((2, SHELLS)) for name in self._profiles}
        self._values: defaultdict[str, list[float]] = defaultdict(list)
        self._final: dict[str, float] = {}
        self._last: State | None = None
        self._seed, self._keep_rows = scenario.seed, keep_rows

    def add(self, state: State) -> None:
        """Take the next state."""
        if (values := self._measurement.of(state)) is None:
            return
        self._final, self._last = values, state
        for name, value in values.items():
            self._values[name].append(value)
        population = everybody(state)
        for name, profile in self._profiles.items():
            shells = profile.values(population)
            known = np.isfinite(shells)
            self._sums[name] += np.where(known, shells, 0.0), known
        if self._keep_rows:
            self.rows.append(series_row(self._seed, state, self._measurement.names, values))

    def entries(self) -> Outcome:
        """Entries of the manifest.

        "final" has the measures of the last frame; of the frames in which a measure is defined there are its mean
        ("mean"), the accuracy of that ("error", "tau", "n_eff", "settled"), and the means of second and fourth powers
        ("moments"). "boids" is the number of boids at the end, "profiles" has the mean of each shell, where there are
        any.
        """
        last = self._last
        arrays = {name: np.array(values) for name, values in self._values.items()}
        found: Outcome = {
            "final": self._final,
            **summary(self._values),
            "moments": {name: [float((some**power).mean()) for power in (2, 4)] for name, some in arrays.items()},
            "boids": 0 if last is None else sum(len(flock.position) for flock in last.flocks),
        }
        if self._profiles:
            found["profiles"] = {
                name: {
                    "distance": distances(last.setup.world).tolist(),
                    "mean": [total / number if number else None for total, number in sums.T.tolist()],
                }
                for name, sums in self._sums.items()
                if last is not None
            }
        return found


def poster(path: Path) -> str:
    """A small picture of the last frame of an animated file, as a data URL."""
    with open_regular(path) as file, Image.open(file) as image:
        image.seek(getattr(image, "n_frames", 1) - 1)
        small = image.convert("RGB")
    small.thumbnail((POSTER_SIDE, POSTER_SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"
