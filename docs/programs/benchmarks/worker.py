"""Measures parts of the checkout that Python finds first, through public names only, so that it runs on any commit.

It reads names of cases from standard input. To the first mention of a case it answers `null`, when everything is
loaded and warm; to each further one with `[processor, wall]`, milliseconds of one step or picture.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from boidsgen import load_scenario, simulate
from boidsgen.drawing.renderer import Renderer

Turn = tuple[float, float] | None  # Milliseconds of the processor and by the clock; nothing while it gets warm
WARM_UP = 4.0  # Seconds of drawing before it counts
STATES = 48  # Frames that are drawn again and again

EVEN = {"flock.perception.radius": 50}
VICINITY = {
    "200": (200, 990),
    "400": (400, 304),
    "crowd 200": (200, 280),
    "1,000": (1_000, 627),
    "10,000": (10_000, 1982),
    "100,000": (100_000, 6267),
    "1,000,000": (1_000_000, 19817),
}
"""Boids and side of the torus: 1.6 and 34 neighbors of each, and otherwise 20."""
SHOWN = {"hunt": 100, "trefoil": 12, "murmuration": 8}
STEPS: Mapping[str, tuple[str, Mapping[str, object], int]] = {
    **{
        name: ("quickstart", {**EVEN, "flock.count": count, "world.size": [side, side]}, max(2, 40_000 // count))
        for name, (count, side) in VICINITY.items()
    },
    **{name: (name, {}, steps) for name, steps in SHOWN.items()},
}
"""Preset, what is set in it, and steps of one turn."""
FLOCKING = Path(__file__).with_name("entries").joinpath("Flocking", "boidsgen", "Flocking.toml").read_text("utf-8")
HENAD = """
[flock]
steering = "direct"
min_speed = 3.0
max_speed = 15.0
perception.radius = 50.0
separation = { weight = 0.05, radius = 8.0, falloff = "linear" }
alignment.weight = 0.05
cohesion.weight = 0.0005
start = { layout = "uniform", speed = [9.0, 9.0] }
[time]
warmup = 10
"""
SMALL = {"flock.count": 200, "world.size": [100.0, 100.0], "flock.perception.radius": 5.0}
LARGE = {"flock.count": 400, "world.size": [150.0, 150.0], "flock.perception.radius": 15.0}
CROWDS = ("1,000", "10,000", "100,000")
PUBLISHED = {
    "flocking 200": (FLOCKING, SMALL),
    "flocking 400": (FLOCKING, LARGE),
    "flocking 200 at once": (FLOCKING, {**SMALL, "flock.update": "synchronous"}),
    "flocking 400 at once": (FLOCKING, {**LARGE, "flock.update": "synchronous"}),
    **{
        f"henad {name}": (HENAD, {"flock.count": count, "world.size": [(20 * count) ** 0.5] * 2})
        for name, count in ((name, int(name.replace(",", ""))) for name in CROWDS)
    },
}
"""Models by which others compare simulators of agents; `peers.py` has their sources."""


def steps(name: str, engine: str) -> Iterator[Turn]:
    """Steps of one turn after the other, always of the same states, after as many that do not count."""
    preset, keys, number = STEPS[name]
    clock = {"time.warmup": number, "time.frames": number + 2, "time.steps_per_frame": 1}
    scenario = load_scenario(preset, {**keys, **clock})

    def begun() -> Iterator[object]:
        states = iter(simulate(scenario, engine))
        next(states), next(states)  # an engine may compute what follows in blocks
        return states

    yield from turns(lambda states: sum(1 for _ in states), 1, warm=1, prepare=begun, parts=number)


def hundred_steps(name: str, engine: str) -> Iterator[Turn]:
    """A hundred steps of a published model, after those that it takes as a warm-up."""
    model, keys = PUBLISHED[name]

    def begun() -> Iterator[object]:
        states = iter(simulate(model, engine, keys, frames=101))
        next(states)
        return states

    yield from turns(lambda states: sum(1 for _ in states), 1, warm=1, prepare=begun)


def pictures(name: str) -> Iterator[Turn]:
    """Pictures of a showpiece, in its own size."""
    scenario = load_scenario(name)
    drawn = cycle(list(islice(simulate(scenario), STATES)))
    draw = Renderer(scenario, scenario.picture_size)
    until = time.perf_counter() + WARM_UP
    while time.perf_counter() < until:
        draw(next(drawn))
    yield from turns(lambda: draw(next(drawn)), STATES // 4, warm=0)


def every_pair(count: str) -> Iterator[Turn]:
    """The yardstick: sums over neighbors with one matrix entry per pair, with numpy alone."""
    number = int(count.replace(",", ""))
    side = (number * np.pi * 50**2 / 20) ** 0.5
    generator = np.random.default_rng(0)
    position, velocity = generator.random((number, 2)) * side, generator.normal(size=(number, 2))

    def definition() -> None:
        offset = position[None] - position[:, None]
        offset -= side * np.rint(offset / side)
        squared = (offset**2).sum(axis=2)
        np.fill_diagonal(squared, np.inf)
        near = (squared < 50**2).astype(float)
        close = np.where(squared < 25**2, 1 / squared, 0.0)
        _ = near @ velocity, (near[..., None] * offset).sum(axis=1), (close[..., None] * offset).sum(axis=1)

    yield from turns(definition, 1, warm=1)


def turns(
    action: Callable[..., object],
    number: int,
    warm: int,
    prepare: Callable[[], object] | None = None,
    parts: int = 1,
) -> Iterator[Turn]:
    """Nothing when it is warm, then the times of one part of an action, as the mean of so many, again and again.

    The action of each turn receives the result of `prepare`, whose time does not count.
    """
    for _ in range(warm):
        action(*([prepare()] if prepare else []))
    yield None
    while True:
        prepared = [prepare()] if prepare else []
        wall, spent = time.perf_counter(), time.process_time()
        for _ in range(number):
            action(*prepared)
        each = 1000 / number / parts
        yield (time.process_time() - spent) * each, (time.perf_counter() - wall) * each


KINDS = {"steps": steps, "published": hundred_steps, "pictures": pictures, "every pair": every_pair}


def main() -> None:
    """Answer until nobody asks."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what else is printed is no answer
    running: dict[str, Iterator[Turn]] = {}
    for line in sys.stdin:
        kind, *options = json.loads(line)
        if line not in running:
            running[line] = KINDS[kind](*options)
        answers.write(json.dumps(next(running[line])) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
