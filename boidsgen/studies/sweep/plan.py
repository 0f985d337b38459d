"""Plan: every run of a sweep, checked before the first one begins.

`plan_sweep(source, overrides, options)` combines the table `[sweep]` of a scenario with the options of the caller and
tries every combination of values as a scenario of its own. A `Plan` is small whatever the number of runs: whoever does
a run makes its scenario again.

`run_name` names a run by the keys that change and the number of its seed, from 1, as in
`count=50_separation.weight=0.5_seed=2`, so that the name is the same whenever the run is part of a sweep over these
keys, in whatever order they and their values are given. A name is one plain file name on any file system: unsafe
letters become `-`, and then, or when it would be too long, a hash keeps it unique.
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
from boidsgen.scenario.inheritance import layers_of, locate
from boidsgen.scenario.loading import MAX_SHOWN, Draft, draft
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.scenario import Scenario, Sweep
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import dotted, shown, written
from boidsgen.studies.series import refuse_unmeasured
from boidsgen.studies.sweep.axes import Axis, Point, combined, count, counted_values, spawned

MAX_NAME_LENGTH = 120
"""Letters of a name, ending not counted."""

_UNSAFE = re.compile(r"[^a-z0-9.=_+-]")  # capitals too: some file systems take them for small letters
_HASH_LETTERS = 10

_CHUNK = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")

_TABLE = "sweep"
_SEED = "seed"
_ALONE = Override(_TABLE, {}, _TABLE)
"""Takes the table away: a run is one rendering, and its scenario does not mention the sweep."""


@dataclass(frozen=True)
class SweepOptions:
    """What the caller asks of a sweep; what is None, or has no axis, is left to the scenario.

    Attributes:
        axes: keys to vary, each instead of the scenario's values for that key.
        seeds: how many to spawn.
        zipped: pair the values instead of crossing them.
        drawn: whether runs are drawn and written, or only measured.
    """

    axes: tuple[Axis, ...] = ()
    seeds: int | None = None
    zipped: bool | None = None
    drawn: bool = True


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a sweep.

    Attributes:
        name: unique in the sweep, and what its output is called without the ending.
        values: of the axes, in their order.
        seed: of the run.
        number: of the seed among those that were spawned, from 1; None where every run has the scenario's own.
        format: of the output; empty for a run that is only measured.
        digest: SHA-256 of the scenario; equal for scenarios that are alike in every key.
    """

    name: str
    values: Point
    seed: int
    number: int | None
    format: str
    digest: str

    @property
    def file(self) -> str:
        """The name of the output in the directory of the sweep; empty for a run that is only measured."""
        return _file(self.name, self.format)


@dataclass(frozen=True)
class Plan:
    """All runs of a sweep.

    Attributes:
        source: of the scenario.
        base: the scenario before anything is varied.
        overrides: keys that every run sets.
        axes: keys that differ from run to run.
        seeds: how many were spawned; None where every run has the scenario's own.
        zipped: the keys whose values are paired instead of crossed.
        drawn: whether runs are drawn and written, or only measured.
        runs: in the order of the grid, the last key changing fastest, seeds faster still.
    """

    source: Source
    base: Scenario
    overrides: tuple[Override, ...]
    axes: tuple[Axis, ...]
    seeds: int | None
    zipped: tuple[str, ...]
    drawn: bool
    runs: tuple[Run, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The dotted keys that change."""
        return tuple(axis.key for axis in self.axes)

    def settings(self, run: Run) -> dict[str, object]:
        """Everything that a run sets in the scenario, by dotted key in the order in which it is set."""
        fixed = {override.key: override.value for override in self.overrides}
        varied = dict(zip(self.keys, run.values, strict=True))
        # Set anew at the end of the dictionary: what is varied comes after what is fixed.
        kept = {key: value for key, value in fixed.items() if key not in varied}
        return {**kept, **varied, **({} if self.seeds is None else {_SEED: run.seed})}

    def scenario(self, run: Run) -> Scenario:
        """The scenario of a run."""
        return self._draft(run).scenario()

    def embedded(self, run: Run) -> dict[str, object]:
        """What files hold that the scenario of a run names, by dotted key: whoever does the run may not have them."""
        return {dotted(one.keys): one.table for one in self._draft(run).embedded}

    def _draft(self, run: Run) -> Draft:
        return draft(self.source, [Override(key, value, key) for key, value in self.settings(run).items()])


def plan_sweep(source: Source, overrides: Sequence[Override], options: SweepOptions) -> Plan:
    """Every run, checked.

    Raises:
        ScenarioError: with the mistakes of all runs, each once.
        UsageError: when there is nothing to vary, values cannot be paired, or two runs are the same.
        LimitError: when there are too many runs, or one asks for too much.
    """
    scenario = _base(source, overrides, options.axes)
    sweep = scenario.sweep
    axes = _axes(source, sweep, options)
    seeds = options.seeds or sweep.seeds
    zipped = _together(axes, sweep.zip if options.zipped is None else options.zipped)
    _refuse_nothing(axes, seeds)
    _refuse_too_many(scenario, count(axes, zipped) * (seeds or 1))
    axes = tuple(replace(axis, values=tuple(axis.values)) for axis in axes)
    fixed = (*overrides, *([_ALONE] if sweep != Sweep() else []))
    maker = _RunMaker(source, fixed, axes)
    runs = [run for point in combined(axes, zipped) for run in maker.runs(point, seeds, drawn=options.drawn)]
    maker.refuse_mistakes()
    _refuse_duplicates(runs)
    return Plan(source, scenario, fixed, axes, seeds, zipped, options.drawn, tuple(runs))


def _base(source: Source, overrides: Sequence[Override], axes: Sequence[Axis]) -> Scenario:
    """The scenario before anything is varied; with first values where it lacks a key that only the sweep gives."""
    try:
        return draft(source, overrides).scenario()
    except ScenarioError:
        first = [Override(axis.key, axis.values[0], f"{axis.origin}{shown(axis.values[0])}") for axis in axes]
        return draft(source, [*overrides, *first]).scenario()


def chunk_of(plan: Plan, text: str) -> Plan:
    """Every n-th run of a plan, for `I/N` the I-th, (I + N)-th and so on: what one task of an array of N does.

    Raises:
        UsageError: when the text is no such thing.
    """
    found = _CHUNK.fullmatch(text)
    number, chunks = (int(part) for part in found.groups()) if found else (0, 0)
    if not 1 <= number <= chunks:
        raise UsageError(f"--chunk {text}: must look like 3/10, the third of ten")
    if not (runs := plan.runs[number - 1 :: chunks]):
        raise UsageError(f"--chunk {text}: there are only {len(plan.runs)} runs")
    return replace(plan, runs=runs)


class _RunMaker:
    """Turns points into runs and collects what is wrong with them."""

    def __init__(self, source: Source, fixed: Sequence[Override], axes: Sequence[Axis]) -> None:
        self._source = source
        self._fixed = fixed
        self._axes = axes
        self._mistakes: dict[str, str] = {}
        self._excesses: dict[str, None] = {}
        self._bad = 0

    def runs(self, point: Point, seeds: int | None, *, drawn: bool) -> Iterator[Run]:
        """The runs with these values; none when they make no scenario."""
        if self._bad >= MAX_SHOWN:  # one wrong value can spoil thousands of runs; these are enough to show it
            return
        try:
            scenario = self._scenario(point, drawn=drawn)
        except ScenarioError as error:
            self._bad += 1
            for line in error.mistakes:
                self._mistakes.setdefault(self._without_value(line, point), line)
            return
        self._excesses |= dict.fromkeys(excess(scenario))
        refuse_unmeasured(scenario)
        varied = {axis.key: value for axis, value in zip(self._axes, point, strict=True)}
        output_format = scenario.output.format if drawn else ""
        numbered = {None: scenario.seed} if seeds is None else dict(enumerate(spawned(scenario.seed, seeds), start=1))
        content = _content(scenario)
        for number, seed in numbered.items():
            yield Run(run_name(varied, number), point, seed, number, output_format, _digest(content, seed))

    def refuse_mistakes(self) -> None:
        """Stop when anything was wrong with any run."""
        if self._mistakes:
            raise ScenarioError(list(self._mistakes.values())[:MAX_SHOWN])
        if self._excesses:
            raise LimitError("\n".join(f"{self._source.label}: {line}" for line in self._excesses))

    def _scenario(self, point: Point, *, drawn: bool) -> Scenario:
        document = draft(self._source, [*self._fixed, *self._varied(point)])
        scenario = document.scenario()
        _refuse_unfit(document, scenario, drawn=drawn)
        return scenario

    def _without_value(self, line: str, point: Point) -> str:
        """The line without the value, so that a mistake that every value makes is reported once."""
        for override, axis in zip(self._varied(point), self._axes, strict=True):
            line = line.replace(override.origin, axis.origin)
        return line

    def _varied(self, point: Point) -> list[Override]:
        return [
            Override(axis.key, value, f"{axis.origin}{shown(value)}")
            for axis, value in zip(self._axes, point, strict=True)
        ]


def _axes(source: Source, sweep: Sweep, options: SweepOptions) -> tuple[Axis, ...]:
    """The axes of the scenario, then those that only the caller has; each key once."""
    mine = {axis.key: axis for axis in options.axes}
    if len(mine) < len(options.axes):
        raise UsageError("--vary names a key twice; give all of its values in one")
    axes = {axis.key: axis for axis in _axes_of_table(source, sweep, except_for=mine)} | mine
    for key in axes:
        if key.split(".")[0] == _TABLE:
            raise UsageError(f"{key}: is about the sweep itself and cannot be varied")
    return tuple(axes.values())


def _axes_of_table(source: Source, sweep: Sweep, *, except_for: Iterable[str]) -> Iterator[Axis]:
    layers = layers_of(source)
    for key, values in sweep.vary.items():
        if key in except_for:
            continue
        at, line = locate((_TABLE, "vary", key), layers)
        place = f"{layers[at].source.label}:{line}: sweep.vary: {key}"
        try:
            yield Axis(key, counted_values(values) if isinstance(values, str) else values, f"{place} = ")
        except ValueError as error:
            raise ScenarioError([f"{place}: {error}"]) from None


def _together(axes: Sequence[Axis], wanted: bool | tuple[str, ...]) -> tuple[str, ...]:  # noqa: FBT001  as the key
    """The keys whose values are paired."""
    keys = tuple(axis.key for axis in axes)
    if isinstance(wanted, bool):
        return keys if wanted else ()
    for key in wanted:
        if key not in keys:
            raise UsageError(f"sweep.zip: {key!r} is not varied; the keys that are: {', '.join(keys)}")
    return wanted


def _refuse_nothing(axes: Sequence[Axis], seeds: int | None) -> None:
    if not axes and seeds is None:
        raise UsageError("nothing to vary: give --vary KEY=V1,V2,V3, or --seeds N, or a table [sweep] in the scenario")


def _refuse_too_many(scenario: Scenario, runs: int) -> None:
    if runs > scenario.limits.runs:
        allowed = f"{scenario.limits.runs:,} allowed; --set limits.runs={runs} allows it"
        raise LimitError(f"{runs:,} runs wanted, {allowed}")


def _refuse_unfit(document: Draft, scenario: Scenario, *, drawn: bool) -> None:
    if drawn and (unfit := list(scenario.unfit_for([scenario.output.format]))):
        document.refuse(unfit)


def _refuse_duplicates(runs: Sequence[Run]) -> None:
    """Stop when two runs are the same, or would be written to the same file."""
    seen: dict[str, Run] = {}
    for run in runs:
        for mark in (run.digest, run.name):
            if mark in seen:
                both = " and ".join(dict.fromkeys((seen[mark].name, run.name)))
                raise UsageError(f"two runs are the same: {both}; leave out one")
            seen[mark] = run


def _content(scenario: Scenario) -> tuple[bytes, bytes]:
    """Everything that decides about a run as text, before its seed and behind it."""
    # Not JSON: it has no infinity, which differs from a key left out.
    parts = {key: repr(value) for key, value in scenario.model_dump(exclude={_TABLE, "limits"}).items()}
    at = list(parts).index(_SEED)
    before = "".join(f"{key!r}: {parts[key]}, " for key in list(parts)[:at])
    after = "".join(f", {key!r}: {parts[key]}" for key in list(parts)[at + 1 :])
    return f"{before}{_SEED!r}: ".encode(), after.encode()


def _digest(content: tuple[bytes, bytes], seed: int) -> str:
    """SHA-256 of a content with this seed: the text is made once for all seeds."""
    before, after = content
    return hashlib.sha256(b"%b%d%b" % (before, seed, after)).hexdigest()


def _file(name: str, output_format: str) -> str:
    if not output_format:
        return ""
    writer = WRITERS[output_format]
    return name if writer.makes == "folder" else f"{name}{writer.extensions[0]}"


def short_keys(keys: Sequence[str]) -> dict[str, str]:
    """The short form of each dotted key: without its first part, unless another key has the same short form."""
    short = {key: key.partition(".")[2] or key for key in keys}
    shared = Counter(short.values())
    return {key: name if shared[name] == 1 else key for key, name in short.items()}


def run_name(values: Mapping[str, object], seed: int | None) -> str:
    """The name of a run by the values of the keys that change, and the number of its seed where that changes."""
    short = short_keys(sorted(values))
    parts = [f"{short[key]}={_text(values[key])}" for key in sorted(values)]
    plain = "_".join([*parts, *([] if seed is None else [f"seed={seed}"])])
    safe = _UNSAFE.sub("-", plain)
    return (
        safe
        if safe == plain and len(safe) <= MAX_NAME_LENGTH
        else f"{safe[:MAX_NAME_LENGTH].rstrip('.')}-{_hash(values, seed)}"
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else written(value)


def _hash(values: Mapping[str, object], seed: int | None) -> str:
    exact = json.dumps([sorted(values.items()), seed], default=str)
    return hashlib.sha256(exact.encode()).hexdigest()[:_HASH_LETTERS]
