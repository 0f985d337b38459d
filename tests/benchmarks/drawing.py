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
SPACE = {
    **SIZE,
    "flock.count": 400,
    "style.theme": "night",
    "style.trails": 0,
    "style.predator_size": 1.75,
    "overlay.legend": False,
    "overlay.caption": "",
    "camera.zoom": 1.0,
}
CROWDED = {"flock.count": 100_000, "time.warmup": 0, "flock.start.radius": 140, "style.size": 2.0}
CASES: Mapping[str, tuple[str, Mapping[str, object], float]] = {
    "400 boids": ("quickstart", {**FLAT, "flock.count": 400}, 1.5),
    "400 boids with trails": ("quickstart", {**FLAT, "flock.count": 400, **TRAILS}, 3.0),
    "10,000 boids": ("quickstart", {**FLAT, "flock.count": 10_000, "flock.perception.radius": 10}, 12.0),
    "10,000 boids with trails": (
        "quickstart",
        {**FLAT, "flock.count": 10_000, "flock.perception.radius": 10, **TRAILS},
        24.0,
    ),
    "400 boids in 3D": ("trefoil", SPACE, 3.0),
    "400 boids in 3D with trails": ("trefoil", {**SPACE, **TRAILS}, 3.0),
    "400 boids in 3D, camera turning": ("trefoil", {**SPACE, "camera.orbit": 0.5}, 3.0),
    "400 boids in 3D with trails, camera turning": ("trefoil", {**SPACE, "camera.orbit": 0.5, **TRAILS}, 3.0),
    "3,000 birds at dusk": ("murmuration", SIZE, 5.0),
    "30,000 birds at dusk": ("murmuration-30000", {**SIZE, "time.frames": 24}, 12.0),
    "100,000 birds at dusk": ("murmuration-30000", {**SIZE, "time.frames": 12, **CROWDED}, 30.0),
    "2,000 boids in the deep, with trails": ("trefoil", SIZE, 60.0),
}
"""Preset, what is changed in it, and the limit in milliseconds."""


def rows() -> Iterator[Row]:
    """The mean over frames that come after trails have grown and sprites are known."""
    for case, (preset, changes, limit) in CASES.items():
        scenario = load_scenario(preset, changes)
        states = list(simulate(scenario))
        draw = Renderer(scenario, scenario.picture_size)
        half = len(states) // 2
        for state in states[:half]:
            draw(state)
        began = time.process_time()
        for state in states[half:]:
            draw(state)
        each = 1000 * (time.process_time() - began) / (len(states) - half)
        yield Row(f"a frame, {case}", f"{each:.2f} ms", "limit", f"{limit:g} ms", f"{each / limit:.2f} of it")
