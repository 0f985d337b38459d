"""State: everything the world holds at one instant, as simulation hands it to drawing."""

from dataclasses import dataclass

from boidsgen.simulation.dynamics import Group
from boidsgen.simulation.setup import Setup


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The world at one instant.

    Attributes:
        step: steps done since the start, warm-up included.
        time: simulated time since the start.
        frame: number of the frame that shows this state, counted from 0; -1 between frames.
        flocks: one group per [[flock]] table.
        predators: one group per [[predators]] table.
        setup: the scenario's simulation tables in force at this instant.
    """

    step: int
    time: float
    frame: int
    flocks: tuple[Group, ...]
    predators: tuple[Group, ...]
    setup: Setup
