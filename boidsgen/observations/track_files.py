"""Contents of files of tracks: unpacked, and texts of other systems as UTF-8.

A text may begin with lines of comments, `#`, and separates its columns by commas, tabs or semicolons, by those of which
its first line has most, or else by spaces. With semicolons, a comma is a decimal point. The last comment may have the
names of the columns.

Arrays are those of HDF5 and numpy. Pickles, which may run programs, are never read, and what a file would take in
memory is looked at before it is read.
"""

import codecs
import gzip
import json
import pickletools
import re
from collections.abc import Mapping
from io import BytesIO
from math import prod
from typing import IO, Any, NamedTuple
from zipfile import ZipFile

import numpy as np

from boidsgen.errors import LimitError, ScenarioError, printable
from boidsgen.records import optional_package
from boidsgen.scenario.wording import abbreviated

MAX_CONTENT = 400_000_000  # Bytes of a file once unpacked
HEAD_LINES = 4  # Of which a table may have that many before its rows
SPACES = r"\s+"  # As a separator of pandas
MAX_CELLS, MAX_COLUMNS = 50_000_000, 50_000  # Of a file
BUILT_IN = {1, 2, 3, 4, 5, 6, 32000}  # Filters of HDF5 that are part of the library
ARRAYS = {"npy", "npz", "h5", "hdf5"}
"""Kinds of files that have arrays instead of a table."""
POSE_LEVELS = ("scorer", "individuals", "bodyparts", "coords")
"""Levels of the names of columns of DeepLabCut; of one animal the second one is missing."""
_SLEAP = {
    "tracks": ("track", "xy", "node", "frame"),
    "point_scores": ("track", "node", "frame"),
    "instance_scores": ("track", "frame"),
}
"""Axes of the arrays of SLEAP where they are not in an attribute `dims`."""
_FACTS = {
    "frames_per_second": "frames_per_second",
    "frame_rate": "frames_per_second",
    "body_length": "body_length",
    "median_body_length": "body_length",
}
_COLUMNS = {"trajectories", "frame", "time", "missing", "ANGLE"}
"""Arrays of numpy that are read, beside centroids of TRex and facts."""
_PICKLED = "is pickled, which may run programs and so is not read"
_LEADING_COMMENTS = re.compile(rb"(?:[ \t]*(?:#[^\n]*|\r?)\n)+")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TextTable(NamedTuple):
    """The text of a table."""

    content: bytes  # UTF-8
    heads: list[bytes]  # its first lines
    separator: str
    decimal: str
    skipped: int  # lines before the names of columns
    comment: bytes  # the last one above them

    def cells(self, line: bytes) -> list[str]:
        """The cells of a line that has no separators within them."""
        text = line.decode(errors="replace").strip("\r\n")
        cells = text.split() if self.separator == SPACES else text.split(self.separator)
        return [cell.strip(' "') for cell in cells]


def unpacked(content: bytes, path: str) -> tuple[bytes, str]:
    """The content and kind of a file, or of the only one in a `.gz` or `.zip`; errors name the file.

    Raises:
        ScenarioError: an archive has several files, or none.
        LimitError: the content is too large.
    """
    kind = path.lower().rpartition(".")[2]
    if kind == "gz":
        with gzip.open(BytesIO(content)) as file:
            content, path = file.read(MAX_CONTENT + 1), path[:-3]
    elif kind == "zip":
        with ZipFile(BytesIO(content)) as archive:
            names = [one for one in archive.namelist() if not one.endswith("/") and not one.startswith("__MACOSX/")]
            if len(names) != 1:
                some = printable(", ".join(names[:HEAD_LINES])) or "none"
                raise ScenarioError([f"{path}: must pack one file, not {len(names)}: {some}; unpack it first"])
            with archive.open(names[0]) as file:
                content, path = file.read(MAX_CONTENT + 1), names[0]
    if len(content) > MAX_CONTENT:
        raise LimitError(f"{path}: more than {MAX_CONTENT:,} bytes when unpacked, {MAX_CONTENT:,} allowed")
    return content, path.lower().rpartition(".")[2]


def text_table(content: bytes, kind: str) -> TextTable:
    """A table in UTF-8 or, as Excel's Unicode text, in UTF-16, without a byte order mark and leading comments."""
    if content.startswith(_UTF_16):
        content = content.decode("utf-16").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    found, comment = _LEADING_COMMENTS.match(content), b""
    if found:
        comments = [line for line in found[0].splitlines() if line.strip()]
        content, comment = content[found.end() :], comments[-1].strip(b" \t#") if comments else b""
    file, skipped = BytesIO(content), 6 if content.startswith(b'"BehaviorSpace') else 0  # of NetLogo
    heads = [file.readline() for _ in range(skipped + HEAD_LINES)][skipped:]
    separators = [",", "\t", ";"] if kind == "csv" else ["\t", ",", ";"]  # the first one of those as frequent
    separator = max(separators, key=lambda one: heads[0].count(one.encode()))
    if separator.encode() not in heads[0] and len(heads[0].split()) > 1:
        separator = SPACES
    return TextTable(content, heads, separator, "," if separator == ";" else ".", skipped, comment)


def array_table(content: bytes, kind: str, path: str) -> tuple[Any, Mapping[str, float]]:
    """The arrays of a file as a table, and facts about it: frames_per_second and body_length, in its units.

    An array `trajectories` of idtracker.ai, (frames, n, d), has columns x1, y1, x2 and so on; the points of SLEAP have
    the columns frame, track, node, x, y and scores; arrays of TRex are columns.

    Raises:
        ScenarioError: it has no such arrays, or they are pickled, in other files, or packed by a plugin.
        LimitError: they are too large.
    """
    pandas = optional_package("pandas", "reading tracks")
    if kind in {"h5", "hdf5"}:
        refuse_elsewhere(file := BytesIO(content), path)
        h5py = optional_package("h5py", "nc")
        with h5py.File(file, "r") as opened:
            if rows := _table_in(opened, path):
                return rows
            facts = {name: opened[name][()] for name in _FACTS if name in opened} | dict(opened.attrs)
            arrays = {name: opened[name][()] for name in ("trajectories",) if name in opened}
    elif kind == "npy":
        arrays = facts = {"trajectories": _array(BytesIO(content), path)}
    else:
        arrays = _members(content, path)
        facts = arrays
    known = {
        _FACTS[name]: float(np.ravel(facts[name])[0]) for name in _FACTS if name in facts and np.size(facts[name]) == 1
    }
    if "trajectories" in arrays:
        place = arrays["trajectories"]
        if place.ndim != 3 or place.shape[2] not in {2, 3}:
            raise ScenarioError([f"{path}: trajectories must be frames x animals x 2 or 3, not {place.shape}"])
        refuse_cells(path, len(place), place.shape[1] * place.shape[2])
        names = [f"{axis}{animal + 1}" for animal in range(place.shape[1]) for axis in "xyz"[: place.shape[2]]]
        return pandas.DataFrame(place.reshape(len(place), -1), columns=names), known
    found = {name: array for name, array in arrays.items() if array.ndim == 1 and name not in _FACTS}
    columns = {f"{name} (cm)" if name.endswith("#wcentroid") else name: array for name, array in found.items()}
    if len({len(array) for array in columns.values()}) != 1:
        raise ScenarioError([f"{path}: has neither trajectories, nor a table, nor exported tracks of SLEAP or TRex"])
    refuse_cells(path, len(next(iter(columns.values()))), len(columns))
    return pandas.DataFrame(columns), known


def _table_in(opened: Any, path: str) -> tuple[Any, Mapping[str, float]] | None:  # noqa: ANN401  likewise
    """The table of an HDF5 file that has points or rows, those of SLEAP, DeepLabCut or PeTrack, and its rate."""
    pandas, h5py = optional_package("pandas", "reading tracks"), optional_package("h5py", "nc")
    if "node_names" in opened and "tracks" in opened:
        return _points(opened, path), {}
    for group in (one for one in opened.values() if isinstance(one, h5py.Group)):
        if "table" in group and "values_block_0" in (group["table"].dtype.names or ()):
            return _poses(group["table"], path), {}
        if "table" in group or "axis0" in group:
            raise ScenarioError([f"{path}: {_PICKLED}; let DeepLabCut write .csv too, by save_as_csv=True"])
    tables = [one for one in opened.values() if isinstance(one, h5py.Dataset) and one.dtype.names]
    if len(tables) != 1:
        return None
    flat = [name for name in tables[0].dtype.names if tables[0].dtype[name].kind in "iuf"]
    refuse_cells(path, len(tables[0]), len(flat))
    rate = {"frames_per_second": float(tables[0].attrs["fps"])} if "fps" in tables[0].attrs else {}
    return pandas.DataFrame({name: tables[0][name] for name in flat}), rate


def _poses(table: Any, path: str) -> Any:  # noqa: ANN401  of h5py
    """The points of a table of DeepLabCut, whose names are texts of a pickle, which is disassembled and never run."""
    pandas, names, known, last = optional_package("pandas", "reading tracks"), list[str](), dict[Any, str](), None
    for code, value, _ in pickletools.genops(bytes(table.attrs["values_block_0_kind"])):
        text = known.get(value) if "GET" in code.name else value if code.name.endswith("UNICODE") else None
        if "PUT" in code.name and last is not None:
            known[value] = last
        names += [] if text is None else [text]
        last = text
    values = table["values_block_0"]
    levels, rest = divmod(len(names), values.shape[1] if values.ndim == 2 else 1)
    if rest or levels not in {3, 4}:
        raise ScenarioError([f"{path}: {_PICKLED}; let DeepLabCut write .csv too, by save_as_csv=True"])
    refuse_cells(path, 2 * values.size)
    kinds = ["scorer", *POSE_LEVELS[1 - levels :]]
    columns = pandas.MultiIndex.from_arrays([names[level::levels] for level in range(levels)], names=kinds)
    return stacked(pandas.DataFrame(values, table["index"], columns), path)


def stacked(table: Any, path: str) -> Any:  # noqa: ANN401  a DataFrame, of a library that need not be there
    """The points of a table of DeepLabCut, a row for each frame, animal and body part."""
    levels = [*table.columns.names]
    points = table.rename_axis("frame").stack(levels[:-1], future_stack=True).reset_index()
    return points if len(levels) == len(POSE_LEVELS) else points.assign(individuals=path)


def _points(opened: Any, path: str) -> Any:  # noqa: ANN401  of h5py
    """The points of a file of SLEAP, a row for each frame, track and node."""
    pandas, made = optional_package("pandas", "reading tracks"), dict[str, Any]()
    refuse_cells(path, 4 * opened["tracks"].size)
    axes = {"frame": 0, "track": 1, "node": 2, "xy": 3}
    for name, usual in _SLEAP.items():
        if name in opened:
            dims = tuple(json.loads(opened[name].attrs.get("dims", json.dumps(usual))))
            made[name] = np.transpose(opened[name][()], [dims.index(axis) for axis in axes if axis in dims])
    place = made.pop("tracks")
    at = np.indices(place.shape[:3]).reshape(3, -1)
    rows = {"frame": at[0], "x": place[..., 0].ravel(), "y": place[..., 1].ravel()}
    for axis, index in (("track", at[1]), ("node", at[2])):
        names = [name.decode() for name in opened[f"{axis}_names"][()]] if f"{axis}_names" in opened else []
        rows[axis] = np.array(names or [f"{number}" for number in range(place.shape[axes[axis]])], object)[index]
    for name, score in made.items():
        whole = score if score.ndim == 3 else score[..., None]
        rows[name] = np.broadcast_to(whole, place.shape[:3]).ravel()
    return pandas.DataFrame(rows)


def _members(content: bytes, path: str) -> dict[str, Any]:
    """The arrays of an archive of numpy that are read, by their names."""
    arrays = dict[str, Any]()
    with ZipFile(BytesIO(content)) as archive:
        for name in archive.namelist():
            if (key := name.removesuffix(".npy")) in _FACTS or "#" in key or key in _COLUMNS:
                with archive.open(name) as member:
                    arrays[key] = _array(member, path)
            if (whole := sum(array.nbytes for array in arrays.values())) > MAX_CONTENT:
                raise LimitError(f"{path}: {whole:,} bytes requested for its arrays, {MAX_CONTENT:,} allowed")
    return arrays


def _array(file: IO[bytes], path: str) -> Any:  # noqa: ANN401  of any type and shape
    """An array of numpy, of which type and size are looked at first."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    if kind.hasobject:
        raise ScenarioError([f"{path}: {_PICKLED}; save it as .csv or .h5, or its trajectories by numpy.save"])
    if (wanted := prod(shape) * kind.itemsize) > MAX_CONTENT:
        raise LimitError(f"{path}: {wanted:,} bytes requested for an array, {MAX_CONTENT:,} allowed")
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def refuse_elsewhere(file: BytesIO, path: str) -> None:
    """Refuse an HDF5 file of which the library would read other files, run a plugin, or fill the memory."""
    h5py, links = optional_package("h5py", "nc"), list[tuple[bytes, int]]()
    with h5py.File(file, "r") as opened:
        opened.id.links.visit(lambda name, link: links.append((name, link.type)), info=True)
        for place, kind in links:
            name = abbreviated(place.decode(errors="replace"))
            found = h5py.h5o.open(opened.id, place) if kind == h5py.h5l.TYPE_HARD else None
            here = found is not None
            if isinstance(found, h5py.h5d.DatasetID):
                stored = found.get_create_plist()
                here = stored.get_layout() != h5py.h5d.VIRTUAL and not stored.get_external_count()
                here &= {stored.get_filter(number)[0] for number in range(stored.get_nfilters())} <= BUILT_IN
                chunk = stored.get_chunk() if stored.get_layout() == h5py.h5d.CHUNKED else ()
                if (wanted := max(prod(found.shape), prod(chunk)) * found.dtype.itemsize) > MAX_CONTENT:
                    raise LimitError(f"{path}: {wanted:,} bytes requested for {name}, {MAX_CONTENT:,} allowed")
            if not here:
                wrong = "is kept in another place, or packed by a plugin, and neither is read; save it as plain numbers"
                raise ScenarioError([f"{path}: {name} {wrong}"])
    file.seek(0)


def refuse_cells(path: str, rows: int, columns: int = 1) -> None:
    """Raise LimitError where a table has too many cells, or columns."""
    if columns > MAX_COLUMNS:
        raise LimitError(f"{path}: {columns:,} columns, {MAX_COLUMNS:,} allowed; put positions in rows")
    if (cells := rows * columns) > MAX_CELLS:
        raise LimitError(f"{path}: {cells:,} cells requested, {MAX_CELLS:,} allowed in one file; split it")
