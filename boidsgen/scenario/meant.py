"""Meant: which key or word of a scenario somebody probably had in mind.

places_meant(key, place, root)   where in a scenario a key stands, the likeliest first
unknown_key(place, known, root)  what to say of a key that its table does not have
word_meant(value, known)         a hint at the known word that a value stands for; empty when there is none
number_meant(value)              a hint at the number that is hidden in a text; empty when there is none
numbers_meant(value, amount)     a hint at the list of so many numbers that a text stands for; empty when there is none
table_meant(names, value, form)  a hint at the table that a single value stands for; empty when there is none
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache

from boidsgen.scenario.grammar import Form, bare, entry, fields, is_table, members
from boidsgen.scenario.wording import one_of, suggestion

MAX_CANDIDATES = 8
"""Keys that are listed where none is like the one that was written."""
MAX_PLACES = 3
"""Tables that are named where a key stands in several."""
MAX_LENGTH = 100
"""Characters of a key that are compared."""
LIKE = 0.8
"""From here on two keys are so much alike that a slip of the finger is likelier than the wrong table."""

SAME_KEY = {
    "agents": "count",
    "angle": "field_of_view",
    "background_color": "background",
    "birds": "count",
    "boids": "count",
    "bounds": "boundary",
    "color": "flocks",
    "colors": "flocks",
    "dimension": "size",
    "dimensions": "size",
    "duration": "frames",
    "edges": "boundary",
    "fov": "field_of_view",
    "frame": "at",
    "framerate": "fps",
    "h": "size",
    "height": "size",
    "length": "frames",
    "n": "count",
    "neighbor_radius": "perception.radius",
    "num_boids": "count",
    "number": "count",
    "population": "count",
    "r": "radius",
    "range": "radius",
    "resolution": "size",
    "seconds": "duration",
    "sight": "perception.radius",
    "size_px": "size",
    "speed": "max_speed",
    "steps": "frames",
    "strength": "weight",
    "text": "caption",
    "velocity": "max_speed",
    "view_radius": "perception.radius",
    "vision": "perception",
    "vision_radius": "perception.radius",
    "visual_range": "perception.radius",
    "w": "size",
    "width": "size",
    "wrap": "boundary",
    "x": "center",
    "y": "center",
    "z": "center",
}
"""What others call a key, which may be one of a table below."""

SAME_WORD = {
    "avi": "mp4",
    "bounce": "reflect",
    "bouncing": "reflect",
    "circle": "disc",
    "closed": "reflect",
    "cyclic": "torus",
    "dark": "night",
    "infinite": "open",
    "jpeg": "png",
    "jpg": "png",
    "light": "paper",
    "line": "segment",
    "mirror": "reflect",
    "mkv": "mp4",
    "mov": "mp4",
    "none": "open",
    "periodic": "torus",
    "random": "uniform",
    "rectangle": "box",
    "sphere": "circle",
    "square": "box",
    "toroidal": "torus",
    "triangle": "dart",
    "video": "mp4",
    "wall": "reflect",
    "walls": "reflect",
    "wrap-around": "torus",
    "wraparound": "torus",
    "wrapping": "wrap",
}
"""What others call a word that stands for a choice."""

_TRUTH = ("true", "false")
_NUMBERS = re.compile(r"\s*[(\[]?\s*\d+(?:\.\d+)?(?:\s*[x×*,; ]\s*\d+(?:\.\d+)?)+\s*[)\]]?\s*")
_NUMBER = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(?:[%°]|[a-zA-Z]\w*)?\s*")


def unknown_key(place: Sequence[str], known: Sequence[str], root: Form) -> str:
    """What to say of a key that its table does not have.

    Args:
        place: the key as it was written, behind the names of the tables around it.
        known: the keys of the table.
        root: the grammar of the whole document, in which it may be known elsewhere.
    """
    *around, key = (name[:MAX_LENGTH] for name in place)
    hints = (_alike(key, known), _elsewhere(key, around, root), suggestion(key, known), _listed(key, known))
    return "unknown key" + next(filter(None, hints), "")


def word_meant(value: object, known: Iterable[object]) -> str:
    """A hint at the known word that was meant, to be put behind a message."""
    options = [*known]
    words = [word for word in options if isinstance(word, str)]
    if not isinstance(value, str):
        return ""
    if any(word is True for word in options) and value.lower() in _TRUTH:
        return f" (write {value.lower()})"
    same = SAME_WORD.get(value.lower())
    return f" (did you mean '{same}'?)" if same in words else suggestion(value, words)


def number_meant(value: object) -> str:
    """A hint at the number in a text, to be put behind a message."""
    if isinstance(value, float) and value.is_integer():
        return f" (write {value:.0f})"
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return f" (write {found[1].replace(',', '.')})" if found else ""


def numbers_meant(value: object, amount: tuple[int, int | None]) -> str:
    """A hint at the list of numbers that a text such as "640x480" stands for, where it has as many as it must."""
    if not isinstance(value, str) or not _NUMBERS.fullmatch(value):
        return ""
    numbers = re.findall(r"[+-]?\d+(?:\.\d+)?", value)
    least, most = amount
    return f" (write [{', '.join(numbers)}])" if least <= len(numbers) <= (most or len(numbers)) else ""


def table_meant(names: Sequence[str], value: object, form: Form) -> str:
    """A hint at the table that a value stands for: one with a weight, or one with a heading."""
    if is_table(bare(form)) and "weight" in fields(bare(form)) and isinstance(value, int | float):
        return f" (write {names[-1]} = {{ weight = {int(value) if isinstance(value, bool) else value} }})"
    return f" (write [{'.'.join(names)}], and its keys below)"


def _alike(key: str, known: Sequence[str]) -> str:
    same = SAME_KEY.get(key.lower(), "")
    return f" (did you mean '{same}'?)" if same.partition(".")[0] in known else suggestion(key, known, LIKE)


def places_meant(key: str, place: Sequence[str], root: Form) -> list[str]:
    """The same key in other tables: those that lie nearest to where it was written come first.

    A key of two words, such as separation_weight, may be one of a table below.
    """
    name = key.lower()
    names = (name, SAME_KEY.get(name, ""), *_split(name))
    found = {at: None for name in names for at in _ending(name, root) if not at.startswith("limits.")}
    return sorted(found, key=lambda at: (-_shared(at, place), at.count("."), "flock" not in at))[:MAX_PLACES]


def _elsewhere(key: str, place: Sequence[str], root: Form) -> str:
    quoted = [f"'{at}'" for at in places_meant(key, place, root)]
    return f" (did you mean {one_of(quoted)}?)" if quoted else ""


def _split(key: str) -> Iterator[str]:
    """The key with a dot in the place of each of its underscores in turn."""
    for found in re.finditer("_", key):
        yield f"{key[: found.start()]}.{key[found.end() :]}"


def _ending(name: str, root: Form) -> Iterator[str]:
    """All places of a key, which may have its table before it."""
    for at in _places(root).get(name.rpartition(".")[2], ()):
        if f".{at}".endswith(f".{name}"):
            yield at


def _shared(dotted_key: str, place: Sequence[str]) -> int:
    names = dotted_key.split(".")
    return next((n for n, (one, other) in enumerate(zip(names, place, strict=False)) if one != other), len(place))


def _listed(key: str, known: Sequence[str]) -> str:
    if not known:
        return ""
    likest = sorted(known, key=lambda one: -SequenceMatcher(None, key.lower(), one).ratio())[:MAX_CANDIDATES]
    more = len(known) - len(likest)
    listed = [one for one in known if one in likest] if not more else likest
    return f" (known here: {', '.join(listed)}{f' and {more} more' if more else ''})"


@cache
def _places(root: Form) -> dict[str, list[str]]:
    """Every key of every table, with all places where it stands."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(_keys_below(root, "")):
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return found


def _keys_below(form: Form, prefix: str) -> Iterator[str]:
    inner = entry(form, 0)
    plain = bare(form) if inner is None else bare(inner)
    for table in members(inner or form).values() or ([plain] if is_table(plain) else []):
        for key, below in fields(table).items():
            yield f"{prefix}{key}"
            yield from _keys_below(below, f"{prefix}{key}.")
