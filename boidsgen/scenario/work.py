"""Work: what a run consists of, counted from its keys and its actual start before anything is done.

`work(scenario)` has an amount for each kind of work, `SECONDS` what one of it takes. They were measured on one core of
an ordinary machine, with the engine that needs no compiler, over runs of every kind: `tests/benchmarks/estimates.py`
compares, and says what the factors should be.

How many others are in reach decides most. At the start they are counted: some boids are placed as the run will place
them. From then on they are taken to spread at their speed until they are even.
"""

import math
from collections.abc import Sequence

import numpy as np

from boidsgen.drawing.overlays.marks import Obstacles
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.flock import Flock
from boidsgen.simulation.geometry import length
from boidsgen.simulation.neighbors import unbounded
from boidsgen.simulation.starts import Uniform
from boidsgen.simulation.steering import SteeredGroup

SAMPLE = 200
"""Boids of a flock that are placed to see how dense it begins."""
MOMENTS = 64
"""Steps, evenly chosen, for which neighbors in reach are worked out."""

SECONDS = {
    "starts": 0.02,
    "frames": 1.1e-3,
    "pixels": 6e-9,
    "steps": 6e-4,
    "flock_pairs": 2.5e-4,
    "boid_steps": 1.3e-6,
    "visits": 1.2e-7,
    "turns": 3e-4,
    "looks": 5e-8,
    "obstacle_steps": 7e-5,
    "obstacle_visits": 5e-8,
    "outlines": 1.7e-3,
    "changes": 2.2e-4,
    "event_frames": 1e-7,
    "letters": 2e-5,
    "measured_boids": 2e-6,
    "trail_pieces": 2.4e-7,
}
"""What one of each kind of work takes."""


def work(scenario: Scenario) -> dict[str, float]:
    """The amount of each kind of work."""
    width, height = scenario.picture_size
    steps, frames, boids = scenario.steps, scenario.time.frames, animals(scenario)
    groups, obstacles, events = len(groups_of(scenario)), len(scenario.obstacles), len(scenario.events)
    measures = {name for layer in scenario.layers for name in layer.measures()}
    drawn = any(isinstance(layer, Obstacles) for layer in scenario.layers)
    return {
        "starts": 1,
        "frames": frames,
        "pixels": frames * width * height,
        "steps": steps * groups,
        "flock_pairs": steps * groups * (groups - 1),
        "boid_steps": boids * (steps + frames),
        "visits": visits(scenario),
        "turns": steps * sum(scenario.most_turns),
        "looks": looks(scenario),
        "obstacle_steps": steps * obstacles * groups,
        "obstacle_visits": steps * obstacles * boids,
        "outlines": obstacles * drawn * (frames if _moves(scenario) else 1),
        "changes": sum(len(event.set) * (event.over + 1) for event in scenario.events if event.at < frames),
        "event_frames": events * frames,
        "letters": sum(map(len, _texts(scenario))),
        "measured_boids": frames * boids * len(measures),
        "trail_pieces": frames * boids * scenario.style.trails,
    }


def animals(scenario: Scenario) -> int:
    """Boids and predators together."""
    return sum(sizes(scenario))


def sizes(scenario: Scenario) -> tuple[int, ...]:
    """The most animals that there are of each group."""
    return (*scenario.most_boids, *(group.count for group in scenario.predators))


def groups_of(scenario: Scenario) -> tuple[SteeredGroup, ...]:
    """All groups, in the order of `sizes`."""
    return (*scenario.flock, *scenario.predators)


def visits(scenario: Scenario) -> int:
    """Neighbors looked at in the whole run; at least one per boid and step."""
    total = animals(scenario)
    seen = 0.0
    for size, group in zip(sizes(scenario), groups_of(scenario), strict=True):
        crowd = _share_at_start(group, size, scenario) if isinstance(group, Flock) else 0.0
        even = _share_in_reach(scenario, group)
        shares = _spreading(crowd, _reach(group), group.max_speed * scenario.time.dt, scenario)
        seen += size * sum(max(1.0, (total - size) * even + size * max(even, share)) for share in shares) / len(shares)
    return math.ceil(scenario.steps * seen)


def looks(scenario: Scenario) -> int:
    """Boids looked at in the whole run by those that take turns, which look at everyone of their kind."""
    return scenario.steps * sum(turns * turns for turns in scenario.most_turns)


def _reach(group: SteeredGroup) -> float:
    """How far the farthest-reaching rule looks; sums over everyone are free."""
    requests = (*group.own_requests, *group.other_requests)
    return max((request.radius for request in requests if not unbounded.is_about_everyone(request)), default=0.0)


def _share_in_reach(scenario: Scenario, group: SteeredGroup) -> float:
    """The part of the world, as a box, that a rule looks through."""
    return math.prod(min(1.0, 2 * _reach(group) / side) for side in scenario.world.size)


def _share_at_start(flock: Flock, size: int, scenario: Scenario) -> float:
    """The part of a flock that is in reach of one of it at the start, where that is not the even one."""
    if isinstance(flock.start, Uniform) or size < 2:
        return 0.0
    generator = np.random.default_rng(scenario.seed)
    position, _ = flock.start.place(min(size, SAMPLE), scenario.world, flock.speeds, generator)
    away = length(scenario.world.shortest(position[None, :, :] - position[:, None, :]))
    return float((away <= _reach(flock)).mean())


def _spreading(share: float, reach: float, speed: float, scenario: Scenario) -> Sequence[float]:
    """The part in reach at some moments of the run, for a crowd that flies apart at this speed."""
    if not share or not 0 < reach < math.inf:
        return [share]
    steps = np.linspace(0, max(scenario.steps - 1, 0), MOMENTS)
    shares: list[float] = (share / (1 + speed * steps / reach) ** scenario.world.dimension).tolist()
    return shares


def _moves(scenario: Scenario) -> bool:
    """Whether the camera moves, so that what stands still is drawn anew in each frame."""
    return bool(scenario.camera.follows or scenario.camera.orbit)


def _texts(scenario: Scenario) -> list[str]:
    captions = [event.caption for event in scenario.events if event.caption]
    return [scenario.title, scenario.overlay.caption, *(flock.name for flock in scenario.flock), *captions]
