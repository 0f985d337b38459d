"""Every theme with every shape, and every coloring, as they were when somebody looked at them and found them good."""

from dataclasses import replace

import numpy as np
import pytest

from boidsgen.drawing import Frame, Renderer
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.themes import THEMES
from tests.drawing.drawables import drawable
from tests.drawing.goldens import Goldens

SIZE = (96, 64)
FRAMES = 3
BALL = {"kind": "circle", "radius": 9.0}
TURN = np.pi * (3 - np.sqrt(5))
"""Turning by this angle again and again fills a disc evenly."""


@pytest.fixture
def film(setup, state):
    """A few frames of boids on their way straight on, round a ball and with a predator among them."""

    def made(look, size):
        middle = np.array(size) / 2
        tables = setup(
            world={"size": size},
            flock={"count": 24, "max_speed": 4.0, "perception": {"radius": 14.0}},
            predators=({},),
            obstacles=({**BALL, "center": tuple(middle)},),
            time={"frames": FRAMES},
        )
        renderer = Renderer(drawable(tables, look), SIZE)
        place, flight = swarm(middle)
        return [
            renderer(
                state(tables, np.mod(place + frame * flight, size), flight, [0.3 * middle + 3 * frame], frame=frame)
            )
            for frame in range(FRAMES)
        ]

    return made


def swarm(middle):
    """Places all over the world and velocities of all directions and speeds, shape (24, d) each."""
    number = np.arange(24)
    way = np.column_stack((np.cos(TURN * number), np.sin(TURN * number), np.sin(2 * TURN * number)))[:, : len(middle)]
    speed = 1 + 3 * number / 23
    return middle + 0.95 * middle * way * np.sqrt((number[:, None] + 8) / 31), way[::-1] * speed[:, None]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("theme", THEMES)
def test_theme_and_shape(goldens, film, theme, shape):
    """Trails, boids, a predator and an obstacle look as they did."""
    look = {"style": {"theme": theme, "shape": shape, "trails": 2, "size": 9.0}}

    goldens.check(f"{theme}-{shape}", film(look, (96.0, 64.0)))


@pytest.mark.parametrize("color_by", COLORINGS)
def test_coloring_with_depth(goldens, film, color_by):
    """Every coloring, in a world with depth that the camera goes round, looks as it did."""
    look = {"style": {"color_by": color_by}, "camera": {"orbit": 15.0}, "overlay": {"axes": False}}

    goldens.check(f"deep-{color_by}", film(look, (60.0, 40.0, 40.0)))


@pytest.mark.parametrize("changed", ["a boid less", "another color", "another size"])
def test_comparison_fails_when_it_should(tmp_path, film, changed):
    """What an eye sees, the comparison sees, and shows; equal pictures pass."""
    frames = film({}, (96.0, 64.0))
    stored = Goldens(tmp_path / "goldens", storing=True, failures=tmp_path)
    stored.check("film", frames)
    compared = replace(stored, storing=False)
    compared.check("film", frames)

    with pytest.raises(AssertionError, match="differs"):
        compared.check("film", [*frames[:-1], spoiled(frames[-1], changed)][: 2 if changed == "another size" else 3])
    assert (tmp_path / "film.png").exists()


def spoiled(frame, changed):
    """The frame with one thing wrong."""
    if changed == "another color":
        return Frame(frame.index % 7, frame.palette)
    index = frame.index.copy()
    row, column = np.argwhere(index[4:-4, 4:-4] == index[4:-4, 4:-4].max())[0] + 4
    index[row - 4 : row + 5, column - 4 : column + 5] = 0
    return Frame(index, frame.palette)
