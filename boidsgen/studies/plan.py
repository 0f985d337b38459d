"""The plan of a sweep: every run, validated before the first one begins.

A plan is small whatever the number of runs: it keeps names, values and hashes, and the scenario of a run is loaded
again where the run is done.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from boidsgen.errors import LimitError, ScenarioError, UsageError
from boidsgen.output.formats import WRITERS
from boidsgen.scenario.estimate import excess
from boidsgen.scenario.layers import Override, layers_of, locate
from boidsgen.scenario.loading import MAX_SHOWN, Draft, draft
from boidsgen.scenario.scenario import Scenario, Sweep
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import dotted, shown, written
from boidsgen.studies.axes import Point, SweepAxis, count_points, cross_axes, parse_values, spawn_seeds
from boidsgen.studies.series import refuse_unmeasured

MAX_NAME_LENGTH = 120
"""Maximum length of a run's name, without the file extension."""

_UNSAFE = re.compile(r"[^a-z0-9.=_+-]")  # capitals too: some file systems ignore case
_HASH_LETTERS = 10
_CHUNK = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_TABLE = "sweep"
_SEED = "seed"
_WITHOUT_TABLE = Override(_TABLE, {}, _TABLE)
"""Removes the table [sweep]: a run is one render, and its scenario does not mention the sweep."""


@dataclass(frozen=True)
class SweepOptions:
    """Options of the caller; what is None, or has no axis, is left to the table [sweep] of the scenario.

    Attributes:
        axes: keys to vary, each instead of the scenario's values for that key.
        seeds: number of seeds to spawn.
        zipped: pair the values instead of crossing them.
        drawn: draw and write the runs, not only measure them.
    """

    axes: tuple[SweepAxis, ...] = ()
    seeds: int | None = None
    zipped: bool | None = None
    drawn: bool = True


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep.

    Attributes:
        name: unique in the sweep; its output is named after it.
        values: of the axes, in their order.
        seed: of the run.
        number: of the seed among the spawned ones, from 1; None where every run has the scenario's own seed.
        format: of the output; empty for a run that is only measured.
        digest: SHA-256 of the scenario; equal for scenarios whose keys are all equal.
    """

    name: str
    values: Point
    seed: int
    number: int | None
    format: str
    digest: str

    @property
    def file(self) -> str:
        """Name of the output in the directory of the sweep; empty for a run that is only measured."""
        if not self.format:
            return ""
        writer = WRITERS[self.format]
        return self.name if writer.makes == "folder" else f"{self.name}{writer.extensions[0]}"


@dataclass(frozen=True)
class SweepPlan:
    """All runs of a sweep.

    Attributes:
        source: of the scenario.
        base: the scenario before anything is varied.
        overrides: keys that every run sets.
        axes: keys that differ between runs.
        seeds: number of spawned seeds; None where every run has the scenario's own.
        zipped: the keys whose values are paired instead of crossed.
        drawn: draw and write the runs, not only measure them.
        runs: in the order of the grid, the last key changing fastest, seeds faster still.
    """

    source: Source
    base: Scenario
    overrides: tuple[Override, ...]
    axes: tuple[SweepAxis, ...]
    seeds: int | None
    zipped: tuple[str, ...]
    drawn: bool
    runs: tuple[SweepRun, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The varied keys, dotted."""
        return tuple(axis.key for axis in self.axes)

    def settings(self, run: SweepRun) -> dict[str, object]:
        """All keys that a run sets in the scenario, dotted, in the order in which they are set."""
        varied = dict(zip(self.keys, run.values, strict=True))
        fixed = {each.key: each.value for each in self.overrides if each.key not in varied}
        return {**fixed, **varied, **({} if self.seeds is None else {_SEED: run.seed})}

    def scenario(self, run: SweepRun) -> Scenario:
        """Load the scenario of a run."""
        return self._draft(run).scenario()

    def embedded(self, run: SweepRun) -> dict[str, object]:
        """Contents of the files that the scenario of a run names, by dotted key: a worker may not have the files."""
        return {dotted(one.keys): one.table for one in self._draft(run).embedded}

    def _draft(self, run: SweepRun) -> Draft:
        return draft(self.source, [Override(key, value, key) for key, value in self.settings(run).items()])


def plan_sweep(source: Source, overrides: Sequence[Override], options: SweepOptions) -> SweepPlan:
    """Combine the table [sweep] of a scenario with the caller's options and validate every run.

    Raises:
        ScenarioError: with the errors of all runs, each once.
        UsageError: there is nothing to vary, values cannot be paired, or two runs are the same.
        LimitError: there are too many runs, or one exceeds the limits.
    """
    base = _base(source, overrides, options.axes)
    axes = _merge_axes(source, base.sweep, options)
    seeds = options.seeds or base.sweep.seeds
    zipped = _paired_keys(axes, base.sweep.zip if options.zipped is None else options.zipped)
    if not axes and seeds is None:
        raise UsageError("nothing to vary: give --vary KEY=V1,V2,V3, or --seeds N, or a table [sweep] in the scenario")
    wanted = count_points(axes, zipped) * (seeds or 1)
    if wanted > base.limits.runs:
        allowed = f"{base.limits.runs:,} allowed; --set limits.runs={wanted} allows it"
        raise LimitError(f"{wanted:,} runs wanted, {allowed}")
    axes = tuple(replace(axis, values=tuple(axis.values)) for axis in axes)
    fixed = (*overrides, *([_WITHOUT_TABLE] if base.sweep != Sweep() else []))
    plan = SweepPlan(source, base, fixed, axes, seeds, zipped, options.drawn, ())
    return replace(plan, runs=tuple(_validated_runs(plan)))


def _base(source: Source, overrides: Sequence[Override], axes: Sequence[SweepAxis]) -> Scenario:
    """The scenario before anything is varied; with first values where it lacks a key that only the sweep gives."""
    try:
        return draft(source, overrides).scenario()
    except ScenarioError:
        first = [Override(axis.key, axis.values[0], f"{axis.origin}{shown(axis.values[0])}") for axis in axes]
        return draft(source, [*overrides, *first]).scenario()


def _merge_axes(source: Source, sweep: Sweep, options: SweepOptions) -> tuple[SweepAxis, ...]:
    """The axes of the scenario, then those that only the caller has; each key once."""
    mine = {axis.key: axis for axis in options.axes}
    if len(mine) < len(options.axes):
        raise UsageError("--vary names a key twice; give all of its values in one")
    axes = {axis.key: axis for axis in _axes_of_table(source, sweep, except_for=mine)} | mine
    for key in axes:
        if key.split(".")[0] == _TABLE:
            raise UsageError(f"{key}: is about the sweep itself and cannot be varied")
    return tuple(axes.values())


def _axes_of_table(source: Source, sweep: Sweep, *, except_for: Iterable[str]) -> Iterator[SweepAxis]:
    layers = layers_of(source)
    for key, values in sweep.vary.items():
        if key in except_for:
            continue
        at, line = locate((_TABLE, "vary", key), layers)
        place = f"{layers[at].source.label}:{line}: sweep.vary: {key}"
        try:
            yield SweepAxis(key, parse_values(values) if isinstance(values, str) else values, f"{place} = ")
        except ValueError as error:
            raise ScenarioError([f"{place}: {error}"]) from None


def _paired_keys(axes: Sequence[SweepAxis], wanted: bool | tuple[str, ...]) -> tuple[str, ...]:  # noqa: FBT001  as the key
    keys = tuple(axis.key for axis in axes)
    if isinstance(wanted, bool):
        return keys if wanted else ()
    for key in wanted:
        if key not in keys:
            raise UsageError(f"sweep.zip: {key!r} is not varied; the keys that are: {', '.join(keys)}")
    return wanted


def _validated_runs(plan: SweepPlan) -> list[SweepRun]:
    """The runs of all points; all errors are collected, and one that every value makes is reported once."""
    runs: list[SweepRun] = []
    errors: dict[str, str] = {}
    excesses: dict[str, None] = {}
    bad = 0
    for point in cross_axes(plan.axes, plan.zipped):
        varied = [
            Override(axis.key, value, f"{axis.origin}{shown(value)}")
            for axis, value in zip(plan.axes, point, strict=True)
        ]
        try:
            document = draft(plan.source, [*plan.overrides, *varied])
            scenario = document.scenario()
            if plan.drawn and (unfit := list(scenario.unfit_for([scenario.output.format]))):
                document.refuse(unfit)
        except ScenarioError as error:
            for line in error.mistakes:
                without_value = line
                for each, axis in zip(varied, plan.axes, strict=True):
                    without_value = without_value.replace(each.origin, axis.origin)
                errors.setdefault(without_value, line)
            if (bad := bad + 1) >= MAX_SHOWN:  # one wrong value can spoil thousands of runs; these suffice to show it
                break
            continue
        excesses |= dict.fromkeys(excess(scenario))
        refuse_unmeasured(scenario)
        runs += _runs_of(scenario, dict(zip(plan.keys, point, strict=True)), plan)
    if errors:
        raise ScenarioError(list(errors.values())[:MAX_SHOWN])
    if excesses:
        raise LimitError("\n".join(f"{plan.source.label}: {line}" for line in excesses))
    _refuse_duplicates(runs)
    return runs


def _runs_of(scenario: Scenario, varied: Mapping[str, object], plan: SweepPlan) -> Iterator[SweepRun]:
    """One run for each seed of a point."""
    numbered: dict[int | None, int] = {None: scenario.seed}
    if plan.seeds is not None:
        numbered = dict(enumerate(spawn_seeds(scenario.seed, plan.seeds), start=1))
    # Hashed is everything but the sweep and the limits. Not as JSON, which has no infinity. The text is made once.
    parts = {key: repr(value) for key, value in scenario.model_dump(exclude={_TABLE, "limits"}).items()}
    at = list(parts).index(_SEED)
    before = "".join(f"{key!r}: {parts[key]}, " for key in list(parts)[:at])
    after = "".join(f", {key!r}: {parts[key]}" for key in list(parts)[at + 1 :])
    for number, seed in numbered.items():
        digest = hashlib.sha256(f"{before}{_SEED!r}: {seed}{after}".encode()).hexdigest()
        output_format = scenario.output.format if plan.drawn else ""
        yield SweepRun(run_name(varied, number), tuple(varied.values()), seed, number, output_format, digest)


def _refuse_duplicates(runs: Sequence[SweepRun]) -> None:
    """Stop when two runs are the same, or would be written to the same file."""
    seen: dict[str, SweepRun] = {}
    for run in runs:
        for mark in (run.digest, run.name):
            if mark in seen:
                both = " and ".join(dict.fromkeys((seen[mark].name, run.name)))
                raise UsageError(f"two runs are the same: {both}; leave out one")
            seen[mark] = run


def select_chunk(plan: SweepPlan, text: str) -> SweepPlan:
    """Reduce a plan to one task of an array: for `I/N` the runs I, I + N, I + 2N and so on.

    Raises:
        UsageError: the text is no chunk, or the chunk has no run.
    """
    found = _CHUNK.fullmatch(text)
    number, chunks = (int(part) for part in found.groups()) if found else (0, 0)
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
    return value if isinstance(value, str) else written(value)


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
    digest = hashlib.sha256(exact.encode()).hexdigest()[:_HASH_LETTERS]
    return f"{safe[:MAX_NAME_LENGTH].rstrip('.')}-{digest}"
