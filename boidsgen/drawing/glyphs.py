"""Glyphs: text as outlines, for figures that are scaled.

`written(text, size)` gives the outlines of a line of text that begins at the origin, as commands of a path, y downward.
Each letter begins where `lettering` puts it, so that text stands in figures as it stands in pictures.
"""

from functools import cache
from io import BytesIO
from typing import Any, NamedTuple

from boidsgen.drawing.lettering import EM, font_file, offsets

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


def written(text: str, size: int) -> Path:
    """The outlines of a line of text with letters of this height, in pixels, its baseline at the origin."""
    return tuple(
        command.moved(offset, 0.0, round(EM * size))
        for letter, offset in zip(text, offsets(text, size), strict=True)
        for command in _glyph(letter)
    )


@cache
def _glyph(letter: str) -> Path:
    """The outline of one letter in an em of 1."""
    from fontTools.pens.recordingPen import RecordingPen  # noqa: PLC0415  only figures need it

    glyphs, names, em = _font()
    pen = RecordingPen()
    glyphs[names.get(ord(letter), _MISSING)].draw(pen)
    return tuple(
        Command(_LETTERS[name], tuple((x / em, -y / em) for x, y in points))
        for name, points in pen.value
        if name in _LETTERS
    )


@cache
def _font() -> tuple[Any, dict[int, str], float]:
    """The glyphs, the name of each character's, and the units of an em."""
    from fontTools.ttLib import TTFont  # noqa: PLC0415  takes 100 ms

    font = TTFont(BytesIO(font_file()))
    return font.getGlyphSet(), font.getBestCmap(), float(font["head"].unitsPerEm)
