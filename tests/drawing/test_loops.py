"""Loops without a jump: the step from the last picture of a preset back to its first one is like any other."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing.frame import seamless
from boidsgen.drawing.renderer import Renderer
from boidsgen.output.formats import FORMATS
from boidsgen.scenario.sources import presets
from boidsgen.simulation.run import simulate

LOADED = {one.name: load_scenario(one.name) for one in presets()}
LOOPING = [name for name, one in LOADED.items() if one.seam and FORMATS[one.output.format].loops]
SHORT = {"p5-fish-school", "quickstart"}  # In CI: that which had the hardest cut, and what everybody makes first


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in SHORT else pytest.mark.slow) for one in LOOPING])
def test_the_end_joins_the_beginning(name):
    """The step over the end is at most 1.3 times the median step."""
    scenario = LOADED[name]
    draw, steps = Renderer(scenario, scenario.picture_size), []
    pictures = seamless(map(draw, simulate(scenario)), scenario.time.frames, scenario.seam, draw.blend)
    first = before = None
    for picture in pictures:
        shown = picture.palette[picture.index].astype(np.int16)
        if before is None:
            first = shown
        else:
            steps.append(np.abs(shown - before).mean())
        before = shown

    assert np.abs(first - before).mean() <= 1.3 * np.median(steps)
