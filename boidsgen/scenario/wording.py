"""Annotations of keys, and the words of messages: values, keys, what a key accepts, and suggestions for typing errors.

A form is the type annotation of a key, or None where the tables have no such key. `below(table, form, name)` follows
the names that a user wrote, `descend(form, part)` one part of pydantic's location of an error.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from itertools import chain, islice
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

import annotated_types
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from boidsgen.errors import join_words
from boidsgen.scenario.documents import Keys
from boidsgen.tables import InWords, NamesFile, ShortForm, Table, attributes, is_tag

Annotation: TypeAlias = Any
"""A type annotation, or None."""
MAX_INTEGER = 2**63 - 1  # The largest integer that TOML guarantees


def generic_of(form: Annotation) -> object:
    """The generic type of a form, such as Annotated or tuple; None for a plain class."""
    return get_origin(form)


def form_of(field: FieldInfo) -> Annotation:
    """The annotation of a field, with what pydantic has taken out of it put back."""
    remarks = (*field.metadata, *([field] if field.discriminator else []))
    return Annotated[(field.annotation, *remarks)] if remarks else field.annotation


@cache
def fields(table: type[Table]) -> dict[str, Annotation]:
    """The form of each key of a table."""
    return {key: form_of(table.model_fields[name]) for key, name in attributes(table).items()}


@cache
def keys_of(table: type[Table]) -> Mapping[str, FieldInfo]:
    """The keys of a table in the order in which one writes them: its kind, plain values, tables."""
    found = {key: table.model_fields[name] for key, name in attributes(table).items()}
    order = {key: (bool(tables_in(form_of(field))), not is_tag(field)) for key, field in found.items()}
    return {key: found[key] for key in sorted(order, key=order.__getitem__)}


def unwrapped(form: Annotation) -> Annotation:
    """The form without remarks and without "or None"."""
    while True:
        if generic_of(form) is Annotated:
            form = get_args(form)[0]
        elif len(rest := without_none(form)) == 1 and rest[0] is not form:
            form = rest[0]
        else:
            return form


def without_none(form: Annotation) -> tuple[Annotation, ...]:
    """The alternatives of a form other than None."""
    if generic_of(form) in {Union, UnionType}:
        return tuple(option for option in get_args(form) if option is not NoneType)
    return (form,)


def remarks(form: Annotation) -> tuple[object, ...]:
    """Everything that is annotated on a form itself, through "or None"."""
    if generic_of(form) is Annotated:
        inner, *own = get_args(form)
        return (*own, *remarks(inner))
    rest = without_none(form)
    return remarks(rest[0]) if len(rest) == 1 and rest[0] is not form else ()


def own_words(form: Annotation) -> InWords | None:
    """The description that is annotated on a form, if there is one."""
    return next((remark for remark in remarks(form) if isinstance(remark, InWords)), None)


def constraints(form: Annotation) -> tuple[object, ...]:
    """The bounds of a form, as `annotated_types` and pydantic's own."""
    groups = (remark.metadata if isinstance(remark, FieldInfo) else (remark,) for remark in remarks(form))
    return tuple(chain.from_iterable(groups))


def is_table(form: Annotation) -> bool:
    """True if the form is a table class."""
    return isinstance(form, type) and issubclass(form, Table)


def family_members(form: Annotation) -> dict[str, type[Table]]:
    """The tables of a family by their tag; empty for any other form."""
    tag = tag_of(form)
    return {str(one.model_fields[tag].default): one for one in without_none(unwrapped(form))} if tag else {}


def tag_of(form: Annotation) -> str | None:
    """The key that tells the members of a family apart, if the form is a family."""
    tags = (remark.discriminator for remark in remarks(form) if isinstance(remark, FieldInfo))
    return next((tag for tag in tags if isinstance(tag, str)), None)


def choices(form: Annotation) -> tuple[object, ...]:
    """The values that a form lists; empty where it lists none."""
    plain = unwrapped(form)
    if generic_of(plain) is Literal:
        return get_args(plain)
    return tuple(word for option in without_none(plain) if option is not plain for word in choices(option))


def completed(value: object, form: Annotation) -> object:
    """The table for which a value is short; any other value itself."""
    for remark in remarks(form):
        if isinstance(remark, BeforeValidator) and isinstance(remark.func, ShortForm):
            return remark.func(value)
    return value


def entry_annotation(form: Annotation, number: int) -> Annotation:
    """The form of one entry of a list; None when the form is not a list."""
    plain = unwrapped(form)
    if generic_of(plain) is not tuple:
        return None
    entries = [one for one in get_args(plain) if one is not Ellipsis]
    return entries[min(number, len(entries) - 1)]


@cache
def file_keys(root: type[Table]) -> Mapping[str, NamesFile]:
    """The keys of a table, and of all below it, that name files."""
    forms = [(key, form) for section in everywhere(root) for key, form in fields(section.table).items()]
    found = [(key, remarks(form) + remarks(entry_annotation(form, 0))) for key, form in forms]
    return {key: one for key, marks in found for one in marks if isinstance(one, NamesFile)}


def tables_in(form: Annotation) -> Mapping[str, type[Table]]:
    """The tables that may stand under a key, by kind; the kind is empty where there is no choice."""
    if (inner := entry_annotation(form, 0)) is not None:
        return tables_in(inner)
    plain = unwrapped(form)
    return family_members(form) or ({"": plain} if is_table(plain) else {})


def descend(form: Annotation, part: str | int) -> tuple[Keys, Annotation]:
    """Follow one part of a location: the key as the user knows it, or nothing where pydantic names a type; the form."""
    plain = unwrapped(form)
    if isinstance(part, int):
        return (part,), entry_annotation(form, part)
    if is_table(plain):
        return (part,), fields(plain).get(part)
    if family := family_members(form):
        return (), family.get(part)
    if len(options := without_none(plain)) > 1:
        return (), next((option for option in options if _has_label(unwrapped(option), part)), None)
    return (part,), None


def _has_label(plain: Annotation, label: str) -> bool:
    """True if pydantic's label means this alternative: a type by its name, lists and words by what they contain."""
    if generic_of(plain) is Literal:
        return label.startswith("literal[")
    return (
        "tuple[" in label
        if generic_of(plain) is tuple
        else getattr(plain, "__name__", None) == label.removeprefix("constrained-")
    )


def table_of(value: object, form: Annotation) -> type[Table] | None:
    """The table class that a value is meant for; the value may be the name of a kind, or one of several tables."""
    if (inner := entry_annotation(form, 0)) is not None:
        return table_of(value, inner) if isinstance(value, Mapping) else None
    if family := family_members(form):
        whole = completed(value, form)
        kind = whole.get(tag_of(form)) if isinstance(whole, Mapping) else whole
        return family.get(str(kind))
    plain = unwrapped(form)
    return plain if is_table(plain) and isinstance(value, Mapping) else None


def below(value: Mapping[str, object], form: Annotation, name: str) -> Annotation:
    """The form of one key of a user's table."""
    table = table_of(value, form)
    return fields(table).get(name) if table else None


def own_tag(table: type[Table]) -> str:
    """The key of a table that tells which member of its family it is; empty where there is no choice."""
    return next((key for key, field in keys_of(table).items() if is_tag(field)), "")


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
        for key, field in keys_of(section.table).items():
            for kind, table in tables_in(form_of(field)).items():
                if table is not section.table:
                    yield from below(Section(f"{section.name}.{key}".lstrip("."), kind, table))

    return tuple(below(Section("", "", root)))


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


def described(form: Annotation) -> str:
    """Description of the values of a key, as in `a whole number from 1`."""
    plain = unwrapped(form)
    options = without_none(plain)
    if (named := choices(form)) and all(map(choices, options)):
        return join_words(dict.fromkeys(map(to_toml, named)))
    if family := family_members(form):
        return f"a table with {tag_of(form)} = {join_words(map(to_toml, family))}"
    if is_table(plain):
        return "a table"
    if (inner := entry_annotation(form, 0)) is not None:
        return "a table, or several" if tables_in(inner) else f"a list of {_entries(form)}"
    if len(options) > 1:
        return join_words(dict.fromkeys(map(described, options)))
    own = own_words(form)
    return own.one if own else _bounded(form)


def _bounded(form: Annotation) -> str:
    """A number, or any other value, with its bounds."""
    plain = unwrapped(form)
    bounds: dict[str, object] = {}
    for bound in constraints(form):
        bounds |= {name: getattr(bound, name) for name in _BOUNDS if getattr(bound, name, None) is not None}
    finite = bounds.keys() & {"lt", "le"} or any(getattr(one, "allow_inf_nan", 1) is False for one in constraints(form))
    infinite = " or inf" if plain is float and not finite else ""
    name, _ = _PLAIN.get(get_origin(plain) or plain, ("a value", ""))
    limits = " and ".join(f"{_BOUNDS[key]} {bound_text(limit)}" for key, limit in bounds.items())
    return f"{name} {limits}".strip() + infinite


def bound_text(value: object) -> str:
    """A bound, without the decimal point it does not need."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def array_length(form: Annotation) -> tuple[int, int | None]:
    """The minimum and maximum number of entries of a list."""
    types = get_args(unwrapped(form))
    if types and types[-1] is not Ellipsis:
        return len(types), len(types)
    least = [bound.min_length for bound in constraints(form) if isinstance(bound, annotated_types.MinLen)]
    most = [bound.max_length for bound in constraints(form) if isinstance(bound, annotated_types.MaxLen)]
    return max(least, default=0), min(most, default=None)


def _entries(form: Annotation) -> str:
    """The entries of a list, with their number."""
    (least, most), inner = array_length(form), entry_annotation(form, 0)
    amount = f"at least {least} " if least > 1 else ""
    if most is not None:
        amount = f"{least} " if least == most else f"{least} {'or' if most == least + 1 else 'to'} {most} "
    if entry_annotation(inner, 0) is not None:
        return f"{amount}points"
    if own := own_words(inner):
        return f"{amount}{own.several}"
    if known := choices(inner):
        return f"{amount}words out of {join_words(map(to_toml, known))}"
    return amount + _PLAIN.get(unwrapped(inner), ("", "values"))[1]


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
    "mp4": "avi mkv mov video",
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
_BYTES = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def unknown_key(place: Sequence[str], known: Sequence[str], root: Annotation) -> str:
    """The error about a key that its table does not have.

    Args:
        place: the key as it was written, behind the names of the tables around it.
        known: the keys of the table.
        root: the form of the whole document, which may have the key elsewhere.
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


def likely_places(key: str, around: Sequence[str], root: Annotation) -> list[str]:
    """Dotted keys by the same name in other tables: those that are nearest to where it was written come first.

    A key of two words, such as separation_weight, may be one of a table below.
    """
    name = key.lower()
    split = (f"{name[: at.start()]}.{name[at.end() :]}" for at in re.finditer("_", name))
    found = {
        place: None
        for one in (name, SAME_KEY.get(name, ""), *split)
        for place in _places(root).get(one.rpartition(".")[2], ())
        if f".{place}".endswith(f".{one}") and not place.startswith("limits.")
    }

    def rank(place: str) -> tuple[int, int, bool]:
        names = place.split(".")
        pairs = enumerate(zip(names, around, strict=False))
        shared = next((n for n, (one, other) in pairs if one != other), len(around))
        return -shared, len(names), "flock" not in place

    return sorted(found, key=rank)[:MAX_PLACES]


@cache
def _places(root: Annotation) -> dict[str, list[str]]:
    """Every key of every table, with all places where it exists."""
    found: dict[str, list[str]] = {}
    for section in everywhere(root):
        for key in fields(section.table):
            found.setdefault(key, []).append(f"{section.name}.{key}".lstrip("."))
    return found


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


def right_value(names: Sequence[str], value: object, form: Annotation) -> str:
    """A hint at how to write a value of the wrong type: as a number, a list or a table; empty when that is unclear."""
    plain, inner = unwrapped(form), entry_annotation(form, 0)
    right, text = "", value.strip() if isinstance(value, str) and len(value) <= MAX_KEY_COMPARED else ""
    if plain in {int, float}:
        given = text if isinstance(value, str) else value
        right = _right_number(names[-1] if names else "", given, whole=plain is int)
    elif inner is not None and tables_in(inner):
        right = f"[[{'.'.join(names)}]], and its keys below"
    elif inner is not None and value in choices(inner):
        right = f"[{to_toml(value)}]"
    elif inner is not None and _NUMBERS.fullmatch(text):
        numbers = re.findall(_PLAIN_NUMBER, text)
        least, most = array_length(form)
        right = f"[{', '.join(numbers)}]" if least <= len(numbers) <= (most or len(numbers)) else ""
    elif is_table(plain) and "weight" in fields(plain) and isinstance(value, int | float):
        right = f"{names[-1]} = {{ weight = {int(value) if isinstance(value, bool) else value} }}"
    elif is_table(plain) or family_members(form):
        right = f"[{'.'.join(names)}], and its keys below"
    return f" (write {right})" if right else ""


def _right_number(key: str, value: object, *, whole: bool) -> str:
    """A number as TOML that equals what was written: as text, or as 3.0 for a whole number; empty where none does.

    Units are read only where the key has one, which are keys in bytes; what may be a thousand or one has no answer.
    """
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else ""
    digits, unit = found.groups()
    units = _BYTES if key.endswith("bytes") else {}
    if unit not in {"", *units} or (_THOUSANDS.fullmatch(digits) and (whole or "," in digits)):
        return ""
    amount = Decimal(digits.replace(",", ".")) * units.get(unit, 1)
    if amount == amount.to_integral_value() and abs(amount) <= MAX_INTEGER:
        return str(int(amount))
    return "" if whole else repr(float(amount))
