"""Documents: TOML from anywhere, read in time and memory that grow no faster than the text.

`parsed(text)` is `tomllib.loads`, but counts before it reads: a dotted key costs the standard parser the square of its
names. `document_of(text, label)` is the same with errors in words, `line_of(text)(keys)` the line of a key.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from boidsgen.errors import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, ScenarioError

Keys = tuple[str | int, ...]
"""The way to a value: names of keys, numbers of entries in arrays."""

_OPAQUE = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)'  # up to two quotes may stand before the closing three
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|(?P<comment>#[^\n]*+)"
    r"|(?P<number>(?<![\w.-])[+-]?\d[\d_]*+\.\d[\d_]*+(?:[eE][+-]?\d++)?+(?![\w.-]))",
    re.DOTALL,
)
"""Parts in which dots, commas and brackets mean nothing: texts, comments, and numbers with a point."""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
_LONG_NUMBER = re.compile(rf"(?<![\w.-])[+-]?\d\w{{{MAX_DIGITS}}}")
_WEIGHTS = {",": 1, "=": 1, "[": 1, "{": 1, ".": 5, "\n[": 4}
"""Cost of each sign for the parser, in entries of a list: a name of a dotted key or a header is a table of its own."""
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Problem(NamedTuple):
    """An error or a warning.

    Attributes:
        keys: where, as the user wrote it.
        wording: what is wrong and what would be right.
    """

    keys: Keys
    wording: str


class ExcessError(ValueError):
    """A document is too large to be taken apart; the message says in what way."""


TOO_DEEP = f"tables and lists are nested more than {MAX_DEPTH} levels deep"


def parsed(text: str) -> dict[str, Any]:
    """The document.

    Raises:
        ExcessError: when it is too deep, or has too much in it.
        ValueError: when it is not TOML.
    """
    refuse_oversized(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ExcessError(TOO_DEEP) from None


def refuse_oversized(text: str) -> None:
    """Refuse a document before it is read.

    Raises:
        ExcessError: when it is too deep, or has too much in it.
    """
    signs = _OPAQUE.sub(lambda one: "0" * len(one["number"] or "") or ("" if one["comment"] else "x"), text)
    if _LONG_KEY.search(signs):
        raise ExcessError(TOO_DEEP)
    if _LONG_NUMBER.search(signs):
        raise ExcessError(f"a number has more than {MAX_DIGITS:,} digits")
    values = sum(weight * signs.count(sign) for sign, weight in _WEIGHTS.items())
    if values > MAX_VALUES:
        raise ExcessError(f"about {values:,} keys and entries, and a document may have {MAX_VALUES:,}")


def document_of(text: str, label: str) -> dict[str, Any]:
    """The document; messages call it by the label.

    Raises:
        ScenarioError: when it is not TOML, or more than would be read.
    """
    try:
        return parsed(text)
    except ExcessError as error:
        raise ScenarioError([f"{label}: {error}"]) from None
    except ValueError as error:  # tomllib's own, or Python's about a number of thousands of digits
        from boidsgen.scenario.toml_hints import explained, pointed  # noqa: PLC0415  most scenarios are TOML

        reason = str(error)
        position = _POSITION.search(reason)
        if position is None:
            raise ScenarioError([f"{label}: not TOML: {explained('', 1, 1, reason)}"]) from None
        end = text.count("\n") + 1, len(text.rpartition("\n")[2]) + 1  # which tomllib does not count
        line, column = (int(position[1]), int(position[2])) if position[1] else end
        said = f"{label}:{line}:{column}: not TOML: {explained(text, line, column, reason[: position.start()])}"
        raise ScenarioError(["\n".join([said, *pointed(text, line, column)])]) from None


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


def inside(node: object, key: str | int) -> object:
    """The value under a key of the document; None where there is none."""
    if isinstance(node, Mapping):
        return node.get(key)
    if isinstance(node, list | tuple) and isinstance(key, int) and key < len(node):
        return node[key]
    return None


def present(keys: Keys, document: object) -> bool:
    """True if the document has these keys."""
    return all((document := inside(document, key)) is not None for key in keys)


def as_written(keys: Keys, document: object) -> Keys:
    """The keys without those that pydantic puts where the user wrote less.

    These are the number of a table where there is only one, and the key of a list that stands for its table.
    """
    kept: list[str | int] = []
    for key in keys:
        if not isinstance(document, Mapping if isinstance(key, int) else list | tuple):
            kept.append(key)
            document = inside(document, key)
    return tuple(kept)
