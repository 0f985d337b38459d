"""The methods section of a study: a table of the model, and sentences about runs, estimators and versions.

The table has the keys of the scenario that had an effect, with their values as TOML: a scenario of these keys, in which
all other rules are off, has the same states. Words in parentheses are no values: they say where a value comes from.
Sentences are about what `study.toml` and the manifest record, and about nothing else.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, prod
from pathlib import Path
from typing import Any, NamedTuple

from boidsgen.errors import StorageError, join_words
from boidsgen.scenario.layers import UnresolvedKeyError, split_key
from boidsgen.scenario.loading import draft
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import found_beside
from boidsgen.scenario.wording import MAX_INTEGER, to_toml
from boidsgen.simulation.rules.flocking import Alignment
from boidsgen.simulation.rules.places import ArrivingRule, Seek
from boidsgen.simulation.rules.rule import Neighborhood, Rule, SteeredGroup
from boidsgen.simulation.setup import FOREIGN, Flock, Predators
from boidsgen.studies.manifest import STUDY
from boidsgen.studies.plan import SweepAxis, group_axes, parse_values, value_text
from boidsgen.studies.results import Results, in_words, read_results
from boidsgen.studies.series import FIRST_SEEDS, MAX_MEASURED
from boidsgen.tables import Key, Table, has_tables, keys_of, table_meaning, value_at
from boidsgen.version import __version__

VARIED = "(varied)"
LISTS = ("flock", "predators", "obstacles", "attractors")  # Keys of several tables, of which events may change keys
_NARROW = Neighborhood(radius=1.0, field_of_view=1.0, neighbors=1, coincident="count")  # No key as usual
_MAX_LISTED = 12  # Values of a key that are listed one by one
_MAX_LENGTH = 60  # Characters of a value in the table
_CITE = f"boidsgen developers: boidsgen, version {__version__}, software, MIT License"
_BIBTEX = (
    f"% @software{{boidsgen, author = {{{{boidsgen developers}}}}, title = {{boidsgen}}, version = {{{__version__}}}}}"
)
_LATEX = {"\\": r"\textbackslash{}", "×": r"$\times$", "°": r"$^\circ$", "≤": r"$\leq$", "~": r"\textasciitilde{}"}
_LATEX |= {"^": r"\textasciicircum{}"} | {letter: f"\\{letter}" for letter in "&%$#_{}"}


class KeyRow(NamedTuple):
    """A key of the model."""

    key: str  # dotted, with the number of its table where there are several
    value: str  # as TOML, or words in parentheses
    remark: str  # its unit, or the source of the rule whose weight it is; empty where there is none


def describe(directory: str, *, latex: bool = False) -> str:
    """The methods section of the study in a directory, as text or as LaTeX.

    Raises:
        StorageError: the directory has no study.
        BoidsgenError: another of its kinds, when its files are damaged.
    """
    path = Path(directory, STUDY)
    if not path.is_file():
        raise StorageError(f"{path}: there is no such file; the directory of a sweep has one")
    scenario, results = draft(found_beside(path)).scenario(), read_results(directory)
    lead = f"The model{f' of {to_toml(scenario.title)}' if scenario.title else ''} had the values in this table. "
    lead += "Rules that are not in it were off; all other keys had their defaults or no effect."
    parts = (design(scenario, results), _estimators(scenario, results), _software(results))
    paragraphs, rows = [". ".join(part) + "." for part in parts], [*model(scenario)]
    if latex:
        body = "\n".join(f"{' & '.join(map(_in_latex, row))} \\\\" for row in rows)
        table = f"\\begin{{tabular}}{{lll}}\n{body}\n\\end{{tabular}}"
        return "\n\n".join([_in_latex(lead), table, *map(_in_latex, paragraphs), _BIBTEX])
    first, second = (max(len(row[at]) for row in rows) for at in (0, 1))
    table = "\n".join(f"{key:<{first}}  {value:<{second}}  {remark}".rstrip() for key, value, remark in rows)
    return "\n\n".join([lead, table, *paragraphs])


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


# The model


def model(scenario: Scenario) -> Iterator[KeyRow]:
    """The keys that have an effect, with their values; those of a sweep are marked, and those that events change."""
    varied = {_placed(key, scenario) for key in scenario.sweep.vary}
    met = scenario.met({".".join(keys) for keys in varied})
    lists = [kind for kind in LISTS if met or kind != "obstacles"]
    changes = [{key: one for key, one in event.set.items() if key.split(".")[0] in lists} for event in scenario.events]
    by_events = {_placed(key, scenario) for settings in changes for key in settings}
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
        text = VARIED if starts & varied else value if isinstance(value, _Words) else _short(value)
        if (seen := (*keys[:2], *text.strip("()").split("."))) not in changing and text.startswith("(perception."):
            text = f"{text[:-1]}, {_short(value_at(scenario, seen))})"
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
    changed = {keys[-1] for keys in changing if keys[:-1] == place}
    # Numbers decide over no other key.
    without = {*without, *(() if any(_decides(table, key) for key in changed) else table.idle)}
    for key, about in keys_of(type(table)).items():
        value, keys = _value(table, about), (*place, key)
        usual = value == about.default
        below = {name.removeprefix(f"{key}.") for name in without if name.startswith(f"{key}.")}
        if keys in changing and not has_tables(value):
            yield keys, value, about.unit
        elif key in without or (usual and (_is_nothing(value) or key in {"from", "until"})):
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
    """What a kind of shape is in three dimensions, where that is another one."""
    found = re.search(r"in 3D (?:over )?(an? (\w+))", table_meaning(table))
    return f"in 3D {found[1]}" if found and found[2] != kind else ""


def _decides(table: Table, key: str) -> bool:
    """True for a key on which it depends whether others have an effect."""
    found = keys_of(type(table)).get(key)
    return found is not None and not isinstance(_value(table, found), int | float)


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


def _is_nothing(value: object) -> bool:
    """True for what a default means when it switches off, or is no limit."""
    return value is False or value == inf or (isinstance(value, tuple | Mapping) and not value)


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


def _placed(key: str, scenario: Scenario) -> tuple[str, ...]:
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


def _short(value: object) -> str:
    text = to_toml(_plain(value))
    if len(text) <= _MAX_LENGTH or not isinstance(value, tuple | list):
        return text
    return f"({len(value)} entries, in {STUDY})"


def _plain(value: object) -> object:
    """A value without decimal points that it does not need."""
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < MAX_INTEGER else value


# The runs


def design(scenario: Scenario, results: Results) -> Iterator[str]:
    """Sentences about the values of the varied keys, how they were combined, and seeds."""
    sweep, seeds = scenario.sweep, Counter(str(row["parameters"]) for row in results.rows)
    axes = [
        SweepAxis(key, parse_values(values) if isinstance(values, str) else values, "")
        for key, values in sweep.vary.items()
    ]
    paired = sweep.zip if isinstance(sweep.zip, tuple) else tuple(sweep.vary) if sweep.zip else ()
    groups = group_axes(axes, paired)
    points = prod(len(group[0].values) for group in groups)
    what = "combination" if len(groups) > 1 else "point" if len(axes) > 1 else "value"
    if axes:
        told = "; and ".join(_group(group) for group in groups)
        how = f", in all {points:,} combinations" if len(groups) > 1 else f": {points:,} {what}{'s' * (points > 1)}"
        yield f"We varied {told}{how}"
    fewest, most = min(seeds.values()), max(seeds.values())
    if sweep.seeds is None:
        own = "" if _placed("seed", scenario) in {_placed(key, scenario) for key in sweep.vary} else scenario.seed
        yield f"Each was run once{f', with seed {own}' if own != '' else ''}"
    else:
        number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        many = "one seed" if most == 1 else f"{number} independent seeds"
        of_all = f", {'another' if sweep.independent else 'the same'} for each {what}" if axes else ""
        yield f"Each had {many}, spawned from {scenario.seed} by NumPy's SeedSequence{of_all}"
    if sweep.until:
        goals = (f"{_number(error)} for {in_words(name.removeprefix('error.'))}" for name, error in sweep.until.items())
        first = min(FIRST_SEEDS, sweep.seeds or 1)
        upto = f"from {first} up to {sweep.seeds}"
        yield f"Seeds were added, {upto}, until the standard error over them was at most {_join(goals)}"
    planned = f" of {points * (sweep.seeds or 1):,} planned" if not sweep.until else ""
    done = len(results.rows)
    yield f"{done:,}{planned if done != points * (sweep.seeds or 1) else ''} runs were done"


def _estimators(scenario: Scenario, results: Results) -> Iterator[str]:
    names = _join([in_words(name) for name in (*results.measures, *results.profiles)])
    if any(key.split(".")[0] in {"time", "measure"} for key in scenario.sweep.vary):
        yield f"We measured {names} in the frames that the table [measure] of each run names"
    else:
        frames = scenario.measure.frames(scenario.time, MAX_MEASURED)
        every = f"every {-frames.step} frames" if frames.step < -1 else "in every frame"
        yield f"We measured {names} {every} from frame {min(frames)} on, {len(frames)} values a run"
    yield (
        "The standard error of a run's mean allows for autocorrelation by blocking (Flyvbjerg and Petersen 1989; "
        "Kendall 1954)"
    )
    judged = [row.get("settled", {}) for row in results.rows]
    unsettled = Counter(name for row in judged for name, settled in row.items() if settled is False)
    said = _join([f"{in_words(name)} in {count:,} of {len(judged):,} runs" for name, count in unsettled.most_common()])
    tested = any(settled is not None for row in judged for settled in row.values())
    yield "The test of stationarity (after Geweke 1992) " + (
        f"found {said} not settled" if said else "found no run that had not settled" if tested else "needs 32 frames"
    )
    yield "Results are means over runs with their standard errors over runs"


def _software(results: Results) -> Iterator[str]:
    made = _join(dict.fromkeys(str(row["versions"]) for row in results.rows if row.get("versions")))
    yield f"The runs were made with {made}"
    yield f"The whole scenario is in {STUDY}; the command boidsgen sweep {STUDY} repeats the runs"
    yield f"Cite as: {_CITE}"


def _group(axes: Sequence[SweepAxis]) -> str:
    """Keys that are varied together."""
    return f"{_join(list(map(_axis, axes)))}{', paired (first with first)' if len(axes) > 1 else ''}"


def _axis(axis: SweepAxis) -> str:
    """A varied key with its values and its unit."""
    key, values = axis.key, axis.values
    unit = f", in {key_unit(key)}" if key_unit(key) else ""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(values) > _MAX_LISTED and len(numbers) == len(values):
        return f"{key} ({len(values)} values from {_number(min(numbers))} to {_number(max(numbers))}{unit})"
    return f"{key} ({', '.join(map(_number, values))}{unit})"


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else value_text(value)


def _join(parts: Iterator[str] | Sequence[str] | Mapping[str, None]) -> str:
    return join_words([*parts] or [""], "and")
