"""The same run told otherwise: in another place or unit, or with its animals under other names."""

from dataclasses import replace

import numpy as np


def changed(states, position=lambda places, _: places, velocity=lambda vectors: vectors, setup=None):
    """The states with other positions, by the world, and velocities, in this setup if one is given."""
    setup = setup or states[0].setup
    return [
        replace(
            state,
            setup=setup,
            flocks=tuple(
                replace(flock, position=position(flock.position, setup.world), velocity=velocity(flock.velocity))
                for flock in state.flocks
            ),
        )
        for state in states
    ]


def renamed(states, order):
    """The states with these numbers for the animals of the first flock, listed in the order of the new ones."""
    found = []
    for state in states:
        first = state.flocks[0]
        numbers = order[first.numbers]
        listed = np.argsort(numbers)
        moved = replace(
            first, position=first.position[listed], velocity=first.velocity[listed], members=numbers[listed]
        )
        found.append(replace(state, flocks=(moved, *state.flocks[1:])))
    return found
