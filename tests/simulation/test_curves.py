"""Curves that predators follow."""

import numpy as np
import pytest

from boidsgen.simulation.paths import CURVES
from tests.simulation.stages import SIZE, world


def test_trefoil_by_hand():
    """The trefoil starts at (3, 0, 0)·scale/3 and closes after its period; predators are a phase apart."""
    deep = world("open", (100.0, 100.0, 100.0))
    path = CURVES["trefoil"].model_validate({"scale": 30.0, "period": 60.0, "phase": 90.0})

    start, later = path.position(0.0, 2, deep), path.position(60.0, 2, deep)

    np.testing.assert_allclose(start[0], [80.0, 50.0, 50.0])
    np.testing.assert_allclose(start[1], [50 - 20.0, 50.0, 50 - 10.0])
    np.testing.assert_allclose(later, start, atol=1e-9)


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.parametrize("size", [SIZE, (100.0, 60.0, 80.0)])
def test_paths_keep_to_their_scale(kind, size):
    """Seen from above no path leads further from its center than its scale, and it gets there."""
    path = CURVES[kind].model_validate({"scale": 20.0, "period": 100.0})
    along = np.concatenate([path.position(t, 1, world("open", size)) for t in np.linspace(0, 100, 500)])
    distance = np.linalg.norm((along - np.array(size) / 2)[:, :2], axis=1)

    assert distance.max() == pytest.approx(20.0)
