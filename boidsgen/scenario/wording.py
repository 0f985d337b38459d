"""The tables of a scenario at their places, and the words of messages: values, keys, and suggestions for errors."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from itertools import islice
from typing import NamedTuple

from boidsgen.errors import join_words
from boidsgen.tables import Annotation, InWords, Key, NamesFile, Table, keys_of, own_tag

MAX_INTEGER = 2**63 - 1  # The largest integer that TOML guarantees


class Section(NamedTuple):
    """A table of the scenario at its place."""

    name: str  # dotted key of the table, empty for the top of the file
    kind: str  # the member of its family, empty where there is no choice
    table: type[Table]  # the class

    @property
    def tag(self) -> str:
        """The key that tells which member of its family it is, such as `layout`; empty where there is no choice."""
        return own_tag(self.table) if self.kind else ""


@cache
def everywhere(root: type[Table]) -> tuple[Section, ...]:
    """A table and every one at every place below it where it may stand, but none within one of its own class."""

    def below(section: Section) -> Iterator[Section]:
        yield section
        for key in keys_of(section.table).values():
            for kind, table in key.tables.items():
                if table is not section.table:
                    yield from below(Section(f"{section.name}.{key.name}".lstrip("."), kind, table))

    return tuple(below(Section("", "", root)))


@cache
def keys_by_name(root: type[Table]) -> Mapping[str, Sequence[tuple[Section, Key]]]:
    """Every dotted key of a table and of all below it, with each section that has it."""
    found: dict[str, list[tuple[Section, Key]]] = {}
    for section in everywhere(root):
        for key in keys_of(section.table).values():
            found.setdefault(f"{section.name}.{key.name}".lstrip("."), []).append((section, key))
    return found


@cache
def _by_end(root: type[Table]) -> Mapping[str, Sequence[str]]:
    """The dotted keys of a table and of all below it, by each of their ends: `weight`, `cohesion.weight` and so on."""
    found: dict[str, list[str]] = {}
    for place in keys_by_name(root):
        names = place.split(".")
        for at in range(len(names)):
            found.setdefault(".".join(names[at:]), []).append(place)
    return found


@cache
def file_keys(root: type[Table]) -> Mapping[str, NamesFile]:
    """The keys of a table, and of all below it, that name files."""
    keys = [key for found in keys_by_name(root).values() for _, key in found]
    found = ((key.name, one.remark(NamesFile)) for key in keys for one in (key, *key.entries[:1]))
    return {name: one for name, one in found if one}


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MAX_SHOWN = 60
MAX_WORD = 100  # Longest word for which a similar one is looked for, and the most known words that are compared


def abbreviated(value: object) -> str:
    """A value in a message: short enough for one line."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, date | time):
        return f"the date or time {value}"
    text = to_toml(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def without_surrogates(text: str) -> str:
    """A text without what the system could not decode, such as in names of files that are not UTF-8."""
    return text.encode(errors="replace").decode()


def to_toml(value: object) -> str:
    """A value as TOML, on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "".join(map(_visible, json.dumps(value, ensure_ascii=False)))
    if isinstance(value, list | tuple):
        return f"[{', '.join(to_toml(entry) for entry in value)}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(pairs(value))} }}" if value else "{}"
    return str(value)


def pairs(table: Mapping[str, object]) -> Iterator[str]:
    """The keys of a table with their values, each pair as TOML on one line."""
    return (f"{dotted((name,))} = {to_toml(value)}" for name, value in table.items())


def _visible(letter: str) -> str:
    """A character within a TOML string; escaped if it would be invisible or begin a line."""
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


def dotted(keys: tuple[str | int, ...]) -> str:
    """Keys as TOML writes them, joined with dots; names that need quotes have them."""
    return ".".join(str(key) if _BARE.fullmatch(str(key)) else to_toml(str(key)) for key in keys)


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


_BOUNDS = {"gt": "above", "ge": "from", "lt": "below", "le": "up to"}  # By the attributes of the bounds of a type


def described(annotation: Annotation) -> str:
    """Description of the values of a key, as in `a whole number from 1`."""
    if annotation.choices and all(option.choices for option in annotation.options):
        return join_words(dict.fromkeys(map(to_toml, annotation.choices)))
    if annotation.family:
        return f"a table with {annotation.tag} = {join_words(map(to_toml, annotation.family))}"
    if annotation.is_table:
        return "a table"
    if annotation.entries:
        return "a table, or several" if annotation.tables else f"a list of {_entries(annotation)}"
    if len(annotation.options) > 1:
        return join_words(dict.fromkeys(map(described, annotation.options)))
    own = annotation.remark(InWords)
    return own.one if own else _bounded(annotation)


def _bounded(annotation: Annotation) -> str:
    """A number, or any other value, with its bounds."""
    bounds = {name: bound_text(annotation.bounds[name]) for name in annotation.bounds if name in _BOUNDS}
    finite = bounds.keys() & {"lt", "le"} or annotation.bounds.get("allow_inf_nan") is False
    infinite = " or inf" if annotation.plain is float and not finite else ""
    name, _ = _PLAIN.get(annotation.origin, ("a value", ""))
    limits = " and ".join(f"{_BOUNDS[key]} {limit}" for key, limit in bounds.items())
    return f"{name} {limits}".strip() + infinite


def bound_text(value: object) -> str:
    """A bound, without the decimal point it does not need."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _entries(annotation: Annotation) -> str:
    """The entries of a list, with their number."""
    (least, most), inner = annotation.length, annotation.entries[0]
    amount = f"at least {least} " if least > 1 else ""
    if most is not None:
        amount = f"{least} " if least == most else f"{least} {'or' if most == least + 1 else 'to'} {most} "
    if own := inner.remark(InWords):
        return f"{amount}{own.several}"
    if inner.entries:
        return f"{amount}points"
    if inner.choices:
        return f"{amount}words out of {join_words(map(to_toml, inner.choices))}"
    return amount + _PLAIN.get(inner.plain, ("", "values"))[1]


MAX_CANDIDATES = 8  # Keys that are listed where none is similar
MAX_PLACES = 3  # Tables that are named where a key exists in several
MAX_KEY_COMPARED = 100  # Characters of a key that are compared
TYPING_ERROR = 0.8  # Similarity of two keys from which on a typing error is likelier than the wrong table

_KEYS_OF_OTHERS = {
    "at": "frame",
    "background": "background_color",
    "boundary": "bounds edges wrap",
    "caption": "text",
    "center": "x y z",
    "count": "agents birds boids n num_boids number population",
    "duration": "seconds",
    "field_of_view": "angle fov",
    "flocks": "color colors",
    "fps": "framerate",
    "frames": "duration length steps",
    "max_speed": "speed velocity",
    "perception": "vision",
    "perception.radius": "neighbor_radius sight view_radius vision_radius visual_range",
    "radius": "r range",
    "size": "dimension dimensions h height resolution size_px w width",
    "weight": "strength",
}
SAME_KEY = {other: key for key, others in _KEYS_OF_OTHERS.items() for other in others.split()}
"""Our name of what others call differently; it may be a key of a table below."""

_WORDS_OF_OTHERS = {
    "box": "rectangle square",
    "circle": "sphere",
    "disc": "circle",
    "mp4": "avi mkv video",
    "night": "dark",
    "open": "infinite none",
    "paper": "light",
    "png": "jpeg jpg",
    "reflect": "bounce bouncing closed mirror wall walls",
    "segment": "line",
    "torus": "cyclic periodic toroidal wrap-around wraparound",
    "uniform": "random",
    "wrap": "wrapping",
}
SAME_WORD = {other: word for word, others in _WORDS_OF_OTHERS.items() for other in others.split()}
"""Our word for a choice that others call differently."""

_PLAIN_NUMBER = r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_NUMBERS = re.compile(
    rf"[(\[]?\s*{_PLAIN_NUMBER}(?P<between>\s*[x×*,; ]\s*){_PLAIN_NUMBER}(?:(?P=between){_PLAIN_NUMBER})*\s*[)\]]?"
)
_NUMBER = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]{1,2})?)\s*([a-zA-Z]*)")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}[.,][0-9]{3}")  # 1,000 is a thousand to some readers and one to others


def unknown_key(place: Sequence[str], known: Sequence[str], root: type[Table]) -> str:
    """The error about a key that its table does not have.

    Args:
        place: the key as it was written, behind the names of the tables around it.
        known: the keys of the table.
        root: the table of the whole document, which may have the key elsewhere.
    """
    *around, key = (name[:MAX_KEY_COMPARED] for name in place)
    same = SAME_KEY.get(key.lower(), "")
    if same.partition(".")[0] in known:
        return f"unknown key (did you mean '{same}'?)"
    if hint := suggestion(key, known, TYPING_ERROR):
        return f"unknown key{hint}"
    elsewhere = likely_places(key, around, root)
    tables = [at.rpartition(".")[0] for at in elsewhere if at.rpartition(".")[2] == key]
    here = ".".join(map(str, around))
    if here and tables and all(tables) and here not in tables:
        return f"unknown key; it belongs in {join_words([f'[{table}]' for table in tables])}, not in [{here}]"
    if elsewhere:
        places = join_words([f"'{at}'" for at in elsewhere])
        return f"unknown key (did you mean {places}?)"
    if (hint := suggestion(key, known)) or not known:
        return f"unknown key{hint}"
    listed = sorted(known, key=lambda one: -SequenceMatcher(None, key.lower(), one).ratio())[:MAX_CANDIDATES]
    more = f" and {len(known) - len(listed)} more" if len(known) > len(listed) else ""
    return f"unknown key (known here: {', '.join(listed if more else known)}{more})"


def likely_places(key: str, around: Sequence[str], root: type[Table]) -> list[str]:
    """Dotted keys by the same name in other tables: those that are nearest to where it was written come first.

    A key of two words, such as separation_weight, may be one of a table below.
    """
    name = key.lower()
    split = (f"{name[: at.start()]}.{name[at.end() :]}" for at in re.finditer("_", name))
    found = {
        place: None
        for one in (name, SAME_KEY.get(name, ""), *split)
        for place in _by_end(root).get(one, ())
        if not place.startswith("limits.")
    }

    def rank(place: str) -> tuple[int, int, bool]:
        names = place.split(".")
        pairs = enumerate(zip(names, around, strict=False))
        shared = next((n for n, (one, other) in pairs if one != other), len(around))
        return -shared, len(names), "flock" not in place

    return sorted(found, key=rank)[:MAX_PLACES]


def similar_word(value: object, known: Iterable[object]) -> str:
    """A hint at the known word that was probably meant; empty when there is none."""
    if not isinstance(value, str):
        return ""
    options = [*known]
    if any(word is True for word in options) and value.lower() in {"true", "false"}:
        return f" (write {value.lower()})"
    texts = [word for word in options if isinstance(word, str)]
    same = SAME_WORD.get(value.lower())
    return f" (did you mean '{same}'?)" if same in texts else suggestion(value, texts)


def right_value(names: Sequence[str], value: object, annotation: Annotation) -> str:
    """A hint at how to write a value of the wrong type: as a number, a list or a table; empty when that is unclear."""
    inner = annotation.entry(0)
    right, text = "", value.strip() if isinstance(value, str) and len(value) <= MAX_KEY_COMPARED else ""
    if annotation.plain in {int, float}:
        given = text if isinstance(value, str) else value
        right = _right_number(given, whole=annotation.plain is int)
    elif inner.tables:
        right = f"[[{'.'.join(names)}]], and its keys below"
    elif value in inner.choices:
        right = f"[{to_toml(value)}]"
    elif annotation.entries and _NUMBERS.fullmatch(text):
        numbers = re.findall(_PLAIN_NUMBER, text)
        least, most = annotation.length
        right = f"[{', '.join(numbers)}]" if least <= len(numbers) <= (most or len(numbers)) else ""
    elif annotation.is_table and "weight" in keys_of(annotation.plain) and isinstance(value, int | float):
        right = f"{names[-1]} = {{ weight = {int(value) if isinstance(value, bool) else value} }}"
    elif annotation.is_table or annotation.family:
        right = f"[{'.'.join(names)}], and its keys below"
    return f" (write {right})" if right else ""


def _right_number(value: object, *, whole: bool) -> str:
    """A number as TOML that equals what was written: as text, or as 3.0 for a whole number; empty where none does.

    What may be a thousand or one has no answer.
    """
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else ""
    digits, unit = found.groups()
    if unit or (_THOUSANDS.fullmatch(digits) and (whole or "," in digits)):
        return ""
    amount = Decimal(digits.replace(",", "."))
    if amount == amount.to_integral_value() and abs(amount) <= MAX_INTEGER:
        return str(int(amount))
    return "" if whole else repr(float(amount))
