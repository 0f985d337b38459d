"""For how long rounding lets a loop be compared: `python -m tests.simulation.published.lengths PRESET ...`.

Prints the first frames in which two loops part by 1e-8 and by 1e-6 whose starts differ by one unit in the last place of
each coordinate, up or down at random, and those in which the preset parts from its loop.
"""

import math
import random
import sys
from itertools import islice

import numpy as np

from tests.simulation.test_published import CASES, begun, shown


def parted(found, most):
    """The first frame in which two differ by more than this, or a dash."""
    return next((frame for frame, apart in enumerate(found) if apart > most), "-")


def apart(ours, theirs):
    """The largest difference of two flocks."""
    return max(float(np.abs(np.array(a) - np.array(b)).max()) for a, b in zip(ours, theirs, strict=True))


def lengths(name):
    """Differences between the loop and its twin, and between the loop and the preset, in each frame."""
    case, (steps, states) = CASES[name], shown(name)
    chance = random.Random(1)
    twins, presets = [], []
    for frame, state in enumerate(islice(states, state_count(name))):
        flock = state.flocks[case.flock]
        if frame == 0:
            loop, twin = (
                begun(name, state),
                begun(name, state, lambda x: math.nextafter(x, chance.choice((0, math.inf)))),
            )
        else:
            for _ in range(steps):
                loop.tick()
                twin.tick()
        case.frame(loop, state)
        case.frame(twin, state)
        twins.append(apart(loop.flock, twin.flock))
        presets.append(apart(loop.flock, (flock.position, flock.velocity)))
    return twins, presets


def state_count(name):
    """Number of frames in which a case's flock is there."""
    return sum(1 for state in shown(name)[1] if len(state.flocks[CASES[name].flock].position))


if __name__ == "__main__":
    for one in sys.argv[1:] or CASES:
        twins, presets = lengths(one)
        rows = [f"{parted(found, 1e-8)}, {parted(found, 1e-6)}" for found in (twins, presets)]
        line = f"{one}: {len(twins)} frames; twins part in {rows[0]}; preset in {rows[1]}; {max(presets):.2g}"
        print(line, flush=True)  # noqa: T201
