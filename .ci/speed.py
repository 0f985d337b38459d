"""Print the processor time of each frame of a run by the kernel that python finds, for each case that a line names.

The first line that it prints has the names of the cases; all are JSON. `.ci/wheels.py` runs this for each of the builds
that it compares, and asks them in turn.
"""

import json
import math
import sys
import time
from tempfile import TemporaryDirectory

from boidsgen import load_scenario, simulate
from boidsgen.api import Scenario
from boidsgen.simulation import native

PRESETS = {
    "murmuration": {"time.frames": 21},
    "trefoil": {"time.frames": 21},
    "hunt": {"time.frames": 21, "time.steps_per_frame": 10},  # one is soon done, and what Python adds would count
    "vicsek-1995": {"time.frames": 101},
}
BOIDS, REACH, NEIGHBORS, FRAMES = 20_000, 50.0, 20, 11


def flock(dimension: int, folder: str) -> Scenario:
    """A scenario of boids with about so many neighbors each."""
    around = math.pi * REACH**2 if dimension == 2 else 4 / 3 * math.pi * REACH**3
    side = (BOIDS * around / NEIGHBORS) ** (1 / dimension)
    path = f"{folder}/{dimension}.toml"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(
            f"seed = 1\n[world]\nsize = {[side] * dimension}\n[time]\nframes = {FRAMES}\n[flock]\ncount = {BOIDS}\n"
            f"max_speed = 4\nsteering = 'direct'\nperception = {{ radius = {REACH} }}\n"
            f"separation = {{ weight = 1.5, radius = {REACH / 3}, falloff = 'inverse' }}\n"
            "alignment = { weight = 0.05 }\ncohesion = { weight = 0.005 }\n"
        )
    return load_scenario(path)


def seconds(scenario: Scenario) -> list[float]:
    """Processor time of each frame."""
    states = iter(simulate(scenario, engine="native"))
    next(states)
    found, began = [], time.process_time()
    for _ in states:
        found.append(time.process_time() - began)
        began = time.process_time()
    return found


native.SECONDS = 0  # Each frame is computed when it is asked for, and BOIDSGEN_THREADS=1 keeps others from sharing it
with TemporaryDirectory() as folder:
    cases = {f"{BOIDS:,} boids, {d}D": flock(d, folder) for d in (2, 3)}
cases |= {name: load_scenario(name, keys) for name, keys in PRESETS.items()}
print(json.dumps([*cases]), flush=True)
for line in sys.stdin:
    print(json.dumps(seconds(cases[line.strip()])), flush=True)
