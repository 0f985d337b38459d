"""Fixes of tags: dates with times as frames, and longitude and latitude as meters in a plane.

Dates are those of ISO 8601, such as 2016-11-01 00:00:54 or 2016-11-01T01:00:54+01:00; without a zone they are UTC. The
offset of fixes from the whole frames of an animation is their circular mean, so that a schedule may begin at any time.

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

from boidsgen.errors import ScenarioError
from boidsgen.records import optional_package
from boidsgen.simulation.geometry import Array

SEMI_MAJOR_AXIS = 6_378_137.0  # Of WGS 84, in meters
SQUARED_ECCENTRICITY = 0.0066943799901413165  # f (2 - f), f = 1 / 298.257223563
MOST_SHORT = 0.05  # Part of their length that distances may lose in the plane
MOST_BETWEEN = 0.05  # Times, in parts of all, that may be farther away and are then left out
BETWEEN = 0.25
"""Distance in frames that the time of a row may have from that of its frame, since programs round it."""
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?!\d)")
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
    """True if the first cell of a column that is not empty begins with a date."""
    first = column.first_valid_index()
    return first is not None and bool(_DATE.match(str(column.loc[first])))


def seconds_of(column: Any) -> tuple[Array, bool]:  # noqa: ANN401  likewise
    """Seconds since 1970 of dates with times, nan where a cell is none, and True if they have a zone.

    Of a column in which some have one and others do not, those that differ from the first one are nan.
    """
    pandas = optional_package("pandas", "reading tracks")
    text = column.astype(str).str.strip().str.replace(r"([ T])(\d):", r"\g<1>0\2:", regex=True)
    zoned = text.str.contains(_ZONED) & text.str.contains(":")
    times = pandas.to_datetime(text.where(zoned == zoned.iloc[0]), format="ISO8601", utc=True, errors="coerce")
    since = (times - pandas.Timestamp(0, tz="UTC")) / pandas.Timedelta(seconds=1)
    return since.to_numpy(np.float64), bool(zoned.iloc[0])


def with_frames(rows: Any, fps: float, path: str, notices: list[str]) -> Any:  # noqa: ANN401  with the column seconds
    """The rows whose time is that of a frame, with the frame, counted from the first one; and a notice on the others.

    Raises:
        ScenarioError: too many times are between two frames; the line has the step that most times have.
    """
    number = (rows["seconds"] - rows["seconds"].min()).to_numpy() * fps
    late = np.angle(np.exp(2j * np.pi * number).mean()) / (2 * np.pi)
    frame = np.round(number - late)
    between = np.abs(number - late - frame) > BETWEEN
    told = f"{path}: {between.sum():,} of {len(rows):,} times are between two frames at --fps {fps:.6g}"
    if between.mean() > MOST_BETWEEN:
        step = rows.sort_values("seconds").groupby("id", sort=False)["seconds"].diff()
        usual = step[step > 0].median()
        usual = 60 * round(usual / 60) if usual > 600 else usual  # of a schedule, whose fixes are some seconds late
        way = f"most steps have {usual:g} s, --fps 1/{usual:g}; a higher rate with --fill reads irregular times"
        raise ScenarioError([f"{told}; {way}"])
    if between.any():
        notices.append(f"{told}, and left out")
    rows, frame = rows[~between], frame[~between]
    return rows.assign(frame=(frame - frame.min(initial=np.inf)).astype(np.int64))
