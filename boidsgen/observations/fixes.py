"""Fixes of tags: dates with times as frames, and longitude and latitude as meters in a plane.

Dates are those of ISO 8601, such as 2016-11-01 00:00:54 or 2016-11-01T01:00:54+01:00; without a zone they are UTC. In
11/23/2016 and 23/11/2016 a number above 12 is the day, and if a column has none, its order must be given. Times without
a date, such as 25:00:34, are hours, minutes and seconds since midnight, and the hours may go on after 24. The offset of
fixes from the whole frames of an animation is their circular mean, so that a schedule may begin at any time.

Places are those of the orthographic projection of the ellipsoid WGS 84, east and north of a middle, in meters (IOGP
Publication 373-7-2, Coordinate Conversions and Transformations including Formulas, 2019, method 9840):

  x = n(b) cos b sin(l - l0),
  y = n(b) (sin b cos b0 - cos b sin b0 cos(l - l0)) + e² (n(b0) sin b0 - n(b) sin b) cos b0,

with the longitude l, the latitude b, the middle l0, b0, and the radius n(b) = a / sqrt(1 - e² sin² b). Beside the
middle lengths are exact; at an angle of arc c from it they are short by 1 - cos c.
"""

import re
from typing import Any, NamedTuple

import numpy as np

from boidsgen.errors import ScenarioError, join_words
from boidsgen.records import optional_package
from boidsgen.simulation.geometry import Array

SEMI_MAJOR_AXIS = 6_378_137.0  # Of WGS 84, in meters
SQUARED_ECCENTRICITY = 0.0066943799901413165  # f (2 - f), f = 1 / 298.257223563
MOST_SHORT = 0.05  # Part of their length that distances may lose in the plane
MOST_BETWEEN = 0.05  # Times, in parts of all, that may be farther away and are then left out
BETWEEN = 0.25
"""Distance in frames that the time of a row may have from that of its frame, since programs round it."""
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?!\d)")
_SLASHED = re.compile(r"(\d\d?)/(\d\d?)/(\d{4})(?!\d)")
_CLOCK = re.compile(r"(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)")
ORDERS = ("month/day/year", "day/month/year")
DAY = 86_400.0  # Seconds
_ZONED = r"\d\d(?:Z|[+-]\d\d(?::?\d\d)?)$"


class Projected(NamedTuple):
    """Places in a plane around a middle."""

    position: Array  # east and north of the middle in meters, (rows, 2)
    middle: tuple[float, float]  # longitude and latitude in degrees
    short: float  # part of their length that lengths lose where a place is farthest from the middle


def projected(longitude: Array, latitude: Array, middle: tuple[float, ...], path: str) -> Projected:
    """Places in degrees, (rows,), in a plane around a middle, by default that of their medians.

    Raises:
        ScenarioError: they are too far apart for a plane, or some of them are errors.
    """
    east, north = np.radians([longitude, latitude])
    outward = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
    x, y, z = np.median(outward, axis=1)  # of directions, since degrees jump at the date line
    east0, north0 = np.radians(middle) if middle else (np.arctan2(y, x), np.arctan2(z, np.hypot(x, y)))
    up = np.array([np.cos(north0) * np.cos(east0), np.cos(north0) * np.sin(east0), np.sin(north0)])
    short = 1 - up @ outward
    worst = int(short.argmax())
    if short[worst] > MOST_SHORT:
        away = SEMI_MAJOR_AXIS / 1000 * np.arccos(max(-1.0, 1 - short[worst]))
        place = f"longitude {longitude[worst]:g}, latitude {latitude[worst]:g} is {away:,.0f} km from the middle"
        around = f"{np.degrees(east0):.4g}, {np.degrees(north0):.4g}"
        raise ScenarioError([f"{path}: {place}, {around}; leave out errors by --only or --min, or read parts"])
    radius, radius0 = (SEMI_MAJOR_AXIS / np.sqrt(1 - SQUARED_ECCENTRICITY * np.sin(b) ** 2) for b in (north, north0))
    turned = east - east0
    x = radius * np.cos(north) * np.sin(turned)
    y = radius * (np.sin(north) * np.cos(north0) - np.cos(north) * np.sin(north0) * np.cos(turned))
    y += SQUARED_ECCENTRICITY * (radius0 * np.sin(north0) - radius * np.sin(north)) * np.cos(north0)
    return Projected(
        np.column_stack([x, y]), (float(np.degrees(east0)), float(np.degrees(north0))), float(short[worst])
    )


def is_dated(column: Any) -> bool:  # noqa: ANN401  of a DataFrame
    """True if the first cell of a column that is not empty begins with a date, or is a time of day."""
    first = column.first_valid_index()
    text = "" if first is None else str(column.loc[first]).strip()
    return bool(_DATE.match(text) or _SLASHED.match(text) or _CLOCK.fullmatch(text))


def seconds_of(column: Any, order: str, told: str) -> tuple[Array, bool | str]:  # noqa: ANN401  likewise
    """Seconds since 1970 of a column, nan where a cell has none, and True if it has a zone; or those since "midnight".

    Of a column in which some have one and others do not, those that differ from the first one are nan.

    Raises:
        ScenarioError: the order of days and months is open, or is not this one; `told` is the column in the line.
    """
    pandas = optional_package("pandas", "reading tracks")
    text = column.astype(str).str.strip()
    if text.str.fullmatch(_CLOCK).any() and not text.str.match(_DATE).any():
        parts = text.str.extract(f"^{_CLOCK.pattern}$").astype(float)
        since = parts.to_numpy() @ (3600.0, 60.0, 1.0)
        return since, "midnight"
    if (slashed := text.str.extract(f"^{_SLASHED.pattern}")).notna().any(axis=None):
        text = text.str.replace(_SLASHED, rf"\g<3>-{_order(slashed, order, told)}", regex=True)
    text = text.str.replace(r"([ T])(\d):", r"\g<1>0\2:", regex=True)
    zoned = text.str.contains(_ZONED) & text.str.contains(":")
    times = pandas.to_datetime(text.where(zoned == zoned.iloc[0]), format="ISO8601", utc=True, errors="coerce")
    since = (times - pandas.Timestamp(0, tz="UTC")) / pandas.Timedelta(seconds=1)
    return since.to_numpy(np.float64), bool(zoned.iloc[0])


def _order(parts: Any, order: str, told: str) -> str:  # noqa: ANN401  a DataFrame
    """The replacement of the first two numbers of dates by month-day."""
    first, second = (parts[part].astype(float).max() > 12 for part in (0, 1))
    found = [one for one, out in zip(ORDERS, (first, second), strict=True) if not out and order in ("", one)]
    date = "/".join(parts.dropna().iloc[0])
    if len(found) > 1:
        raise ScenarioError([f"{told}: {date} may be {' or '.join(ORDERS)}; give --dates {ORDERS[0]}, or the other"])
    if not found:
        given = f"--dates {order}" if order else "one order of month and day"
        raise ScenarioError([f"{told}: dates such as {date} do not fit {given}"])
    return r"\g<1>-\g<2>" if found == [ORDERS[0]] else r"\g<2>-\g<1>"


def with_frames(rows: Any, fps: float, path: str, notices: list[str], most: int) -> Any:  # noqa: ANN401  with seconds
    """The rows whose time is that of a frame, with the frame, counted from the first one; and a notice on the others.

    With `most` above 0, rows are on straight lines between two of an animal that are at most so many frames apart.

    Raises:
        ScenarioError: too many times are between two frames; the line has the step that most times have.
    """
    number = (rows["seconds"] - rows["seconds"].min()).to_numpy() * fps
    step = rows.groupby("id", sort=False)["seconds"].diff()
    if (back := step < -DAY / 2).any() and rows["zoned"].iloc[0] == "midnight" and not (step[~back] < 0).any():
        way = "count hours on after 24, or give dates, as in 2016-11-01 00:00:54"
        raise ScenarioError([f"{path}: time of day starts anew {back.sum():,} times; {way}"])
    if most:
        made = _resampled(rows.assign(frame=number), most)
        notices.append(f"{path}: {len(rows):,} fixes are resampled to {len(made):,} positions, along straight lines")
        if lost := [one for one in rows if one not in made and one != "seconds"]:
            notices.append(f"{path}: {join_words(lost, 'and')}: left out, since frames lie between fixes")
        return made
    late = np.angle(np.exp(2j * np.pi * number).mean()) / (2 * np.pi)
    frame = np.round(number - late)
    between = np.abs(number - late - frame) > BETWEEN
    told = f"{path}: {between.sum():,} of {len(rows):,} times are between two frames at --fps {fps:.6g}"
    if between.mean() > MOST_BETWEEN:
        step = rows.sort_values("seconds").groupby("id", sort=False)["seconds"].diff()
        usual = step[step > 0].median()
        usual = 60 * round(usual / 60) if usual > 600 else usual  # of a schedule, whose fixes are some seconds late
        way = f"most steps have {usual:g} s, --fps 1/{usual:g}; --resample 2 puts irregular fixes on straight lines"
        raise ScenarioError([f"{told}; {way}"])
    if between.any():
        notices.append(f"{told}, and left out")
    rows, frame = rows[~between], frame[~between]
    return rows.assign(frame=(frame - frame.min(initial=np.inf)).astype(np.int64))


def _resampled(rows: Any, most: int) -> Any:  # noqa: ANN401  likewise
    """Rows at whole frames between two fixes of an animal that are at most so many frames apart."""
    pandas = optional_package("pandas", "reading tracks")
    axes, parts = [axis for axis in ("x", "y", "z") if axis in rows], []
    rows = rows.dropna(subset=axes).sort_values("frame", kind="stable")
    names = [one for one in ("species", "id") if one in rows]
    for _, track in rows.drop_duplicates([*names, "frame"]).groupby(names, sort=False):
        time = track["frame"].to_numpy()
        frame = np.arange(np.ceil(time[0]), np.floor(time[-1]) + 1)
        after = np.clip(np.searchsorted(time, frame), 1, max(1, len(time) - 1))
        frame = frame[(time[after % len(time)] - time[after - 1] <= most) | np.isin(frame, time)]
        made = {axis: np.interp(frame, time, track[axis]) for axis in axes}
        same = {one: track[one].iloc[0] for one in ("species", "id", "zoned") if one in track}
        parts.append(pandas.DataFrame({"frame": frame.astype(np.int64), **made, **same}))
    return pandas.concat(parts, ignore_index=True)
