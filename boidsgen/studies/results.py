"""Results: the measures of the runs of a sweep, as numbers against the varied keys.

A quantity is the name of a measure, which means its mean over the measured frames, with an optional prefix: `mean.`,
`final.` (at the last frame), `error.` (the standard error within a run), `susceptibility.` or `binder_cumulant.` (over
all runs of a point). The name of a profile means that profile.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.output.publish import remember_input
from boidsgen.scenario.wording import suggestion, written
from boidsgen.simulation.measuring import KNOWN, unit_of
from boidsgen.studies.manifest import DONE, LINES, SPREADSHEET, name_some, read_lines, row_from_line
from boidsgen.studies.plan import value_text
from boidsgen.studies.statistics import OVER_RUNS, Estimate, Moments, estimate, jackknife

Values: TypeAlias = tuple[Any, ...]
"""One value for each of some keys."""

PROFILE, DISTANCE = "profile", "distance"
"""The kind of a profile, and the axis of its figure, in world units."""
KINDS = ("mean", "final", "error", *OVER_RUNS)
"""Prefixes of measures."""


@dataclass(frozen=True)
class Quantity:
    """A number of each run, or of all runs of a point.

    Attributes:
        kind: one of KINDS, or PROFILE.
        measure: its name.
    """

    kind: str
    measure: str

    @property
    def label(self) -> str:
        """Label of an axis, with the unit."""
        name, unit = self.measure.replace("_", " "), unit_of(self.measure)
        if self.kind == "binder_cumulant":
            return f"Binder cumulant of {name}"
        if self.kind == "susceptibility":
            return f"susceptibility of {name}" + (f" ({unit})²" if unit else "")
        prefix = {"mean": "", PROFILE: "", "final": "final ", "error": "standard error of "}[self.kind]
        return f"{prefix}{name}" + (f" ({unit})" if unit else "")


@dataclass(frozen=True)
class Results:
    """The runs of one sweep that are done.

    Attributes:
        name: in messages.
        rows: of the manifest.
        damaged: numbers of the damaged lines of the manifest, counted from 1.
        earlier: number of runs of earlier sweeps in the directory, which are left out.
    """

    name: str
    rows: Sequence[Mapping[str, Any]]
    damaged: Sequence[int] = ()
    earlier: int = 0

    @property
    def notices(self) -> tuple[str, ...]:
        """Lines about damaged lines of the manifest and about runs of other sweeps."""
        lines = []
        if self.damaged:
            where = f"line {name_some(self.damaged)} of {LINES}"
            lines.append(f"{self.name}: damaged or edited in {where}; left out of the figure")
        if self.earlier:
            lines.append(f"{self.name}: runs of earlier sweeps there, left out of the figure: {self.earlier:,}")
        return tuple(lines)

    @cached_property
    def keys(self) -> Mapping[str, list[object]]:
        """The varied keys, each with the values it took, in the order in which they come."""
        return {
            key: list({written(row["parameters"][key]): row["parameters"][key] for row in self.rows}.values())
            for key in self.rows[0]["parameters"]
        }

    @property
    def varied(self) -> list[str]:
        """The keys that took more than one value."""
        return [key for key, values in self.keys.items() if len(values) > 1]

    @cached_property
    def measures(self) -> list[str]:
        """The measures that at least one run has."""
        return [name for name in KNOWN if any(name in row.get("mean", {}) for row in self.rows)]

    @cached_property
    def profiles(self) -> list[str]:
        """The profiles that at least one run has."""
        return [name for name in KNOWN if any(name in row.get("profiles", {}) for row in self.rows)]

    def grids(self, profile: str) -> int:
        """Number of different sets of distances of a profile; they depend on the size of the world."""
        found = (row["profiles"][profile] for row in self.rows if profile in row.get("profiles", {}))
        return len({tuple(one["distance"]) for one in found})

    def key(self, name: str) -> str:
        """The varied key of this name, which is the whole key or its end.

        Raises:
            UsageError: there is none, or several.
        """
        found = [key for key in self.keys if key == name] or [key for key in self.keys if key.endswith(f".{name}")]
        if len(found) == 1:
            return found[0]
        known = f"; those that are: {', '.join(self.keys)}" if self.keys else ""
        raise UsageError(f"{self.name}: {name!r} {'is several keys' if found else 'is not varied'}{known}")

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name.

        Raises:
            UsageError: there is none in these results.
        """
        kind, _, measure = name.rpartition(".")
        if measure in self.measures and (kind or "mean") in KINDS:
            return Quantity(kind or "mean", measure)
        if name in self.profiles:
            return Quantity(PROFILE, name)
        known = [*self.measures, *self.profiles]
        raise UsageError(f"{self.name}: there is no {name!r}{suggestion(measure, known)}; measured: {', '.join(known)}")

    def only(self, key: str, *texts: str) -> "Results":
        """The runs with one of these values of a key.

        Raises:
            UsageError: no run has one of them.
        """
        spelled = [(row, {written(row["parameters"][key]), value_text(row["parameters"][key])}) for row in self.rows]
        if missing := next((text for text in texts if not any(text in names for _, names in spelled)), None):
            values = ", ".join(map(written, self.keys[key]))
            raise UsageError(f"{self.name}: no run has {key} = {missing}; it took {values}")
        return Results(self.name, [row for row, names in spelled if not names.isdisjoint(texts)])

    def follows(self, key: str, others: Sequence[str]) -> bool:
        """True if the values of some keys determine that of another one, as those of paired keys do."""
        known: dict[str, str] = {}
        for row in self.rows:
            values = written([row["parameters"].get(other) for other in others])
            value = written(row["parameters"][key])
            if known.setdefault(values, value) != value:
                return False
        return True

    def points(self, keys: Sequence[str], quantity: Quantity, spread: str) -> dict[Values, Estimate]:
        """The estimate for each combination of values of these keys, where at least one run defines it."""
        runs: dict[str, tuple[Values, list[Mapping[str, Any]]]] = {}
        for row in self.rows:
            values = tuple(row["parameters"][key] for key in keys)
            runs.setdefault(written(list(values)), (values, []))[1].append(row)
        found = ((values, _estimate(rows, quantity, spread)) for values, rows in runs.values())
        return {tuple(map(_hashable, values)): number for values, number in found if number is not None}

    def profile(self, keys: Sequence[str], quantity: Quantity, spread: str) -> dict[Values, Estimate]:
        """The estimate for each distance, which comes first, and each combination of values of these keys."""
        found: dict[Values, list[float]] = {}
        for row in self.rows:
            if (profile := row.get("profiles", {}).get(quantity.measure)) is None:
                continue
            values = tuple(_hashable(row["parameters"][key]) for key in keys)
            for distance, number in zip(profile["distance"], profile["mean"], strict=False):
                if number is not None:
                    found.setdefault((distance, *values), []).append(number)
        return {values: estimate(numbers, spread) for values, numbers in found.items()}


def read_results(path: str) -> Results:
    """Read the finished runs of the sweep whose directory or manifest this is.

    Where several sweeps have used the directory, those of the last one, which are the ones in its table.

    Raises:
        UsageError: there are none.
        ScenarioError: the table beside the manifest is damaged.
        StorageError: the manifest cannot be read.
    """
    lines = Path(path)
    if lines.is_dir() or lines.name == SPREADSHEET:
        lines = (lines if lines.is_dir() else lines.parent) / LINES
    table = lines.parent / SPREADSHEET
    try:
        for each in (Path(path), lines, table):
            remember_input(each)
            if each in {lines, table} and each.exists() and not each.is_file():  # a pipe, or a device without end
                raise StorageError(f"{each}: is not a file; give the directory of a sweep")
        latest, damaged = read_lines(lines)
        names = _runs_in_table(table) if table.exists() else None
    except OSError as error:
        raise StorageError(f"{lines}: {error.strerror}; give the directory of a sweep") from None
    finished = [row for line in latest.values() if (row := row_from_line(line)) and row["status"] == DONE]
    of_last = [row for row in finished if names is None or row["run"] in names]
    wanted, measured = ([row for row in rows if row.get("mean") or row.get("profiles")] for rows in (of_last, finished))
    if of_last and not wanted:
        raise UsageError(f"{path}: its runs are done, but nothing that they measure is defined in any frame")
    return replace(results_of(path, wanted), damaged=damaged, earlier=len(measured) - len(wanted))


def _runs_in_table(path: Path) -> set[str] | None:
    """The runs in a table; None if it is another one."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return {row["run"] for row in csv.DictReader(file)}
    except KeyError:
        return None
    except (ValueError, csv.Error):
        raise ScenarioError([f"{path}: is damaged: it is not the table of a sweep"]) from None


def results_of(name: str, rows: Sequence[Mapping[str, Any]]) -> Results:
    """The results of these finished runs, without those that vary other keys than the first one.

    Raises:
        UsageError: there are none.
    """
    if not rows:
        raise UsageError(f"{name}: no run of a sweep is done there")
    keys = list(rows[0]["parameters"])
    return Results(name, [row for row in rows if list(row["parameters"]) == keys])


def merge_results(parts: Sequence[Results]) -> Results:
    """The results of several sweeps over the same keys as one, such as those of the chunks of one sweep.

    Raises:
        UsageError: they varied other keys.
    """
    first = parts[0]
    for part in parts[1:]:
        if list(part.keys) != list(first.keys):
            varied = " and ".join(", ".join(some.keys) for some in (first, part))
            raise UsageError(f"{part.name}: varies other keys than {first.name}: {varied}")
    rows = {row.get("scenario") or row["run"]: row for part in parts for row in part.rows}
    return Results(first.name, list(rows.values()))


def _estimate(rows: Sequence[Mapping[str, Any]], quantity: Quantity, spread: str) -> Estimate | None:
    name = quantity.measure
    if quantity.kind in OVER_RUNS:
        known = [row for row in rows if name in row.get("moments", {}) and row.get("mean", {}).get(name) is not None]
        moments = ((row, row["moments"][name]) for row in known)
        runs = [Moments(row["mean"][name], second, fourth, row.get("boids", 0)) for row, (second, fourth) in moments]
        if not runs:
            return None
        value, error = jackknife(OVER_RUNS[quantity.kind], runs)
        return Estimate(value, value - error, value + error)
    found = (row.get(quantity.kind, {}).get(name) for row in rows)
    values = [value for value in found if value is not None]
    return estimate(values, spread) if values else None


def _hashable(value: Any) -> Any:  # noqa: ANN401  whatever a key holds
    return written(value) if isinstance(value, list | dict) else value


def are_numbers(values: Sequence[object]) -> bool:
    """True if all values are numbers."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
