"""Hunters and hunted, against plain definitions."""

import numpy as np
import pytest

from boidsgen.simulation import Setup, simulate
from tests.simulation import plain
from tests.simulation.stages import OFF, WORLDS, given, offset, scattered


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
@pytest.mark.parametrize("lead", [0.0, 3.0, 1000.0])
def test_evade(world, steering, lead):
    """Evade is the sum of unit vectors away from where predators in range will be after min(lead, r/(|v| + |w|))."""
    position, velocity = scattered(30, world[1])
    predators = scattered(3, world[1], seed=4)
    flock = {"evade": {"radius": 40.0, "lead": lead, "steering": steering}}

    evade = given([(flock, position, velocity)], predators=predators, size=world[1], boundary=world[0])["evade"]

    for i in range(30):
        raw = np.zeros(len(world[1]))
        for q, w in zip(*predators, strict=True):
            way = offset(position[i], q, world)
            if plain.norm(way) < 40:
                time = min(lead, plain.norm(way) / (plain.norm(velocity[i]) + plain.norm(w)))
                expected = offset(position[i], position[i] + way + w * time, world)
                raw -= expected / plain.norm(expected)
        expected = plain.reynolds(raw, velocity[i], 4.0, 0.2) if steering == "reynolds" else raw
        np.testing.assert_allclose(evade[i], expected, atol=1e-9)


@pytest.mark.parametrize("lead", [0.0, 5.0])
def test_pursuit_aims_ahead(lead):
    """A hunter with a lead sets off for where the nearest boid will be, across the edge as well."""
    boid = {"layout": "disc", "center": (390.0, 200.0), "radius": 0.001, "speed": (2.0, 2.0), "heading": 90.0}
    still = {"layout": "disc", "center": (10.0, 200.0), "radius": 0.001, "speed": (0.0, 0.0)}
    hunter = {"start": still, "min_speed": 0.0, "max_force": np.inf, "hunt": {"lead": lead}}
    document = {"flock": {"count": 1, **OFF, "start": boid}, "predators": hunter, "time": {"frames": 2}}

    _, after = simulate(Setup.model_validate(document))

    # 20 away at 2 a unit of time: it would take 10, so that the lead of 5 is the bound.
    expected = np.array([-20.0, 2.0 * lead])
    velocity = after.predators[0].velocity[0]
    np.testing.assert_allclose(velocity, 5 * expected / np.linalg.norm(expected), atol=1e-3)


def test_a_lead_is_for_the_nearest_only():
    """A lead on a hunt for all or for the center is a mistake."""
    with pytest.raises(ValueError, match="has an effect with target"):
        Setup.model_validate({"predators": {"hunt": {"target": "all", "lead": 2.0}}})


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("steering", ["direct", "reynolds"])
def test_species(world, steering):
    """A flock goes toward the nearest of those it hunts, minus the sum of unit vectors to those it flees."""
    rule = {"hunt": ("prey", "mice"), "flee": ("lions",), "ignore": ("flies",), "radius": 30.0, "steering": steering}
    flocks = [scattered(20, world[1], seed=seed) for seed in range(5)]
    tables = [{"species": rule}, *({"name": name} for name in ("prey", "lions", "mice", "flies"))]

    species = given(
        [(table, *flock) for table, flock in zip(tables, flocks, strict=True)], size=world[1], boundary=world[0]
    )["species"]

    periods = world[1] if world[0] == "torus" else (0.0,) * len(world[1])
    for i, (p, v) in enumerate(zip(*flocks[0], strict=True)):
        feared = plain.neighbors(p, v, flocks[2][0], 30.0, 360, periods)
        raw = -np.array(plain.total(feared, "constant", None, len(world[1])))
        hunted = [o for prey in (1, 3) for _, o in plain.neighbors(p, v, flocks[prey][0], 30.0, 360, periods)]
        if hunted:
            nearest = min(hunted, key=plain.norm)
            raw += np.array(nearest) / plain.norm(nearest)
        expected = plain.reynolds(raw, v, 4.0, 0.2) if steering == "reynolds" else raw
        np.testing.assert_allclose(species[i], expected, atol=1e-9)


def test_who_is_ignored_has_no_personal_space():
    """Separation keeps clear of every other flock but those that are ignored."""
    separation = {"separation": {"steering": "direct", "falloff": "constant"}}
    others = [({"name": "friends"}, [[55, 50]], [[0, 0]]), ({"name": "ghosts"}, [[50, 55]], [[0, 0]])]

    both = given([(separation, [[50, 50]], [[0, 0]]), *others])["separation"]
    one = given([({**separation, "species": {"ignore": ("ghosts",)}}, [[50, 50]], [[0, 0]]), *others])["separation"]

    np.testing.assert_allclose(both, [[-1.5, -1.5]])
    np.testing.assert_allclose(one, [[-1.5, 0.0]])
