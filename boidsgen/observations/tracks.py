"""Tracks: the positions of observed animals, from the tables of a tracking program, as a recording.

No scenario can make such a recording again; its table `tracks` names the files instead. From positions q in the units
of the files, at f frames a second, follow

  p = scale · (q - origin), the second coordinates with the opposite sign where they grow downward,
  v(t) = f · (p(t+1) - p(t-1)) / 2, and beside a gap the difference to the only neighbor in time,

or, with smoothing over a window, value and derivative at t of the parabola that fits the positions in the window around
t best by least squares: where none is missing, the filter of A. Savitzky and M. J. E. Golay, Smoothing and
Differentiation of Data by Simplified Least Squares Procedures, Analytical Chemistry 36, 1964.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from boidsgen.errors import ScenarioError, UsageError, printable
from boidsgen.observations.fixes import ORDERS, projected, with_frames
from boidsgen.observations.steps import jump_notices, step_facts, within_speed
from boidsgen.observations.track_tables import NUMBER_COLUMNS, SOURCES, in_memory, track_rows, with_columns
from boidsgen.output.film import VideoInfo, probe
from boidsgen.output.formats import WRITERS, Target, format_of
from boidsgen.output.recording import TRAJECTORY_WRITERS
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions, record, render
from boidsgen.records import optional_package
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, source_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.observing import Which, in_motion, present_groups
from boidsgen.simulation.run import AXES, flock_tracks
from boidsgen.simulation.setup import State
from boidsgen.simulation.world import World
from boidsgen.studies.requests import TrackFormat, as_options
from boidsgen.system import read_input
from boidsgen.tables import MAX_NUMBER

WORLD_MARGIN = 0.05  # Room around the positions, in parts of their extent, where the size of the world is not given
LONGER_SIDE = 960  # Pixels of the longer side of the picture, where its size is not given
SAME_RATE = 0.01  # Difference of two frame rates, in parts, below which a picture of the film is a frame of the tracks
RADIUS = 0.1
"""Perception radius, by which groups are counted, in parts of the world's shorter side, where it is not given."""
MAX_TRACKS_BYTES = 400_000_000  # Bytes of a file
MOST_TWICE = 0.01  # Fixes of tags, in parts of all, that may have the time of another one
SLOWEST = 0.01
"""Frames per second of a clip; slower fixes are shown at its usual rate."""
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.0)?")
UNLIKE = 3.0  # Velocities that are more times those of the positions are in other units


def record_tracks(
    paths: Sequence[str],
    output: str,
    form: TrackFormat,
    overrides: Sequence[Override] = (),
    *,
    tables: Mapping[str, Any] = {},
    output_format: str | None = None,
    options: RunOptions = DEFAULT_OPTIONS,
) -> tuple[Scenario, tuple[str, ...]]:
    """Write the animals of one or several tables as a recording or a clip; returns its scenario, and notices.

    Of the paths, those that `tables` has are names of tables in memory.

    Raises:
        BoidsgenError: one of its kinds; then the output is as it was before.
    """
    kind = format_of(output, {**TRAJECTORY_WRITERS, **WRITERS}, output_format)
    found = observed(paths, form, overrides, tables)
    told, every, fps = [*found.notices], 1, form.rate
    if kind in WRITERS and not form.film and not any(one.key == "output.fps" for one in overrides):
        every = ceil(fps / min(WRITERS[kind].max_fps, fps))
        if fps < SLOWEST:
            told.append(f"fixes every {1 / fps:g} s are shown 25 a second; --set output.fps changes that")
    if every > 1:
        told.append(f"one of {every} frames is shown, {fps / every:g} a second, since {kind} cannot show {fps:g}")
    scenario = found.scenario(every)
    groups = present_groups(found.position[::every], found.velocity[::every], flock_tracks(scenario))
    states = (State(n, n * scenario.time.dt, n, present, (), scenario) for n, present in enumerate(groups))
    manner = options._replace(states=states)
    if form.film and not any(one.key == "background.start" for one in overrides):
        told += _start_notices(found.first, with_columns(form))
    if kind in WRITERS:
        told += render(scenario, Target(output, kind), options=manner).notices
    else:
        record(scenario, output, output_format=output_format, options=manner)
    return scenario, tuple(told)


class Observed(NamedTuple):
    """The content of tables of tracks, in the units of a world; nan where an animal is not seen."""

    position: Array  # (frames, n, d)
    velocity: Array  # likewise
    names: Sequence[str]  # of the animals
    first: int  # number of the first frame in the files
    notices: Sequence[str]
    scenario: Callable[[int], Scenario]  # of every n-th of the frames


def observed(
    paths: Sequence[str], form: TrackFormat, overrides: Sequence[Override] = (), tables: Mapping[str, Any] = {}
) -> Observed:
    """The animals of one or several tables, of which some may be in memory.

    Raises:
        BoidsgenError: one of its kinds.
    """
    _refuse_unfit(paths, form)
    asked, form = as_options(form), with_columns(form)
    rows, names, flocks, first, frames, files, notices = _read(paths, form, tables)
    if form.origin and _on_earth(form):
        form = form._replace(origin=(0.0, 0.0))  # around which they are projected
    film, source, animals = probe(form.film) if form.film else None, {**files, "options": asked}, len(names)
    place, size = _in_world(rows, form, film)
    background = _background(form, film, first)
    about = partial(_scenario, source, form, frames, flocks, given=overrides, background=background, size=size)
    cells = frames * animals
    looked_at = {"positions": cells, "neighbor_visits": cells * min(form.smooth, 2 * frames)}
    planned = about(fastest=1.0)
    planned.refuse_excess(drawn=False, more=looked_at)
    if form.resample and planned.world.boundary.leads_round:
        raise UsageError("--resample: cannot be used in a world whose boundary leads round")
    if form.max_speed is not None:
        whole = np.full((frames, animals, len(size)), np.nan)
        whole[rows["frame"], rows["animal"]] = place
        kept = within_speed(whole, form.max_speed / form.rate, planned.world)[rows["frame"], rows["animal"]]
        notices.append(f"--max-speed {form.max_speed:g} leaves out {(~kept).sum():,} of {len(kept):,} positions")
        rows = rows[kept]
        place, size = _in_world(rows, form, film)
        about = partial(about, size=size)
    whole = np.full((frames, animals, len(size) + len((given := _given(rows, form)).T)), np.nan)
    whole[rows["frame"], rows["animal"]] = np.hstack([place, given])
    position, given = np.split(whole, [len(size)], axis=2)
    zeros = np.zeros((frames, animals), np.bool_)  # exactly at zero in the file, as some programs write what is missing
    zeros[rows["frame"], rows["animal"]] = (_coordinates(rows) == 0).all(axis=1)
    world = about(fastest=1.0).world
    numbers = range(first, first + frames * form.every, form.every)
    notices += jump_notices(position, zeros, names, numbers, form.rate, world)
    seen = np.isfinite(position[..., 0])
    if world.periods.any():  # with other boundaries, beyond an edge is a place of its own
        position = world.wrapped(position)
    position = gaps_filled(position, form.fill, world)
    filled_in = np.isfinite(position[..., 0]) & ~seen
    position, velocity = _moving(
        position, given if given.size else None, form, world, paths[0], components="vx" in rows
    )
    unknown = np.isnan(velocity[..., 0]) & np.isfinite(position[..., 0])
    notices += _notices(seen, filled_in, unknown)
    fastest = float(np.sqrt(np.nanmax((velocity**2).sum(axis=-1)))) or 1.0
    return Observed(position, velocity, names, first, notices, partial(about, fastest=fastest))


def description(paths: Sequence[str], form: TrackFormat, found: Observed) -> Mapping[str, str]:
    """Facts about the animals of tables, as they were read with this format, each a line by its name."""
    whole, scenario = with_columns(form), found.scenario(1)
    units = "meters" if _on_earth(whole) else f"{form.scale:g} x those of the table"
    shown = {
        "tables": printable(", ".join(map(str, paths))),
        "columns": ", ".join(whole.columns) + ("; the second coordinate grows downward" if whole.y_down else ""),
        "units": f"{units}, and seconds",
    }
    numbers = range(found.first, found.first + len(found.position) * form.every, form.every)
    return step_facts(found.position, found.names, numbers, form.rate, scenario.world, shown)


def _moving(
    position: Array, given: Array | None, form: TrackFormat, world: World, path: str, *, components: bool
) -> tuple[Array, Array]:
    """Positions, smoothed where that was asked for, and velocities, (frames, n, d) each.

    Given are velocities in components or else directions, nan where the file has none; None without such columns.
    """
    position, velocity = in_motion(position, form.smooth, form.rate, world)
    if given is not None:
        speed = np.linalg.norm(velocity, axis=-1, keepdims=True)
        if components:
            _refuse_units(given, speed, path, form)
        velocity = np.where(np.isfinite(given), given if components else speed * given, velocity)
    if np.isnan(velocity).all():
        apart = int(np.gcd.reduce(np.diff(np.flatnonzero(np.isfinite(position[..., 0]).any(axis=1)))))
        hint = f"frames are {apart} apart: give --every {apart}" if apart > 1 else "tracks need two frames in a row"
        raise ScenarioError([f"{path}: no animal is seen often enough for a velocity; {hint}"])
    return position, velocity


def _refuse_unfit(paths: Sequence[str], form: TrackFormat) -> None:
    """Raise UsageError where a value makes no sense."""
    numbers = (form.fps, form.scale, *form.origin)
    if not paths:
        raise UsageError("tracks: name at least one file")
    real = all(isinstance(number, int | float) and abs(number) <= MAX_NUMBER for number in numbers)
    if not real or min(form.fps, form.scale) <= 0:
        raise UsageError(f"--fps, --scale and --origin: must be numbers up to {MAX_NUMBER:g}, the first two above 0")
    if form.every < 1:
        raise UsageError("--every: must be at least 1")
    if form.fill < 0:
        raise UsageError("--fill: must be at least 0")
    if unfit := [kept for kept in form.only if not kept.rpartition("=")[0]]:
        raise UsageError(f"--only {printable(unfit[0])}: must look like COLUMN=VALUE")
    if unfit := [least for least in form.minimum if not _is_bound(least)]:
        raise UsageError(f"--min {printable(unfit[0])}: must look like COLUMN=NUMBER, as in --min likelihood=0.6")
    if form.max_speed is not None and not 0 < form.max_speed <= MAX_NUMBER:
        raise UsageError(f"--max-speed {form.max_speed:g}: must be above 0, in world units per second")
    if form.dates not in {"", *ORDERS}:
        raise UsageError(f"--dates {printable(form.dates)}: must be {' or '.join(ORDERS)}")
    if form.smooth and (form.smooth % 2 == 0 or form.smooth < 3):
        raise UsageError(f"--smooth {form.smooth}: must be an odd number of frames, 3 or more")


def _is_bound(text: str) -> bool:
    """True for COLUMN=NUMBER."""
    column, _, value = text.rpartition("=")
    try:
        return bool(column) and abs(float(value)) <= MAX_NUMBER
    except ValueError:
        return False


class _Tables(NamedTuple):
    """All files together; animals count from 0, those of one flock after those of another."""

    rows: Any  # with positions; frames count from that of the first row
    names: Sequence[str]  # of the animals
    flocks: Mapping[str, int]  # numbers of animals
    first: int  # frame of the files in which they begin, even where nobody is seen in it
    frames: int
    source: Mapping[str, Any]  # the table `tracks`; of several files the digest is that of theirs
    notices: list[str]


def _read(paths: Sequence[str], form: TrackFormat, tables: Mapping[str, Any]) -> _Tables:
    """Read all files; neither the order of files nor that of rows and columns makes a difference.

    Raises:
        ScenarioError: a file is not such a table.
        StorageError: it cannot be read.
        LimitError: it is too large.
    """
    pandas = optional_package("pandas", "reading tracks")
    parts, digests, notices = [], [], list[str]()
    for path in paths:
        content: Any = in_memory(tables[path], path) if path in tables else read_input(path, MAX_TRACKS_BYTES)
        digests.append(sha256(content.to_csv().encode() if path in tables else content))
        part, doubts = track_rows(content, path, form)
        parts.append(part)
        notices += doubts
    rows = pandas.concat(parts, ignore_index=True)
    if "seconds" in rows:
        if rows["seconds"].isna().any() or rows["zoned"].nunique() > 1:
            raise ScenarioError([f"{paths[0]}: some tables have dates, or zones, that others do not have"])
        zoned, rows = rows["zoned"].iloc[0], with_frames(rows, form.fps, paths[0], notices, form.resample)
        if not zoned:
            notices.append(f"{paths[0]}: dates without a zone are taken as UTC")
    first, last = (int(rows["frame"].min()), int(rows["frame"].max())) if len(rows) else (0, 0)
    if form.every > 1:
        whole, rows = len(rows), rows[(rows["frame"] - first) % form.every == 0]
        notices.append(f"--every {form.every} keeps {len(rows):,} of {whole:,} positions")
    last = first + (last - first) // form.every
    rows = rows.dropna(subset=[axis for axis in AXES if axis in rows])
    if rows.empty:
        asked = [*form.only, *(" at least ".join(one.rsplit("=", 1)) for one in form.minimum)]
        raise ScenarioError([f"{paths[0]}: has no positions{' where ' if asked else ''}{' and '.join(asked)}"])
    if _on_earth(form):
        plane = projected(rows["x"].to_numpy(), rows["y"].to_numpy(), form.origin, paths[0])
        rows = rows.assign(x=plane.position[:, 0], y=plane.position[:, 1])
        around = "{:.6g}, {:.6g}".format(*plane.middle)
        told = f"longitude and latitude are projected to meters around {around} (orthographic, WGS 84)"
        notices.append(f"{told}; lengths are at most {plane.short:.1g} of themselves too short")
    usual = min(Path(path).stem for path in paths)
    rows = rows.assign(frame=(rows["frame"] - first) // form.every, species=rows.get("species", usual))
    for role in ("species", "id"):
        names, more = _one_spelling(rows[role], role)
        rows[role] = pandas.Categorical(names, sorted(names.unique(), key=_by_number))
        notices += more
    rows["animal"] = rows.groupby(["species", "id"], observed=True).ngroup()
    back = rows.groupby("animal", sort=False)["frame"].diff() < 0
    if 0 < back.sum() <= MOST_TWICE * len(rows):  # else rows have no order of time
        animal, frame = rows[back].iloc[0][["id", "frame"]]
        told = f"time runs backward {back.sum():,} times, first of animal {printable(str(animal))} to frame"
        notices.append(f"{told} {first + form.every * frame}; rows are taken in the order of time")
    rows = _once(rows, first, paths[0], notices)
    digest = digests[0] if len(digests) == 1 else sha256(b"".join(one.digest() for one in digests))
    source = {"files": [Path(path).name for path in paths], "sha256": digest.hexdigest()}
    sizes: dict[str, int] = rows.groupby("species", observed=True)["animal"].nunique().to_dict()
    ids = rows.drop_duplicates("animal").sort_values("animal")["id"].astype(str).to_list()
    return _Tables(rows, ids, sizes, first, last - first + 1, source, notices)


def _on_earth(form: TrackFormat) -> bool:
    """True if places are in degrees."""
    return any(column.startswith("longitude") for column in form.columns)


def _once(rows: Any, first: int, path: str, notices: list[str]) -> Any:  # noqa: ANN401  likewise
    """The rows without those that repeat another one, or of fixes of tags some that have the time of another one."""
    axes, whole = [axis for axis in AXES if axis in rows], len(rows)
    rows = rows[~rows.duplicated(["animal", "frame", *axes])]
    twice = rows.duplicated(["animal", "frame"])
    if "seconds" in rows and twice.mean() <= MOST_TWICE:
        rows = rows[~twice]
    elif twice.any():
        animal, frame = rows[twice].iloc[0][["id", "frame"]]
        wrong = f"{path}: animal {printable(str(animal))} appears twice in frame {first + frame}"
        way = "keep one run or one body part with --only COLUMN=VALUE, or one of the rows"
        raise ScenarioError([f"{wrong}; {way}"])
    if len(rows) < whole:
        told = f"{whole - len(rows):,} of {whole:,} rows are in the same frame as another of their animal"
        notices.append(f"{told}; the first is kept")
    return rows


def _one_spelling(names: Any, role: str) -> tuple[Any, list[str]]:  # noqa: ANN401  a column
    """Names without the `.0` of a program that writes whole numbers as decimals, and a notice where both are there.

    Where any name is something else, names that differ are different.
    """
    written = names.unique()
    if not all(map(_WHOLE.fullmatch, written)):
        return names, []
    plain = {name: name.removesuffix(".0") for name in written}
    both = next((name for name in written if plain[name] != name and plain[name] in plain), "")
    told = f"{role} {plain.get(both)} and {both} are taken as one, since all of the column are whole numbers"
    return names.map(plain), [told] if both else []


def _by_number(name: str) -> tuple[object, ...]:
    """Sort key by which `fish 2` comes before `fish 10`."""
    parts = re.split(r"([0-9]+)", name)
    return (*((len(digits := part.lstrip("0")), digits) if at % 2 else part for at, part in enumerate(parts)), name)


def _coordinates(rows: Any) -> Array:  # noqa: ANN401  a DataFrame, of a library that need not be there
    """Positions in units of the files, (rows, d)."""
    return np.asarray(rows[[axis for axis in AXES if axis in rows]], np.float64)


def _in_world(rows: Any, form: TrackFormat, film: VideoInfo | None) -> tuple[Array, Array]:  # noqa: ANN401  likewise
    """Positions, (rows, d), in world units, and the size of the world, (d,), which encloses them, or is the film."""
    position = _coordinates(rows)
    sign = _sign(form)[: len(position.T)]
    if form.origin and len(form.origin) != len(sign):
        raise UsageError(f"--origin: must have {len(sign)} coordinates")
    if film and len(sign) > 2:
        raise UsageError("--film: shows animals in a plane; leave out the third coordinate")
    if film and not form.origin:
        size = form.scale * np.array(film.size, np.float64)
        return form.scale * sign * position + (0.0, size[1] if form.y_down else 0.0), size
    low, high = (form.scale * bound(sign * position, axis=0) for bound in (np.min, np.max))
    room = WORLD_MARGIN * (float((high - low).max()) or form.scale)
    corner = form.scale * sign * form.origin if form.origin else low - room
    return form.scale * sign * position - corner, high + room - corner


def _background(form: TrackFormat, film: VideoInfo | None, first: int) -> Mapping[str, Any]:
    """The table `background` of a film whose pixels are the unit of the files."""
    if not film:
        return {}
    high = film.size[1]
    left, low = form.origin or (0.0, high if form.y_down else 0.0)
    origin = [left, low if form.y_down else high - low]
    other = {"fps": form.rate} if abs(film.fps / form.rate - 1) > SAME_RATE and "%" not in form.film else {}
    start = first if first > 1 or _from_zero(form) else 0
    return {"background": {"video": form.film, "scale": form.scale, "origin": origin, "start": start, **other}}


def _from_zero(form: TrackFormat) -> bool:
    """True if the program counts frames from 0, or each row is a frame."""
    timed = any(column.startswith(("frame", "time")) for column in form.columns)
    return not timed or SOURCES.get(form.source, {}).get("from_zero", False)


def _start_notices(first: int, form: TrackFormat) -> Iterator[str]:
    """A line about the frame of the film in which the tracks begin, where the file leaves that open."""
    if _from_zero(form) or not first:
        return
    film, other = (first, first - 1) if first > 1 else (0, 1)
    yield (
        f"the tracks begin in frame {first}, taken as frame {film} of the film, which counts from 0;"
        f" else --set background.start={other}"
    )


def _sign(form: TrackFormat) -> Array:
    return np.array([1.0, -1.0 if form.y_down else 1.0, 1.0])


def _given(rows: Any, form: TrackFormat) -> Array:  # noqa: ANN401  a DataFrame, of a library that need not be there
    """The velocities of rows, (rows, d), or unit vectors along their headings; (rows, 0) where it has neither."""
    given, axes = [role for role in NUMBER_COLUMNS[3:] if role in rows], [axis for axis in AXES if axis in rows]
    vectors = form.scale * rows[given].to_numpy(np.float64)
    if len(axes) == 2 and given in (["heading"], ["angle"]):
        angle = rows["angle"] if given == ["angle"] else np.radians(90.0 - rows["heading"])
        vectors = np.column_stack([np.cos(angle), np.sin(angle)])
    elif given not in ([], [f"v{axis}" for axis in axes]):
        raise UsageError(f"--columns: {', '.join(given)}: must be vx, vy and in 3D vz, or in 2D heading or angle")
    return np.asarray(_sign(form)[: len(vectors.T)] * vectors)


def _refuse_units(given: Array, speed: Array, path: str, form: TrackFormat) -> None:
    """Raise ScenarioError where velocities are far from those of the positions, whose speeds are (frames, n, 1)."""
    told = np.linalg.norm(given, axis=-1, keepdims=True)
    both = np.isfinite(told) & np.isfinite(speed)
    ratio = np.median(told[both]) / moved if both.any() and (moved := np.median(speed[both])) else 1.0
    if not 1 / UNLIKE < ratio < UNLIKE:
        wrong = f"velocities are {ratio:.3g} times those of the positions at --fps {form.rate:g}"
        raise ScenarioError([f"{path}: {wrong}; they must be in units of the file per second, or be left out"])


def gaps_filled(position: Array, longest: int, world: World) -> Array:
    """Positions, (frames, n, d), with gaps of at most this many frames filled along straight lines."""
    path = world.unwrapped(position)
    seen = np.isfinite(position[..., 0])
    at = np.arange(len(position))[:, None]
    before = np.maximum.accumulate(np.where(seen, at, -1))
    after = np.minimum.accumulate(np.where(seen, at, len(position))[::-1])[::-1]
    frame, animal = np.nonzero(~seen & (before >= 0) & (after < len(position)) & (after - before - 1 <= longest))
    left, right = before[frame, animal], after[frame, animal]
    share = ((frame - left) / (right - left))[:, None]
    whole = position.copy()
    whole[frame, animal] = world.wrapped(path[left, animal] * (1 - share) + path[right, animal] * share)
    return whole


def _scenario(
    source: Mapping[str, Any],
    form: TrackFormat,
    frames: int,
    flocks: Mapping[str, int],
    every: int = 1,
    *,
    fastest: float,
    size: Array,
    given: Sequence[Override],
    background: Mapping[str, Any],
) -> Scenario:
    """The scenario that a recording of every n-th of these positions is drawn and measured by; what is given wins."""
    fps, rate = form.rate / every, {"fps": form.rate / every} if form.rate >= SLOWEST else {}
    pixels = size[:2].max() / form.scale if background and not form.origin else LONGER_SIDE
    sides = pixels * size[:2] / size[:2].max()
    off = {"weight": 0.0}
    table = {
        "seed": 0,
        "world": {"size": [*size], "boundary": "open"},
        "time": {"frames": -(-frames // every), "dt": 1 / fps},
        "output": {**rate, "size": [max(2, 2 * round(side / 2)) for side in sides]},
        "flock": [
            {
                "name": name,
                "count": count,
                "max_speed": fastest,
                "perception": {"radius": RADIUS * float(size.min())},
                **dict.fromkeys(("separation", "alignment", "cohesion", "flee"), off),
            }
            for name, count in flocks.items()
        ],
        "tracks": source,
        **background,
    }
    return draft(source_of(table), given).scenario()


def _notices(seen: Which, filled_in: Which, unknown: Which) -> Iterator[str]:
    """Lines about gaps, and not about animals that are not yet there, or no longer."""
    lasting = np.maximum.accumulate(seen) & np.maximum.accumulate(seen[::-1])[::-1]
    if (missing := lasting & ~seen).any():
        gone = f"{missing.sum():,} of {lasting.sum():,} positions are missing"
        yield f"{gone}, {filled_in.sum():,} of them filled; measures over time are undefined across a gap"
    if unknown.any():
        yield f"{unknown.sum():,} positions are left out: too few positions near in time for a velocity"
