"""Every engine gives the states of numpy, to the last bit; in short, and in full as `python -m tests.states` does."""

from dataclasses import replace

import numpy as np
import pytest

from boidsgen.simulation.run import ENGINES, simulate
from tests.states import digests
from tests.states.__main__ import read
from tests.states.drawing import lacking

STORED = read()
GOLDEN = {**STORED["drawn"], **STORED["presets"]}
FIRST, WHOLE = 2, 25
"""Steps of a drawn scenario in the short form, and which of them are run in full: one of so many."""
FRAMES, OF_MANY = 10, 3
"""Frames of a preset in the short form, and of one whose many boids take long, at once or in turns."""
BY_EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)


@BY_EVERY_ENGINE
@pytest.mark.parametrize("name", STORED["drawn"])
def test_a_drawn_scenario(name, engine):
    """The first states of every drawn scenario, and all states of some of them, are the stored ones."""
    last = digests.last_step(name)
    number = [*STORED["drawn"]].index(name)

    assert digests.difference(name, engine, GOLDEN[name], last if number % WHOLE == 0 else min(last, FIRST)) is None


@BY_EVERY_ENGINE
@pytest.mark.parametrize("name", STORED["presets"])
def test_a_preset(name, engine):
    """The first states of every preset, those of the warm-up among them, are the stored ones."""
    many = name in digests.CROWDS or max(digests.scenario(name).most_turns) > 300
    first = OF_MANY if many else FRAMES

    assert digests.difference(name, engine, GOLDEN[name], min(digests.last_step(name), first - 1)) is None


@pytest.mark.slow
@BY_EVERY_ENGINE
@pytest.mark.parametrize("name", GOLDEN)
def test_all_states(name, engine):
    """All states of every scenario are the stored ones."""
    assert digests.difference(name, engine, GOLDEN[name], digests.last_step(name)) is None


def test_everything_has_its_digests():
    """Scenarios and presets come and go together with their digests, of as many steps as they have."""
    assert {kind: sorted(names) for kind, names in digests.names().items()} == {
        kind: [*entries] for kind, entries in STORED.items()
    }
    assert {name: digests.last_step(name) for name in GOLDEN} == {name: one["steps"] for name, one in GOLDEN.items()}


def test_everything_is_drawn():
    """Every rule with its forms and keys, boundary, obstacle, start and option occurs in a drawn scenario."""
    assert lacking(digests.drawn().values()) == set()


def test_states_between_frames_are_those_of_a_run():
    """What the tool does step by step is what a user gets frame by frame."""
    clocks = {name: digests.scenario(name).time for name in digests.drawn()}
    stepped = [name for name, clock in clocks.items() if clock.warmup and clock.steps_per_frame > 1]
    assert len(stepped) > 2
    for name in stepped[:2]:
        setup = digests.scenario(name)
        shown = [state for state in digests.every_state(setup, "numpy") if state.frame >= 0]
        for found, expected in zip(shown[1:], simulate(setup, "numpy"), strict=True):  # but for the start of warm-up
            of_both = digests.Chain(), digests.Chain()
            for chain, state in zip(of_both, (found, expected), strict=True):
                chain.add(state)
            assert of_both[0].whole == of_both[1].whole


@pytest.mark.parametrize(("axis", "how"), [(0, lambda value: np.nextafter(value, np.inf)), (1, np.negative)])
def test_one_bit_shows(monkeypatch, axis, how):
    """A last bit that differs is found, and so is the sign of zero; step, group and animal are named."""
    name, every = "trap-separation", digests.every_state

    def changed(setup, engine):
        for state in every(setup, "numpy"):
            first, *others = state.flocks
            velocity = first.velocity.copy()
            velocity[0, axis] = how(velocity[0, axis])
            altered = replace(state, flocks=(replace(first, velocity=velocity), *others))
            yield altered if (engine, state.step) == ("other", 5) else state

    monkeypatch.setattr(digests, "every_state", changed)
    last = digests.last_step(name)

    assert digests.difference(name, "numpy", GOLDEN[name], last) is None
    assert digests.difference(name, "other", GOLDEN[name], last) == (2, 6)
    said = digests.located(name, "other", last)
    assert said.startswith(f"step 5: flocks.0 ('left'): velocity of number 0, axis {axis}: "), said
    assert axis == 0 or "-0.0 and not 0.0" in said
