"""The table of a model: the keys of a scenario that have an effect, with their values as TOML.

A scenario of these keys, in which all other rules are off, has the same states. Words in parentheses are no values:
they say where a value comes from.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from math import inf
from typing import Any, NamedTuple
from unicodedata import normalize

from boidsgen.scenario.layers import UnresolvedKeyError, sources_of, split_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import MAX_INTEGER, to_toml
from boidsgen.simulation.rules.flocking import Alignment
from boidsgen.simulation.rules.places import ArrivingRule, Seek
from boidsgen.simulation.rules.rule import Neighborhood, Rule, SteeredGroup
from boidsgen.simulation.setup import FOREIGN, Flock, Predators
from boidsgen.tables import Key, OffByDefault, Table, has_tables, keys_of, table_meaning, value_at
from boidsgen.version import __version__

SOFTWARE = f"""\
@software{{boidsgen,
  author = {{{{boidsgen developers}}}},
  title = {{boidsgen}},
  version = {{{__version__}}},
  license = {{MIT}}
}}"""
VARIED = "(varied)"
LISTS = ("flock", "predators", "obstacles", "attractors", "fields")
"""Keys of several tables, of which events may change keys."""
_NARROW = Neighborhood(radius=1.0, field_of_view=1.0, neighbors=1, coincident="count", all_round=1.0)  # No key as usual
_MAX_LENGTH = 60  # Characters of a value in the table
_CITED = re.compile(r"\b([^\W\d_][\w']{1,40})(?: et al\.| and [^\W\d_][\w']{1,40})? ([12][0-9]{3})")


class KeyRow(NamedTuple):
    """A key of the model."""

    key: str  # dotted, with the number of its table where there are several
    value: str  # as TOML, or words in parentheses
    remark: str  # its unit, or the source of the rule whose weight it is; empty where there is none


def model(scenario: Scenario, file: str) -> Iterator[KeyRow]:
    """The keys that have an effect, with their values; those of a sweep are marked, and those that events change.

    A list that is too long for the table is left to the file of the scenario, which has this name.
    """
    varied = {place_of_key(key, scenario) for key in scenario.sweep.vary}
    met = scenario.met({".".join(keys) for keys in varied})
    lists = [kind for kind in LISTS if met or kind != "obstacles"]
    changes = [{key: one for key, one in event.set.items() if key.split(".")[0] in lists} for event in scenario.events]
    by_events = {place_of_key(key, scenario) for settings in changes for key in settings}
    changing = varied | by_events
    rows = [*_rows(scenario.world, ("world",), changing), *_rows(scenario.time, ("time",), changing, {"rate"})]
    for kind in ("flock", "predators"):
        for at, group in enumerate(getattr(scenario, kind)):
            rows += _rows(group, (kind, f"{at}"), changing, _without_effect(group, scenario, (kind, f"{at}"), changing))
    for kind in lists[2:]:
        for at, table in enumerate(getattr(scenario, kind)):
            rows += _rows(table, (kind, f"{at}"), changing)
    for at, (event, settings) in enumerate(zip(scenario.events, changes, strict=True)):
        place = ("events", f"{at}")
        found = [((*place, "at"), event.at, "frame"), ((*place, "over"), event.over, "frames")]
        rows += [*found, ((*place, "set"), settings, "")] if settings else []
    several = {kind for kind in LISTS if len(getattr(scenario, kind)) > 1} | {"events"}
    told = set[tuple[str, ...]]()
    for below, value, remark in rows:
        keys = next((below[:depth] for depth in range(1, len(below)) if below[:depth] in varied), below)
        if keys in told:  # a whole table that differs between runs
            continue
        told.add(keys)
        name = ".".join(keys[:1] + keys[1 + (keys[0] in LISTS and keys[0] not in several) :])
        starts = {keys[:depth] for depth in range(1, len(keys) + 1)}
        text = VARIED if starts & varied else value if isinstance(value, _Words) else _short(value, file)
        if (seen := (*keys[:2], *text.strip("()").split("."))) not in changing and text.startswith("(perception."):
            text = f"{text[:-1]}, {_short(value_at(scenario, seen), file)})"
        about = _source(scenario, keys, changing) or (remark if keys == below else "")
        about = "" if about.startswith("in 3D") and scenario.world.dimension == 2 else about.removeprefix("in 3D ")
        yield KeyRow(name, text, "; ".join(filter(None, (about, "changed by an event" * bool(starts & by_events)))))


class _Words(str):
    """Words in place of a value."""

    __slots__ = ()


_Found = tuple[tuple[str, ...], object, str]
"""The parts of a dotted key with the number of its table, its value, and its unit."""


def _rows(
    table: Table, place: tuple[str, ...], changing: set[tuple[str, ...]], without: Iterable[str] = ()
) -> Iterator[_Found]:
    """The keys below a table, all but those without effect and those that mean nothing."""
    known = keys_of(type(table))
    changed = {keys[-1] for keys in changing if keys[:-1] == place} & known.keys()
    # Numbers decide over no other key.
    decides = any(not isinstance(_value(table, known[key]), int | float) for key in changed)
    without = {*without, *(() if decides else table.idle)}
    for key, about in known.items():
        value, keys = _value(table, about), (*place, key)
        # A default that switches off, or is no limit, means nothing.
        idle = value is False or value == inf or (isinstance(value, tuple | Mapping) and not value)
        below = {name.removeprefix(f"{key}.") for name in without if name.startswith(f"{key}.")}
        if keys in changing and not has_tables(value):
            yield keys, value, about.unit
        elif key in without or (value == about.default and (idle or about.remark(OffByDefault) is not None)):
            continue
        elif isinstance(value, Rule) and isinstance(table, SteeredGroup):
            yield from _rule(value, table, keys, changing, below)
        elif isinstance(value, Table):
            yield from _rows(value, keys, changing, below)
        elif has_tables(value):
            for at, entry in enumerate(value):
                inner = {name.removeprefix(f"{at}.") for name in below if name.startswith(f"{at}.")}
                yield from _rows(entry, (*keys, f"{at}"), changing, inner)
        elif value is not None:
            yield keys, value, _in_space(type(table), str(value)) if about.is_tag else about.unit
        elif told := re.search(r"Default: (.+?)\.(?:\s|$)", about.text):
            yield keys, _Words(f"({told[1]})"), ""


def _in_space(table: type[Table], kind: str) -> str:
    """The name of a kind of shape in three dimensions, where that is another one."""
    found = re.search(r"in 3D (?:over )?(an? (\w+))", table_meaning(table))
    return f"in 3D {found[1]}" if found and found[2] != kind else ""


def _value(table: Table, key: Key) -> Any:  # noqa: ANN401  whatever the key holds
    """The value of a key; predators hunt without a table of it, too."""
    value = getattr(table, key.attribute)
    return table.tables.get(key.name, value) if isinstance(table, SteeredGroup) else value


def _rule(
    rule: Rule, group: SteeredGroup, place: tuple[str, ...], changing: set[tuple[str, ...]], idle: Iterable[str]
) -> Iterator[_Found]:
    """The keys of a rule, with the form in which it steers even where that is the group's."""
    moves = rule.acts_on == "position"
    without = {"steering", *(() if moves else ("acts_on",)), *(("max_force",) if rule.max_force is None else ()), *idle}
    yield from _rows(rule, place, changing, without)
    own, unmoved = rule.steering or rule.usual_steering, moves or "steering" in rule.idle
    if not unmoved and (*place, "steering") not in changing and (own or (*place[:2], "steering") not in changing):
        yield (*place, "steering"), group.steering_of(rule), ""


def _without_effect(
    group: Flock | Predators, scenario: Scenario, place: tuple[str, ...], changing: set[tuple[str, ...]]
) -> set[str]:
    """The keys of a group that change nothing as long as the changing ones are the only ones that change."""
    if isinstance(group, Predators) and group.carried:
        kept = {"name", "count", "path", "from", "until"}
        return {key for key in keys_of(type(group)) if key not in kept} | _phase(group, place, changing)
    rules = {name: rule for name, rule in group.tables.items() if rule is not None}
    on = {
        name: rule
        for name, rule in rules.items()
        if (rule.weight != 0 or (*place, name, "weight") in changing or (*place, name) in changing)
        and (scenario.predators or not rule.predator_requests())
    }
    gone = {"steering", *(rules.keys() - on.keys())}
    errs = group.angular_noise or (*place, "angular_noise") in changing
    gone |= set() if errs else {"angular_noise", "angular_noise_spread"}
    gone |= {"angular_noise_spread"} if scenario.world.dimension == 2 else set()
    gone |= _phase(group, place, changing) if isinstance(group, Predators) else set()
    alone = group.count <= 1 and (*place, "count") not in changing
    turns = not alone and any(one.own_requests(group.perception) for one in on.values())
    gone |= set() if turns or scenario.world.boundary.before_turns or on.keys() & FOREIGN.keys() else {"update"}
    if on.keys() & FOREIGN.keys():  # which may look at everything
        return gone
    pulled = isinstance(group, Flock) and scenario.attractors
    capped = (one for one in on.values() if one.max_force is None and not {"max_force", "acts_on"} & {*one.idle})
    reaches = (isinstance(one, ArrivingRule) or group.steering_of(one) == "reynolds" for one in capped)
    gone |= set() if pulled or any(reaches) or _changes(changing, "steering") else {"max_force"}
    return gone | {f"perception.{key}" for key in keys_of(Neighborhood) if not _is_asked(on.values(), key)}


def _phase(group: Predators, place: tuple[str, ...], changing: set[tuple[str, ...]]) -> set[str]:
    """The phase between predators on a path, where there is only one."""
    return {"path.phase"} if group.count == 1 and (*place, "count") not in changing else set()


def _is_asked(rules: Iterable[Rule], key: str) -> bool:
    """True if rules ask other questions about neighbors where this key of the perception is another."""
    usual = Neighborhood()
    narrow = usual.model_copy(update={key: getattr(_NARROW, key)})
    return any(
        (one.own_requests(usual), one.other_requests(usual)) != (one.own_requests(narrow), one.other_requests(narrow))
        for one in rules
    )


def _changes(changing: set[tuple[str, ...]], key: str) -> bool:
    return any(keys[-1] == key for keys in changing)


def _source(scenario: Scenario, keys: tuple[str, ...], changing: set[tuple[str, ...]]) -> str:
    """The source of the rule whose weight this is, if it steers as there."""
    kind, *rest = keys
    if kind not in {"flock", "predators"} or len(rest) < 2:
        return ""
    group, name = getattr(scenario, kind)[int(rest[0])], rest[1]
    rule = group.tables.get(name)
    if rest[1:] == ["angular_noise"]:
        return "degrees; Vicsek et al. 1995"
    if rest[2:] != ["weight"] or rule is None or rule.acts_on == "position":
        return ""
    source = _source_in_a_model(rule, group) or rule.cited(group.steering_of(rule))
    if not source.startswith("after") and any(_changes(changing, key) for key in rule.published):
        source = f"after {source}"
    return source if re.search("[12][0-9]{3}", source) else ""


def _source_in_a_model(rule: Rule, group: SteeredGroup) -> str:
    """The source of a rule that is known by what stands beside it: the mean of Vicsek et al., a goal beside zones."""
    if group.steering_of(rule) != "direct":
        return ""
    steady = group.speeds[0] == group.speeds[1] and group.inertia == rule.weight == 1
    if isinstance(rule, Alignment) and steady:
        return "Vicsek et al. 1995" if rule.include_self else "after Vicsek et al. 1995"
    zones = group.tables["zones"]
    return "after Couzin et al. 2005" if isinstance(rule, Seek) and zones is not None and zones.weight else ""


def bibtex(source: Source, scenario: Scenario) -> str:
    """Entries of BibTeX for boidsgen, for the presets that a scenario is or extends, and for its rules."""
    names = {one.stem for one in sources_of(source) if not (one.path or one.carried)}
    cited = {key for row in model(scenario, "") for key in cited_in(row.remark)}
    entries = [SOFTWARE]
    for block in (files("boidsgen.scenario") / "sources.bib").read_text("utf-8").split("\n\n")[1:]:
        presets, _, entry = block.strip().rpartition("\n@" if block.startswith("presets: ") else "@")
        if entry.partition("{")[2].partition(",")[0] in cited or names & {*presets.split()[1:]}:
            entries.append(f"@{entry}")
    return "\n\n".join(entries)


def cited_in(text: str) -> list[str]:
    """Keys of the entries that a text cites: of "Grégoire and Chaté 2004" it is gregoire2004."""
    return [re.sub(r"[^a-z0-9]", "", normalize("NFD", f"{name}{year}".lower())) for name, year in _CITED.findall(text)]


def place_of_key(key: str, scenario: Scenario) -> tuple[str, ...]:
    """The parts of a dotted key, with the number of its table where there may be several."""
    try:
        first, *rest = split_key(key)
    except UnresolvedKeyError:  # of a study that somebody has altered
        return (key,)
    if first not in LISTS or (rest and rest[0].isdecimal()):
        return (first, *rest)
    names = [getattr(table, "name", "") for table in getattr(scenario, first)]
    if len(rest) > 1 and rest[0] in names:
        return (first, f"{names.index(rest[0])}", *rest[1:])
    return (first, "0", *rest)


def _short(value: object, file: str) -> str:
    text = to_toml(_plain(value))
    if len(text) <= _MAX_LENGTH or not isinstance(value, tuple | list):
        return text
    return f"({len(value)} entries, in {file})"


def _plain(value: object) -> object:
    """A value without decimal points that it does not need."""
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < MAX_INTEGER else value
