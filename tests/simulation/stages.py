"""Worlds, flocks and places that several tests of the simulation set up."""

import numpy as np

from boidsgen.simulation.geometry import Randomness
from boidsgen.simulation.motion import Group
from boidsgen.simulation.run import NUMPY, Stepper
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.world import World
from tests.simulation import plain

SIZE = (100.0, 60.0)


def world(kind, size=SIZE, **keys):
    return World.model_validate({"size": size, "boundary": {"kind": kind, **keys}})


def places(count=400, size=SIZE, seed=0):
    return np.random.default_rng(seed).random((count, len(size))) * size


OFF = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion", "flee")}


WORLDS = [("open", (100.0, 100.0)), ("torus", (100.0, 100.0)), ("torus", (60.0, 50.0, 40.0))]


def scattered(count, size, seed=3):
    generator = np.random.default_rng(seed)
    return generator.random((count, len(size))) * size, generator.normal(size=(count, len(size)))


def given(flocks, *, predators=None, size=(100.0, 100.0), boundary="open", time=0.0, **document):
    """Contributions of the rules of the first flock; flocks as (table, position, velocity)."""
    tables = tuple({"name": f"flock {number}", "count": 0, **OFF, **table} for number, (table, *_) in enumerate(flocks))
    document = {"world": {"size": size, "boundary": boundary}, "flock": tables, **document}
    if predators is not None:
        document["predators"] = {"count": 0}
    setup = Setup.model_validate(document)
    groups = tuple(
        Group(table.name, np.array(position, float), np.array(velocity, float))
        for table, (_, position, velocity) in zip(setup.flock, flocks, strict=True)
    )
    hunters = () if predators is None else (Group("hunters", *(np.array(part, float) for part in predators)),)
    stepper = Stepper(NUMPY, setup.world.periods, Randomness(0))
    view = stepper.flock_view(State(0, time, 0, groups, hunters, setup), 0, hunters)
    return setup.flock[0].contributions(view)


def offset(here, there, world):
    """From here to there by the shortest way."""
    boundary, size = world
    periods = size if boundary == "torus" else (0.0,) * len(size)
    return np.array(plain.shortest([t - h for h, t in zip(here, there, strict=True)], periods))


def arrival(way, pace, velocity, slowing, max_speed=4.0, max_force=0.2):
    """The steering to a place that is `way` away and moves at `pace`."""
    distance = plain.norm(way)
    approach = max_speed * min(distance / slowing, 1) * np.array(way) / distance if distance else np.zeros(len(way))
    wanted = plain.limit(pace + approach, max_speed)
    return plain.limit(np.array(wanted) - velocity, max_force)
