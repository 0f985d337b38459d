from itertools import combinations

import pytest

from boidsgen.drawing.frame import rgb
from boidsgen.drawing.themes import MIN_CONTRAST, THEMES
from boidsgen.studies.contact_sheet import page_inks
from boidsgen.studies.figure import inks_of


def luminance(color):
    part = rgb(color) / 255
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in part]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(color, background):
    dark, bright = sorted((luminance(color), luminance(background)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("role", MIN_CONTRAST)
@pytest.mark.parametrize("name", THEMES)
def test_every_ink_stands_out(name, role):
    """Each color of each theme has the contrast against the background that the theme's contract promises."""
    theme = THEMES[name]
    colors = getattr(theme, role)

    for color in (colors,) if isinstance(colors, str) else colors:
        assert contrast(color, theme.behind(role)) >= MIN_CONTRAST[role], color


@pytest.mark.parametrize("name", THEMES)
def test_words_around_pictures_stand_out(name):
    """Titles of comparisons and of figures are as clear as those of pictures, though nothing is drawn behind them."""
    theme = THEMES[name]
    title, axes = inks_of(theme)
    ground = "#{:02x}{:02x}{:02x}".format(*page_inks(theme).colors[0])

    assert contrast(theme.text, ground) >= 7
    assert contrast(title, theme.background) >= 7
    assert contrast(axes, theme.background) >= MIN_CONTRAST["muted"]


@pytest.mark.parametrize("name", THEMES)
def test_predators_differ_from_every_flock(name):
    """No flock is drawn in a color that could be taken for a predator's."""
    theme = THEMES[name]

    for color in theme.flocks:
        assert abs(rgb(color) - rgb(theme.predator)).max() > 60


@pytest.mark.parametrize("name", THEMES)
def test_sequential_ramp_runs_one_way(name):
    """More is always further from the background than less."""
    theme = THEMES[name]
    steps = [contrast(color, theme.background) for color in theme.sequential]

    assert steps == sorted(steps)


@pytest.mark.parametrize("name", THEMES)
def test_forces_are_told_apart(name):
    """Every two colors of forces differ clearly, and the first three are red, green and blue."""
    colors = [rgb(color) for color in THEMES[name].forces]

    assert [int(color.argmax()) for color in colors[:3]] == [0, 1, 2]
    for one, other in combinations(colors, 2):
        assert abs(one - other).max() > 40
