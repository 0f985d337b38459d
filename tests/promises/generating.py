"""Documents of every kind, made from the schema for editors: a key that is added is tried at once.

`valid()` gives documents in which every value fits its key (their tables may still contradict each other), `hostile()`
the same with a few things spoilt. Everything is small, so that a render takes a blink.
"""

import datetime as dt
import json

from hypothesis import strategies as st

from tests.promises.setting import ROOT

SCHEMA = json.loads((ROOT / "configs" / "scenario.schema.json").read_text(encoding="utf-8"))
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


@st.composite
def _document(draw, dimension):
    document = draw(_table(SCHEMA, dimension))
    document["world"] = {**document.get("world", {}), "size": draw(_vector(dimension, 20.0, 64.0))}
    document["output"] = {**document.get("output", {}), "size": draw(st.sampled_from([[64, 64], [1, 1], [64, 2]]))}
    document["time"] = {"frames": 3, **document.get("time", {})}
    return document


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


@st.composite
def _table(draw, schema, dimension):
    """A table with what it must have, and some of what it may have."""
    keys = {key: value for key, value in schema.get("properties", {}).items() if key not in LEFT_OUT}
    seldom = max(3, len(keys) // 3)  # a table with many keys holds hardly more of them than a small one
    needed = {*schema.get("required", ()), *(key for key, value in keys.items() if "const" in value)}
    chosen = [key for key in keys if key in needed or draw(st.integers(0, seldom)) == 0]
    return {key: draw(_value(keys[key], dimension)) for key in chosen}


def _value(schema, dimension):
    """Values that the schema allows under a key."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return st.one_of([_value(option, dimension) for option in schema["anyOf"]])
    if words := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return st.sampled_from(words)
    return KINDS[schema.get("type", "number")](schema, dimension)


def _integer(schema, _):
    least = max(schema.get("minimum", 0), schema.get("exclusiveMinimum", -1) + 1)
    return st.integers(least, min(schema.get("maximum", least + FEW), least + FEW))


def _number(schema, _):
    least = schema.get("minimum", schema.get("exclusiveMinimum", -MODERATE))
    most = min(schema.get("maximum", schema.get("exclusiveMaximum", MODERATE)), max(MODERATE, least))
    return _moderate(least, most).filter(bool)


def _list(schema, dimension):
    entries = schema.get("items", {})
    if (schema.get("minItems"), schema.get("maxItems")) == (2, 3):
        return _vector(dimension, -MODERATE, MODERATE)
    if "prefixItems" in schema:
        return st.tuples(*(_value(one, dimension) for one in schema["prefixItems"])).map(list)
    least = schema.get("minItems", 0)
    return st.lists(_value(entries, dimension), min_size=least, max_size=min(schema.get("maxItems", FEW), least + FEW))


KINDS = {
    "object": _table,
    "array": _list,
    "string": lambda schema, _: st.from_regex(schema.get("pattern", "boids"), fullmatch=True),
    "boolean": lambda *_: st.booleans(),
    "integer": _integer,
    "number": _number,
}
