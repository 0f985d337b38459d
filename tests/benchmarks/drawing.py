"""How long a frame takes to draw, at 1280×720, against what it is meant to stay below.

Limits are in milliseconds of the reference machine; as on all others, they are scaled by what the yardstick of
`kernels` takes in processor time before and after each case. They are for compiled code where it is installed; numpy
stands beside it.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from unittest.mock import patch

from boidsgen import load_scenario
from boidsgen.drawing import Renderer, flat, lit
from boidsgen.drawing.pixels import Pixels
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import ENGINES, State, simulate
from tests.benchmarks.kernels import REFERENCE, every_pair
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
    "2,000 boids in the deep, with trails": ("trefoil", SIZE, 12.0),
}
"""Preset, what is changed in it, and the limit in milliseconds."""
ROUNDS = 3
"""How often the yardstick is laid on each time."""


def rows() -> Iterator[Row]:
    """The mean over frames that come after trails have grown and sprites are known."""
    for case, (preset, changes, limit) in CASES.items():
        scenario = load_scenario(preset, changes)
        states = list(simulate(scenario))
        for way, pixels in ways().items():
            before = yardstick()
            each = frame_time(scenario, states, pixels)
            allowed = limit * min(before, yardstick()) / REFERENCE
            figures = f"{each:.2f} ms", "limit", f"{allowed:.2f} ms", f"{each / allowed:.2f} of it"
            yield Row(f"a frame, {case}, {way}", *figures)


def ways() -> Mapping[str, Pixels]:
    """What does the work pixel by pixel."""
    if len(ENGINES) < 2:
        return {"numpy": Pixels()}
    from boidsgen.drawing.compiled import CompiledPixels

    return {"numba": CompiledPixels(), "numpy": Pixels()}


def frame_time(scenario: Scenario, states: Sequence[State], pixels: Pixels) -> float:
    """Milliseconds of processor time of one frame."""
    with patch.object(flat, "best_pixels", lambda _: pixels), patch.object(lit, "best_pixels", lambda _: pixels):
        draw = Renderer(scenario, scenario.picture_size)
    half = len(states) // 2
    for state in states[:half]:
        draw(state)
    began = time.process_time()
    for state in states[half:]:
        draw(state)
    return 1000 * (time.process_time() - began) / (len(states) - half)


def yardstick() -> float:
    """Milliseconds of processor time that checking every pair of 1,000 boids takes here and now."""
    action = every_pair(1000)
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return 1000 * min(times)
