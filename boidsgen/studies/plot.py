"""Plots of a series, one panel a measure, and what all figures share: style, metadata, saving by matplotlib.

A panel shows the mean over the seeds and one standard deviation to either side; with few seeds the single runs are thin
lines. Dotted lines mark events of the scenario.
"""

import math
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import UsageError
from boidsgen.output.publish import open_file
from boidsgen.output.tables import Row
from boidsgen.pipeline import box
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.measures import INSTANT, is_fraction
from boidsgen.simulation.measuring import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
MAX_COLUMNS = 3
"""Maximum number of panels side by side."""
_MAX_THIN = 8
"""Maximum number of seeds whose curves are drawn one by one."""
_PANEL = (3.4, 2.35)
"""Width and height of a panel, in inches."""
_COLORS = ("#0072b2", "#009e73", "#d55e00", "#cc79a7", "#7a5195", "#8c6510", "#56b4e9", "#3d3d3d")
"""Okabe and Ito's, and two more: safe for color-blind readers."""
_GLYPH = re.compile(r"Glyph (\d+) .*missing from")
_GRAY, _FAINT = "#555555", "#dddddd"
_LOOK = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _GRAY,
    "axes.labelcolor": _GRAY,
    "xtick.color": _GRAY,
    "ytick.color": _GRAY,
    "axes.grid": True,
    "grid.color": _FAINT,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "pdf.fonttype": 42,
    "svg.hashsalt": "boidsgen",
}


def themed_style(background: str, text: str, muted: str) -> dict[str, object]:
    """Settings of matplotlib for a figure in these colors."""
    inks = dict.fromkeys(("text.color", "axes.labelcolor", "axes.titlecolor"), text)
    faint = dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), muted)
    grounds = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), background)
    return {**_LOOK, **inks, **faint, **grounds, "grid.color": muted, "grid.alpha": 0.25}


class Curves:
    """Collects the numbers of a series."""

    def __init__(self) -> None:
        self._time: dict[float, None] = {}
        self._values: defaultdict[str, defaultdict[float, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, row: Row) -> None:
        """Add one row."""
        self._time.setdefault(row["time"] or 0.0)
        seed = row["seed"] or 0
        for name, value in row.items():
            if name in INSTANT:
                continue
            self._values[name][seed].append(math.nan if value is None else value)

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of the frames, shape (frames,)."""
        return np.array(list(self._time))

    def by_measure(self) -> Mapping[str, NDArray[np.float64]]:
        """Values of each measure that is defined anywhere, shape (seeds, frames), nan where it is not."""
        runs = {name: np.array(list(by_seed.values())) for name, by_seed in self._values.items()}
        return {name: values for name, values in runs.items() if np.isfinite(values).any()}


def require_matplotlib(path: str, option: str = "--plot ") -> None:
    """Stop early when a figure cannot be made; messages begin with `option` and the path.

    Raises:
        UsageError: matplotlib is missing or cannot be loaded, or the file extension is not that of a figure.
    """
    if Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"{option}{path}: end it with {', '.join(ENDINGS)}")
    if find_spec("matplotlib") is None:
        raise UsageError(f"{option}{path}: needs matplotlib, which is not installed; pip install 'boidsgen[plot]'")
    os.environ["MPLBACKEND"] = "agg"  # no screen is needed
    try:
        import matplotlib.figure  # noqa: PLC0415  takes long to import, and reads settings that may be damaged
        import matplotlib.style  # noqa: F401, PLC0415  likewise
    except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        where = "look for a matplotlibrc here or in its own directory"
        raise UsageError(f"{option}{path}: matplotlib cannot be loaded ({reason}); {where}") from None


def write_plot(curves: Curves, scenario: Scenario, path: str, *, no_clobber: bool = False) -> tuple[str, ...]:
    """Draw the curves into a file, complete or not at all. Returns notices.

    Raises:
        UsageError: no measure is defined in any frame.
        BoidsgenError: another of its kinds; in any case the file is as it was before.
    """
    require_matplotlib(path)
    if not curves.by_measure():
        raise UsageError(f"--plot {path}: none of the measures is defined in any frame")
    kind = Path(path).suffix.lower().removeprefix(".")
    with (
        open_file(path, no_clobber=no_clobber) as file,
        _figure(curves, scenario) as figure,
    ):
        boxes = save_figure(figure, file, path, file_metadata(kind, provenance(scenario)))
    return tuple(boxes)


def save_figure(figure: "Figure", file: BinaryIO, path: str, metadata: Mapping[str, str | None]) -> list[str]:
    """Write a figure into a file of this name. Returns a notice of missing glyphs, if there are any."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(file, format=Path(path).suffix.lower().removeprefix("."), dpi=160, metadata=metadata)
    lacking = dict.fromkeys(found[1] for one in caught if (found := _GLYPH.match(str(one.message))))
    for one in caught:
        if not _GLYPH.match(str(one.message)):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return [box(path, "".join(chr(int(number)) for number in lacking), "matplotlib's font")] if lacking else []


def escape_math(text: str) -> str:
    """Escape dollars, between which matplotlib expects mathematics."""
    return text.replace("$", r"\$")


@contextmanager
def _figure(curves: Curves, scenario: Scenario) -> Iterator["Figure"]:
    from matplotlib import style  # noqa: PLC0415  takes long to import
    from matplotlib.figure import Figure  # noqa: PLC0415  not pyplot, which wants a screen

    runs = curves.by_measure()
    columns = min(MAX_COLUMNS, len(runs))
    rows = math.ceil(len(runs) / columns)
    with style.context(["default", _LOOK]):
        figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows + 0.5), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel().tolist()
        for number, (panel, (name, values)) in enumerate(zip(panels, runs.items(), strict=False)):
            _draw(panel, curves.time, values, _COLORS[number % len(_COLORS)])
            panel.set_title(name.replace("_", " ").capitalize(), loc="left", fontsize=10)
            panel.set_ylabel(unit_of(name))
            panel.margins(x=0.01)
            panel.set_ylim(bottom=0, top=1.02 if is_fraction(name) else None)  # no measure is negative
            if number + columns >= len(runs):  # the lowest one of its column
                panel.set_xlabel("time")
                panel.tick_params(labelbottom=True)
            clock = scenario.time
            for at in (event.at for event in scenario.events if event.at < clock.frames):
                time = (clock.warmup + at * clock.steps_per_frame) * clock.dt
                panel.axvline(time, color=_GRAY, linewidth=0.8, linestyle=":")
        for panel in panels[len(runs) :]:
            panel.remove()
        figure.suptitle(escape_math(_title(scenario, len(next(iter(runs.values()))))), fontsize=12)
        yield figure


def _draw(panel: "Axes", time: NDArray[np.float64], runs: NDArray[np.float64], color: str) -> None:
    """Curves of one measure, with gaps where no run has a value."""
    known = np.ma.masked_invalid(runs)
    mean = known.mean(axis=0)
    if len(runs) > 1:
        spread = known.std(axis=0)
        panel.fill_between(time, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
    if 1 < len(runs) <= _MAX_THIN:
        panel.plot(time, known.T, color=color, linewidth=0.6, alpha=0.4)
    panel.plot(time, mean, color=color, linewidth=1.8)


def _title(scenario: Scenario, seeds: int) -> str:
    band = f"mean and standard deviation of {seeds} seeds" if seeds > 1 else f"seed {scenario.seed}"
    return f"{scenario.title}: {band}" if scenario.title else band[0].upper() + band[1:]


def file_metadata(kind: str, text: str) -> dict[str, str | None]:
    """Metadata with a text, and without the date that matplotlib would add."""
    if kind == "png":
        return {"Comment": text}
    if kind == "svg":
        return {"Description": text, "Date": None}
    return {"Subject": text, "CreationDate": None}
