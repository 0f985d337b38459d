"""Presets that carry the name of a published model, held to the plain loops of this folder.

Both start from the source's start and have the same random numbers: where the source shuffles or draws, the loop is fed
with what the preset draws. They agree to 1e-9 for a hundred steps, in CI for twenty, or until two runs of the loop part
that differ in the last bit of one coordinate. The preset must not agree with a loop of which one constant, the order or
a cap is another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.geometry import Randomness
from boidsgen.simulation.run import simulate
from tests.published import (
    agents_jl,
    ben_eater,
    cucker_smale,
    dorsogna,
    lague,
    mason,
    mesa,
    nature_of_code,
    netlogo,
    opensteer,
    parker,
    rougier,
)

STEPS, FEW = 100, 20  # On demand, and in CI
EQUAL = 1e-9  # World units within which a preset is held
APART = 1e-6  # Beyond this a wrong loop is told from the preset
LEAST = 5  # Steps for which two runs agree at least that begin one last bit apart


def by_index(_stream, _state):
    """A loop that draws nothing."""
    return {}


def in_drawn_order(stream, state):
    """The order of turns that the preset draws, of those that live."""
    count = len(state.positions) - np.sum(getattr(state, "dead", 0))
    return {"order": np.argsort(stream("turns", 0).random(count), kind="stable").tolist()}


def in_drawn_order_with_noise(stream, state):
    """The order and the vectors that the preset draws; the dead, who come last, draw none."""
    living, noise = int(np.sum(~state.dead)), np.zeros(state.positions.shape)
    noise[:living] = (-1.0 + 2.0 * stream("noise", 0).random((2, living))).T
    return {**in_drawn_order(stream, state), "noise": noise}


@dataclass(frozen=True)
class Held:
    """A preset and the loop that it is held to."""

    preset: str
    model: ModuleType
    wrong: tuple[Mapping[str, Any], ...]  # changes of the loop's parameters, each of which must show
    given: Mapping[str, Any] = field(default_factory=dict)  # the loop's parameters that are not its defaults
    count: int | None = None  # animals, by default the source's
    shift: tuple[float, ...] = ()  # the preset's origin, seen from that of the source
    draws: Callable[..., dict[str, Any]] = by_index  # the loop's random input of a step
    steps: int = STEPS
    nudge: str = "positions"  # what is off by a bit in the run that tells for how long rounding allows to compare

    @property
    def parameters(self):
        """Those of the source."""
        return self.model.Parameters(**self.given)


HELD = (
    Held(
        "agents-jl",
        agents_jl,
        ({"match_factor": 0.0404}, {"separation": 2.02}, {"order": "together"}),
        draws=in_drawn_order,
    ),
    Held("mesa", mesa, ({"separate": 0.01515}, {"separation": 2.02}, {"order": "together"}), draws=in_drawn_order),
    Held(
        "lague",
        lague,
        (
            {"separate_weight": 2.525},
            {"order": "index"},
            {"limit": "sum"},
            {"collision_weight": 20.2},
            {"collision_distance": 5.05},
            {"bounds_radius": 0.3},
            {"tried": 297},
        ),
        given={
            "balls": tuple(
                (tuple(9.0 * sign * (a == axis) for a in range(3)), 3.5) for axis in range(3) for sign in (1, -1)
            )
        },
        shift=(20.0, 20.0, 20.0),
    ),
    Held("rougier", rougier, ({"separation_weight": 1.515}, {"variant": "book"}, {"limit": "sum"}), steps=50),
    Held(
        "rougier-text",
        rougier,
        ({"separation_weight": 1.515}, {"variant": "file"}, {"limit": "sum"}),
        given={"variant": "book"},
        steps=50,
    ),
    Held(
        "cucker-smale",
        cucker_smale,
        ({"sigma": 1.01}, {"beta": 0.4545}, {"scheme": "semi-implicit"}),
        given={"beta": 0.45},
    ),
    Held(
        "dorsogna",
        dorsogna,
        ({"repulsion": 1.01}, {"attraction_length": 2.02}, {"scheme": "rk4"}, {"scale": "N"}),
        given={"scheme": "semi-implicit", "dt": 0.01},
        shift=(5.0, 5.0),
    ),
    Held(
        "nature-of-code",
        nature_of_code,
        ({"separation_weight": 1.515}, {"order": "together"}, {"limit": "sum"}),
        steps=50,
        nudge="velocities",  # all boids begin in one point, which nobody may be a bit off
    ),
    Held(
        "opensteer",
        opensteer,
        ({"cohesion": (9.0, -0.15, 8.08)}, {"slow": 1e-9}, {"smoothing": (9.0, 0.1515, 0.4)}),
        shift=(50.0, 50.0, 50.0),
    ),
    Held(
        "netlogo",
        netlogo,
        ({"cohere_turn": 3.03}, {"order": "together"}, {"separate_turn": 180.0}),
        shift=(35.5, 35.5),
        draws=in_drawn_order,
    ),
    Held(
        "mason",
        mason,
        ({"avoidance_factor": 404.0}, {"order": "together"}, {"jump": 0.707}),
        draws=in_drawn_order_with_noise,
    ),
    Held(
        "ben-eater",
        ben_eater,
        ({"avoiding": 0.0505}, {"order": "together"}, {"speed_limit": np.inf}),
    ),
    Held(
        "parker",
        parker,
        ({"velocity_divisor": 8.08}, {"order": "together"}, {"speed_limit": 10.0}),
        shift=(500.0, 500.0),
    ),
    Held(
        "parker-together",
        parker,
        ({"center_divisor": 101.0}, {"order": "index"}, {"speed_limit": 10.0}),
        given={"order": "together"},
        shift=(500.0, 500.0),
    ),
)


BY_NAME = {held.preset: held for held in HELD}


def by_loop(held, state, parameters, steps):
    """Positions (steps + 1, n, d) that the loop gives in so many steps, or its own, at the preset's origin."""
    shift = np.array(held.shift) if held.shift else 0.0
    stream, found = Randomness(load_scenario(held.preset).seed).stream, [state.positions + shift]
    for _ in range(min(steps, held.steps)):
        state = held.model.step(state, parameters, **held.draws(stream, state))
        found.append(state.positions + shift)
    return np.array(found)


def by_preset(held, state, steps):
    """Positions (steps + 1, n, d) that the preset gives from a start of the loop."""
    shift, velocities = np.array(held.shift) if held.shift else 0.0, np.asarray(state.velocities)
    given = {"time.frames": min(steps, held.steps) + 1, "time.steps_per_frame": 1, "time.warmup": 0}
    for number, flock in enumerate(flocks(state)):
        start = {"points": (state.positions + shift)[flock].tolist(), "velocities": velocities[flock].tolist()}
        given |= {f"flock.{number}.count": int(flock.sum()), f"flock.{number}.start": {"layout": "points", **start}}
    frames = simulate(load_scenario(held.preset, given))
    return np.array([np.concatenate([flock.position for flock in frame.flocks]) for frame in frames])


def flocks(state):
    """The animals of each flock of the preset: all, or the living and the dead."""
    dead = getattr(state, "dead", None)
    return [np.ones(len(state.positions), dtype=bool)] if dead is None else [~dead, dead]


def sorted_by_flock(state):
    """The state with the living first."""
    order = np.argsort(getattr(state, "dead", np.zeros(len(state.positions))), kind="stable")
    return replace(
        state,
        **{one.name: getattr(state, one.name)[order] for one in fields(state) if np.ndim(getattr(state, one.name))},
    )


def nudged(state, what):
    """The state with one coordinate, or component of a velocity, off by its last bit."""
    vectors = getattr(state, what).copy()
    vectors[0, 0] = np.nextafter(vectors[0, 0], np.inf)
    return replace(state, **{what: vectors})


def agreed(one, other, within):
    """Steps for which two runs agree, from the first one on."""
    apart = np.flatnonzero(np.abs(one - other).max(axis=(1, 2)) > within)
    return int(apart[0]) - 1 if len(apart) else len(one) - 1


@cache
def runs(preset, steps):
    """A start of the source, and the runs of loop, of loop off by a bit, and of preset from it."""
    held = BY_NAME[preset]
    state = sorted_by_flock(held.model.start(np.random.default_rng(7), held.parameters, held.count))
    loops = [by_loop(held, one, held.parameters, steps) for one in (state, nudged(state, held.nudge))]
    return state, *loops, by_preset(held, state, steps)


WHOLE = pytest.mark.slow


@pytest.mark.parametrize("steps", [FEW, pytest.param(STEPS, marks=WHOLE)])
@pytest.mark.parametrize("preset", BY_NAME)
def test_a_preset_is_the_published_model(preset, steps):
    """From the source's start a preset flies as the source's loop does, for as long as rounding allows."""
    _, loop, off, ours = runs(preset, steps)
    known = agreed(loop, off, EQUAL / 10)

    assert known >= LEAST
    assert agreed(ours, loop, EQUAL) >= known


@pytest.mark.parametrize(
    ("preset", "wrong", "steps"),
    [
        # In CI one of each preset: a constant, an order or a cap in turn
        pytest.param(held.preset, wrong, steps, marks=() if steps == FEW and number == at % len(held.wrong) else WHOLE)
        for at, held in enumerate(HELD)
        for number, wrong in enumerate(held.wrong)
        for steps in (FEW, STEPS)
    ],
)
def test_another_model_is_told_from_the_preset(preset, wrong, steps):
    """A loop with one constant moved by 1 %, another order, or a cap less parts from the preset sooner."""
    state, loop, off, ours = runs(preset, steps)
    other = by_loop(BY_NAME[preset], state, replace(BY_NAME[preset].parameters, **wrong), steps)

    assert agreed(ours, other, APART) < agreed(loop, off, APART)
