"""How long a frame takes to draw, at 1280×720, against what it is meant to stay below."""

import time
from collections.abc import Iterator, Mapping

from boidsgen import load_scenario
from boidsgen.drawing import Renderer
from boidsgen.simulation import simulate
from tests.benchmarks.table import Row

FRAMES = 120
SIZE = {"output.size": [1280, 720], "output.format": "mp4", "time.frames": FRAMES}
FLAT = {**SIZE, "world.size": [1280, 720]}
TRAILS = {"style.trails": 20}
CASES: Mapping[str, tuple[str, Mapping[str, object], float]] = {
    "400 boids": ("quickstart", {**FLAT, "flock.count": 400}, 1.5),
    "400 boids with trails": ("quickstart", {**FLAT, "flock.count": 400, **TRAILS}, 3.0),
    "10,000 boids": ("quickstart", {**FLAT, "flock.count": 10_000, "flock.perception.radius": 10}, 12.0),
    "10,000 boids with trails": (
        "quickstart",
        {**FLAT, "flock.count": 10_000, "flock.perception.radius": 10, **TRAILS},
        24.0,
    ),
    "400 boids in 3D": ("trefoil", SIZE, 3.0),
    "400 boids in 3D with trails": ("trefoil", {**SIZE, **TRAILS}, 3.0),
    "400 boids in 3D, camera turning": ("trefoil", {**SIZE, "camera.orbit": 0.5}, 3.0),
    "400 boids in 3D with trails, camera turning": ("trefoil", {**SIZE, "camera.orbit": 0.5, **TRAILS}, 3.0),
}
"""Preset, what is changed in it, and the limit in milliseconds."""


def rows() -> Iterator[Row]:
    """The mean over frames that come after trails have grown and sprites are known."""
    for case, (preset, changes, limit) in CASES.items():
        scenario = load_scenario(preset, changes)
        states = list(simulate(scenario))
        draw = Renderer(scenario, scenario.picture_size)
        for state in states[: FRAMES // 2]:
            draw(state)
        began = time.perf_counter()
        for state in states[FRAMES // 2 :]:
            draw(state)
        each = 1000 * (time.perf_counter() - began) / (FRAMES - FRAMES // 2)
        yield Row(f"a frame, {case}", f"{each:.2f} ms", "limit", f"{limit:g} ms", f"{each / limit:.2f} of it")
