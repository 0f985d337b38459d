"""Sheets: a page of the course as one page of A4 in PDF, a worksheet to fill in or the solutions to it."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise, zip_longest
from typing import NamedTuple

from boidsgen.drawing.text import text_outlines, width
from boidsgen.drawing.vector import Figure, FigureLayer, FigureShape, box_path
from boidsgen.errors import LimitError
from boidsgen.output.figures import Pdf

WIDTH, HEIGHT, MARGIN = 794, 1123, 60  # A4 in pixels of 3/4 point
ROOM = WIDTH - 2 * MARGIN
SIZES = (13, 11, 10, 9, 8)  # Heights of letters; the largest with which everything fits is taken
SPACE = 0.22  # Width of a space, in heights of a letter
LEADING = 1.45  # Distance of two lines, in heights of a letter
ASKED = ("Predict", "Try", "Hand in")  # Sections of a worksheet
RULED = "\n\n______\n\n"  # Lines to write on
INK, BLUE, GRAY = "#1b1f27", "#3344aa", "#b8bcc6"
_BLOCK = re.compile(
    r"^```\w*\n(?P<code>.*?)^```$|^(?P<table>\|.*?\|)(?=\n\n|\n*\Z)|^(?P<heading>#+ .+?)$"
    r"|^<summary>(?P<answer>.*?)</summary>$|^(?P<space>_+)$|^(?P<text>(?!```)[^\n#|<!].*?)(?=\n\n|\n*\Z|\n```)",
    re.DOTALL | re.MULTILINE,
)


class Line(NamedTuple):
    """A line of a sheet; without text it is one to write on."""

    text: str
    size: int
    color: str = INK
    gap: float = 0.0  # free height above, in its sizes
    x: float = MARGIN


def sheet(page: str, *, solved: bool) -> bytes:
    """A PDF of a page of the course in Markdown, without its pictures; LimitError if it does not fit one page."""
    text = solutions(page) if solved else questions(page)
    for size in SIZES:
        rows = [[Line("Solutions" if solved else "Worksheet", size, GRAY)], *_rows(text, size)]
        if sum(_height(row) for row in rows) < HEIGHT - 2 * MARGIN:
            return Pdf.encoded(Figure((WIDTH, HEIGHT), "#ffffff", (FigureLayer((), tuple(_shapes(rows))),)), "")
    raise LimitError(f"{text.splitlines()[0]}: does not fit one page")


def questions(page: str) -> str:
    """The head of a page and what students are asked to do, with space to write but without answers."""
    head, sections = _parts(page)
    return head + "".join(one.partition("<details")[0] + RULED for one in sections if one[3:].startswith(ASKED))


def solutions(page: str) -> str:
    """The head of a page, its answers, measurements and explanations."""
    head, sections = _parts(page)
    return head + "".join(one for one in sections if not one[3:].startswith(ASKED) or "<details" in one)


def _parts(page: str) -> tuple[str, Sequence[str]]:
    """The text above the first heading of a section, without commands, and the sections."""
    head, *sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return re.sub(r"^```sh\n.*?^```\n", "", head, flags=re.DOTALL | re.MULTILINE), sections


def _height(row: Sequence[Line]) -> float:
    return row[0].size * (LEADING + max(line.gap for line in row))


def _shapes(rows: Sequence[Sequence[Line]]) -> Iterator[FigureShape]:
    y = float(MARGIN)
    for row in rows:
        y += _height(row)
        for line in row:
            x, outline = line.x, [] if line.text else [*box_path((line.x, y), (line.x + ROOM, y + 1))]
            for word in line.text.split(" "):
                outline += (one.moved(x, y) for one in _outline(word, line.size))
                x += _width(word, line.size) + SPACE * line.size
            yield FigureShape(tuple(outline), line.color)


_outline, _width = cache(text_outlines), cache(width)  # of words: most come again


def _wrapped(text: str, size: int, room: float) -> Sequence[str]:
    """A text in lines that are no wider than the room."""
    broken, x = list[str](), room
    for word in text.split(" "):
        x += SPACE * size + _width(word, size)
        if x > room:
            broken.append(word)
            x = _width(word, size)
        else:
            broken[-1] += f" {word}"
    return broken


def _rows(text: str, size: int) -> Iterator[Sequence[Line]]:
    """Rows of a text in Markdown, each of one or more lines side by side."""
    for block in _BLOCK.finditer(text):
        kind, content = block.lastgroup, _plain(block[block.lastgroup or 0])
        if kind == "heading":
            yield [Line(content.lstrip("# "), round(size * (1.7 if block[0].startswith("# ") else 1.25)), BLUE, 0.6)]
        elif kind == "code":
            for line in block["code"].splitlines():
                yield from ([Line(part or " ", size, BLUE, x=MARGIN + size)] for part in _wrapped(line, size, ROOM))
        elif kind == "table":
            cells = [[*map(_plain, row.strip("|").split("|"))] for row in block["table"].splitlines()]
            yield from _table([cells[0], *cells[2:]], size)
        elif kind == "space":
            yield from ([Line("", size, GRAY, 0.7)] for _ in content)
        else:
            for number, part in enumerate(_wrapped(content, size, ROOM)):
                yield [Line(part, size, BLUE if kind == "answer" else INK, 0.0 if number else 0.5)]


def _table(rows: Sequence[Sequence[str]], size: int) -> Iterator[Sequence[Line]]:
    """Rows of a table, whose columns are as wide as they need, or at least as their longest words."""
    columns, gap = [*zip(*rows, strict=True)], 2 * size
    least = [gap + max(_width(word, size) for cell in one for word in cell.split(" ")) for one in columns]
    whole = [gap + max(_width(cell, size) for cell in one) for one in columns]
    share = min(1.0, (ROOM - sum(least)) / max(sum(whole) - sum(least), 1))
    ends = [*accumulate((own + share * (full - own) for own, full in zip(least, whole, strict=True)), initial=MARGIN)]
    for number, row in enumerate(rows):
        broken = [_wrapped(cell, size, end - x - gap) for cell, (x, end) in zip(row, pairwise(ends), strict=True)]
        for part, across in enumerate(zip_longest(*broken)):
            color, above = INK if number else BLUE, 0.0 if part else 0.3
            yield [Line(cell, size, color, above, x) for cell, x in zip(across, ends, strict=False) if cell]


def _plain(text: str) -> str:
    """Text without the marks of Markdown."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)|\*\*|`", r"\1", " ".join(text.split()))
    return re.sub(r"(?<!\w)\*(\S[^*]*)\*", r"\1", text)
