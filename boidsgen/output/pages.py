"""Pages: HTML files that play a scenario in a browser, as a format that embeds it."""

import json
from typing import BinaryIO, ClassVar, Literal

from typing_extensions import override

from boidsgen.errors import MAX_COMMENT
from boidsgen.output.base import Format, Sign
from boidsgen.output.publish import Makes

_SCENARIO = b'<script id="scenario" type="application/json">', b"</script>"
_LONGEST_CHARACTER = len("\\u003c")


class Html(Format):
    """A page; `boidsgen.webpage.writer` makes its text."""

    name: ClassVar[str] = "html"
    extensions: ClassVar[tuple[str, ...]] = (".html", ".htm")
    signs: ClassVar[tuple[Sign, ...]] = ((0, b"<!doctype html>\n"),)
    makes: ClassVar[Makes] = "stream"
    element: ClassVar[Literal["iframe"]] = "iframe"
    needs_ffmpeg: ClassVar[bool] = False

    @classmethod
    @override
    def comment(cls, file: BinaryIO) -> bytes:
        _, found, rest = file.read(_LONGEST_CHARACTER * MAX_COMMENT).partition(_SCENARIO[0])
        text, end, _ = rest.partition(_SCENARIO[1])
        if not found:
            return b""
        if not end:
            raise ValueError("the scenario has no end")
        return str(json.loads(text)).encode()


PAGES: dict[str, type[Html]] = {Html.name: Html}  # Every format of pages by its name
