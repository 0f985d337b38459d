"""Observe: what can be read off a state without making the next one."""

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.neighbors import ENGINES, Neighbors, Request
from boidsgen.simulation.state import State


def neighbor_count(state: State, flock: int) -> NDArray[np.int64]:
    """How many boids of its own kind each boid of a flock perceives, shape (n,)."""
    group, perception = state.flocks[flock], state.setup.flock[flock].perception
    request = Request(perception.radius, perception.field_of_view, "offset")
    neighbors = Neighbors(ENGINES["numpy"], state.setup.world.periods)
    sums = neighbors.sums(group.position, group.velocity, group.position, group.velocity, [request])
    return sums[request].count.astype(np.int64)
