"""Tables of positions, as tracking programs and other simulators write them, as rows of frames and animals.

A table is long, with a row for each animal and frame, or wide, with columns for each animal. The roles of its columns:

  frame, or time             in seconds, or dates; without either, each row is a frame
  id                         the animal; without it, each file is one
  species                    the flock
  x, y, z                    coordinates
  longitude, latitude        in degrees, instead of x and y
  vx, vy, vz                 velocities, in units of the file per second
  heading                    in degrees from the y axis toward the x axis, as a compass has it
  angle                      in radians from the x axis toward the y axis

In a wide table a star stands for the name of the animal; `pos[0]` is the first of the numbers in each cell of `pos`,
such as (1.5, 2.0). A role with a question mark is one whose column a table need not have.

Names and what `--only` compares are the text that a file has: 1.1 and 1.10, or 01 and 1, differ.
"""

import json
import re
import shlex
import tomllib
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from io import BytesIO
from itertools import chain, takewhile
from typing import Any

import numpy as np

from boidsgen.errors import LimitError, ScenarioError, UsageError, join_words, printable
from boidsgen.observations.fixes import BETWEEN, is_dated, seconds_of
from boidsgen.observations.track_files import (
    ARRAYS,
    MAX_CONTENT,
    array_table,
    refuse_cells,
    refuse_elsewhere,
    stacked,
    text_table,
    unpacked,
)
from boidsgen.records import optional_package
from boidsgen.scenario.wording import abbreviated
from boidsgen.studies.requests import TrackFormat
from boidsgen.system import parsing
from boidsgen.tables import MAX_NUMBER

MAX_FIXED = 16  # Bytes of a number
MAX_FRAME = 2**53  # Bound of the numbers of frames; beyond, not every whole number is a float
MAX_NAMES = 12  # Columns or values that a message names

NUMBER_COLUMNS = ("x", "y", "z", "vx", "vy", "vz", "heading", "angle")
NUMBER_ROLES = {"frame", "time", *NUMBER_COLUMNS, "longitude", "latitude"}
DEGREES = {"longitude": ("x", 360.0), "latitude": ("y", 90.0)}
"""Roles of places on the Earth, with the coordinates that they become, and their bounds."""
ROLES = {"frame", "time", "id", "species", *NUMBER_COLUMNS, *DEGREES}

USUAL_NAMES = {
    "frame": {"frame", "frames", "frame_idx", "frame_number", "framenumber", "step"},
    "id": {"id", "track", "track_id", "trackid", "particle", "individual", "animal", "fish", "agentid", "identity"},
    "x": {"x", "pos_x", "x_pos", "position_x", "pos x", "xcor", "x_center"},
    "y": {"y", "pos_y", "y_pos", "position_y", "pos y", "ycor", "y_center"},
    "time": {"timestamp", "datetime", "date_time"},
    "longitude": {"lon", "long", "lng", "longitude", "location-long", "location_long", "decimallongitude"},
    "latitude": {"lat", "latitude", "location-lat", "location_lat", "decimallatitude"},
}
"""Names that columns often have, in lower case, by their roles."""

_NUMBER = re.compile(r"(?<![\w.])(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|nan)", re.IGNORECASE)
_DIGIT = re.compile(r"\d|^[-+]?inf$", re.IGNORECASE)
_ITEM = re.compile(r"(.+)\[(\d)\]")  # One of the numbers in the cells of a column
_TRACK = "TRACK_ID"  # Column of TrackMate, empty for a spot that is in no track
_MISSING = [
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
    "",
]
"""Cells of numbers and names that stand for nothing; the last one is empty. These are the ones of pandas."""
_PLACES = re.compile(r"\[?(?:camera|cam|view|video|arena|tank|trial|run|run number)(?:_?id)?\]?", re.IGNORECASE)
"""Columns of rows that are not together in one place or run."""
_UNIT = re.compile(r"[(\[/]\s*([a-zA-Zµ°]+)\s*[)\]]?$")
_LIKELIHOOD = re.compile(r"(?:(.+)[. _])?(?:likelihood|confidence|scores?)", re.IGNORECASE)
LIKELY = 0.6  # Likelihood of a point below which it is probably wrong, as the programs advise

SOURCES: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("track_tables.toml").read_text("utf-8"))
"""The programs whose columns need not be named, with these."""


def with_columns(form: TrackFormat) -> TrackFormat:
    """The format with all of its columns by their roles, those of its source first; UsageError where they are unfit.

    Without either, they are frame, id, x and y.
    """
    if form.source and form.source not in SOURCES:
        raise UsageError(f"--source {printable(form.source)}: must be {join_words(SOURCES)}")
    source, named = SOURCES.get(form.source, {}), form.columns
    if not form.source and not named:
        named = ("frame", "id", "x", "y")
    if not any("=" in column for column in named):
        placed = zip(("frame", "id", *NUMBER_COLUMNS[:3]), named, strict=False)
        named = tuple(f"{role}={name}" for role, name in placed if name not in {"-", "*"})
    columns = (*source.get("columns", ()), *named)
    roles = [column.partition("=")[0].rstrip("?") for column in columns]
    places, others = {"x", "y"}, {*DEGREES}
    if next((role for role in roles[::-1] if role in {"x", "longitude"}), "x") == "longitude":
        places, others = others, places  # what is named later replaces the source's
    columns = tuple(column for column, role in zip(columns, roles, strict=True) if role not in others)
    if not places <= {*roles} <= ROLES:
        told = f"must be frame,id,x,y or ROLE=COLUMN for x, y and some of {join_words(sorted(ROLES), 'and')}"
        raise UsageError(f"--columns: {told}; or name the program by --source")
    if any(column.count("*") > 1 for column in columns):
        raise UsageError("--columns: use one star in a column, for the name of the animal")
    return form._replace(columns=columns, y_down=form.y_down or source.get("y_down", False))


def in_memory(given: Any, path: str) -> Any:  # noqa: ANN401  of a library that need not be there
    """A DataFrame, with its named index, or the points of a dataset of movement, as a table.

    Raises:
        UsageError: it is neither.
        LimitError: it is too large.
    """
    if hasattr(given, "data_vars"):
        return _of_movement(given, path)
    if not hasattr(given, "columns") or not hasattr(given, "reset_index"):
        raise UsageError(f"{path}: must be a path, a DataFrame or a dataset of movement, not {type(given).__name__}")
    refuse_cells(path, len(given), len(given.columns))
    if given.columns.nlevels > 1:
        return stacked(given, path)
    for name in given.index.names:
        given = given.reset_index(name, drop=name in given.columns) if name is not None else given
    return given.rename(columns=str)


def track_rows(content: Any, path: str, form: TrackFormat) -> tuple[Any, list[str]]:  # noqa: ANN401  likewise
    """The rows of a file, its bytes, or of a table in memory, and notices about those that are doubtful.

    Rows are a DataFrame with the columns frame and id, and those of species and `NUMBER_COLUMNS` that the file has; of
    dates it has seconds instead of frames, and longitude and latitude are x and y, in degrees.

    Raises:
        ScenarioError: it is not such a table.
        LimitError: it is too large.
    """
    pandas = optional_package("pandas", "reading tracks")
    given = [column.partition("=")[::2] for column in form.columns]  # what is named later replaces the source's
    kept = [(column, value) for column, _, value in (one.rpartition("=") for one in form.only)]
    least = [(column, float(value)) for column, _, value in (one.rpartition("=") for one in form.minimum)]
    texts = {name for role, name in given if role.rstrip("?") in {"id", "species"}} | {column for column, _ in kept}
    source, notices = SOURCES.get(form.source, {}), list[str]()
    with parsing(path):
        table = _by_agent(_table(content, path, texts, form, notices), path)
    for axis, (corner, side) in source.get("middle", {}).items():
        table[axis] = _numbers(table, corner, path) + _numbers(table, side, path) / 2
    named, nobody = source.get("nobody", (_TRACK, ""))
    if ("id", named) in given and named in table and (free := table[named].isin([nobody, *_MISSING])).any():
        if free.all():
            raise ScenarioError([f"{path}: none of {len(table):,} spots is in a track; link them first"])
        notices.append(f"{path}: {free.sum():,} of {len(table):,} spots are in no track, and left out")
        table = table[~free]
    for column, value in kept:
        table = table[_column(table, column, path).astype(str) == value]
    columns = {role.rstrip("?"): name for role, name in given if role[-1] != "?" or name in table}
    units = {role: unit[1] for role in "xyz" if role in columns and (unit := _UNIT.search(columns[role]))}
    if len({*units.values()}) > 1:
        told = ", ".join(f"{role} in {name}" for role, name in units.items())
        raise ScenarioError([f"{path}: mixes units: {printable(told)}"])
    starred = (re.escape(name).replace(r"\*", "(.+)") for name in columns.values() if "*" in name)
    found = [re.fullmatch(pattern, name) for pattern in starred for name in table]
    animals, parts = {one[1]: one[1] for one in found if one} or {"": path}, []
    dropped = dict.fromkeys(form.minimum, 0)
    for animal, name in animals.items():
        own = {role: column.replace("*", animal or "*") for role, column in columns.items()}
        made = {"id": np.full(len(table), name, object)} | _frames(table, own, path, form)
        made |= {role: _words(table, own[role], path) for role in {"id", "species"} & own.keys()}
        made |= {DEGREES[role][0]: _degrees(table, own[role], path, role) for role in DEGREES if role in own}
        made |= {role: _numbers(table, own[role], path) for role in NUMBER_COLUMNS if role in own}
        for told, (column, bound) in zip(form.minimum, least, strict=True):
            below = _numbers(table, column.replace("*", animal or "*"), path) < bound
            dropped[told] += int((below & np.isfinite(made["x"])).sum())
            made["x"] = np.where(below, np.nan, made["x"])
        parts.append(pandas.DataFrame(made))
    used = {*columns.values(), *(column for column, _ in (*kept, *least))}
    rows = pandas.concat(parts)
    for name in table.columns.unique():
        if name not in used and _PLACES.fullmatch(name) and (values := table[name].astype(str).unique()).size > 1:
            one = shlex.quote(printable(f"{name}={values[0]}"))
            notices.append(f"{path}: {printable(name)} has {values.size:,} values; --only {one} reads one of them")
    notices += [
        f"{path}: --min {printable(least)} leaves out {out:,} of {len(rows):,} positions"
        for least, out in dropped.items()
    ]
    return rows, [*notices, *_unlikely(table, columns.get("x", ""), used, path)]


def _unlikely(table: Any, x: str, used: Collection[str], path: str) -> Iterator[str]:  # noqa: ANN401  likewise
    """Notices about likelihoods of the points of a column x, or of the whole animal, that are low and not used."""
    for name in table.columns.unique():
        about = _LIKELIHOOD.fullmatch(name)
        if about and name not in used and about[1] in {None, "instance", "point", x.rpartition(".")[0]}:
            values = optional_package("pandas", "reading tracks").to_numeric(
                _column(table, name, path), errors="coerce"
            )
            if low := int((values < LIKELY).sum()):
                way = f"--min {shlex.quote(printable(name))}={LIKELY} leaves them out"
                yield f"{path}: {printable(name)} is below {LIKELY} in {low:,} of {len(table):,} rows; {way}"


def _column(table: Any, name: str, path: str) -> Any:  # noqa: ANN401  likewise
    """A column, or one of the numbers in its cells."""
    if name in table:
        column = table[name]
        _refuse_twice([name] * (column.shape[1] if column.ndim > 1 else 1), path)
        return column
    if (item := _ITEM.fullmatch(name)) and item[1] in table:
        return table[item[1]].astype(str).str.findall(_NUMBER).str[int(item[2])]
    if "+" in name and {*name.split("+")} <= {*table}:  # of a date and a time
        first, *others = (table[part].astype(str).str.strip() for part in name.split("+"))
        return first.str.cat(others, sep=" ")
    some = printable(", ".join([*table][:MAX_NAMES])) + (" …" if len(table.columns) > MAX_NAMES else "")
    way = f"; {printable(option)} would read it" if (option := _fitting({*table})) else ""
    raise ScenarioError([f"{path}: has no column {printable(name)!r}; it has {some}{way}"])


def _fitting(names: Collection[str]) -> str:
    """The option that reads a table with these columns: of a program that writes them, or with their usual names."""
    animals = {name[1:] for name in names if name[:1] in {"x", "y"} and name[1:].isdigit()} or {"1"}
    for source, about in SOURCES.items():
        needed = [
            one.partition("=")[2].replace("*", each) for one in about["columns"] if "?=" not in one for each in animals
        ]
        items = [_ITEM.fullmatch(name) for name in needed]
        if {item[1] if item else name for item, name in zip(items, needed, strict=True)} <= {*names}:
            return f"--source {source}"
    usual = {role: [name for name in names if name.lower() in words] for role, words in USUAL_NAMES.items()}
    places = next((roles for roles in (("x", "y"), (*DEGREES,)) if all(len(usual[role]) == 1 for role in roles)), ())
    if not places:
        return ""
    if {"date", "time"} <= {*names}:
        usual["time"] = ["date+time"]
    unused = {"x", "y", *DEGREES, *(["time"] if usual["frame"] else [])}.difference(places)
    usual = {role: found for role, found in usual.items() if role not in unused}
    return f"--columns {shlex.quote(','.join(f'{role}={min(found)}' for role, found in usual.items() if found))}"


def _words(table: Any, name: str, path: str) -> Any:  # noqa: ANN401  likewise
    """A column of names."""
    words = _column(table, name, path)
    with parsing(path):  # bytes that are no UTF-8
        texts = words.astype(str)
    _refuse_cell(words, words.isna() | texts.isin(_MISSING), path, name, "must be a name or a number")
    return texts.to_numpy(object)


def _numbers(table: Any, name: str, path: str, more: str = "") -> Any:  # noqa: ANN401  likewise
    """A column as numbers, nan where there is none: nothing, nan or, as TRex has it, inf."""
    column = _column(table, name, path)
    with parsing(path):  # whole numbers that are no float
        made = optional_package("pandas", "reading tracks").to_numeric(column, errors="coerce")
        numbers = made.to_numpy(np.float64, na_value=np.nan)
    numbers = np.where(np.isinf(numbers), np.nan, numbers)
    wrong = (made.isna() & column.notna()) | (np.abs(numbers) > MAX_NUMBER)
    _refuse_cell(column, wrong, path, name, f"must be a number of at most {MAX_NUMBER:g}{more}")
    return numbers


def _degrees(table: Any, name: str, path: str, role: str) -> Any:  # noqa: ANN401  likewise
    """A column of longitudes or latitudes."""
    numbers, most = _numbers(table, name, path), DEGREES[role][1]
    _refuse_cell(_column(table, name, path), np.abs(numbers) > most, path, name, f"must be at most {most:g} degrees")
    return numbers


def _frames(table: Any, columns: Mapping[str, str], path: str, form: TrackFormat) -> dict[str, Any]:  # noqa: ANN401  likewise
    """The number of the frame of each row, or its seconds since 1970 if it has a date."""
    fps = form.fps
    role = next((role for role in [*columns][::-1] if role in {"frame", "time"}), "")
    if not role:
        return {"frame": np.arange(len(table))}
    if role == "time" and is_dated(times := _column(table, columns[role], path)):
        seconds, zoned = seconds_of(times, form.dates, f"{path}: {columns[role]}")
        told = f"must be a date and a time {'with' if zoned else 'without'} a zone, as in the first row"
        _refuse_cell(times, np.isnan(seconds), path, columns[role], told)
        return {"seconds": seconds, "zoned": zoned}
    if form.resample:
        raise UsageError("--resample: is for tables with dates, or times of day")
    rate, far, told, more = 1.0, 0.0, "must be a whole number, or - for rows", ""
    if role == "time":
        rate, far, told = fps, BETWEEN, f"must match a frame at --fps {fps:g}"
        more = ", a date as 2016-11-01 00:00:54, or a time of day as 25:00:34"
    numbers = rate * _numbers(table, columns[role], path, more)
    wrong = (np.abs(numbers - np.round(numbers)) > far) | ~(np.abs(numbers) < MAX_FRAME)
    _refuse_cell(_column(table, columns[role], path), wrong, path, columns[role], told)
    return {"frame": np.round(numbers).astype(np.int64)}


def _refuse_cell(column: Any, wrong: Any, path: str, name: str, told: str) -> None:  # noqa: ANN401  likewise
    """Raise ScenarioError about the first cell of a column that is wrong."""
    for row in np.flatnonzero(wrong):
        raise ScenarioError([f"{path}: row {row + 1}: {name} {told}, not {abbreviated(column.iloc[row])}"])


def _table(content: Any, path: str, texts: Collection[str], form: TrackFormat, notices: list[str]) -> Any:  # noqa: ANN401  likewise
    """A table with plain names of columns, of which some are read as they are written."""
    pandas = optional_package("pandas", "reading tracks")
    if not isinstance(content, bytes):
        return content
    content, kind = unpacked(content, path)
    file = BytesIO(content)
    if not content or content.isspace():
        raise ScenarioError([f"{path}: is empty"])
    if content.startswith(b"PK") and kind != "npz":
        raise ScenarioError([f"{path}: is a workbook; save it as .csv"])
    if content.startswith(b"\x89HDF") and kind != "nc":
        kind = "h5"  # by other names, such as .slp
    if kind == "json":  # a state that FLAME GPU has exported, one file for each step
        state = json.loads(content)
        found = ((name, one) for name, states in state["agents"].items() for one in chain(*(states or {}).values()))
        step = state["stats"]["step_count"]
        agents = [{"step_count": step, "agent": name, **one} for name, one in found]
        refuse_cells(path, len(agents), len({*chain.from_iterable(agents)}))
        return pandas.DataFrame(agents, dtype=object)  # whole numbers stay whole where others are missing
    if kind == "nc":
        refuse_elsewhere(file, path)
        return _of_movement(
            optional_package("xarray", "nc").open_dataset(file, engine="h5netcdf", decode_times=False), path
        )
    if kind == "parquet":
        found = _unpacked(file, path).to_pandas(ignore_metadata=True, integer_object_nulls=True)
        return found.rename(columns=str)
    if kind in ARRAYS:
        table, about = array_table(content, kind, path)
        notices += [f"{path}: {told}" for told in _differences(about, form)]
        return table
    return _text(content, kind, path, texts, form, notices)


def _text(content: bytes, kind: str, path: str, texts: Collection[str], form: TrackFormat, notices: list[str]) -> Any:  # noqa: ANN401  likewise
    """A table of a text, of which a line below the header that is about the columns, such as their units, is none.

    A text whose first line has nothing but numbers has no header: its columns are taken as the format names them if it
    has as many, or else as the last comment above it does, or numbered from 1; a notice says so.
    """
    pandas, text = optional_package("pandas", "reading tracks"), text_table(content, kind)
    columns = max(len(text.cells(line)) for line in text.heads)
    refuse_cells(path, content.count(b"\n") + 1, columns)
    poses = [*range(next((row for row, line in enumerate(text.heads) if line.startswith(b"coords")), -1) + 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)  # rows that are longer than the first one
        warnings.simplefilter("ignore", pandas.errors.DtypeWarning)  # numbers are looked at one by one
        style = {"sep": text.separator, "decimal": text.decimal, "skipinitialspace": True}
        read = partial(pandas.read_csv, **style, keep_default_na=False)
        head = read(BytesIO(text.content), skiprows=text.skipped, header=None, nrows=len(poses) or 1, dtype=str)
        names = [*head.iloc[-1]]
        more: dict[str, Any] = {"header": poses} if poses else {"index_col": False, "header": 0}
        fixed, given = SOURCES.get(form.source, {}).get("names", ()), [one.partition("=")[2] for one in form.columns]
        if len(names) >= len(fixed) > 0 and not {*fixed} & {*names}:
            more, names = {"index_col": False, "header": None}, [*fixed, *names[len(fixed) :]]
        elif all(map(_NUMBER.fullmatch, names)) and not {*given} <= {*names}:
            above, more = text.cells(text.comment), {"index_col": False, "header": None}
            numbered = len(above) != len(names) or all(map(str.isdigit, given))
            own = [f"{at + 1}" for at in range(len(names))] if numbered else above
            names = given if len(given) == len(names) and not {*given} <= {*own} else own
            notices.append(f"{path}: has no header; its columns are taken as {printable(', '.join(names[:MAX_NAMES]))}")
        wanted = {*texts, *(item[1] for item in map(_ITEM.fullmatch, texts) if item)}
        written = {at: str for at, name in enumerate(names) if name in wanted}
        missing = {at: _MISSING for at in range(len(names)) if at not in written}
        roles = {name for role, name in (one.split("=", 1) for one in form.columns) if role.rstrip("?") in NUMBER_ROLES}
        numbers = [at for at, name in enumerate(names) if name in roles]
        below = takewhile(lambda row: _is_about(text.cells(text.heads[row]), numbers), range(1, len(text.heads)))
        skipped = [*range(text.skipped), *(below if "header" in more and more["header"] == 0 else ())]
        table = read(BytesIO(text.content), skiprows=skipped, dtype=written, na_values=missing, **more)
    if not poses:
        table.columns = [name or f"Unnamed: {at}" for at, name in enumerate(names)]
        return table
    # Of DeepLabCut, with a row of the header for each of scorer, individuals, body parts and coords.
    _refuse_twice([" ".join(column) for column in head.to_numpy().T], path)
    first = table.columns[0]
    return stacked(table.set_index([first]).rename_axis([*first], axis=1), path)


def _is_about(cells: Sequence[str], numbers: Sequence[int]) -> bool:
    """True for a line below the header that is about columns, as their units are: words stand for these numbers."""
    words = [cells[at] for at in numbers if at < len(cells) and cells[at] not in _MISSING]
    return bool(words) and not any(map(_DIGIT.search, words))


def _differences(about: Mapping[str, float], form: TrackFormat) -> Iterator[str]:
    """Lines about the rate and the length of a body that a file has, where the format has others."""
    rate, length = about.get("frames_per_second", form.fps), about.get("body_length", 0.0)
    if abs(rate / form.fps - 1) > BETWEEN / 10:
        yield f"was filmed at {rate:g} frames a second, and --fps is {form.fps:g}"
    if length > 0 and form.scale == 1:
        yield f"the length of a body is {length:.4g}; --scale {1 / length:.4g} makes it the unit"


def _of_movement(dataset: Any, path: str) -> Any:  # noqa: ANN401  likewise, of xarray
    """The points of a dataset of movement, and what it has of each, such as its confidence."""
    position = dataset["position"]
    each = [name for name in position.dims if name != "space"]
    more = [one for one in dataset.data_vars if {*dataset[one].dims} == {*each}]
    refuse_cells(path, (5 + len(more)) * position.size)  # as a table, which has its coordinates in each row
    table = position.to_series().unstack("space")
    for name in more:
        table[name] = dataset[name].transpose(*each).to_series().reindex(table.index)
    return table.reset_index()


def _by_agent(table: Any, path: str) -> Any:  # noqa: ANN401  likewise
    """The table, or where the cells of NetLogo are lists of agents, as of `(list who xcor ycor)`, one row for each."""
    name = next((name for name in table if "(list " in name), "")
    if not name:
        return table
    _refuse_twice([*table], path)
    fields = name.rpartition("(list ")[2].partition(")")[0].split()
    cells = table[name].astype(str).str.findall(r"\[([^\[\]]+)\]")
    refuse_cells(path, int(cells.str.len().sum()) * (len(fields) + len(table.columns)))
    rows = table.assign(**{name: cells}).explode(name, ignore_index=True).dropna(subset=name)
    words = rows.pop(name).str.replace(r"\{(?:breed )?([^}]*)\}", r"\1", regex=True).str.split().str
    return rows.assign(**{field: words[at] for at, field in enumerate(fields)})


def _unpacked(file: BytesIO, path: str) -> Any:  # noqa: ANN401  likewise, of pyarrow
    """The columns of a Parquet file that have a number or a text in each row; few bytes may stand for long texts."""
    parquet, compute = optional_package("pyarrow.parquet", "parquet"), optional_package("pyarrow.compute", "parquet")
    about = parquet.read_metadata(file)
    refuse_cells(path, about.num_rows, about.num_columns)
    flat = [one for one in map(about.schema.column, range(about.num_columns)) if not one.max_repetition_level]
    texts = [one.path for one in flat if one.physical_type == "BYTE_ARRAY"]
    kept = [one.path for one in flat if one.length <= MAX_FIXED]
    found = parquet.ParquetFile(file, read_dictionary=texts).read(kept)
    for name in texts:
        words = [part.dictionary for part in found[name].chunks if len(part.dictionary)]
        longest = max((compute.max(compute.binary_length(one)).as_py() or 0 for one in words), default=0)
        if (wanted := len(found) * longest) > MAX_CONTENT:
            raise LimitError(f"{path}: up to {wanted:,} bytes requested for {printable(name)}, {MAX_CONTENT:,} allowed")
    return found


def _refuse_twice(names: Sequence[str], path: str) -> None:
    """Raise ScenarioError where two of these columns have the same name."""
    if len({*names}) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ScenarioError([f"{path}: has two columns {printable(twice)!r}"])
