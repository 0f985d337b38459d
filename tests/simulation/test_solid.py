"""Solid obstacles: nobody ends a step inside, whatever the boundary does, and nobody leaves the world for it.

Oracles are the definitions of the shapes, asked at every place and, where a world repeats, at all its images.
"""

import os
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boidsgen import load_scenario
from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.run import simulate
from boidsgen.simulation.world import BOUNDARIES
from tests.simulation.test_engines import bits

FULL = os.environ.get("BOIDSGEN_FAULTS") == "full"
STATES = 1_000_000 if FULL else 40_000  # Places of boids that are looked at
ROUNDING = 2e-9  # Depth that is none, in smallest sides of the world
FRAMES = 9
EDGES = [*BOUNDARIES, {"kind": "teleport", "applied": "before"}, {"kind": "reflect", "restitution": 0.4}]


def boundary_of(edges):
    return BOUNDARIES[edges["kind"]].model_validate(edges) if isinstance(edges, dict) else BOUNDARIES[edges]()


def to_segment(place, start, end):
    """Distances of places from a segment."""
    along = end - start
    part = np.clip((place - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(place - start - part[:, None] * along, axis=1)


def depth(obstacle, place):
    """How far each place is below the surface of an obstacle, at most; negative outside, shape (n,)."""
    if obstacle.kind == "circle":
        return obstacle.radius - np.linalg.norm(place - obstacle.center, axis=1)
    if obstacle.kind == "box":
        return (np.array(obstacle.size) / 2 - np.abs(place - obstacle.center)).min(axis=1)
    if obstacle.kind == "ellipse":  # never deeper than the way to the surface along the smallest radius
        radii = np.array(obstacle.radii)
        return radii.min() * (1 - np.linalg.norm((place - obstacle.center) / radii, axis=1))
    if obstacle.kind == "segment":
        return obstacle.radius - to_segment(place, np.array(obstacle.start), np.array(obstacle.end))
    sides = [*zip(obstacle.points, (*obstacle.points[1:], obstacle.points[0]), strict=True)]
    within = np.zeros(len(place), dtype=bool)
    for (x, y), (u, v) in sides:
        between = (y > place[:, 1]) != (v > place[:, 1])
        within ^= between & (place[:, 0] < x + (place[:, 1] - y) * (u - x) / (v - y if v != y else 1))
    away = np.min([to_segment(place, np.array(start), np.array(end)) for start, end in sides], axis=0)
    return np.where(within, away, -away)


def deepest(world, obstacles, place):
    """How far each place is below any solid surface, in smallest sides of the world, shape (n,)."""
    images = [np.array(turn) * world.periods for turn in product((-1, 0, 1), repeat=world.dimension)]
    images = np.unique(images, axis=0)
    solid = [one for one in obstacles if one.solid]
    found = [depth(one, place + image) for one in solid for image in images]
    return np.max([np.full(len(place), -np.inf), *found], axis=0) / min(world.size)


class Found(NamedTuple):
    """Where the boids of a run were."""

    states: int
    inside: int
    outside: int  # of the world
    fast: int


def looked_at(setup, states, edges):
    """What there is to find in the states of a run: after each step by the obstacles of that step."""
    world, before, here = setup.world, None, np.zeros((0, setup.world.dimension))
    confined = (boundary_of(edges).confine(np.full((1, world.dimension), -1.0), here[:0], world.extent)[0] != -1).all()
    confined &= not world.boundary.before_turns and world.boundary.kind != "ball"  # one diameter may not be enough
    found = np.zeros(4, dtype=int)
    for state in states:
        place, flight = (np.vstack([getattr(one, name) for one in state.flocks]) for name in ("position", "velocity"))
        old, new = place[: len(here)], place[len(here) :]
        deep = [deepest(world, before.obstacles, old)] if before else []
        deep = np.concatenate([*deep, deepest(world, state.setup.obstacles, new)])
        out = ((place < 0) | (place > world.size)).any(axis=1) if confined else np.zeros(0, dtype=int)
        turn = getattr(world.boundary, "strength", 0.0) * 1.75 if world.boundary.kind == "turn_back" else 0.0
        fast = np.linalg.norm(flight, axis=1) > (state.setup.flock[0].max_speed + turn) * (1 + 1e-9)
        found += [len(place), (deep > ROUNDING).sum(), out.sum(), fast.sum()]
        before, here = state.setup, place
    return Found(*found.tolist())


def obstacle(generator, kind, size, largest):
    """The keys of an obstacle by chance: often over an edge, seldom larger than half the world."""
    size, smallest = np.array(size), min(size)
    center = generator.choice([0, 1, 0.5, generator.random()], len(size)) * size if generator.random() < 0.4 else None
    center = (generator.uniform(-0.1, 1.1, len(size)) * size) if center is None else center
    extent = generator.uniform(0.02, largest, len(size)) * smallest
    own = {
        "circle": {"center": center, "radius": extent[0]},
        "box": {"center": center, "size": 2 * extent},
        "ellipse": {"center": center, "radii": extent},
        "segment": {
            "start": center,
            "end": center + generator.uniform(-0.7, 0.7, len(size)) * size,
            "radius": extent[0] / 6,
        },
        "polygon": {"points": center[:2] + generator.uniform(-0.5, 0.5, (generator.integers(3, 7), 2)) * extent[0]},
    }[kind]
    weight = generator.choice([0.0, 0.5, 2.5])
    return {"kind": kind, "weight": weight} | {
        key: value.tolist() if isinstance(value, np.ndarray) else float(value) for key, value in own.items()
    }


def drawn(seed, edges, dimension, count=60):
    """A scenario by chance, with solid obstacles that may move or come late, and boids, some of whom may come late."""
    generator = np.random.default_rng(seed)
    size = (generator.uniform(40, 200) * generator.uniform(0.5, 1, dimension)).tolist()
    kinds = [kind for kind, one in OBSTACLES.items() if dimension in one.dimensions]
    many = generator.integers(1, 5)
    obstacles = [obstacle(generator, kind, size, 0.9 / many) for kind in generator.choice(kinds, many)]
    speed = min(size) * generator.choice([0.01, 0.05, 0.3, 1.5])
    flock = {
        "count": int(count),
        "max_speed": speed,
        "max_force": speed,
        "wander": {"weight": float(generator.integers(2))},
    }
    flock |= {"update": "sequential", "count": 12} if generator.random() < 0.2 else {}
    events = []
    if generator.random() < 0.4:
        obstacles[0] |= {"from": 3}
    if generator.random() < 0.4:
        events.append({"at": 5, "set": {"flock.count": flock["count"] + 20}})
    for key in [key for key in ("center", "radius", "points") if key in obstacles[-1]]:
        new = obstacle(generator, obstacles[-1]["kind"], size, 0.9 / many)[key]
        over = int(generator.choice([0, 4])) if np.shape(new) == np.shape(obstacles[-1][key]) else 0
        events.append({"at": 2, "over": over, "set": {f"obstacles.{many - 1}.{key}": new}})
    world = {"size": size, "boundary": edges}
    time = {"frames": FRAMES, "dt": float(generator.choice([0.5, 1.0]))}
    return {"seed": int(seed), "world": world, "time": time, "flock": flock, "obstacles": obstacles, "events": events}


def has_room(setup):
    """True if a few places in the world are free in every frame."""
    axes = [np.arange(1, 8) / 8 * side for side in setup.world.size]
    place = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, setup.world.dimension)
    return (deepest(setup.world, setup.obstacles, place) < 0).any()


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("edges", EDGES, ids=str)
def test_nobody_ends_a_step_inside(edges, dimension):
    """Whatever shapes, speeds, boundaries and events there are, nobody is inside, outside of the world or too fast."""
    looked, seed = 0, 0
    while looked < STATES / len(EDGES) / 2:
        setup, seed = load_scenario(drawn(seed, edges, dimension)), seed + 1
        states = list(simulate(setup))
        if not all(has_room(state.setup) for state in states):
            continue
        found = looked_at(setup, states, edges)
        assert (found.inside, found.outside, found.fast) == (0, 0, 0), seed - 1
        looked += found.states


@settings(max_examples=200 if FULL else 25, deadline=None)
@given(seed=st.integers(0, 2**31), edges=st.sampled_from(EDGES), dimension=st.sampled_from([2, 3]))
def test_engines_agree_about_solid_obstacles(seed, edges, dimension):
    """Who is put back is put to the same place by every engine, to the last bit."""
    setup = load_scenario(drawn(seed, edges, dimension, count=25))

    assert bits(setup, "native") == bits(setup, "numpy")
