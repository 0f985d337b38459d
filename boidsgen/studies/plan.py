"""The plan of a sweep: axes, the grid of points that they span, and every run, validated before the first one begins.

An axis is a key with the values it takes, a point one value for each axis; the values of the last axis change fastest.
A plan is small whatever the number of runs: it keeps names, values and hashes, and the scenario of a run is loaded
again where the run is done.
"""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, product

from boidsgen.errors import LimitError, ScenarioError, UsageError
from boidsgen.measuring import refuse_unmeasured, spawn_seeds
from boidsgen.output.formats import FORMATS
from boidsgen.scenario.layers import Override, refuse_undecodable, values_from
from boidsgen.scenario.loading import MAX_ERRORS, draft
from boidsgen.scenario.scenario import Scenario, Sweep
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import suggestion, to_toml

MAX_RANGE = 1_000_000  # Maximum number of values in one range
MAX_NAME_LENGTH = 120  # Maximum length of a run's name, without the file extension

_NUMBER = r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*"
_RANGE = re.compile(f"{_NUMBER}:{_NUMBER}:{_NUMBER}")
_RANGE_WITHOUT_COUNT = re.compile(f"{_NUMBER}(?::|\\.\\.){_NUMBER}")
_EXAMPLE = "must look like KEY=V1,V2,V3 or KEY=START:STOP:COUNT, as in flock.separation.weight=0:2:5"
_UNSAFE = re.compile(r"[^a-z0-9.=_+-]")  # capitals too: some file systems ignore case
_CHUNK = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_TABLE = "sweep"
_SEED = "seed"
_ERROR = "error."

Point = tuple[object, ...]  # One value for each axis


@dataclass(frozen=True)
class SweepAxis:
    """One key and the values it takes."""

    key: str  # dotted
    values: Sequence[object]  # at least one
    origin: str  # prefix of a value in messages, as in `--vary flock.count=`


@dataclass(frozen=True)
class SweepOptions:
    """Options of the caller; what is None, or has no axis, is left to the table [sweep] of the scenario."""

    axes: tuple[SweepAxis, ...] = ()  # keys to vary, each instead of the scenario's values for that key
    seeds: int | None = None  # number of seeds to spawn
    zipped: bool | None = None  # pair the values instead of crossing them
    drawn: bool = True  # draw and write the runs, not only measure them
    # standard errors, as in the table; None for those of the scenario
    until: Mapping[str, float] | None = None
    own_measures: tuple[str, ...] = ()  # names of further measures, of a program


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep."""

    name: str  # unique in the sweep; its output is named after it
    values: Point  # of the axes, in their order
    seed: int  # of the run
    number: int | None  # of the seed among the spawned ones, from 1; None where every run has the scenario's own seed
    format: str  # of the output; empty for a run that is only measured
    digest: str  # SHA-256 of the scenario; equal for scenarios whose keys are all equal

    @property
    def file(self) -> str:
        """Name of the output in the directory of the sweep; empty for a run that is only measured."""
        if not self.format:
            return ""
        writer = FORMATS[self.format]
        return self.name if writer.makes == "folder" else f"{self.name}{writer.extensions[0]}"


@dataclass(frozen=True)
class SweepPlan:
    """All runs of a sweep."""

    source: Source  # of the scenario
    base: Scenario  # the scenario before anything is varied
    overrides: tuple[Override, ...]  # keys that every run sets
    axes: tuple[SweepAxis, ...]  # keys that differ between runs
    seeds: int | None  # number of spawned seeds; None where every run has the scenario's own
    zipped: tuple[str, ...]  # the keys whose values are paired instead of crossed
    drawn: bool  # draw and write the runs, not only measure them
    # standard errors that end a combination before its last seed, by the names of measures
    until: Mapping[str, float] = field(default_factory=dict)
    runs: tuple[SweepRun, ...] = ()  # in the order of the grid, the last key changing fastest, seeds faster still

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The varied keys, dotted."""
        return tuple(axis.key for axis in self.axes)

    @property
    def cells(self) -> list[tuple[SweepRun, ...]]:
        """The runs of each combination of values, in the order of their seeds."""
        return [self.runs[first : first + (self.seeds or 1)] for first in range(0, len(self.runs), self.seeds or 1)]

    def settings(self, run: SweepRun) -> dict[str, object]:
        """All keys that a run sets in the scenario, dotted, in the order in which they are set."""
        varied = dict(zip(self.keys, run.values, strict=True))
        fixed = {each.key: each.value for each in self.overrides if each.key not in varied}
        return {**fixed, **varied, **({} if self.seeds is None else {_SEED: run.seed})}

    def scenario(self, run: SweepRun) -> Scenario:
        """Load the scenario of a run."""
        return draft(self.source, self._overrides(run)).scenario()

    def embedded(self, run: SweepRun) -> dict[str, object]:
        """Contents of the files that the scenario of a run names, by dotted key: a worker may not have the files."""
        return draft(self.source, self._overrides(run)).contents

    def _overrides(self, run: SweepRun) -> list[Override]:
        return [Override(key, value, key) for key, value in self.settings(run).items()]


def parse_axis(text: str) -> SweepAxis:
    """Parse `--vary KEY=VALUES`; UsageError if the text is no axis."""
    refuse_undecodable(text, "--vary")
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise UsageError(f"--vary {text}: {_EXAMPLE}")
    try:
        return SweepAxis(key, parse_values(values), f"--vary {key}=")
    except ValueError as error:
        raise UsageError(f"--vary {text}: {error}") from None


def parse_until(texts: Sequence[str]) -> dict[str, float] | None:
    """Parse `--until error.MEASURE=VALUE`; None where there is none; UsageError if a text has no number."""
    found: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise UsageError(f"--until {text}: must look like error.polarization=0.01") from None
    return found or None


def parse_values(text: str) -> tuple[object, ...]:
    """Parse a list of TOML values, whose text needs no quotes, or a range START:STOP:COUNT.

    Raises:
        ValueError: with the reason.
    """
    if match := _RANGE_WITHOUT_COUNT.fullmatch(text):
        raise ValueError(f"a range is START:STOP:COUNT, as in {match[1]}:{match[2]}:5 for five values")
    if match := _RANGE.fullmatch(text):
        return _range(*match.groups())
    listed = values_from(text)
    if not listed or "" in listed:
        raise ValueError(f"a value is missing; {_EXAMPLE}")
    return tuple(listed)


def _range(start: str, stop: str, number: str) -> tuple[float, ...]:
    """Evenly spaced numbers, each the float nearest to the exact decimal; integers where START, STOP and it are."""
    if not number.isdecimal():
        raise ValueError(
            f"COUNT must be a whole number, how many values, not {number}; it is not the step between them"
        )
    count, first, last = int(number), Fraction(start), Fraction(stop)
    if not 0 < count <= MAX_RANGE:
        raise ValueError(f"COUNT must be from 1 to {MAX_RANGE:,}, not {number}")
    if (count == 1) != (first == last):
        raise ValueError(f"{number} values do not lead from {start} to {stop}")
    step = (last - first) / max(1, count - 1)
    scale = math.lcm(first.denominator, step.denominator)
    begin, way = int(first * scale), int(step * scale)
    numerators = (begin + way * at for at in range(count))
    integer = start.lstrip("+-").isdecimal() and stop.lstrip("+-").isdecimal()
    try:
        return tuple(one // scale if integer and one % scale == 0 else one / scale for one in numerators)
    except OverflowError:
        raise ValueError("the range exceeds floating-point numbers") from None


def group_axes(axes: Sequence[SweepAxis], paired: Collection[str]) -> list[list[SweepAxis]]:
    """The axes in their order, those of paired keys in one group."""
    groups: dict[str, list[SweepAxis]] = {}
    for axis in axes:
        groups.setdefault("" if axis.key in paired else axis.key, []).append(axis)
    return list(groups.values())


def cross_axes(axes: Sequence[SweepAxis], paired: Collection[str]) -> Iterator[Point]:
    """Every combination of values; the values of paired keys go together, first with first.

    Raises:
        UsageError: one paired key has more values than another.
    """
    groups = group_axes(axes, paired)
    for group in groups:
        if len({len(axis.values) for axis in group}) > 1:
            counts = ", ".join(f"{axis.key} has {len(axis.values)}" for axis in group)
            raise UsageError(f"pairing values needs equally many of each: {counts}")
    keys = [axis.key for group in groups for axis in group]
    for parts in product(*(zip(*(axis.values for axis in group), strict=True) for group in groups)):
        values = dict(zip(keys, chain.from_iterable(parts), strict=True))
        yield tuple(values[axis.key] for axis in axes)


def plan_sweep(source: Source, overrides: Sequence[Override], options: SweepOptions) -> SweepPlan:
    """Combine the table [sweep] of a scenario with the caller's options and validate every run.

    Raises:
        ScenarioError: with the errors of all runs, each once.
        UsageError: there is nothing to vary, values cannot be paired, or two runs are the same.
        LimitError: there are too many runs, or one exceeds the limits.
    """
    try:
        written = draft(source, overrides)
        base = written.scenario()
    except ScenarioError:  # it may lack a key that only the sweep gives
        first = [Override.named(axis.key, axis.values[0], axis.origin) for axis in options.axes]
        written = draft(source, [*overrides, *first])
        base = written.scenario()
    axes = _merge_axes(written.place, base.sweep, options)
    seeds, keys = options.seeds or base.sweep.seeds, tuple(axis.key for axis in axes)
    zipped = base.sweep.zip if options.zipped is None else options.zipped
    if isinstance(zipped, bool):
        zipped = keys if zipped else ()
    for key in zipped:
        if key not in keys:
            raise UsageError(f"sweep.zip: {key!r} is not varied; the keys that are: {', '.join(keys)}")
    if not axes and seeds is None:
        raise UsageError("nothing to vary: give --vary KEY=V1,V2,V3, or --seeds N, or a table [sweep] in the scenario")
    counts = [max(len(axis.values) for axis in group) for group in group_axes(axes, zipped)]
    refuse_runs(math.prod(counts) * (seeds or 1), base.limits.runs)
    # A run is one render, and its scenario does not mention the sweep.
    fixed = (*overrides, *([Override(_TABLE, {}, _TABLE)] if base.sweep != Sweep() else []))
    until = _checked_until(base.sweep.until if options.until is None else options.until, base, seeds, options)
    plan = SweepPlan(source, base, fixed, axes, seeds, zipped, options.drawn, until)
    return replace(plan, runs=tuple(_validated_runs(plan)))


def refuse_runs(wanted: int, allowed: int) -> None:
    """Raise LimitError for more runs than are allowed."""
    if wanted > allowed:
        raise LimitError(f"{wanted:,} runs requested, {allowed:,} allowed; --set limits.runs={wanted} allows it")


def _checked_until(
    until: Mapping[str, float], base: Scenario, seeds: int | None, options: SweepOptions
) -> dict[str, float]:
    """Standard errors by the names of measures."""
    known = (*base.measure.names, *options.own_measures)
    for name, error in until.items():
        if not name.startswith(_ERROR) or name.removeprefix(_ERROR) not in known:
            near = suggestion(name, [f"{_ERROR}{measure}" for measure in known])
            raise UsageError(f"--until {name}: must be the error of a measure{near}, as in error.polarization=0.01")
        if not 0 < error < math.inf:
            raise UsageError(f"--until {name}={error:g}: must be above 0")
    if until and (seeds is None or options.drawn):
        missing = "--measures-only, since it adds runs" if options.drawn else "--seeds N, the maximum per combination"
        raise UsageError(f"--until {next(iter(until))}: needs {missing}")
    return {name.removeprefix(_ERROR): error for name, error in until.items()}


def _merge_axes(
    place: Callable[[tuple[str | int, ...]], str], sweep: Sweep, options: SweepOptions
) -> tuple[SweepAxis, ...]:
    """The axes of the scenario, then those that only the caller has; each key once. `place` tells file and line."""
    mine = {axis.key: axis for axis in options.axes}
    if len(mine) < len(options.axes):
        raise UsageError("--vary names a key twice; give all of its values in one")
    axes = dict[str, SweepAxis]()
    for key, values in sweep.vary.items():
        if key in mine:
            continue
        at = f"{place((_TABLE, 'vary', key))}: sweep.vary: {key}"
        try:
            axes[key] = SweepAxis(key, parse_values(values) if isinstance(values, str) else values, f"{at} = ")
        except ValueError as error:
            raise ScenarioError([f"{at}: {error}"]) from None
    for key in (axes := axes | mine):
        if key.split(".")[0] == _TABLE:
            raise UsageError(f"{key}: controls the sweep itself and cannot be varied")
    return tuple(axes.values())


def _validated_runs(plan: SweepPlan) -> list[SweepRun]:
    """The runs of all points; all errors are collected, and one that every value makes is reported once."""
    runs: list[SweepRun] = []
    errors: dict[str, str] = {}
    excesses: dict[str, None] = {}
    bad, met = 0, Counter[str]()
    for point in cross_axes(plan.axes, plan.zipped):
        values = list(zip(plan.axes, point, strict=True))
        varied = [Override.named(axis.key, value, axis.origin) for axis, value in values]
        try:
            document = draft(plan.source, [*plan.overrides, *varied])
            scenario = document.scenario()
            if plan.drawn and (unfit := list(scenario.unfit_for([scenario.output.format]))):
                document.refuse(unfit)
        except ScenarioError as error:
            for line in error.errors:
                without_value = line
                for each, axis in zip(varied, plan.axes, strict=True):
                    without_value = without_value.replace(each.origin, axis.origin)
                errors.setdefault(without_value, line)
            if (bad := bad + 1) >= MAX_ERRORS:  # of thousands of runs that one wrong value spoils
                break
            continue
        excesses |= dict.fromkeys(scenario.excess(drawn=plan.drawn))
        refuse_unmeasured(scenario)
        runs += _runs_of(scenario, point, plan, met[repr(point)])
        met[repr(point)] += plan.base.sweep.independent
    if errors:
        raise ScenarioError(list(errors.values())[:MAX_ERRORS])
    if excesses:
        raise LimitError("\n".join(f"{plan.source.label}: {line}" for line in excesses))
    _refuse_duplicates(runs)
    return runs


def _refuse_duplicates(runs: Sequence[SweepRun]) -> None:
    """Stop when two runs are the same, or would be written to the same file."""
    seen: dict[str, SweepRun] = {}
    for run in runs:
        for mark in (run.digest, run.name):
            if mark in seen:
                both = " and ".join(dict.fromkeys((seen[mark].name, run.name)))
                raise UsageError(f"two runs are the same: {both}; leave out one")
            seen[mark] = run


def _runs_of(scenario: Scenario, point: Point, plan: SweepPlan, met: int) -> Iterator[SweepRun]:
    """One run for each seed of a point, with further seeds where it has been met before."""
    varied = dict(zip(plan.keys, point, strict=True))
    # Everything but the sweep and the limits. Not as JSON, which has no infinity. The text is made once.
    text = repr(scenario.model_dump(exclude={_TABLE, "limits", _SEED}))
    numbered: dict[int | None, int] = {None: scenario.seed}
    if plan.seeds is not None:
        source = scenario.seed
        if plan.base.sweep.independent:
            source = int.from_bytes(hashlib.sha256(f"{source} {varied!r}".encode()).digest())
        first = met * plan.seeds
        numbered = dict(enumerate(spawn_seeds(source, first + plan.seeds)[first:], start=first + 1))
    for number, seed in numbered.items():
        digest = hashlib.sha256(f"{seed} {text}".encode()).hexdigest()
        output_format = scenario.output.format if plan.drawn else ""
        yield SweepRun(run_name(varied, number), point, seed, number, output_format, digest)


def select_chunk(plan: SweepPlan, text: str) -> SweepPlan:
    """Reduce a plan to one task of an array: for `I/N` the runs I, I + N, I + 2N and so on.

    Raises:
        UsageError: the text is no chunk, or the chunk has no run.
    """
    found = _CHUNK.fullmatch(text)
    number, chunks = (int(part) for part in found.groups()) if found else (0, 0)
    if plan.until:
        raise UsageError(f"--chunk {text}: separates the seeds of a combination, which --until needs; choose one")
    if not 1 <= number <= chunks:
        raise UsageError(f"--chunk {text}: must look like 3/10, the third of ten")
    if not (runs := plan.runs[number - 1 :: chunks]):
        raise UsageError(f"--chunk {text}: there are only {len(plan.runs)} runs")
    return replace(plan, runs=runs)


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """Short form of each dotted key: without its first part, unless another key has the same short form."""
    short = {key: key.partition(".")[2] or key for key in keys}
    shared = Counter(short.values())
    return {key: name if shared[name] == 1 else key for key, name in short.items()}


def value_text(value: object) -> str:
    """A value in names and labels: text as it is, everything else as TOML."""
    return value if isinstance(value, str) else to_toml(value)


def run_name(values: Mapping[str, object], seed: int | None) -> str:
    """Name a run by its varied keys and the number of its seed, as in `count=50_separation.weight=0.5_seed=2`.

    The name does not depend on the order of keys and values. It is a safe file name on any file system: unsafe letters
    become `-`, and then, or when it would be too long, a hash keeps it unique.
    """
    short = short_keys(sorted(values))
    parts = [f"{short[key]}={value_text(values[key])}" for key in sorted(values)]
    plain = "_".join([*parts, *([] if seed is None else [f"seed={seed}"])])
    safe = _UNSAFE.sub("-", plain)
    if safe == plain and len(safe) <= MAX_NAME_LENGTH:
        return safe
    exact = json.dumps([sorted(values.items()), seed], default=str)
    digest = hashlib.sha256(exact.encode()).hexdigest()[:10]
    return f"{safe[:MAX_NAME_LENGTH].rstrip('.')}-{digest}"
