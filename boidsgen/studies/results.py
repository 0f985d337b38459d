"""Results: the measures of the runs of a sweep, as numbers against the varied keys.

A quantity is the name of a measure, which means its mean over the measured frames, with an optional prefix: `mean.`,
`final.` (at the last frame), `error.`, `tau.` or `n_eff.` (the accuracy of the mean within a run), `susceptibility.` or
`binder_cumulant.` (over all runs of a point). The name of a profile means that profile.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.inputs import open_input, read_input
from boidsgen.output.publish import open_file
from boidsgen.records import optional_package
from boidsgen.scenario.wording import suggestion, to_toml
from boidsgen.simulation.measures import KNOWN, unit_of
from boidsgen.studies.manifest import DONE, LINES, SPREADSHEET, flatten_row, name_some, read_lines, row_from_line
from boidsgen.studies.plan import value_text

MAX_TABLE = 200_000_000  # Bytes of the table beside a manifest

Values: TypeAlias = tuple[Any, ...]
"""One value for each of some keys."""


class Moments(NamedTuple):
    """Moments of an order parameter in one run, and its number of boids."""

    mean: float
    second: float
    fourth: float
    boids: int


class Estimate(NamedTuple):
    """A number and the ends of its spread."""

    value: float
    low: float
    high: float


def susceptibility(runs: Sequence[Moments]) -> float:
    """N (<m²> - <m>²) of an order parameter m."""
    mean, second, _, boids = np.mean(runs, axis=0).tolist()
    return float(boids * max(0.0, second - mean**2))


def binder_cumulant(runs: Sequence[Moments]) -> float:
    """1 - <m⁴> / (3 <m²>²) of an order parameter m; 0 where all m are 0.

    Source: K. Binder, Finite size scaling analysis of Ising model block distribution functions, Zeitschrift für Physik
    B 43, 1981; for flocks G. Grégoire and H. Chaté, Physical Review Letters 92, 2004.
    """
    _, second, fourth, _ = np.mean(runs, axis=0).tolist()
    return float(1 - fourth / (3 * second**2)) if second**2 else 0.0


def jackknife(function: Callable[[Sequence[Moments]], float], runs: Sequence[Moments]) -> tuple[float, float]:
    """A function of all runs, and its standard error by leaving out each run in turn; 0 for a single run."""
    value, count = function(runs), len(runs)
    if count < 2:
        return value, 0.0
    without = np.array([function([*runs[:number], *runs[number + 1 :]]) for number in range(count)])
    return value, float(np.sqrt((count - 1) * without.var()))


def _around_mean(values: NDArray[np.float64], half: float) -> Sequence[float]:
    return values.mean(), values.mean() - half, values.mean() + half


def _deviation(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


OVER_RUNS: Mapping[str, Callable[[Sequence[Moments]], float]] = {
    "susceptibility": susceptibility,
    "binder_cumulant": binder_cumulant,
}
"""Functions of the moments of all runs of a point; means are over all frames of all runs."""
SPREADS: Mapping[str, tuple[str, Callable[[NDArray[np.float64]], Sequence[float]]]] = {
    "error": ("mean and standard error", lambda runs: _around_mean(runs, _deviation(runs) / np.sqrt(len(runs)))),
    "deviation": ("mean and standard deviation", lambda runs: _around_mean(runs, _deviation(runs))),
    "quantiles": ("median, and 10 % to 90 % of the runs", lambda runs: np.quantile(runs, (0.5, 0.1, 0.9)).tolist()),
    "range": ("mean, lowest and highest", lambda runs: (runs.mean(), runs.min(), runs.max())),
}
"""Spreads of the runs of a point, by the name of the option: description and function."""
PROFILE, DISTANCE = "profile", "distance"  # The kind of a profile, and the axis of its figure, in world units
KINDS = {
    "mean": "",
    "final": "final ",
    "error": "standard error of ",
    "tau": "tau (measured frames) of ",
    "n_eff": "effective samples of ",
    "susceptibility": "susceptibility of ",
    "binder_cumulant": "Binder cumulant of ",
}
"""Prefixes of measures, and what stands before a measure in labels."""


def in_words(name: str, unit: str = "") -> str:
    """A key or the name of a measure in words, with a unit if it has one."""
    words = name.removeprefix("flock.").replace(".", " ").replace("_", " ")
    return f"{words} ({unit})" if unit else words


@dataclass(frozen=True)
class Quantity:
    """A number of each run, or of all runs of a point."""

    kind: str  # one of KINDS, or PROFILE
    measure: str  # its name

    @property
    def label(self) -> str:
        """Label of an axis, with the unit."""
        name, unit = in_words(self.measure), unit_of(self.measure)
        unit = "" if unit == name else unit
        unit = "" if self.kind in {"binder_cumulant", "tau", "n_eff"} else unit
        squared = "²" if unit and self.kind == "susceptibility" else ""
        return in_words(KINDS.get(self.kind, "") + name, unit) + squared

    def numbers(self, row: Mapping[str, Any]) -> Iterator[tuple[Values, Any]]:
        """The numbers, or moments, of one run where they are defined, each after its distance if this is a profile."""
        name, kind = self.measure, "mean" if self.kind in OVER_RUNS else self.kind
        if kind == PROFILE:
            profile = row.get("profiles", {}).get(name, {"distance": (), "mean": ()})
            shells = zip(profile["distance"], profile["mean"], strict=False)
            yield from (((distance,), number) for distance, number in shells if number is not None)
        elif (number := row.get(kind, {}).get(name)) is not None:
            if self.kind not in OVER_RUNS:
                yield (), number
            elif moments := row.get("moments", {}).get(name):
                yield (), Moments(number, moments[0], moments[1], row.get("boids", 0))


@dataclass(frozen=True)
class Results:
    """The runs of one sweep that are done."""

    name: str  # in messages
    rows: Sequence[Mapping[str, Any]]  # of the manifest
    damaged: Sequence[int] = ()  # numbers of the damaged lines of the manifest, counted from 1
    earlier: int = 0  # number of runs of earlier sweeps in the directory, which are left out

    @property
    def notices(self) -> tuple[str, ...]:
        """Lines about damaged lines of the manifest and about runs of other sweeps."""
        damaged = f"damaged or edited in line {name_some(self.damaged)} of {LINES}; left out of the figure"
        earlier = f"runs of earlier sweeps there, left out of the figure: {self.earlier:,}"
        there = {damaged: self.damaged, earlier: self.earlier}
        return tuple(f"{self.name}: {line}" for line, some in there.items() if some)

    @cached_property
    def keys(self) -> Mapping[str, list[object]]:
        """The varied keys, each with the values it took, in the order in which they come."""
        return {
            key: list({to_toml(row["parameters"][key]): row["parameters"][key] for row in self.rows}.values())
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

    def key(self, name: str) -> str:
        """The varied key of this name, which is the whole key or its end; UsageError if there is none, or several."""
        found = [key for key in self.keys if key == name] or [key for key in self.keys if key.endswith(f".{name}")]
        if len(found) == 1:
            return found[0]
        known = f"; those that are: {', '.join(self.keys)}" if self.keys else ""
        raise UsageError(f"{self.name}: {name!r} {'is several keys' if found else 'is not varied'}{known}")

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name; UsageError if there is none in these results."""
        kind, _, measure = name.rpartition(".")
        if measure in self.measures and (kind or "mean") in KINDS:
            return Quantity(kind or "mean", measure)
        if name in self.profiles:
            return Quantity(PROFILE, name)
        known = [*self.measures, *self.profiles]
        raise UsageError(f"{self.name}: there is no {name!r}{suggestion(measure, known)}; measured: {', '.join(known)}")

    def only(self, key: str, *texts: str) -> "Results":
        """The runs with one of these values of a key; UsageError if no run has one of them."""
        spelled = [(row, {to_toml(row["parameters"][key]), value_text(row["parameters"][key])}) for row in self.rows]
        if missing := next((text for text in texts if not any(text in names for _, names in spelled)), None):
            values = ", ".join(map(to_toml, self.keys[key]))
            raise UsageError(f"{self.name}: no run has {key} = {missing}; it took {values}")
        return Results(self.name, [row for row, names in spelled if not names.isdisjoint(texts)])

    def chosen(self, texts: Sequence[str]) -> "Results":
        """The runs with the values in these texts KEY=VALUE; several of one key are alternatives."""
        values: dict[str, list[str]] = {}
        for text in texts:
            key, equals, value = text.partition("=")
            if not equals:
                raise UsageError(f"--only {text}: must look like KEY=VALUE")
            values.setdefault(self.key(key), []).append(value)
        found = self
        for key, wanted in values.items():
            found = found.only(key, *wanted)
        return found

    def follows(self, key: str, others: Sequence[str]) -> bool:
        """True if the values of some keys determine that of another one, as those of paired keys do."""
        known: dict[str, str] = {}
        for row in self.rows:
            values = to_toml([row["parameters"].get(other) for other in others])
            value = to_toml(row["parameters"][key])
            if known.setdefault(values, value) != value:
                return False
        return True

    def points(self, keys: Sequence[str], quantity: Quantity, spread: str) -> dict[Values, Estimate]:
        """The estimate for each combination of values of these keys, where at least one run defines it.

        For a profile the distance comes first, instead of the first key.
        """
        found: dict[Values, list[Any]] = {}
        for row in self.rows:
            parameters = [row["parameters"][key] for key in (keys[1:] if quantity.kind == PROFILE else keys)]
            values = [to_toml(value) if isinstance(value, list | dict) else value for value in parameters]
            for distance, number in quantity.numbers(row):
                found.setdefault((*distance, *values), []).append(number)
        if quantity.kind in OVER_RUNS:
            known = {values: jackknife(OVER_RUNS[quantity.kind], runs) for values, runs in found.items()}
            return {values: Estimate(value, value - error, value + error) for values, (value, error) in known.items()}
        around = SPREADS[spread][1]
        return {values: Estimate(*map(float, around(np.array(numbers)))) for values, numbers in found.items()}


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
        with open_input(lines) as file:
            latest, damaged = read_lines(file)
        names = _runs_in_table(table) if table.exists() else None
    except OSError as error:
        raise StorageError(f"{lines}: {error.strerror}; give the directory of a sweep") from None
    rows = (row for line in latest.values() if (row := row_from_line(line)) and row["status"] == DONE)
    finished = [{"parameters": {}, **row} for row in rows]
    of_last = [row for row in finished if names is None or row["run"] in names]
    wanted, measured = ([row for row in rows if row.get("mean") or row.get("profiles")] for rows in (of_last, finished))
    if of_last and not wanted:
        raise UsageError(f"{path}: its runs are done, but none of their measures is defined in any frame")
    return replace(results_of(path, wanted), damaged=damaged, earlier=len(measured) - len(wanted))


def _runs_in_table(path: Path) -> set[str] | None:
    """The runs in a table; None if it is another one."""
    try:
        with TextIOWrapper(BytesIO(read_input(path, MAX_TABLE)), "utf-8", newline="") as file:
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
        raise UsageError(f"{name}: has no finished run of a sweep")
    keys = list(rows[0]["parameters"])
    return Results(name, [row for row in rows if list(row["parameters"]) == keys])


def merge_results(parts: Sequence[Results]) -> Results:
    """The results of several sweeps over the same keys as one, such as those of the chunks of one sweep.

    Raises:
        UsageError: they varied other keys.
    """
    first = parts[0]
    for part in parts[1:]:
        if part.keys.keys() != first.keys.keys():
            varied = " and ".join(", ".join(some.keys) for some in (first, part))
            raise UsageError(f"{part.name}: varies other keys than {first.name}: {varied}")
    rows = {row.get("scenario") or row["run"]: row for part in parts for row in part.rows}
    return Results(first.name, list(rows.values()))


def write_table(path: str, rows: Iterable[Mapping[str, object]], *, no_clobber: bool = False) -> None:
    """Write records, at least one, as CSV, complete or not at all."""
    records = [*rows]
    with open_file(path, no_clobber=no_clobber) as file:
        text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
        table = csv.DictWriter(text, records[0], lineterminator="\n")
        table.writeheader()
        table.writerows(records)
        text.detach()


def write_runs(results: Results, path: str, *, no_clobber: bool = False) -> None:
    """Write Parquet with a row for each run and the columns of manifest.csv; one of mixed values is text."""
    arrow, parquet = (optional_package(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    rows = [flatten_row({**row}) for row in results.rows]
    named = ((name, value) for row in rows for name, value in row.items())
    columns = {}
    for name in dict.fromkeys(name for name, value in named if name in results.keys or not isinstance(value, Mapping)):
        values = [float(value) if (value := row.get(name)) in ("inf", "-inf") else value for row in rows]
        kinds = {type(value) for value in values} - {type(None)}
        plain = {str} if kinds - {bool} and kinds - {int, float} else kinds
        columns[name] = [value if value is None or type(value) in plain else to_toml(value) for value in values]
    with open_file(path, no_clobber=no_clobber) as file:
        parquet.write_table(arrow.table(columns), file)


def are_numbers(values: Sequence[object]) -> bool:
    """True if all values are numbers."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
