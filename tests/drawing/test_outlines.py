"""Every obstacle in the picture, compared with where its surface says it is."""

from itertools import product

import numpy as np
import pytest

from boidsgen.drawing.camera import Camera
from boidsgen.drawing.layout import Viewport
from boidsgen.simulation.obstacles import OBSTACLES
from tests.obstacles import DEEP_EXAMPLES, EXAMPLES

SIZE = (400, 240)
FLAT, DEEP = (100.0, 60.0), (100.0, 60.0, 80.0)
WITHOUT_AXES = {"overlay": {"axes": False}}


def drawn(setup, picture, extent, obstacle):
    """The tables of a world with one obstacle, and where in its picture anything is drawn, (rows, columns)."""
    tables = setup(world={"size": extent, "boundary": "open"}, obstacles=(obstacle,))
    return tables, picture(tables, [], WITHOUT_AXES, SIZE) != 0


def gap_at(tables, place):
    """Distance of places from the surface of the obstacle, negative inside."""
    return tables.obstacles[0].surface(place, tables.world)[0]


@pytest.mark.parametrize("kind", OBSTACLES)
def test_a_flat_obstacle_is_drawn_where_it_is(setup, picture, kind):
    """In 2D every pixel within the surface shows the obstacle, and none does that is further than a line's width."""
    tables, shown = drawn(setup, picture, FLAT, {"kind": kind, **EXAMPLES[kind]})
    row, column = np.indices(shown.shape).reshape(2, -1)
    place = np.column_stack((column + 0.5, SIZE[1] - row - 0.5)) / 4
    gap = 4 * gap_at(tables, place).reshape(shown.shape)

    assert shown[gap < 0].all()
    assert not shown[gap > 2].any()
    assert (gap < 0).any()


@pytest.mark.parametrize("kind", DEEP_EXAMPLES)
def test_a_deep_obstacle_is_drawn_where_it_is(setup, picture, kind):
    """In 3D whatever is inside the obstacle is seen within its outline, and the outline goes no further than that."""
    tables, shown = drawn(setup, picture, DEEP, {"kind": kind, **DEEP_EXAMPLES[kind]})
    place = np.array(list(product(*(np.linspace(0, side, 41) for side in DEEP))))
    solid = place[gap_at(tables, place) < 0]
    seen = Camera().aim(tables.world, Viewport(0, 0, *SIZE)).projection(0)(solid).xy
    rows, columns = np.nonzero(shown)
    # Seen from between the points of the grid there is something within their spacing.
    apart = np.hypot(columns[:, None] + 0.5 - seen[:, 0], rows[:, None] + 0.5 - seen[:, 1]).min(axis=1)

    assert len(solid) > 100
    assert shown[tuple(seen.astype(int).T[::-1])].all()
    assert apart.max() < 9
