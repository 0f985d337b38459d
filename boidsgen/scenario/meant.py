"""Meant: which key or word of a scenario somebody probably had in mind.

unknown_key(place, known, root)  what to say of a key that its table does not have
word_meant(value, known)         a hint at the known word that a value stands for; empty when there is none
number_meant(value)              a hint at the number that is hidden in a text; empty when there is none
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
    "duration": "frames",
    "fov": "field_of_view",
    "framerate": "fps",
    "length": "frames",
    "n": "count",
    "number": "count",
    "population": "count",
    "range": "radius",
    "size_px": "size",
    "speed": "max_speed",
    "steps": "frames",
    "strength": "weight",
    "velocity": "max_speed",
    "vision": "radius",
    "wrap": "boundary",
}
"""What others call a key."""

SAME_WORD = {
    "bounce": "reflect",
    "bouncing": "reflect",
    "circle": "disc",
    "closed": "reflect",
    "cyclic": "torus",
    "dark": "night",
    "infinite": "open",
    "light": "paper",
    "mirror": "reflect",
    "none": "open",
    "periodic": "torus",
    "random": "uniform",
    "toroidal": "torus",
    "triangle": "dart",
    "video": "mp4",
    "wall": "reflect",
    "walls": "reflect",
    "wrapping": "wrap",
}
"""What others call a word that stands for a choice."""

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
    return "unknown key" + next(filter(None, hints))


def word_meant(value: object, known: Iterable[object]) -> str:
    """A hint at the known word that was meant, to be put behind a message."""
    words = [word for word in known if isinstance(word, str)]
    if not isinstance(value, str):
        return ""
    same = SAME_WORD.get(value.lower())
    return f" (did you mean '{same}'?)" if same in words else suggestion(value, words)


def number_meant(value: object) -> str:
    """A hint at the number in a text, to be put behind a message."""
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return f" (write {found[1].replace(',', '.')})" if found else ""


def _alike(key: str, known: Sequence[str]) -> str:
    same = SAME_KEY.get(key.lower())
    return f" (did you mean '{same}'?)" if same in known else suggestion(key, known, LIKE)


def _elsewhere(key: str, place: Sequence[str], root: Form) -> str:
    """The same key in other tables: those that lie nearest to where it was written come first."""
    names = (key.lower(), SAME_KEY.get(key.lower(), ""))
    found = {at: None for name in names for at in _places(root).get(name, ()) if not at.startswith("limits.")}
    nearest = sorted(found, key=lambda at: (-_shared(at, place), at.count("."), "flock" not in at))[:MAX_PLACES]
    quoted = [f"'{at}'" for at in nearest]
    return f" (did you mean {one_of(quoted)}?)" if quoted else ""


def _shared(dotted_key: str, place: Sequence[str]) -> int:
    names = dotted_key.split(".")
    return next((n for n, (one, other) in enumerate(zip(names, place, strict=False)) if one != other), len(place))


def _listed(key: str, known: Sequence[str]) -> str:
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
