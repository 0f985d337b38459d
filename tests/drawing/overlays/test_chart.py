"""The curve of a measure."""

import numpy as np

from boidsgen.drawing import Renderer
from boidsgen.drawing.overlays.readings import widest_text
from boidsgen.simulation.measures import Dispersion, is_fraction
from tests.drawing.drawables import drawable


def test_curve_grows_with_the_frames(setup, state):
    """The curve reaches as far to the right as the run has come, and what was drawn stays."""
    tables = setup(time={"frames": 5})
    renderer = Renderer(drawable(tables, {"overlay": {"chart": "polarization"}}), (400, 300))
    strong = renderer.palette.sum(axis=1) > 650
    flights = [[(1, 0), (1, 0)], [(1, 0), (0, 1)], [(1, 0), (-1, 0)], [(1, 0), (0, 1)], [(1, 0), (1, 0)]]
    ends = []
    for frame, flight in enumerate(flights):
        drawn = renderer(state(tables, [(9, 70), (9, 74)], flight, frame=frame)).index
        ends.append(np.argwhere(strong[drawn[246:292, 50:350]])[:, 1].max())

    assert ends == sorted(ends)
    assert ends[-1] - ends[0] > 100


def test_only_fractions_end_at_one(monkeypatch):
    """A measure without a unit goes as far as it goes, unless it says that it is a fraction."""
    monkeypatch.setattr(Dispersion, "unit", "")

    assert not is_fraction("dispersion")
    assert is_fraction("polarization")
    assert len(widest_text("dispersion")) > len(widest_text("polarization"))
