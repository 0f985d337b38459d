"""Measured runs: the accuracy of a mean, and series frame by frame.

The accuracy of a mean takes into account that frames of one run are correlated.

The table `[measure]` of the scenario names the measures and frames. A row of a series is `{"seed": …, "frame": …,
"time": …, NAME: …}`; a measure that is not defined in a frame is None. Rows come frame by frame and seed by seed, one
at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, count, islice
from math import inf, isqrt, sqrt
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import LimitError, UsageError
from boidsgen.output.columns import COLUMNS_WRITERS, Columns
from boidsgen.output.formats import format_of
from boidsgen.output.outputs import open_pending
from boidsgen.pipeline import DEFAULT_OPTIONS, Progress, RunOptions, preflight
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.individuals import ANIMAL_MEASURES, stretches
from boidsgen.simulation.measures import INSTANT, KNOWN, RUN_MEASURES, Measurement, StateMeasure
from boidsgen.simulation.profiles import PROFILES, SHELLS, distances, everybody
from boidsgen.simulation.rules.rule import Rule, RuleFunction, Rules
from boidsgen.simulation.run import engine_name, flock_tracks, simulate
from boidsgen.simulation.setup import Setup, State, own_rules
from boidsgen.simulation.spans import SPAN_KINDS, Span, spans
from boidsgen.system import STANDARD_OUTPUT
from boidsgen.tables import value_at

MIN_BLOCKS = 8  # Blocks of a series of up to a thousand values; of longer ones there are sqrt(n) / 4
MAX_CORRELATION = 0.85
"""Maximum correlation between the means of successive blocks; the error grows by a factor of up to 3.5 for it."""
UNSETTLED = 4.0  # Standard errors between the beginning of a series and its second half that chance does not explain
MIN_DRIFT = 1e-4  # Differences between the same, relative to the latter, that no reader of a mean cares about
ROUNDING = 1e-9  # Differences of a series relative to its mean that are taken for rounding
MIN_JUDGED = 32  # Minimum number of values that are tested for stationarity
UNLIKELY = 3.09  # Standard deviations that chance exceeds once in a thousand times
TOO_SMALL = 2.0  # Factor by which the standard error of a run may be too small
MAX_MEASURES_NAMED = 3  # Measures that a notice names

_BOIDS_TOGETHER = 2048  # That are measured in one call, in as many states as come within
_SOON = 0.05  # Seconds
_ROWS_AT_ONCE = 100  # That are written to files together
_ROWS_IN_GROUP = 10_000  # Of Parquet
EVENTS_TOGETHER = 1000  # Rows of events that are written together
_STRETCHES_IN_GROUP = 16  # Likewise, of some 4,000 rows each

Row: TypeAlias = Mapping[str, float | None]
"""Numbers of one instant of one run by their names, None where one is undefined."""


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
        f"{name} in {count:,} of {len(judged):,} runs" if len(judged) > 1 else name
        for name, count in found[:MAX_MEASURES_NAMED]
    )
    more = f" and {len(found) - MAX_MEASURES_NAMED} more" if len(found) > MAX_MEASURES_NAMED else ""
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
        for name, times in listed[:MAX_MEASURES_NAMED]
    )
    more = f" and {len(found) - MAX_MEASURES_NAMED} more" if len(found) > MAX_MEASURES_NAMED else ""
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


MAX_MEASURED = 64
"""Maximum number of measured frames in one run, evenly spread, unless the scenario sets the interval.

Measuring a large flock costs as much as moving it.
"""
SEED_BITS = 48  # Bits of a spawned seed: at most fifteen digits, which spreadsheets and JavaScript keep exactly


@lru_cache(maxsize=4)
def spawn_seeds(seed: int, number: int) -> tuple[int, ...]:
    """Independent seeds; the first ones stay the same when more are wanted."""
    children = np.random.SeedSequence(seed).spawn(number)
    return tuple(int(child.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS) for child in children)


def row_columns(scenario: Scenario) -> tuple[str, ...]:
    """Columns of a row of this scenario, in order; numbers that events set come last."""
    return (*INSTANT, *scenario.measure.names, *moved_keys(scenario))


def moved_keys(setup: Setup) -> tuple[str, ...]:
    """The keys with numbers that events of a setup change, in the order of the events."""
    settings = (setting for event in setup.events for setting in event.set.items())
    return tuple(dict.fromkeys(key for key, value in settings if isinstance(value, int | float)))


def series_row(seed: int, state: State, names: Iterable[str], values: Mapping[str, float]) -> Row:
    """The row of one state."""
    row = {"seed": seed, "frame": state.frame, "time": state.time, **dict.fromkeys(names), **values}
    if state.setup.events:
        row |= {key: value_at(state.setup, key.split(".")) for key in moved_keys(state.setup)}
    return row


def refuse_unmeasured(scenario: Scenario) -> None:
    """Stop when no frame would be measured; UsageError if measuring begins after the last frame."""
    first, last = scenario.measure.first(scenario.time), scenario.time.frames - 1
    if first > last:
        key = "from" if scenario.measure.from_ == first else "after"
        raise UsageError(f"measure.{key}: nothing is left to measure from frame {first} on; the last one is {last}")


def in_parts(states: Iterable[State]) -> Iterator[list[State]]:
    """States in the parts that are measured together, none of which waits long for others; all before any error."""
    some, most, until = list[State](), 0, 0.0
    try:
        for state in states:
            some.append(state)
            if len(some) >= most or perf_counter() >= until:
                yield some
                most = _BOIDS_TOGETHER // max(1, sum(len(flock.position) for flock in state.flocks))
                some, until = [], perf_counter() + _SOON
    except Exception:
        yield some
        raise
    yield some


class Own(NamedTuple):
    """Parts that a program adds to a scenario, and no scenario can tell."""

    rules: tuple[tuple[str, Rule | RuleFunction], ...] = ()  # that also steer every flock, with names of functions
    measures: Mapping[str, StateMeasure] = {}  # further measures by their names

    def steered(self, scenario: Scenario) -> Scenario:
        """The scenario with these rules; UsageError if one is no rule, or has a name that is taken."""
        for name, rule in self.rules:
            scenario = scenario.with_rule(rule, name)
        return scenario

    def sources(self, scenario: Scenario) -> dict[str, str]:
        """The sources of the rules by the names that they have in a scenario."""
        return own_rules(self.steered(scenario))


NOTHING_OWN = Own()


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
    own: Own = NOTHING_OWN  # what a program adds
    # by seed and measure, its values where it is defined, as far as the series has come
    values: dict[int, defaultdict[str, list[float]]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of a row, in order."""
        return tuple(dict.fromkeys((*row_columns(self.scenario), *self.own.measures)))

    @property
    def rows(self) -> int:
        """Number of rows in the series."""
        return len(self.runs) * len(self.scenario.measure.frames(self.scenario.time))

    def series(self) -> Iterator[Row]:
        """The rows of all runs, one run after the other."""
        for seed, states in self.runs.items():
            measurement = Measurement(self.scenario.measure, self.scenario.time, own=self.own.measures)
            kept = self.values[seed] = defaultdict(list)
            for state, values in chain.from_iterable(map(measurement.each, in_parts(states))):
                for name, value in values.items():
                    kept[name].append(value)
                yield series_row(seed, state, measurement.names, values)

    @property
    def animals_like(self) -> Columns:
        """The columns of a table of each animal, without rows."""
        names = [track.name for track in flock_tracks(self.scenario)]
        types: dict[str, Any] = {
            "seed": "i8",
            "frame": "i8",
            "time": "f8",
            "flock": np.array(names, "U").dtype,
            "animal": "i8",
        }
        types |= {name: measure.numbers for name, measure in ANIMAL_MEASURES.items()}
        return Columns({name: np.empty(0, numbers) for name, numbers in types.items()})

    def animals(self, progress: Progress | None = None) -> Iterator[Columns]:
        """A row for each animal in each measured frame in which it is present, in parts that need little memory.

        Progress is told the number of frames that have been used.
        """
        names, columns, done = np.array(self._flocks, "U"), [*self.animals_like.arrays], 0
        for seed, states in self.runs.items():
            for stretch in stretches(states, self.scenario, self.scenario.measure.frames(self.scenario.time)):
                frame, animal = np.nonzero(stretch.present)
                numbers, times = zip(*((state.frame, state.time) for state in stretch.states), strict=True)
                known = (
                    np.full(len(frame), seed),
                    np.array(numbers)[frame],
                    np.array(times)[frame],
                    names[animal],
                    animal,
                )
                values = (measure().values(stretch)[frame, animal] for measure in ANIMAL_MEASURES.values())
                yield Columns(dict(zip(columns, (*known, *values), strict=True)))
                done += len(stretch.states)
                if progress:
                    progress(done)

    @property
    def events_like(self) -> Columns:
        """The columns of a table of events, without rows."""
        names, units = ([*texts] for texts in (self._flocks, (kind.unit for kind in SPAN_KINDS.values())))
        types: dict[str, Any] = {
            "seed": "i8",
            "event": "i8",
            "kind": np.array([*SPAN_KINDS]).dtype,
            "first_frame": "i8",
            "last_frame": "i8",
            "first_time": "f8",
            "last_time": "f8",
            "flock": np.array(names, "U").dtype,
            "animal": "i8",
            "group": "f8",
            "value": "f8",
            "unit": np.array(units).dtype,
        }
        return Columns({name: np.empty(0, numbers) for name, numbers in types.items()})

    def events(self, kinds: Mapping[str, float | None], progress: Progress | None = None) -> Iterator[Columns]:
        """A row for each animal of each event of these kinds with their thresholds, in parts that need little memory.

        Progress is told the number of frames that have been used.
        """
        flocks, measured, done = self._flocks, self.scenario.measure.frames(self.scenario.time), count(1)

        def watched(states: Iterable[State]) -> Iterator[State]:
            for state in states:
                yield state
                if progress and state.frame in measured:
                    progress(next(done))

        def rows(seed: int, number: int, span: Span) -> Iterator[tuple[object, ...]]:
            first, last, unit = span.first, span.last, SPAN_KINDS[span.kind].unit
            known = seed, number, span.kind, first.frame, last.frame, first.time, last.time
            for animal, group, value in span.members:
                yield *known, flocks[animal], animal, np.nan if group is None else group, value, unit

        like = self.events_like.arrays.items()
        for seed, states in self.runs.items():
            found = spans(watched(states), self.scenario, measured, kinds)
            coming = chain.from_iterable(rows(seed, number, span) for number, span in enumerate(found))
            while some := [*islice(coming, EVENTS_TOGETHER)]:
                columns = zip(like, zip(*some, strict=True), strict=True)
                yield Columns({name: np.array(values, empty.dtype) for (name, empty), values in columns})

    @property
    def _flocks(self) -> list[str]:
        """The name of the flock of each animal."""
        return [track.name for track in flock_tracks(self.scenario) for _ in range(track.animals)]

    def summaries(self) -> list[dict[str, Any]]:
        """The seed of each run and its `summary`, when the series has ended."""
        return [{"seed": seed, **summary(values)} for seed, values in self.values.items() if values]


def measured(
    scenario: Scenario, seeds: int | None, options: RunOptions = DEFAULT_OPTIONS, own: Own = NOTHING_OWN
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


def refuse_rows(by: str, events: str, given: Sequence[str]) -> None:
    """Stop for rows that there are not; UsageError if what is given, by their names, goes with rows of frames only."""
    if by not in {"frame", "animal"}:
        raise UsageError(f"by: there are no rows by {by!r}; use frame or animal")
    if events and by == "animal":
        raise UsageError("events: have rows of their own; cannot be used with rows by animal")
    if given and (events or by == "animal"):
        other = "rows of events" if events else "rows by animal, which have all of its measures"
        raise UsageError(f"{', '.join(given)}: cannot be used with {other}")


def write_series(
    rows: Iterable[Row],
    paths: Sequence[str],
    *,
    names: Sequence[str],
    output_format: str | None = None,
    no_clobber: bool = False,
    observe: Callable[[Row], None] | None = None,
) -> None:
    """Write rows to all paths, complete or not at all; to a stream as they come.

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
    like = Columns({name: np.empty(0, np.int64 if name in {"seed", "frame"} else np.float64) for name in names})
    coming, at_once = iter(rows), 1 if STANDARD_OUTPUT in paths else _ROWS_AT_ONCE

    def parts() -> Iterator[Columns]:
        while some := [*islice(coming, at_once)]:
            yield Columns.of(some, names)
            if observe:
                for row in some:
                    observe(row)

    write_parts(
        parts(), paths, like, at_once=_ROWS_IN_GROUP // at_once, output_format=output_format, no_clobber=no_clobber
    )


def write_parts(
    parts: Iterable[Columns],
    paths: Sequence[str],
    like: Columns,
    *,
    at_once: int = _STRETCHES_IN_GROUP,
    output_format: str | None = None,
    no_clobber: bool = False,
) -> None:
    """The same for the parts of a table with columns `like` these; a group of Parquet takes so many parts at once."""
    kinds = [(path, COLUMNS_WRITERS[format_of(path, COLUMNS_WRITERS, output_format)]) for path in paths]
    with open_pending(kinds, lambda kind, part: kind(part.open(), like, at_once), no_clobber=no_clobber) as outputs:
        for entry in parts:
            for output in outputs:
                output.write(entry)


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
        self.add_all([state])

    def add_all(self, states: Iterable[State]) -> None:
        """Take the next states."""
        for state, values in chain.from_iterable(map(self._measurement.each, in_parts(states))):
            self._final, self._last = values, state
            for name, value in values.items():
                self._values[name].append(value)
            for name, profile in self._profiles.items():
                shells = profile.values(everybody(state))
                known = np.isfinite(shells)
                self._sums[name] += np.where(known, shells, 0.0), known
            if self._keep_rows:
                self.rows.append(series_row(self._seed, state, self._measurement.names, values))

    def entries(self) -> dict[str, Any]:
        """Entries of the manifest.

        "final" has the measures of the last frame; of the frames in which a measure is defined there are its mean
        ("mean"), the accuracy of that ("error", "tau", "n_eff", "settled"), and the means of second and fourth powers
        ("moments"). "boids" is the number of boids at the end, "profiles" has the mean of each shell, where there are
        any.
        """
        last = self._last
        arrays = {name: np.array(values) for name, values in self._values.items()}
        found: dict[str, Any] = {
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


def entries_of(scenario: Scenario, states: Iterable[State]) -> Mapping[str, Any]:
    """The entries of a manifest for these states."""
    measures = RunMeasures(scenario, {}, keep_rows=False)
    measures.add_all(states)
    entries = measures.entries()
    for name, kind in RUN_MEASURES.items():  # some end where an animal is not seen, and are those of a shorter time
        if kind.since_first and name not in entries["final"]:
            entries["mean"].pop(name, None)
    return entries
