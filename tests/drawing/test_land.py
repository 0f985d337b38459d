"""The land below a sky while the camera turns: it moves evenly, by parts of a pixel."""

from itertools import pairwise

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing.renderer import Renderer
from boidsgen.simulation.run import simulate

SIZE = 640, 360
LAND = slice(280, 316)  # Rows of the reeds
WAVES = slice(4, 40)  # Waves across the picture by whose phases a shift is measured


def shift(before, after):
    """By how many pixels a picture, (rows, columns), has moved to the left, by the phases of its long waves."""
    window = np.hanning(before.shape[1])
    one, two = (np.fft.rfft((each - each.mean()) * window, axis=1)[:, WAVES] for each in (before, after))
    product, number = two * one.conj(), np.arange(WAVES.start, WAVES.stop)
    phase = np.angle(product.sum(axis=0)) / (2 * np.pi * number / before.shape[1])
    weight = np.abs(product).sum(axis=0) * number**2
    return (phase * weight).sum() / weight.sum()


@pytest.mark.parametrize("orbit", [0.125, -0.3])
@pytest.mark.parametrize(
    "colors", [lambda frame: frame.full(), lambda frame: frame.palette[frame.index]], ids=["all colors", "palette"]
)
def test_land_moves_evenly(colors, orbit):
    """From frame to frame it moves by the same part of a pixel, in films and in the palette of a gif."""
    given = {"time.frames": 20, "time.warmup": 0, "flock.count": 4, "output.size": SIZE, "camera.orbit": orbit}
    scenario = load_scenario("murmuration", given | {"output.loop_seam": 0})
    draw = Renderer(scenario, SIZE)
    land = [colors(draw(state))[LAND].astype(float).mean(axis=2) for state in simulate(scenario)]
    steps = np.array([shift(*pair) for pair in pairwise(land)])

    assert abs(steps.mean()) > 0.1
    assert np.abs(steps - steps.mean()).max() <= 0.1


def test_a_sky_at_rest_has_no_grain_that_crawls():
    """In a palette the dither of the sky stays where it is between two whole pixels of its way."""
    given = {"time.frames": 3, "time.warmup": 0, "flock.count": 1, "output.size": SIZE, "camera.orbit": 0.05}
    scenario = load_scenario("murmuration", given | {"output.loop_seam": 0})
    draw = Renderer(scenario, SIZE)
    first, *_, last = (draw(state).index[:150] for state in simulate(scenario))

    assert (first != last).mean() < 0.03
