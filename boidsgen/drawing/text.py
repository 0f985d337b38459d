"""Text in pictures: fonts, and lines of text as coverage and as outlines, drawn once per string.

A line of text is in one font: the chosen one if it has all of its characters, else ours, else the first of the system
that has them. Ours is laid out by Pillow alone, letter after letter, so that a machine's own libraries do not matter;
others by raqm where Pillow has it, which joins and orders the letters of Arabic, Devanagari and their like. In ours
figures take each letter's place from Pillow, of others they trace the picture. Sizes are heights of a letter in pixels.
"""

import os
import pathlib
import re
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, TypeVarTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import thresholds
from boidsgen.drawing.shapes import Coverage
from boidsgen.errors import ScenarioError
from boidsgen.simulation.geometry import Array
from boidsgen.system import open_input, parsing, read_input

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont


OUR_FONT = "Source Sans Pro"
"""Adobe, SIL Open Font License 1.1; comes with the package: Latin, Greek, Cyrillic and the signs of arithmetic."""
NO_CHARACTER = "\uffff"  # A character that no font has; it is drawn like all missing glyphs
MAX_REPORTED = 10  # Characters that a report names
FONT_ENDINGS = frozenset({".ttf", ".otf", ".ttc"})
MAX_FONT = 200_000_000  # Bytes of a file
JOINED = "\u0590", "\u1cff"
"""From Hebrew to Vedic: scripts that are written to the left, or whose letters change with their neighbors."""
_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")
_CHOSEN: ContextVar[str] = ContextVar("font", default=OUR_FONT)


@contextmanager
def typeface(name: str | None) -> Iterator[None]:
    """Until the end of the block texts are in this font, a file or the name of a family; None = ours."""
    token = _CHOSEN.set(name or OUR_FONT)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def cached(maxsize: int) -> Callable[[Callable[[Unpack[_Given]], _Result]], Callable[[Unpack[_Given]], _Result]]:
    """Keep the last results of a function of texts, for each typeface its own."""

    def decorated(function: Callable[[Unpack[_Given]], _Result]) -> Callable[[Unpack[_Given]], _Result]:
        known = lru_cache(maxsize)(lambda _, given: function(*given))
        return lambda *given: known(_CHOSEN.get(), given)

    return decorated


def chosen_font() -> str:
    """The font that was chosen: `OURS`, or a file."""
    return find_font(_CHOSEN.get()) or OUR_FONT


@cached(4096)
def font_of(text: str) -> str:
    """The font of a line of text: `OURS`, or a file."""
    first = list(dict.fromkeys((chosen_font(), OUR_FONT)))
    for name in first:
        if not lacking(text, name):
            return name
    return min((*first, *system_fonts()), key=lambda name: len(lacking(text, name)))


@cache
def lacking(text: str, name: str) -> str:
    """The characters of a text that a font lacks, each once, in their order."""
    font = opened_font(name, 20)
    with parsing(f"style.font: {name}"):
        unknown = bytes(font.getmask(NO_CHARACTER))
        return "".join(one for one in dict.fromkeys(text) if not one.isspace() and bytes(font.getmask(one)) == unknown)


def missing_letters(text: str) -> str:
    """The characters of a text that none of the fonts has, each once, in their order."""
    return lacking(text, font_of(text))


def no_glyphs(letters: str, font: str = "the font") -> str:
    """The words that report characters which a font lacks."""
    return f"{font} has no {' '.join(letters[:MAX_REPORTED])}; shown as a box"


def unjoined(text: str) -> str:
    """The characters of a text that this Pillow draws one by one, although their script joins or orders them."""
    return "" if _layout(None) else "".join(one for one in dict.fromkeys(text) if JOINED[0] <= one <= JOINED[1])


@lru_cache(maxsize=32)
def opened_font(name: str, size: int) -> "FreeTypeFont":
    """A font, `OURS` or a file, at a size in pixels."""
    from PIL import ImageFont  # noqa: PLC0415  who only checks a scenario must not wait for it

    file = BytesIO(font_file()) if name == OUR_FONT else name
    with parsing(f"style.font: {name}"):
        return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout(_layout(name)))


@lru_cache(maxsize=2)
def font_file(name: str = OUR_FONT) -> bytes:
    """The content of a font, `OURS` or a file."""
    ours = files("boidsgen.drawing") / "fonts" / "SourceSansPro-Regular.otf"
    return ours.read_bytes() if name == OUR_FONT else read_input(name, MAX_FONT)


def _layout(name: str | None) -> int:
    """0 = letter after letter, 1 = by raqm."""
    from PIL import features  # noqa: PLC0415  who only checks a scenario must not wait for it

    return int(name != OUR_FONT and bool(features.check("raqm")))


def find_font(name: str) -> str | None:
    """The font of a name: `OURS`, a file or a family of the system; None if there is none."""
    if pathlib.Path(name).suffix.lower() not in FONT_ENDINGS:
        return name if name == OUR_FONT else _of_family(name)
    if not pathlib.Path(name).is_file():
        return None
    open_input(name).close()
    return name


@cache
def _of_family(name: str) -> str | None:
    return next((file for file in system_fonts() if opened_font(file, 20).getname()[0] == name), None)


@cache
def system_fonts() -> tuple[str, ...]:
    """The font files of this system that can be scaled, upright sans serifs of usual weight first."""
    found = []
    every = {path for place in _folders() for path in place.rglob("*") if path.suffix.lower() in FONT_ENDINGS}
    for path in sorted(filter(pathlib.Path.is_file, every)):
        with suppress(ScenarioError):  # damaged, or with pictures instead of outlines
            family, style = opened_font(str(path), 20).getname()
            plain = style in {"Regular", "Book", "Roman", "Normal"}
            found.append((not plain, "Sans" not in (family or ""), "Mono" in (family or ""), str(path)))
    return tuple(path for *_, path in sorted(found))


def _folders() -> list[pathlib.Path]:
    """Folders of the system's fonts."""
    home = pathlib.Path(os.path.expanduser("~"))  # noqa: PTH111  not every user has one, which pathlib refuses
    if sys.platform == "darwin":
        return [home / "Library/Fonts", pathlib.Path("/Library/Fonts"), pathlib.Path("/System/Library/Fonts")]
    if sys.platform == "win32":
        return [
            pathlib.Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts",
            home / "AppData/Local/Microsoft/Windows/Fonts",
        ]
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = [home / ".local/share/fonts", home / ".fonts", *(pathlib.Path(one, "fonts") for one in shared.split(":"))]
    return [*filter(pathlib.Path.is_absolute, folders)]


EM = 1.08  # Size of the font that gives letters of the wanted height, as a part of that
ASCENT, DESCENT = 0.97, 0.26
"""Extent of a line of text above and below its baseline, in heights of a letter; accents and tails included."""
LETTER = 0.030  # Height of letters in the text of a picture, as a part of its smaller side
READABLE, SMALLEST = 13.0, 10.0
"""Heights of letters in pixels: in a picture of 360 lines, and in those that are smaller than any that is shown."""
_SIGNS = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # Of Chinese and Japanese
WORD = rf"(?<!\s)(\s*+)([^\s{_SIGNS}]+|\S)"
"""The space before a word and the word; a line may end after each sign of Chinese and Japanese."""
SENTENCE = 12  # The most lines that are made equally long; to look for the best way in whole books would take long
PARAGRAPHS = str.maketrans(dict.fromkeys("\n\r\x1c\x1d\x1e\x85\u2029", " "))
"""Ends of paragraphs, at which raqm gives up; a line has none."""
INKED = 96  # Coverage of what has a rim
TRACED_SCALE = 8  # How many times larger letters of other fonts are where their outlines are traced


def letter_height(size: tuple[int, int], scale: float = 1.0) -> int:
    """Height of letters in a picture of (width, height) pixels, so many times as large as usual.

    They are LETTER of its smaller side; small pictures get larger ones, which can still be read at half their size.
    """
    side = min(size)
    return round(scale * max(LETTER * side, min(READABLE, READABLE / 360 * side), SMALLEST))


@cached(1024)
def lettering(text: str, size: int) -> tuple[Coverage, NDArray[np.bool_]]:
    """Coverage of a line of text, 0 to 255, and what to clear below it; both with a rim of `halo(size)` pixels.

    All lines of one size are equally high, whatever their letters, so that they stand on one baseline.
    """
    from PIL import Image, ImageDraw, ImageFilter  # noqa: PLC0415  who only checks a scenario must not wait for it

    rim, text = halo(size), text.translate(PARAGRAPHS)
    image = Image.new("L", (width(text, size) + 2 * rim, height(size) + 2 * rim))
    font, baseline = _font(text, size)
    ImageDraw.Draw(image).text((rim, rim + baseline), text, fill=255, font=font, anchor="ls")
    spread = image
    for _ in range(rim):  # at once it would take the square of the rim
        spread = spread.filter(ImageFilter.MaxFilter(3))
    return np.asarray(image), np.asarray(spread) > INKED


@cached(1024)
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


@cached(4096)
def width(text: str, size: int) -> int:
    """Width of a line of text, in pixels."""
    return ceil(_font(text, size)[0].getlength(text.translate(PARAGRAPHS))) + 1


def height(size: int) -> int:
    """Height of a line of text, in pixels."""
    return ascent(size) + ceil(DESCENT * size)


def ascent(size: int) -> int:
    """Extent of a line of text above its baseline, in pixels."""
    return ceil(ASCENT * size)


def halo(size: int) -> int:
    """Width of the clear rim round text, in pixels."""
    return max(2, size // 5)


@cached(256)
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
    for space, word in re.findall(WORD, text.strip()):
        longer = broken[-1] + space + word if broken else ""
        if broken and width(longer, size) <= room:
            broken[-1] = longer
        else:
            broken.append(word)
    return tuple(broken)


def _font(text: str, size: int) -> tuple["FreeTypeFont", int]:
    """The font of a line with letters of this height, and where its baseline is below the top of the line.

    Fonts with taller letters than ours are made smaller, so that nothing is cut.
    """
    name, room = font_of(text), height(size)
    font = opened_font(name, round(EM * size))
    if name == OUR_FONT:
        return font, ascent(size)
    above, below = font.getmetrics()
    font = opened_font(name, max(int(EM * size * min(room / max(above + below, 1), 1.0)), 1))
    above, below = font.getmetrics()
    return font, max(min(ascent(size), room - below), above)


_LETTERS = {"moveTo": "M", "lineTo": "L", "curveTo": "C", "closePath": "Z"}
_MISSING = ".notdef"


class Command(NamedTuple):
    """A piece of a path."""

    letter: str  # M to begin at a point, L for a line, C for a cubic curve, Z to close
    points: tuple[tuple[float, float], ...] = ()  # where it leads, the points in between first

    def moved(self, x: float, y: float, scale: float = 1.0) -> "Command":
        """The same command, scaled and then moved."""
        return Command(self.letter, tuple((x + scale * right, y + scale * down) for right, down in self.points))


Path = tuple[Command, ...]


def text_outlines(text: str, size: int) -> Path:
    """The outlines of a line of text with letters of this height, in pixels, its baseline at the origin."""
    text = text.translate(PARAGRAPHS)
    font, baseline = _font(text, size)
    if font_of(text) != OUR_FONT:
        return tuple(command.moved(0.0, baseline - ascent(size), 1 / TRACED_SCALE) for command in _traced(text, size))
    return tuple(
        command.moved(float(font.getlength(text[:number])), 0.0, round(EM * size))
        for number, letter in enumerate(text)
        for command in _glyph(letter)
    )


def _traced(text: str, size: int) -> Path:
    """The outlines of a line in a font of another kind, as its pixels have them when it is FINE times as large."""
    from PIL import Image, ImageDraw  # noqa: PLC0415  who only checks a scenario must not wait for it

    font = _font(text, size)[0]
    large = opened_font(font_of(text), round(TRACED_SCALE * font.size))
    left, top, right, bottom = (round(side) for side in large.getbbox(text, anchor="ls"))
    image = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(image).text((-left, -top), text, fill=255, font=large, anchor="ls")
    path: list[Command] = []
    for contour in outlined(np.asarray(image) > 127):
        path += [Command("L" if number else "M", ((x + left, y + top),)) for number, (x, y) in enumerate(contour)]
        path.append(Command("Z"))
    return tuple(path)


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


def outlined(mask: NDArray[np.bool_]) -> list[Array]:
    """The borders between pixels inside and outside of a mask, each a closed polygon of places, shape (k, 2)."""
    # From each corner the sides of pixels that begin there, the inside always to the same hand.
    ways: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    padded = np.pad(mask, 1).astype(np.int8)
    for axis in (0, 1):
        for row, column in np.argwhere(np.diff(padded, axis=axis)).tolist():
            here = column, row
            beside = (column - 1, row) if axis == 0 else (column, row - 1)
            forth = padded[row + 1, column] if axis == 0 else not padded[row, column + 1]
            start, end = (beside, here) if forth else (here, beside)
            ways[start].append(end)
    contours: list[Array] = []
    while ways:
        here = begin = next(iter(ways))
        places: list[tuple[int, int]] = []
        while not places or here != begin:
            places.append(here)
            ends = ways[here]
            following = ends.pop()
            if not ends:
                del ways[here]
            here = following
        around = zip(places[-1:] + places[:-1], places, places[1:] + places[:1], strict=True)
        turns = [here for before, here, after in around if before[0] != after[0] and before[1] != after[1]]
        contours.append(np.array(turns, float))
    return contours
