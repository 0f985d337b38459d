"""Colors and sizes of scenarios and themes: everything drawn can be seen and told apart, in every theme, by everybody.

Dichromats' colors are those of G. Machado, M. Oliveira and L. Fernandes, A Physiologically-based Model for Simulation
of Color Vision Deficiency (IEEE Transactions on Visualization and Computer Graphics 15, 2009), severity 1, which apply
to linear light. They and CIEDE2000, the differences, come from the package coloraide; contrasts are those of WCAG 2.2.
"""

from dataclasses import replace
from itertools import combinations

import coloraide
import numpy as np
import pytest
from coloraide.filters.cvd import Deutan, Protan, Tritan

from boidsgen import load_scenario
from boidsgen.drawing.camera import Camera, Viewport
from boidsgen.drawing.canvas import strength_at
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.contact_sheet import page_inks
from boidsgen.drawing.frame import rgb
from boidsgen.drawing.look import BODY_LENGTH, LECTURE, Style
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.text import letter_height
from boidsgen.drawing.themes import FLOCK_COLORS, MIN_CONTRAST, THEMES, contrast
from boidsgen.simulation.motion import Group
from boidsgen.simulation.setup import Setup, State
from tests.drawing.drawables import drawable, luminance

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


def test_only_what_is_shown_must_stand_out(setup):
    """A background is held to the colors of the theme that are in the picture, not to all of them."""
    tables, style = setup(), {"theme": "paper", "background": "#000000", "flocks": ("#ffffff",)}

    assert not [*drawable(tables, {"style": style}).faint]
    ((keys, wording),) = drawable(tables, {"style": style, "overlay": {"hud": True}}).faint
    assert keys == ("style", "background")
    assert "text 1.2" in wording


@pytest.mark.parametrize("theme", [name for name, theme in THEMES.items() if theme.light])
def test_a_lit_theme_has_its_own_ground(setup, theme):
    """Another background under a theme that paints its own is an error, and says which themes take one."""
    ((keys, wording),) = drawable(setup(), {"style": {"theme": theme, "background": "#000000"}}).faint

    assert keys == ("style", "background")
    assert "paints a ground of its own; take theme chalk or night" in wording


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
    assert color[5] == FLOCK_COLORS


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160), (1080, 1920)])
def test_text_and_boids_are_parts_of_the_picture(size):
    """Text takes 0.030 of the smaller side and a boid 0.026, in pictures of all usual sizes."""
    assert letter_height(size) == round(0.030 * min(size))
    assert Style().length(size, 50) == pytest.approx(BODY_LENGTH * min(size))


def test_lecture_is_larger_in_all_that_must_be_seen():
    """Text, boids, whatever their size, and lines."""
    usual, lecture = Style(), Style(scale="lecture")

    assert letter_height((1280, 720), lecture.enlarged) >= 0.045 * 720
    assert lecture.length((1280, 720), 100) == pytest.approx(LECTURE * usual.length((1280, 720), 100))
    assert Style(scale="lecture", size=9.0).length((1280, 720), 100) == pytest.approx(LECTURE * 9.0)
    assert lecture.pen((1280, 720)) == pytest.approx(LECTURE * usual.pen((1280, 720)))


IN_THEMES = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def colors_of(theme, role):
    """The colors of a role, one or several."""
    colors = getattr(theme, role)
    return (colors,) if isinstance(colors, str) else colors


@pytest.mark.parametrize(
    ("color", "ratio"), [("#000000", 21.0), ("#ffffff", 1.0), ("#777777", 4.48), ("#0000ff", 8.59)]
)
def test_contrast(color, ratio):
    """Contrast has known values against white, the same both ways."""
    assert contrast(color, "#ffffff") == pytest.approx(ratio, abs=0.005)
    assert contrast(color, "#ffffff") == contrast("#ffffff", color)


@IN_THEMES
def test_every_ink_stands_out(theme):
    """Each color has the contrast that themes promise, words around pictures too; a ramp leads away from the ground."""
    for role, least in MIN_CONTRAST.items():
        assert all(contrast(color, theme.behind(role)) >= least for color in colors_of(theme, role)), role
    title, axes = theme.unplated
    inks = page_inks(theme)
    page, *written = (
        "#{:02x}{:02x}{:02x}".format(*inks.colors[code])
        for code in (0, *(inks.codes[int(inks.tone(inks.ink(role))) + 255] for role in ("text", "muted")))
    )

    assert min(contrast(written[0], page), contrast(title, theme.background)) >= 7
    assert min(contrast(written[1], page), contrast(axes, theme.background)) >= MIN_CONTRAST["muted"]
    ramp = [contrast(color, theme.background) for color in theme.sequential]
    assert ramp == sorted(ramp)


@IN_THEMES
def test_forces_are_told_apart(theme):
    """Every two colors of forces differ clearly, and the first three are red, green and blue."""
    colors = [rgb(color) for color in theme.forces]

    assert [int(color.argmax()) for color in colors[:3]] == [0, 1, 2]
    assert min(abs(one - other).max() for one, other in combinations(colors, 2)) > 40


class Color(coloraide.Color):
    """Colors as dichromats see them by Machado's model."""


Color.register([kind(severe="machado") for kind in (Protan, Deutan, Tritan)], overwrite=True)
SEEN = ("all colors", "protan", "deutan", "tritan")
APART, AGAINST = 15.0, 12.0  # The least difference between any two flocks, and of each from a predator
DARK = 13.9  # Between flocks where all colors are dark: there is no room for six
FAR = {"flocks": 2.0, "predator": 2.5, "cyclic": 2.0, "sequential": 1.7}
"""Least contrast of the farthest boid, a predator at the middle depth counting as far as it may be drawn."""


def difference(one, other, seen):
    """CIEDE2000 of two colors as they are seen."""
    pair = [Color(color) if seen == "all colors" else Color(color).filter(seen) for color in (one, other)]
    return pair[0].delta_e(pair[1], method="2000")


@pytest.mark.parametrize("seen", SEEN)
@IN_THEMES
def test_flocks_and_predators_are_told_apart(theme, seen):
    """Every two colors of flocks, and each of them and the predators', differ clearly, whoever looks."""
    least = DARK if theme.light and not theme.light.glows else APART

    near = {pair: difference(*pair, seen) for pair in combinations(theme.flocks, 2)}
    hunted = {color: difference(color, theme.predator, seen) for color in theme.flocks}
    assert {pair: found for pair, found in near.items() if found < least} == {}
    assert {color: found for color, found in hunted.items() if found < AGAINST} == {}


@pytest.mark.parametrize("role", FAR)
@pytest.mark.parametrize("name", [name for name, theme in THEMES.items() if not theme.light])
def test_far_boids_can_be_seen(name, role):
    """Even the farthest boid keeps a contrast to the background, in all themes that fade with depth."""
    background = THEMES[name].background
    strength = float(strength_at(np.array(0.5 if role == "predator" else 1.0)))

    for color in colors_of(THEMES[name], role):
        far = rgb(background) + strength * (rgb(color) - rgb(background))
        assert contrast("#" + bytes(np.rint(far).astype(int).tolist()).hex(), background) >= FAR[role], color


LIT = [name for name, theme in THEMES.items() if theme.light]
SIZE = (640, 360)
STRONGEST = 3  # Pixels of an animal that must stand out: one alone would not be seen
ASIDE = 14.0  # From one animal to the next, in units of the world
WORDS = {"title": "Illness", "overlay": {"caption": "Illness", "hud": True, "axes": False}}
"""Upright strokes, where letters are as strong as they are meant."""


def ratios(one, other):
    """The contrast of luminances."""
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


def picture(theme, look=None, flocks=0, hunters=0, depth=1.0):
    """The luminance of a picture of flocks of one boid each, or of predators, in a row across the view."""
    tables = Setup.model_validate(
        {
            "world": {"size": (100.0, 100.0, 100.0), "boundary": {"kind": "open"}},
            "flock": tuple({"name": f"flock {number}", "count": 1} for number in range(max(flocks, 1))),
            "predators": ({"count": max(hunters, 1)},),
        }
    )
    renderer = Renderer(drawable(tables, {"overlay": {"axes": False}, **(look or {}), "style": {"theme": theme}}), SIZE)
    projection = renderer._viewpoint.projection(0)
    right, _, toward = projection.axes
    aside = (np.arange(flocks + hunters) - (flocks + hunters - 1) / 2) * ASIDE
    row = projection.center + aside[:, None] * right + projection.reach * (1 - 2 * depth) * toward
    flight = np.tile(right, (len(row), 1))
    boids = tuple(Group(f"flock {n}", row[n : n + 1], flight[n : n + 1]) for n in range(max(flocks, 1)) if n < flocks)
    nobody = (Group("flock 0", np.zeros((0, 3)), np.zeros((0, 3))),)
    predators = (Group("predators", row[flocks:], flight[flocks:]),)
    state = State(step=0, time=0.0, frame=0, flocks=boids or nobody, predators=predators, setup=tables)
    frame = renderer(state)
    return luminance(frame.palette[frame.index].astype(float)), projection(row).xy


def standing_out(theme, **animals):
    """Of each animal in a picture the contrast to the ground of the STRONGEST pixels that stand out most."""
    (drawn, places), (bare, _) = picture(theme, **animals), picture(theme)
    ratio = ratios(drawn, bare)
    boxes = (ratio[round(y) - 12 : round(y) + 12, round(x) - 12 : round(x) + 12] for x, y in places)
    return [float(np.sort(box, axis=None)[-STRONGEST]) for box in boxes]


@pytest.mark.turns(2)
@pytest.mark.parametrize("role", ["flocks", "sequential", "cyclic"])
@pytest.mark.parametrize("theme", LIT)
def test_far_lit_boids_can_be_seen(theme, role, monkeypatch):
    """The farthest boid, of any color, keeps the contrast that the flat look has there."""
    colors = getattr(THEMES[theme], role)
    for some in (colors[:FLOCK_COLORS], colors[-FLOCK_COLORS:]):
        monkeypatch.setitem(THEMES._members, theme, replace(THEMES[theme], flocks=some))
        seen = dict(zip(some, standing_out(theme, flocks=FLOCK_COLORS), strict=True))

        assert {color: ratio for color, ratio in seen.items() if ratio < FAR[role]} == {}


@pytest.mark.parametrize("theme", LIT)
def test_lit_predators_can_be_seen(theme):
    """So does a predator in the middle, and one that is far away is seen as well as a boid there."""
    assert min(standing_out(theme, hunters=1, depth=0.5)) >= FAR["predator"]
    assert min(standing_out(theme, hunters=1, depth=1.0)) >= FAR["flocks"]


@pytest.mark.parametrize("theme", LIT)
def test_words_stand_out(theme):
    """Title, caption and numbers have the contrast that a theme owes them to what they stand on, wherever they are."""
    written, bare = picture(theme, WORDS)[0], picture(theme)[0]
    strong = written > 0.97 * luminance(rgb(THEMES[theme].text))
    rows, columns = np.nonzero(strong & (ratios(written, bare) > MIN_CONTRAST["muted"]))
    windows = [written[row - 4 : row + 5, column - 4 : column + 5] for row, column in zip(rows, columns, strict=True)]
    grounds = [np.median(window[window < 0.4]) for window in windows]

    assert {0, 2} <= {3 * column // SIZE[0] + 2 * (row > 330) for row, column in zip(rows, columns, strict=True)}
    assert min(ratios(written[rows, columns], np.array(grounds))) >= MIN_CONTRAST["text"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", [[300, 300], [300, 300, 300]])
def test_fewer_boids_are_never_smaller(theme, size):
    counts = (1, 3, 4, 5, 24, 25, 400, 401, 2000)
    scenarios = [
        load_scenario({"world": {"size": size}, "flock": {"count": count}, "style": {"theme": theme}})
        for count in counts
    ]
    lengths = [scenario.style.length((1280, 720), count) for scenario, count in zip(scenarios, counts, strict=True)]

    assert lengths == sorted(lengths, reverse=True)
    assert lengths[1] >= 0.044 * 720
