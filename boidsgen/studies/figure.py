"""Figures of a sweep: its results as curves with error bars or as a heat map, drawn by matplotlib.

Unless the request names them, the key with the most numbers goes along the axis, or the distance for a profile; the
next key is color-coded, the next has panels. No key is averaged over silently: one that is left must be fixed with
`--only`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from fractions import Fraction
from hashlib import sha256
from math import ceil, degrees, floor, inf, isfinite, log10, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.themes import THEMES, Theme
from boidsgen.errors import UsageError
from boidsgen.output.columns import Columns, write_columns
from boidsgen.scenario.layers import refuse_undecodable
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import versions
from boidsgen.scenario.wording import to_toml
from boidsgen.studies.plan import value_text
from boidsgen.studies.requests import FigureRequest
from boidsgen.studies.results import (
    DISTANCE,
    MAX_PANEL_COLUMNS,
    OVER_RUNS,
    PROFILE,
    SPREADS,
    USUAL_SIZE,
    Estimate,
    ResultQuantity,
    Results,
    Values,
    are_numbers,
    escape_math,
    inches,
    key_label,
    require_matplotlib,
    save_panels,
    themed_style,
)
from boidsgen.system import open_input, parsing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure

LOGARITHMIC = ("", "x", "y", "xy")  # Choices of axes with a logarithmic scale

_PANEL = (4.6, 3.3)  # Width and height of a panel, in inches
_HEADROOM = 1.05  # Factor on the end of an axis from zero, so that markers are not cut off
_MAX_NAMED = 12  # Maximum number of labels of numbers, at an axis or for curves
PAPER = "paper"  # The theme of figures
_DIGIT = 0.6  # Room for a digit of a tick's label, as a part of the size of its letters
_MAX_WITHIN, _MAX_BESIDE = 6, 18  # Maximum number of curves named where they end, and in one column of a legend
_BESIDE, _LINE = 1.02, 0.075  # Place of the marks before these names, and height of one, in sides of a panel
_MAX_CELLS = 100  # Maximum number of cells of a heat map whose numbers are written into them
_MARKERS = "os^Dv*Xp<>h8"
_APART, _SPREAD = 2.5, 10.0  # Between the bars of two curves at one place, and of the first and the last, in points
_DIGITS = 3  # Of the largest number of a heat map; the others have as many decimals
_DECIMALS = 6  # Numbers of a heat map that would have more are written with powers of ten
_PARTS_OF_PI = 36  # Angles in radians are multiples of pi over so much at most: 5 degrees
_FEW_TICKS = 9  # Ticks of an axis in radians, at multiples of pi or of a half, a quarter or an eighth of it


class _Panel(NamedTuple):
    """Title of a panel, the quantity along its second axis or color-coded, and its estimate for each x and color."""

    title: str
    quantity: ResultQuantity
    points: Mapping[Values, Estimate]


def refuse_request(request: FigureRequest) -> None:
    """Stop at a choice that does not exist, or does not suit a heat map.

    Raises:
        UsageError: with the option.
    """
    for option, value, known in (
        ("--spread", request.spread, tuple(SPREADS)),
        ("--log", request.log, LOGARITHMIC),
        ("--theme", request.theme, ("", *THEMES)),
    ):
        if value not in known:
            raise UsageError(f"{option} {value}: use one of {', '.join(filter(None, known))}")
    refuse_undecodable(request.title, "--title")
    if hidden := next((letter for letter in request.title if not letter.isprintable()), ""):
        raise UsageError(f"--title: has a character that no font shows: {hidden!r}")
    for side in ("width", "height", "font"):
        inches(f"--{side}", getattr(request, side))
    if request.contour is not None and not request.heat:
        raise UsageError(f"--contour {request.contour:g}: is a line in a heat map; add --heat")
    if request.style and not Path(request.style).is_file():
        raise UsageError(f"--style {request.style}: there is no such file")
    if request.style:
        open_input(request.style).close()
    if request.heat and request.log:
        raise UsageError(f"--log {request.log}: a heat map has no logarithmic axes; leave out --heat or --log")
    if request.heat and request.spread != FigureRequest().spread:
        raise UsageError(f"--spread {request.spread}: a heat map shows no spread; leave out --heat or --spread")


def complete_request(results: Results, request: FigureRequest) -> FigureRequest:
    """Choose every key and measure, by its whole name.

    Raises:
        UsageError: the request names what does not exist, or leaves a key open.
    """
    refuse_request(request)
    known = [*results.measures, *results.profiles]
    if not known:
        raise UsageError(f"{results.name}: nothing is measured there")
    wanted = request.measures or ("polarization" if "polarization" in known else known[0],)
    kinds = {results.quantity(name).kind == PROFILE for name in wanted}
    if len(kinds) > 1:
        raise UsageError(f"{results.name}: {', '.join(wanted)}: profiles and measures need separate figures")
    of_profile = True in kinds
    roles = ("color", "panels") if of_profile and request.x in {"", DISTANCE} else ("x", "color", "panels")
    given = {role: results.key(name) for role in roles if (name := getattr(request, role))}
    if of_profile and "x" in given:
        raise UsageError(f"--x {request.x}: the axis of a profile shows the distance; show {request.x} by --color")
    x = DISTANCE if of_profile else given.get("x", "")
    if not x:  # the key with the most numbers; without any, that with the most values
        if not (left := [key for key in results.keys if key not in given.values()]):
            keys = len(results.keys)
            raise UsageError(f"{results.name}: no key is left to go along the axis; the sweep varied {keys}")
        x = max(
            left, key=lambda key: (sum(are_numbers([value]) for value in results.keys[key]), len(results.keys[key]))
        )
    chosen = [x, *(key for role, key in given.items() if role != "x")]
    free = [role for role in ("color", "panels") if role not in given]
    for key in results.varied:
        if key not in chosen and not results.follows(key, chosen):
            if not free:
                raise UsageError(f"{results.name}: {key} varies too; choose one of its values with --only {key}=VALUE")
            given[free.pop(0)] = key
            chosen.append(key)
    if request.heat and "color" not in given:
        raise UsageError(f"{results.name}: --heat needs two keys that vary, and there is only {x}")
    return request._replace(measures=wanted, x=x, color=given.get("color", ""), panels=given.get("panels", ""))


def write_sweep_figure(
    results: Results, request: FigureRequest, path: str, *, no_clobber: bool = False
) -> tuple[str, ...]:
    """Draw a figure into a file, complete or not at all. Returns notices.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    require_matplotlib(path, "")
    from matplotlib.cbook import is_math_text  # noqa: PLC0415  takes long to import
    from matplotlib.mathtext import MathTextParser  # noqa: PLC0415  likewise

    full = complete_request(results, request)
    panels = list(_panels(results, full))
    theme = THEMES[full.theme or PAPER]
    text, muted = theme.unplated

    for option, label in (("--xlabel", full.xlabel), ("--ylabel", full.ylabel)):
        try:
            _ = is_math_text(label) and MathTextParser("path").parse(label)
        except ValueError:
            raise UsageError(f"{option} {label}: has mathematics that matplotlib does not support") from None

    def draw(figure: "Figure", places: Sequence["Axes"]) -> None:
        figure.suptitle(escape_math(full.title))
        if width := inches("--width", full.width):
            figure.set_figwidth(width)
        if height := inches("--height", full.height):
            figure.set_figheight(height)
        _draw_panels(places, panels, full)
        every = Counter(to_toml([row["parameters"][key] for key in results.keys]) for row in results.rows).values()
        fewest, most = min(every), max(every)
        foot = f"{fewest if fewest == most else f'{fewest} to {most}'} run{'s' * (most > 1)} each"
        if not full.heat and any(one.low < one.high for panel in panels for one in panel.points.values()):
            over_runs = all(panel.quantity.kind in OVER_RUNS for panel in panels)
            foot = f"{'over all runs, and jackknife error' if over_runs else SPREADS[full.spread][0]}; {foot}"
        figure.supxlabel(foot, color=muted)

    digest = sha256("".join(sorted(str(row.get("scenario")) for row in results.rows)).encode()).hexdigest()
    shown = f"{', '.join(full.measures)} against {full.x}, {len(results.rows)} runs"
    about = f"{versions()}# boidsgen plot {results.name}: {shown}, digest {digest}\n"
    font = inches("--font", full.font)
    style = themed_style(theme.background, text, muted, font * 72 / USUAL_SIZE if font else 1.0)
    styles, columns = [style, full.style] if full.style else [style], _columns(panels)
    with parsing(f"--style {full.style}") if full.style else nullcontext():
        return save_panels(
            path, len(panels), draw, about, *styles, panel=_PANEL, columns=columns, no_clobber=no_clobber
        )


def draw_sweep_figure(results: Results, request: FigureRequest, place: "Axes") -> None:
    """Draw a figure of one panel into axes of matplotlib, in the style that is in force.

    Raises:
        UsageError: the request is refused, or needs several panels.
    """
    full = complete_request(results, request)
    panels = list(_panels(results, full))
    if len(panels) > 1:
        why = f"choose one value of {full.panels} by only" if full.panels else "choose one measure"
        raise UsageError(f"{results.name}: the figure has {len(panels)} panels, and axes show one; {why}")
    _draw_panels([place], panels, full)


def write_numbers(results: Results, request: FigureRequest, path: str, *, no_clobber: bool = False) -> None:
    """Write the numbers of a figure as CSV: panel, quantity, keys, value and the ends of its spread.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    full = complete_request(results, request)
    keys = [full.x, *([full.color] if full.color else [])]
    rows = (
        {"panel": panel.title, "quantity": panel.quantity.label}
        | dict(zip(keys, values, strict=True))
        | number._asdict()
        for panel in _panels(results, full)
        for values, number in panel.points.items()
    )
    write_columns(path, Columns.of(rows), no_clobber=no_clobber)


def _panels(results: Results, request: FigureRequest) -> Iterator[_Panel]:
    """The panels; stops at a number that has no place on a logarithmic axis: zero, less, or what is no number."""
    parts = [("", results)]
    if request.panels:
        label = key_label(request.panels)
        values = [value_text(value) for value in results.keys[request.panels]]
        parts = [(f"{label} {value}", results.only(request.panels, value)) for value in values]
    keys = [request.x, *([request.color] if request.color else [])]
    for name in request.measures:
        quantity = results.quantity(name)
        for title, part in parts:
            profiles = [row["profiles"][name] for row in part.rows if name in row.get("profiles", {})]
            if request.heat and len({tuple(profile["distance"]) for profile in profiles}) > 1:
                raise UsageError(f"--heat: {results.name}: the distances of {name} differ from run to run; draw curves")
            found = part.points(keys, quantity, request.spread)
            if not found:
                raise UsageError(f"{results.name}: {name} is defined in no run{title and f' with {title}'}")
            for axis, label, places in (
                ("x", request.x, [values[0] for values in found]),
                ("y", quantity.label, [number.value for number in found.values()]),
            ):
                lost = [place for place in places if not (isinstance(place, int | float) and 0 < place < inf)]
                if axis in request.log and lost:
                    what = f"{label} is {lost[0]} somewhere, which a logarithmic axis cannot show"
                    raise UsageError(f"--log {request.log}: {results.name}: {what}")
            yield _Panel(title, quantity, found)


def _columns(panels: Sequence[_Panel]) -> int:
    """Number of panels side by side: a row for each quantity, where there is room."""
    of_each = len(panels) // len({panel.quantity for panel in panels})
    return of_each if 1 < of_each <= MAX_PANEL_COLUMNS else min(MAX_PANEL_COLUMNS, len(panels))


def _draw_panels(places: Sequence["Axes"], panels: Sequence[_Panel], request: FigureRequest) -> None:
    """Draw each panel; all have one horizontal axis, and those of one quantity one vertical axis or scale of colors."""
    leaders, columns = dict[ResultQuantity, "Axes"](), _columns(panels)
    for number, (place, panel) in enumerate(zip(places, panels, strict=True)):
        leader = leaders.setdefault(panel.quantity, place)
        if number:
            place.sharex(places[0])
        if place is not leader or (request.heat and number):
            place.sharey(places[0] if request.heat else leader)
        if request.heat:
            _draw_heat(place, panel, panels, request)
        else:
            _draw_curves(place, panel, request)
        place.set_title(escape_math(panel.title), loc="left")
        if number + columns < len(panels):  # another one is below
            place.set_xlabel("")
            place.tick_params(labelbottom=False)
        if number % columns and (request.heat or panels[number - 1].quantity == panel.quantity):
            place.set_ylabel("")
            place.tick_params(labelleft=False)
    for quantity, leader in leaders.items():
        lowest = min(one.low for panel in panels if panel.quantity == quantity for one in panel.points.values())
        if not request.heat and "y" not in request.log and lowest >= 0:
            leader.set_ylim(bottom=0, top=_HEADROOM * leader.get_ylim()[1])
    if not request.heat:
        _name_all_curves(places, panels, request)


def _draw_curves(place: "Axes", panel: _Panel, request: FigureRequest) -> None:
    from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415  takes long to import

    theme = THEMES[request.theme or PAPER]
    curves: dict[Any, list[tuple[Any, Estimate]]] = {}
    for values, number in panel.points.items():
        curves.setdefault(values[1] if request.color else None, []).append((values[0], number))
    colors, scale = _colors(list(curves), theme), cast("Figure", place.figure).dpi_scale_trans
    spread = any(one.low < one.high for one in panel.points.values())
    apart = min(_APART, _SPREAD / max(len(curves) - 1, 1)) if spread else 0.0  # bars at one place cover each other
    for order, (value, points) in enumerate(curves.items()):
        along, estimates = [x for x, _ in points], [estimate for _, estimate in points]
        numeric = are_numbers(along)  # otherwise texts, one after the other
        bars = np.transpose([(one.value - one.low, one.high - one.value) for one in estimates]).clip(min=0)
        aside = ScaledTranslation(apart * (order - (len(curves) - 1) / 2) / 72, 0.0, scale)
        drawn = place.errorbar(
            [_converted(x, request.x, request) if numeric else escape_math(str(x)) for x in along],
            [estimate.value for estimate in estimates],
            bars if bars.any() else None,
            label=None if value is None else _text(value, request.color, request),
            color=colors[order],
            marker=_MARKERS[order % len(_MARKERS)],
            markersize=4,
            linewidth=1.2,
            capsize=2,
        )
        for one in drawn.get_children():  # which its axes have seen by now where the numbers are
            one.set_transform(place.transData + aside)
    place.set_xlabel(request.xlabel or key_label(request.x, radians=request.radians))
    place.set_ylabel(request.ylabel or panel.quantity.label)
    place.set(**{f"{axis}scale": "log" for axis in request.log})
    places = sorted({_converted(x, request.x, request) for x, *_ in panel.points}) if numeric else []
    if len(places) > 1 and "x" not in request.log and _in_radians(request.x, request):
        turn = (places[-1] - places[0]) / pi
        step = next(Fraction(2) ** power for power in range(-3, 64) if turn <= (_FEW_TICKS - 1) * 2.0**power)
        marks = [step * number for number in range(ceil(places[0] / pi / step), floor(places[-1] / pi / step) + 1)]
        place.set_xticks([pi * mark for mark in marks], [_times_pi(mark) for mark in marks])
    elif 0 < len(places) <= _MAX_NAMED and "x" not in request.log:
        _mark_values(place, places)


def _mark_values(place: "Axes", values: Sequence[float]) -> None:
    """Put ticks where the points are, as far as there is room for their numbers."""
    letters = place.xaxis.label.get_fontproperties().get_size_in_points() / 72  # in inches
    room = _DIGIT * letters * place.figure.dpi * (values[-1] - values[0]) / place.bbox.width
    marked = [values[0]]
    for value in values[1:]:
        if value - marked[-1] >= room * (1 + max(len(f"{one:.4g}") for one in (marked[-1], value))):
            marked.append(value)
    place.set_xticks(marked, [f"{value:.4g}" for value in marked])


def _name_all_curves(places: Sequence["Axes"], panels: Sequence[_Panel], request: FigureRequest) -> None:
    """Name the curves of each panel, or once, at the end of the first row, if all have the same."""
    names = [place.get_legend_handles_labels()[1] for place in places]
    alike = all(one == names[0] for one in names)
    title = key_label(request.color, radians=request.radians) if request.color else ""
    numbers = are_numbers([values[1] for panel in panels for values in panel.points] if request.color else [])
    for place in places[min(_columns(panels), len(panels)) - 1 :][:1] if alike else places:
        _name_curves(place, title, numbers=numbers)


def _name_curves(place: "Axes", title: str, *, numbers: bool) -> None:
    """Name few curves where they end, one above the other, below the name of the key, and many beside the panel."""
    drawn, names = place.get_legend_handles_labels()
    if len(names) > _MAX_WITHIN:  # of many numbers only some
        step = ceil(len(names) / _MAX_NAMED) if numbers else 1
        drawn, names = drawn[::step], names[::step]
        beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
        place.legend(drawn, names, title=title, frameon=False, ncols=ceil(len(names) / _MAX_BESIDE), **beside)
        return
    if not names:
        return
    lines = [one.lines[0] for one in cast("list[ErrorbarContainer]", drawn)]
    ends = place.transData.transform(np.array([np.asarray(line.get_xydata())[-1] for line in lines]))
    heights = place.transAxes.inverted().transform(ends)[:, 1]
    order = np.argsort(heights)
    steps = _LINE * np.arange(len(lines))
    apart = np.minimum(np.maximum.accumulate(heights[order] - steps), 1.0 - _LINE * len(lines)) + steps
    for number, height in zip(order, apart, strict=True):
        about = {"color": lines[number].get_color(), "marker": lines[number].get_marker(), "markersize": 4}
        place.plot(_BESIDE, height, transform=place.transAxes, clip_on=False, **about)
        place.text(2 * _BESIDE - 1.0, height, names[number], transform=place.transAxes, va="center")
    place.text(_BESIDE, apart[-1] + _LINE, title, transform=place.transAxes, va="center")


def _draw_heat(place: "Axes", panel: _Panel, panels: Sequence[_Panel], request: FigureRequest) -> None:
    theme, alike = THEMES[request.theme or PAPER], [one for one in panels if one.quantity == panel.quantity]
    found = (list(dict.fromkeys(values[at] for one in panels for values in one.points)) for at in (0, 1))
    across, up = (sorted(values) if are_numbers(values) else values for values in found)
    table = np.full((len(up), len(across)), np.nan)
    for values, number in panel.points.items():
        table[up.index(values[1]), across.index(values[0])] = number.value
    shades = [number.value for one in alike for number in one.points.values() if isfinite(number.value)]
    low, high = min(shades, default=0.0), max(shades, default=1.0)
    picture = place.imshow(table, cmap=_colormap(theme), vmin=low, vmax=high, origin="lower", aspect="auto")
    place.grid(visible=False)
    place.set_xticks(*_ticks(across, request.x, request))
    place.set_yticks(*_ticks(up, request.color, request))
    place.set_xlabel(request.xlabel or key_label(request.x, radians=request.radians))
    place.set_ylabel(request.ylabel or key_label(request.color, radians=request.radians))
    if request.contour is not None and min(table.shape) > 1:
        place.contour(table, levels=[request.contour], colors=[theme.accent], linewidths=1.5)
    if table.size <= _MAX_CELLS:
        _write_numbers(place, table, theme, low, high)
    place.figure.colorbar(picture, ax=place, label=panel.quantity.label)


def _write_numbers(place: "Axes", table: NDArray[np.float64], theme: Theme, low: float, high: float) -> None:
    """Write each number of a heat map into its cell, in the color that stands out from it."""
    from matplotlib import rcParams  # noqa: PLC0415  takes long to import
    from matplotlib.colors import to_hex  # noqa: PLC0415  likewise

    size, largest = rcParams["legend.fontsize"], float(np.nanmax(np.abs(table), initial=0.0))
    whole = not (table % 1.0 > 0).any()
    decimals = 0 if whole else max(_DIGITS - 1 - floor(log10(largest)), 0)
    form = f".{decimals}f" if decimals <= _DECIMALS and largest < 10**_DECIMALS else f".{_DIGITS}g"
    for (row, column), number in np.ndenumerate(table):
        if isfinite(number):
            shade = to_hex(_colormap(theme)((number - low) / (high - low or 1.0)))
            ink = theme.letters_on(shade)
            place.text(column, row, f"{number:{form}}", ha="center", va="center", fontsize=size, color=ink)


def _ticks(values: Sequence[Any], key: str, request: FigureRequest) -> tuple[list[int], list[str]]:
    """Ticks of an axis of a heat map, as many as have room, and their labels."""
    step = ceil(len(values) / _MAX_NAMED)
    return list(range(0, len(values), step)), [_text(value, key, request) for value in values[::step]]


def _colors(values: Sequence[Any], theme: Theme) -> list[Any]:
    """One color for each curve: a sequential scale for three numbers and more, otherwise the colors of flocks."""
    if len(values) > 2 and are_numbers(values):
        rank = np.argsort(np.argsort(values)) / (len(values) - 1)
        return [_colormap(theme)(0.15 + 0.85 * share) for share in rank]
    return [theme.flocks[number % len(theme.flocks)] for number in range(len(values))]


def _colormap(theme: Theme) -> "Colormap":
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  takes long to import

    return LinearSegmentedColormap.from_list("theme", theme.sequential)


def _in_radians(key: str, request: FigureRequest) -> bool:
    return request.radians and key_unit(key) == "degrees"


def _times_pi(share: Fraction) -> str:
    """A multiple of pi, such as 3π/4."""
    above = {0: "0", 1: "π", -1: "\N{MINUS SIGN}π"}.get(share.numerator, f"{share.numerator}π")
    return above.replace("-", "\N{MINUS SIGN}") + (f"/{share.denominator}" if share.denominator > 1 else "")


def _converted(value: float, key: str, request: FigureRequest) -> float:
    return value / degrees(1) if _in_radians(key, request) else value


def _text(value: Any, key: str, request: FigureRequest) -> str:  # noqa: ANN401  whatever a key holds
    if isinstance(value, int | float) and isfinite(value) and _in_radians(key, request):
        share = Fraction(value / 180).limit_denominator(_PARTS_OF_PI)
        return _times_pi(share) if abs(share * 180 - value) < 1e-9 else f"{_converted(value, key, request):.4g}"
    if isinstance(value, float) and isfinite(value):
        return f"{_converted(value, key, request):.4g}"
    return escape_math(str(value))
