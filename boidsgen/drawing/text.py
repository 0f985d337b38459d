"""Text in pictures, as coverage and as outlines, drawn once per string.

The font is Source Sans Pro (Adobe, SIL Open Font License 1.1), which comes with the package: Latin, Greek, Cyrillic and
the signs of arithmetic, digits equally wide. Letters are laid out one after the other, by Pillow alone, so that a
machine's own libraries do not matter; figures take each letter's place from there. Sizes are heights of a letter in
pixels.
"""

from bisect import bisect_left
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.quantization import thresholds
from boidsgen.drawing.strokes import Coverage

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont


EM = 1.08
"""Size of the font that gives letters of the wanted height, as a part of that."""
ASCENT, DESCENT = 0.97, 0.26
"""Extent of a line of text above and below its baseline, in heights of a letter; accents and tails included."""
LETTER = 0.030
"""Height of letters in the text of a picture, as a part of its smaller side."""
READABLE, SMALLEST = 13.0, 10.0
"""Heights of letters in pixels: in a picture of 360 lines, and in those that are smaller than any that is shown."""
SENTENCE = 12
"""The most lines that are made equally long; to look for the best way in whole books would take long."""
INKED = 96
"""Coverage of what has a rim."""
NO_CHARACTER = "\uffff"
"""A character that no font has; it is drawn like all missing glyphs."""


def letter_height(size: tuple[int, int], scale: float = 1.0) -> int:
    """Height of letters in a picture of (width, height) pixels, so many times as large as usual.

    They are LETTER of its smaller side; small pictures get larger ones, which can still be read at half their size.
    """
    side = min(size)
    return round(scale * max(LETTER * side, min(READABLE, READABLE / 360 * side), SMALLEST))


@lru_cache(maxsize=1024)
def lettering(text: str, size: int) -> tuple[Coverage, NDArray[np.bool_]]:
    """Coverage of a line of text, 0 to 255, and what to clear below it; both with a rim of `halo(size)` pixels.

    All lines of one size are equally high, whatever their letters, so that they stand on one baseline.
    """
    from PIL import Image, ImageDraw, ImageFilter  # noqa: PLC0415  who only checks a scenario must not wait for it

    rim = halo(size)
    image = Image.new("L", (width(text, size) + 2 * rim, height(size) + 2 * rim))
    baseline = rim + ascent(size)
    ImageDraw.Draw(image).text((rim, baseline), text, fill=255, font=_font(size), anchor="ls")
    spread = image.filter(ImageFilter.MaxFilter(2 * rim + 1))
    return np.asarray(image), np.asarray(spread) > INKED


@lru_cache(maxsize=1024)
def shaded(text: str, size: int) -> tuple[Coverage, NDArray[np.bool_]]:
    """The same with a rim that is round and thins out, for grounds on which the edge of a rim would be seen."""
    coverage, _ = lettering(text, size)
    ink = coverage > INKED
    near = np.zeros(ink.shape)
    for row, column, strength in _disc(halo(size)):
        np.maximum(near, strength * np.roll(ink, (row, column), axis=(0, 1)), out=near)
    return coverage, near > thresholds((ink.shape[1], ink.shape[0]))


@cache
def _disc(radius: int) -> list[tuple[int, int, float]]:
    """Places round a pixel, as rows and columns from there, and how strong a rim is there: full in its inner half."""
    around = range(-radius, radius + 1)
    away = [(row, column, sqrt(row * row + column * column)) for row in around for column in around]
    return [(row, column, min(2 * (1 - far / (radius + 1)), 1.0)) for row, column, far in away if far <= radius]


@lru_cache(maxsize=4096)
def width(text: str, size: int) -> int:
    """Width of a line of text, in pixels."""
    return ceil(_font(size).getlength(text)) + 1


def height(size: int) -> int:
    """Height of a line of text, in pixels."""
    return ascent(size) + ceil(DESCENT * size)


def ascent(size: int) -> int:
    """Extent of a line of text above its baseline, in pixels."""
    return ceil(ASCENT * size)


def halo(size: int) -> int:
    """Width of the clear rim round text, in pixels."""
    return max(2, size // 5)


@lru_cache(maxsize=256)
def lines(text: str, size: int, room: int) -> tuple[str, ...]:
    """The text broken between words so that no line is wider than `room` pixels, unless a single word is.

    There are as few lines as can be. Those of a sentence are as equally long as can be: no word is alone in the last.
    """
    filled = _filled(text, size, room)
    count = len(filled)
    if not 1 < count <= SENTENCE:
        return filled
    narrowest = bisect_left(range(room), x=True, key=lambda narrower: len(_filled(text, size, narrower)) <= count)
    return _filled(text, size, narrowest)


def _filled(text: str, size: int, room: int) -> tuple[str, ...]:
    """The text in lines of which each has as many words as there is room for."""
    broken: list[str] = []
    for word in text.split():
        if broken and width(f"{broken[-1]} {word}", size) <= room:
            broken[-1] += f" {word}"
        else:
            broken.append(word)
    return tuple(broken)


@cache
def missing(text: str) -> str:
    """The characters of a text that the font lacks, each once, in their order."""
    unknown = _drawn(NO_CHARACTER)
    return "".join(letter for letter in dict.fromkeys(text) if not letter.isspace() and _drawn(letter) == unknown)


def _drawn(letter: str) -> bytes:
    return bytes(_font(20).getmask(letter))


@lru_cache(maxsize=16)
def _font(size: int) -> "FreeTypeFont":
    from PIL import ImageFont  # noqa: PLC0415  who only checks a scenario must not wait for it

    return ImageFont.truetype(BytesIO(font_file()), round(EM * size), layout_engine=ImageFont.Layout.BASIC)


@cache
def font_file() -> bytes:
    """The font, as it comes with the package."""
    return (files("boidsgen.drawing") / "fonts" / "SourceSansPro-Regular.otf").read_bytes()


_LETTERS = {"moveTo": "M", "lineTo": "L", "curveTo": "C", "closePath": "Z"}
_MISSING = ".notdef"


class Command(NamedTuple):
    """A piece of a path.

    Attributes:
        letter: M to begin at a point, L for a line, C for a cubic curve, Z to close.
        points: where it leads, the points in between first.
    """

    letter: str
    points: tuple[tuple[float, float], ...] = ()

    def moved(self, x: float, y: float, scale: float = 1.0) -> "Command":
        """The same command, scaled and then moved."""
        return Command(self.letter, tuple((x + scale * right, y + scale * down) for right, down in self.points))


Path = tuple[Command, ...]


def text_outlines(text: str, size: int) -> Path:
    """The outlines of a line of text with letters of this height, in pixels, its baseline at the origin."""
    return tuple(
        command.moved(float(_font(size).getlength(text[:number])), 0.0, round(EM * size))
        for number, letter in enumerate(text)
        for command in _glyph(letter)
    )


@cache
def _glyph(letter: str) -> Path:
    """The outline of one letter in an em of 1."""
    from fontTools.pens.recordingPen import RecordingPen  # noqa: PLC0415  only figures need it

    glyphs, names, em = _glyph_set()
    pen = RecordingPen()
    glyphs[names.get(ord(letter), _MISSING)].draw(pen)
    return tuple(
        Command(_LETTERS[name], tuple((x / em, -y / em) for x, y in points))
        for name, points in pen.value
        if name in _LETTERS
    )


@cache
def _glyph_set() -> tuple[Any, dict[int, str], float]:
    """The glyphs, the name of each character's, and the units of an em."""
    from fontTools.ttLib import TTFont  # noqa: PLC0415  takes 100 ms

    font = TTFont(BytesIO(font_file()))
    return font.getGlyphSet(), font.getBestCmap(), float(font["head"].unitsPerEm)
