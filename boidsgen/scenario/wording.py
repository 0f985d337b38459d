"""Wording: values, and what may stand under a key, in words.

shown(value), written(value)  a value in a message, and as TOML
readable(text)                a name from the system as text
dotted(keys)                  a key as TOML writes it
suggestion(word, known)       "did you mean", or nothing
described(form)               what may stand under a key, as in "a whole number from 1"
one_of(alternatives)          alternatives in a sentence, as in "a, b or c"
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date, time
from difflib import get_close_matches
from itertools import islice
from typing import get_args

import annotated_types

from boidsgen.scenario.grammar import (
    Form,
    bare,
    constraints,
    entry,
    is_table,
    members,
    origin,
    tag_of,
    told,
    without_none,
    words,
)

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MAX_LENGTH = 60
MAX_WORD = 100
"""Letters of a word that somebody may have meant as a known one, and known ones that it is compared with."""


def shown(value: object) -> str:
    """A value in a message: short enough for one line."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, date | time):
        return f"the date or time {value}"
    letters = (one if one.isprintable() else one.encode("unicode_escape").decode() for one in written(value))
    text = "".join(letters)
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


def readable(text: str) -> str:
    """A text without what the system could not decode, such as in names of files that are not UTF-8."""
    return text.encode(errors="replace").decode()


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(written(entry) for entry in value)}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{dotted((name,))} = {written(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return str(value)


def dotted(keys: tuple[str | int, ...]) -> str:
    """Keys as TOML writes them, joined with dots; names that need quotes have them."""
    return ".".join(str(key) if _BARE.fullmatch(str(key)) else written(str(key)) for key in keys)


def suggestion(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """A hint at the known word most like this one, to be put behind a message; empty when none is like it."""
    # Comparing takes the square of the length, and as often as there are known words.
    comparable = islice((one for one in known if len(one) <= MAX_WORD), MAX_WORD)
    by_lower_case = {candidate.lower(): candidate for candidate in comparable}
    near = [] if len(word) > MAX_WORD else get_close_matches(word.lower(), by_lower_case, n=1, cutoff=likeness)
    return f" (did you mean '{by_lower_case[near[0]]}'?)" if near else ""


_PLAIN: dict[object, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text in quotes",
    Mapping: "a table",
}
_SEVERAL = {bool: "truth values", int: "whole numbers", float: "numbers", str: "texts in quotes"}


def described(form: Form) -> str:
    """What may stand here."""
    plain = bare(form)
    options = without_none(plain)
    if (named := words(form)) and all(map(words, options)):
        return one_of(written(word) for word in named)
    if family := members(form):
        return f"a table with {tag_of(form)} = {one_of(map(written, family))}"
    if is_table(plain):
        return "a table"
    if (inner := entry(form, 0)) is not None:
        return _list(form, inner)
    if len(options) > 1:
        return one_of(described(option) for option in options)
    own = told(form)
    return own.one if own else _bounded(_PLAIN.get(origin(plain) or plain, "a value"), form)


def one_of(alternatives: Iterable[str]) -> str:
    """Alternatives in a sentence: `a, b or c`."""
    *most, last = dict.fromkeys(alternatives)
    return f"{', '.join(most)} or {last}" if most else last


def number(value: object) -> str:
    """A bound, without the decimal point it does not need."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def length(form: Form) -> tuple[int, int | None]:
    """How many entries a list has at least and at most."""
    types = get_args(bare(form))
    if types and types[-1] is not Ellipsis:
        return len(types), len(types)
    least = [bound.min_length for bound in constraints(form) if isinstance(bound, annotated_types.MinLen)]
    most = [bound.max_length for bound in constraints(form) if isinstance(bound, annotated_types.MaxLen)]
    return max(least, default=0), min(most, default=None)


def _list(form: Form, inner: Form) -> str:
    if is_table(bare(inner)) or members(inner):
        return "a table, or several"
    return f"a list of {_amount(*length(form))}{_several(inner)}"


def _several(inner: Form) -> str:
    if entry(inner, 0) is not None:
        return "points"
    if own := told(inner):
        return own.several
    if known := words(inner):
        return f"words out of {one_of(written(word) for word in known)}"
    return _SEVERAL.get(bare(inner), "values")


def _amount(least: int, most: int | None) -> str:
    if least == most:
        return f"{least} "
    if most is not None:
        return f"{least} {'or' if most == least + 1 else 'to'} {most} "
    return f"at least {least} " if least > 1 else ""


def _bounded(name: str, form: Form) -> str:
    bounds = [text for bound in constraints(form) if (text := _bound(bound))]
    infinite = " or inf" if bare(form) is float and not _finite(form) else ""
    return f"{' '.join([name, ' and '.join(bounds)]).strip()}{infinite}"


def _bound(bound: object) -> str:
    match bound:
        case annotated_types.Gt(gt=limit):
            return f"above {number(limit)}"
        case annotated_types.Ge(ge=limit):
            return f"from {number(limit)}"
        case annotated_types.Lt(lt=limit):
            return f"below {number(limit)}"
        case annotated_types.Le(le=limit):
            return f"up to {number(limit)}"
    return ""


def _finite(form: Form) -> bool:
    bounds = list(constraints(form))
    closed = any(isinstance(bound, annotated_types.Lt | annotated_types.Le) for bound in bounds)
    return closed or any(getattr(bound, "allow_inf_nan", True) is False for bound in bounds)
