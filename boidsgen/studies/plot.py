"""Plots of a series, one panel a measure, and what all figures share: style, metadata, saving by matplotlib.

A panel shows the median over the seeds and their quartiles; with few seeds the single runs are thin lines. Dotted lines
mark events of the scenario.
"""

import math
import os
import re
import warnings
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.text import no_glyphs
from boidsgen.errors import UsageError
from boidsgen.output.publish import open_file
from boidsgen.records import optional_package
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.simulation.measures import INSTANT, is_fraction, unit_of
from boidsgen.studies.results import DISTANCE, in_words
from boidsgen.studies.series import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
MAX_COLUMNS = 3  # Maximum number of panels side by side
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
    if Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"{option}{path}: end it with {', '.join(ENDINGS)}")
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
            if number + MAX_COLUMNS >= len(runs):  # the lowest one of its column
                panel.set_xlabel(key_label(x) if x else "time")
                panel.tick_params(labelbottom=True)
            for at in (event.at for event in scenario.events if event.at < clock.frames and not x):
                time = (clock.warmup + at * clock.steps_per_frame) * clock.dt
                panel.axvline(time, color=_GRAY, linewidth=0.8, linestyle=":")

    band = f"median and quartiles of {seeds} seeds" if seeds > 1 else f"seed {scenario.seed}"
    title = f"{scenario.title}: {band}" if scenario.title else band[0].upper() + band[1:]
    about = (
        f"{about or provenance(scenario)}\n# boidsgen measure --plot, digest {sha256(table.tobytes()).hexdigest()}\n"
    )
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
    columns: int = MAX_COLUMNS,
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
