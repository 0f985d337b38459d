"""Colors and sizes that a scenario names, and what colors mean."""

import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.camera import Camera
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.layout import Viewport
from boidsgen.drawing.look import BODY, LECTURE, Style
from boidsgen.drawing.text import letter_height
from boidsgen.drawing.themes import FLOCKS, THEMES
from boidsgen.errors import ScenarioError
from tests.drawing.drawables import drawable
from tests.scenario.loaded import loaded

EVERYTHING = {"hud": True, "axes": True, "center_of_mass": True, "perception": True, "forces": "boid"}
OWN = {
    "background": "#141e14",
    "flocks": ["#00c8c8", "#FFCC00"],
    "predator": "#ff6464",
    "obstacle": "#a0a0a0",
    "focus": "#ffb454",
    "forces": ["#ff5050"],
    "accent": "#ffffff",
    "muted": "#909090",
    "text": "#f0f0f0",
    "divider": "#404040",
}


def mistakes(text):
    with pytest.raises(ScenarioError) as caught:
        loaded(text)
    return [mistake.removeprefix("test.toml:") for mistake in caught.value.mistakes]


@pytest.mark.parametrize("role", OWN)
def test_own_color_is_drawn(setup, role):
    """Each color that a scenario names is in its palette, to the last bit, and the rest of the theme stays."""
    tables = setup(
        flock=({"name": "a"}, {"name": "b"}),
        predators=({},),
        obstacles=({"kind": "circle", "center": (9.0, 9.0), "radius": 5.0},),
    )
    value = tuple(OWN[role]) if isinstance(OWN[role], list) else OWN[role]
    overlay = EVERYTHING | ({"forces": "panel"} if role == "divider" else {})
    renderer = Renderer(drawable(tables, {"style": {role: value}, "overlay": overlay}), (120, 80))
    inks = {tuple(color) for color in renderer.palette.tolist()}

    for color in (value,) if isinstance(value, str) else value:
        assert tuple(rgb(color).astype(int)) in inks
    for other in {"background", "text", "predator"} - {role}:
        assert tuple(rgb(getattr(THEMES["night"], other)).astype(int)) in inks


FAINT = {
    'predator = "#202030"': ("predator", "3.5 to 1 against the background #0b1020, not 1.1"),
    'theme = "paper"\nflocks = ["#0072b2", "#ffff00"]': ("flocks.1", "3 to 1 against the background #ffffff, not 1;"),
    'background = "#777777"\ntext = "#000000"\nflocks = ["#ffffff"]': ("text", "7 to 1 against the background #777777"),
    'background = "#141e32"\nforces = ["#5050ff", "#4848ff"]': ("forces.1", "3 to 1 against the background #141e32"),
    'background = "#ffffff"': ("background", "flocks 1.6 (at least 3); take theme paper or plot"),
    'background = "#808080"\ncolor_by = "speed"': ("background", "sequential 1 (at least 2)"),
}


@pytest.mark.parametrize("style", FAINT)
def test_faint_colors(style):
    """A color that nobody would see is an error of its key that names the ratio and the one that is required."""
    (error,) = mistakes(f"[style]\n{style}")
    key, ratios = FAINT[style]

    assert f": style.{key}: " in error
    assert ratios in error


def test_only_what_is_shown_must_stand_out(setup):
    """A background is held to the colors of the theme that are in the picture, not to all of them."""
    tables, style = setup(), {"theme": "paper", "background": "#000000", "flocks": ("#ffffff",)}

    assert drawable(tables, {"style": style}).faint == ()
    (faint,) = drawable(tables, {"style": style, "overlay": {"hud": True}}).faint
    assert faint.key == ("background",)
    assert "text 1.2" in faint.wording


@pytest.mark.parametrize("theme", [name for name, theme in THEMES.items() if theme.light])
def test_a_lit_theme_has_its_own_ground(setup, theme):
    """Another background under a theme that paints its own is a mistake, and says which themes take one."""
    (faint,) = drawable(setup(), {"style": {"theme": theme, "background": "#000000"}}).faint

    assert faint.key == ("background",)
    assert "paints a ground of its own; take theme chalk or night" in faint.wording


def picked(tables, state, name):
    """The color of every boid of the first flock."""
    seen = Camera().aim(tables.world, Viewport(0, 0, 120, 80)).projection(0)(state.flocks[0].position)
    return COLORINGS[name]().pick(state, 0, seen)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", COLORINGS)
def test_every_color_has_a_label(setup, name, theme):
    """There are as many labels as colors, and some of them say something."""
    coloring, tables = COLORINGS[name](), setup(flock=({"name": "a"}, {"name": "b"}))
    colors, labels = coloring.colors(THEMES[theme], tables), coloring.labels(tables)

    assert len(colors) == len(labels)
    assert any(labels)


def test_groups_have_colors_and_the_lonely_are_grey(setup, state):
    """Boids joined by a chain of neighbors share a color; who has no neighbor has none of these."""
    tables = setup(flock={"perception": {"radius": 10.0}})
    place = [(20, 20), (28, 20), (36, 20), (80, 60), (84, 60), (60, 40)]

    color = picked(tables, state(tables, place), "group")

    assert len(set(color[:3])) == len(set(color[3:5])) == 1
    assert color[0] != color[3]
    assert color[5] == FLOCKS


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920)])
def test_text_and_boids_are_parts_of_the_picture(size):
    """Text takes 0.030 of the smaller side and a boid 0.026, in pictures of all usual sizes."""
    assert letter_height(size) == round(0.030 * min(size))
    assert Style().length(size, 10) == pytest.approx(BODY * min(size))


def test_lecture_is_larger_in_all_that_must_be_seen():
    """Text, boids, whatever their size, and lines."""
    usual, lecture = Style(), Style(scale="lecture")

    assert letter_height((1280, 720), lecture.enlarged) >= 0.045 * 720
    assert lecture.length((1280, 720), 100) == pytest.approx(LECTURE * usual.length((1280, 720), 100))
    assert Style(scale="lecture", size=9.0).length((1280, 720), 100) == pytest.approx(LECTURE * 9.0)
    assert lecture.pen((1280, 720)) == pytest.approx(LECTURE * usual.pen((1280, 720)))
