"""Tables of positions, as tracking programs and other simulators write them, as rows of frames and animals.

A table is long, with a row for each animal and frame, or wide, with columns for each animal. The roles of its columns:

  frame, or time in seconds  without either, each row is a frame
  id                         the animal; without it, each file is one
  species                    the flock
  x, y, z                    coordinates
  vx, vy, vz                 velocities, in units of the file per second
  heading                    in degrees from the y axis toward the x axis, as a compass has it
  angle                      in radians from the x axis toward the y axis

In a wide table a star stands for the name of the animal; `pos[0]` is the first of the numbers in each cell of `pos`,
such as (1.5, 2.0). A role with a question mark is one whose column a table need not have.
"""

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import LimitError, ScenarioError, UsageError, printable, spoken
from boidsgen.inputs import parsing
from boidsgen.records import library
from boidsgen.scenario.wording import shown
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.trajectory import AXES
from boidsgen.studies.requests import TrackFormat
from boidsgen.tables import MAX_NUMBER

MAX_CELLS = 50_000_000  # Cells of a file
MAX_FRAME = 2**53  # Bound of the numbers of frames; beyond, not every whole number is a float
MAX_NAMES = 12  # Columns that a message names
BETWEEN = 0.25  # Distance in frames that the time of a row may have from that of its frame, since programs round it

VELOCITY = ("vx", "vy", "vz")
NUMBERS = (*AXES, *VELOCITY, "heading", "angle")
ROLES = ("frame", "time", "id", "species", *NUMBERS)

_NUMBER = re.compile(r"(?<![\w.])(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan)", re.IGNORECASE)
_ITEM = re.compile(r"(.+)\[(\d)\]")  # One of the numbers in the cells of a column
_REPORTER = re.compile(r"\(list ([^()]+)\)")  # Of NetLogo, as in [(list who xcor ycor)] of turtles
_BREED = re.compile(r"^\{(?:breed )?(.*)\}$")  # Its value there
_BEHAVIORSPACE, _PREAMBLE = b'"BehaviorSpace results', 6  # First letters of such a table, and lines before its header
_HEADERS = 4  # Rows of the header of a table of DeepLabCut, at most


class Source(NamedTuple):
    """The tables of a program."""

    columns: str  # by their roles
    y_down: bool = False  # whether the second coordinate grows downward


SOURCES: Mapping[str, Source] = {
    "agents.jl": Source("frame=step,id=id,x=pos[0],y=pos[1],species?=agent_type"),
    "deeplabcut": Source("frame=frame,id=individuals,x=x,y=y", y_down=True),
    "flamegpu": Source("frame=step_count,id=_id,x=x,y=y,z?=z,species=agent"),
    "idtracker.ai": Source("x=x*,y=y*", y_down=True),
    "mesa": Source("frame=Step,id=AgentID,x=x,y=y,z?=z,species?=agent_type"),
    "movement": Source("time=time,id=individual,x=x,y=y,z?=z", y_down=True),
    "netlogo": Source("frame=[step],id=who,x=xcor,y=ycor,heading?=heading,species?=breed"),
    "trex": Source("frame=frame,x=X#wcentroid (cm),y=Y#wcentroid (cm),angle?=ANGLE", y_down=True),
}
"""The programs whose columns need not be named."""


def resolved(form: TrackFormat) -> TrackFormat:
    """The format with all of its columns by their roles, those of its source first; UsageError where they are unfit."""
    if form.source and form.source not in SOURCES:
        raise UsageError(f"--source {printable(form.source)}: must be {spoken(SOURCES)}")
    source, named = SOURCES.get(form.source, Source("")), form.columns
    if not any("=" in column for column in named):
        placed = zip(("frame", "id", *AXES), named, strict=False)
        named = tuple(f"{role}={name}" for role, name in placed if name not in {"-", "*"})
    columns = (*filter(None, source.columns.split(",")), *named)
    roles = {column.partition("=")[0].rstrip("?") for column in columns}
    if not {"x", "y"} <= roles <= {*ROLES}:
        told = f"must be frame,id,x,y or ROLE=COLUMN for x, y and some of {spoken(ROLES, 'and')}"
        raise UsageError(f"--columns {printable(','.join(form.columns))}: {told}")
    return form._replace(columns=columns, y_down=form.y_down or source.y_down)


def track_rows(content: bytes, path: str, form: TrackFormat) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
    """The rows of a file with the columns frame and id, and those of species and `NUMBERS` that it has.

    Raises:
        ScenarioError: it is not such a table.
        LimitError: it is too large.
    """
    pandas, table = library("pandas", "reading tracks"), _table(content, path)
    for column, _, value in (kept.rpartition("=") for kept in form.only):
        words = _column(table, column, path).astype(str)
        if not (words == value).any():
            known = printable(", ".join(words.unique()[:MAX_NAMES]))
            raise ScenarioError([f"{path}: has no row with {column} = {printable(value)}; it has {known}"])
        table = table[words == value]
    given = [column.partition("=")[::2] for column in form.columns]  # what is named later replaces the source's
    columns = {role.rstrip("?"): name for role, name in given if role[-1] != "?" or name in table}
    if not (starred := [name for name in columns.values() if "*" in name]):
        return _long(table, columns, path, form.fps)
    animals = dict.fromkeys(one for name in starred for one in _between(name, table))
    if not animals:
        raise ScenarioError([f"{path}: has no columns like {', '.join(starred)}; it has {_some(table)}"])
    parts = []
    for animal in animals:
        own = {role: name.replace("*", animal) for role, name in columns.items()}
        parts.append(_long(table, own, path, form.fps).assign(id=animal))
    return pandas.concat(parts)


def _long(table: Any, columns: Mapping[str, str], path: str, fps: float) -> Any:  # noqa: ANN401  likewise
    """The rows of a long table."""
    made: dict[str, Any] = {"frame": _frames(table, columns, path, fps), "id": np.full(len(table), path, object)}
    for role in {"id", "species"} & columns.keys():
        words = _column(table, columns[role], path)
        for row in np.flatnonzero(words.isna()):
            raise ScenarioError([f"{path}: row {row + 1}: {columns[role]} must be a name or a number, and is empty"])
        made[role] = words.astype(str).to_numpy(object)
    made |= {role: _numbers(table, columns[role], path) for role in NUMBERS if role in columns}
    return library("pandas", "reading tracks").DataFrame(made)


def _between(starred: str, names: Iterable[str]) -> Iterator[str]:
    """The part of each name that the star stands for."""
    head, _, tail = starred.partition("*")
    for name in names:
        if name.startswith(head) and name.endswith(tail) and len(name) > len(head) + len(tail):
            yield name[len(head) : len(name) - len(tail)]


def _column(table: Any, name: str, path: str) -> Any:  # noqa: ANN401  likewise
    """A column, or one of the numbers in its cells."""
    if name not in table and (item := _ITEM.fullmatch(name)) and item[1] in table:
        return table[item[1]].astype(str).str.findall(_NUMBER).str[int(item[2])]
    if name not in table:
        raise ScenarioError([f"{path}: has no column {printable(name)!r}; it has {_some(table)}"])
    return table[name]


def _frames(table: Any, columns: Mapping[str, str], path: str, fps: float) -> NDArray[np.int64]:  # noqa: ANN401  likewise
    """The number of the frame of each row."""
    role = next((role for role in [*columns][::-1] if role in {"frame", "time"}), "")
    if not role:
        return np.arange(len(table))
    numbers = _numbers(table, columns[role], path) * (fps if role == "time" else 1.0)
    far = np.abs(numbers - np.round(numbers)) > (BETWEEN if role == "time" else 0.0)
    for row in np.flatnonzero(far | ~(np.abs(numbers) < MAX_FRAME)):
        value = f"{path}: row {row + 1}: {columns[role]} {shown(table[columns[role]].iloc[row])}"
        told = f"one of a frame at --fps {fps:g}" if role == "time" else "a whole number; without frame= rows count"
        raise ScenarioError([f"{value} must be {told}"])
    return np.round(numbers).astype(np.int64)


def _numbers(table: Any, name: str, path: str) -> Array:  # noqa: ANN401  likewise
    """A column as numbers, nan where there is none: nothing, nan or, as TRex has it, inf."""
    column = _column(table, name, path)
    with parsing(path):
        made = library("pandas", "reading tracks").to_numeric(column, errors="coerce")
        numbers: Array = made.to_numpy(np.float64, na_value=np.nan)
    numbers = np.where(np.isinf(numbers), np.nan, numbers)
    for row in np.flatnonzero((made.isna() & column.notna()) | (np.abs(numbers) > MAX_NUMBER)):
        told = f"must be a number of at most {MAX_NUMBER:g}, not {shown(column.iloc[row])}"
        raise ScenarioError([f"{path}: row {row + 1}: {name} {told}"])
    return numbers


def _table(content: bytes, path: str) -> Any:  # noqa: ANN401  likewise
    """A table with plain names of columns."""
    pandas, file, kind = library("pandas", "reading tracks"), BytesIO(content), path.lower().rpartition(".")[2]
    if kind == "json":
        with parsing(path):
            table = pandas.DataFrame(_agents(json.loads(content)))
    elif kind == "nc":
        with parsing(path):
            position = library("xarray", "nc").open_dataset(file, engine="h5netcdf", decode_times=False)["position"]
            _refuse_cells(path, position.size)
            table = position.to_series().unstack("space").reset_index()
    elif kind == "parquet":
        with parsing(path):
            found = library("pyarrow.parquet", "parquet").ParquetFile(file)
            _refuse_cells(path, found.metadata.num_rows * found.metadata.num_columns)
            table = found.read().to_pandas(ignore_metadata=True)
    else:
        separator = "," if kind == "csv" else "\t"
        skipped = _PREAMBLE if content.startswith(_BEHAVIORSPACE) else 0
        heads = [*islice(BytesIO(content), skipped, skipped + _HEADERS)]
        columns = max((line.count(separator.encode()) for line in heads), default=-1) + 1
        _refuse_cells(path, columns * (content.count(b"\n") + 1))
        poses = [*range(next((row for row, line in enumerate(heads) if line.startswith(b"coords")), -1) + 1)]
        with parsing(path), warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)  # rows that are longer than the first one
            names: dict[str, Any] = {"header": poses} if poses else {"index_col": False}
            table = pandas.read_csv(file, sep=separator, skiprows=skipped, **names)
            if poses:
                table = _by_animal(table).assign(**{} if len(poses) == _HEADERS else {"individuals": path})
    table.columns = [*map(str, table.columns)]
    if twice := [*table.columns[table.columns.duplicated()]]:
        raise ScenarioError([f"{path}: has two columns {printable(twice[0])!r}"])
    return _by_agent(table, path)


def _by_animal(table: Any) -> Any:  # noqa: ANN401  likewise
    """The long table of one of DeepLabCut, whose header has rows for the scorer, individuals, body parts and coords."""
    first = table.columns[0]
    table = table.set_index([first]).rename_axis(index="frame")
    table.columns = table.columns.set_names([*first])
    return table.stack([*first[:-1]], future_stack=True).reset_index()


def _agents(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The agents in a state that FLAME GPU has exported, one file for each step."""
    for agent, states in state["agents"].items():
        for agents in (states or {}).values():
            yield from ({"step_count": state["stats"]["step_count"], "agent": agent, **one} for one in agents)


def _by_agent(table: Any, path: str) -> Any:  # noqa: ANN401  likewise
    """The long table of one of NetLogo, where each cell has a list for each agent, as of `(list who xcor ycor)`."""
    for name in table:
        if reporter := _REPORTER.search(name):
            cells, fields = table[name].astype(str).str.findall(r"\[([^\[\]]+)\]"), reporter[1].split()
            _refuse_cells(path, int(cells.str.len().sum()) * (len(fields) + len(table.columns)))
            rows = table.assign(**{name: cells}).explode(name, ignore_index=True).dropna(subset=name)
            words = rows.pop(name).str.findall(r"\{[^}]*\}|\S+").str
            return rows.assign(
                **{one: words[at].str.replace(_BREED, r"\1", regex=True) for at, one in enumerate(fields)}
            )
    return table


def _refuse_cells(path: str, cells: int) -> None:
    if cells > MAX_CELLS:
        raise LimitError(f"{path}: {cells:,} cells wanted, {MAX_CELLS:,} allowed in one file; split it")


def _some(table: Any) -> str:  # noqa: ANN401  likewise
    return printable(", ".join([*table][:MAX_NAMES])) + (" …" if len([*table]) > MAX_NAMES else "")
