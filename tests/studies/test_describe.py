import re
import tomllib
from collections import Counter
from contextlib import suppress
from itertools import chain, islice, zip_longest
from math import isinf

import numpy as np
import pytest
from hypothesis import assume, given, settings

from boidsgen import __version__, describe, load_scenario, simulate, sweep
from boidsgen.errors import NotFiniteError, ScenarioError
from boidsgen.scenario.layers import Override
from boidsgen.scenario.model_table import LISTS, VARIED, model
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.sources import Source, presets
from boidsgen.studies.manifest import STUDY
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.reports import study_text
from boidsgen.tables import keys_of, value_at, walk
from tests.generating import simulated
from tests.states.drawing import runs

SMALL = """\
seed = 3
title = "A & B"
measure.names = ["polarization", "groups"]
[world]
size = [48, 32]
[time]
frames = 40
dt = 0.5
[flock]
name = "fish_1"
count = 5
perception = { radius = 7, field_of_view = 270 }
cohesion.weight = 0
[[events]]
at = 3
set = { "flock.separation.weight" = 4 }
"""
VARY = (SweepAxis("flock.count", (2, 3), ""), SweepAxis("flock.alignment.weight", (0.5, 1.0), ""))
OPTIONS = {
    "crossed": SweepOptions(VARY, 2),
    "paired": SweepOptions(VARY, zipped=True),
    "seeds": SweepOptions((), 3),
    "until": SweepOptions(VARY, 9, drawn=False, until={"error.groups": 0.25}),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("independent", [False, True])
def test_the_scenario_of_a_study(options, independent):
    """The file in the directory of a study has everything that makes its runs."""
    fixed = [Override("sweep.independent", independent, ""), Override("flock.max_speed", 3.5, "")]
    plan = plan_sweep(Source("small.toml", "small", SMALL), fixed, options)
    again = plan_sweep(Source("study.toml", "study", study_text(plan, {})), [], SweepOptions(drawn=options.drawn))

    assert again.runs == plan.runs
    assert again.until == plan.until


def the_same(rows, scenario):
    """A document of the rows of a table alone, in which other rules are off; words are read from the scenario."""
    document: dict = {"flock": [{}]}
    for key, value, _ in rows:
        first, *rest = key.split(".")
        names = [first, *(["0"] if first in LISTS and not rest[0].isdecimal() else []), *rest]
        if value.startswith("("):
            whole = value_at(scenario, names)
            assert value == VARIED or whole is None or value == f"({len(whole)} entries, in study.toml)"
            content = None if whole is None else whole
        else:
            content = tomllib.loads(f"value = {value}")["value"]
        if content is not None:
            put(document, names, content)
    if "events" in document:
        document["events"] = [event for event in document["events"] if event]  # those of captions are not there
    for flock in document["flock"]:
        for rule in ("separation", "alignment", "cohesion", "flee"):
            flock.setdefault(rule, {"weight": 0})
    for predators in document.get("predators", ()):
        if "path" not in predators:
            predators.setdefault("hunt", {"weight": 0})
    return load_scenario({**document, "seed": scenario.seed, "limits": dict(scenario.limits)})


def put(node, names, content):
    """Set a value in tables and lists, which grow."""
    name, *rest = names
    if isinstance(node, list):
        name = int(name)
        node += [{} for _ in range(name + 1 - len(node))]
    elif name not in node:
        node[name] = [] if rest and rest[0].isdecimal() else {}
    if rest:
        put(node[name], rest, content)
    else:
        node[name] = content


def assert_alike(one, other):
    """All states are equal, or the first ones of a long run."""
    few = None if one.cost(drawn=False)["neighbor_visits"] < 2e6 else 3
    for mine, theirs in zip(islice(simulate(one), few), islice(simulate(other), few), strict=True):
        for group, twin in zip((*mine.flocks, *mine.predators), (*theirs.flocks, *theirs.predators), strict=True):
            assert group.name == twin.name
            assert np.array_equal(group.position, twin.position)
            assert np.array_equal(group.velocity, twin.velocity)


@pytest.mark.parametrize(
    "name",
    [pytest.param(one.name, marks=() if n % 3 == 1 else pytest.mark.slow) for n, one in enumerate(presets())],
)
def test_the_table_of_a_preset_is_its_model(name):
    """A scenario of the keys in the table, and nothing else, has the same states; units are those that there are."""
    scenario = load_scenario(name, {"sweep": {}})
    rows = [*model(scenario, STUDY)]

    assert_alike(scenario, the_same(rows, scenario))
    for key, _, remark in rows:
        unit = remark.split("; ")[0]
        known = {"", key_unit(key), "changed by an event"} | (
            {"frame", "frames"} if key.startswith("events.") else set()
        )
        known |= {"a ball"} if scenario.world.dimension == 3 and key.endswith(".layout") else set()
        assert unit in known or key.endswith(".weight")


UNREACHED = {"limit_speed", "solid", "closed", "coincident"}
"""Keys about what does not happen in every run: too fast, inside an obstacle, at the end of a path, at one place."""
UNMOVED = {
    "world.size": "the world of a flock that starts at given places and never meets an edge is only what is shown",
    "integrator": "with a velocity that never changes, both are the same",
    "min_speed": "a limit of zero that nobody comes near is none",
    "trefoil-as-listed predators.0.start.speed": "nothing is left of it after the first step, which is not shown",
    "p5-build-up flock.0.max_speed": "they start below it, and nothing drives them",
    "p5-build-up flock.0.update": "where in a step its boids enter again at the other edge",
    "concept-evasion predators.0.inertia": "no rule steers it, at a speed that is fixed",
    "concept-evasion predators.1.inertia": "no rule steers it, at a speed that is fixed",
    "concept-pursuit flock.0.inertia": "no rule steers it, at a speed that is fixed",
    "p5-build-up world.boundary.applied": "which side of an edge others see in the turns of one step",
}
"""Keys, or those of a preset, that are told as part of the model, and why they change no state."""
FEW = ("concept-flee", "concept-hierarchy", "concept-seek", "couzin-informed", "formation", "numpy-meeting-alike")
FEW += ("numpy-quick-start", "numpy-unbounded", "p5-fish-school", "pygame-repel", "trap-separation", "vicsek-2004")


def others_than(value, key, axes):
    """Other values for a key, some of which may not fit it."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [word for word in key.choices if word != value]
    if isinstance(value, int):
        return [value + 1, value - 1, value + 7]
    if isinstance(value, float):
        return [1.0, 0.5] if isinf(value) else [value * 1.5 + 1, value / 2, value * 0.9 - 0.01, value * 5 + 50, 0.01]
    if isinstance(value, tuple) and all(isinstance(one, float) for one in value):
        return [[one * 1.25 + 1 for one in value], [one / 2 for one in value], [one / 2 + 0.1 for one in value]]
    return [0.37, [0.1, 0.2], [20.0] * axes, 1, 37.0, 300.0] if value is None else []


def same(one, other):
    """True if all states are equal; an error in one of the runs is a difference."""
    try:
        for mine, theirs in zip_longest(simulate(one), simulate(other)):
            groups = [(*state.flocks, *state.predators) for state in (mine, theirs) if state is not None]
            pairs = zip(*groups, strict=True) if len(groups) == 2 else [()]
            if not all(pair and all(map(np.array_equal, *map(flown, pair))) for pair in pairs):
                return False
    except NotFiniteError:
        return False
    return True


def flown(group):
    """Positions and velocities."""
    return group.position, group.velocity


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one.name, marks=() if one.name in FEW else pytest.mark.slow)
        for one in presets()
        if one.name != "murmuration-30000"  # the same keys as murmuration
    ],
)
def test_every_key_in_the_table_has_an_effect(name):
    """Another value of any key that is told changes the states, but for those about what never happens in the run."""
    given: dict = {"sweep": {}, "overlay.paths": False, "output.loop_seam": 0}
    flocks = load_scenario(name, given).flock
    fewer = {f"flock.{at}.count": min(one.count, 60) for at, one in enumerate(flocks)}
    given |= fewer if all(one.start.layout not in {"points", "groups"} for one in flocks) else {}
    scenario = load_scenario(name, given)
    idle = []
    for key, _, remark in model(scenario, STUDY):
        first, *rest = key.split(".")
        numbered = [first, *(["0"] if first in LISTS and not rest[0].isdecimal() else []), *rest]
        if first == "events" or "changed by an event" in remark or rest[-1] in UNREACHED:
            continue
        tables = [table for keys, table in walk(scenario) if [*map(str, keys)] == numbered[:-1]]
        if not tables:  # predators hunt without a table of it, too
            continue
        table = tables[0]
        field, value = keys_of(type(table))[rest[-1]], value_at(table, rest[-1:])
        told, tried, changed = ".".join(numbered), 0, False
        for other in others_than(value, field, scenario.world.dimension):
            with suppress(ScenarioError):  # a value that does not fit
                another = load_scenario(name, {**given, told: other})
                tried += 1
                if changed := not same(scenario, another):
                    break
        if tried and not changed and not {key, rest[-1], f"{name} {told}"} & UNMOVED.keys():
            idle.append(told)

    assert not idle


SOURCES = {
    # Reynolds 1987 has priorities and no desired velocity, so that every form of the three is only after it.
    ("separation", "steering='reynolds'"): "after Reynolds 1987",
    ("separation", "falloff='linear', steering='direct'"): "after Reynolds 1987",
    ("alignment", "steering='direct'"): "after Reynolds 1987",
    ("cohesion", "acts_on='position', steering='direct'"): "",
    # Reynolds 1999: desired velocity minus velocity; arrival by a ramp of the speed.
    ("seek", "steering='reynolds'"): "Reynolds 1999",
    ("seek", "steering='direct'"): "after Reynolds 1999",
    ("arrive", "steering='direct'"): "Reynolds 1999",
    ("arrive", "steering='reynolds'"): "after Reynolds 1999",
    ("follow_path", "points=[[1,2],[3,4]]"): "Reynolds 1999",
    ("follow_leader", ""): "Reynolds 1999",
    ("formation", ""): "after Reynolds 1999, arrive",
    ("flee", "steering='reynolds'"): "Reynolds 1999",
    ("flee", "steering='direct'"): "after Reynolds 1999",
    ("flee", "steering='reynolds', falloff='inverse_square'"): "after Reynolds 1999",
    ("evade", ""): "Reynolds 1999",
    ("evade", "steering='direct'"): "after Reynolds 1999",
    ("avoid", ""): "Reynolds 1999; Hart 1996",
    ("wander", ""): "after Reynolds 1999",
    ("home", ""): "",
    # Couzin et al. 2002 add up individuals; Gregoire and Chate 2004 add a vector of fixed length.
    ("zones", "balance='individuals'"): "Couzin et al. 2002",
    ("zones", "balance='zones'"): "after Couzin et al. 2002",
    ("noise", "distribution='sphere'"): "Grégoire and Chaté 2004",
    ("noise", "distribution='box'"): "after Grégoire and Chaté 2004",
}


@pytest.mark.parametrize(("rule", "keys"), SOURCES)
def test_a_rule_has_the_source_of_its_form(rule, keys):
    """A source is named alone where the rule has the form published there, and else as what the rule is after."""
    table = tomllib.loads(f"weight = 1.0\n{keys}".replace(", ", "\n"))
    scenario = load_scenario({"flock": {rule: table}, "predators": {}})

    assert source_of(scenario, f"flock.{rule}.weight") == SOURCES[rule, keys]


@pytest.mark.parametrize(
    ("name", "key", "source"),
    [
        ("vicsek-1995", "alignment.weight", "Vicsek et al. 1995"),
        ("vicsek-1995", "angular_noise", "degrees; Vicsek et al. 1995"),
        ("vicsek-2004", "alignment.weight", "Vicsek et al. 1995"),
        ("vicsek-2004", "noise.weight", "Grégoire and Chaté 2004"),
        ("vicsek", "alignment.weight", "after Vicsek et al. 1995"),
        ("vicsek", "noise.weight", "after Grégoire and Chaté 2004"),
        ("couzin-informed", "seek.weight", "after Couzin et al. 2005"),
        ("couzin-informed", "zones.weight", "Couzin et al. 2002"),
        ("couzin-swarm", "zones.weight", "after Couzin et al. 2002"),
        ("trefoil-published", "flee.weight", "after Reynolds 1999"),
        ("trefoil-published", "home.weight", ""),
    ],
)
def test_a_preset_has_the_sources_of_its_rules(name, key, source):
    """Rules that another model made known, by what stands beside them, have its source."""
    assert source_of(load_scenario(name), f"flock.{key}") == source


@pytest.mark.parametrize(("target", "source"), [("nearest", "Reynolds 1999"), ("center", "after Reynolds 1999")])
def test_a_hunt_has_the_source_of_its_target(target, source):
    """Seek and pursuit go for one boid; a hunt for the center of all is only after them."""
    scenario = load_scenario({"predators": {"hunt": {"target": target}}})

    assert source_of(scenario, "predators.hunt.weight") == source


def source_of(scenario, wanted):
    """The remark on a key of the table."""
    return next(remark for key, _, remark in model(scenario, STUDY) if key == wanted)


WORDS = {
    ("formation", "flock.formation.angle"): ("(70 degrees between the arms of a v, 0 for a line)", ""),
    ("p5-horde", "obstacles.2.margin"): ("(a tenth of the world's smallest side)", ""),
    ("p5-horde", "obstacles.0.margin"): ("(half its radius)", ""),
    ("concept-seek", "flock.start.heading"): ("(along the ring, counterclockwise)", ""),
    ("concept-seek", "flock.start.width"): ("0.2", ""),
    ("couzin-swarm", "flock.start.layout"): ('"disc"', "a ball"),
    ("ben-eater", "flock.alignment.radius"): ("(perception.radius, 75)", ""),
    ("trefoil-published", "predators.path.period"): ("480", "units of time"),
    ("concept-alignment", "events.0.at"): ("60", "frame"),
}


@pytest.mark.parametrize(("name", "key"), WORDS)
def test_words_and_units_are_those_of_the_very_table(name, key):
    """Where several kinds of table have a key, its default in words and its unit are those of the very kind."""
    rows = {row.key: row for row in model(load_scenario(name), STUDY)}

    assert rows[key][1:] == WORDS[name, key]


@given(document=simulated())
@settings(max_examples=60, deadline=None)
def test_the_table_of_any_scenario_is_its_model(document):
    """A scenario of the keys in its table, and nothing else, has the same states, as long as they are numbers."""
    assume(runs(document))
    scenario = load_scenario(document)

    assert_alike(scenario, the_same(model(scenario, STUDY), scenario))


@pytest.mark.parametrize(
    ("name", "there", "absent"),
    [
        ("vicsek-1995", {"alignment.steering": '"direct"', "alignment.include_self": "true"}, "Reynolds"),
        ("couzin-swarm", {"zones.repulsion": "1", "zones.turning_rate": "40", "zones.blind_angle": "90"}, "Reynolds"),
        ("quickstart", {"alignment.steering": '"reynolds"'}, "Vicsek"),
    ],
)
def test_the_table_names_sources_of_rules_as_published(name, there, absent):
    """Steering, radii and angles are in the table; a rule has the source whose form it has, and no other one."""
    rows = [*model(load_scenario(name), STUDY)]
    found = {key: value for key, value, _ in rows}

    assert {f"flock.{key}": value for key, value in there.items()}.items() <= found.items()
    assert not any(absent in remark for _, _, remark in rows)


DESIGNS = {
    "crossed": ({}, "a (2, 3); and b (0.5, 1), in all 4 combinations"),
    "paired": ({"zipped": True}, "a (2, 3) and b (0.5, 1), paired (first with first): 2 points"),
    "partly": (
        {"zipped": "ac"},
        "a (2, 3) and c (3, 4, in U), paired (first with first); and b (0.5, 1), in all 4 combinations",
    ),
    "one": ({}, "a (2, 3): 2 values"),
}
KEYS = {"a": "flock.count", "b": "flock.alignment.weight", "c": "flock.max_speed"}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_design_of_a_study(name, tmp_path):
    """Which keys were paired and which crossed, at how many points, and how many runs there were."""
    values = {"a": [2, 3], "b": [0.5, 1.0], "c": [3.0, 4.0]}
    given, told = DESIGNS[name]
    letters = re.findall(r"\b[abc]\b", told)
    zipped = given.get("zipped", False)
    options = {"sweep__zip": [KEYS[key] for key in zipped] if isinstance(zipped, str) else zipped}
    vary = {KEYS[key]: values[key] for key in letters}
    table = sweep(SMALL, vary, seeds=2, jobs=1, directory=tmp_path, **options)
    text = describe(tmp_path)
    points = len(set(zip(*(table[key] for key in vary), strict=True)))
    words = re.sub(r"\b[abc]\b(?= \()", lambda key: KEYS[key[0]], told.replace("U", "world units per unit of time"))

    assert f"We varied {words}. " in text
    assert points == int(re.findall(r"(\d+) (?:combinations|points|values)", told)[-1])
    assert f"{2 * points} runs were done." in text
    for key in vary:
        assert re.search(rf"(?m)^{re.escape(key)} +\(varied\)", text)


def test_the_methods_of_a_study(tmp_path):
    """Model, parameters, seeds, estimators and versions stand there, what was varied without a value of its own."""
    until = {"error.groups": 1e-9, "error.polarization": 1.0}
    vary = {"flock.alignment.weight": [0, 0.5, 1], "flock.count": [2, 3]}
    table = sweep(SMALL, vary, seeds=9, until=until, jobs=1, directory=tmp_path)
    seeds = Counter(zip(table["flock.alignment.weight"], table["flock.count"], strict=True)).values()
    text = describe(tmp_path)

    for said in (
        "We varied flock.alignment.weight (0, 0.5, 1); and flock.count (2, 3), in all 6 combinations",
        f"Each had {' to '.join(map(str, sorted({*seeds})))} independent seeds, spawned from 3",
        "from 8 up to 9, until the standard error over them was at most 1e-09 for groups and 1 for polarization",
        f"{len(table['flock.count'])} runs were done.",
        "We measured groups and polarization in every frame from frame 0 on, 40 values a run",
        "Flyvbjerg and Petersen 1989",
        f"boidsgen {__version__}, numpy ",
        f"Cite as: boidsgen developers: boidsgen, version {__version__}",
    ):
        assert said in text
    for row in (
        "world.size [48, 32] world units",
        "time.dt 0.5 units of time",
        "flock.count (varied)",
        "flock.alignment.weight (varied) after Reynolds 1987",
        "flock.separation.weight 1.5 after Reynolds 1987; changed by an event",
        "flock.perception.field_of_view 270 degrees",
        "events.0.at 3",
        'events.0.set { "flock.separation.weight" = 4 }',
    ):
        assert row in re.sub(" +", " ", text)
    assert "cohesion" not in text
    assert "flee" not in text


def test_what_differs_between_runs_has_no_number_of_its_own(tmp_path):
    """Frames and measured frames that a sweep varies are not told as one number."""
    sweep(SMALL, {"time.frames": [4, 5]}, jobs=1, directory=tmp_path)
    text = describe(tmp_path)

    assert re.search(r"(?m)^time\.frames +\(varied\)$", text)
    assert "in the frames that the table [measure] of each run names" in text
    assert not re.search(r"\d+ values a run", text)


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        (None, "Each had one seed, spawned from 3 by NumPy's SeedSequence, another for each point"),
        (2, "Each had 2 independent seeds, spawned from 3 by NumPy's SeedSequence, another for each point"),
    ],
)
def test_a_design_is_described_as_points(tmp_path, seeds, told):
    """A sweep over a design says how many points there are, and that each has seeds of its own, however many."""
    ranges = {"flock.alignment.weight": "0:2", "flock.max_speed": "1:4"}
    sweep(SMALL, ranges, design="lhs", runs=4, seeds=seeds, jobs=1, directory=tmp_path)
    text = describe(tmp_path)

    assert ", paired (first with first): 4 points." in text
    assert told in text


def test_latex(tmp_path):
    """In LaTeX nothing is left that it would take for a command, and the work can be cited."""
    sweep(SMALL, {"flock.count": [2, 3]}, measure__names=["polarization"], jobs=1, directory=tmp_path)
    text, _, bibtex = describe(tmp_path, latex=True).rpartition("\n")

    head, rows, tail = re.split(r"\\begin{tabular}{lll}\n|\\end{tabular}", text)
    cells = [row.removesuffix(r" \\").split(" & ") for row in rows.splitlines()]
    assert {len(row) for row in cells} == {3}
    for part in (head, tail, *chain(*cells)):
        assert not re.search(r"(?<!\\)[&%#_{}~^×°]", re.sub(r"\$[^$]*\$", "", part))
    assert r"fish\_1" in text
    assert bibtex.startswith("% @software{boidsgen, ")
