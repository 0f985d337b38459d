"""Documents: TOML from anywhere, read in time and memory that grow no faster than the text.

`parsed(text)` is `tomllib.loads`, but counts before it reads: a dotted key costs the standard parser the square of its
names, and each key many times its own bytes. What goes beyond the caps raises `ExcessError`, a ValueError like the
parser's own errors.
"""

import re
import tomllib
from typing import Any

from boidsgen.caps import MAX_DEPTH, MAX_DIGITS, MAX_VALUES

_OPAQUE = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)'  # up to two quotes may stand before the closing three
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|(?P<comment>#[^\n]*+)"
    r"|(?P<number>(?<![\w.-])[+-]?\d[\d_]*+\.\d[\d_]*+(?:[eE][+-]?\d++)?+(?![\w.-]))",
    re.DOTALL,
)
"""What may hold dots, commas and brackets that mean nothing: texts, comments, and numbers with a point."""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
_LONG_NUMBER = re.compile(rf"(?<![\w.-])[+-]?\d\w{{{MAX_DIGITS}}}")
_WEIGHTS = {",": 1, "=": 1, "[": 1, "{": 1, ".": 5, "\n[": 4}
"""What each sign costs the parser, in entries of a list: a name of a dotted key or a header is a table of its own."""


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
    """Stop before a document is read.

    Raises:
        ExcessError: when it is too deep, or has too much in it.
    """
    signs = _OPAQUE.sub(_without_meaning, text)
    if _LONG_KEY.search(signs):
        raise ExcessError(TOO_DEEP)
    if _LONG_NUMBER.search(signs):
        raise ExcessError(f"a number has more than {MAX_DIGITS:,} digits")
    values = sum(weight * signs.count(sign) for sign, weight in _WEIGHTS.items())
    if values > MAX_VALUES:
        raise ExcessError(f"about {values:,} keys and entries, and a document may have {MAX_VALUES:,}")


def _without_meaning(found: re.Match[str]) -> str:
    """What stands for a text, a comment or a number, without signs that would be counted."""
    if found["number"]:
        return "0" * len(found["number"])
    return "" if found["comment"] else "x"
