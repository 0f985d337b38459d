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


def test_chart_can_be_read_in_a_crowd(setup, picture):
    """Where the chart is, no boid is."""
    tables, look = setup(), {"overlay": {"chart": "dispersion"}}
    crowd = np.random.default_rng(3).uniform((0, 0), (120, 80), (900, 2)).round(1)
    other = crowd * (-1, 1) + (120, 0)  # as far from its middle
    one, two = (picture(tables, boids, look, (400, 300)) for boids in (crowd, other))

    assert np.count_nonzero(one[228:] != two[228:]) == 0
    assert np.count_nonzero(one[:210] != two[:210]) > 1000


def test_only_fractions_end_at_one(monkeypatch):
    """A measure without a unit goes as far as it goes, unless it says that it is a fraction."""
    monkeypatch.setattr(Dispersion, "unit", "")

    assert not is_fraction("dispersion")
    assert is_fraction("polarization")
    assert len(widest_text("dispersion")) > len(widest_text("polarization"))
