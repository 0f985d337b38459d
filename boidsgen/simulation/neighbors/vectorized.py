"""Neighbor sums in plain numpy: no loop over boids, only over blocks of them.

`bincount` adds the pairs of a block one after the other, in the order in which they are laid out.
"""

from collections.abc import Callable, Sequence

import numpy as np

from boidsgen.simulation.geometry import Array, by_column, length, zeros
from boidsgen.simulation.neighbors.grid import Indices, make_grid
from boidsgen.simulation.neighbors.pairs import Flight, Pairs, blocks, nearer, nearest, visible
from boidsgen.simulation.neighbors.request import Quantity, Request, Sum


def neighbor_sums(
    position: Array,
    velocity: Array,
    source_position: Array,
    source_velocity: Array,
    requests: Sequence[Request],
    periods: Array,
) -> list[Sum]:
    """Answer all requests of boids at `position`, shape (n, d), about sources at `source_position`, shape (m, d).

    `periods` says after what distance each axis of the world repeats, 0 where it does not, shape (d,). Boids may be
    among the sources: nobody is a neighbor of itself.
    """
    sums = [Sum(np.zeros(len(position)), zeros(*position.shape)) for _ in requests]
    if not len(position) or not len(source_position) or not requests:
        return sums
    radius = max(request.radius for request in requests)
    grid = make_grid(source_position, radius, periods)
    order = grid.originals if position is source_position else np.arange(len(position))
    sorted_position = by_column(position[order])
    sorted_velocity = by_column(velocity[order])
    speed = length(sorted_velocity)
    for block, pairs in blocks(grid, sorted_position, radius):
        boids = order[block]
        flight = Flight([sorted_velocity[block, a] for a in range(position.shape[1])], speed[block])
        narrowed: dict[object, Pairs] = {}
        for request, found in zip(requests, sums, strict=True):
            whom = request.whom
            if whom not in narrowed:
                narrowed[whom] = _chosen(pairs, request, radius, flight)
            _add_up(narrowed[whom], request.quantity, source_velocity, boids, found)
    return sums


def _chosen(pairs: Pairs, request: Request, known: float, flight: Flight) -> Pairs:
    """The pairs that a request is about; all are known to be nearer than `known`."""
    if request.radius < known:
        pairs = nearer(pairs, request.radius)
    if request.field_of_view < 360:
        pairs = visible(pairs, request.field_of_view, flight)
    if request.nearest is not None:
        pairs = nearest(pairs, request.nearest)
    return pairs


def _add_up(pairs: Pairs, quantity: Quantity, source_velocity: Array, boids: Indices, found: Sum) -> None:
    """Write the sums over these pairs to the rows of `found` that belong to the block's boids."""
    found.count[boids] = np.bincount(pairs.boid, minlength=len(boids))
    for axis, weights in enumerate(_weights(pairs, quantity, source_velocity)):
        found.total[boids, axis] = np.bincount(pairs.boid, weights, minlength=len(boids))


def _weights(pairs: Pairs, quantity: Quantity, source_velocity: Array) -> Sequence[Array]:
    """What each pair adds to the sum, one array (p,) per axis."""
    if quantity == "velocity":
        return [source_velocity[:, axis].take(pairs.source) for axis in range(len(pairs.offset))]
    if quantity in ("offset", "linear"):
        return pairs.offset
    divisor = DIVISORS[quantity](pairs.squared)
    return [along / divisor for along in pairs.offset]


DIVISORS: dict[str, Callable[[Array], Array]] = {
    "constant": np.sqrt,
    "inverse": lambda squared: squared,
    "inverse_square": lambda squared: squared * np.sqrt(squared),
}
"""What an offset is divided by to get the length that a falloff gives, from the squared distance."""
