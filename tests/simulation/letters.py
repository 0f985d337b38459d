"""The letters of which boids spell words, drawn from the shipped font.

`python -m tests.simulation.letters` writes `boidsgen/simulation/letters.txt` anew. It is stored, because a library that
draws letters may draw them a little differently from one version to the next, and a start has the same bits everywhere.
"""

from base64 import b64encode
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import boidsgen

STORED = Path(boidsgen.__file__).parent / "simulation" / "letters.txt"
EM = 64
ASCENT = 70  # Rows above the baseline; no letter reaches higher
RANGES = ((0x20, 0x7E), (0xA1, 0xFF), (0x391, 0x3C9), (0x401, 0x401), (0x410, 0x44F), (0x451, 0x451))
"""Printable letters of ASCII and Latin-1, Greek and Russian."""


def font():
    """The font at the size of the stored letters."""
    data = (files("boidsgen.drawing") / "fonts" / "SourceSansPro-Regular.otf").read_bytes()
    return ImageFont.truetype(BytesIO(data), EM, layout_engine=ImageFont.Layout.BASIC)


def known():
    """Every letter that is wanted and that the font has."""
    lacking = bytes(font().getmask("\uffff"))
    wanted = [chr(code) for low, high in RANGES for code in range(low, high + 1)]
    return [letter for letter in wanted if letter.isspace() or bytes(font().getmask(letter)) != lacking]


def drawn(letter):
    """A letter's advance, first column, first row and inked cells."""
    image = Image.new("L", (3 * EM, 2 * EM))
    ImageDraw.Draw(image).text((EM, ASCENT), letter, fill=255, font=font(), anchor="ls")
    ink = np.asarray(image) >= 128
    advance = round(font().getlength(letter))
    if not ink.any():
        return advance, 0, 0, np.zeros((0, 0), dtype=bool)
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    cells = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return advance, int(columns[0]) - EM, int(rows[0]), cells


def line(letter):
    """The line of one letter."""
    advance, left, top, cells = drawn(letter)
    packed = b64encode(np.packbits(cells).tobytes()).decode()
    return f"{letter} {advance} {left} {top} {cells.shape[0]} {cells.shape[1]} {packed}\n"


if __name__ == "__main__":
    STORED.write_text("".join(map(line, known())), "utf-8", newline="\n")
