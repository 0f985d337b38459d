"""Requests of studies, each written once: a field is an argument of Python and an option of the command line.

Nothing is imported here that takes time: `--help` shows these options, too.
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, get_args

from boidsgen.errors import UsageError


class Option(NamedTuple):
    """The option of a field."""

    declared: str  # as help shows it, such as `--width LENGTH`
    text: str  # help
    parse: Callable[[Any], Any] | None = None  # makes the value of a text, or as `tuple` that of repeated ones
    bounds: Mapping[str, int] = {}  # "min" and "max" of a number


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _point(text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, text.split(","))) if text else ()
    except ValueError:
        raise UsageError(f"--origin {text}: must be numbers, as in --origin 0,0") from None


def _rate(text: str) -> float:
    number, _, divisor = text.partition("/")
    try:
        return float(number) / float(divisor or 1)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"--fps {text}: must be a number or a fraction, as in 29.97 or 30000/1001") from None


def as_options(request: Any) -> tuple[str, ...]:  # noqa: ANN401  a request of any kind
    """The options of the command line that make this request, without those that have their defaults."""
    made = list[str]()
    for name, value in zip(request._fields, request, strict=True):
        option: Option = get_args(request.__annotations__[name])[1]
        flag = option.declared.split()[0]
        if value != request._field_defaults.get(name):
            one = ",".join(map(str, value)) if isinstance(value, tuple) else value
            values = value if option.parse is tuple else [one]
            made += [flag] if value is True else [f"{flag} {one}" for one in values]
    return (*made,)


class FigureRequest(NamedTuple):
    """Choices for a figure of a sweep; `complete_request` fills in what is empty."""

    measures: Annotated[
        tuple[str, ...], Option("--measure NAME", "A measure, as in groups or final.groups. Repeatable.", parse=tuple)
    ] = ()
    x: Annotated[str, Option("--x KEY", "The key along the horizontal axis.")] = ""
    color: Annotated[str, Option("--color KEY", "The key shown as color.")] = ""
    panels: Annotated[str, Option("--panels KEY", "The key shown as panels.")] = ""
    only: Annotated[
        tuple[str, ...], Option("--only KEY=VALUE", "Only runs with this value, or these. Repeatable.", parse=tuple)
    ] = ()
    heat: Annotated[bool, Option("--heat", "Draw a heat map of two keys.")] = False
    spread: Annotated[str, Option("--spread SPREAD", "Spread of each mean: error, deviation, quantiles or range.")] = (
        "error"
    )
    log: Annotated[str, Option("--log AXES", "Logarithmic axes: x, y or xy.")] = ""
    radians: Annotated[bool, Option("--radians", "Show angles in radians.")] = False
    title: Annotated[str, Option("--title TEXT", "Title above the figure.")] = ""
    theme: Annotated[str, Option("--theme THEME", "Theme whose colors are used: paper, or a map's own.")] = ""
    width: Annotated[str, Option("--width LENGTH", "Width of the figure, as in 86mm.")] = ""
    height: Annotated[str, Option("--height LENGTH", "Height of the figure.")] = ""
    font: Annotated[str, Option("--font LENGTH", "Font size, as in 8pt.")] = ""
    xlabel: Annotated[str, Option("--xlabel TEXT", "Label of the axis, with $mathematics$.")] = ""
    ylabel: Annotated[str, Option("--ylabel TEXT", "Label of the other axis.")] = ""
    contour: Annotated[float | None, Option("--contour VALUE", "Contour line at this value in a heat map.")] = None
    style: Annotated[str, Option("--style FILE", "A matplotlib style file, .mplstyle.")] = ""


class FitRequest(NamedTuple):
    """The keys that a fit varies, and the number of runs that it may take."""

    vary: Annotated[
        tuple[str, ...],
        Option("--vary KEY=LOW:HIGH", "A range to search, log:LOW:HIGH or normal:MEAN:SD. Repeatable.", parse=tuple),
    ] = ()
    runs: Annotated[
        int, Option("--runs N", "Number of runs, half of them over the whole ranges.", bounds={"min": 1})
    ] = 1000
    check: Annotated[
        int, Option("--check N", "Treat N runs as films, and report how often the fit is right.", bounds={"min": 0})
    ] = 0
    noise: Annotated[
        float | None,
        Option("--noise SD", "Noise of the positions of tracks, in world units; by default it is estimated."),
    ] = None
    predict: Annotated[
        int,
        Option("--predict N", "Do N more runs with fitted values, and show them beside the film.", bounds={"min": 0}),
    ] = 0
    models: Annotated[
        tuple[str, ...], Option("--models A,B,…", "Choose between these scenarios instead of fitting one.", _names)
    ] = ()


COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_CLAIM = re.compile(r"\s*(?:(mean|final)\.)?(\w+)\s*(<=|>=|<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d\d?)?)\s*")


class Claim(NamedTuple):
    """A statement about a measure."""

    kind: str  # mean, over the measured frames, or final, in the last one
    measure: str
    compare: Callable[[float, float], bool]  # a value with the number
    number: float


def parse_claim(text: str) -> Claim:
    """Parse `polarization > 0.9` or `final.groups <= 2`; UsageError if the text is no claim."""
    if not (found := _CLAIM.fullmatch(text)):
        raise UsageError(f'--claim {text}: must look like "polarization > 0.9" or "final.groups <= 2"')
    kind, measure, comparison, number = found.groups()
    return Claim(kind or "mean", measure, COMPARISONS[comparison], float(number))


class AuditRequest(NamedTuple):
    """The claim that an audit tries, and the number of runs of each variant."""

    claim: Annotated[
        Claim,
        Option("--claim CLAIM", "A measure, <, <=, >= or >, and a number, as in 'polarization > 0.9'.", parse_claim),
    ]
    seeds: Annotated[
        int, Option("--seeds N", "Number of runs of each variant, with independent seeds.", bounds={"min": 2})
    ] = 5


class TrackFormat(NamedTuple):
    """Layout and units of tables of tracks; what columns and sources mean is in `observations.track_tables`."""

    fps: Annotated[float, Option("--fps F", "Frames per second, also as a fraction: 30000/1001.", parse=_rate)]
    columns: Annotated[
        tuple[str, ...], Option("--columns ROLE=COLUMN,...", "Columns by their roles; see the how-to.", parse=_names)
    ] = ()
    source: Annotated[str, Option("--source PROGRAM", "The program that wrote the tables; see the how-to.")] = ""
    only: Annotated[
        tuple[str, ...], Option("--only COLUMN=VALUE", "Only rows with this value. Repeatable.", parse=tuple)
    ] = ()
    minimum: Annotated[
        tuple[str, ...],
        Option("--min COLUMN=VALUE", "Leave out positions with less than this. Repeatable.", parse=tuple),
    ] = ()
    max_speed: Annotated[
        float | None,
        Option("--max-speed V", "Leave out positions reached faster, in world units per second."),
    ] = None
    every: Annotated[int, Option("--every N", "Only every N-th frame, at an N-th of the rate.", bounds={"min": 1})] = 1
    scale: Annotated[float, Option("--scale S", "World units per unit of the file.")] = 1.0
    origin: Annotated[
        tuple[float, ...],
        Option("--origin X,Y[,Z]", "Point of the file at the world's lower corner.", parse=_point),
    ] = ()
    y_down: Annotated[bool, Option("--y-down", "The second coordinate grows downward.")] = False
    fill: Annotated[int, Option("--fill N", "Fill gaps of up to N frames along straight lines.", bounds={"min": 0})] = 0
    smooth: Annotated[
        int, Option("--smooth N", "Smooth over N frames, an odd number (Savitzky-Golay).", bounds={"min": 0})
    ] = 0
    film: Annotated[
        str, Option("--film FILE", "Film behind the animals; coordinates are its pixels. A file, or %04d.png.")
    ] = ""
    dates: Annotated[str, Option("--dates ORDER", "month/day/year or day/month/year, of dates as 3/4/2016.")] = ""
    resample: Annotated[
        int,
        Option("--resample N", "Put irregular fixes at frames, up to N frames apart.", bounds={"min": 0}),
    ] = 0

    @property
    def rate(self) -> float:
        """Frames per second of the recording."""
        return self.fps / self.every
