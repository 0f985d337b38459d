"""Every preset can be drawn in every kind of theme."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.look import MIN_BODY
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.themes import THEMES
from boidsgen.scenario.sources import presets
from boidsgen.simulation.run import simulate

NAMES = [preset.name for preset in presets()]
KINDS = {False: ("paper", "chalk"), True: ("deep",)}  # Themes to draw, by what the preset's own is not: lit or flat
LINES = 180  # Smaller side of the pictures


def small(name, **given):
    """A preset in a small picture, without the steps before its first frame."""
    whole = load_scenario(name)
    size = [round(side * LINES / min(whole.picture_size)) for side in whole.picture_size]
    return load_scenario(name, {"output.size": size, "time.warmup": 0, **given})


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", NAMES)
def test_light_and_dark_are_one_switch(name):
    """Every preset takes every theme by that one key, in its colors, with none of its own that would be lost there."""
    for theme in THEMES.keys() - {load_scenario(name).style.theme}:
        assert load_scenario(name, {"style.theme": theme}).style.colors == THEMES[theme]
    for theme in KINDS[not load_scenario(name).style.colors.light]:
        scenario = small(name, **{"style.theme": theme})
        frame = Renderer(scenario, scenario.picture_size)(next(simulate(scenario)))
        ground = frame.palette[np.bincount(frame.index.reshape(-1)).argmax()]

        assert len(np.unique(frame.index)) > 4
        assert THEMES[theme].light or (ground == rgb(scenario.style.colors.background)).all()


@pytest.mark.parametrize("name", NAMES)
def test_sizes_are_shares(name):
    """A boid and a trail are the same part of a picture of 360, 720 and 2160 lines, but for the least that is seen."""
    style, pictures = load_scenario(name).style, [(lines * 16 // 9, lines) for lines in (360, 720, 2160)]
    share = style.length(pictures[-1], 9) / 2160

    assert not isinstance(style.trail_width, float)
    assert style.trail_pen(pictures[2]) == pytest.approx(3 * style.trail_pen(pictures[1]))
    for size in pictures if style.size else ():
        assert style.length(size, 9) == pytest.approx(max(share * size[1], MIN_BODY))
