"""Documents: TOML from anywhere, read in time and memory that grow no faster than the text.

`parsed(text)` is `tomllib.loads`, but counts before it reads: a dotted key costs the standard parser the square of its
names, and each key many times its own bytes. `document_of(text, label)` is the same with errors in words.
"""

import re
import tomllib
from typing import Any

from boidsgen.errors import ScenarioError
from boidsgen.hard_limits import MAX_DEPTH, MAX_DIGITS, MAX_VALUES

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


class ExcessError(ValueError):
    """A document is too large to be taken apart; the message says in what way."""


TOO_DEEP = f"tables and lists are nested more than {MAX_DEPTH} levels deep"


def parsed(text: str) -> dict[str, Any]:
    """The document.

    Raises:
        ExcessError: when it is too deep, or has too much in it.
        ValueError: when it is not TOML.
    """
    refuse_excess(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ExcessError(TOO_DEEP) from None


def refuse_excess(text: str) -> None:
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
