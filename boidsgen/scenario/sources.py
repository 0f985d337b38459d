"""Sources: the texts of scenarios, and the files that they name.

`find(name)` takes a path, the name of a preset or `-` for standard input, and returns the text of the scenario with its
names. The path may also be that of a picture, a clip or a saved run that boidsgen has made, since these embed their
scenario. A file takes precedence over a preset of the same name. The scenarios that a scenario `extends` are found with
it, so that a source is complete: later changes of those files do not matter.

Before a scenario is checked, `embedded` replaces the names of its files by their content; its provenance then contains
that content, and it can be rendered again without the files. Paths are relative to the folder of the scenario. Only
starts and fields name files, each read by its key: `csv` has x, y, in 3D z, and optionally vx, vy, in 3D vz, on a line
for each boid or cell, or x, y and a height; `image` is dark where boids start, bright where a map is high, or red and
green as a flow goes. The size of an image is checked before it is decoded.
"""

import csv
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from glob import escape, glob
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO, StringIO
from os import PathLike, fspath
from os.path import isfile
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from boidsgen import system
from boidsgen.errors import (
    MAX_BASES,
    MAX_DOCUMENT,
    BoidsgenError,
    ScenarioError,
    StorageError,
    UsageError,
    join_words,
    printable,
)
from boidsgen.output.formats import FORMATS, origin
from boidsgen.scenario.documents import Keys, Problem, line_of, parsed
from boidsgen.scenario.wording import abbreviated, suggestion
from boidsgen.simulation.fields import MAX_MAP_CELLS
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.starts import CellMask, rows_of
from boidsgen.system import open_input, read_input, remember_standard_input
from boidsgen.tables import in_range

if TYPE_CHECKING:
    from PIL import Image

MAX_CSV_BYTES = 1_000_000
"""Maximum size of a file of points in bytes: provenance, which contains them, stays small enough to be read again."""
MAX_CSV_POINTS = 10_000  # Maximum number of points in a file, for the same reason
MAX_IMAGE_BYTES = 32_000_000  # Maximum size of an image in bytes
MAX_IMAGE_PIXELS = 16_000_000  # Maximum number of pixels of an image
MAX_IMAGE_SIDE = 65_535  # Maximum pixels along a side; Pillow takes memory for each row, however short
_NUMBERED = re.compile(r"%0?\d*d")  # Stands for the number in the names of pictures
COLORED, MAX_COLORED = 24, 0.01
"""Difference between the channels of a pixel, of 255, from which on it is colored, and the share of such pixels in a
gray image: those that a lossy format leaves."""
NO_FLOW = 128  # Brightness of a channel where nothing flows, as in the flow maps of games
MAX_UNEVEN = 0.01  # Difference between the gaps of a lattice, relative to the smallest
IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "BMP")  # Formats that are read, by Pillow's names
EIGHT_BITS = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK")  # Pillow's modes with eight bits a channel
_POSITION, _VELOCITY = ("x", "y", "z"), ("vx", "vy", "vz")


class _UnfitError(Exception):
    """The file does not fit its key; the message is the reason."""


class Embedded(NamedTuple):
    """The content of a file in place of its name."""

    path: Path  # the file
    keys: Keys  # of the table with the name
    table: Mapping[str, object]  # the table with the file's content; the one with the name, where there is an error
    problem: Problem | None  # the error in the file, if there is one


def embedded(document: Mapping[str, object], folder: Path, dimension: int | None) -> Iterator[Embedded]:
    """Every name of a file in a document with its content; `dimension` of the world, if that is known."""
    for keys, name, table, reader in names_of_files(document):
        path, key = folder / name, str(keys[-1])
        rest = {other: value for other, value in table.items() if other != key}
        try:
            yield Embedded(path, keys[:-1], {**rest, **reader(path, dimension)}, None)
        except (_UnfitError, StorageError) as error:
            yield Embedded(path, keys[:-1], table, Problem(keys, str(error)))


def names_of_files(value: object, keys: Keys = ()) -> Iterator[tuple[Keys, str, Mapping[str, object], "_Reader"]]:
    """The names of files in the starts of a document and of its events, and in its fields.

    Of each its keys, the name, the table around it, and the reader of the file.
    """
    if isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from names_of_files(inner, (*keys, number))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            here = (*keys, key)
            reader = _reader(here, value)
            if isinstance(inner, str) and reader:
                yield here, inner, value, reader
            else:
                yield from names_of_files(inner, here)


def _reader(keys: Keys, table: Mapping[str, object]) -> "_Reader | None":
    """The reader of the file that a key of a start or of a field names; None where it names none."""
    readers = _READERS.get(str(keys[-1]), {})
    if keys[0] == "fields":
        return readers.get(str(table.get("kind")))
    in_start = any(str(one).endswith("start") for one in keys[:-1])
    return readers.get(str(table.get("layout", next(iter(readers))))) if readers and in_start else None


def misfit_of_film(name: str) -> str:
    """The reason why a film, or numbered pictures, cannot be read; empty if they are inputs from now on."""
    files = glob("*".join(map(escape, _NUMBERED.split(name))))  # noqa: PTH207  a pattern with folders
    try:
        for file in files:
            open_input(file).close()
    except (OSError, StorageError) as error:
        return f"cannot be read: {error}"
    return "" if files else f"there is no file {abbreviated(name)}"


def _points(path: Path, dimension: int | None) -> Mapping[str, object]:
    """The points and velocities of a CSV file."""
    label = printable(str(path))
    axes = (2, 3) if dimension is None else (dimension,)
    known = [_POSITION[:axis] + velocity for axis in axes for velocity in ((), _VELOCITY[:axis])]
    lines = list(_lines(path))
    if not lines:
        raise _UnfitError(f"{label}: has no points")
    at, first = lines[0]
    has_names = not _is_number(first[0])
    columns: Sequence[str] | None = next((one for one in known if len(one) == len(first)), None)
    if has_names:
        columns = first if any(sorted(first) == sorted(one) for one in known) else None
    if columns is None:
        wanted = " or ".join(", ".join(one) for one in known)
        there = f"the columns {abbreviated(first)}" if has_names else f"{len(first)} columns"
        raise _UnfitError(f"{label}:{at}: has {there}; must be {wanted}")
    rows = [_numbers(row, columns, f"{label}:{number}") for number, row in lines[has_names:]]
    if not 1 <= len(rows) <= MAX_CSV_POINTS:
        raise _UnfitError(f"{label}: has {len(rows):,} points; must have 1 to {MAX_CSV_POINTS:,}")
    found = {"points": _POSITION, **({"velocities": _VELOCITY} if _VELOCITY[0] in columns else {})}
    return {
        key: tuple(tuple(row[name] for name in names if name in columns) for row in rows)
        for key, names in found.items()
    }


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, each with its number."""
    label = printable(str(path))
    try:
        text = read_input(path, MAX_CSV_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _UnfitError(f"{label}: is not text in UTF-8") from None
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise _UnfitError(f"{label}:{reader.line_num}: is not CSV: {error}") from None


def _numbers(row: Sequence[str], columns: Sequence[str], where: str) -> Mapping[str, float]:
    """The numbers of a line by the names of their columns."""
    if len(row) != len(columns):
        raise _UnfitError(f"{where}: must have {len(columns)} columns, not {len(row)}")
    numbers = {}
    for at, (cell, name) in enumerate(zip(row, columns, strict=True), start=1):
        if not _is_number(cell):
            raise _UnfitError(f"{where}: column {at} ({name}): must be a finite number, not {abbreviated(cell)}")
        try:
            numbers[name] = in_range(float(cell))
        except ValueError as error:
            raise _UnfitError(f"{where}: column {at} ({name}): {error}") from None
    return numbers


def _is_number(cell: str) -> bool:
    """True for a finite number as tables have them; Python also reads 1_0, and the digits of every script."""
    try:
        return cell.isascii() and "_" not in cell and math.isfinite(float(cell))
    except ValueError:
        return False


def _dark_parts(path: Path, _: int | None) -> Mapping[str, object]:
    """The parts of an image that are less than half as bright as white, as lines of text, the first one on top."""
    shape: CellMask = _cells(_on_paper(path).convert("L")) < 127.5
    if not shape.any():
        wrong = "has no dark pixels; some must be less than half as bright as white"
        raise _UnfitError(f"{printable(str(path))}: {wrong}")
    return {"rows": rows_of(shape)}


def _heights(path: Path, _: int | None) -> Mapping[str, object]:
    """The brightness of a gray image, from 0 to 1, row by row, the first row on top."""
    paper = _on_paper(path)
    if (colored := _colored(paper)) > MAX_COLORED:
        wrong = f"is in color ({colored:.0%} of its pixels); a height map is gray: save it in grayscale"
        raise _UnfitError(f"{printable(str(path))}: {wrong}")
    return {"heights": tuple(map(tuple, np.round(_cells(paper.convert("L")) / 255, 4).tolist()))}


def _currents(path: Path, _: int | None) -> Mapping[str, object]:
    """The vectors that red and green of an image are, row by row, the first row on top."""
    paper = _on_paper(path, (NO_FLOW,) * 3)
    if _colored(paper) <= MAX_COLORED:
        wrong = "is gray; red of a flow map is x and green is y, and blue is left out"
        raise _UnfitError(f"{printable(str(path))}: {wrong}")
    vectors = np.stack([(_cells(paper.getchannel(band)) - NO_FLOW) / (255 - NO_FLOW) for band in "RG"], axis=2)
    return {"flow": tuple(tuple(map(tuple, row)) for row in np.round(vectors, 4).tolist())}


def _colored(paper: "Image.Image") -> float:
    """The share of the pixels of an image that are not gray."""
    return float((np.ptp(np.asarray(paper)[..., :3], axis=2) > COLORED).mean())


def _on_paper(path: Path, color: tuple[int, int, int] = (255, 255, 255)) -> "Image.Image":
    """The upright image in a file, on paper, which is white unless it has a color."""
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415  few scenarios have an image

    label, content = printable(str(path)), read_input(path, MAX_IMAGE_BYTES)
    try:
        image = _opened(content)
        image.load()  # a PNG may have its orientation behind its pixels
        upright = ImageOps.exif_transpose(image).convert("RGBA")
    except _UnfitError as error:
        raise _UnfitError(f"{label}: {error}") from None
    except UnidentifiedImageError:
        raise _UnfitError(f"{label}: is not a readable image; use {join_words(IMAGE_FORMATS)}") from None
    except (OSError, ValueError, SyntaxError):  # Pillow's words for a damaged file
        raise _UnfitError(f"{label}: is a damaged image") from None
    paper = Image.new("RGBA", upright.size, color)
    paper.alpha_composite(upright)
    return paper


def _opened(content: bytes) -> "Image.Image":
    """The image as it is in the file, not yet decoded; one that is too large is refused."""
    from PIL import Image  # noqa: PLC0415  few scenarios have an image

    too_large = f"has more than {MAX_IMAGE_PIXELS:,} pixels"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the bound here is a lower one
            image = Image.open(BytesIO(content), formats=IMAGE_FORMATS)
    except Image.DecompressionBombError:
        raise _UnfitError(too_large) from None
    if math.prod(image.size) > MAX_IMAGE_PIXELS:
        raise _UnfitError(too_large)
    if max(image.size) > MAX_IMAGE_SIDE:
        raise _UnfitError(f"has a side of more than {MAX_IMAGE_SIDE:,} pixels")
    if image.mode not in EIGHT_BITS:
        raise _UnfitError("has more than 8 bits a color; save it with 8")
    return image


def _cells(band: "Image.Image") -> Array:
    """Mean brightness of the cells of a channel of an image, from 0 to 255, (rows, columns)."""
    brightness = np.asarray(band)
    height, width = brightness.shape
    side = -(-max(height, width) // MAX_MAP_CELLS)
    down, across = np.arange(0, height, side), np.arange(0, width, side)  # the last cell of a row may be short
    sums = np.add.reduceat(np.add.reduceat(brightness, down, axis=0, dtype=np.int64), across, axis=1)
    mean: Array = sums / np.outer(np.diff(down, append=height), np.diff(across, append=width))
    return mean


def _flow(path: Path, _: int | None) -> Mapping[str, object]:
    """The vectors of a CSV file, which are on a lattice, row by row, the highest first."""
    found: Mapping[str, Any] = _points(path, 2)
    return {"flow": _lattice(path, "x, y, vx, vy", found["points"], found.get("velocities", ()))}


def _terrain(path: Path, _: int | None) -> Mapping[str, object]:
    """The heights of a CSV file, which are on a lattice, row by row, the highest y first."""
    found: Mapping[str, Any] = _points(path, 3)
    points = found["points"]
    heights = [] if "velocities" in found else [point[2] for point in points]
    return {"heights": _lattice(path, "x, y, z", [point[:2] for point in points], heights)}


def _lattice(path: Path, columns: str, places: Sequence[tuple[float, float]], values: Sequence[Any]) -> Any:  # noqa: ANN401
    """The values at places, row by row, the highest y first; an error if they are no lattice."""
    known = dict(zip(places, values, strict=False))
    across, up = (sorted({place[axis] for place in known}) for axis in (0, 1))
    even = all(np.ptp(gaps) <= MAX_UNEVEN * gaps.min() for gaps in map(np.diff, (across, up)) if len(gaps))
    if not (even and len(across) * len(up) == len(known) == len(places)):
        wrong = f"has {len(places):,} lines with {len(across):,} different x and {len(up):,} different y"
        needed = f"must be a lattice: {columns}, evenly spaced, each x with each y once"
        raise _UnfitError(f"{printable(str(path))}: {wrong}; {needed}")
    return tuple(tuple(known[x, y] for x in across) for y in reversed(up))


_Reader = Callable[[Path, int | None], Mapping[str, object]]
_READERS: Mapping[str, Mapping[str, _Reader]]
_READERS = {
    "csv": {"points": _points, "flow_map": _flow, "height_map": _terrain},
    "image": {"image": _dark_parts, "flow_map": _currents, "height_map": _heights},
}
"""By the key with the name of a file: the readers, by the layout of a start or the kind of a field that has it."""


STANDARD_INPUT = "-"
EXTENDS = "extends"  # The key with the name of the scenario that a scenario extends
trusting: ContextVar[bool] = ContextVar("trusting", default=False)  # Scenarios from inside files may name files
_FIRST_OF_DOCUMENTS = b"#[" + ascii_lowercase.replace("g", "").encode()
"""First bytes of most scenarios: a comment, a table or a key; no format that embeds a scenario begins with these, but
glTF begins with a g."""
_OF_SEVERAL = "\nscenarios = ["
_MAX_SHOWN = 300  # Characters of the name of a missing file in a message


class Source(NamedTuple):
    """The text of a scenario and its names."""

    label: str  # its name in messages
    stem: str  # the name of its output, unless the user gives one
    text: str  # the TOML document
    path: Path | None = None  # the file, where it is one
    base: "Source | None" = None  # the scenario it extends, where it extends one
    numbered: bool = True  # True if its lines are those of the user
    carried: bool = False  # True if it comes from inside a file, maybe a stranger's: it is complete, and names no file


class Preset(NamedTuple):
    """A scenario that comes with boidsgen.

    Attributes:
        name: its name on the command line.
        title: its subject; the comment in the first line of its file.
        text: the TOML document.
    """

    name: str
    title: str
    text: str


def find(name: str | PathLike[str], *, foreign: bool = False) -> Source:
    """The scenario of a path, a preset's name or `-`, with everything that it extends.

    Args:
        name: as the user wrote it.
        foreign: it is in a study, or from a student; it may not do more than one from inside a file.

    Raises:
        ScenarioError: when a scenario that it extends cannot be read.
        StorageError: when there is no such file, or it cannot be read.
        UsageError: when the name is empty.
    """
    name = fspath(name)
    if not name:
        raise UsageError("a scenario without a name; name a file or a preset, or - for standard input")
    if name == STANDARD_INPUT:
        label = "<stdin>"
        if sys.stdin is None:  # the caller closed it
            raise StorageError(f"{label}: standard input is closed")
        remember_standard_input()
        try:
            source = Source(label, "stdin", _read(label, sys.stdin.buffer))
        except (OSError, ValueError) as error:
            raise StorageError(f"{label}: {getattr(error, 'strerror', None) or error}") from None
    else:  # of a name that no file can have, pathlib would raise
        source = source_in(name) if isfile(name) else _shipped_source(name) or source_in(name)  # noqa: PTH113
    return extended(source._replace(carried=not trusting.get()) if foreign else source)


def refuse_repeated_input(names: Sequence[str]) -> None:
    """Raise UsageError if standard input is twice among these names."""
    if list(names).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once")


def extended(source: Source, above: Sequence[Source] = ()) -> Source:
    """The source with everything that it extends; itself where it extends nothing that it may, or is no TOML.

    What others have written extends presets alone, and so do presets, whatever is in the current directory.
    ScenarioError when a scenario that it extends cannot be read; `above` are those that led to this one, in order.
    """
    if source.base or EXTENDS not in source.text:
        return source
    try:
        document = parsed(source.text)
    except ValueError:  # reported when it is loaded
        return source
    if EXTENDS not in document or (source.carried and document[EXTENDS] not in [*_shipped()]):
        return source
    chain = (*above, source)
    try:
        return source._replace(base=extended(_base(document[EXTENDS], chain), chain))
    except _UnfitBaseError as error:
        line = f":{line_of(source.text)((EXTENDS,))}" if source.numbered else ""
        raise ScenarioError([f"{source.label}{line}: {EXTENDS}: {error}"]) from None


def paths_to(name: str) -> Iterator[Path]:
    """The file of a scenario and those that it extends, as far as they can be read; the last may be missing."""
    for _ in range(MAX_BASES + 1):
        path = Path(name)
        yield path
        try:
            source = source_in(name)
            base = parsed(source.text).get(EXTENDS)
        except (BoidsgenError, ValueError):
            return
        if source.carried or not isinstance(base, str):
            return
        name = str(path.parent / base)


class _UnfitBaseError(Exception):
    """A scenario cannot be extended; the message is the reason."""


def _base(name: object, chain: Sequence[Source]) -> Source:
    """The scenario that the last one of a chain extends: a file as seen from there, or else a preset."""
    if not isinstance(name, str):
        raise _UnfitBaseError(f"must be the name of a file or of a preset, as text, not {abbreviated(name)}")
    if "://" in name:
        raise _UnfitBaseError(f"{abbreviated(name)}: only presets and files can be extended; download it first")
    folder = chain[-1].path.parent if chain[-1].path else Path()
    path = str(folder / name)
    own = not chain[-1].carried and chain[-1] != _shipped_source(chain[-1].stem)
    base = source_in(path) if own and isfile(path) else _shipped_source(name)  # noqa: PTH113  as in `find`
    if not base:
        brief = printable(f"{path[:_MAX_SHOWN]}…" if len(path) > _MAX_SHOWN else path)
        raise _UnfitBaseError(f"{brief}: neither a file nor a shipped preset{suggestion(name, _shipped())}")
    known = [one.path.resolve() if one.path else one.label for one in chain]
    if (base.path.resolve() if base.path else base.label) in known:
        circle = " → ".join(one.label for one in (*chain, base))
        raise _UnfitBaseError(f"extends itself: {circle}")
    if len(chain) > MAX_BASES:
        raise _UnfitBaseError(f"{len(chain)} scenarios, each below the next, and there may be {MAX_BASES}")
    return base


def presets() -> tuple[Preset, ...]:
    """The scenarios that come with boidsgen, by name.

    Examples:
        >>> sorted(preset.name for preset in presets() if "vicsek" in preset.name)
        ['vicsek', 'vicsek-1995', 'vicsek-2004']
    """
    return tuple(preset(name) for name in _shipped())


def preset(name: str) -> Preset:
    """The shipped scenario of this name."""
    if name not in _shipped():
        hint = suggestion(name, _shipped())
        raise StorageError(f"{name}: there is no such preset{hint}; `boidsgen presets` lists them")
    text = _shipped()[name].read_text("utf-8")
    first = text.partition("\n")[0]
    return Preset(name, first.removeprefix("#").strip() if first.startswith("#") else "", text)


def _shipped_source(name: str) -> Source | None:
    """The preset of this name, or None where there is none."""
    return Source(f"{name}.toml", name, preset(name).text) if name in _shipped() else None


def source_in(name: str) -> Source:
    """The scenario in a file, or the one that the file embeds; what it extends is not read. Raises as `find` does."""
    label, path = printable(name), Path(name)
    try:
        with open_input(path) as file:
            text = None if file.read(1) in _FIRST_OF_DOCUMENTS else origin(file, label)
            file.seek(0)
            if text is None:
                return Source(label, path.stem, _read(label, file), path)
        if _OF_SEVERAL in text:
            wrong = "shows several scenarios; only `boidsgen replay` can render it again"
            raise ScenarioError([f"{label}: {wrong}"])
        return Source(label, path.stem, text, path, carried=not trusting.get())
    except FileNotFoundError:
        there = sorted(printable(str(one)) for one in path.parent.glob("*.toml"))
        hint = suggestion(printable(str(path)), [*there, *_shipped()]) or (
            "" if path.suffix else "; `boidsgen presets` lists those"
        )
        if any(path.suffix.lower() in writer.extensions for writer in FORMATS.values()):
            hint = f"; -o {label} names an output file"
        raise StorageError(f"{label}: neither a file nor a shipped preset{hint}") from None
    except (OSError, ValueError) as error:  # ValueError: characters that no name has
        if isinstance(error, IsADirectoryError | PermissionError) and path.is_dir():  # by system
            raise ScenarioError([f"{label}: a directory, not a scenario; name one of the files in it"]) from None
        reason = system.name_refusal(label) or getattr(error, "strerror", None) or error
        raise StorageError(f"{label}: {reason}") from None


def _read(label: str, file: BinaryIO) -> str:
    content = file.read(MAX_DOCUMENT + 1)
    if len(content) > MAX_DOCUMENT:
        raise ScenarioError([f"{label}: more than {MAX_DOCUMENT // 1000} kB, too large for a scenario"])
    return document_text(label, content)


def document_text(label: str, content: bytes) -> str:
    """The text of a document; ScenarioError if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")  # editors on Windows put a byte order mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"byte {error.start} (0x{content[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        raise ScenarioError([f"{label}:{line}: {wrong}"]) from None


@cache
def _shipped() -> Mapping[str, Traversable]:
    """The files of the presets by name."""
    folder = shipped_folder()
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name) if folder.is_dir() else []
    return {entry.name.removesuffix(".toml"): entry for entry in entries if entry.name.endswith(".toml")}


@cache
def shipped_folder(name: str = "configs") -> Traversable:
    """A folder of files that come with boidsgen: in the package when installed, beside it in a clone."""
    package = files("boidsgen")
    folders = (package / name, Path(str(package)).parent / name)
    return next((folder for folder in folders if folder.is_dir()), folders[0])
