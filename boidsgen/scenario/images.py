"""Images at whose dark parts boids start, as lines of text.

The size of an image is checked before it is decoded, and it is never copied whole: sixteen million pixels take 64 MB.
An image on its side, as photographs often are, is turned piece by piece.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from boidsgen.scenario.wording import one_of
from boidsgen.simulation.bitmaps import Shape, rows_of

if TYPE_CHECKING:
    from PIL import Image

MAX_IMAGE_BYTES = 32_000_000
"""Maximum size of an image in bytes."""
MAX_PIXELS = 16_000_000
"""Maximum number of pixels of an image."""
MAX_SIDE = 65_535
"""Maximum pixels along a side; Pillow takes memory for each row, however short."""
MAX_CELLS = 160
"""Cells along the longer side of the result."""
PIXELS_AT_ONCE = 1 << 18
"""Pixels that are converted together."""
FORMATS = ("PNG", "JPEG", "GIF", "BMP")
"""Formats that are read, by Pillow's names."""
EIGHT_BITS = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK")
"""Pillow's modes with eight bits a channel."""
LUMA = (299, 587, 114)
"""Weights of red, green and blue in luma, in thousandths (ITU-R BT.601)."""


class UnfitImageError(Exception):
    """The file cannot be read as an image; the message is the reason."""


def dark_parts(content: bytes) -> tuple[str, ...]:
    """The dark parts of an image as lines of text, the first one on top.

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


_ORIENTATIONS: Mapping[object, tuple[bool, bool, bool]] = {
    2: (True, False, False),
    3: (True, True, False),
    4: (False, True, False),
    5: (False, False, True),
    6: (False, True, True),
    7: (True, True, True),
    8: (True, False, True),
}
"""By Exif's number (2.32, 4.6.4): read columns from the right, read rows from the bottom, swap rows and columns."""


def _decoded(content: bytes) -> "Image.Image":
    """The image as it is in the file; one that is too large is not decoded."""
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
    """The cells of the upright image that are less than half as bright as white, on white paper."""
    from PIL.ExifTags import Base  # noqa: PLC0415  few scenarios have an image

    image.load()  # a PNG may have its orientation behind its pixels
    flipped, upside_down, across = _ORIENTATIONS.get(image.getexif().get(Base.Orientation), (False, False, False))
    side = -(-max(image.size) // MAX_CELLS)
    columns, rows = ([*range(0, length, side), length] for length in image.size)  # ends of cells; the last may be short
    if flipped:
        columns = [image.width - end for end in reversed(columns)]
    if upside_down:
        rows = [image.height - end for end in reversed(rows)]
    bands = []
    for top, bottom in pairwise(rows):  # in pieces: all pixels of a large image, as numbers, would take too much memory
        at_once = max(1, PIXELS_AT_ONCE // ((bottom - top) * side))
        pieces = (columns[first : first + at_once + 1] for first in range(0, len(columns) - 1, at_once))
        bands.append(np.concatenate([_dark_cells(image, piece, top, bottom) for piece in pieces]))
    lying = np.stack(bands)[:: -1 if upside_down else 1, :: -1 if flipped else 1]
    return lying.T if across else lying


def _dark_cells(image: "Image.Image", columns: Sequence[int], top: int, bottom: int) -> Shape:
    """The dark ones of some cells side by side, by the mean over the pixels of each, in exact integers."""
    pixels = np.asarray(image.crop((columns[0], top, columns[-1], bottom)).convert("RGBA")).astype(np.int64)
    opacity = pixels[..., 3]
    brightness = (pixels[..., :3] @ np.array(LUMA)) * opacity + 255 * sum(LUMA) * (255 - opacity)
    sums = np.add.reduceat(brightness.sum(axis=0), np.subtract(columns[:-1], columns[0]))
    dark: Shape = 2 * sums < 255 * 255 * sum(LUMA) * (bottom - top) * np.diff(columns)
    return dark
