"""Documents: TOML from anywhere, read in time and memory that grow no faster than the text.

`parsed(text)` is `tomllib.loads`, but counts before it reads: a dotted key costs the standard parser the square of its
names. `document_of(text, label)` is the same with errors in words, `line_of(text)(keys)` the line of a key.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from boidsgen.errors import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, TOO_DEEP, ScenarioError

Keys = tuple[str | int, ...]  # The way to a value: names of keys, numbers of entries in arrays

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
    """An error or a warning."""

    keys: Keys  # where, as the user wrote it
    wording: str  # what is wrong and what would be right


class ExcessError(ValueError):
    """A document is too large to be taken apart; the message says in what way."""


def parsed(text: str) -> dict[str, Any]:
    """Parse a document; ExcessError when it is too large or too deep, ValueError when it is not TOML."""
    refuse_oversized(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ExcessError(TOO_DEEP) from None


def refuse_oversized(text: str) -> None:
    """Raise ExcessError for a document that is too large or too deep, before it is parsed."""
    signs = _OPAQUE.sub(lambda one: "0" * len(one["number"] or "") or ("" if one["comment"] else "x"), text)
    if _LONG_KEY.search(signs):
        raise ExcessError(TOO_DEEP)
    if _LONG_NUMBER.search(signs):
        raise ExcessError(f"a number has more than {MAX_DIGITS:,} digits")
    values = sum(weight * signs.count(sign) for sign, weight in _WEIGHTS.items())
    if values > MAX_VALUES:
        raise ExcessError(f"about {values:,} keys and entries, and a document may have {MAX_VALUES:,}")


def document_of(text: str, label: str, *, quoted: bool = True) -> dict[str, Any]:
    """Parse a document that messages call by the label, and quote; ScenarioError if it is not TOML, or too large."""
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
        if not quoted:
            raise ScenarioError([f"{label}:{line}:{column}: not TOML"]) from None
        said = f"{label}:{line}:{column}: not TOML: {explained(text, line, column, reason[: position.start()])}"
        raise ScenarioError(["\n".join([said, *pointed(text, line, column)])]) from None


_SIGN = re.compile(r"[\[{\]},\n]\s*")


@lru_cache(maxsize=4)  # every error in a document asks
def line_of(text: str) -> Callable[[Keys], int]:
    """A function that gives the line of a key of this document, or of the nearest one around it, counted from 1."""
    lines: dict[Keys, int] = {}
    numbers: dict[Keys, int] = {}  # of the last table in each array of tables
    table: Keys = ()
    for line, statement, entries in _statements(text):
        node: object = tomllib.loads(statement)
        is_header = statement.startswith("[")
        keys: Keys = () if is_header else table
        while isinstance(node, dict) and node:
            name, node = next(iter(node.items()))
            keys = (*keys, name)
            lines.setdefault(keys, line)
            if statement.startswith("[[") and isinstance(node, list):
                numbers[keys] = numbers.get(keys, -1) + 1
            keys = (*keys, numbers[keys]) if keys in numbers else keys
        if is_header:
            lines[keys], table = line, keys
        lines |= {(*keys, *entry): at for entry, at in entries.items()}

    def nearest(keys: Keys) -> int:
        while keys and keys not in lines:
            keys = keys[:-1]
        return lines.get(keys, 1)

    return nearest


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[Keys, int]]]:
    """The headers and pairs of a document: the line, the text, and the line of each entry of a list in it."""
    text = f"\n{text}\n"
    masked = _OPAQUE.sub(lambda one: (" " if one["comment"] else "x") * len(one[0]), text)
    begin, first, line, counted = 0, 0, 0, 0
    opened: list[tuple[int, ...] | None] = []  # for each open bracket the entry of the list, or None within braces
    entries: dict[Keys, int] = {}
    for sign in _SIGN.finditer(masked):
        line += text.count("\n", counted, sign.end())
        counted = sign.end()
        around = opened[-1] if opened else ()
        match sign[0][0]:
            case "[" | "{" as bracket:
                opened.append((*around, 0) if bracket == "[" and around is not None else None)
            case "]" | "}":
                opened.pop()
            case "," if around:
                opened[-1] = (*around[:-1], around[-1] + 1)
        if opened and (entry := opened[-1]):
            entries.setdefault(entry, line)
        elif not opened and "\n" in sign[0]:
            if statement := text[begin : sign.end()].strip():
                yield first, statement, entries
            begin, first, entries = sign.end(), line, {}


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


def without(node: object, keys: Keys) -> object:
    """A document without the innermost named key of a path."""
    first, rest = keys[0], keys[1:]
    if isinstance(node, Mapping) and first in node:
        others = {key: value for key, value in node.items() if key != first}
        deeper = any(isinstance(key, str) for key in rest)
        return {**others, first: without(node[first], rest)} if deeper else others
    if isinstance(node, list | tuple) and rest and isinstance(first, int) and first < len(node):
        return (*node[:first], without(node[first], rest), *node[first + 1 :])
    return node
