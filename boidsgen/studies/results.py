"""Results: what the runs of a sweep have measured, as numbers against the keys that were varied.

`read_results(path)` reads the manifest of a directory, and `Results` answers about it:

  results.keys                       the keys that were varied, with the values they took
  results.points(keys, quantity)     for each combination of values of these keys, the number and its spread
  results.profile(keys, quantity)    the same of a profile, at each distance
A quantity is the name of a measure, which means its mean over the measured frames, or has one of these before it:
`mean.`, `final.` (at the last frame), `error.` (the standard error within a run), `susceptibility.`,
`binder_cumulant.` (over all runs of a point). The name of a profile means that profile.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.hard_limits import MAX_ROW
from boidsgen.output.input_guard import remember_input
from boidsgen.scenario.wording import suggestion, written
from boidsgen.simulation.measuring import KNOWN, unit_of
from boidsgen.studies.manifest import DONE, LINES, SPREADSHEET, ManifestRow, name_some, row_from_line
from boidsgen.studies.plan import short_keys
from boidsgen.studies.statistics import OVER_RUNS, Estimate, Moments, estimate, jackknife

Values: TypeAlias = tuple[Any, ...]
"""Of some keys, one each."""

OF_ONE_RUN = ("mean", "final", "error")
"""What a run has of each measure."""
PROFILE, DISTANCE = "profile", "distance"
"""The kind of quantity that a profile is, and what stands along its axis, in world units."""
QUANTITIES = (*OF_ONE_RUN, *OVER_RUNS)
"""What may stand before the name of a measure."""


@dataclass(frozen=True)
class Quantity:
    """What is read off the runs.

    Attributes:
        kind: one of QUANTITIES, or PROFILE.
        measure: its name.
    """

    kind: str
    measure: str

    @property
    def label(self) -> str:
        """What an axis calls it, with its unit."""
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
        name: how messages name them.
        rows: of the manifest, as they stand there.
        damaged: the lines of the manifest that are no rows or were edited, which are left out, counted from 1.
        earlier: how many runs of earlier sweeps in that directory are left out.
    """

    name: str
    rows: Sequence[Mapping[str, Any]]
    damaged: Sequence[int] = ()
    earlier: int = 0

    @property
    def notices(self) -> tuple[str, ...]:
        """A line where the manifest has lines that cannot be believed, and one where it has runs of other sweeps."""
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
        """At how many sets of distances the runs have a profile; they follow the size of the world."""
        found = (row["profiles"][profile] for row in self.rows if profile in row.get("profiles", {}))
        return len({tuple(one["distance"]) for one in found})

    def key(self, name: str) -> str:
        """The key that a name stands for: the whole key, or its end.

        Raises:
            UsageError: when no varied key is meant, or several.
        """
        found = [key for key in self.keys if key == name] or [key for key in self.keys if key.endswith(f".{name}")]
        if len(found) == 1:
            return found[0]
        known = f"; those that are: {', '.join(self.keys)}" if self.keys else ""
        raise UsageError(f"{self.name}: {name!r} {'is several keys' if found else 'is not varied'}{known}")

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name.

        Raises:
            UsageError: when there is none in these results.
        """
        kind, _, measure = name.rpartition(".")
        if measure in self.measures and (kind or "mean") in QUANTITIES:
            return Quantity(kind or "mean", measure)
        if name in self.profiles:
            return Quantity(PROFILE, name)
        known = [*self.measures, *self.profiles]
        raise UsageError(f"{self.name}: there is no {name!r}{suggestion(measure, known)}; measured: {', '.join(known)}")

    def only(self, key: str, *texts: str) -> "Results":
        """The runs with one of these values of a key.

        Raises:
            UsageError: when no run has one of them.
        """
        spelled = [(row, _spellings(row["parameters"][key])) for row in self.rows]
        if missing := next((text for text in texts if not any(text in names for _, names in spelled)), None):
            values = ", ".join(map(written, self.keys[key]))
            raise UsageError(f"{self.name}: no run has {key} = {missing}; it took {values}")
        return Results(self.name, [row for row, names in spelled if not names.isdisjoint(texts)])

    def follows(self, key: str, others: Sequence[str]) -> bool:
        """Whether the values of some keys tell that of another one, as those that were paired do."""
        told: dict[str, str] = {}
        for row in self.rows:
            values = written([row["parameters"].get(other) for other in others])
            value = written(row["parameters"][key])
            if told.setdefault(values, value) != value:
                return False
        return True

    def points(self, keys: Sequence[str], quantity: Quantity, spread: str) -> dict[Values, Estimate]:
        """The number for each combination of values of these keys, where it is defined in at least one run."""
        runs: dict[str, tuple[Values, list[Mapping[str, Any]]]] = {}
        for row in self.rows:
            values = tuple(row["parameters"][key] for key in keys)
            runs.setdefault(written(list(values)), (values, []))[1].append(row)
        found = ((values, _estimate(rows, quantity, spread)) for values, rows in runs.values())
        return {tuple(map(_hashable, values)): number for values, number in found if number is not None}

    def profile(self, keys: Sequence[str], quantity: Quantity, spread: str) -> dict[Values, Estimate]:
        """A profile for each combination of values of these keys: the number at each distance, which comes first."""
        found: dict[Values, list[float]] = {}
        for row in self.rows:
            if (profile := row.get("profiles", {}).get(quantity.measure)) is None:
                continue
            values = tuple(_hashable(row["parameters"][key]) for key in keys)
            for distance, number in zip(profile["distance"], profile["mean"], strict=False):
                if number is not None:
                    found.setdefault((distance, *values), []).append(number)
        return {values: estimate(numbers, spread) for values, numbers in found.items()}


def _spellings(value: object) -> set[str]:
    """How a value may be written."""
    return {written(value), value} if isinstance(value, str) else {written(value)}


def read_results(path: str) -> Results:
    """The finished runs of the sweep whose directory or manifest this is.

    Where several sweeps have used the directory, those of the last one.

    Raises:
        UsageError: when there are none.
        ScenarioError: when the table beside the manifest is damaged.
        StorageError: when the manifest cannot be read.
    """
    lines = Path(path)
    if lines.is_dir() or lines.name == SPREADSHEET:
        lines = (lines if lines.is_dir() else lines.parent) / LINES
    try:
        for read in (path, lines, lines.parent / SPREADSHEET):
            remember_input(read)
        rows, damaged = _rows(lines)
        names = _names(lines.parent / SPREADSHEET)
    except OSError as error:
        raise StorageError(f"{lines}: {error.strerror}; give the directory of a sweep") from None
    latest = {row["run"]: row for row in rows}
    finished = [row for row in latest.values() if row.get("status") == DONE]
    of_the_last = [row for row in finished if names is None or row["run"] in names]
    wanted = [*filter(_has_values, of_the_last)]
    if of_the_last and not wanted:
        raise UsageError(f"{path}: its runs are done, but nothing that they measure is defined in any frame")
    return replace(results(path, wanted), damaged=damaged, earlier=sum(map(_has_values, finished)) - len(wanted))


def _has_values(row: Mapping[str, Any]) -> bool:
    """Whether anything that a run measures is defined."""
    return bool(row.get("mean") or row.get("profiles"))


def results(name: str, rows: Sequence[Mapping[str, Any]]) -> Results:
    """The results of these finished runs, of which those that vary other keys than the first one are left out.

    Raises:
        UsageError: when there are none.
    """
    if not rows:
        raise UsageError(f"{name}: no run of a sweep is done there")
    keys = list(rows[0]["parameters"])
    return Results(name, [row for row in rows if list(row["parameters"]) == keys])


def together(parts: Sequence[Results]) -> Results:
    """The results of several sweeps over the same keys as one, such as those of the chunks of one sweep.

    Raises:
        UsageError: when they varied other keys.
    """
    first = parts[0]
    for part in parts[1:]:
        if list(part.keys) != list(first.keys):
            varied = " and ".join(", ".join(some.keys) for some in (first, part))
            raise UsageError(f"{part.name}: varies other keys than {first.name}: {varied}")
    rows = {(row["scenario"] if "scenario" in row else row["run"]): row for part in parts for row in part.rows}
    return Results(first.name, list(rows.values()))


def labels(keys: Sequence[str]) -> Mapping[str, str]:
    """What legends call the keys."""
    return {key: name.replace("_", " ") for key, name in short_keys(keys).items()}


def _estimate(rows: Sequence[Mapping[str, Any]], quantity: Quantity, spread: str) -> Estimate | None:
    if quantity.kind in OVER_RUNS:
        runs = [moments for row in rows if (moments := _moments(row, quantity.measure))]
        if not runs:
            return None
        value, error = jackknife(OVER_RUNS[quantity.kind], runs)
        return Estimate(value, value - error, value + error)
    found = (row.get(quantity.kind, {}).get(quantity.measure) for row in rows)
    values = [value for value in found if value is not None]
    return estimate(values, spread) if values else None


def _moments(row: Mapping[str, Any], measure: str) -> Moments | None:
    mean, powers = row.get("mean", {}).get(measure), row.get("moments", {}).get(measure)
    return None if mean is None or powers is None else Moments(mean, powers[0], powers[1], row["boids"])


def _rows(path: Path) -> tuple[list[ManifestRow], list[int]]:
    """The rows of a manifest, and the numbers of the lines that cannot be believed."""
    _refuse_what_has_no_end(path)
    rows, damaged = [], []
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_ROW + 1), b""), start=1):
            if (row := row_from_line(line)) is not None:
                rows.append(row)
            elif line.strip():
                damaged.append(number)
    return rows, damaged


def _names(path: Path) -> set[str] | None:
    """The runs of the last sweep in a directory; None where its table is missing."""
    if not path.exists():
        return None
    _refuse_what_has_no_end(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return {row["run"] for row in csv.DictReader(file)}
    except KeyError:
        return None
    except (ValueError, csv.Error):
        raise ScenarioError([f"{path}: is damaged: it is not the table of a sweep"]) from None


def _refuse_what_has_no_end(path: Path) -> None:
    """Refuse a pipe, on which one would wait, and a device, which may go on for ever."""
    if path.exists() and not path.is_file():
        raise StorageError(f"{path}: is not a file; give the directory of a sweep")


def _hashable(value: Any) -> Any:  # noqa: ANN401  whatever a key holds
    return written(value) if isinstance(value, list | dict) else value


def numbers(values: Sequence[object]) -> Iterator[float]:
    """The values that are numbers."""
    return (float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool))
