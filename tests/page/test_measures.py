"""The measures of a page against those of numpy."""

import json
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from boidsgen import load_scenario, simulate
from boidsgen.simulation.measures import measure
from boidsgen.webpage.writer import MEASURES

VALUES = Path(__file__).with_name("values.mjs")
CASES = ("quickstart", "hunt", "couzin-torus", "numpy-unbounded", "food-chain")


@pytest.mark.parametrize("name", CASES)
def test_a_page_measures_what_numpy_measures(name):
    scenario = load_scenario(name, {"time.warmup": 0})
    states = list(islice(simulate(scenario), 0, 40, 13))
    dimension = scenario.world.dimension
    flocks = [
        [
            {
                "kind": "flock",
                "count": len(flock.position),
                "dimension": dimension,
                "position": flock.position.ravel().tolist(),
                "velocity": flock.velocity.ravel().tolist(),
            }
            for flock in state.flocks
        ]
        for state in states
    ]
    job = {
        "states": flocks,
        "radii": [flock.perception.radius for flock in scenario.flock],
        "space": {"size": scenario.world.size, "periods": scenario.world.periods.tolist()},
        "names": MEASURES,
    }
    node = shutil.which("node")
    assert node, "pages are tested in Node, which is missing"
    ended = subprocess.run([node, str(VALUES)], input=json.dumps(job), capture_output=True, text=True, check=False)
    assert not ended.returncode, ended.stderr
    for state, values in zip(states, json.loads(ended.stdout), strict=True):
        assert values == pytest.approx(measure(state, MEASURES), rel=1e-9, abs=1e-12)
