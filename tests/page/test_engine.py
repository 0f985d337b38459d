"""The engine of pages against numpy, to the last bit, and what a page can compute."""

import json
import shutil
import subprocess
from base64 import b64encode
from itertools import islice
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from typing_extensions import override

from boidsgen import load_scenario, simulate
from boidsgen.scenario.sources import presets
from boidsgen.simulation.neighbors.sums import Request
from boidsgen.simulation.observe import contributions, neighbors_of
from boidsgen.simulation.rules.rule import Recipe, RecipeRule, Rule
from boidsgen.tables import NotNegative, Positive
from boidsgen.webpage.document import document, unable
from boidsgen.webpage.writer import script_json
from tests.states.digests import drawn

STEP, KEEP = Path(__file__).with_name("step.mjs"), Path(__file__).with_name("keep.mjs")
SHORT, WHOLE = 8, 300  # Frames that are compared in CI, and on demand
LONG_WARMUP = 60  # More steps than this are left out in CI
PRESETS = sorted(preset.name for preset in presets())
CROWD = "murmuration-30000"  # Its steps take a second each


@pytest.fixture(scope="module")
def stepped():
    """A function that gives what Node makes of some jobs, as `step.mjs` says."""
    node = shutil.which("node")
    assert node, "pages are tested in Node, which is missing"
    with subprocess.Popen([node, STEP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def answers(*jobs):
            found = []
            for job in jobs:
                process.stdin.write(script_json(job) + "\n")
                process.stdin.flush()
                found.append(json.loads(process.stdout.readline()))
                assert "error" not in found[-1], found[-1]["error"]
            return found

        yield answers
        process.stdin.close()


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
    assert len(found) == len(expected)
    for frame, (one, other) in enumerate(zip(found, expected, strict=True)):
        for group, (here, there) in enumerate(zip(one, other, strict=True)):
            if here != there:
                return frame, group
    return None


def short(name):
    """A preset without a long warm-up."""
    scenario = load_scenario(name)
    return load_scenario(name, {"time.warmup": LONG_WARMUP}) if scenario.time.warmup > LONG_WARMUP else scenario


@pytest.mark.parametrize(
    "name", [name for name in PRESETS if name != CROWD] + [pytest.param(CROWD, marks=pytest.mark.slow)]
)
def test_presets(stepped, name):
    """Every preset is live, and its first states are numpy's."""
    scenario = short(name)
    frames = min(SHORT, scenario.time.frames)

    (result,) = stepped({"document": document(scenario), "frames": frames, "back": 2})

    assert first_difference(result["states"], states_of(scenario, frames, "auto")) is None
    assert result["repeated"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_whole_presets(stepped, name):
    """The first 300 states of every live preset, or all, are numpy's."""
    scenario = load_scenario(name)
    frames = min(WHOLE, scenario.time.frames)

    (result,) = stepped({"document": document(scenario), "frames": frames, "back": frames - 1})

    # Both engines give the same, and numpy takes minutes for boids that move in turn.
    assert first_difference(result["states"], states_of(scenario, frames, "auto")) is None


@pytest.mark.parametrize(
    "name",
    [name if number % 4 == 0 else pytest.param(name, marks=pytest.mark.slow) for number, name in enumerate(drawn())],
)
def test_drawn_scenarios(stepped, name):
    """All that an engine can be asked is computed as numpy does, or a page says that it has to record."""
    scenario = load_scenario(drawn()[name])
    if why := unable(scenario):
        assert " that are added later." in why or "A page cannot change " in why, why
        return
    frames = min(12, scenario.time.frames)

    (result,) = stepped({"document": document(scenario), "frames": frames, "back": min(4, frames - 1)})

    assert first_difference(result["states"], states_of(scenario, frames)) is None
    assert result["repeated"]


class Drawn(RecipeRule):
    """Toward the neighbors within a reach of its own: a rule of another package, told by a recipe."""

    reach: Positive = 30.0

    @override
    def recipe(self, perception):
        return Recipe("mean offset", own=Request(self.reach, perception.field_of_view, "offset"))


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
    def recipe(self, perception):
        return Recipe("mean offset", own=Request(self.reach / 2, perception.field_of_view, "offset"))


def test_recipes_of_other_packages(stepped):
    """A page executes the recipe of a rule it has never heard of, and follows its keys."""
    scenario = load_scenario("quickstart", {"time.frames": 20}).with_rule(Drawn(weight=0.5))

    plain, moved = stepped(
        {"document": document(scenario), "frames": 20},
        {"document": document(scenario), "frames": 20, "actions": [[5, "flock.drawn.reach", 80.0]]},
    )

    assert first_difference(plain["states"], states_of(scenario, 20)) is None
    assert first_difference(moved["states"], plain["states"])[0] == 6


def test_rules_that_are_recorded_only():
    """A page says which rule of another package keeps it from being live."""
    page = document(load_scenario("quickstart").with_rule(Wind()))

    assert (page["live"], page["why"]) == (False, "A page does not support the rule wind.")


def test_keys_that_a_page_cannot_write():
    """A page offers no key that a recipe computes with, and follows all others of the rule."""
    keys = [key for key, _ in document(load_scenario("quickstart").with_rule(Halved()))["keys"]]

    assert "flock.0.halved.weight" in keys
    assert "flock.0.halved.reach" not in keys


SLIDERS = {
    "flock.0.separation.weight": (0.0, 4.0),
    "flock.0.alignment.weight": (-1.0, 3.0),
    "flock.0.cohesion.weight": (0.0, 3.0),
    "flock.0.separation.radius": (5.0, 40.0),
    "flock.0.cohesion.radius": (20.0, 90.0),
    "flock.0.perception.radius": (20.0, 90.0),
    "flock.0.perception.field_of_view": (90.0, 360.0),
    "flock.0.max_force": (0.05, 0.6),
    "flock.0.max_speed": (2.0, 6.0),
}
"""Keys that are set at random, with their ranges."""


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(n, marks=pytest.mark.slow) for n in range(5, 50))])
def test_actions_are_events(stepped, seed):
    """Ten things that one does on a page, exported as events, give the same states."""
    chance = np.random.default_rng(seed)
    name = str(chance.choice(["quickstart", "hunt", "obstacles", "species", "pygame-exercise"]))
    scenario = load_scenario(name, {"time.frames": 30, "time.warmup": 0})
    actions = []
    for _ in range(10):
        key = list(SLIDERS)[chance.integers(len(SLIDERS))]
        value = float(chance.uniform(*SLIDERS[key]))
        if chance.random() < 0.3:
            key, value = "flock.0.count", int(chance.integers(10, 70))
        actions.append((int(chance.integers(28)), key, value))
    actions.sort(key=lambda action: action[0])

    (result,) = stepped({"document": document(scenario), "frames": 30, "actions": actions, "back": 11})

    done = [{"at": one["frame"], "set": {one["key"]: one["value"]}} for one in result["actions"]]
    assert len(done) > 5
    exported = type(scenario).model_validate({**given(scenario), "events": (*given(scenario).get("events", ()), *done)})
    assert first_difference(result["states"], states_of(exported, 30)) is None
    assert result["repeated"]


def given(scenario):
    """What a scenario says, key by key."""
    return {name: getattr(scenario, name) for name in scenario.model_fields_set}


def test_obstacles_and_attractors_are_moved_as_by_events(stepped):
    """An obstacle that is dragged and an attractor that is set give the states of the same events."""
    keys = {
        "time.frames": 20,
        "attractors": ({"point": (100.0, 80.0)},),
        "obstacles": ({"kind": "circle", "center": (200.0, 200.0), "radius": 30.0},),
    }
    actions = [
        [3, "obstacles.0.center", [150.0, 210.0]],
        [3, "attractors.point", [200.0, 200.0]],
        [9, "attractors.weight", -2.0],
    ]
    done = tuple(
        {"at": at, "set": {key: tuple(value) if isinstance(value, list) else value}} for at, key, value in actions
    )

    (result,) = stepped({"document": document(load_scenario("quickstart", keys)), "frames": 20, "actions": actions})

    exported = load_scenario("quickstart", {**keys, "events": done})
    assert first_difference(result["states"], states_of(exported, 20)) is None


def test_predators_come_and_go_by_clicks(stepped):
    """Predators whose number is set give the states of the same events: those at a point, on a curve, and hunters."""
    carried = ({"path": {"kind": "circle", "scale": 0.0}, "count": 0}, {"path": "trefoil"}, {"count": 2})
    actions = [
        [4, "predators.0.path.center", [90.0, 90.0]],
        [4, "predators.0.count", 1],
        [5, "predators.0.path.center", [120.0, 130.0]],
        [6, "predators.1.count", 3],
        [7, "predators.2.count", 5],
        [9, "predators.0.count", 0],
        [11, "predators.2.count", 1],
    ]
    done = tuple({"at": at, "set": {key: value}} for at, key, value in actions)
    page = document(load_scenario("quickstart", {"time.frames": 16, "predators": carried}))

    (result,) = stepped({"document": page, "frames": 16, "actions": actions, "back": 8})

    exported = load_scenario("quickstart", {"time.frames": 16, "predators": carried, "events": done})
    assert first_difference(result["states"], states_of(exported, 16)) is None
    assert result["repeated"]


@pytest.mark.parametrize("name", ["quickstart", "hunt", "pygame-spawn", "obstacles", "p5-fish-school"])
def test_what_a_boid_perceives(stepped, name):
    """Neighbors and contributions of a boid are those that are drawn in a film."""
    scenario = load_scenario(name, {"time.frames": 4, "time.warmup": 0})
    flock, boid = 0, 7

    (result,) = stepped({"document": document(scenario), "frames": 4, "asked": [flock, boid]})

    for state, look in zip(simulate(scenario, engine="numpy"), result["looks"], strict=True):
        assert look["neighbors"] == neighbors_of(state, flock, boid).tolist()
        expected = {name: vector.tolist() for name, vector in contributions(state, flock, boid).items()}
        assert look["contributions"] == expected


def test_seeds(stepped):
    """Each start of a page is that of the scenario with its seed."""
    scenario = load_scenario("hunt", {"time.frames": 5, "time.warmup": 3})
    page = document(scenario, seeds=3)

    results = stepped(*({"document": page, "frames": 5, "seed": number} for number in range(3)))

    for number, result in enumerate(results):
        other = scenario.model_copy(update={"seed": scenario.seed + number})
        assert first_difference(result["states"], states_of(other, 5)) is None


def test_states_that_were_forgotten_are_computed_again():
    """A page keeps states of at most 64 MB, and shows those of every frame, and of the run before a change."""
    scenario = load_scenario("quickstart", {"flock.count": 20_000, "world.size": (8000, 8000), "time.frames": 160})
    seeks, action = [159, 70, 69, 3, 150], (50, "flock.0.cohesion.weight", 0.0)
    event = {"at": 50, "set": {"flock.0.cohesion.weight": 0.0}}
    changed = type(scenario).model_validate({**given(scenario), "events": (event,)})
    look = {"groups": [{"trails": 2}], "cameras": [], "world": {"size": scenario.world.size}, "fps": 30}
    job = {"document": document(scenario), "look": look, "seeks": seeks, "action": action}

    ran = subprocess.run(
        [shutil.which("node"), KEEP], input=script_json(job), capture_output=True, text=True, check=True
    )
    result = json.loads(ran.stdout)

    for found, one in ((result["first"], scenario), (result["second"], changed)):
        known = {
            state.frame: encoded(state.flocks[0].position)
            for state in simulate(one, engine="auto")
            if {state.frame, state.frame + 1} & {*seeks}
        }
        assert found == [[known[frame - 1], known[frame], frame] for frame in seeks]
    assert result["before"] == result["first"][-1][1]
    assert result["bytes"] <= 64e6
