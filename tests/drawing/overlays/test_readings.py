"""The numbers of the frame."""

import pytest

from boidsgen.drawing import Look, Renderer
from boidsgen.drawing.canvas import Canvas
from boidsgen.simulation import simulate
from boidsgen.simulation.measures import MEASURES
from tests.drawing.drawables import drawable

BALL = {"kind": "circle", "center": (60.0, 40.0), "radius": 5.0}


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


@pytest.fixture
def written(setup, state, monkeypatch):
    """The texts of the line of numbers, in their order from left to right."""

    def made(hud):
        texts = []
        monkeypatch.setattr(Canvas, "write", lambda _, text, xy, *__: texts.append((xy[0], text)))
        tables = setup(predators=({"count": 3},), obstacles=(BALL, BALL))
        renderer = Renderer(drawable(tables, {"overlay": {"hud": hud}}), (640, 360))
        renderer(state(tables, [(60, 40), (70, 40)], predators=[(9, 9), (8, 8), (7, 7)]))
        return [text for _, text in sorted(texts)]

    return made


def test_counts_can_be_shown(written):
    """Predators and obstacles are counted where they stand in the list; boids always are."""
    assert written(("predators", "polarization", "obstacles"))[4:] == [
        *("boids", "2"),
        *("predators", "3"),
        *("polarization", "1.00"),
        *("obstacles", "2"),
    ]
