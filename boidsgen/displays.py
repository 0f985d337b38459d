"""Displays: results that show themselves in notebooks, a picture and a page."""

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Self

from boidsgen.output.publish import open_file
from boidsgen.scenario.loading import for_callers


class Still(tuple[str, ...]):  # noqa: SLOT001  a tuple of any length has no slots
    """Notices about a picture, which displays itself in notebooks."""

    path: Path

    def __new__(cls, path: str | PathLike[str], notices: Iterable[str]) -> Self:
        """Notices about the picture at `path`."""
        made = super().__new__(cls, notices)
        made.path = Path(path)
        return made

    def _repr_png_(self) -> bytes:
        return self.path.read_bytes()


class Webpage(str):  # noqa: SLOT000  a text of any length
    """The text of a page, which displays itself in notebooks, in its own frame."""

    size: tuple[int, int] = (800, 800)
    """Width and height of the frame in pixels."""

    @for_callers
    def save(self, path: str | PathLike[str]) -> Path:
        """Write the page to a file, and return its path."""
        with open_file(fspath(path), "stream") as file:
            file.write(self.encode())
        return Path(path)

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415  it comes with the names of two thousand letters

        width, height = self.size
        frame = f'sandbox="allow-scripts allow-downloads" allow="clipboard-write; fullscreen" width="{width}"'
        return f'<iframe {frame} height="{height}" style="border:0;max-width:100%" srcdoc="{escape(self)}"></iframe>'
