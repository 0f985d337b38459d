"""Slow motion: the states that a film shows between those of a simulation.

The simulation knows nothing of it: `paced` takes its states, and passes each of them on as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import Setup, State, Timeline
from boidsgen.simulation.world import World


def paced(states: Iterable[State], setup: Setup) -> Iterator[State]:
    """The states of a setup, with those between them where `time.rate` is below 1."""
    timeline = Timeline(setup)
    before: State | None = None
    for state in states:
        if before:
            pictures = before.setup.time.pictures
            yield from (between(before, state, number / pictures, timeline) for number in range(1, pictures))
        yield state
        before = state


def between(before: State, after: State, share: float, timeline: Timeline) -> State:
    """The state at a share of the way from one to the next, everybody on a straight line."""
    world = before.setup.world
    return replace(
        before,
        time=before.time + share * (after.time - before.time),
        flocks=_moved(before.flocks, after.flocks, share, world),
        predators=_moved(before.predators, after.predators, share, world),
        setup=timeline.at(before.frame + share),
        share=share,
    )


def _moved(before: Sequence[Group], after: Sequence[Group], share: float, world: World) -> tuple[Group, ...]:
    """The groups on their way; who comes, leaves or is put on the opposite edge does so with the next state."""
    groups = []
    for here, there in zip(before, after, strict=True):
        if len(here.position) != len(there.position):
            groups.append(here)
            continue
        way = world.shortest(there.position - here.position)
        way[(np.abs(way) > world.extent / 2).any(axis=1)] = 0.0
        velocity = here.velocity + share * (there.velocity - here.velocity)
        groups.append(Group(here.name, here.position + share * way, velocity))
    return tuple(groups)
