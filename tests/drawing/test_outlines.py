"""What every obstacle looks like in the picture, held against where its surface says it is."""

from itertools import product

import numpy as np
import pytest

from boidsgen.drawing.camera import Camera
from boidsgen.drawing.layout import Viewport
from boidsgen.drawing.overlays.marks import hull
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
    """How far places are from the surface of the obstacle, negative inside."""
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


def test_hull_of_points():
    """The hull of points has those at the outside, in order against the clock, and none on the straight between."""
    place = np.array([(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (2.0, 2.0), (1.0, 1.0), (0.0, 2.0), (0.0, 0.0)])

    np.testing.assert_array_equal(hull(place), [(0, 0), (2, 0), (2, 2), (0, 2)])


@pytest.mark.parametrize("count", [2, 3, 5, 400])
@pytest.mark.parametrize("across", [0.0, 1.0])
def test_hull_holds_every_point(count, across):
    """No point is outside the hull, be they many, few, or in one line, and all corners are points."""
    place = np.random.default_rng(count).normal(size=(count, 2)) * (1.0, across)
    corner = hull(place)
    side, offset = np.roll(corner, -1, axis=0) - corner, place[:, None] - corner

    assert (side[:, 0] * offset[..., 1] - side[:, 1] * offset[..., 0] > -1e-12).all()
    assert {tuple(point) for point in corner.tolist()} <= {tuple(point) for point in place.tolist()}
