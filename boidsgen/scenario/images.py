"""Images at whose dark parts boids start: what a file holds, as lines of text.

  dark_parts(content)   where an image is dark, in at most `MAX_CELLS` cells along a side

The size of an image is looked at before it is decoded, and then it is never copied whole: sixteen million pixels take
64 MB. That goes for one that lies on its side too, as photographs do: it is turned piece by piece.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boidsgen.scenario.wording import one_of
from boidsgen.simulation.bitmaps import Shape, rows_of

if TYPE_CHECKING:
    from PIL import Image

MAX_IMAGE_BYTES = 32_000_000
"""Bytes that an image may have."""
MAX_PIXELS = 16_000_000
"""Pixels that an image may have."""
MAX_SIDE = 65_535
"""Pixels along a side of an image; Pillow takes memory for each row, however short."""
MAX_CELLS = 160
"""Cells along the longer side of what is kept of an image."""
PIXELS_AT_ONCE = 1 << 18
"""Pixels of an image that are looked at together."""
FORMATS = ("PNG", "JPEG", "GIF", "BMP")
"""Kinds of images that are read, by Pillow's names."""
EIGHT_BITS = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK")
"""Pillow's modes whose brightness does not depend on what somebody makes of more than eight bits."""
LUMA = (299, 587, 114)
"""Parts in a thousand of red, green and blue in how bright a pixel looks (ITU-R BT.601)."""


class UnfitImageError(Exception):
    """The file cannot be read as an image; the message says why."""


def dark_parts(content: bytes) -> tuple[str, ...]:
    """Where an image is dark, as lines of text, the first one on top.

    Args:
        content: of a file in one of `FORMATS`.

    Raises:
        UnfitImageError: if it is no image, a damaged one, too large or dark nowhere.
    """
    from PIL import UnidentifiedImageError  # noqa: PLC0415  few scenarios have an image

    try:
        shape = _dark(_decoded(content))
    except UnidentifiedImageError:
        raise UnfitImageError(f"is no image that can be read; use {one_of(FORMATS)}") from None
    except (OSError, ValueError, SyntaxError):  # Pillow's words for a damaged file
        raise UnfitImageError("is a damaged image") from None
    if not shape.any():
        raise UnfitImageError("is dark nowhere; must be less than half as bright as white somewhere")
    return rows_of(shape)


class _Way(NamedTuple):
    """How the rows and columns of a file make an upright image (Exif 2.32, 4.6.4, Orientation).

    Attributes:
        from_right: columns are read from the right to the left.
        from_bottom: rows are read from the bottom to the top.
        across: what was read as rows are columns.
    """

    from_right: bool = False
    from_bottom: bool = False
    across: bool = False


_UPRIGHT = _Way()
_WAYS: Mapping[object, _Way] = {
    2: _Way(from_right=True),
    3: _Way(from_right=True, from_bottom=True),
    4: _Way(from_bottom=True),
    5: _Way(across=True),
    6: _Way(from_bottom=True, across=True),
    7: _Way(from_right=True, from_bottom=True, across=True),
    8: _Way(from_right=True, across=True),
}
"""By the number in the file."""


def _decoded(content: bytes) -> "Image.Image":
    """The image as it lies in the file; what is too large is not decoded."""
    from PIL import Image  # noqa: PLC0415  few scenarios have an image

    too_large = f"has more than {MAX_PIXELS:,} pixels"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the bound here is a lower one
            image = Image.open(BytesIO(content), formats=FORMATS)
    except Image.DecompressionBombError:
        raise UnfitImageError(too_large) from None
    if math.prod(image.size) > MAX_PIXELS:
        raise UnfitImageError(too_large)
    if max(image.size) > MAX_SIDE:
        raise UnfitImageError(f"has a side of more than {MAX_SIDE:,} pixels")
    if image.mode not in EIGHT_BITS:
        raise UnfitImageError("has more than 8 bits a color; save it with 8")
    return image


def _dark(image: "Image.Image") -> Shape:
    """Which cells of the upright image are less than half as bright as white, on white paper."""
    from PIL.ExifTags import Base  # noqa: PLC0415  few scenarios have an image

    image.load()  # a PNG may say behind its pixels how it lies
    way = _WAYS.get(image.getexif().get(Base.Orientation), _UPRIGHT)
    side = -(-max(image.size) // MAX_CELLS)
    columns, rows = _ends(image.width, side), _ends(image.height, side)
    if way.from_right:
        columns = _mirrored(columns)
    if way.from_bottom:
        rows = _mirrored(rows)
    bands = [_dark_band(image, columns, top, bottom, side) for top, bottom in pairwise(rows)]
    lying = np.stack(bands)[:: -1 if way.from_bottom else 1, :: -1 if way.from_right else 1]
    return lying.T if way.across else lying


def _ends(length: int, side: int) -> Sequence[int]:
    """Where the first cell along a length begins, and where each ends; the last may have fewer pixels than `side`."""
    return [*range(0, length, side), length]


def _mirrored(ends: Sequence[int]) -> Sequence[int]:
    """The same, counted from the other end."""
    return [ends[-1] - end for end in reversed(ends)]


def _dark_band(image: "Image.Image", columns: Sequence[int], top: int, bottom: int, side: int) -> Shape:
    """A row of cells in pieces: all pixels of a large image, as numbers, would take too much memory."""
    at_once = max(1, PIXELS_AT_ONCE // ((bottom - top) * side))
    pieces = (columns[first : first + at_once + 1] for first in range(0, len(columns) - 1, at_once))
    return np.concatenate([_dark_cells(image, piece, top, bottom) for piece in pieces])


def _dark_cells(image: "Image.Image", columns: Sequence[int], top: int, bottom: int) -> Shape:
    """Which of some cells side by side are dark, by the mean over the pixels of each.

    In whole numbers, which are equal everywhere.
    """
    pixels = np.asarray(image.crop((columns[0], top, columns[-1], bottom)).convert("RGBA")).astype(np.int64)
    opacity = pixels[..., 3]
    brightness = (pixels[..., :3] @ np.array(LUMA)) * opacity + 255 * sum(LUMA) * (255 - opacity)
    sums = np.add.reduceat(brightness.sum(axis=0), np.subtract(columns[:-1], columns[0]))
    dark: Shape = 2 * sums < 255 * 255 * sum(LUMA) * (bottom - top) * np.diff(columns)
    return dark
