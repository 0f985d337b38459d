"""Plots of a series, one panel a measure, and what all figures share: style, metadata, saving by matplotlib.

A panel shows the mean over the seeds and one standard deviation to either side; with few seeds the single runs are thin
lines. Dotted lines mark events of the scenario.
"""

import math
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.text import no_glyphs
from boidsgen.errors import UsageError
from boidsgen.output.publish import open_file
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.measures import INSTANT, is_fraction
from boidsgen.simulation.measuring import unit_of
from boidsgen.studies.series import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
MAX_COLUMNS = 3  # Maximum number of panels side by side
_MAX_THIN = 8  # Maximum number of seeds whose curves are drawn one by one
_PANEL = (3.4, 2.35)  # Width and height of a panel, in inches
_COLORS = ("#0072b2", "#009e73", "#d55e00", "#cc79a7", "#7a5195", "#8c6510", "#56b4e9", "#3d3d3d")
"""Okabe and Ito's, and two more: safe for color-blind readers."""
TYPEFACE, FONT = "Source Sans Pro", Path(str(files("boidsgen.drawing"))) / "fonts" / "SourceSansPro-Regular.otf"
"""The typeface of the clips, for figures too."""
USUAL_SIZE = 9  # Of letters, in points
_GLYPH = re.compile(r"Glyph (\d+) .*missing from")
_MAX_INCHES = 100.0  # Bound of the sides of a figure
_GRAY, _FAINT = "#555555", "#dddddd"
_LOOK = {
    "font.family": [TYPEFACE, "DejaVu Sans"],
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


def write_plot(
    rows: Sequence[Sequence[float | None]],
    scenario: Scenario,
    path: str,
    *,
    about: str = "",
    no_clobber: bool = False,
    x: str = "",
    histogram: bool = False,
) -> tuple[str, ...]:
    """Draw a series, the values of its rows run by run, into a file, complete or not at all. Returns notices.

    The file embeds the text `about`, by default the provenance of the scenario. Measures are drawn against time,
    against another column `x`, such as a key that an event moves, or as a histogram of all frames.

    Raises:
        UsageError: no measure is defined in any frame.
        BoidsgenError: another of its kinds; in any case the file is as it was before.
    """
    require_matplotlib(path)
    names = columns(scenario)
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

    def draw(_: "Figure", panels: Sequence["Axes"]) -> None:
        for number, (panel, (name, values)) in enumerate(zip(panels, runs.items(), strict=True)):
            color = _COLORS[number % len(_COLORS)]
            if histogram:
                panel.hist(values[np.isfinite(values)], bins=50, density=True, color=color)
                panel.set_xlabel(
                    f"{name.replace('_', ' ')} ({unit_of(name)})" if unit_of(name) else name.replace("_", " ")
                )
                panel.set_ylabel("density")
                continue
            if along is None:
                _draw(panel, times, values, color)
            else:
                panel.plot(along.T, values.T, color=color, linewidth=1.0, alpha=0.8)
            panel.set_title(name.replace("_", " ").capitalize(), loc="left")
            panel.set_ylabel(unit_of(name))
            panel.margins(x=0.01)
            panel.set_ylim(bottom=0, top=1.02 if is_fraction(name) else None)  # no measure is negative
            if number + MAX_COLUMNS >= len(runs):  # the lowest one of its column
                panel.set_xlabel(key_label(x) if x else "time")
                panel.tick_params(labelbottom=True)
            for at in (event.at for event in scenario.events if event.at < clock.frames and not x):
                time = (clock.warmup + at * clock.steps_per_frame) * clock.dt
                panel.axvline(time, color=_GRAY, linewidth=0.8, linestyle=":")

    band = f"mean and standard deviation of {seeds} seeds" if seeds > 1 else f"seed {scenario.seed}"
    title = f"{scenario.title}: {band}" if scenario.title else band[0].upper() + band[1:]
    about = (
        f"{about or provenance(scenario)}\n# boidsgen measure --plot, digest {sha256(table.tobytes()).hexdigest()}\n"
    )
    look = FigureLook(_PANEL, _LOOK, title, about, share_x=not histogram)
    return save_panels(path, len(runs), draw, look, no_clobber=no_clobber)


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


class FigureLook(NamedTuple):
    """Everything about a figure but its panels."""

    panel: tuple[float, float]  # width and height of one, in inches
    settings: Mapping[str, object]  # of matplotlib
    title: str  # above the panels
    about: str  # text in the metadata
    columns: int = MAX_COLUMNS  # panels side by side
    share_x: bool = False  # give all panels one horizontal axis
    scale: float = 1.0  # of all letters
    # width and height of the whole figure in inches, as far as they are given
    size: tuple[float | None, float | None] = (None, None)
    style: str = ""  # a file with settings of matplotlib, which win

    @property
    def letters(self) -> Mapping[str, object]:
        """Settings of all sizes of letters."""
        sizes = {"font": USUAL_SIZE, "axes.title": 10, "figure.title": 12, "figure.label": 8, "legend.title_font": 8}
        sizes |= {"legend.font": 8}
        return {f"{name}{'.' if name == 'font' else ''}size": self.scale * size for name, size in sizes.items()}


def save_panels(
    path: str,
    number: int,
    draw: Callable[["Figure", Sequence["Axes"]], None],
    look: FigureLook,
    *,
    no_clobber: bool = False,
) -> tuple[str, ...]:
    """Let `draw` fill a number of panels, and save them, complete or not at all. Returns a notice of missing glyphs."""
    from matplotlib import font_manager, style  # noqa: PLC0415  takes long to import
    from matplotlib.figure import Figure  # noqa: PLC0415  not pyplot, which wants a screen

    kind, across = Path(path).suffix.lower().removeprefix("."), min(look.columns, number)
    metadata = {  # without the date that matplotlib would add
        "png": {"Comment": look.about},
        "svg": {"Description": look.about, "Date": None},
        "pdf": {"Subject": look.about, "CreationDate": None},
    }[kind]
    if not any(font.name == TYPEFACE for font in font_manager.fontManager.ttflist):
        font_manager.fontManager.addfont(FONT)
    down, (wide, high) = math.ceil(number / across), look.panel
    with (
        open_file(path, no_clobber=no_clobber) as file,
        style.context(["default", {**look.settings, **look.letters}, *([look.style] if look.style else [])]),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        usual = wide * across, high * down + 0.5
        sides = [given or side for given, side in zip(look.size, usual, strict=True)]
        figure = Figure(figsize=(sides[0], sides[1]), layout="constrained")
        panels = figure.subplots(down, across, squeeze=False, sharex=look.share_x).ravel().tolist()
        figure.suptitle(escape_math(look.title))
        draw(figure, panels[:number])
        for panel in panels[number:]:
            panel.remove()
        figure.savefig(file, format=kind, dpi=160, metadata=metadata)
    lacking = dict.fromkeys(found[1] for one in caught if (found := _GLYPH.match(str(one.message))))
    for one in caught:
        if not _GLYPH.match(str(one.message)):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    reason = no_glyphs("".join(chr(int(glyph)) for glyph in lacking), "matplotlib's font")
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
    if not 0 < found < _MAX_INCHES:
        raise UsageError(f"{option} {length}: must be a number and one of {', '.join(_UNITS)}, as in 86mm")
    return found


def key_label(key: str) -> str:
    """A key in words, with its unit."""
    words, unit = key.removeprefix("flock.").removeprefix("0.").replace(".", " ").replace("_", " "), key_unit(key)
    return escape_math(f"{words} ({unit})" if unit else words)


def escape_math(text: str) -> str:
    """Escape dollars, between which matplotlib expects mathematics."""
    return text.replace("$", r"\$")
