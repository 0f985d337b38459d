"""PDF: one figure as shapes, on a page of its size, for LaTeX.

A page of paths needs no more of PDF 1.7 than a few operators, so that it is written here. A pixel is 3/4 of a point, as
in SVG. The scenario is attached as a file, which viewers show, and stands in front, uncompressed.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.caps import MAX_COMMENT
from boidsgen.drawing.figure import Figure, Shape
from boidsgen.drawing.glyphs import Path
from boidsgen.output.base import Sign
from boidsgen.output.figure import FigureWriter, number

POINTS = 0.75
"""Points in a pixel."""

_HEAD = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_ATTACHED = re.compile(rb"1 0 obj\n<< /Type /EmbeddedFile /Length (\d{1,9}) >>\nstream\n")
_THROUGH_VEIL = "/ExtGState << /Veil << /SMask << /S /Luminosity /G 7 0 R >> >> >> /XObject << /Inked 8 0 R >>"
"""What a page needs whose shapes are one group, seen through another that is as bright as they are opaque."""
_OPERATORS = {"M": "m", "L": "l", "C": "c", "Z": "h"}


class Pdf(FigureWriter):
    """One page of filled paths and lines."""

    name: ClassVar[str] = "pdf"
    extensions: ClassVar[tuple[str, ...]] = (".pdf",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"%PDF-1."),)

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        file.read(len(_HEAD))
        found = _ATTACHED.match(file.read(96))
        if not found:
            return b""
        length = int(found[1])
        file.seek(len(_HEAD) + found.end())
        text = file.read(min(length, MAX_COMMENT))
        if len(text) < length:
            raise ValueError("the attached file is cut off")
        return text

    @override
    def encoded(self, figure: Figure) -> bytes:
        width, height = (side * POINTS for side in figure.size)
        text = self.text.encode()
        turned = f"{POINTS} 0 0 -{POINTS} 0 {number(height)} cm"
        veiled = figure.see_through
        # The veil would be laid over each shape by itself, so that they are put together to a group first.
        shapes = ["/Veil gs /Inked Do"] if veiled else _figure(figure)
        groups = [_group(one) for one in (figure.shades(), figure.inked())] if veiled else []
        used = f"<< {_THROUGH_VEIL} >>" if veiled else "<< >>"
        names = "/Names << /EmbeddedFiles << /Names [(scenario.toml) 2 0 R] >> >>"
        box = f"[0 0 {number(width)} {number(height)}]"
        return _joined(
            [
                _stream("/Type /EmbeddedFile ", text),
                b"<< /Type /Filespec /F (scenario.toml) /UF (scenario.toml) /EF << /F 1 0 R >> >>",
                f"<< /Type /Catalog /Pages 4 0 R {names if text else ''} >>".encode(),
                b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
                f"<< /Type /Page /Parent 4 0 R /MediaBox {box} /Resources {used} /Contents 6 0 R >>".encode(),
                _stream("/Filter /FlateDecode ", _packed([turned, *shapes])),
                *groups,
                b"<< /Creator (boidsgen) >>",
            ]
        )


def _group(figure: Figure) -> bytes:
    """All shapes of a figure as one thing."""
    width, height = figure.size
    about = f"/BBox [0 0 {width} {height}] /Group << /S /Transparency /CS /DeviceRGB >> /Resources << >>"
    return _stream(f"/Type /XObject /Subtype /Form {about} /Filter /FlateDecode ", _packed(_figure(figure)))


def _packed(operators: Iterable[str]) -> bytes:
    return zlib.compress("\n".join(operators).encode(), 9)


def _joined(objects: list[bytes]) -> bytes:
    """A file of these objects, of which the third is the catalog and the last tells about the document."""
    content = bytearray(_HEAD)
    places = []
    for index, entry in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (index, entry)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size, start = len(objects) + 1, len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    content += b"trailer\n<< /Size %d /Root 3 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, size - 1, start)
    return bytes(content)


def _stream(about: str, content: bytes) -> bytes:
    return f"<< {about}/Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _figure(figure: Figure) -> Iterator[str]:
    width, height = figure.size
    if figure.background:
        yield f"{_color(figure.background)} rg 0 0 {width} {height} re f"
    yield "1 J 1 j"
    for layer in figure.layers:
        yield "q"
        for path in layer.within:
            yield f"{_written(path)} W* n"
        yield from map(_shape, layer.shapes)
        yield "Q"
    for (left, top), part in figure.parts:
        yield f"q 1 0 0 1 {left} {top} cm 0 0 {part.size[0]} {part.size[1]} re W n"
        yield from _figure(part)
        yield "Q"


def _shape(shape: Shape) -> str:
    if not shape.width:
        return f"{_color(shape.color)} rg {_written(shape.path)} f"
    return f"{_color(shape.color)} RG {number(shape.width)} w {_written(shape.path)} S"


def _color(color: str) -> str:
    return " ".join(number(int(color[start : start + 2], 16) / 255, 4) for start in (1, 3, 5))


def _written(path: Path) -> str:
    return " ".join(
        " ".join([*(f"{number(x)} {number(y)}" for x, y in command.points), _OPERATORS[command.letter]])
        for command in path
    )
