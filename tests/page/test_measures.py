"""The measures of a page against those of numpy."""

import json
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from boidsgen import load_scenario, simulate
from boidsgen.simulation.measures import measure
from boidsgen.simulation.native_measures import NAMES

VALUES = Path(__file__).with_name("values.mjs")
CASES = ("quickstart", "hunt", "couzin-torus", "numpy-unbounded", "food-chain")


@pytest.mark.parametrize("name", CASES)
def test_a_page_measures_what_numpy_measures(name):
    scenario = load_scenario(name, {"time.warmup": 0})
    states = list(islice(simulate(scenario), 0, 40, 13))
    dimension = scenario.world.dimension
    groups = [
        [
            {
                "kind": kind,
                "count": len(group.position),
                "dimension": dimension,
                "position": group.position.ravel().tolist(),
                "velocity": group.velocity.ravel().tolist(),
            }
            for kind, some in (("flock", state.flocks), ("predators", state.predators))
            for group in some
        ]
        for state in states
    ]
    job = {
        "states": groups,
        "radii": [(flock.perception.radius, flock.separation.reach(flock.perception)[0]) for flock in scenario.flock],
        "space": {"size": scenario.world.size, "periods": scenario.world.periods.tolist()},
        "names": NAMES,
    }
    node = shutil.which("node")
    assert node, "pages are tested in Node, which is missing"
    ended = subprocess.run([node, str(VALUES)], input=json.dumps(job), capture_output=True, text=True, check=False)
    assert not ended.returncode, ended.stderr
    for state, values in zip(states, json.loads(ended.stdout), strict=True):
        assert values == dict.fromkeys(NAMES) | measure(state, NAMES)
