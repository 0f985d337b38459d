"""Wording: values, keys and what may stand under a key, in the words of messages and documents."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date, time
from difflib import get_close_matches
from itertools import islice
from typing import get_args, get_origin

import annotated_types

from boidsgen.scenario.annotations import (
    Form,
    bare,
    constraints,
    entry,
    is_table,
    members,
    own_words,
    tables_in,
    tag_of,
    without_none,
    words,
)

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MAX_SHOWN = 60
MAX_WORD = 100
"""Longest word for which a similar one is looked for, and the most known words that are compared."""


def shown(value: object) -> str:
    """A value in a message: short enough for one line."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, date | time):
        return f"the date or time {value}"
    text = written(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def readable(text: str) -> str:
    """A text without what the system could not decode, such as in names of files that are not UTF-8."""
    return text.encode(errors="replace").decode()


def written(value: object) -> str:
    """A value as TOML, on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "".join(map(_visible, json.dumps(value, ensure_ascii=False)))
    if isinstance(value, list | tuple):
        return f"[{', '.join(written(entry) for entry in value)}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{dotted((name,))} = {written(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return str(value)


def _visible(letter: str) -> str:
    """A character within a TOML string; escaped if it would be invisible or begin a line."""
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


def dotted(keys: tuple[str | int, ...]) -> str:
    """Keys as TOML writes them, joined with dots; names that need quotes have them."""
    return ".".join(str(key) if _BARE.fullmatch(str(key)) else written(str(key)) for key in keys)


def suggestion(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """A hint at the known word most similar to this one, to be put behind a message; empty when none is similar."""
    # Comparing takes the square of the length, and as often as there are known words.
    comparable = islice((one for one in known if len(one) <= MAX_WORD), MAX_WORD)
    by_lower_case = {candidate.lower(): candidate for candidate in comparable}
    near = [] if len(word) > MAX_WORD else get_close_matches(word.lower(), by_lower_case, n=1, cutoff=likeness)
    return f" (did you mean '{by_lower_case[near[0]]}'?)" if near else ""


_PLAIN: dict[object, tuple[str, str]] = {
    bool: ("true or false", "truth values"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("text in quotes", "texts in quotes"),
    Mapping: ("a table", "tables"),
}
"""One value of a type, and several."""


_BOUNDS = (
    (annotated_types.Gt, "gt", "above"),
    (annotated_types.Ge, "ge", "from"),
    (annotated_types.Lt, "lt", "below"),
    (annotated_types.Le, "le", "up to"),
)


def described(form: Form) -> str:
    """Description of the values of a key, as in `a whole number from 1`."""
    plain = bare(form)
    options = without_none(plain)
    if (named := words(form)) and all(map(words, options)):
        return one_of(map(written, named))
    if family := members(form):
        return f"a table with {tag_of(form)} = {one_of(map(written, family))}"
    if is_table(plain):
        return "a table"
    if (inner := entry(form, 0)) is not None:
        return "a table, or several" if tables_in(inner) else f"a list of {_amount(*length(form))}{_several(inner)}"
    if len(options) > 1:
        return one_of(map(described, options))
    own = own_words(form)
    return own.one if own else _bounded(form)


def _bounded(form: Form) -> str:
    """A number, or any other value, with its bounds."""
    plain = bare(form)
    bounds = [
        f"{word} {number(getattr(bound, name))}"
        for bound in constraints(form)
        for kind, name, word in _BOUNDS
        if isinstance(bound, kind)
    ]
    closed = any(isinstance(one, annotated_types.Lt | annotated_types.Le) for one in constraints(form))
    finite = closed or any(getattr(one, "allow_inf_nan", True) is False for one in constraints(form))
    infinite = " or inf" if plain is float and not finite else ""
    name, _ = _PLAIN.get(get_origin(plain) or plain, ("a value", ""))
    return f"{' '.join([name, ' and '.join(bounds)]).strip()}{infinite}"


def one_of(alternatives: Iterable[str]) -> str:
    """Alternatives in a sentence: `a, b or c`."""
    *most, last = dict.fromkeys(alternatives)
    return f"{', '.join(most)} or {last}" if most else last


def number(value: object) -> str:
    """A bound, without the decimal point it does not need."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def length(form: Form) -> tuple[int, int | None]:
    """The minimum and maximum number of entries of a list."""
    types = get_args(bare(form))
    if types and types[-1] is not Ellipsis:
        return len(types), len(types)
    least = [bound.min_length for bound in constraints(form) if isinstance(bound, annotated_types.MinLen)]
    most = [bound.max_length for bound in constraints(form) if isinstance(bound, annotated_types.MaxLen)]
    return max(least, default=0), min(most, default=None)


def _several(inner: Form) -> str:
    """The entries of a list."""
    if entry(inner, 0) is not None:
        return "points"
    if own := own_words(inner):
        return own.several
    if known := words(inner):
        return f"words out of {one_of(map(written, known))}"
    return _PLAIN.get(bare(inner), ("", "values"))[1]


def _amount(least: int, most: int | None) -> str:
    if least == most:
        return f"{least} "
    if most is not None:
        return f"{least} {'or' if most == least + 1 else 'to'} {most} "
    return f"at least {least} " if least > 1 else ""
