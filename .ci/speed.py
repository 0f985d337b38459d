"""Print the processor time of a step by the kernel that python finds, for six cases, as JSON.

`.ci/wheels.py` runs this for each of the builds that it compares.
"""

import json
import math
import sys
import time
from tempfile import TemporaryDirectory

from boidsgen import load_scenario, simulate
from boidsgen.api import Scenario

PRESETS = {"murmuration": 20, "trefoil": 20, "hunt": 100, "vicsek-1995": 100}
"""Steps of each preset that are timed."""
BOIDS, REACH, NEIGHBORS, STEPS = 20_000, 50.0, 20, 10


def flock(dimension: int, folder: str) -> Scenario:
    """A scenario of boids with about so many neighbors each."""
    around = math.pi * REACH**2 if dimension == 2 else 4 / 3 * math.pi * REACH**3
    side = (BOIDS * around / NEIGHBORS) ** (1 / dimension)
    path = f"{folder}/{dimension}.toml"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(
            f"seed = 1\n[world]\nsize = {[side] * dimension}\n[time]\nframes = {STEPS + 1}\n[flock]\ncount = {BOIDS}\n"
            f"max_speed = 4\nsteering = 'direct'\nperception = {{ radius = {REACH} }}\n"
            f"separation = {{ weight = 1.5, radius = {REACH / 3}, falloff = 'inverse' }}\n"
            "alignment = { weight = 0.05 }\ncohesion = { weight = 0.005 }\n"
        )
    return load_scenario(path)


def seconds(scenario: Scenario, steps: int) -> float:
    """Processor time of a step, the best of three runs."""
    best = math.inf
    for _ in range(3):
        states = iter(simulate(scenario, engine="native"))
        next(states)
        began = time.process_time()
        for _ in range(steps):
            next(states)
        best = min(best, time.process_time() - began)
    return best / steps


with TemporaryDirectory() as folder:
    found = {f"{BOIDS:,} boids, {d}D": seconds(flock(d, folder), STEPS) for d in (2, 3)}
found |= {name: seconds(load_scenario(name, {"time.frames": steps + 1}), steps) for name, steps in PRESETS.items()}
json.dump(found, sys.stdout)
