"""Dates become frames and degrees become meters, as plain loops compute them, and errors are one line each."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from math import cos, hypot, pi, radians, sin, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boidsgen.cli.main import run
from boidsgen.errors import BoidsgenError
from boidsgen.measuring import Measured
from boidsgen.observations.fixes import projected
from boidsgen.observations.tracks import record_tracks
from boidsgen.output.recording import SavedRun
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import find
from boidsgen.studies.requests import TrackFormat

AXIS, FLAT = 6378137.0, 1 / 298.257223563
FIXES = TrackFormat(1.0, ("time=t", "id=id", "longitude=lon", "latitude=lat"))
START = datetime(2016, 2, 29, 23, 59, 50, tzinfo=UTC)


def in_space(longitude: float, latitude: float) -> tuple[float, float, float]:
    """A point of the ellipsoid, in meters from the middle of the Earth."""
    east, north, square = radians(longitude), radians(latitude), FLAT * (2 - FLAT)
    radius = AXIS / sqrt(1 - square * sin(north) ** 2)
    return radius * cos(north) * cos(east), radius * cos(north) * sin(east), radius * (1 - square) * sin(north)


def from_above(longitude: float, latitude: float, middle: tuple[float, float]) -> tuple[float, float]:
    """The point as seen from far above the middle: its offset in space, along east and north there."""
    x, y, z = (one - other for one, other in zip(in_space(longitude, latitude), in_space(*middle), strict=True))
    east, north = map(radians, middle)
    return (
        -sin(east) * x + cos(east) * y,
        -sin(north) * cos(east) * x - sin(north) * sin(east) * y + cos(north) * z,
    )


@pytest.mark.parametrize("middle", [(0, 0), (16.2, 48.3), (-70, -33.4), (179.9995, 5), (-180, 65), (20, 89.99)])
def test_places_are_those_seen_from_above(middle: tuple[float, float]) -> None:
    """Whatever the middle, the date line and a pole included, places are those of geometry in space."""
    generator = np.random.default_rng(2)
    longitude, latitude = (np.array(middle) + generator.uniform(-0.009, 0.009, (50, 2))).T
    longitude = (longitude + 180) % 360 - 180
    plane = projected(longitude, latitude, middle, "t.csv")
    wanted = [from_above(*place, middle) for place in zip(longitude, latitude, strict=True)]
    assert np.allclose(plane.position, wanted, rtol=0, atol=1e-7)
    own = projected(longitude, latitude, (), "t.csv")
    away = np.hypot(*(own.position[:, None] - own.position[None]).T)
    assert np.allclose(away, np.hypot(*(plane.position[:, None] - plane.position[None]).T), rtol=1e-6)


def test_a_degree_is_as_long_as_it_is() -> None:
    """At the equator 111.319 km of longitude and 110.574 km of latitude, at 60 degrees 55.800 and 111.412 km."""
    for latitude, wide, high in ((0.0, 111319.49, 110574.3), (60.0, 55800.0, 111412.3)):
        step = 0.01
        plane = projected(np.array([0.0, step, 0.0]), latitude + np.array([0.0, 0.0, step]), (0.0, latitude), "")
        assert np.hypot(*plane.position[1]) / step == pytest.approx(wide, rel=2e-5)
        assert np.hypot(*plane.position[2]) / step == pytest.approx(high, rel=2e-5)


def test_lengths_far_away_are_as_short_as_the_notice_has_it() -> None:
    """The loss is one minus the cosine of the angle of arc, and what loses more than 5 % is refused."""
    plane = projected(np.zeros(3), np.array([-9.0, 0.0, 9.0]), (), "t.csv")
    assert plane.short == pytest.approx(1 - cos(radians(9)))
    one, other = (projected(np.zeros(1), np.array([at]), (0.0, 0.0), "").position[0, 1] for at in (9.0, 8.999))
    assert (one - other) / (0.001 * pi / 180 * AXIS) == pytest.approx(1 - plane.short, rel=7e-3)
    with pytest.raises(BoidsgenError, match=r"t\.csv: longitude 0, latitude 0 is 5,\d+ km from the middle, 16, 48"):
        projected(np.array([16.0, 16.0, 0.0]), np.array([48.0, 48.0, 0.0]), (), "t.csv")


def herd() -> pd.DataFrame:
    """Fixes of three animals that walk about, once a second."""
    generator = np.random.default_rng(5)
    walk = np.cumsum(generator.normal(0, 1e-5, (12, 3, 2)) + 1e-5, axis=0) + generator.normal(0, 1e-4, (3, 2))
    rows = [
        (START + timedelta(seconds=second), f"goat {one}", *(walk[second, one] + (179.9999, -22.5)))
        for second in range(12)
        for one in range(3)
    ]
    table = pd.DataFrame(rows, columns=["t", "id", "lon", "lat"])
    table["lon"] = (table["lon"] + 180) % 360 - 180
    return table


WRITTEN = {
    "iso": lambda t: t.isoformat(),
    "z": lambda t: f"{t:%Y-%m-%dT%H:%M:%SZ}",
    "zone": lambda t: t.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat(" "),
    "short zone": lambda t: f"{t.astimezone(timezone(timedelta(hours=-2))):%Y-%m-%d %H:%M:%S}-02",
    "movebank": lambda t: f"{t:%Y-%m-%d %H:%M:%S}.000",
    "no zone": lambda t: f"{t:%Y-%m-%d %H:%M:%S}",
    "short hour": lambda t: f"{t:%Y-%m-%d} {t.hour}:{t:%M:%S}",
}
"""Ways to write a time."""


@pytest.mark.parametrize("way", [*WRITTEN, "two columns", "parquet"])
def test_six_measures_of_fixes_are_those_of_a_loop(way: str, tmp_path: Path) -> None:
    """However times are written, across the date line, measures are those of places seen from above."""
    table, form, name = herd(), FIXES, "t.csv"
    if way == "two columns":
        dates = table["t"].dt.strftime("%Y-%m-%d"), table["t"].dt.strftime("%H:%M:%S")
        table, form = (
            table.assign(date=dates[0], time=dates[1]),
            FIXES._replace(columns=("time=date+time", *FIXES[1][1:])),
        )
    elif way == "parquet":
        name = "t.parquet"
    else:
        table["t"] = table["t"].map(WRITTEN[way])
    (table.to_parquet if way == "parquet" else table.to_csv)(tmp_path / name, index=False)
    _, notices = record_tracks([str(tmp_path / name)], str(tmp_path / "out.npz"), form)
    assert any("taken as UTC" in told for told in notices) == (
        way in {"movebank", "no zone", "short hour", "two columns"}
    )
    assert any("projected to meters around" in told for told in notices)

    whole = herd()
    middle = whole["lon"].where(whole["lon"] > 0, whole["lon"] + 360).median(), whole["lat"].median()
    place = np.array([from_above(row.lon, row.lat, middle) for row in whole.itertuples()]).reshape(12, 3, 2)
    scenario = draft(find(tmp_path / "out.npz")).scenario()
    rows = [*Measured(scenario, {0: [*SavedRun(tmp_path / "out.npz", scenario)]}).series()]
    assert len(rows) == 12
    for row, here, velocity in zip(rows, place, np.gradient(place, axis=0), strict=True):
        assert row["time"] == row["frame"]
        for name, value in plain_measures(here, velocity).items():
            assert row[name] == pytest.approx(value, rel=1e-6), name


def plain_measures(place: np.ndarray, velocity: np.ndarray) -> dict[str, float]:
    speeds = [hypot(*one) for one in velocity]
    mean = sum(speeds) / len(speeds)
    heading = [(x / speed, y / speed) for (x, y), speed in zip(velocity, speeds, strict=True)]
    middle = [sum(axis) / len(place) for axis in place.T]
    arm = [(x - middle[0], y - middle[1]) for x, y in place]
    count = range(len(place))
    nearest = [min(hypot(*(place[a] - place[b])) for b in count if b != a) for a in count]
    turns = [(a * v - b * u) / hypot(a, b) for (a, b), (u, v) in zip(arm, heading, strict=True)]
    return {
        "polarization": hypot(sum(x for x, _ in heading), sum(y for _, y in heading)) / len(heading),
        "mean_speed": mean,
        "speed_spread": sqrt(sum((one - mean) ** 2 for one in speeds) / len(speeds)),
        "nearest_neighbor_distance": sum(nearest) / len(nearest),
        "dispersion": sum(hypot(*one) for one in arm) / len(arm),
        "rotation": abs(sum(turns)) / len(turns),
    }


@pytest.mark.parametrize("rate", ["1/7200", "30000/1001", "0.5"])
def test_frames_of_dates_are_nearest_in_time(rate: str, tmp_path: Path) -> None:
    """Fixes that are up to a quarter late or early, on a schedule that begins at any time, are a frame each."""
    generator, step = (
        np.random.default_rng(1),
        1 / (float(rate.split("/", maxsplit=1)[0]) / float((rate + "/1").split("/")[1])),
    )
    kept = [0, 1, 2, 5, 6, 9]
    late = generator.uniform(-0.12, 0.12, len(kept))
    times = [START + timedelta(seconds=(at + part + 0.4) * step) for at, part in zip(kept, late, strict=True)]
    table = pd.DataFrame({"t": times, "id": 1, "lon": [at / 1e5 for at in kept], "lat": 0.0})
    table.to_csv(tmp_path / "t.csv", index=False)
    command = ["tracks", str(tmp_path / "t.csv"), "--columns", ",".join(FIXES.columns), "--fps", rate]
    assert run([*command, "-o", str(tmp_path / "out.npz")]) == 0
    scenario = draft(find(tmp_path / "out.npz")).scenario()
    seen = [state.frame for state in SavedRun(tmp_path / "out.npz", scenario) if len(state.flocks[0].position)]
    assert seen == kept[:-1]  # the last has no velocity
    assert scenario.time.dt == pytest.approx(step)


def test_files_of_one_animal_each_share_their_times(tmp_path: Path) -> None:
    """Animals whose fixes begin at different times are in the right frames."""
    for one, table in herd().groupby("id"):
        table.iloc[int(one[-1]) :].drop(columns="id").to_csv(tmp_path / f"{one}.csv", index=False)
    files = sorted(map(str, tmp_path.glob("*.csv")))
    columns = ("time=t", "longitude=lon", "latitude=lat")
    record_tracks(files, str(tmp_path / "out.npz"), FIXES._replace(columns=columns))
    scenario = draft(find(tmp_path / "out.npz")).scenario()
    assert [len(state.flocks[0].position) for state in SavedRun(tmp_path / "out.npz", scenario)] == [1, 2, *[3] * 10]


def test_an_origin_is_the_corner_of_the_world(tmp_path: Path) -> None:
    """`--origin` in degrees is what places are projected around, and the lower left corner."""
    herd().to_csv(tmp_path / "t.csv", index=False)
    record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "o.npz"), FIXES._replace(origin=(179.999, -22.501)))
    first = next(iter(SavedRun(tmp_path / "o.npz", draft(find(tmp_path / "o.npz")).scenario())))
    wanted = [from_above(row.lon, row.lat, (179.999, -22.501)) for row in herd().head(3).itertuples()]
    assert np.allclose(first.flocks[0].position, wanted, rtol=0, atol=1e-6)


def test_fixes_in_one_frame_are_counted(tmp_path: Path) -> None:
    """A row that is there twice counts once; of two fixes of one time the first is kept, and many are refused."""
    table = pd.concat([herd().assign(t=herd()["t"] + timedelta(seconds=12 * part)) for part in range(8)])
    other = table.iloc[[40]].assign(lat=-22.4)
    for more, told in (([table.iloc[[40]]], "1 of 289"), ([table.iloc[[40]], other], "2 of 290")):
        pd.concat([table, *more]).to_csv(tmp_path / "t.csv", index=False)
        _, notices = record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), FIXES)
        assert any(f"{told} rows are in the same frame" in line for line in notices)
    pd.concat([table, *[other] * 5, table.head(9).assign(lat=-22.4)]).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BoidsgenError, match=r"animal goat \d appears twice in frame \d+"):
        record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), FIXES)


def test_few_irregular_fixes_are_left_out(tmp_path: Path) -> None:
    """One fix of 36 half a second late is left out and counted; if many are, the table is refused."""
    table = herd()
    table.loc[17, "t"] += timedelta(seconds=0.5)
    table.to_csv(tmp_path / "t.csv", index=False)
    scenario, notices = record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), FIXES)
    assert any("1 of 36 times are between two frames at --fps 1, and left out" in told for told in notices)
    seen = [len(state.flocks[0].position) for state in SavedRun(tmp_path / "out.npz", scenario)]
    assert seen == [2 if frame == 5 else 3 for frame in range(12)]
    table.loc[18:20, "t"] += timedelta(seconds=0.5)
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BoidsgenError, match=r"4 of 36 times are between .* most steps have 1 s, --fps 1/1"):
        record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), FIXES)


@pytest.mark.parametrize(
    ("rows", "fps", "told"),
    [
        (
            ["2016-11-01 00:00:00", "2016-11-01 25:00:01", "2016-11-01 00:00:02"],
            1,
            "row 2: t must be a date and a time",
        ),
        (["2016-11-01 00:00:00", "2016-11-01 00:00:01+01:00"], 1, "row 2: t must be a date and a time without a zone"),
        (["2016-11-01 00:00:00", "", "2016-11-01 00:00:02"], 1, "row 2: t must be a date and a time"),
        ([f"2016-11-01 {hour:02}:00:00" for hour in range(0, 24, 2)], 0.00012, "7200 s, --fps 1/7200"),
        (["01/11/2016 02:00", "01/11/2016 04:00"], 1, "give --dates month/day/year, or the other"),
        (["1.11.2016 02:00", "1.11.2016 04:00"], 1, "row 1: t must be a number"),
    ],
)
def test_dates_that_cannot_be_meant_are_refused(rows: list[str], fps: float, told: str, tmp_path: Path) -> None:
    """One line names the row, or the rate that most steps have."""
    table = pd.DataFrame({"t": rows, "id": 1, "lon": 16.0, "lat": 48.0})
    table.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BoidsgenError, match=told) as caught:
        record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), FIXES._replace(fps=fps))
    assert "\n" not in str(caught.value)


def test_meters_are_no_degrees(tmp_path: Path) -> None:
    """Coordinates that are no longitude or latitude are refused, and so are tables of which one has no dates."""
    herd().assign(lat=5326000.0).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BoidsgenError, match="row 1: lat must be at most 90 degrees"):
        record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), FIXES)
    herd().to_csv(tmp_path / "t.csv", index=False)
    herd().assign(t=3).to_csv(tmp_path / "u.csv", index=False)
    with pytest.raises(BoidsgenError, match="some tables have dates"):
        record_tracks([str(tmp_path / f"{one}.csv") for one in "tu"], str(tmp_path / "out.npz"), FIXES)


def test_rates_that_are_no_number_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """One line has the form of a fraction."""
    for rate in ("1/0", "a", "1/2/3", "nan", "-1"):
        assert run(["tracks", "t.csv", "--fps", rate, "-o", "out.npz"]) == 2
        assert "--fps" in capsys.readouterr().err


def recorded(table: pd.DataFrame, folder: Path, **more: object) -> tuple[np.ndarray, tuple[str, ...]]:
    """The positions of a table, (frames, animals, 2), and notices."""
    table.to_csv(folder / "t.csv", index=False)
    form = TrackFormat(**{"fps": 1.0, "columns": ("time=t", "id=id", "x=x", "y=y")} | more)
    _, told = record_tracks([str(folder / "t.csv")], str(folder / "out.npz"), form)
    with np.load(folder / "out.npz") as arrays:
        return arrays["flock.0.position"], told


SLASHED = {
    "month/day/year": ["11/12/2016 00:00:00", "11/13/2016 00:00:00", "11/14/2016 00:00:00"],
    "day/month/year": ["12/11/2016 00:00:00", "13/11/2016 00:00:00", "14/11/2016 00:00:00"],
}


@pytest.mark.parametrize("order", SLASHED)
def test_dates_with_slashes_are_read_where_one_order_fits(order: str, tmp_path: Path) -> None:
    """Days above 12 decide on the order; otherwise one line asks for it, and what does not fit is refused."""
    other = next(one for one in SLASHED if one != order)
    table = pd.DataFrame({"t": SLASHED[order], "id": 1, "x": [0.0, 1.0, 3.0], "y": 0.0})
    expected, _ = recorded(table.assign(t=["2016-11-12", "2016-11-13", "2016-11-14"]), tmp_path, fps=1 / 86400)

    for dates in ("", order):
        found, _ = recorded(table, tmp_path, fps=1 / 86400, dates=dates)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(BoidsgenError, match=f"t.csv: t: .* do not fit --dates {other}"):
        recorded(table, tmp_path, dates=other)
    with pytest.raises(BoidsgenError, match="one order"):
        recorded(table.assign(t=["11/13/2016", "13/11/2016", "11/14/2016"]), tmp_path)
    with pytest.raises(BoidsgenError, match="--dates x: must be"):
        recorded(table, tmp_path, dates="x")
    open_order = table.assign(t=["3/4/2016", "3/5/2016", "3/6/2016"])
    with pytest.raises(BoidsgenError, match="3/4/2016 may be month/day/year or day/month/year; give --dates"):
        recorded(open_order, tmp_path)
    assert len(recorded(open_order, tmp_path, fps=1 / 86400, dates="month/day/year")[0]) == 3


def test_times_of_day_count_on_after_24_hours(tmp_path: Path) -> None:
    """Hours beyond 24 are those of the next day; a clock that starts anew has one line that tells what to do."""
    table = pd.DataFrame(
        {"t": ["23:59:58", "23:59:59", "24:00:00", "24:00:01"], "id": 1, "x": [0.0, 1, 3, 4], "y": 0.0}
    )
    found, told = recorded(table, tmp_path)

    np.testing.assert_allclose(np.diff(found[:, 0, 0]), [1, 2, 1])
    assert told == ()
    for order in ([0, 1, 2, 3], [2, 0, 3, 1]):
        two = pd.concat([table.iloc[order], table.iloc[order].assign(id=2)])
        np.testing.assert_array_equal(recorded(two, tmp_path)[0][:, 0], found[:, 0])
    with pytest.raises(BoidsgenError, match="time of day starts anew 1 times; count hours on after 24"):
        recorded(table.assign(t=["23:59:58", "23:59:59", "00:00:00", "00:00:01"]), tmp_path)
    with pytest.raises(BoidsgenError, match="row 2: t must be a date"):
        recorded(table.assign(t=["23:59:58", "23:61:00", "24:00:00", "24:00:01"]), tmp_path)


def test_irregular_fixes_are_resampled(tmp_path: Path) -> None:
    """Positions at frames lie on the lines between fixes that are near enough, by a loop; else one line has the way."""
    random = np.random.default_rng(4)
    rows = []
    for animal in range(3):
        times = np.cumsum(random.uniform(20, 130, 60).round())
        days = pd.Timestamp("2016-11-01", tz="UTC") + pd.to_timedelta(times, unit="s")
        rows += [(day.isoformat(), animal, t, t**1.2, t**0.5) for day, t in zip(days, times, strict=True)]
    table = pd.DataFrame(rows, columns=["t", "id", "since", "x", "y"])
    with pytest.raises(BoidsgenError, match="--resample 2"):
        recorded(table, tmp_path, fps=1 / 60)
    found, told = recorded(table.sample(frac=1, random_state=1), tmp_path, fps=1 / 60, resample=2)

    first, expected = table["since"].min(), {}
    for animal, track in table.groupby("id"):
        fixes = [((t - first) / 60, x, y) for t, x, y in zip(track["since"], track["x"], track["y"], strict=True)]
        for (a, x0, y0), (b, x1, y1) in pairwise(fixes):
            for frame in range(400):
                if a <= frame <= b and (b - a <= 2 or frame in (a, b)):
                    share = (frame - a) / (b - a)
                    expected[frame, animal] = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    begin = min(frame for frame, _ in expected)
    seen = {(int(frame), int(animal)) for frame, animal in np.argwhere(np.isfinite(found[..., 0]))}
    both = [key for key in expected if (key[0] - begin, key[1]) in seen]
    assert {(frame + begin, animal) for frame, animal in seen} <= expected.keys()
    assert 0.9 * len(expected) < len(both)  # of some, between two gaps, no velocity is known
    away = [found[frame - begin, animal] - expected[frame, animal] for frame, animal in both]
    np.testing.assert_allclose(away, [away[0]] * len(away), atol=1e-6)
    assert any("fixes are resampled to" in one for one in told)
    columns = ("time=t", "id=id", "x=x", "y=y", "heading=heading")
    _, lost = recorded(table.assign(heading=0.0), tmp_path, fps=1 / 60, resample=2, columns=columns)
    assert f"{tmp_path / 't.csv'}: heading: left out, since frames lie between fixes" in lost
    with pytest.raises(BoidsgenError, match="leads round"):
        record_tracks(
            [str(tmp_path / "t.csv")],
            str(tmp_path / "out.npz"),
            TrackFormat(fps=1 / 60, columns=("time=t", "id=id", "x=x", "y=y"), resample=2),
            [Override("world.boundary", "torus", "world.boundary")],
        )
