"""SVG: one figure as shapes, for papers and web pages.

Everything is a path, letters too, so that it looks alike wherever it is shown. The scenario stands in the metadata.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.caps import MAX_COMMENT
from boidsgen.drawing.figure import Figure, Shape
from boidsgen.drawing.glyphs import Path
from boidsgen.output.base import Sign
from boidsgen.output.figure import FigureWriter, number

_BEFORE, _AFTER = b'<metadata id="boidsgen">', b"</metadata>"
_LONGEST = len("&amp;")
"""Bytes that one letter may have in a file."""
_CONTROL = r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


class Svg(FigureWriter):
    """One figure of filled paths and lines."""

    name: ClassVar[str] = "svg"
    extensions: ClassVar[tuple[str, ...]] = (".svg",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"<svg xmlns="),)

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        _, found, rest = file.read(_LONGEST * MAX_COMMENT).partition(_BEFORE)
        text, whole, _ = rest.partition(_AFTER)
        if found and not whole:
            raise ValueError("the metadata have no end")
        from xml.sax.saxutils import unescape  # noqa: PLC0415  brings along half of what there is for the net

        return unescape(text.decode()).encode()

    @override
    def encoded(self, figure: Figure) -> bytes:
        from xml.sax.saxutils import escape  # noqa: PLC0415  likewise

        width, height = figure.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        text = escape(re.sub(_CONTROL, "\ufffd", self.text))
        lines = [
            f'{head} viewBox="0 0 {width} {height}">',
            *([f'<metadata id="boidsgen">{text}</metadata>'] if text else []),
            *(_veiled if figure.see_through else _figure)(figure, count()),
            "</svg>\n",
        ]
        return "\n".join(lines).encode()


def _veiled(figure: Figure, names: Iterator[int]) -> Iterator[str]:
    """What is partly transparent: all shapes in their inks, seen through a mask of how opaque each is."""
    width, height = figure.size
    yield f'<mask id="veil" maskUnits="userSpaceOnUse" x="0" y="0" width="{width}" height="{height}">'
    yield from _figure(figure.shades(), names)
    yield '</mask><g mask="url(#veil)">'
    yield from _figure(figure.inked(), names)
    yield "</g>"


def _figure(figure: Figure, names: Iterator[int]) -> Iterator[str]:
    width, height = figure.size
    if figure.background:
        yield f'<rect width="{width}" height="{height}" fill="{figure.background}"/>'
    clips: dict[Path, str] = {}
    for layer in figure.layers:
        for path in layer.within:
            if path not in clips:
                clips[path] = f"c{next(names)}"
                yield f'<clipPath id="{clips[path]}"><path d="{_written(path)}" clip-rule="evenodd"/></clipPath>'
            yield f'<g clip-path="url(#{clips[path]})">'
        yield from map(_shape, layer.shapes)
        if layer.within:
            yield "</g>" * len(layer.within)
    for (left, top), part in figure.parts:
        yield f'<svg x="{left}" y="{top}" width="{part.size[0]}" height="{part.size[1]}" overflow="hidden">'
        yield from _figure(part, names)
        yield "</svg>"


def _shape(shape: Shape) -> str:
    if not shape.width:
        return f'<path d="{_written(shape.path)}" fill="{shape.color}"/>'
    pen = f'stroke="{shape.color}" stroke-width="{number(shape.width)}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{_written(shape.path)}" fill="none" {pen}/>'


def _written(path: Path) -> str:
    return "".join(command.letter + " ".join(f"{number(x)} {number(y)}" for x, y in command.points) for command in path)
