"""Files that a scenario names: their content takes the place of their names before the scenario is checked.

A path leads from the folder of the scenario. A loaded scenario is complete: it can be rendered again without its
files, and its provenance contains their content. Only starts name files, each read by its key: `csv` has x, y, in 3D
z, and optionally vx, vy, in 3D vz on a line for each boid, `image` is dark where boids start. The size of an image is
checked before it is decoded.
"""

import csv
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import escape, glob
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boidsgen.errors import StorageError, join_words, printable
from boidsgen.inputs import open_input, read_input
from boidsgen.scenario.documents import Keys, Problem
from boidsgen.scenario.wording import abbreviated
from boidsgen.simulation.starts import Shape, rows_of
from boidsgen.tables import in_range

if TYPE_CHECKING:
    from PIL import Image

MAX_CSV_BYTES = 1_000_000
"""Maximum size of a file of points in bytes: provenance, which contains them, stays small enough to be read again."""
MAX_POINTS = 10_000  # Maximum number of points in a file, for the same reason
MAX_IMAGE_BYTES = 32_000_000  # Maximum size of an image in bytes
MAX_PIXELS = 16_000_000  # Maximum number of pixels of an image
MAX_SIDE = 65_535  # Maximum pixels along a side; Pillow takes memory for each row, however short
_NUMBERED = re.compile(r"%0?\d*d")  # Stands for the number in the names of pictures
MAX_CELLS = 160  # Cells along the longer side of the result
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
    for keys, name, table in names_of_files(document):
        path, key = folder / name, str(keys[-1])
        rest = {other: value for other, value in table.items() if other != key}
        try:
            yield Embedded(path, keys[:-1], {**rest, **_READERS[key][1](path, dimension)}, None)
        except (_UnfitError, StorageError) as error:
            yield Embedded(path, keys[:-1], table, Problem(keys, str(error)))


def names_of_files(value: object, keys: Keys = ()) -> Iterator[tuple[Keys, str, Mapping[str, object]]]:
    """The names of files in the starts of a document and of its events: keys, name, and the table around it."""
    if isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from names_of_files(inner, (*keys, number))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            here = (*keys, key)
            if key in _READERS and isinstance(inner, str) and any(str(one).endswith("start") for one in keys):
                if value.get("layout") in {None, _READERS[key][0]}:
                    yield here, inner, value
            else:
                yield from names_of_files(inner, here)


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
    if not 1 <= len(rows) <= MAX_POINTS:
        raise _UnfitError(f"{label}: has {len(rows):,} points; must have 1 to {MAX_POINTS:,}")
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
    """The dark parts of an image as lines of text, the first one on top."""
    from PIL import UnidentifiedImageError  # noqa: PLC0415  few scenarios have an image

    label, content = printable(str(path)), read_input(path, MAX_IMAGE_BYTES)
    try:
        shape = _dark(_opened(content))
    except _UnfitError as error:
        raise _UnfitError(f"{label}: {error}") from None
    except UnidentifiedImageError:
        raise _UnfitError(f"{label}: is not a readable image; use {join_words(IMAGE_FORMATS)}") from None
    except (OSError, ValueError, SyntaxError):  # Pillow's words for a damaged file
        raise _UnfitError(f"{label}: is a damaged image") from None
    if not shape.any():
        raise _UnfitError(f"{label}: has no dark pixels; some must be less than half as bright as white")
    return {"rows": rows_of(shape)}


def _opened(content: bytes) -> "Image.Image":
    """The image as it is in the file, not yet decoded; one that is too large is refused."""
    from PIL import Image  # noqa: PLC0415  few scenarios have an image

    too_large = f"has more than {MAX_PIXELS:,} pixels"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the bound here is a lower one
            image = Image.open(BytesIO(content), formats=IMAGE_FORMATS)
    except Image.DecompressionBombError:
        raise _UnfitError(too_large) from None
    if math.prod(image.size) > MAX_PIXELS:
        raise _UnfitError(too_large)
    if max(image.size) > MAX_SIDE:
        raise _UnfitError(f"has a side of more than {MAX_SIDE:,} pixels")
    if image.mode not in EIGHT_BITS:
        raise _UnfitError("has more than 8 bits a color; save it with 8")
    return image


def _dark(image: "Image.Image") -> Shape:
    """The cells of the upright image that are on average less than half as bright as white, on white paper."""
    from PIL import Image, ImageOps  # noqa: PLC0415  few scenarios have an image

    image.load()  # a PNG may have its orientation behind its pixels
    upright = ImageOps.exif_transpose(image).convert("RGBA")
    paper = Image.new("RGBA", upright.size, "white")
    paper.alpha_composite(upright)
    brightness = np.asarray(paper.convert("L"))
    height, width = brightness.shape
    side = -(-max(height, width) // MAX_CELLS)
    down, across = np.arange(0, height, side), np.arange(0, width, side)  # the last cell of a row may be short
    sums = np.add.reduceat(np.add.reduceat(brightness, down, axis=0, dtype=np.int64), across, axis=1)
    dark: Shape = 2 * sums < 255 * np.outer(np.diff(down, append=height), np.diff(across, append=width))
    return dark


_READERS: Mapping[str, tuple[str, Callable[[Path, int | None], Mapping[str, object]]]]
_READERS = {"csv": ("points", _points), "image": ("image", _dark_parts)}
"""By the key with the name of a file: the layout that has the key, and the reader."""
