import numpy as np
import pytest

from boidsgen.drawing.overlays.marks import PIECES, _routes
from boidsgen.simulation import simulate
from boidsgen.simulation.paths import CURVES

DRIVEN = {"mode": "velocity", "weight": 2.0, "period": 120.0}
WEIGHTLESS = {"inertia": 0.0, "min_speed": 0.0, "max_speed": 1.0, "steering": "direct"}
OPEN = {"boundary": {"kind": "open"}}
WORLDS = [{"size": (100.0, 80.0), **OPEN}, {"size": (100.0, 80.0, 60.0), **OPEN}]


def gap(places, route):
    """How far the furthest of some places is from the straight pieces of a route."""
    start, way = route[:-1], np.diff(route, axis=0)
    squared = np.maximum((way * way).sum(axis=1), 1e-12)
    part = np.clip(((places[:, None] - start) * way).sum(axis=-1) / squared, 0, 1)
    return np.linalg.norm(places[:, None] - start - part[..., None] * way, axis=-1).min(axis=1).max()


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("kind", CURVES)
def test_predators_fly_on_the_curve_that_carries_them(setup, kind, world):
    """Wherever predators are that a path carries along, a line is drawn; it is closed."""
    path = {"kind": kind, "period": 70.0, "phase": 33.0, "scale": 20.0}
    tables = setup(world=world, predators=({"count": 3, "path": path},), flock={"count": 0}, time={"frames": 90})
    states = list(simulate(tables))
    (route,) = _routes(tables.predators[0], states[0].predators[0], states[0])

    assert len(route) == PIECES + 1
    np.testing.assert_allclose(route[0], route[-1], atol=1e-9)
    assert gap(np.concatenate([state.predators[0].position for state in states]), route) < 0.01


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("kind", CURVES)
def test_predators_fly_on_the_route_on_which_a_path_drives_them(setup, kind, world):
    """Predators that only a path drives fly on the route drawn at the start, each on its own, and it hardly moves."""
    path = {"kind": kind, "phase": 33.0, **DRIVEN}
    tables = setup(
        world=world,
        predators=({"count": 3, "path": path, **WEIGHTLESS},),
        flock={"count": 0},
        time={"frames": 121, "warmup": 10},
    )
    states = list(simulate(tables))
    first, later = (_routes(tables.predators[0], states[at].predators[0], states[at]) for at in (0, 50))

    for number, route in enumerate(first):
        flown = np.array([state.predators[0].position[number] for state in states])
        np.testing.assert_allclose(flown, route, atol=1e-9)
        assert gap(later[number], route) < 0.1
