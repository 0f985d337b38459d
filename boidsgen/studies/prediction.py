"""Posterior predictive series: runs at points drawn from the posterior of a fit, frame by frame beside the film.

A fit compares summaries. Its series show when, and in what, runs with the fitted values move unlike the film: 90 % of
runs lie in the outer band at any one frame, so a film of the model itself leaves it in about a tenth of its frames
(A. Gelman, X.-L. Meng and H. Stern, Posterior predictive assessment of model fitness, Statistica Sinica 6, 1996).
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from boidsgen.errors import UsageError
from boidsgen.measuring import RunMeasures
from boidsgen.output.columns import Columns, write_columns
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions
from boidsgen.scenario.scenario import versions
from boidsgen.simulation.measures import unit_of
from boidsgen.studies.design import Floats, plan_design
from boidsgen.studies.fit import MEASURED, Fit, measured_frames
from boidsgen.studies.posterior import QUANTILES
from boidsgen.studies.requests import FitRequest
from boidsgen.studies.results import STYLE, in_words, require_matplotlib, save_panels
from boidsgen.studies.sweep import Study, run_missing
from boidsgen.system import open_input

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEWEST = 19  # Runs whose extremes are the ends of a 90 % band
RUNS_OF_SERIES, TABLE = "predictive", "series.csv"
"""The directory of the runs in that of the fit, and the table beside it."""
_FILM, _RUNS = "#222222", "#0072b2"
_PANEL = (3.4, 2.0)  # Width and height of a panel, in inches


class Prediction(NamedTuple):
    """Measures of a film and of runs at points of the posterior, in every measured frame.

    Attributes:
        names: of the measures.
        frames: numbers of the frames, (k,).
        interval: simulated time from one frame to the next.
        observed: of the film, (p, k); nan where a measure is not defined.
        quantiles: of the runs: ends of the intervals of 90 % and of 50 %, and the median, (5, p, k).
        runs: number of the runs.
    """

    names: Sequence[str]
    frames: Sequence[int]
    interval: float
    observed: Floats
    quantiles: Floats
    runs: int

    def within(self, number: int) -> float:
        """The share of the frames in which the film lies in the 90 % band of a measure."""
        low, high, film = self.quantiles[0, number], self.quantiles[-1, number], self.observed[number]
        known = np.isfinite(film) & np.isfinite(low)
        return float(((low <= film) & (film <= high))[known].mean()) if known.any() else float("nan")

    @property
    def records(self) -> list[dict[str, object]]:
        """A record for each measure and frame."""
        shares = [f"quantile_{share:g}" for share in QUANTILES]
        return [
            {"measure": name, "unit": unit_of(name), "frame": frame, "time": frame * self.interval}
            | {"observed": _number(self.observed[at, column])}
            | dict(zip(shares, map(_number, self.quantiles[:, at, column]), strict=True))
            for at, name in enumerate(self.names)
            for column, frame in enumerate(self.frames)
        ]

    @property
    def lines(self) -> list[str]:
        """A line about each measure."""
        told = "of the frames of the film are in the 90 % band of the runs"
        return [f"series, {in_words(name)}: {self.within(at):.0%} {told}" for at, name in enumerate(self.names)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def refuse_few(request: FitRequest) -> None:
    """Raise UsageError, before any run, for a prediction without bands, or of a choice between models."""
    if 0 < request.predict < FEWEST:
        raise UsageError(f"--predict {request.predict}: bands of 90 % need at least {FEWEST} runs")
    if request.predict and request.models:
        raise UsageError("--predict: shows runs of one scenario; leave it out, or fit the one that is chosen")


def predict(found: Fit, number: int, directory: Path, options: RunOptions = DEFAULT_OPTIONS) -> Prediction:
    """Do so many runs at points drawn from the posterior of a fit, in a directory of their own in that of the fit.

    They are seen as the film shows its animals, as all runs of the fit are, and those that are there are kept.

    Raises:
        SweepError: runs failed.
    """
    plan, posterior = found.plan, found.posterior
    # Evenly spaced through the weights: the fewest draws then stand for the whole of it.
    ends = posterior.weights.cumsum() / posterior.weights.sum()
    drawn = np.searchsorted(ends, (np.arange(number) + 0.5) / number)
    runs = plan_design(plan.source, plan.overrides, found.design, posterior.points[drawn], MEASURED)
    where = directory / RUNS_OF_SERIES
    with Study(runs, where, options, "csv", own=found.own, model=found.observation.model) as study:
        run_missing(study, options.progress)
        tables = [_columns(where / row["series"], found.names) for row in study.rows()]
    known = sorted(measured_frames(plan.base, found.observation.frames))
    values = np.array(
        [[[table.get((frame, name), np.nan) for frame in known] for name in found.names] for table in tables]
    )
    film = _film(found)
    observed = np.array([[film.get((frame, name), np.nan) for frame in known] for name in found.names])
    with np.errstate(invalid="ignore"):
        quantiles = np.array([np.quantile(values, share, axis=0, method="weibull") for share in QUANTILES])
    return Prediction(found.names, known, found.observation.interval, observed, quantiles, number)


_Cells = Mapping[tuple[int, str], float]  # Values by frame and measure, where they are defined


def _columns(path: Path, names: Sequence[str]) -> _Cells:
    """The series of a table, with these measures."""
    with open_input(path) as file:
        return _cells(csv.DictReader(file.read().decode().splitlines()), names)


def _cells(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> _Cells:
    return {
        (int(row["frame"]), name): float(row[name]) for row in rows for name in names if row[name] not in {None, ""}
    }


def _film(found: Fit) -> _Cells:
    """The series of the film."""
    seen, plan = found.observation, found.plan
    if not seen.run:
        return _columns(Path(seen.name), found.names)
    like = seen.run.scenario.model_copy(update={"measure": plan.base.measure})
    measures = RunMeasures(like, {}, keep_rows=True)
    measures.add_all(seen.run.states or RunOptions().run(like))
    return _cells(measures.rows, found.names)


def write_prediction(found: Fit, predicted: Prediction, directory: Path, plots: Sequence[str] = ()) -> list[str]:
    """Write the table into the directory, and a figure beside each of these; returns all paths."""
    paths = [str(directory / TABLE), *map(beside, plots)]
    write_columns(paths[0], Columns.of(predicted.records))
    for path in paths[1:]:
        _draw(found, predicted, path)
    return paths


def beside(path: str) -> str:
    """The path of the figure of a prediction beside that of a posterior, as in posterior-series.pdf."""
    return str(Path(path).with_stem(f"{Path(path).stem}-series"))


def _draw(found: Fit, predicted: Prediction, path: str) -> None:
    """Draw one panel for each measure: the bands of the runs, their median, and the film on top."""
    require_matplotlib(path)
    times = np.array(predicted.frames) * predicted.interval

    def draw(figure: "Figure", places: Sequence["Axes"]) -> None:
        for at, (place, name) in enumerate(zip(places, predicted.names, strict=True)):
            low, lower, middle, upper, high = predicted.quantiles[:, at]
            place.fill_between(times, low, high, color=_RUNS, alpha=0.18, linewidth=0, label="90 % of runs")
            place.fill_between(times, lower, upper, color=_RUNS, alpha=0.35, linewidth=0, label="50 % of runs")
            place.plot(times, middle, color=_RUNS, linewidth=1, label="median of runs")
            place.plot(times, predicted.observed[at], color=_FILM, linewidth=1.2, label="film")
            place.set_ylabel(unit_of(name))
            place.set_title(in_words(name), loc="left")
            place.set_title(f"{predicted.within(at):.0%} within 90 %", loc="right", fontsize=8, color="#555555")
            place.margins(x=0)
        for place in places[-2:]:
            place.set_xlabel("time")
            place.tick_params(labelbottom=True)
        drawn, names = places[0].get_legend_handles_labels()
        figure.legend(drawn[::-1], names[::-1], loc="outside upper center", ncols=len(names), frameon=False)

    about = f"{versions()}# boidsgen fit {found.observation.name} {found.plan.source.label}, {predicted.runs} runs\n"
    save_panels(path, len(predicted.names), draw, about, STYLE, panel=_PANEL, columns=2, share_x=True)
