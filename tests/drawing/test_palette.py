import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.themes import THEMES, contrast
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


@pytest.mark.parametrize(
    ("color", "ratio"), [("#000000", 21.0), ("#ffffff", 1.0), ("#777777", 4.48), ("#0000ff", 8.59)]
)
def test_contrast(color, ratio):
    """Contrast is that of WCAG: known values against white, the same both ways."""
    assert contrast(color, "#ffffff") == pytest.approx(ratio, abs=0.005)
    assert contrast(color, "#ffffff") == contrast("#ffffff", color)


AGAINST = "must have a contrast of at least"
THEIRS = "colors of theme night have too little contrast against"
FAINT = {
    'predator = "#202030"': f"predator: {AGAINST} 3.5 to 1 against the background #0b1020, not 1.1; white has 18.9",
    'theme = "paper"\nflocks = ["#0072b2", "#ffff00"]': (
        f"flocks.1: {AGAINST} 3 to 1 against the background #ffffff, not 1; black has 21"
    ),
    'background = "#777777"\ntext = "#000000"\nflocks = ["#ffffff"]': (
        f"text: {AGAINST} 7 to 1 against the background #777777, not 4.6; black has 4.6"
    ),
    'background = "#141e32"\nforces = ["#5050ff", "#4848ff"]': (
        f"forces.1: {AGAINST} 3 to 1 against the background #141e32, not 2.8; white has 16.6"
    ),
    'divider = "#0f1524"': f"divider: {AGAINST} 1.2 to 1 against the background #0b1020, not 1; white has 18.9",
    'background = "#ffffff"': f"background: {THEIRS} #ffffff: flocks 1.6 (at least 3); take theme paper or plot",
    'background = "#808080"\ncolor_by = "speed"': (
        f"background: {THEIRS} #808080: sequential 1 (at least 2); name these, too, or another background"
    ),
}


@pytest.mark.parametrize("style", FAINT)
def test_faint_colors(style):
    """A color that nobody would see is a mistake that names key, ratio and what would be right."""
    assert [line.split(": style.")[1] for line in mistakes(f"[style]\n{style}")] == [FAINT[style]]


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
