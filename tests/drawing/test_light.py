"""The lit look and pictures of many colors: accumulated light, quantization and loops without a jump."""

import math
import tracemalloc
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.frame import (
    SUBLEVELS,
    Frame,
    Palette,
    Quantizer,
    dissolved,
    faded,
    grain,
    light_of,
    numbers_of,
    representatives,
    seamless,
)
from boidsgen.drawing.glow import COVERED, HUES, NEAREST, AccumulationBuffer, add_levels, front, whole
from boidsgen.drawing.lit import FULL_COVERAGE, THICKEST, tone_curve
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.shapes import MANY, SHAPES, Sprites, quarters
from boidsgen.drawing.themes import THEMES

SIZE, MARGIN = (60, 40), 20
STRIDE = SIZE[0] + 2 * MARGIN
LIT = [name for name, theme in THEMES.items() if theme.light]


def flock(count, seed=3):
    """Sprites, and for each animal sprite, flat pixel, strength and front."""
    generator = np.random.default_rng(seed)
    sprites = Sprites(SHAPES["dart"](), 9.0, 1.5, STRIDE, MANY)
    place = generator.random((count, 2)) * SIZE
    number = sprites.number(place, generator.random(count) * 6.28, np.ones(count), generator.random(count))
    pixel = quarters(place) // 4 + MARGIN
    depth = generator.random(count)
    chosen = front(depth, generator.integers(0, 6, count))
    return sprites, number, pixel[:, 1] * STRIDE + pixel[:, 0], whole(np.exp(-depth)), chosen


def crowd(*, nearest=False):
    return AccumulationBuffer(SIZE, MARGIN, nearest=nearest)


def codes(buffer, hues=1):
    """Palette indices that a buffer adds to a picture."""
    made, curve, box = np.zeros(SIZE[::-1], np.uint16), tone_curve(THEMES["deep"].light), (0, SIZE[1], 0, SIZE[0])
    levels = np.zeros(made.shape, np.uint8)
    add_levels(made, levels, buffer.flat, curve, grain(SIZE, SUBLEVELS), box, SIZE[0], MARGIN, hues, 1)
    return made


@pytest.mark.parametrize("theme", LIT)
def test_tone_curve_is_the_formula(theme):
    """The level of so much coverage is that of 1 - exp(-density * animals), as a plain loop has it."""
    light = THEMES[theme].light
    curve = tone_curve(light)

    for thickness in range(0, THICKEST, 7):
        part = 1 - math.exp(-light.density * thickness / FULL_COVERAGE)
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


def test_levels_are_those_of_a_plain_sum():
    """Coverage times strength, added animal by animal and pixel by pixel, gives the same levels."""
    sprites, number, pixel, strength, chosen = flock(160)
    made = crowd()
    made.stamp(sprites, number, pixel, strength, chosen)
    sums = np.zeros((SIZE[1] + 2 * MARGIN) * STRIDE, int)
    for one, place, strong in zip(number, pixel, strength.astype(int), strict=True):
        for entry in range(sprites.table.first[one], sprites.table.first[one] + sprites.table.counts[one]):
            sums[place + sprites.table.offset[entry]] += sprites.table.coverage[entry] * strong // 1024
    inner = sums.reshape(-1, STRIDE)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    fine = tone_curve(THEMES["deep"].light)[np.minimum(inner, THICKEST - 1)].astype(int)

    assert (inner > 2 * FULL_COVERAGE).any()
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


def gradient(size=(128, 96)):
    """A picture in many colors that run into each other."""
    x, y = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    index = (y * size[0] + x).astype(np.uint16)
    palette = np.stack((2 * x, 2 * y, (x + y) // 2), axis=2).reshape(-1, 3).clip(0, 255).astype(np.uint8)
    return Frame(index, palette)


def reduction(frame):
    return Quantizer(frame.palette, np.bincount(frame.index.reshape(-1), minlength=len(frame.palette)))


@pytest.mark.parametrize("count", [2, 16, 255])
def test_few_colors_stand_for_many(count):
    """Each color becomes one of at most so many, and more of them come closer."""
    color = np.unique(np.random.default_rng(1).integers(0, 256, (4000, 3)).astype(np.uint8), axis=0)
    few, member = representatives(color, np.ones(len(color), int), count)

    assert len(few) == count
    off = np.sqrt(((few[member].astype(int) - color) ** 2).sum(axis=1).mean())
    assert off < 160 / count ** (1 / 3)


def test_dither_keeps_the_mean():
    """Over a square of the pattern the few colors have the mean of the many."""
    frame = gradient()
    made = reduction(frame)(frame)
    many, few = (each.palette[each.index].astype(float) for each in (frame, made))

    assert len(made.palette) <= 255
    blocks = [picture[:96, :128].reshape(6, 16, 8, 16, 3).mean(axis=(1, 3)) for picture in (many, few)]
    assert abs(blocks[0] - blocks[1]).max() < 4


def test_what_does_not_change_does_not_flicker():
    """A pixel whose color stays keeps its entry, whatever happens round it."""
    frame = gradient()
    reduce = reduction(frame)
    before = reduce(frame).index.copy()
    other = frame.index.copy()
    other[20:40, 30:60] = 7
    after = reduce(Frame(other, frame.palette)).index

    np.testing.assert_array_equal(after[other == frame.index], before[other == frame.index])
    assert (after != before).any()


def test_light_goes_there_and_back():
    """Every number from 0 to 255 is the number of its light; the light is its power 2.2."""
    number = np.arange(256)

    np.testing.assert_array_equal(numbers_of(light_of(number)), number)
    np.testing.assert_allclose(light_of(number), (number / 255) ** 2.2, rtol=1e-12, atol=0)


PALETTE = np.zeros((40, 3), np.uint8)


def plain(number, size=(64, 64)):
    """A picture that holds its number everywhere."""
    return Frame(np.full(size[::-1], number, np.uint8), PALETTE)


def shares(frames, seam):
    """For each picture of the loop, how much of it comes from which picture of the run."""
    loop = seamless((plain(number) for number in range(frames)), frames, seam, dissolved)
    return [dict(enumerate(np.bincount(one.index.reshape(-1), minlength=frames) / one.index.size)) for one in loop]


def test_first_pictures_come_in_evenly():
    """Each of the last pictures has a larger share of one of the first, and the next in the run follows the end."""
    *whole, one, two, three = shares(10, 3)

    assert [max(share, key=share.get) for share in whole] == [3, 4, 5, 6]
    assert all(max(share.values()) == 1 for share in whole)
    for place, share in enumerate((one, two, three)):
        assert share[place] == pytest.approx((place + 1) / 4, abs=0.01)
        assert share[7 + place] == pytest.approx(1 - (place + 1) / 4, abs=0.01)


def test_full_colors_fade_in_light():
    """Of two pictures in full color each gives its share of light; what is alike in both stays; the first ones last."""
    black, gray, white = (np.full((2, 3, 3), number, np.uint8) for number in (0, 100, 255))
    now = [white]
    frames = (replace(plain(0), full=lambda: now[0]) for now[0] in (black, gray, gray, white, gray))
    *_, first, last = (frame.full() for frame in seamless(frames, 5, 2, dissolved))

    assert (first == numbers_of(2 / 3)).all()
    np.testing.assert_array_equal(last, gray)


def test_pixels_never_go_back():
    """Once a pixel has gone over to the beginning it stays there: nothing flickers."""
    loop = list(seamless((plain(number) for number in range(20)), 20, 8, dissolved))
    taken = np.array([one.index < 8 for one in loop[-8:]])

    assert (taken[1:] >= taken[:-1]).all()


def test_inks_fade_and_what_stays_stays():
    """Of two pictures each is seen at its share; where both are alike nothing changes; none of either leaves no ink."""
    inks = Palette("#000000", {"one": "#ffffff"})
    full = int(inks.codes[inks.tone(0) + 255])
    there, empty = (Frame(np.full((1, 1), code, np.uint8), inks.colors) for code in (full, 0))
    blend = partial(faded, inks)

    assert [int(inks.colors[blend(there, empty, share).index][0, 0, 0]) for share in (0.0, 0.5, 1.0)] == [255, 128, 0]
    assert [int(inks.colors[blend(empty, there, share).index][0, 0, 0]) for share in (0.0, 0.5, 1.0)] == [0, 128, 255]
    assert all(blend(there, there, share).index[0, 0] == full for share in (0.0, 0.3, 1.0))


def test_memory_is_that_of_the_seam():
    """However long the run, no more pictures are kept than the seam has."""
    size = (200, 100)
    list(seamless((plain(number, size) for number in range(4)), 4, 1, dissolved))  # the pattern is made once
    tracemalloc.start()
    for _ in seamless((plain(number % 40, size) for number in range(400)), 400, 5, dissolved):
        pass
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 15 * size[0] * size[1]


def ribbon(boundary, frames=60):
    """Levels of the ribbon of one predator in a flat world, which flies to the right and over its edge."""
    scenario = load_scenario(
        {
            "world": {"size": [200, 100], "boundary": boundary},
            "flock": {"count": 1},
            "predators": [
                {
                    "start": {"layout": "points", "points": [[20, 50]], "velocities": [[4, 0]]},
                    "max_speed": 4,
                    "min_speed": 4,
                }
            ],
            "time": {"frames": frames},
            "style": {"theme": "deep", "predator_size": 4.0},
            "output": {"size": [400, 200]},
        }
    )
    renderer = Renderer(scenario, (400, 200), layers=[])
    for state in simulate(scenario):
        renderer.draw(state)
    return renderer.painter.glow.canvas.picture()


def test_ribbons_in_flat_worlds_are_soft():
    """The sides of a ribbon fade in several steps, and where it leaves the world it ends no sooner than it fades."""
    levels = ribbon({"kind": "torus"})
    across = levels[:, levels.sum(axis=0).argmax()]

    assert len(set(across[across > 0].tolist())) >= 5
    assert (np.diff(across[: across.argmax()].astype(int)) >= 0).all()
    assert levels[:, 300:].max() > 2 * levels[:, -4:].max()
    assert levels[:, :100].max() > 2 * levels[:, :4].max()
