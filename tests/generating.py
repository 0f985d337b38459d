"""Documents of every kind, made from the schema for editors: a key that is added is tried at once.

`valid()` gives documents in which every value fits its key (their tables may still contradict each other), `hostile()`
the same with a few things spoilt. Everything is small, so that a render takes a blink. `simulated()` gives scenarios
for engines: what contradicts is taken out, and numbers are such that animals meet.
"""

import datetime as dt
import json
from pathlib import Path
from typing import NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from boidsgen import load_scenario
from boidsgen.errors import BoidsgenError, ScenarioError

SCHEMA = json.loads((Path(__file__).parents[1] / "configs" / "scenario.schema.json").read_text(encoding="utf-8"))
MODERATE = 60.0  # Bound of valid numbers
FEW = 4
LEFT_OUT = {"limits", "extends", "csv", "npz", "image", "duration", "json", "svg", "controls", "tracks"}
"""Keys that name files or other keys, of which there are none, or that repeat others."""
NASTY = st.sampled_from(
    [
        *(-1, 0, 1, 2, 2**31, 2**53 + 1, 2**63, 10**400, -(10**400), True, False),
        *(0.0, -0.0, 0.5, -3.5, 1e-9, 1e18, 1e150, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), float("nan")),
        *("", "x", "soft", "circle", "boids", "\0", "\n\r\t", "\x1b[31m", "🐦" * 50, "a" * 3000, "../../etc/passwd"),
        *([], {}, [[]], [[[[]]]], [{}], [1, 2], [1.0, 2.0, 3.0], [0.0, 0.0], [1e300, 1e300], ["a", 1, {}]),
        *({"kind": "soft"}, {"kind": 3}, {"weight": float("inf")}, {"a": {"b": {"c": {}}}}),
        *(dt.date(2026, 1, 2), dt.time(3, 4), dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC)),
    ]
)
"""Values that no key, or only a few keys, accept; nothing in it is merely slow."""
SIMULATED = ("flock", "predators", "obstacles", "attractors", "fields")
FLOCKS = ("boids", "others", "the third, 鳥")
NATURAL = {
    **dict.fromkeys(("margin", "clearance", "beyond", "spacing", "behind", "repulsion", "orientation"), (0.02, 0.3)),
    **dict.fromkeys(("radius", "slowing", "attraction", "scale", "length", "all_round"), (0.05, 1.2)),
    **dict.fromkeys(("point", "points", "center", "end"), (-0.1, 1.1)),
    **dict.fromkeys(("size", "radii"), (0.05, 0.4)),
}
"""Lengths, as parts of the smaller side of a world."""
USUAL = {
    "weight": (-1, 2),
    "max_force": (0.02, 0.8),
    "max_acceleration": (0.05, 1.5),
    "strength": (0.05, 1.5),
    "max_speed": (0.5, 6),
    "min_speed": (0, 0.5),
    "speed": (0, 4),
    "lead": (0, 25),
    "rate": (0.005, 0.3),
    "error": (0, 25),
    "turning_rate": (5, 120),
    "max_turn": (1, 90),
    "exponent": (0, 2),
    "blind_angle": (0, 220),
    "angle": (0, 180),
    "phase": (-90, 150),
    "field_of_view": (40, 355),
    "period": (15, 90),
    "times": (0, 30),
    "restitution": (0.3, 0.99),
    "sd": (0, 0.8),
    "inertia": (0, 1),
    "dt": (0.1, 2.5),
    "frames": (5, 20),
    "warmup": (0, 5),
    "steps_per_frame": (1, 3),
    "count": (0, 25),
    "from": (0, 6),
    "until": (1, 20),
    "neighbors": (1, 12),
    "seed": (0, 2**31),
    "vector": (-1, 1),
    "flow": (-1, 1),
    "heights": (-0.5, 0.5),
    "gusts": (0, 2),
}
"""Ranges of other numbers."""
ENDLESS = {"radius", "max_force", "max_turn"}  # Keys of which some numbers are infinite
WORDS = {
    **dict.fromkeys(("hunt", "flee", "ignore", "flock"), FLOCKS),
    "key": ("max_speed", "cohesion.weight", "separation.weight", "alignment.weight", "hunt.weight"),
    "word": ("A", "BOIDS", "O!"),
    "rows": ("#..#", ".##."),
}
"""Texts that keys take."""
ORDERED = {"times", "speed"}
MAPS = {"flow", "heights"}
CHANGES = {
    "count": st.integers(0, 30),
    "update": st.sampled_from(["sequential", "shuffled", "synchronous"]),
    "steering": st.sampled_from(["direct", "reynolds", "unit", "turn"]),
    "integrator": st.sampled_from(["explicit", "semi_implicit"]),
    "accumulate": st.booleans(),
    "limit_speed": st.booleans(),
}
"""Keys of a flock that events set at once."""
NAMES = st.sampled_from(["x", "", "kind", "weight", "Count", "a.b", '"', "\0", "鳥", "__class__", " ", "0", "a" * 500])


def valid():
    """Documents whose values fit their keys."""
    return st.sampled_from([2, 3]).flatmap(_document)


@st.composite
def hostile(draw):
    """Documents in which a few things are wrong."""
    document = draw(valid())
    for _ in range(draw(st.integers(1, 3))):
        document = draw(_spoilt(document))
    return document if isinstance(document, dict) else {"time": {"frames": 3}}  # what is no table cannot be written


def text(document):
    """The document as TOML."""
    return "".join(f"{json.dumps(name)} = {_written(value)}\n" for name, value in document.items())


def _written(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_written(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return value.isoformat() if isinstance(value, dt.date | dt.time) else repr(value)


class Scale(NamedTuple):
    """What numbers go by."""

    dimension: int
    side: float = 0.0  # smaller side of the world; 0 where any number will do
    wanted: frozenset[str] = frozenset()  # keys that every table has which may have them


@st.composite
def _document(draw, dimension):
    document = draw(_table(SCHEMA, Scale(dimension)))
    document["world"] = {**document.get("world", {}), "size": draw(_vector(dimension, 20.0, 64.0))}
    document["output"] = {**document.get("output", {}), "size": draw(st.sampled_from([[64, 64], [1, 1], [64, 2]]))}
    document["time"] = {"frames": 3, **document.get("time", {})}
    return document


@st.composite
def simulated(draw, wanted=()):
    """Scenarios of all that an engine can be asked, of which flocks and predators have the wanted keys."""
    dimension = draw(st.sampled_from([2, 2, 2, 3, 3]))
    size = [draw(_rounded(*draw(st.sampled_from([(40, 180), (40, 180), (8, 25)])))) for _ in range(dimension)]
    scale = Scale(dimension, min(size), frozenset(wanted))
    boundary = draw(_value(SCHEMA["$defs"]["World"]["properties"]["boundary"], scale))
    document = {"seed": draw(st.integers(0, 2**31)), "world": {"size": size, "boundary": boundary}}
    document["time"] = {"frames": 9, **draw(_table(SCHEMA["$defs"]["Clock"], scale))}
    document["time"].pop("rate", None)
    for kind in SIMULATED:
        found = draw(_value(SCHEMA["properties"][kind], scale))
        document[kind] = (found if isinstance(found, list) else [found])[:3]
    document["flock"] = document["flock"] or [{}]
    for name, flock in zip(FLOCKS, document["flock"], strict=False):
        flock["name"] = name
    document["events"] = [draw(_event(document, scale)) for _ in range(draw(st.integers(0, 4)))]
    return _without_contradictions(document)


@st.composite
def _event(draw, document, scale):
    """A change of a key that is there, at once or little by little."""
    key = draw(st.sampled_from([*_changeable({kind: document[kind] for kind in SIMULATED})]))
    name = key.rpartition(".")[2]
    value = draw(CHANGES[name] if name in CHANGES else _natural(name, scale))
    over = draw(st.sampled_from([0, 0, 3, 7]))
    return {"at": draw(st.integers(1, 12)), "set": {key: value}, **({"over": over} if over else {})}


def _changeable(node, path=""):
    """Dotted keys of numbers and words in a document."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        name = f"{path}{key}"
        if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict)):
            yield from _changeable(value, f"{name}.")
        elif key in CHANGES or (key in {*USUAL, *NATURAL} - {"times", "from", "until"} and not isinstance(value, list)):
            yield name
    if path.startswith("flock.") and path.count(".") == 2:
        yield from (f"{path}{key}" for key in ("count", "max_speed", "cohesion.weight", *CHANGES))


def _without_contradictions(document):
    """The document without what keeps it from being a scenario, one thing after the other."""
    for _ in range(100):
        try:
            load_scenario(document)
        except ScenarioError as error:
            key, _, reason = error.errors[0].removeprefix("scenario: ").partition(": ")
            assume(_removed(document, f"{key}.{reason.split()[0]}".split(".")))
        except BoidsgenError:
            break
        else:
            return document
    return assume(False)  # noqa: FBT003


def _removed(node, keys):
    """Take out the last of these keys that is there; True if one was. The number of a table alone is left out."""
    if isinstance(node, list) and not keys[0].isdecimal():
        return len(node) == 1 and isinstance(node[0], dict) and _removed(node[0], keys)
    key = int(keys[0]) if isinstance(node, list) else keys[0]
    if key not in (node if isinstance(node, dict) else range(len(node))):
        return False
    if not (keys[1:] and isinstance(node[key], dict | list) and _removed(node[key], keys[1:])):
        del node[key]
    return True


@st.composite
def _spoilt(draw, node):
    """The document with one value replaced, added, or put deeper."""
    if isinstance(node, dict) and node and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(node)))
        return {**node, key: draw(_spoilt(node[key]))}
    if isinstance(node, list) and node and draw(st.integers(0, 3)):
        at = draw(st.integers(0, len(node) - 1))
        return [*node[:at], draw(_spoilt(node[at])), *node[at + 1 :]]
    if isinstance(node, dict) and draw(st.booleans()):
        return {**node, draw(NAMES): draw(NASTY)}
    return draw(NASTY)


def _moderate(least, most):
    """Numbers in the range that every key has, which ends short of the smallest floats."""
    return st.floats(least, most).filter(lambda x: x == 0 or abs(x) >= 1e-9)


def _vector(dimension, least, most):
    return st.lists(_moderate(least, most), min_size=dimension, max_size=dimension)


def _rounded(least, most):
    """Numbers of five digits at most, none of them likelier than another."""
    return st.integers(0, 4095).map(lambda step: float(f"{least + (most - least) * step / 4095:.5g}"))


def _natural(key, scale):
    """Numbers at which something happens in a world of this size."""
    low, high = USUAL.get(key) or (part * scale.side for part in NATURAL.get(key, (0.0, 1.0)))
    finite = _rounded(low, high)
    return st.one_of(finite, finite, finite, st.just(float("inf") if key in ENDLESS else float(low)))


@st.composite
def _table(draw, schema, scale):
    """A table with what it must have, and some of what it may have."""
    keys = {key: value for key, value in schema.get("properties", {}).items() if key not in LEFT_OUT}
    # A table with many keys holds hardly more of them than a small one; of what engines compute there is more.
    seldom = max(3, len(keys) // 3) if not scale.side else 1 if len(keys) < 15 else 4
    needed = {*schema.get("required", ()), *(key for key, value in keys.items() if "const" in value), *scale.wanted}
    needed |= MAPS & {*keys} if scale.side else set()  # there are no files to name in their place
    chosen = [key for key in keys if key in needed or draw(st.integers(0, seldom)) == 0]
    table = {key: draw(_value(keys[key], scale, key)) for key in chosen}
    if scale.side and table.get("acts_on") == "position":
        table.pop("steering", None)  # which is for forces
    return table


def _value(schema, scale, key=""):
    """Values that the schema allows under a key."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if "if" in schema:
        return st.one_of([_value(form, scale, key) for form in _forms(schema)])
    if words := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return st.sampled_from(words)
    kinds = schema.get("type", "number")
    kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]  # which is inf
    return st.one_of([KINDS[kind](schema, scale, key) for kind in kinds])


def _forms(schema):
    """The forms between which a schema decides; the last one refuses what has no form."""
    while "if" in schema:
        yield schema["then"]
        schema = schema["else"]
    if "$ref" in schema or schema.get("type") != "object":
        yield schema


def _any_table(schema, scale, _):
    return _table(schema, scale)


def _string(schema, scale, key):
    if scale.side and key in WORDS:
        return st.sampled_from(WORDS[key])
    return st.from_regex(schema.get("pattern", "boids"), fullmatch=True)


def _integer(schema, scale, key):
    if scale.side and key in USUAL:
        return st.integers(*USUAL[key]) | st.sampled_from({"count": [0, 1, 2, 150]}.get(key, USUAL[key]))
    least = max(schema.get("minimum", 0), schema.get("exclusiveMinimum", -1) + 1)
    return st.integers(least, min(schema.get("maximum", least + FEW), least + FEW))


def _number(schema, scale, key):
    if scale.side and key in {*USUAL, *NATURAL}:
        return _natural(key, scale)
    least = schema.get("minimum", schema.get("exclusiveMinimum", -MODERATE))
    most = min(schema.get("maximum", schema.get("exclusiveMaximum", MODERATE)), max(MODERATE, least))
    return _moderate(least, most).filter(bool)


def _list(schema, scale, key):
    entries = schema.get("items", {})
    if (schema.get("minItems"), schema.get("maxItems")) == (2, 3):
        dimension = scale.dimension
        return (
            st.lists(
                _number(entries, scale, "point" if key == "start" else key), min_size=dimension, max_size=dimension
            )
            if scale.side
            else _vector(dimension, -MODERATE, MODERATE)
        )
    if "prefixItems" in schema:
        return st.tuples(*(_value(one, scale, key) for one in schema["prefixItems"])).map(list)
    least = schema.get("minItems", 0)
    most = min(schema.get("maxItems", FEW), least + FEW)
    found = st.lists(_value(entries, scale, key), min_size=least, max_size=most)
    if scale.side and key in MAPS and entries.get("items"):  # rows, which are equally long
        found = found.map(lambda rows: [row[: min(map(len, rows))] for row in rows])
    return found.map(sorted) if scale.side and key in ORDERED else found


KINDS = {
    "object": _any_table,
    "array": _list,
    "string": _string,
    "boolean": lambda *_: st.booleans(),
    "integer": _integer,
    "number": _number,
}
