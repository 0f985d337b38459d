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
import warnings
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import LimitError, ScenarioError, StorageError, UsageError, printable
from boidsgen.inputs import remember_input
from boidsgen.output.formats import format_of
from boidsgen.output.outputs import open_pending
from boidsgen.output.recording import TRAJECTORY_WRITERS
from boidsgen.pipeline import USUAL, RunOptions, counted, preflight
from boidsgen.records import library
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, source_of
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.scenario.wording import shown
from boidsgen.simulation.geometry import Array, by_column, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import State
from boidsgen.simulation.trajectory import AXES
from boidsgen.simulation.world import World
from boidsgen.studies.requests import TrackFormat

Which: TypeAlias = NDArray[np.bool_]
"""Frames and animals, (frames, n)."""
EACH_ROW, ONE_A_FILE, STARRED = "-", "-", "*"
"""Instead of a column: of frames, each row is one; of animals, each file is one; of animals, one for each name that the
star stands for in the columns of coordinates."""
MARGIN = 0.05  # Room around the positions, in parts of their extent, where the size of the world is not given
LONGER_SIDE = 960  # Pixels of the longer side of the picture, where its size is not given
RADIUS = 0.1
"""Perception radius, by which groups are counted, in parts of the world's shorter side, where it is not given."""
MAX_CELLS = 100_000_000  # Frames times animals, whether seen or not
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
    _refuse_unfit(form)
    kind = TRAJECTORY_WRITERS[format_of(output, TRAJECTORY_WRITERS, output_format)]
    position, size = _in_world(observed(paths, form), form)
    scenario = _scenario(paths, form, position, size, 1.0, overrides)
    missing = np.isnan(position[..., 0])
    position = filled(position, form.fill)
    filled_in = missing & ~np.isnan(position[..., 0])
    if form.smooth:
        position, velocity = smoothed(position, form.smooth, form.fps)
    else:
        velocity = differences(position, form.fps, scenario.world)
    unknown = np.isnan(velocity[..., 0]) & ~np.isnan(position[..., 0])
    fastest = float(np.sqrt(np.nanmax((velocity**2).sum(axis=-1), initial=0.0)))
    scenario = _scenario(paths, form, position, size, fastest or 1.0, overrides)
    preflight(scenario, drawn=False)
    text = provenance(scenario)
    kinds, states = [(output, kind)], _states(position, velocity, scenario)
    with open_pending(kinds, lambda kind, part: kind(part, scenario, text), no_clobber=options.no_clobber) as files:
        for state in counted(states, options.progress):
            files[0].write(state)
    return scenario, tuple(_notices(missing, filled_in, unknown))


def _refuse_unfit(form: TrackFormat) -> None:
    """Raise UsageError where a value makes no sense."""
    coordinates = form.columns[2:]
    if len(coordinates) not in {2, 3}:
        raise UsageError("--columns: must name frame, animal, x, y and in 3D z, as in frame,id,x,y")
    if any("*" in name for name in coordinates) != (form.columns[1] == STARRED):
        raise UsageError("--columns: a star stands in the column of animals and in those of coordinates: t,*,x*,y*")
    if not all(0 < number < np.inf for number in (form.fps, form.scale)):
        raise UsageError("--fps and --scale: must be positive numbers")
    if form.origin and len(form.origin) != len(coordinates):
        raise UsageError(f"--origin: must have {len(coordinates)} coordinates")
    if form.smooth and (form.smooth % 2 == 0 or form.smooth < 3):
        raise UsageError(f"--smooth {form.smooth}: must be an odd number of frames, 3 or more")


def observed(paths: Sequence[str], form: TrackFormat) -> Array:
    """Positions of the animals of all files, in their units, shape (frames, n, d); nan where one is not seen.

    Frames are counted from the first one that a file has.

    Raises:
        ScenarioError: a file is not such a table.
        StorageError: it cannot be read.
        LimitError: it has too many frames or animals.
    """
    pandas = library("pandas", "reading tracks")
    rows = pandas.concat([_rows(path, form) for path in paths], ignore_index=True)
    rows = rows[rows["x"].notna() & rows["y"].notna() & (rows["z"].notna() if "z" in rows else True)]
    if rows.empty:
        raise ScenarioError([f"{paths[0]}: has no positions"])
    if (twice := rows.duplicated(["animal", "frame"])).any():
        animal, frame = rows[twice].iloc[0][["animal", "frame"]]
        raise ScenarioError([f"{paths[0]}: animal {printable(str(animal))} is twice in frame {frame}"])
    frame = rows["frame"].to_numpy() - rows["frame"].min()
    number, animals = pandas.factorize(rows["animal"])
    frames = int(frame.max()) + 1
    if frames * len(animals) > MAX_CELLS:
        wanted = f"{frames:,} frames of {len(animals):,} animals"
        raise LimitError(f"{paths[0]}: {wanted}; frames times animals may be {MAX_CELLS:,}")
    position = np.full((frames, len(animals), len(form.columns) - 2), np.nan)
    position[frame, number] = rows[[*AXES[: position.shape[2]]]].to_numpy(np.float64)
    return position


def _rows(path: str, form: TrackFormat) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
    """The table of a file with the columns frame, animal, x, y and in 3D z."""
    pandas, (frame, animal, *coordinates) = library("pandas", "reading tracks"), form.columns
    table = _table(path, form.header)
    if animal == STARRED:
        named = [re.compile(re.escape(name).replace(r"\*", "(.+)")) for name in coordinates]
        found = [[one[1] for name in table if (one := pattern.fullmatch(name))] for pattern in named]
        animals = [name for name in dict.fromkeys(found[0]) if all(name in each for each in found)]
        parts = {name: [one.replace("*", name) for one in coordinates] for name in animals}
        if not parts:
            raise ScenarioError([f"{path}: has no columns like {', '.join(coordinates)}; it has {_some(table)}"])
    else:
        parts = {path: coordinates}
    made = []
    for name, columns in parts.items():
        known = {"frame": frame, "animal": animal} if animal not in {ONE_A_FILE, STARRED} else {"frame": frame}
        wanted = {**known, **dict(zip(AXES, columns, strict=False))}
        if frame == EACH_ROW:
            del wanted["frame"]
        if missing := [one for one in wanted.values() if one not in table]:
            raise ScenarioError([f"{path}: has no column {missing[0]!r}; it has {_some(table)}"])
        part = pandas.DataFrame({role: table[column] for role, column in wanted.items()})
        for role in set(wanted) - {"animal"}:
            part[role] = _numbers(part[role], path, wanted[role])
        part["frame"] = _whole(part["frame"], path) if frame != EACH_ROW else np.arange(len(table))
        part["animal"] = part["animal"].astype(str) if "animal" in part else name
        made.append(part)
    return pandas.concat(made)


def _table(path: str, header: int) -> Any:  # noqa: ANN401  likewise
    """A table with plain names of columns."""
    pandas = library("pandas", "reading tracks")
    remember_input(Path(path))
    try:
        if path.lower().endswith(".parquet"):
            return pandas.read_parquet(path)
        separator = "," if path.lower().endswith(".csv") else "\t"
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)  # rows that are longer than the first one
            names: dict[str, Any] = {"header": [*range(header)]} if header > 1 else {"index_col": False}
            table = pandas.read_csv(path, sep=separator, **names)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from None
    except (ValueError, ImportError, Warning) as error:  # of pandas, for what is no table, or without pyarrow
        raise ScenarioError([f"{path}: {printable(str(error).splitlines()[0])}"]) from None
    names = table.columns.to_flat_index()
    table.columns = ["/".join(map(str, name)) if header > 1 else str(name) for name in names]
    return table


def _some(table: Any) -> str:  # noqa: ANN401  likewise
    return printable(", ".join(list(table)[:MAX_NAMES])) + (" …" if len(list(table)) > MAX_NAMES else "")


def _numbers(column: Any, path: str, name: str) -> Any:  # noqa: ANN401  likewise
    """A column as numbers, nan where there is none."""
    numbers = library("pandas", "reading tracks").to_numeric(column, errors="coerce").astype(np.float64)
    wrong = column[(numbers.isna() & column.notna()) | np.isinf(numbers)]
    if len(wrong):
        raise ScenarioError([f"{path}: row {wrong.index[0] + 1}: {name} must be a number, not {shown(wrong.iloc[0])}"])
    return numbers


def _whole(column: Any, path: str) -> Any:  # noqa: ANN401  likewise
    """Numbers of frames."""
    wrong = column[~(np.abs(column) < MAX_FRAME) | (column % 1 != 0)]
    if len(wrong):
        told = "must be a whole number; - in place of the column counts rows"
        raise ScenarioError([f"{path}: row {wrong.index[0] + 1}: frame {wrong.iloc[0]:g} {told}"])
    return column.astype(np.int64)


def _in_world(position: Array, form: TrackFormat) -> tuple[Array, Array]:
    """Positions in world units, and the size of the world, (d,), which encloses them."""
    sign = np.array([1.0, -1.0 if form.y_down else 1.0, 1.0])[: position.shape[2]]
    low, high = (form.scale * bound((sign * position), axis=(0, 1)) for bound in (np.nanmin, np.nanmax))
    room = MARGIN * max(float((high - low).max()), np.finfo(np.float64).tiny)
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
    half, frames = window // 2, len(position)
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
    paths: Sequence[str], form: TrackFormat, position: Array, size: Array, fastest: float, given: Sequence[Override]
) -> Scenario:
    """The scenario that a recording of these positions is drawn and measured by; what is given wins."""
    sides = LONGER_SIDE * size[:2] / size[:2].max()
    hashes = b"".join(sha256(Path(path).read_bytes()).digest() for path in paths)
    off = {"weight": 0.0}
    table = {
        "seed": 0,
        "world": {"size": [*size], "boundary": "open"},
        "time": {"frames": len(position), "dt": 1 / form.fps},
        "output": {"fps": form.fps, "size": [max(2, 2 * round(side / 2)) for side in sides]},
        "flock": {
            "name": Path(paths[0]).stem,
            "count": position.shape[1],
            "max_speed": fastest,
            "perception": {"radius": RADIUS * float(size.min())},
            **dict.fromkeys(("separation", "alignment", "cohesion", "flee"), off),
        },
        "tracks": {"files": [Path(path).name for path in paths], "sha256": sha256(hashes).hexdigest()},
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
