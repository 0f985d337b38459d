r"""Lines: where in the text of a TOML document each of its keys stands.

`line_of(text)` reads a document once, from front to back, and gives a function from keys to a line counted from 1:

    line_of("[flock]\ncount = 3\n")(("flock", "count"))  ->  2

Entries of arrays are numbers counted from 0. Keys that stand nowhere (a missing key) have the line of the nearest table
around them. The text must have been accepted by `tomllib` before; only lines are read here, not values.
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


@lru_cache(maxsize=4)  # every mistake of a document asks
def line_of(text: str) -> Callable[[Keys], int]:
    """A function that gives the line of a key of this document."""
    lines = _Reader(text).read()

    def line(keys: Keys) -> int:
        while keys and keys not in lines:
            keys = keys[:-1]
        return lines.get(keys, 1)

    return line


class _Reader:
    """One pass over a document; `place` is the character about to be read, `line` the line it stands in."""

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
        brackets = 2 if self._text.startswith("[[", self._place) else 1
        self._place += brackets
        keys = self._table(self._key(), several=brackets == 2)
        self._place += brackets
        return keys

    def _table(self, names: tuple[str, ...], *, several: bool) -> Keys:
        keys: Keys = ()
        for name in names[:-1]:
            keys = self._latest((*keys, name))
        keys = (*keys, names[-1])
        if several:
            self._lines.setdefault(keys, self._line)
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
        names = [self._name()]
        while self._peek(_SPACE) == ".":
            self._place += 1
            names.append(self._name())
        return tuple(names)

    def _name(self) -> str:
        if self._peek(_SPACE) in {'"', "'"}:
            return str(tomllib.loads(f"name = {self._take(_STRING)}")["name"])
        return self._take(_BARE)

    def _value(self, keys: Keys) -> None:
        opening = self._peek(_SPACE)
        if opening == "[":
            self._array(keys)
        elif opening == "{":
            self._inline_table(keys)
        else:
            self._take(_STRING if opening in {'"', "'"} else _SCALAR)

    def _array(self, keys: Keys) -> None:
        self._place += 1
        number = 0
        line = self._line
        while self._peek(_BLANK) not in {"]", ""}:
            if self._line != line:  # entries on the line of their array have its line anyway
                self._lines[(*keys, number)] = self._line
            self._value((*keys, number))
            number += 1
            self._separator()
        self._place += 1

    def _inline_table(self, keys: Keys) -> None:
        self._place += 1
        while self._peek(_BLANK) not in {"}", ""}:
            self._pair(keys)
            self._separator()
        self._place += 1

    def _separator(self) -> None:
        if self._peek(_BLANK) == ",":
            self._place += 1

    def _peek(self, skipped: re.Pattern[str] = _SPACE) -> str:
        """The next character behind what may be skipped; empty at the end."""
        self._take(skipped)
        return self._text[self._place : self._place + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._place)
        taken = match.group() if match else ""
        self._place += len(taken)
        self._line += taken.count("\n")
        return taken
