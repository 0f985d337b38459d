"""Group: animals of one kind at one instant."""

from dataclasses import dataclass

from boidsgen.simulation.geometry import Array


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Animals of one kind: a flock, or the predators of one table.

    Attributes:
        name: what the scenario calls them.
        position: (n, d) world units, read-only.
        velocity: (n, d) world units per unit of time, read-only.
    """

    name: str
    position: Array
    velocity: Array
