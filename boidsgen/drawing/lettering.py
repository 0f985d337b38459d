"""Lettering: text as coverage, drawn once per string in Pillow's own scalable font."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from boidsgen import exact

Coverage = NDArray[np.uint8]


def letter_height(size: tuple[int, int]) -> int:
    """Height of letters in a picture of (width, height) pixels."""
    return round(float(np.clip(11.5 * exact.power(min(size) / 400, "0.55"), 10, 40)))


@lru_cache(maxsize=1024)
def lettering(text: str, size: int) -> tuple[Coverage, NDArray[np.bool_]]:
    """Coverage of a line of text, 0 to 255, and what to clear below it; both with a rim of `halo(size)` pixels.

    All lines of one size are equally high, whatever their letters, so that they stand on one baseline.
    """
    rim = halo(size)
    image = Image.new("L", (width(text, size) + 2 * rim, height(size) + 2 * rim))
    ImageDraw.Draw(image).text((rim, rim), text, fill=255, font=_font(size), anchor="la")
    spread = image.filter(ImageFilter.MaxFilter(2 * rim + 1))
    return np.asarray(image), np.asarray(spread) > 96


@lru_cache(maxsize=4096)
def width(text: str, size: int) -> int:
    """Width of a line of text, in pixels."""
    return int(np.ceil(_font(size).getlength(text))) + 1


def height(size: int) -> int:
    """Height of a line of text, in pixels."""
    ascent, descent = _font(size).getmetrics()
    return ascent + descent


def halo(size: int) -> int:
    """Width of the clear rim round text, in pixels."""
    return max(2, size // 5)


def lines(text: str, size: int, room: int) -> list[str]:
    """The text broken between words so that no line is wider than `room` pixels, unless a single word is."""
    broken: list[str] = []
    for word in text.split():
        if broken and width(f"{broken[-1]} {word}", size) <= room:
            broken[-1] += f" {word}"
        else:
            broken.append(word)
    return broken


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType, so it has no scalable font")
    return font
