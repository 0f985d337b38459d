"""Suggestions: the key, word or value that somebody probably had in mind, to be put behind an error."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache

from boidsgen.scenario.annotations import Form, bare, entry, fields, is_table, members, tables_in, words
from boidsgen.scenario.wording import length, one_of, suggestion, written

MAX_CANDIDATES = 8
"""Keys that are listed where none is similar."""
MAX_PLACES = 3
"""Tables that are named where a key exists in several."""
MAX_LENGTH = 100
"""Characters of a key that are compared."""
TYPING_ERROR = 0.8
"""Similarity of two keys from which on a typing error is likelier than the wrong table."""

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
    "dart": "triangle",
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

_NUMBERS = re.compile(r"\s*[(\[]?\s*\d+(?:\.\d+)?(?:\s*[x×*,; ]\s*\d+(?:\.\d+)?)+\s*[)\]]?\s*")
_NUMBER = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*(?:[%°]|[a-zA-Z]\w*)?\s*")


def unknown_key(place: Sequence[str], known: Sequence[str], root: Form) -> str:
    """The error about a key that its table does not have.

    Args:
        place: the key as it was written, behind the names of the tables around it.
        known: the keys of the table.
        root: the form of the whole document, which may have the key elsewhere.
    """
    *around, key = (name[:MAX_LENGTH] for name in place)
    same = SAME_KEY.get(key.lower(), "")
    if same.partition(".")[0] in known:
        return f"unknown key (did you mean '{same}'?)"
    if hint := suggestion(key, known, TYPING_ERROR):
        return f"unknown key{hint}"
    if elsewhere := [f"'{at}'" for at in likely_places(key, around, root)]:
        return f"unknown key (did you mean {one_of(elsewhere)}?)"
    if (hint := suggestion(key, known)) or not known:
        return f"unknown key{hint}"
    listed = sorted(known, key=lambda one: -SequenceMatcher(None, key.lower(), one).ratio())[:MAX_CANDIDATES]
    more = f" and {len(known) - len(listed)} more" if len(known) > len(listed) else ""
    return f"unknown key (known here: {', '.join(listed if more else known)}{more})"


def likely_places(key: str, around: Sequence[str], root: Form) -> list[str]:
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
def _places(root: Form) -> dict[str, list[str]]:
    """Every key of every table, with all places where it exists."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(_keys_below(root, "")):
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return found


def _keys_below(form: Form, prefix: str) -> Iterator[str]:
    for table in tables_in(form).values():
        for key, inner in fields(table).items():
            yield f"{prefix}{key}"
            yield from _keys_below(inner, f"{prefix}{key}.")


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


def right_value(names: Sequence[str], value: object, form: Form) -> str:
    """A hint at how to write a value of the wrong type: as a number, a list or a table; empty when that is unclear."""
    plain, inner = bare(form), entry(form, 0)
    right = ""
    if plain in {int, float}:
        found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        whole = f"{value:.0f}" if isinstance(value, float) and value.is_integer() else ""
        right = found[1].replace(",", ".") if found else whole
    elif inner is not None and tables_in(inner):
        right = f"[[{'.'.join(names)}]], and its keys below"
    elif inner is not None and value in words(inner):
        right = f"[{written(value)}]"
    elif inner is not None and isinstance(value, str) and _NUMBERS.fullmatch(value):
        numbers = re.findall(r"\d+(?:\.\d+)?", value)
        least, most = length(form)
        right = f"[{', '.join(numbers)}]" if least <= len(numbers) <= (most or len(numbers)) else ""
    elif is_table(plain) and "weight" in fields(plain) and isinstance(value, int | float):
        right = f"{names[-1]} = {{ weight = {int(value) if isinstance(value, bool) else value} }}"
    elif is_table(plain) or members(form):
        right = f"[{'.'.join(names)}], and its keys below"
    return f" (write {right})" if right else ""
