"""Contents of files of tracks: unpacked, and texts of other systems as UTF-8.

A text may begin with lines of comments, `#`, and separates its columns by commas, tabs or semicolons, by those of which
its first line has most. With semicolons, a comma is a decimal point.
"""

import codecs
import gzip
import re
from io import BytesIO
from typing import NamedTuple
from zipfile import ZipFile

from boidsgen.errors import LimitError, ScenarioError, printable

MAX_CONTENT = 400_000_000  # Bytes of a file once unpacked
HEAD_LINES = 4  # Of which a table may have that many before its rows
_COMMENTS = re.compile(rb"(?:[ \t]*#[^\n]*\n)+")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class TextTable(NamedTuple):
    """The text of a table."""

    content: bytes  # UTF-8
    heads: list[bytes]  # its first lines
    separator: str
    decimal: str
    skipped: int  # lines before the names of columns


def unpacked(content: bytes, path: str) -> tuple[bytes, str]:
    """The content and kind of a file, or of the only one in a `.gz` or `.zip`; errors name the file.

    Raises:
        ScenarioError: an archive has several files, or none.
        LimitError: the content is too large.
    """
    kind = path.lower().rpartition(".")[2]
    if kind == "gz":
        with gzip.open(BytesIO(content)) as file:
            content, path = file.read(MAX_CONTENT + 1), path[:-3]
    elif kind == "zip":
        with ZipFile(BytesIO(content)) as archive:
            names = [one for one in archive.namelist() if not one.endswith("/") and not one.startswith("__MACOSX/")]
            if len(names) != 1:
                some = printable(", ".join(names[:HEAD_LINES])) or "none"
                raise ScenarioError([f"{path}: must pack one file, not {len(names)}: {some}; unpack it first"])
            with archive.open(names[0]) as file:
                content, path = file.read(MAX_CONTENT + 1), names[0]
    if len(content) > MAX_CONTENT:
        raise LimitError(f"{path}: more than {MAX_CONTENT:,} bytes when unpacked, {MAX_CONTENT:,} allowed")
    return content, path.lower().rpartition(".")[2]


def text_table(content: bytes, kind: str) -> TextTable:
    """A table in UTF-8 or, as Excel's Unicode text, in UTF-16, without a byte order mark and leading comments."""
    if content.startswith(_UTF_16):
        content = content.decode("utf-16").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    if found := _COMMENTS.match(content):
        content = content[found.end() :]
    file, skipped = BytesIO(content), 6 if content.startswith(b'"BehaviorSpace') else 0  # of NetLogo
    heads = [file.readline() for _ in range(skipped + HEAD_LINES)][skipped:]
    separators = [",", "\t", ";"] if kind == "csv" else ["\t", ",", ";"]  # the first one of those as frequent
    separator = max(separators, key=lambda one: heads[0].count(one.encode()))
    return TextTable(content, heads, separator, "," if separator == ";" else ".", skipped)
