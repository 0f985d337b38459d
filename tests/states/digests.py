"""Digests of the states of a run after each of its steps, in the warm-up and between frames too."""

import hashlib
import json
import struct
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from boidsgen import load_scenario
from boidsgen.scenario.sources import presets
from boidsgen.simulation.geometry import Randomness
from boidsgen.simulation.run import Stepper, engine_of, simulate
from boidsgen.simulation.setup import Timeline

DRAWN = Path(__file__).with_name("drawn.json")
STORED = Path(__file__).with_name("digests.json")
CROWDS = {"murmuration-30000": 150}
"""Steps of presets that are too large to be run in full."""
EARLY = (2, 9)  # Steps whose digests are stored besides those of ten evenly chosen ones


class Wrong(NamedTuple):
    """A difference between the states of a run and the stored ones."""

    after: int  # last step up to which they are known to be the same; -1 = none
    by: int  # first step by which they are known to differ


@cache
def drawn():
    """Documents of the drawn scenarios, by name."""
    return json.loads(DRAWN.read_text(encoding="utf-8"))


def names():
    """The names of all scenarios, by kind."""
    return {"drawn": [*drawn()], "presets": [one.name for one in presets()]}


@cache
def scenario(name):
    """The scenario of a name, checked as that of a user."""
    return load_scenario(drawn().get(name, name))


def last_step(name, frames=None):
    """Number of the last step, of the whole run or of so many frames."""
    found = scenario(name)
    last = min(found.steps, CROWDS.get(name, found.steps))
    if frames is None:
        return last
    return min(last, found.time.warmup + (frames - 1) * found.time.steps_per_frame)


def every_state(setup, engine):
    """The states of a run after every step, as its frame shows it where there is one."""
    clock = setup.time
    if (clock.warmup, clock.steps_per_frame) == (0, 1):  # every step is a frame: what users run
        yield from simulate(setup, engine)
        return
    timeline = Timeline(setup)
    stepper = Stepper(engine_of(engine), setup.world.periods, Randomness(setup.seed))
    state = stepper.arrived(stepper.first(setup), timeline.at(0), 0)
    yield state
    for frame in range(clock.frames):
        steps = clock.steps_per_frame if frame else clock.warmup
        for number, moved in enumerate(stepper.moved(state, steps, 1) if steps else (), 1):
            state = moved
            if number < steps:
                yield state
        state = stepper.arrived(state, timeline.at(frame), frame)
        if steps:
            yield state


class Chain:
    """The running digest of states."""

    def __init__(self):
        self._sum = hashlib.sha256()

    def add(self, state):
        """Take in the state after a step."""
        self._sum.update(struct.pack("<q", state.step))
        for group in (*state.flocks, *state.predators):
            self._sum.update(group.name.encode())
            self._sum.update(struct.pack("<q", len(group.position)))
            for array in (group.position, group.velocity):
                self._sum.update(array.astype("<f8").tobytes(order="C"))

    @property
    def whole(self):
        """The digest so far, in 64 digits."""
        return self._sum.hexdigest()

    @property
    def short(self):
        """The first 16 digits of the digest so far."""
        return self._sum.hexdigest()[:16]


def digests(name, engine):
    """What is stored of a scenario."""
    last, chain, at = last_step(name), Chain(), []
    kept = {*EARLY, *(round(last * part / 10) for part in range(1, 11))}
    for state in every_state(scenario(name), engine):
        chain.add(state)
        if state.step in kept:
            at.append((state.step, chain.short))
        if state.step == last:
            break
    return {"steps": last, "sha256": chain.whole, "at": at}


def difference(name, engine, stored, last):
    """Where the states of a run first differ from the stored ones, as far as digests tell; None if they do not."""
    chain, at, before, step = Chain(), dict(map(tuple, stored["at"])), -1, -1
    for state in every_state(scenario(name), engine):
        chain.add(state)
        step = state.step
        if at.get(step, chain.short) != chain.short:
            return Wrong(before, step)
        if step in at:
            before = step
        if step == last:
            break
    whole = step == stored["steps"]
    return None if step == last and not (whole and chain.whole != stored["sha256"]) else Wrong(before, step + 1)


def located(name, engine, last):
    """The first difference between the states of an engine and those of numpy up to a step, in words; "" if none."""
    setup = scenario(name)
    for other, expected in zip_longest(every_state(setup, engine), every_state(setup, "numpy")):
        if other is None or expected is None:
            return f"step {(other or expected).step}: there only by {engine if expected is None else 'numpy'}"
        for kind in ("flocks", "predators"):
            groups = zip(getattr(other, kind), getattr(expected, kind), strict=True)
            for number, (one, same) in enumerate(groups):
                if unlike := _unlike(one, same):
                    return f"step {expected.step}: {kind}.{number} ({same.name!a}): {unlike}"
        if expected.step >= last:
            break
    return ""


def _unlike(one, same):
    """What differs between two groups, in words; empty if nothing does."""
    if (one.name, one.position.shape) != (same.name, same.position.shape):
        return f"{one.name!a} of shape {one.position.shape}, not {same.name!a} of shape {same.position.shape}"
    for what in ("position", "velocity"):
        found, wanted = (np.ascontiguousarray(getattr(group, what)) for group in (one, same))
        bits = found.view(np.uint64) != wanted.view(np.uint64)  # which tells -0.0 from 0.0
        if bits.any():
            number, axis = np.argwhere(bits)[0].tolist()
            value, right = found[number, axis].item(), wanted[number, axis].item()
            many = f"{bits.any(axis=1).sum()} of {len(bits)} animals"
            return f"{what} of number {number}, axis {axis}: {value!r} and not {right!r} ({many} differ)"
    return ""
