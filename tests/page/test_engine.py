"""The engine of pages against numpy, to the last bit, what a page can compute, and what it exports."""

from base64 import b64encode
from itertools import islice
from typing import ClassVar

import numpy as np
import pytest
from pydantic import ValidationError
from typing_extensions import override

from boidsgen import load_scenario, simulate
from boidsgen.scenario.scenario import toml_of_non_defaults
from boidsgen.scenario.sources import presets
from boidsgen.simulation.measures import contributions, measure, neighbors_of
from boidsgen.simulation.neighbors import Request
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.simulation.rules.rule import RecipeRule, Rule
from boidsgen.simulation.setup import Event
from boidsgen.tables import NotNegative, Positive, replaced, value_at
from boidsgen.webpage.document import (
    LATE,
    TRIED,
    UNCHANGING,
    UNSUPPORTED,
    _awake,
    _EncodedModel,
    _flat,
    _keys,
    document,
    unable,
)
from boidsgen.webpage.writer import page_data, scenario_parts, with_numbers
from tests.page.browsers import node
from tests.shipped import shipped
from tests.states.digests import drawn

SHORT, WHOLE = 8, 300  # Frames that are compared in CI, and on demand
LONG_WARMUP = 60  # More steps than this are left out in CI
SLOW = pytest.mark.slow
PRESETS = sorted(preset.name for preset in presets())
CROWD = "murmuration-30000"  # Its steps take a second each


@pytest.fixture(scope="module")
def stepped():
    """A function that gives what Node makes of a job, as `step.mjs` says."""
    with node("step") as answer:
        yield answer


def states_of(scenario, frames, engine="numpy"):
    """The states, frame by frame and group by group, encoded as Node's are."""
    return [
        [[encoded(group.position), encoded(group.velocity)] for group in (*state.flocks, *state.predators)]
        for state in islice(simulate(scenario, engine=engine), frames)
    ]


def encoded(array):
    return b64encode(np.ascontiguousarray(array).tobytes()).decode()


def first_difference(found, expected):
    """The first frame and group that differ; None where all are equal."""
    for frame, states in enumerate(zip(found, expected, strict=True)):
        for group, (here, there) in enumerate(zip(*states, strict=True)):
            if here != there:
                return frame, group
    return None


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        # In CI every sixth preset; that each can be live is asked of all
        *(pytest.param(name, SHORT, marks=[SLOW] * (n % 6 > 0)) for n, name in enumerate(PRESETS) if name != CROWD),
        *(pytest.param(name, WHOLE, marks=SLOW) for name in PRESETS),
    ],
)
def test_presets(stepped, name, frames):
    """Every preset is live, and its first states are numpy's."""
    scenario = load_scenario(name)
    if frames == SHORT:
        scenario = load_scenario(name, {"time.warmup": min(LONG_WARMUP, scenario.time.warmup)})
    frames = min(frames, scenario.time.frames)

    result = stepped(document=document(scenario), frames=frames, back=2 if frames <= SHORT else frames - 1)

    # Both engines give the same, and numpy takes minutes for boids that move in turn.
    assert first_difference(result["states"], states_of(scenario, frames, "auto")) is None
    assert result["repeated"]


def test_every_preset_can_be_live():
    """Nothing in any of them is unknown to the kernel, or takes too long for a page."""
    assert [name for name in PRESETS if unable(shipped()[name])] == []


@pytest.mark.turns(10)
@pytest.mark.parametrize("name", drawn())
def test_drawn_scenarios(stepped, name):
    """All that an engine can be asked is computed as numpy does, or a page says that it has to record."""
    scenario = load_scenario(drawn()[name])
    if why := unable(scenario):
        assert why[0] in {LATE, UNCHANGING}, why
        return
    frames = min(12, scenario.time.frames)

    result = stepped(document=document(scenario), frames=frames, back=min(4, frames - 1))

    assert first_difference(result["states"], states_of(scenario, frames)) is None
    assert result["repeated"]


@pytest.mark.parametrize("update", ["synchronous", "sequential"])
def test_falloffs_and_turns(stepped, update):
    """The keys of sums and forms do on a page what they do in numpy."""
    scenario = load_scenario({**WORLDS["falloffs and turns"], "time": {"frames": 12}}, {"flock.update": update})

    result = stepped(document=document(scenario), frames=12, back=4)

    assert first_difference(result["states"], states_of(scenario, 12)) is None


FLOWING = {
    "flat": [
        {"kind": "wind", "vector": [0.05, -0.1], "period": 9.0, "acts": "drift", "until": 6},
        {"kind": "curl_noise", "scale": 50.0, "period": 30.0, "weight": 0.2, "on": "flock"},
        {"kind": "flow_map", "flow": [[[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]], [[0.5, 0.5], [3.0, -1.0], [0.0, 0.25]]]},
        {"kind": "height_map", "heights": [[0.0, 0.5, 1.0], [2.0, -1.0, 0.0]], "weight": 0.1, "from": 3},
        {"kind": "vortex", "radius": 20.0, "weight": 0.0, "on": "predators"},
    ],
    "deep": [
        {"kind": "vortex", "center": [20.0, 50.0, 3.0], "weight": -0.2, "until": 8},
        {"kind": "curl_noise", "weight": 0.3, "acts": "drift"},
        {"kind": "wind", "vector": [0.05, -0.1, 0.2], "on": "predators"},
    ],
}
"""Fields of all kinds, for everybody and for some, for the whole time and for a part of it."""


def flowing(name, boundary="torus", **keys):
    """A scenario with these fields, in which events change numbers of two of them, at once and little by little."""
    events = [
        {"at": 4, "set": {"fields.0.weight": 2.0}},
        {"at": 3, "over": 5, "set": {f"fields.{len(FLOWING[name]) - 1}.weight": 0.75}},
    ]
    return load_scenario(
        {
            "world": {"size": [120.0, 80.0, 60.0][: 2 if name == "flat" else 3], "boundary": boundary},
            "time": {"frames": 12, "dt": 0.5},
            "flock": [{"count": 30, **keys}, {"name": "others", "count": 9, "update": "shuffled"}],
            "predators": {"count": 2},
            "fields": FLOWING[name],
            "events": events,
        }
    )


@pytest.mark.parametrize("boundary", ["torus", "soft"])
@pytest.mark.parametrize("name", FLOWING)
def test_fields(stepped, name, boundary):
    """Fields move boids and predators of a page as they do in numpy, and come, go and change as they do."""
    scenario = flowing(name, boundary)

    result = stepped(document=document(scenario), frames=12, back=4)

    assert first_difference(result["states"], states_of(scenario, 12)) is None
    assert result["repeated"]
    without = states_of(scenario.model_copy(update={"fields": (), "events": ()}), 12)
    assert first_difference(result["states"], without) == (1, 0)


@pytest.mark.parametrize("key", ["fields.1.scale", "fields.1.pattern", "fields.3.relief"])
def test_fields_that_are_told_as_numbers_cannot_change(key):
    """A page has the waves of curl noise and the slopes of a landscape, and says so where an event changes them."""
    event = Event.model_validate({"at": 5, "set": {key: 7}})

    assert unable(flowing("flat").model_copy(update={"events": (event,)})) == (UNCHANGING, {"key": key})


WORLDS = {  # in which numbers that a page tries out in the place of a point could be the same, or change nothing
    "sides that differ by 4": {"world": {"size": [404.0, 400.0]}},
    "small": {"world": {"size": [4.0, 4.0]}},
    "small 3D": {"world": {"size": [8.0, 4.0, 8.0]}},
    "far away": {"attractors": {"point": [1e14, 3.0]}},
    "fields": {"world": {"size": [120.0, 80.0]}, "fields": FLOWING["flat"]},
    "almost equal": {"attractors": {"point": [10 + 1 / 1024, 10.0]}},
    "falloffs and turns": {
        "flock": {
            "perception": {"field_of_view": 200.0, "all_round": 9.0},
            "separation": {
                "falloff": "quartic",
                "length": 3.0,
                "average": "view",
                "steering": "unit",
                "preempts": True,
            },
            "alignment": {"falloff": "power", "length": 7.0, "steering": "turn", "max_turn": 12.0, "of": "heading"},
            "cohesion": {"falloff": "exponential", "length": 11.0, "empty": "brake_in_view", "average": "sum"},
        }
    },
}
WHERE = {"flock": {"home": {}, "seek": {}, "formation": {}}, "predators": {"path": "circle"}}


def others(value, chance, dimension):
    """Values that a key might take in the place of this one; most kinds of None are only known to the key."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + int(chance.integers(2, 9))
    elif isinstance(value, tuple):
        yield tuple(next(others(part, chance, dimension), part) for part in value)
    elif isinstance(value, float):
        yield float(chance.uniform(0.3, 0.95)) * (value if 0 < abs(value) < np.inf else 1.0)
    elif value is None:
        yield from (float(chance.uniform(0.1, 0.9)), tuple(chance.uniform(0, 4, dimension).tolist()))


@pytest.mark.parametrize(
    "name",
    [*WORLDS, *(name if n % 20 == 0 else pytest.param(name, marks=SLOW) for n, name in enumerate(PRESETS))],
)
def test_values_in_their_slots(name):
    """Writing a value of a key into its slots gives the memory that a scenario with that value has.

    Keys have the slots that are found together, as a page finds them, also where each of them is tried alone.
    """
    told = _EncodedModel(_awake(load_scenario(WHERE | WORLDS[name] if name in WORLDS else name)))
    chance, wrong, written = np.random.default_rng(0), [], 0
    for key, slots in told.slots(_keys(told.scenario)).items():
        value = value_at(told.scenario, key.split("."))
        wrong += [] if told.slots([key]) == {key: slots} else [(key, value, slots)]
        for other in others(value, chance, told.scenario.world.dimension) if slots else ():
            try:
                scenario = replaced(told.scenario, key.split("."), other)
            except ValidationError:
                continue
            memory = told.cells.copy()
            for cell, part, is_whole in slots:
                memory[cell] = (np.int64 if is_whole else np.float64)([*_flat(other)][part]).view(np.uint64)
            written += 1
            wrong += [] if np.array_equal(memory, _EncodedModel(scenario).cells) else [(key, other, slots)]

    assert not wrong
    assert written > len(told.program.tables)


def test_defaults_that_are_tried():
    """A key is offered whatever its default is, also where that is a number that a page tries out."""
    offered = [
        [key for key, _ in document(load_scenario({"flock": {"perception": {"radius": radius}}}))["keys"]]
        for radius in (50.0, *TRIED)
    ]

    assert "flock.0.cohesion.radius" in offered[0]
    assert all(keys == offered[0] for keys in offered)


class Drawn(RecipeRule):
    """Toward the neighbors within a reach of its own: a rule of another package, told by a recipe."""

    recipe: ClassVar = "mean offset"
    reach: Positive = 30.0

    @override
    def own_requests(self, perception):
        return (Request(self.reach, perception.field_of_view, "offset"),)


class Wind(Rule):
    """A rule that only its own code knows."""

    strength: NotNegative = 0.1
    chance: ClassVar = None

    @override
    def desired(self, view):
        return np.full_like(view.position, self.strength)


class Halved(Drawn):
    """A recipe that computes with its keys."""

    @override
    def own_requests(self, perception):
        return (Request(self.reach / 2, perception.field_of_view, "offset"),)


def test_recipes_of_other_packages(stepped):
    """A page executes the recipe of a rule it has never heard of, and follows its keys."""
    scenario = load_scenario("quickstart", {"time.frames": 20}).with_rule(Drawn(weight=0.5))

    plain = stepped(document=document(scenario), frames=20)
    moved = stepped(document=document(scenario), frames=20, actions=[[5, "flock.drawn.reach", 80.0]])

    assert first_difference(plain["states"], states_of(scenario, 20)) is None
    assert first_difference(moved["states"], plain["states"])[0] == 6


def test_rules_that_are_recorded_only():
    """A page says which rule of another package keeps it from being live."""
    assert unable(load_scenario("quickstart").with_rule(Wind())) == (
        f"{UNSUPPORTED} the rule {{name}}.",
        {"name": "wind"},
    )


def test_keys_that_a_page_cannot_write():
    """A page offers no key that a recipe computes with, and follows all others of the rule."""
    keys = [key for key, _ in document(load_scenario("quickstart").with_rule(Halved()))["keys"]]

    assert "flock.0.halved.weight" in keys
    assert "flock.0.halved.reach" not in keys


def rendered_again(stepped, data, actions, frames, seed=0):
    """What was exported after actions on a page with this data, which has the states of the page."""
    about = {name: data[name] for name in ("document", "text", "spare")}
    result = stepped(**about, actions=actions, frames=frames, seed=seed % len(about["document"]["starts"]), back=8)
    found = load_scenario(result["toml"])
    known = len(found.flock) + len(found.predators)
    assert first_difference([groups[:known] for groups in result["states"]], states_of(found, frames)) is None
    assert not any(position for groups in result["states"] for position, _ in groups[known:])
    assert result["repeated"]
    return found


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(n, marks=SLOW) for n in range(5, 50))])
def test_actions_are_events(stepped, seed):
    """Twelve sliders and clicks on a page, exported as TOML, are a scenario with the same states."""
    chance = np.random.default_rng(seed)
    name = ["quickstart", "hunt", "obstacles", "species", "pygame-exercise"][seed % 5]
    scenario = load_scenario(name, {"time.warmup": 0, "time.frames": 30})
    data, _ = page_data(scenario)
    values = {
        one["key"]: one["low"] + one["step"] * int(chance.integers(0, (one["high"] - one["low"]) / one["step"] + 1))
        for one in data["controls"]
        if not one["key"].endswith("_speed")  # one of which must stay below the other
    }
    attractor, predator = f"attractors.{len(scenario.attractors)}", f"predators.{len(scenario.predators)}"
    values |= {
        f"{attractor}.point": chance.uniform(0, scenario.world.size).tolist(),
        f"{attractor}.weight": float(chance.integers(-4, 2)),
    }
    values |= {f"{predator}.path.center": chance.uniform(0, scenario.world.size).tolist()}
    keys = [f"{predator}.count", *chance.choice([*values], 11)]
    values[f"{predator}.count"] = int(chance.integers(1, 3))
    actions = [
        [int(at), str(key), values[key]] for at, key in zip(sorted(chance.integers(0, 28, 12)), keys, strict=True)
    ]

    found = rendered_again(stepped, data, actions, 40, seed)

    assert found.time.frames >= 40
    assert len(found.predators) > len(scenario.predators)


POINT = {"attractors": ({"point": (100.0, 80.0)},)}
BALL = {"obstacles": ({"kind": "circle", "center": (200.0, 200.0), "radius": 30.0},)}
HUNTERS = ({"path": {"kind": "circle", "scale": 0.0}, "count": 0}, {"path": "trefoil"}, {"count": 2})
SWARM = {
    "layout": "disc",
    "center": [90.0, 100.0],
    "radius": 40,
    "speed": None,
    "heading": None,
    "velocity": [-1.0, 1.0],
}
SESSIONS = {
    "an obstacle that is dragged, an attractor that is moved, and a key without a number": (
        *("quickstart", POINT | BALL),
        {(3, "obstacles.0.center"): [150.0, 210.0], (3, "attractors.0.point"): [200.0, 200.0]}
        | {(9, "attractors.0.weight"): -2.0, (9, "flock.max_speed"): 2.5},
    ),
    "predators at a point, on a curve, and hunters come and go": (
        *("quickstart", {"predators": HUNTERS}),
        {(4, "predators.0.path.center"): [90.0, 90.0], (4, "predators.0.count"): 1}
        | {(5, "predators.0.path.center"): [120.0, 130.0], (6, "predators.1.count"): 3, (7, "predators.2.count"): 5}
        | {(9, "predators.0.count"): 0, (11, "predators.2.count"): 1},
    ),
    "an event about the only attractor stays right when a click brings a second one": (
        *("word", {}),
        {(5, "attractors.1.point"): [60.0, 60.0], (5, "attractors.1.weight"): 1.0},
    ),
    "a swarm that a key spawns begins where the action says": (
        *("pygame-lesson", {}),
        {(7, "flock.0.start"): SWARM, (7, "flock.0.count"): 60},
    ),
}


@pytest.mark.parametrize(("name", "keys", "actions"), SESSIONS.values(), ids=SESSIONS)
def test_what_is_done_on_a_page_is_exported(stepped, name, keys, actions):
    """What was set is in the events of the exported scenario, which has the same states."""
    told = [[*place, value] for place, value in actions.items()]

    found = rendered_again(stepped, page_data(load_scenario(name, keys))[0], told, 30)

    assert {*actions} <= {(event.at, key) for event in found.events for key in event.set}


@pytest.mark.parametrize("name", PRESETS)
def test_without_any_action_the_exported_scenario_is_the_scenario_itself(name):
    scenario = load_scenario(name)
    parts = scenario_parts(scenario)
    clock = "".join(f"{key} = {value}\n" for key, value in parts["time"].items())
    text = f"seed = {scenario.seed}\n{parts['keys']}\n[time]\n{clock}\n{parts['tables']}\n" + "\n".join(parts["events"])
    alone = {"extends": None}

    found = load_scenario(text)

    assert toml_of_non_defaults(found.model_copy(update=alone)) == toml_of_non_defaults(
        with_numbers(scenario).model_copy(update=alone)
    )


@pytest.mark.parametrize("name", ["quickstart", "hunt", "couzin-torus", "numpy-unbounded", "food-chain"])
def test_a_page_measures_what_numpy_measures(stepped, name):
    scenario = load_scenario(name, {"time.warmup": 0, "time.frames": 20})
    data, _ = page_data(scenario)

    result = stepped(**{part: data[part] for part in ("document", "units")}, frames=20)

    for state, values in zip(simulate(scenario), result["values"], strict=True):
        assert values == dict.fromkeys(KERNEL_MEASURES) | measure(state, KERNEL_MEASURES)


@pytest.mark.parametrize("name", ["quickstart", "hunt", "pygame-spawn", "obstacles", "p5-fish-school", *FLOWING])
def test_what_a_boid_perceives(stepped, name):
    """Neighbors and contributions of a boid are those that are drawn in a film."""
    short = {"time.frames": 4, "time.warmup": 0}
    scenario = replaced(flowing(name), ("time", "frames"), 4) if name in FLOWING else load_scenario(name, short)
    flock, boid = 0, 7

    result = stepped(document=document(scenario), frames=4, asked=[flock, boid])

    for state, look in zip(simulate(scenario, engine="numpy"), result["looks"], strict=True):
        assert look["neighbors"] == neighbors_of(state, flock, boid).tolist()
        expected = {name: vector.tolist() for name, vector in contributions(state, flock, boid).items()}
        assert look["contributions"] == expected


def test_states_that_were_forgotten_are_computed_again():
    """A page keeps states of at most 64 MB, and shows those of every frame, and of the run before a change."""
    scenario = load_scenario("quickstart", {"flock.count": 20_000, "world.size": (8000, 8000), "time.frames": 160})
    seeks, action = [159, 70, 69, 3, 150], (50, "flock.0.cohesion.weight", 0.0)
    event = {"at": 50, "set": {"flock.0.cohesion.weight": 0.0}}
    changed = scenario.model_copy(update={"events": (Event.model_validate(event),)})
    look = {"groups": [{"trails": 2}], "cameras": [], "world": {"size": scenario.world.size}, "fps": 30}

    with node("keep") as played:
        result = played(document=document(scenario), look=look, seeks=seeks, action=action)

    for found, one in ((result["first"], scenario), (result["second"], changed)):
        known = {
            state.frame: encoded(state.flocks[0].position)
            for state in simulate(one, engine="auto")
            if {state.frame, state.frame + 1} & {*seeks}
        }
        assert found == [[known[frame - 1], known[frame], frame] for frame in seeks]
    assert result["before"] == result["first"][-1][1]
    assert result["bytes"] <= 64e6
