"""The numbers of the frame."""

import numpy as np
import pytest
from pydantic import ValidationError

from boidsgen.drawing import Look, Renderer
from boidsgen.simulation import simulate
from boidsgen.simulation.measures import MEASURES
from tests.drawing.drawables import drawable


def test_numbers_of_the_frame_do_not_twitch(setup, state):
    """A label stands in the same place whatever the numbers are."""
    tables = setup(time={"frames": 1000})
    renderer = Renderer(drawable(tables, {"overlay": {"hud": True}}), (640, 360))
    early, late = (renderer(state(tables, [(60, 40)], frame=frame)).index for frame in (1, 999))
    polarization = slice(280, 360)

    np.testing.assert_array_equal(early[340:, polarization], late[340:, polarization])


@pytest.mark.parametrize("name", MEASURES)
def test_any_measure_can_be_shown(setup, name):
    """Each measure has its place in the line of numbers and its chart, whether it is defined or not."""
    tables = setup(time={"frames": 4})
    look = Look.model_validate({"overlay": {"hud": (name,), "chart": name}})
    renderer, plain = Renderer(drawable(tables, look), (400, 300)), Renderer(drawable(tables), (400, 300))
    for state in simulate(tables):
        drawn, without = renderer(state).index, plain(state).index

        assert (drawn[280:] != without[280:]).any()
        assert (drawn[150:270, 200:] != without[150:270, 200:]).any()


def test_unknown_measure_is_refused():
    """A measure that does not exist is a mistake, in the line of numbers as in the chart."""
    for key, value in (("hud", ("polarisation",)), ("chart", "polarisation"), ("hud", ())):
        with pytest.raises(ValidationError, match=key):
            Look.model_validate({"overlay": {key: value}})
