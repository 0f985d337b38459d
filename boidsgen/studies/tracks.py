"""Tracks: the positions of observed animals, from the tables of a tracking program, as a recording.

No scenario can make such a recording again; its table `tracks` names the files instead. From positions q in the units
of the files, at f frames a second, follow

  p = scale · (q - origin), the second coordinates with the opposite sign where they grow downward,
  v(t) = f · (p(t+1) - p(t-1)) / 2, and beside a gap the difference to the only neighbor in time,

or, with smoothing over a window, value and derivative at t of the parabola that fits the positions in the window around
t best by least squares: where none is missing, the filter of A. Savitzky and M. J. E. Golay, Smoothing and
Differentiation of Data by Simplified Least Squares Procedures, Analytical Chemistry 36, 1964.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import LimitError, ScenarioError, UsageError, printable
from boidsgen.inputs import parsing, read_input
from boidsgen.output.formats import format_of
from boidsgen.output.recording import TRAJECTORY_WRITERS
from boidsgen.pipeline import USUAL, RunOptions, record
from boidsgen.records import library
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, source_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import shown
from boidsgen.simulation.geometry import Array, by_column, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State
from boidsgen.simulation.trajectory import AXES
from boidsgen.simulation.world import World
from boidsgen.studies.requests import TrackFormat
from boidsgen.tables import MAX_NUMBER

Pair: TypeAlias = tuple[int, int]
"""Numbers of frames and of animals."""
Which: TypeAlias = NDArray[np.bool_]
"""Frames and animals, (frames, n)."""
EACH_ROW, ONE_A_FILE, STARRED = "-", "-", "*"
"""Instead of a column: of frames, each row is one; of animals, each file is one; of animals, one for each name that the
star stands for in the columns of coordinates."""
MARGIN = 0.05  # Room around the positions, in parts of their extent, where the size of the world is not given
LONGER_SIDE = 960  # Pixels of the longer side of the picture, where its size is not given
RADIUS = 0.1
"""Perception radius, by which groups are counted, in parts of the world's shorter side, where it is not given."""
MAX_TABLE, MAX_CELLS = 400_000_000, 50_000_000  # Bytes and cells of a file
MAX_FRAME = 2**53  # Bound of the numbers of frames; beyond, not every whole number is a float
MAX_NAMES = 12  # Columns that a message names


def record_tracks(
    paths: Sequence[str],
    output: str,
    form: TrackFormat,
    overrides: Sequence[Override] = (),
    *,
    output_format: str | None = None,
    options: RunOptions = USUAL,
) -> tuple[Scenario, tuple[str, ...]]:
    """Write the animals of one or several tables as a recording; returns its scenario, and notices.

    Raises:
        BoidsgenError: one of its kinds; then the output is as it was before.
    """
    _refuse_unfit(paths, form)
    format_of(output, TRAJECTORY_WRITERS, output_format)
    rows, source = _read(paths, form)
    frames, animals = int(rows["frame"].max()) + 1, int(rows["animal"].max()) + 1
    place, size = _in_world(rows[[*AXES[: len(form.columns) - 2]]].to_numpy(np.float64), form)
    about = partial(_scenario, source, form, (frames, animals), size, overrides)
    cells = frames * animals
    looked_at = {"positions": cells, "neighbor_visits": cells * min(form.smooth, 2 * frames)}
    about(1.0).refuse_excess(drawn=False, more=looked_at)
    position = np.full((frames, animals, len(size)), np.nan)
    position[rows["frame"], rows["animal"]] = place
    missing = np.isnan(position[..., 0])
    position = filled(position, form.fill)
    filled_in = missing & ~np.isnan(position[..., 0])
    if form.smooth:
        position, velocity = smoothed(position, form.smooth, form.fps)
    else:
        velocity = differences(position, form.fps, about(1.0).world)
    unknown = np.isnan(velocity[..., 0]) & ~np.isnan(position[..., 0])
    if np.isnan(velocity).all():
        raise ScenarioError([f"{paths[0]}: no animal is seen often enough for a velocity"])
    scenario = about(float(np.sqrt(np.nanmax((velocity**2).sum(axis=-1)))) or 1.0)
    states = _states(position, velocity, scenario)
    record(scenario, output, output_format=output_format, options=options._replace(states=states))
    return scenario, tuple(_notices(missing, filled_in, unknown))


def _refuse_unfit(paths: Sequence[str], form: TrackFormat) -> None:
    """Raise UsageError where a value makes no sense."""
    coordinates, numbers = form.columns[2:], (form.fps, form.scale, *form.origin)
    if not paths:
        raise UsageError("tracks: name at least one file")
    if len(coordinates) not in {2, 3}:
        raise UsageError("--columns: must name frame, animal, x, y and in 3D z, as in frame,id,x,y")
    if any(name.count("*") != (form.columns[1] == STARRED) for name in coordinates):
        raise UsageError("--columns: a star stands in the column of animals and once in each coordinate: t,*,x*,y*")
    if not all(isinstance(number, int | float) and abs(number) <= MAX_NUMBER for number in numbers):
        raise UsageError(f"--fps, --scale and --origin: must be numbers of at most {MAX_NUMBER:g}")
    if min(form.fps, form.scale) <= 0:
        raise UsageError("--fps and --scale: must be positive numbers")
    if form.header < 1 or form.fill < 0:
        raise UsageError("--header and --fill: must be at least 1, and 0")
    if form.origin and len(form.origin) != len(coordinates):
        raise UsageError(f"--origin: must have {len(coordinates)} coordinates")
    if form.smooth and (form.smooth % 2 == 0 or form.smooth < 3):
        raise UsageError(f"--smooth {form.smooth}: must be an odd number of frames, 3 or more")


def _read(paths: Sequence[str], form: TrackFormat) -> tuple[Any, Mapping[str, Any]]:
    """The rows of all files with the columns frame, animal, x, y and in 3D z, and the table `tracks`.

    Frames count from the first one that a file has, animals from 0. Of several files the digest is that of theirs.

    Raises:
        ScenarioError: a file is not such a table.
        StorageError: it cannot be read.
        LimitError: it is too large.
    """
    pandas = library("pandas", "reading tracks")
    tables, digests = [], []
    for path in paths:
        content = read_input(path, MAX_TABLE)
        digests.append(sha256(content))
        tables.append(_rows(_table(content, path, form.header), path, form))
    rows = pandas.concat(tables, ignore_index=True)
    rows = rows[rows["x"].notna() & rows["y"].notna() & (rows["z"].notna() if "z" in rows else True)]
    if rows.empty:
        raise ScenarioError([f"{paths[0]}: has no positions"])
    if (twice := rows.duplicated(["animal", "frame"])).any():
        animal, frame = rows[twice].iloc[0][["animal", "frame"]]
        raise ScenarioError([f"{paths[0]}: animal {printable(str(animal))} is twice in frame {frame}"])
    counted = {"frame": rows["frame"] - rows["frame"].min(), "animal": pandas.factorize(rows["animal"])[0]}
    whole = digests[0] if len(digests) == 1 else sha256(b"".join(one.digest() for one in digests))
    return rows.assign(**counted), {"files": [Path(path).name for path in paths], "sha256": whole.hexdigest()}


def _rows(table: Any, path: str, form: TrackFormat) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
    """The rows of one file, with the names of the animals."""
    pandas, (frame, animal, *coordinates) = library("pandas", "reading tracks"), form.columns
    animals, columns = [path], [[name] for name in coordinates]
    if animal == STARRED:
        found = [[*_between(name, table)] for name in coordinates]
        everywhere = set(found[0]).intersection(*found[1:])
        animals = [name for name in dict.fromkeys(found[0]) if name in everywhere]
        columns = [[name.replace("*", one) for one in animals] for name in coordinates]
        if not animals:
            raise ScenarioError([f"{path}: has no columns like {', '.join(coordinates)}; it has {_some(table)}"])
    known = [name for name in (frame, animal) if name not in {EACH_ROW, STARRED}]
    if missing := [name for name in (*known, *chain(*columns)) if name not in table]:
        raise ScenarioError([f"{path}: has no column {missing[0]!r}; it has {_some(table)}"])
    number = np.arange(len(table)) if frame == EACH_ROW else _whole(_numbers(table, [frame], path), path)
    with parsing(path):
        names = table[animal] if animal in known else np.repeat(np.array(animals, object), len(table))
        made = {"frame": np.tile(number, len(animals)), "animal": pandas.Series(names).astype(str)}
    for axis, those in zip(AXES, columns, strict=False):
        made[axis] = _numbers(table, those, path)
    return pandas.DataFrame(made)


def _between(starred: str, names: Iterable[str]) -> Iterator[str]:
    """The part of each name that the star stands for."""
    head, tail = starred.split("*")
    for name in names:
        if name.startswith(head) and name.endswith(tail) and len(name) > len(head) + len(tail):
            yield name[len(head) : len(name) - len(tail)]


def _table(content: bytes, path: str, header: int) -> Any:  # noqa: ANN401  likewise
    """A table with plain names of columns."""
    pandas, file = library("pandas", "reading tracks"), BytesIO(content)
    if path.lower().endswith(".parquet"):
        with parsing(path):
            found = library("pyarrow.parquet", "parquet").ParquetFile(file)
            _refuse_cells(path, found.metadata.num_rows * found.metadata.num_columns)
            table = found.read().to_pandas(ignore_metadata=True)
    else:
        separator = "," if path.lower().endswith(".csv") else "\t"
        columns = max(line.count(separator.encode()) for line in islice(BytesIO(content), header)) + 1 if content else 0
        _refuse_cells(path, columns * (content.count(b"\n") + 1))
        with parsing(path), warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)  # rows that are longer than the first one
            names: dict[str, Any] = {"header": [*range(header)]} if header > 1 else {"index_col": False}
            table = pandas.read_csv(file, sep=separator, **names)
    names = table.columns.to_flat_index()
    table.columns = ["/".join(map(str, name)) if header > 1 else str(name) for name in names]
    if twice := [*table.columns[table.columns.duplicated()]]:
        raise ScenarioError([f"{path}: has two columns {printable(twice[0])!r}"])
    return table


def _refuse_cells(path: str, cells: int) -> None:
    if cells > MAX_CELLS:
        raise LimitError(f"{path}: {cells:,} cells wanted, {MAX_CELLS:,} allowed in one file; split it")


def _some(table: Any) -> str:  # noqa: ANN401  likewise
    return printable(", ".join(list(table)[:MAX_NAMES])) + (" …" if len(list(table)) > MAX_NAMES else "")


def _numbers(table: Any, names: Sequence[str], path: str) -> Array:  # noqa: ANN401  likewise
    """Columns one below the other as numbers, nan where there is none."""
    pandas = library("pandas", "reading tracks")
    with parsing(path):
        column = pandas.Series(table[[*names]].to_numpy().T.ravel())
        numbers: Array = pandas.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.flatnonzero((np.isnan(numbers) & column.notna()) | (np.abs(numbers) > MAX_NUMBER))
    if len(wrong):
        at, row = divmod(int(wrong[0]), len(table))
        told = f"must be a number of at most {MAX_NUMBER:g}, not {shown(column.iloc[wrong[0]])}"
        raise ScenarioError([f"{path}: row {row + 1}: {names[at]} {told}"])
    return numbers


def _whole(numbers: Array, path: str) -> NDArray[np.int64]:
    """Numbers of frames."""
    wrong = np.flatnonzero(~(np.abs(numbers) < MAX_FRAME) | (numbers % 1 != 0))
    if len(wrong):
        told = "must be a whole number; - in place of the column counts rows"
        raise ScenarioError([f"{path}: row {wrong[0] + 1}: frame {numbers[wrong[0]]:g} {told}"])
    return numbers.astype(np.int64)


def _in_world(position: Array, form: TrackFormat) -> tuple[Array, Array]:
    """Positions, (rows, d), in world units, and the size of the world, (d,), which encloses them."""
    sign = np.array([1.0, -1.0 if form.y_down else 1.0, 1.0])[: position.shape[1]]
    low, high = (form.scale * bound(sign * position, axis=0) for bound in (np.min, np.max))
    room = MARGIN * (float((high - low).max()) or form.scale)
    corner = form.scale * sign * form.origin if form.origin else low - room
    return form.scale * sign * position - corner, high + room - corner


def filled(position: Array, longest: int) -> Array:
    """Positions, (frames, n, d), with gaps of at most this many frames filled along straight lines."""
    seen = np.isfinite(position[..., 0])
    at = np.arange(len(position))[:, None]
    before = np.maximum.accumulate(np.where(seen, at, -1))
    after = np.minimum.accumulate(np.where(seen, at, len(position))[::-1])[::-1]
    frame, animal = np.nonzero(~seen & (before >= 0) & (after < len(position)) & (after - before - 1 <= longest))
    left, right = before[frame, animal], after[frame, animal]
    share = ((frame - left) / (right - left))[:, None]
    whole = position.copy()
    whole[frame, animal] = position[left, animal] * (1 - share) + position[right, animal] * share
    return whole


def differences(position: Array, fps: float, world: World) -> Array:
    """Velocities from the neighbors in time of each position, (frames, n, d); nan where there is none."""
    ahead = np.full_like(position, np.nan)
    ahead[:-1] = world.shortest(position[1:] - position[:-1])
    behind = np.roll(ahead, 1, axis=0)
    behind[0] = np.nan
    sides = (~np.isnan(ahead)).astype(np.float64) + ~np.isnan(behind)
    sides[sides == 0] = np.nan
    return fps * (np.nan_to_num(ahead) + np.nan_to_num(behind)) / sides


def smoothed(position: Array, window: int, fps: float) -> tuple[Array, Array]:
    """Positions and velocities by the parabola through a window of frames, nan where it has fewer than three positions.

    Nobody is put into a gap: frames without a position stay without.
    """
    frames = len(position)
    half = min(window // 2, frames)  # there is nothing beyond
    padded = np.pad(position, ((half, half), (0, 0), (0, 0)), constant_values=np.nan)
    seen = np.isfinite(padded[..., 0])
    powers = np.zeros((5, *position.shape[:2]))
    sums = np.zeros((3, *position.shape))
    for offset in range(-half, half + 1):
        part = slice(half + offset, half + offset + frames)
        for power in range(5):
            powers[power] += seen[part] * float(offset) ** power
        for power in range(3):
            sums[power] += np.nan_to_num(padded[part]) * float(offset) ** power
    normal = np.moveaxis(powers[np.add.outer(range(3), range(3))], (0, 1), (-2, -1))
    known = np.isfinite(position[..., 0]) & (powers[0] >= 3)
    place, speed = np.full_like(position, np.nan), np.full_like(position, np.nan)
    fitted = np.linalg.solve(normal[known], np.moveaxis(sums, 0, -2)[known])
    place[known], speed[known] = fitted[:, 0], fps * fitted[:, 1]
    return place, speed


def _scenario(
    source: Mapping[str, Any], form: TrackFormat, shape: Pair, size: Array, given: Sequence[Override], fastest: float
) -> Scenario:
    """The scenario that a recording of these positions is drawn and measured by; what is given wins."""
    sides = LONGER_SIDE * size[:2] / size[:2].max()
    off = {"weight": 0.0}
    table = {
        "seed": 0,
        "world": {"size": [*size], "boundary": "open"},
        "time": {"frames": shape[0], "dt": 1 / form.fps},
        "output": {"fps": form.fps, "size": [max(2, 2 * round(side / 2)) for side in sides]},
        "flock": {
            "name": Path(source["files"][0]).stem,
            "count": shape[1],
            "max_speed": fastest,
            "perception": {"radius": RADIUS * float(size.min())},
            **dict.fromkeys(("separation", "alignment", "cohesion", "flee"), off),
        },
        "tracks": source,
    }
    return draft(source_of(table), given).scenario()


def _states(position: Array, velocity: Array, scenario: Scenario) -> Iterator[State]:
    """A state for each frame, with those who have a position and a velocity."""
    there = np.isfinite(position[..., 0]) & np.isfinite(velocity[..., 0])
    name, dt = scenario.flock[0].name, scenario.time.dt
    for frame, present in enumerate(there):
        place, speed = (read_only(by_column(each[frame, present])) for each in (position, velocity))
        group = Group(name, place, speed, members=np.flatnonzero(present))
        yield State(frame, frame * dt, frame, (group,), (), scenario)


def _notices(missing: Which, filled_in: Which, unknown: Which) -> Iterator[str]:
    if missing.any():
        gone = f"{missing.sum():,} of {missing.size:,} positions are missing"
        yield f"{gone}, {filled_in.sum():,} of them filled; what follows animals in time is undefined across a gap"
    if unknown.any():
        yield f"{unknown.sum():,} positions are left out: too few others near in time to tell a velocity"
