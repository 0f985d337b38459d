"""Loops without a jump: the step from the last picture of a preset back to its first one is like any other."""

import numpy as np
import pytest
from PIL import Image, ImageSequence

from boidsgen import load_scenario, render
from boidsgen.output.formats import FORMATS
from tests.shipped import shipped

LOADED = shipped()
LOOPING = [
    name
    for name, one in LOADED.items()
    if one.seam or (FORMATS[one.output.format].loops and one.output.loop != 1)  # the others stop
]
SHORT = {"concept-seek", "p5-fish-school", "quickstart"}
"""In CI: a concept, that which had the hardest cut, and what everybody makes first."""
WIDTH = 320


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in SHORT else pytest.mark.slow) for one in LOOPING])
def test_the_end_joins_the_beginning(tmp_path, name):
    """In its small gif the step over the end is at most 1.3 times the median step."""
    wide, high = LOADED[name].picture_size
    keys = {"output.size": (WIDTH, 2 * round(WIDTH * high / wide / 2)), "output.format": "gif"}
    render(load_scenario(name, keys), tmp_path / "loop.gif")
    steps, first, before = [], None, None
    with Image.open(tmp_path / "loop.gif") as clip:
        for picture in ImageSequence.Iterator(clip):
            shown = np.asarray(picture.convert("RGB")).astype(np.int16)
            if before is None:
                first = shown
            else:
                steps.append(np.abs(shown - before).mean())
            before = shown

    assert np.abs(first - before).mean() <= 1.3 * np.median(steps)


def test_who_does_not_join_stops():
    """A GIF of a preset that is a film by itself has a cross-fade, too, or plays once."""
    assert not [name for name, one in LOADED.items() if name not in LOOPING and one.output.loop != 1]
