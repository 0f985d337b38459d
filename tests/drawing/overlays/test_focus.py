"""What the boid in focus sees."""

import numpy as np


def test_neighbors_are_linked_the_shortest_way(setup, picture):
    """A neighbor across the edge is linked across the edge; one too far away is not."""
    tables = setup(flock={"perception": {"radius": 20.0}, "count": 3})
    look = {"overlay": {"neighbors": True}}
    linked = picture(tables, [(3, 40), (115, 40), (60, 40)], look)
    without = picture(tables, [(3, 40), (115, 40), (60, 40)])
    changed = np.flatnonzero(((linked > 0) != (without > 0)).any(axis=0))

    assert changed.min() == 0
    assert changed.max() == 119
    assert not set(range(20, 105)) & set(changed.tolist())
