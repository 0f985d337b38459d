"""How long a step takes.

Each time is the best of several, in milliseconds. `limit` is what the case is meant to stay below: milliseconds, or a
multiple of the case named. All of a table is measured in one run, since only ratios within a run mean much on a machine
that others use as well.
"""

import math
import resource
import time
from collections.abc import Callable, Iterator

import numpy as np

from boidsgen.simulation import Setup, State
from boidsgen.simulation.geometry import keep_freed_memory
from boidsgen.simulation.neighbors.engines import ENGINES, Neighbors
from boidsgen.simulation.neighbors.request import Request
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.stepping import Stepper
from tests.benchmarks.table import Row

RADIUS = 50.0
"""Perception radius of all flocks but those of the published benchmark."""

REFERENCE = 48.0
"""Milliseconds that checking every pair of 1,000 boids takes on the machine that limits are given for; on another, or
on a busy one, they are scaled by what it takes there."""

STEP_LIMITS = {
    ("numba", 200, 1.6): 0.045,
    ("numba", 400, 12.6): 0.09,
    ("numba", 400, 34.0): 0.11,
    ("numba", 10_000, 20.0): 2.0,
    ("numba", 100_000, 20.0): 20.0,
    ("numba", 1_000_000, 20.0): 250.0,
    ("numpy", 400, 12.6): 0.35,
    ("numpy", 10_000, 20.0): 6.5,
    ("numpy", 100_000, 20.0): 80.0,
}
"""Milliseconds that a whole step may take, by engine, boids and neighbors of each."""

PUBLISHED = {
    "small": ({"count": 200}, 100.0, 5.0, 11.7, 5.0),
    "large": ({"count": 400}, 150.0, 15.0, 26.0, 11.0),
}
"""The flocking model of agent-based modeling frameworks: flock, side of the world, vision, milliseconds of 100 steps of
compiled JVM code on a machine of this kind, and the limit."""


def row(case: str, engine: str, measured: float, unit: str, comparison: str, compared: float) -> Row:
    """One line of the table; the ratio is ours of theirs, below 1 where ours is faster."""
    ratio = f"{measured / compared:.2f} of it"
    return Row(f"{case}, {engine}", f"{measured:.3g} {unit}", comparison, f"{compared:.3g} {unit}", ratio)


def best(action: Callable[[], object], seconds: float = 0.5) -> float:
    """The shortest time that the action took, in milliseconds, tried for so long and at least three times."""
    action()
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def setup(count: int, near: float, dimension: int = 2) -> Setup:
    """The three default rules on a torus in which each boid has so many neighbors."""
    ball = math.pi * RADIUS**2 if dimension == 2 else 4 / 3 * math.pi * RADIUS**3
    side = (count * ball / near) ** (1 / dimension)
    return Setup.model_validate({"world": {"size": (side,) * dimension}, "flock": {"count": count}})


def begun(engine: str, scenario: Setup) -> tuple[Stepper, State]:
    """A stepper, and the state in which everybody is there."""
    stepper = Stepper(Neighbors(ENGINES[engine], scenario.world.periods), Randomness(0))
    return stepper, stepper.arrived(stepper.first(scenario), scenario, 0)


def step_time(engine: str, scenario: Setup) -> float:
    """Milliseconds of one whole step."""
    stepper, state = begun(engine, scenario)
    assert len(state.flocks[0].position) == scenario.flock[0].count
    state = stepper.next(state)
    return best(lambda: stepper.next(state))


def scale() -> float:
    """How much longer than on the reference machine things take here and now."""
    return best(every_pair(1000)) / REFERENCE


def steps() -> Iterator[Row]:
    """Whole steps against their limits."""
    for (engine, count, near), limit in STEP_LIMITS.items():
        if engine in ENGINES:
            allowed, measured = limit * scale(), step_time(engine, setup(count, near))
            yield row(f"step, {count:,} boids, {near:g} neighbors", engine, measured, "ms", "limit", allowed)


def depth() -> Iterator[Row]:
    """Three dimensions against two, at 20 neighbors each."""
    for engine in ENGINES:
        flat, deep = (step_time(engine, setup(10_000, 20.0, dimension)) for dimension in (2, 3))
        yield row("10,000 boids in 3D / 2D", engine, deep / flat, "x", "limit", 2.5)


def sums(engine: str, count: int, requests: tuple[Request, ...]) -> Callable[[], object]:
    """A call that answers these requests about boids spread evenly on a torus, 20 neighbors each."""
    side = math.sqrt(count * math.pi * RADIUS**2 / 20)
    generator = np.random.default_rng(0)
    position = np.asfortranarray(generator.random((count, 2)) * side)
    velocity = np.asfortranarray(generator.normal(size=(count, 2)))
    neighbors = Neighbors(ENGINES[engine], np.array([side, side]))
    return lambda: neighbors.sums(position, velocity, position, velocity, requests)


THREE_RULES = (
    Request(RADIUS, 360.0, "velocity"),
    Request(RADIUS, 360.0, "offset"),
    Request(RADIUS / 2, 360.0, "inverse"),
)


def nearest_seven() -> Iterator[Row]:
    """Topological neighbors against metric ones, at 10,000 boids."""
    for engine in ENGINES:
        metric = best(sums(engine, 10_000, THREE_RULES))
        for radius in (RADIUS, np.inf):
            wanted = (*(one._replace(radius=radius, nearest=7) for one in THREE_RULES[:2]), THREE_RULES[2])
            case = f"nearest 7 of 10,000, radius {radius:g} / metric"
            yield row(case, engine, best(sums(engine, 10_000, wanted)) / metric, "x", "limit", 3.0)


def every_pair(count: int) -> Callable[[], object]:
    """The three sums as their definition has them, with one matrix entry per pair."""
    side = math.sqrt(count * math.pi * RADIUS**2 / 20)
    generator = np.random.default_rng(0)
    position, velocity = generator.random((count, 2)) * side, generator.normal(size=(count, 2))

    def definition() -> object:
        offset = position[None] - position[:, None]
        offset -= side * np.rint(offset / side)
        squared = (offset**2).sum(axis=2)
        np.fill_diagonal(squared, np.inf)
        near = (squared < RADIUS**2).astype(float)
        close = np.where(squared < RADIUS**2 / 4, 1 / squared, 0.0)
        return near @ velocity, (near[..., None] * offset).sum(axis=1), (close[..., None] * offset).sum(axis=1)

    return definition


def definition() -> Iterator[Row]:
    """Neighbor sums against checking every pair with numpy."""
    for count in (400, 1000, 2000):
        plain = best(every_pair(count))
        for engine in ENGINES:
            measured = best(sums(engine, count, THREE_RULES))
            yield row(f"sums, {count:,} boids, 20 neighbors", engine, measured, "ms", "every pair", plain)


def linearity() -> Iterator[Row]:
    """Time per boid of a whole step, from a thousand to a million, against that at ten thousand."""
    for engine in ENGINES:
        usual = step_time(engine, setup(10_000, 20.0)) / 10_000
        for count in (1_000, 10_000, 100_000, 1_000_000):
            measured = step_time(engine, setup(count, 20.0)) / count
            yield row(f"per boid, {count:,} boids", engine, 1000 * measured, "us", "10,000 boids", 1000 * usual)


def published(size: str) -> Setup:
    """The flocking model that agent-based modeling frameworks are compared with."""
    flock, side, vision, _, _ = PUBLISHED[size]
    rules = {
        "cohesion": {"weight": 0.03},
        "separation": {"weight": 0.015, "radius": 1.0, "falloff": "linear"},
        "alignment": {"weight": 0.05},
    }
    motion = {"steering": "direct", "min_speed": 1.0, "max_speed": 1.0, "perception": {"radius": vision}}
    return Setup.model_validate({"world": {"size": (side, side)}, "flock": {**flock, **rules, **motion}})


def hundred_steps(engine: str, scenario: Setup) -> float:
    """Milliseconds of the first hundred steps."""
    stepper, first = begun(engine, scenario)

    def run() -> None:
        state = first
        for _ in range(100):
            state = stepper.next(state)

    return best(run)


def frameworks() -> Iterator[Row]:
    """The published benchmark of agent-based modeling frameworks, 100 steps."""
    for size, (_, _, _, jvm, limit) in PUBLISHED.items():
        for engine in ENGINES:
            here, measured = scale(), hundred_steps(engine, published(size))
            yield row(f"framework benchmark, {size}", engine, measured, "ms", "JVM", jvm * here)
            yield row(f"framework benchmark, {size}", engine, measured, "ms", "limit", limit * here)


def rows() -> Iterator[Row]:
    """Every case."""
    keep_freed_memory()  # as every run does
    for part in (steps, depth, nearest_seven, definition, linearity, frameworks):
        yield from part()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    yield Row(
        "peak memory of all this, a million boids included",
        f"{peak:.2f} GB",
        "limit",
        "1.5 GB",
        f"{peak / 1.5:.2f} of it",
    )
