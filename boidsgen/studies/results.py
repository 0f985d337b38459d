"""Results: the measures of the runs of a sweep against the varied keys, as tables, and plots of series.

A quantity is the name of a measure, which means its mean over the measured frames, with an optional prefix: `mean.`,
`final.` (at the last frame), `error.`, `tau.` or `n_eff.` (the accuracy of the mean within a run), `susceptibility.` or
`binder_cumulant.` (over all runs of a point). The name of a profile means that profile.

A plot of a series has one panel per measure, with the median over the seeds and their quartiles; with few seeds the
single runs are thin lines. Dotted lines mark events of the scenario. Style, metadata and saving by matplotlib are the
same for all figures of studies.
"""

import csv
import math
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.text import no_glyphs
from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.measuring import row_columns
from boidsgen.output.columns import Columns, ColumnsParquet, write_columns
from boidsgen.output.publish import open_file
from boidsgen.records import optional_package
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import suggestion, to_toml
from boidsgen.simulation.measures import INSTANT, KNOWN, is_fraction, unit_of
from boidsgen.studies.manifest import LINES, RUN_DONE, SPREADSHEET, flatten_row, name_some, read_lines, row_from_line
from boidsgen.studies.plan import value_text
from boidsgen.system import open_input, read_input

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INTERVAL = (0.025, 0.975)  # Quantiles between which an interval of 95 % lies
MAX_TABLE_BYTES = 200_000_000  # Bytes of the table beside a manifest

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
class ResultQuantity:
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

    def quantity(self, name: str) -> ResultQuantity:
        """The quantity of this name; UsageError if there is none in these results."""
        kind, _, measure = name.rpartition(".")
        if measure in self.measures and (kind or "mean") in KINDS:
            return ResultQuantity(kind or "mean", measure)
        if name in self.profiles:
            return ResultQuantity(PROFILE, name)
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

    def points(self, keys: Sequence[str], quantity: ResultQuantity, spread: str) -> dict[Values, Estimate]:
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
    rows = (row for line in latest.values() if (row := row_from_line(line)) and row["status"] == RUN_DONE)
    finished = [{"parameters": {}, **row} for row in rows]
    of_last = [row for row in finished if names is None or row["run"] in names]
    wanted, measured = ([row for row in rows if row.get("mean") or row.get("profiles")] for rows in (of_last, finished))
    if of_last and not wanted:
        raise UsageError(f"{path}: its runs are done, but none of their measures is defined in any frame")
    return replace(results_of(path, wanted), damaged=damaged, earlier=len(measured) - len(wanted))


def _runs_in_table(path: Path) -> set[str] | None:
    """The runs in a table; None if it is another one."""
    try:
        with TextIOWrapper(BytesIO(read_input(path, MAX_TABLE_BYTES)), "utf-8", newline="") as file:
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


def write_runs(results: Results, path: str, *, no_clobber: bool = False) -> None:
    """Write Parquet with a row for each run and the columns of manifest.csv; one of mixed values is text."""
    rows = [flatten_row({**row}) for row in results.rows]
    named = ((name, value) for row in rows for name, value in row.items())
    arrays = {}
    for name in dict.fromkeys(name for name, value in named if name in results.keys or not isinstance(value, Mapping)):
        values = [float(value) if (value := row.get(name)) in ("inf", "-inf") else value for row in rows]
        kinds = {type(value) for value in values} - {type(None)}
        plain = {str} if kinds - {bool} and kinds - {int, float} else kinds
        alike = (value if value is None or type(value) in plain else to_toml(value) for value in values)
        arrays[name] = np.fromiter(alike, object)
    write_columns(path, Columns(arrays), ColumnsParquet, no_clobber=no_clobber)


def are_numbers(values: Sequence[object]) -> bool:
    """True if all values are numbers."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


PLOT_ENDINGS = (".png", ".svg", ".pdf")
MAX_PANEL_COLUMNS = 3  # Maximum number of panels side by side
_MAX_THIN = 8  # Maximum number of seeds whose curves are drawn one by one
_BINS = 50  # Of a histogram; those of small counts have one number each
_PANEL = (3.4, 2.35)  # Width and height of a panel, in inches
_INK = "#0060c0"  # Of curves whose colors would mean nothing, as the first flock in print
TYPEFACE, FONT = "Source Sans Pro", Path(str(files("boidsgen.drawing"))) / "fonts" / "SourceSansPro-Regular.otf"
"""The typeface of the clips, for figures too."""
USUAL_SIZE = 9  # Of letters, in points
_GLYPH = re.compile(r"Glyph (\d+) .*missing from")
_MIN_INCHES, _MAX_INCHES = 0.01, 100.0  # Bounds of letters and of the sides of a figure
_GRAY = "#555555"
STYLE = str(files(__package__) / "figures.mplstyle")
"""Settings of matplotlib for all figures."""


def themed_style(background: str, text: str, muted: str, scale: float = 1.0) -> dict[str, Any]:
    """Settings of matplotlib for a figure in these colors, with letters that are so many times as large."""
    from matplotlib import rc_params_from_file  # noqa: PLC0415  takes long to import

    plain: dict[str, Any] = {**rc_params_from_file(STYLE, use_default_template=False)}  # type: ignore[dict-item]
    inks = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), text)
    faint = dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), muted)
    grounds = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), background)
    letters = {name: scale * size for name, size in plain.items() if name.endswith("size")}
    return {**plain, **letters, **inks, **faint, **grounds, "grid.color": muted, "grid.alpha": 0.25}


def require_matplotlib(path: str, option: str = "--plot ") -> None:
    """Stop early when a figure cannot be made; messages begin with `option` and the path.

    Raises:
        UsageError: matplotlib is missing or cannot be loaded, or the file extension is not that of a figure.
    """
    if Path(path).suffix.lower() not in PLOT_ENDINGS:
        raise UsageError(f"{option}{path}: end it with {', '.join(PLOT_ENDINGS)}")
    os.environ["MPLBACKEND"] = "agg"  # no screen is needed
    try:
        optional_package("matplotlib", f"{option}{path}")
        import matplotlib.figure  # noqa: PLC0415  takes long to import, and reads settings that may be damaged
        import matplotlib.style  # noqa: F401, PLC0415  likewise
    except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        where = "look for a matplotlibrc here or in its own directory"
        raise UsageError(f"{option}{path}: matplotlib cannot be loaded ({reason}); {where}") from None


def write_plot(
    rows: Sequence[Sequence[float | None]],
    scenario: Scenario,
    path: str,
    *,
    about: str,
    no_clobber: bool = False,
    x: str = "",
    histogram: bool = False,
) -> tuple[str, ...]:
    """Draw a series, the values of its rows run by run, into a file, complete or not at all. Returns notices.

    The file embeds the text `about`. Measures are drawn against time,
    against another column `x`, such as a key that an event moves, or as a histogram of all frames.

    Raises:
        UsageError: no measure is defined in any frame.
        BoidsgenError: another of its kinds; in any case the file is as it was before.
    """
    require_matplotlib(path)
    names = row_columns(scenario)
    table = np.array(rows, float).reshape(-1, len(names))  # nan where a measure is not defined
    seeds, clock = len(np.unique(table[:, 0])), scenario.time
    runs = {name: table[:, at].reshape(max(1, seeds), -1) for at, name in enumerate(names)}
    times = runs["time"][0]
    if x and x not in names[len(INSTANT) :]:
        moved = ", ".join(names[len(INSTANT) :])
        raise UsageError(f"--x {x}: is neither a measure nor a number that an event changes; there is {moved}")
    along = runs[x] if x else None
    wanted = scenario.measure.names
    runs = {name: values for name, values in runs.items() if name in wanted and np.isfinite(values).any()}
    if not runs:
        raise UsageError(f"--plot {path}: none of the measures is defined in any frame")

    def draw(figure: "Figure", panels: Sequence["Axes"]) -> None:
        figure.suptitle(escape_math(title))
        for number, (panel, (name, values)) in enumerate(zip(panels, runs.items(), strict=True)):
            known, unit = values[np.isfinite(values)], unit_of(name).removeprefix(in_words(name))
            counted = not (known % 1).any() and known.max() > 1
            bins: Any = np.arange(known.max() + 2) - 0.5 if counted and known.max() < _BINS else _BINS
            if histogram:
                panel.hist(known, bins, density=True, color=_INK)
                panel.locator_params(axis="x", integer=counted)
                panel.set_xlabel(in_words(name, unit))
                panel.set_ylabel("density" if isinstance(bins, int) else "share of frames")
                continue
            if along is None:
                _draw(panel, times, values)
            else:
                panel.plot(along.T, values.T, color=_INK, linewidth=1.0, alpha=0.8)
            panel.locator_params(axis="y", integer=counted)
            panel.set_title(in_words(name).capitalize(), loc="left")
            panel.set_ylabel(unit)
            panel.margins(x=0.01)
            panel.set_ylim(bottom=0, top=1.02 if is_fraction(name) else None)  # no measure is negative
            if number + MAX_PANEL_COLUMNS >= len(runs):  # the lowest one of its column
                panel.set_xlabel(key_label(x) if x else "time")
                panel.tick_params(labelbottom=True)
            for at in (event.at for event in scenario.events if event.at < clock.frames and not x):
                time = (clock.warmup + at * clock.steps_per_frame) * clock.dt
                panel.axvline(time, color=_GRAY, linewidth=0.8, linestyle=":")

    band = f"median and quartiles of {seeds} seeds" if seeds > 1 else f"seed {scenario.seed}"
    title = f"{scenario.title}: {band}" if scenario.title else band[0].upper() + band[1:]
    about = f"{about}\n# boidsgen measure --plot, digest {sha256(table.tobytes()).hexdigest()}\n"
    return save_panels(path, len(runs), draw, about, STYLE, share_x=not histogram, no_clobber=no_clobber)


def _draw(panel: "Axes", time: NDArray[np.float64], runs: NDArray[np.float64]) -> None:
    """Curves of one measure, with gaps where no run has a value."""
    known, quartiles = np.isfinite(runs).any(axis=0), np.full((3, len(time)), np.nan)
    quartiles[:, known] = np.nanquantile(runs[:, known], (0.25, 0.5, 0.75), axis=0)
    low, median, high = quartiles
    if len(runs) > 1:
        panel.fill_between(time, low, high, color=_INK, alpha=0.2, linewidth=0)
    if 1 < len(runs) <= _MAX_THIN:
        panel.plot(time, runs.T, color=_INK, linewidth=0.6, alpha=0.4)
    panel.plot(time, median, color=_INK, linewidth=1.8)


def save_panels(
    path: str,
    number: int,
    draw: Callable[["Figure", Sequence["Axes"]], None],
    about: str,
    *settings: dict[str, Any] | str,
    panel: tuple[float, float] = _PANEL,
    columns: int = MAX_PANEL_COLUMNS,
    share_x: bool = False,
    no_clobber: bool = False,
) -> tuple[str, ...]:
    """Let `draw` fill a number of panels, and save them, complete or not at all. Returns a notice of missing glyphs.

    Args:
        path: of the figure.
        number: of panels.
        draw: gets the figure and its panels.
        about: text in the metadata.
        settings: of matplotlib, or files of them; the latter win.
        panel: width and height of one, in inches.
        columns: panels side by side.
        share_x: give all panels one horizontal axis.
        no_clobber: keep a file that exists, and fail.
    """
    from matplotlib import font_manager  # noqa: PLC0415  takes long to import
    from matplotlib.figure import Figure  # noqa: PLC0415  not pyplot, which wants a screen
    from matplotlib.style import context  # noqa: PLC0415  likewise

    kind, across = Path(path).suffix.lower().removeprefix("."), min(columns, number)
    metadata = {  # without the date that matplotlib would add
        "png": {"Comment": about},
        "svg": {"Description": about, "Date": None},
        "pdf": {"Subject": about, "CreationDate": None},
    }[kind]
    if not any(font.name == TYPEFACE for font in font_manager.fontManager.ttflist):
        font_manager.fontManager.addfont(FONT)
    down = math.ceil(number / across)
    with (
        open_file(path, no_clobber=no_clobber) as file,
        context(["default", *settings, {"text.usetex": False}]),  # which would start LaTeX
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        figure = Figure(figsize=(panel[0] * across, panel[1] * down + 0.5), layout="constrained")
        panels = figure.subplots(down, across, squeeze=False, sharex=share_x).ravel().tolist()
        draw(figure, panels[:number])
        for unused in panels[number:]:
            unused.remove()
        figure.savefig(file, format=kind, dpi=160, metadata=metadata)
    glyphs = [_GLYPH.match(str(one.message)) for one in caught]
    for one, glyph in zip(caught, glyphs, strict=True):
        if not glyph:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    lacking = dict.fromkeys(chr(int(glyph[1])) for glyph in glyphs if glyph)
    reason = no_glyphs("".join(lacking), "matplotlib's font")
    return (f"{path}: {reason}",) if lacking else ()


_UNITS = {"mm": 1 / 25.4, "cm": 1 / 2.54, "in": 1.0, "pt": 1 / 72}


def inches(option: str, length: str) -> float | None:
    """A length such as 86mm in inches; None where there is none; UsageError if it is no such length."""
    if not length:
        return None
    number, unit = length[:-2], _UNITS.get(length[-2:], 0.0)
    try:
        found = float(number) * unit
    except ValueError:
        found = 0.0
    if not _MIN_INCHES < found < _MAX_INCHES:
        raise UsageError(f"{option} {length}: must be a number and one of {', '.join(_UNITS)}, as in 86mm")
    return found


def key_label(key: str, *, radians: bool = False) -> str:
    """A key of a scenario as a label, with its unit, in which angles may be in radians."""
    unit = "world units" if key == DISTANCE else key_unit(key)
    unit = "radians" if radians and unit == "degrees" else unit
    return escape_math(in_words(key.removeprefix("flock.").removeprefix("0."), unit))


def escape_math(text: str) -> str:
    """Escape dollars, between which matplotlib expects mathematics."""
    return text.replace("$", r"\$")
