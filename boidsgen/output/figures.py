"""Figures: one picture as shapes that scale, in SVG for web pages and in PDF for LaTeX.

Everything is a path, letters too, so that a figure looks alike everywhere. Both formats embed the scenario and the
numbers of the frames that are shown, as pictures do. Coordinates are pixels of the picture; in PDF one is 3/4 point.
"""

import re
import zlib
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.drawing import text as glyphs
from boidsgen.drawing.figure import Figure
from boidsgen.errors import MAX_COMMENT
from boidsgen.output.base import Format, Sign

POINTS = 0.75
"""Points of a PDF in one pixel."""

_METADATA = b'<metadata id="boidsgen">', b"</metadata>"
_LONGEST_CHARACTER = len("&amp;")
_NO_XML = r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

_HEAD = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_ATTACHED = re.compile(rb"1 0 obj\n<< /Type /EmbeddedFile /Length (\d{1,9}) >>\nstream\n")
_MASKED = "<< /ExtGState << /Veil << /SMask << /S /Luminosity /G 7 0 R >> >> >> /XObject << /Inked 8 0 R >> >>"
"""Resources of a page whose shapes are one group, masked by another that is as bright as they are opaque."""
_OPERATORS = {"M": "m", "L": "l", "C": "c", "Z": "h"}


class FigureFormat(Format):
    """A format of figures."""

    @classmethod
    @abstractmethod
    def encoded(cls, figure: Figure, text: str) -> bytes:
        """The whole file, which embeds this text unless it is empty."""


class Svg(FigureFormat):
    """SVG, with the scenario in its metadata."""

    name: ClassVar[str] = "svg"
    extensions: ClassVar[tuple[str, ...]] = (".svg",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"<svg xmlns="),)

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        _, found, rest = file.read(_LONGEST_CHARACTER * MAX_COMMENT).partition(_METADATA[0])
        text, end, _ = rest.partition(_METADATA[1])
        if found and not end:
            raise ValueError("the metadata have no end")
        from xml.sax.saxutils import unescape  # noqa: PLC0415  imports half of what there is for the net

        return unescape(text.decode()).encode()

    @classmethod
    @override
    def encoded(cls, figure: Figure, text: str) -> bytes:
        from xml.sax.saxutils import escape  # noqa: PLC0415  likewise

        width, height = figure.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        text = escape(re.sub(_NO_XML, "\ufffd", text))
        names = count()
        lines = [f'{head} viewBox="0 0 {width} {height}">']
        if text:
            lines.append(f'<metadata id="boidsgen">{text}</metadata>')
        if figure.see_through:  # all shapes in their inks, through a mask of how opaque each is
            lines.append(f'<mask id="veil" maskUnits="userSpaceOnUse" x="0" y="0" width="{width}" height="{height}">')
            lines += _svg_figure(figure.shades(), names)
            lines.append('</mask><g mask="url(#veil)">')
            lines += [*_svg_figure(figure.inked(), names), "</g>"]
        else:
            lines += _svg_figure(figure, names)
        return "\n".join([*lines, "</svg>\n"]).encode()


def _svg_figure(figure: Figure, names: Iterator[int]) -> Iterator[str]:
    width, height = figure.size
    if figure.background:
        yield f'<rect width="{width}" height="{height}" fill="{figure.background}"/>'
    clips: dict[glyphs.Path, str] = {}
    for layer in figure.layers:
        for path in layer.within:
            if path not in clips:
                clips[path] = f"c{next(names)}"
                yield f'<clipPath id="{clips[path]}"><path d="{_svg_path(path)}" clip-rule="evenodd"/></clipPath>'
            yield f'<g clip-path="url(#{clips[path]})">'
        for shape in layer.shapes:
            drawn = f'<path d="{_svg_path(shape.path)}" '
            if shape.width:
                pen = f'stroke-width="{_number(shape.width)}" stroke-linecap="round" stroke-linejoin="round"'
                yield f'{drawn}fill="none" stroke="{shape.color}" {pen}/>'
            else:
                yield f'{drawn}fill="{shape.color}"/>'
        if layer.within:
            yield "</g>" * len(layer.within)
    for (left, top), part in figure.parts:
        yield f'<svg x="{left}" y="{top}" width="{part.size[0]}" height="{part.size[1]}" overflow="hidden">'
        yield from _svg_figure(part, names)
        yield "</svg>"


def _svg_path(path: glyphs.Path) -> str:
    return "".join(one.letter + " ".join(f"{_number(x)} {_number(y)}" for x, y in one.points) for one in path)


class Pdf(FigureFormat):
    """One page of PDF 1.7, with the scenario as an attached file, which is first and uncompressed."""

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
            raise ValueError("the attached file is truncated")
        return text

    @classmethod
    @override
    def encoded(cls, figure: Figure, text: str) -> bytes:
        width, height = (_number(side * POINTS) for side in figure.size)
        masked = figure.see_through
        shapes = ["/Veil gs /Inked Do"] if masked else _pdf_figure(figure)
        box = "/BBox [0 0 {} {}]".format(*figure.size)
        group = f"/Type /XObject /Subtype /Form {box} /Group << /S /Transparency /CS /DeviceRGB >> /Resources << >> "
        # A mask applies to each shape by itself, so that they are put together to a group first.
        groups = [_packed(group, _pdf_figure(one)) for one in (figure.shades(), figure.inked())] if masked else []
        attached = "/Names << /EmbeddedFiles << /Names [(scenario.toml) 2 0 R] >> >>" if text else ""
        page = f"/MediaBox [0 0 {width} {height}] /Resources {_MASKED if masked else '<< >>'} /Contents 6 0 R"
        objects = [
            _stream("/Type /EmbeddedFile ", text.encode()),
            b"<< /Type /Filespec /F (scenario.toml) /UF (scenario.toml) /EF << /F 1 0 R >> >>",
            f"<< /Type /Catalog /Pages 4 0 R {attached} >>".encode(),
            b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 4 0 R {page} >>".encode(),
            _packed("", [f"{POINTS} 0 0 -{POINTS} 0 {height} cm", *shapes]),
            *groups,
            b"<< /Creator (boidsgen) >>",
        ]
        content, offsets = bytearray(_HEAD), b""
        for number, one in enumerate(objects, start=1):
            offsets += b"%010d 00000 n \n" % len(content)
            content += b"%d 0 obj\n%s\nendobj\n" % (number, one)
        size, start = len(objects) + 1, len(content)
        content += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, offsets)
        end = b"trailer\n<< /Size %d /Root 3 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        return bytes(content + end % (size, size - 1, start))


def _packed(about: str, operators: Iterable[str]) -> bytes:
    return _stream(f"{about}/Filter /FlateDecode ", zlib.compress("\n".join(operators).encode(), 9))


def _stream(about: str, content: bytes) -> bytes:
    return f"<< {about}/Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _pdf_figure(figure: Figure) -> Iterator[str]:
    width, height = figure.size
    if figure.background:
        yield f"{_pdf_color(figure.background)} rg 0 0 {width} {height} re f"
    yield "1 J 1 j"
    for layer in figure.layers:
        yield "q"
        for path in layer.within:
            yield f"{_pdf_path(path)} W* n"
        for shape in layer.shapes:
            color, drawn = _pdf_color(shape.color), _pdf_path(shape.path)
            yield f"{color} RG {_number(shape.width)} w {drawn} S" if shape.width else f"{color} rg {drawn} f"
        yield "Q"
    for (left, top), part in figure.parts:
        yield f"q 1 0 0 1 {left} {top} cm 0 0 {part.size[0]} {part.size[1]} re W n"
        yield from _pdf_figure(part)
        yield "Q"


def _pdf_color(color: str) -> str:
    return " ".join(_number(int(color[start : start + 2], 16) / 255, 4) for start in (1, 3, 5))


def _pdf_path(path: glyphs.Path) -> str:
    return " ".join(
        " ".join([*(f"{_number(x)} {_number(y)}" for x, y in one.points), _OPERATORS[one.letter]]) for one in path
    )


def _number(value: float, digits: int = 2) -> str:
    """A number without trailing zeros."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


FIGURES: dict[str, type[FigureFormat]] = {kind.name: kind for kind in (Svg, Pdf)}
"""Every format by its name."""

FIGURE_ENDINGS = tuple(ending for kind in FIGURES.values() for ending in kind.extensions)


def encoded_figure(path: str, figure: Figure, provenance: str = "", at: Sequence[int] = ()) -> bytes:
    """A figure in the format of this path, which embeds the provenance, unless empty, and the numbers of its frames."""
    kind = next(kind for kind in FIGURES.values() if Path(path).suffix.lower() in kind.extensions)
    frames = f"# frame {','.join(map(str, at))}\n" if at else ""
    return kind.encoded(figure, frames + provenance if provenance else "")
