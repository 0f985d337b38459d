"""Figures: one picture as shapes that scale, in SVG for web pages and in PDF for LaTeX.

Everything is a path, letters too, so that a figure looks alike everywhere. Both formats embed the scenario and the
numbers of the frames that are shown, as pictures do. Coordinates are pixels of the picture; in PDF one is 3/4 point.
"""

import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import BinaryIO, ClassVar

from typing_extensions import override

from boidsgen.drawing import text as glyphs
from boidsgen.drawing.vector import Figure
from boidsgen.errors import MAX_COMMENT
from boidsgen.output.pictures import POINTS_PER_PIXEL, Format, Sign, bytes_between, encoded

_METADATA = b'<metadata id="boidsgen">', b"</metadata>"
_NO_XML = r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

_HEAD = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_ATTACHED = re.compile(rb"1 0 obj\n<< /Type /EmbeddedFile /Length (\d{1,9}) >>\nstream\n")
_FIRST_PART = 7
"""Number of the first object that the page draws: an image, a group of shapes, or one that masks the next."""
_OPERATORS = {"M": "m", "L": "l", "C": "c", "Z": "h"}


class Svg(Format):
    """SVG, with the scenario in its metadata."""

    name: ClassVar[str] = "svg"
    extensions: ClassVar[tuple[str, ...]] = (".svg",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"<svg xmlns="),)

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        from xml.sax.saxutils import unescape  # noqa: PLC0415  imports half of what there is for the net

        return unescape(bytes_between(file, *_METADATA, len("&amp;") * MAX_COMMENT).decode()).encode()

    @classmethod
    def encoded(cls, figure: Figure, text: str) -> bytes:
        """The whole file, which embeds this text unless it is empty."""
        from xml.sax.saxutils import escape  # noqa: PLC0415  likewise

        width, height = figure.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        text = escape(re.sub(_NO_XML, "\ufffd", text))
        lines = [f'{head} viewBox="0 0 {width} {height}">']
        if text:
            lines.append(f'<metadata id="boidsgen">{text}</metadata>')
        return "\n".join([*lines, *_svg_figure(figure, count()), "</svg>\n"]).encode()


def _svg_figure(figure: Figure, names: Iterator[int]) -> Iterator[str]:
    width, height = figure.size
    if figure.background:
        yield f'<rect width="{width}" height="{height}" fill="{figure.background}"/>'
    if figure.picture is not None:
        content = b64encode(encoded(figure.picture)).decode()
        yield f'<image width="{width}" height="{height}" href="data:image/png;base64,{content}"/>'
    if figure.see_through:  # all shapes in their inks, through a mask of how opaque each is
        veil = f"v{next(names)}"
        yield f'<mask id="{veil}" maskUnits="userSpaceOnUse" x="0" y="0" width="{width}" height="{height}">'
        yield from _svg_shapes(figure.shades(), names)
        yield f'</mask><g mask="url(#{veil})">'
        yield from _svg_shapes(figure.inked(), names)
        yield "</g>"
    else:
        yield from _svg_shapes(figure, names)
    for (left, top), part in figure.parts:
        yield f'<svg x="{left}" y="{top}" width="{part.size[0]}" height="{part.size[1]}" overflow="hidden">'
        yield from _svg_figure(part, names)
        yield "</svg>"


def _svg_shapes(figure: Figure, names: Iterator[int]) -> Iterator[str]:
    clips: dict[glyphs.Path, str] = {}
    for layer in figure.layers:
        for path in layer.within:
            if path not in clips:
                clips[path] = f"c{next(names)}"
                yield f'<clipPath id="{clips[path]}"><path d="{_svg_path(path)}" clip-rule="evenodd"/></clipPath>'
            yield f'<g clip-path="url(#{clips[path]})">'
        if layer.opacity < 1:
            yield f'<g stroke-opacity="{_number(layer.opacity, 4)}">'
        for shape in layer.shapes:
            drawn = f'<path d="{_svg_path(shape.path)}" '
            if shape.width:
                pen = f'stroke-width="{_number(shape.width)}" stroke-linecap="round" stroke-linejoin="round"'
                yield f'{drawn}fill="none" stroke="{shape.color}" {pen}/>'
            else:
                yield f'{drawn}fill="{shape.color}"/>'
        if groups := len(layer.within) + (layer.opacity < 1):
            yield "</g>" * groups


def _svg_path(path: glyphs.Path) -> str:
    return "".join(one.letter + " ".join(f"{_number(x)} {_number(y)}" for x, y in one.points) for one in path)


class Pdf(Format):
    """One page of PDF 1.7, with the scenario as an attached file, which is first and uncompressed."""

    name: ClassVar[str] = "pdf"
    extensions: ClassVar[tuple[str, ...]] = (".pdf",)
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"%PDF-1."),)

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        content = file.read(len(_HEAD) + MAX_COMMENT)
        found = _ATTACHED.match(content, len(_HEAD))
        if not found:
            return b""
        text = content[found.end() :][: int(found[1])]
        if len(text) < int(found[1]):
            raise ValueError("the attached file is truncated")
        return text

    @classmethod
    def encoded(cls, figure: Figure, text: str) -> bytes:
        """The whole file, which embeds this text unless it is empty."""
        width, height = (_number(side * POINTS_PER_PIXEL) for side in figure.size)
        parts: list[bytes] = []
        shapes = [*_pdf_figure(figure, parts)]
        numbers = range(_FIRST_PART, _FIRST_PART + len(parts))
        masks = " ".join(f"/M{one} << /SMask << /S /Luminosity /G {one} 0 R >> >>" for one in numbers)
        masks += "".join(
            f" /{_state(one)} << /CA {_number(one, 4)} >>"
            for one in sorted({layer.opacity for layer in figure.layers} - {1.0})
        )
        forms = " ".join(f"/X{one} {one} 0 R" for one in numbers)
        attached = "/Names << /EmbeddedFiles << /Names [(scenario.toml) 2 0 R] >> >>" if text else ""
        resources = f"<< /ExtGState << {masks} >> /XObject << {forms} >> >>"
        page = f"/MediaBox [0 0 {width} {height}] /Resources {resources} /Contents 6 0 R"
        objects = [
            _stream("/Type /EmbeddedFile ", text.encode()),
            b"<< /Type /Filespec /F (scenario.toml) /UF (scenario.toml) /EF << /F 1 0 R >> >>",
            f"<< /Type /Catalog /Pages 4 0 R {attached} >>".encode(),
            b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 4 0 R {page} >>".encode(),
            _packed("", [f"{POINTS_PER_PIXEL} 0 0 -{POINTS_PER_PIXEL} 0 {height} cm", *shapes]),
            *parts,
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


def _packed(about: str, content: Iterable[str] | bytes) -> bytes:
    plain = content if isinstance(content, bytes) else "\n".join(content).encode()
    return _stream(f"{about}/Filter /FlateDecode ", zlib.compress(plain, 9))


def _stream(about: str, content: bytes) -> bytes:
    return f"<< {about}/Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _pdf_figure(figure: Figure, parts: list[bytes]) -> Iterator[str]:
    """Operators of a figure; what they need as objects of the file is added to the parts."""
    width, height = figure.size
    if figure.background:
        yield f"{_pdf_color(figure.background)} rg 0 0 {width} {height} re f"
    if figure.picture is not None:
        image = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceRGB "
        parts.append(_packed(f"{image}/BitsPerComponent 8 ", figure.picture.tobytes()))
        yield f"q {width} 0 0 -{height} 0 {height} cm /X{_FIRST_PART + len(parts) - 1} Do Q"
    if figure.see_through:
        group = f"/Type /XObject /Subtype /Form /BBox [0 0 {width} {height}] "
        group += "/Group << /S /Transparency /CS /DeviceRGB >> /Resources << >> "
        # A mask applies to each shape by itself, so that they are put together to a group first.
        parts += [_packed(group, _pdf_shapes(one)) for one in (figure.shades(), figure.inked())]
        last = _FIRST_PART + len(parts) - 1
        yield f"q /M{last - 1} gs /X{last} Do Q"
    else:
        yield from _pdf_shapes(figure)
    for (left, top), part in figure.parts:
        yield f"q 1 0 0 1 {left} {top} cm 0 0 {part.size[0]} {part.size[1]} re W n"
        yield from _pdf_figure(part, parts)
        yield "Q"


def _pdf_shapes(figure: Figure) -> Iterator[str]:
    yield "1 J 1 j"
    for layer in figure.layers:
        yield "q"
        for path in layer.within:
            yield f"{_pdf_path(path)} W* n"
        if layer.opacity < 1:
            yield f"/{_state(layer.opacity)} gs"
        for shape in layer.shapes:
            color, drawn = _pdf_color(shape.color), _pdf_path(shape.path)
            yield f"{color} RG {_number(shape.width)} w {drawn} S" if shape.width else f"{color} rg {drawn} f"
        yield "Q"


def _state(opacity: float) -> str:
    """Name of the graphics state of lines that are as opaque."""
    return f"L{round(opacity * 10_000)}"


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


FIGURES: dict[str, type[Svg | Pdf]] = {kind.name: kind for kind in (Svg, Pdf)}  # Every format by its name

FIGURE_ENDINGS = tuple(ending for kind in FIGURES.values() for ending in kind.extensions)


def encoded_figure(path: str, figure: Figure, provenance: str = "", at: Sequence[int] = ()) -> bytes:
    """A figure in the format of this path, which embeds the provenance, unless empty, and the numbers of its frames."""
    kind = next(kind for kind in FIGURES.values() if Path(path).suffix.lower() in kind.extensions)
    frames = f"# frame {','.join(map(str, at))}\n" if at else ""
    return kind.encoded(figure, frames + provenance if provenance else "")
