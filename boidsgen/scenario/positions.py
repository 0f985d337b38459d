r"""Positions: the line of each key in the text of a TOML document.

`line_of("[flock]\ncount = 3\n")(("flock", "count"))` is 2. Entries of arrays are numbers from 0. A missing key has the
line of the nearest table around it. The text must have been accepted by `tomllib` before: only lines are read here.
"""

import re
import tomllib
from collections.abc import Callable
from functools import lru_cache

Keys = tuple[str | int, ...]
"""The way to a value: names of keys, numbers of entries in arrays."""

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = re.compile(r"[ \t]*")
_STRING = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}'  # up to two quotes may stand before the closing three
    r"|'''(?:[^']++|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\]++|\\.)*+"'
    r"|'[^']*'",
    re.DOTALL,
)
_BARE = re.compile(r"[^\s#,=\[\]{}.'\"]+")
_SCALAR = re.compile(r"[^\n#,\[\]{}'\"]+")


@lru_cache(maxsize=4)  # every error in a document asks
def line_of(text: str) -> Callable[[Keys], int]:
    """A function that gives the line of a key of this document, counted from 1."""
    lines = _Reader(text).read()

    def line(keys: Keys) -> int:
        while keys and keys not in lines:
            keys = keys[:-1]
        return lines.get(keys, 1)

    return line


class _Reader:
    """One pass over a document; `place` is the next character, `line` the line it is in."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._line = 1
        self._lines: dict[Keys, int] = {}
        self._tables: dict[Keys, int] = {}  # tables seen so far in each array of tables

    def read(self) -> dict[Keys, int]:
        table: Keys = ()
        while self._peek(_BLANK):
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _header(self) -> Keys:
        several = self._text.startswith("[[", self._place)
        self._place += 1 + several
        keys: Keys = ()
        *outer, last = self._key()
        self._place += 1 + several
        for name in outer:
            keys = self._latest((*keys, name))
        keys = (*keys, last)
        if several:
            self._tables[keys] = self._tables.get(keys, 0) + 1
            keys = self._latest(keys)
        self._lines[keys] = self._line
        return keys

    def _latest(self, keys: Keys) -> Keys:
        """These keys, and where they name an array of tables, its last table."""
        self._lines.setdefault(keys, self._line)
        number = self._tables.get(keys)
        return keys if number is None else (*keys, number - 1)

    def _pair(self, table: Keys) -> None:
        for name in self._key():
            table = (*table, name)
            self._lines.setdefault(table, self._line)
        self._place += 1  # the equals sign
        self._value(table)

    def _key(self) -> tuple[str, ...]:
        names: list[str] = []
        while not names or self._peek() == ".":
            self._place += bool(names)
            quoted = self._peek() in {'"', "'"}
            names.append(tomllib.loads(f"name = {self._take(_STRING)}")["name"] if quoted else self._take(_BARE))
        self._peek()
        return tuple(names)

    def _value(self, keys: Keys) -> None:
        opening = self._peek()
        if opening not in {"[", "{"}:
            self._take(_STRING if opening in {'"', "'"} else _SCALAR)
            return
        self._place += 1
        number, line = 0, self._line
        while self._peek(_BLANK) not in {"]", "}", ""}:
            if opening == "{":
                self._pair(keys)
            else:
                if self._line != line:  # entries on the line of their array have its line anyway
                    self._lines[(*keys, number)] = self._line
                self._value((*keys, number))
                number += 1
            if self._peek(_BLANK) == ",":
                self._place += 1
        self._place += 1

    def _peek(self, skipped: re.Pattern[str] = _SPACE) -> str:
        """The next character after what may be skipped; empty at the end."""
        self._take(skipped)
        return self._text[self._place : self._place + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._place)
        taken = match.group() if match else ""
        self._place += len(taken)
        self._line += taken.count("\n")
        return taken
