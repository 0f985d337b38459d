"""Documents of every kind, made from the tables of the scenario themselves: a key that is added is tried at once.

`valid()` gives documents in which every value fits its key (their tables may still contradict each other), `hostile()`
the same with a few things spoilt. Everything is small, so that a render takes a blink.
"""

import datetime as dt
from collections.abc import Mapping

import annotated_types
from hypothesis import strategies as st

from boidsgen.scenario.documentation import is_tag, sections
from boidsgen.scenario.grammar import attributes, bare, entry, fields, is_table, members, remarks, tag_of, without_none
from boidsgen.scenario.grammar import words as words_of
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import constraints, dotted, length, written
from boidsgen.simulation.rules.rule import NameOfFlock
from boidsgen.tables import MIN_NUMBER, OfWorldDimension

MODERATE = 60.0
"""How large valid numbers get."""
FEW = 4
NASTY = st.sampled_from(
    [
        *(-1, 0, 1, 2, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**400, -(10**400)),
        *(0.0, -0.0, 0.5, -3.5, 1e-9, 1e9, 1e18, 1e150, 1e308, -1e308, 5e-324),
        *(float("inf"), float("-inf"), float("nan")),
        *(
            "",
            "x",
            "soft",
            "torus",
            "circle",
            "boids",
            "\0",
            "\n\r\t",
            "\x1b[31m",
            "🐦" * 50,
            "a" * 3000,
            "{0.__class__}",
        ),
        *("../../etc/passwd", "%s%n", "-1", "nan", "inf", "true"),
        *(True, False, [], {}, [[]], [[[[]]]], [{}], [1, 2], [1.0, 2.0, 3.0], [0.0, 0.0], [1e300, 1e300], ["a", 1, {}]),
        *({"kind": "soft"}, {"kind": 3}, {"weight": float("inf")}, {"a": {"b": {"c": {}}}}),
        *(dt.date(2026, 1, 2), dt.time(3, 4), dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC)),
    ]
)
"""What no key, or only a few keys, can hold; nothing in it is merely slow."""
NAMES = st.sampled_from(
    ["x", "", "kind", "weight", "Count", "flock", "a.b", '"', "\0", "clé", "鳥", "__class__", "🐦", " ", "0", "a" * 500]
)


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
    return "".join(f"{dotted((name,))} = {written(value)}\n" for name, value in document.items())


@st.composite
def _document(draw, dimension):
    document = draw(_table(Scenario, dimension))
    document["world"] = {**document.get("world", {}), "size": draw(_vector(dimension, 20.0, 64.0))}
    document["output"] = {**document.get("output", {}), "size": draw(st.sampled_from([[64, 64], [1, 1], [64, 2]]))}
    time = {key: value for key, value in document.get("time", {}).items() if key != "duration"}  # says it too
    document["time"] = {"frames": 3, **time}
    for key in ("limits", "extends"):  # other scenarios are files, and here is none
        document.pop(key, None)
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


def _vector(dimension, least, most):
    return st.lists(st.floats(least, most), min_size=dimension, max_size=dimension)


@st.composite
def _table(draw, table, dimension):
    """A table with what it must have, and some of what it may have."""
    found, keys = {}, fields(table)
    seldom = max(3, len(keys) // 3)  # a table with many keys holds hardly more of them than a small one
    for key, form in keys.items():
        field = table.model_fields[attributes(table)[key]]
        if is_tag(field):
            found[key] = field.default
        elif field.is_required() or draw(st.integers(0, seldom)) == 0:
            found[key] = draw(_value(form, dimension))
    return found


def _value(form, dimension):
    """Values that may stand under a key."""
    if named := words_of(form):
        return st.sampled_from(named)
    if family := members(form):
        fit = {kind: table for kind, table in family.items() if dimension in table.dimensions}
        tagged = [_table(table, dimension).map(_with(tag_of(form), kind)) for kind, table in fit.items()]
        return st.one_of(tagged)
    plain = bare(form)
    if is_table(plain):
        return _table(plain, dimension)
    if entry(form, 0) is not None:
        return _list(form, dimension)
    options = without_none(plain)
    return st.one_of([_value(option, dimension) for option in options]) if len(options) > 1 else _plain(plain, form)


def _with(tag, kind):
    return lambda table: {tag: kind, **table}


def _list(form, dimension):
    if any(isinstance(remark, OfWorldDimension) for remark in remarks(form)):
        return _vector(dimension, -MODERATE, MODERATE)
    least, most = length(form)
    return st.lists(_value(entry(form, 0), dimension), min_size=least, max_size=min(most or FEW, max(least, FEW)))


def _plain(plain, form):
    if plain is str and any(isinstance(remark, NameOfFlock) for remark in remarks(form)):
        return st.just("boids")
    if isinstance(plain, type) and issubclass(plain, bool):
        return st.booleans()
    least, most = _bounds(form)
    if plain is int:
        return st.integers(int(least or 0), int(min(most, (least or 0) + FEW)))
    if plain is float:
        return st.floats(max(least, -MODERATE), min(most, max(MODERATE, least))).filter(lambda x: abs(x) >= MIN_NUMBER)
    if plain is str:
        return st.text(max_size=12)
    return st.dictionaries(_changeable(), st.floats(0.1, 9.0), max_size=2) if _is_mapping(plain) else st.just(0)


def _is_mapping(plain):
    return getattr(plain, "__origin__", plain) is Mapping


def _bounds(form):
    found = list(constraints(form))
    least = [getattr(one, "ge", getattr(one, "gt", None)) for one in found if _is_lower(one)]
    most = [getattr(one, "le", getattr(one, "lt", None)) for one in found if not _is_lower(one)]
    return max((x for x in least if x is not None), default=-MODERATE), min(
        (x for x in most if x is not None), default=float("inf")
    )


def _is_lower(bound):
    return isinstance(bound, annotated_types.Gt | annotated_types.Ge)


def _changeable():
    """Dotted keys of flocks, as events and sweeps name them."""
    names = [f"{one.name}.{key}" for one in sections() if one.name.startswith("flock") for key in fields(one.table)]
    return st.sampled_from(sorted(names))
