import math

import numpy as np
import pytest

from boidsgen.drawing import Renderer
from boidsgen.drawing.accumulation import COVERED, HUES, NEAREST, AccumulationBuffer, front, whole
from boidsgen.drawing.quantization import SUBLEVELS
from boidsgen.drawing.shapes import Dart
from boidsgen.drawing.sprites import MANY, Sprites, quarters
from boidsgen.drawing.themes import THEMES
from boidsgen.drawing.tone_mapping import FULL, THICKEST, tone_curve
from tests.drawing.drawables import drawable

SIZE, MARGIN = (60, 40), 20
STRIDE = SIZE[0] + 2 * MARGIN
LIT = [name for name, theme in THEMES.items() if theme.light]


def flock(count, seed=3):
    """Sprites, and for each animal sprite, flat pixel, strength and front."""
    generator = np.random.default_rng(seed)
    sprites = Sprites(Dart(), 9.0, 1.5, STRIDE, MANY)
    place = generator.random((count, 2)) * SIZE
    number = sprites.number(place, generator.random(count) * 6.28, np.ones(count), generator.random(count))
    pixel = quarters(place) // 4 + MARGIN
    depth = generator.random(count)
    chosen = front(depth, generator.integers(0, 6, count))
    return sprites, number, pixel[:, 1] * STRIDE + pixel[:, 0], whole(np.exp(-depth)), chosen


def crowd(*, nearest=False):
    return AccumulationBuffer(SIZE, MARGIN, tone_curve(THEMES["deep"].light), nearest=nearest)


def codes(buffer, hues=1):
    """What a buffer adds to a picture."""
    made = np.zeros(SIZE[::-1], np.uint16)
    buffer.add_to(made, hues, 1, SIZE[1])
    return made


@pytest.mark.parametrize("theme", LIT)
def test_tone_curve_is_the_formula(theme):
    """The level of so much coverage is that of 1 - exp(-density * animals), as a plain loop has it."""
    light = THEMES[theme].light
    curve = tone_curve(light)

    for thickness in range(0, THICKEST, 7):
        part = 1 - math.exp(-light.density * thickness / FULL)
        expected = SUBLEVELS * (light.levels - 1) * (part ** (1 / 1.5) if light.glows else part)
        assert abs(curve[thickness] - expected) <= 0.5 + 1e-6
    assert (np.diff(curve.astype(int)) >= 0).all()


@pytest.mark.parametrize(("hues", "nearest"), [(1, False), (6, False), (6, True)])
def test_order_does_not_matter(hues, nearest):
    """Whoever is drawn first, levels and hues are the same."""
    sprites, number, pixel, strength, chosen = flock(300)
    forward, backward = crowd(nearest=nearest), crowd(nearest=nearest)
    forward.stamp(sprites, number, pixel, strength, chosen)
    for part in (slice(200, 300), slice(50, 200), slice(0, 50)):
        order = np.arange(300)[part][::-1]
        backward.stamp(sprites, number[order], pixel[order], strength[order], chosen[order])

    np.testing.assert_array_equal(codes(forward, hues), codes(backward, hues))
    np.testing.assert_array_equal(forward.levels, backward.levels)
    assert forward.box == backward.box


def test_levels_are_those_of_a_plain_sum():
    """Coverage times strength, added animal by animal and pixel by pixel, gives the same levels."""
    sprites, number, pixel, strength, chosen = flock(160)
    made = crowd()
    made.stamp(sprites, number, pixel, strength, chosen)
    sums = np.zeros((SIZE[1] + 2 * MARGIN) * STRIDE, int)
    for one, place, strong in zip(number, pixel, strength.astype(int), strict=True):
        for entry in range(sprites.first[one], sprites.first[one] + sprites.count[one]):
            sums[place + sprites.offset[entry]] += sprites.coverage[entry] * strong // 1024
    inner = sums.reshape(-1, STRIDE)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    fine = tone_curve(THEMES["deep"].light)[np.minimum(inner, THICKEST - 1)].astype(int)

    assert (inner > 2 * FULL).any()
    np.testing.assert_array_less(np.abs(codes(made) - fine / SUBLEVELS), 1)


def test_a_crowd_in_one_place_does_not_overflow():
    """A hundred thousand animals in one pixel are as dense as it gets, and no lighter."""
    sprites, number, pixel, strength, chosen = flock(1)
    made = crowd()
    many = 100_000
    for _ in range(10):
        made.stamp(sprites, *(np.repeat(each, many // 10) for each in (number, pixel, strength, chosen)))

    assert codes(made).max() == THEMES["deep"].light.levels - 1


def test_the_nearest_is_in_front():
    """Of two animals of equal coverage the nearer gives the color; one that hardly covers the pixel never does."""
    near, far = front(np.array([0.1, 0.9]), np.array([3, 5]))

    assert near > far
    assert near % HUES == 3
    assert far | COVERED > near
    assert front(np.zeros(1), np.zeros(1, int))[0] // HUES == NEAREST


@pytest.mark.parametrize("color_by", ["flock", "heading"])
def test_water_is_never_brighter_for_birds(setup, state, color_by):
    """Birds that fly low before the water are mirrored once: nothing in it shines that did not without them."""
    world = {"size": (90.0, 80.0, 60.0)}
    tables, look = setup(world=world), {"style": {"theme": "dusk", "color_by": color_by, "size": 12.0}}
    draw = Renderer(drawable(tables, look | {"overlay": {"axes": False}, "camera": {"zoom": 3.0}}), (200, 120))
    crowd = np.random.default_rng(4).uniform((20, 20, 2), (70, 60, 58), (600, 3))
    without, seen = (draw.palette[draw(state(tables, places)).index].astype(int) for places in ([], crowd))

    water = np.s_[int(0.88 * 120) :]
    assert (seen[water] != without[water]).any()
    assert (seen[water] - without[water]).max() < 40
