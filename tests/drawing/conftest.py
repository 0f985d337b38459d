"""Worlds and flocks placed by hand, so that a test knows what its picture must show, and what is written there."""

from typing import NamedTuple

import numpy as np
import pytest

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.text import ascent, width
from boidsgen.simulation.motion import Group
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup, State
from tests.drawing.drawables import drawable


@pytest.fixture
def setup():
    """A simulation's tables from keyword arguments; a torus of 120 by 80 unless told otherwise."""

    def made(**tables):
        return Setup.model_validate({"world": {"size": (120.0, 80.0)}, **tables})

    return made


@pytest.fixture
def state():
    """A state with the given positions; everybody flies to the right unless told otherwise."""

    def made(tables, position, velocity=None, predators=(), frame=0):
        dimension = tables.world.dimension
        place = np.array(position, dtype=float).reshape(-1, dimension)
        flight = (
            np.eye(1, dimension).repeat(len(place), axis=0) if velocity is None else np.array(velocity, dtype=float)
        )
        hunters = np.array(predators, dtype=float).reshape(-1, dimension)
        hunt = np.eye(1, dimension).repeat(len(hunters), axis=0)
        flocks = (Group("boids", place, flight),)
        groups = (Group("predators", hunters, hunt),) if tables.predators else ()
        return State(step=frame, time=float(frame), frame=frame, flocks=flocks, predators=groups, setup=tables)

    return made


@pytest.fixture
def picture(state):
    """The index of one picture; positions as for `state`, the rest as for `Look`."""

    def made(tables, position, look=None, size=(120, 80), **more):
        renderer = Renderer(drawable(tables, look), size)
        return renderer(state(tables, position, **more)).index

    return made


@pytest.fixture
def film(setup):
    """The frames of a run, of no boids unless told otherwise."""

    def made(look=None, frames=6, **tables):
        scenario = setup(time={"frames": frames}, **{"flock": {"count": 0}, **tables})
        renderer = Renderer(drawable(scenario, look), (120, 80))
        return [renderer(state).index for state in simulate(scenario)]

    return made


class Written(NamedTuple):
    """A line of text in a picture."""

    text: str
    xy: tuple[float, float]  # where, as it was asked for
    box: tuple[float, ...]  # left, top, right and bottom of its capitals; what hangs below may touch the next line
    ink: int


@pytest.fixture
def written(monkeypatch):
    """The texts of all pictures, in the order in which they are written."""
    found, plain = [], Canvas.write

    def write(self, text, xy, tone, size, anchor=(0, 0)):
        wide, high = width(text, size), 0.8 * ascent(size)
        left, top = xy[0] - anchor[0] * wide, xy[1] - anchor[1] * 1.3 * ascent(size) + 0.2 * ascent(size)
        if text:
            box = left, top, left + wide, top + high
            found.append(Written(text, tuple(map(float, xy)), box, int(tone) // 256 % self.inks._count))
        plain(self, text, xy, tone, size, anchor)

    monkeypatch.setattr(Canvas, "write", write)
    return found
