"""What is done on a page, exported as TOML, is a scenario with the same states."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.scenario.scenario import resolved
from boidsgen.scenario.sources import presets
from boidsgen.webpage.writer import page_text

ACT = Path(__file__).with_name("act.mjs")
ACTIONS = {
    "flock.0.cohesion.weight": lambda chance: round(float(chance.uniform(0, 3)), 2),
    "flock.0.separation.radius": lambda chance: round(float(chance.uniform(5, 60)), 1),
    "flock.0.perception.radius": lambda chance: round(float(chance.uniform(10, 90)), 1),
    "flock.0.max_speed": lambda chance: round(float(chance.uniform(2, 6)), 2),
    "flock.0.alignment.weight": lambda chance: float(chance.integers(0, 2)),
    "flock.0.count": lambda chance: int(chance.integers(10, 90)),
    "attractors.0.point": lambda chance: [float(part) for part in chance.uniform(0, 400, 2)],
    "attractors.0.weight": lambda chance: float(chance.integers(-4, 2)),
    "predators.0.path.center": lambda chance: [float(part) for part in chance.uniform(0, 400, 2)],
    "predators.0.count": lambda chance: int(chance.integers(0, 3)),
}


def acted(text, actions, seed=0, frames=60):
    """States after actions on the page with this text, and its scenario, as `act.mjs` finds them in Node."""
    node = shutil.which("node")
    assert node, "pages are tested in Node, which is missing"
    job = {"page": text, "actions": actions, "seed": seed, "frames": frames}
    ended = subprocess.run([node, str(ACT)], input=json.dumps(job), capture_output=True, text=True, check=False)
    assert not ended.returncode, ended.stderr
    return json.loads(ended.stdout)


def assert_equal(scenario, states):
    """The scenario gives these states of all groups that it has, and nobody is in any other group."""
    for state, groups in zip(simulate(scenario), states, strict=False):
        known = (*state.flocks, *state.predators)
        assert [[one.position.ravel().tolist(), one.velocity.ravel().tolist()] for one in known] == groups[: len(known)]
        assert not any(position for position, _ in groups[len(known) :])


@pytest.mark.parametrize("seed", range(4))
def test_ten_random_actions_exported_as_toml_render_to_the_same_states(seed):
    chance = np.random.default_rng(seed)
    names = ["predators.0.count", *chance.choice([*ACTIONS], 9)]
    frames = sorted(int(frame) for frame in chance.integers(1, 50, 10))
    actions = [(frame, str(name), ACTIONS[str(name)](chance)) for frame, name in zip(frames, names, strict=True)]
    found = acted(page_text(load_scenario("quickstart")), actions, seed)
    again = load_scenario(found["toml"])
    assert again.time.frames >= 60
    assert again.predators
    assert_equal(again, found["states"])


@pytest.mark.parametrize("name", sorted(preset.name for preset in presets()))
def test_without_any_action_the_exported_scenario_is_the_scenario_itself(name):
    from boidsgen.webpage.writer import scenario_parts, with_numbers

    scenario = load_scenario(name)
    parts = scenario_parts(scenario)
    clock = "".join(f"{key} = {value}\n" for key, value in parts["time"].items())
    text = f"seed = {scenario.seed}\n{parts['keys']}\n[time]\n{clock}\n{parts['tables']}\n" + "\n".join(parts["events"])
    found = load_scenario(text)
    assert resolved(found.model_copy(update={"extends": None})) == resolved(
        with_numbers(scenario).model_copy(update={"extends": None})
    )


def test_what_one_does_keeps_the_events_of_a_scenario_with_an_attractor():
    """An event about the only attractor stays right when a click brings a second one."""
    found = acted(
        page_text(load_scenario("word")), [(5, "attractors.1.point", [60.0, 60.0]), (5, "attractors.1.weight", 1.0)]
    )
    again = load_scenario(found["toml"])
    assert len(again.attractors) == 2
    assert_equal(again, found["states"])


def test_a_swarm_that_a_key_spawns_is_an_event():
    """New boids begin where the action says, by numpy as on the page."""
    start = {
        "layout": "disc",
        "center": [90.0, 100.0],
        "radius": 40,
        "speed": None,
        "heading": None,
        "velocity": [-1.0, 1.0],
    }
    actions = [(7, "flock.0.start", start), (7, "flock.0.count", 60)]
    found = acted(page_text(load_scenario("pygame-lesson")), actions, frames=30)
    again = load_scenario(found["toml"])
    assert again.events[0].set["flock.0.count"] == 60
    assert_equal(again.model_copy(update={"time": again.time.model_copy(update={"frames": 30})}), found["states"])
