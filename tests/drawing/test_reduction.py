import numpy as np
import pytest

from boidsgen.drawing.frame import Frame, light_of, numbers_of
from boidsgen.drawing.quantization import SIDE, Quantizer, grain, representatives, thresholds


def gradient(size=(128, 96)):
    """A picture in many colors that run into each other."""
    x, y = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    index = (y * size[0] + x).astype(np.uint16)
    palette = np.stack((2 * x, 2 * y, (x + y) // 2), axis=2).reshape(-1, 3).clip(0, 255).astype(np.uint8)
    return Frame(index, palette)


def reduction(frame):
    return Quantizer(frame.palette, np.bincount(frame.index.reshape(-1), minlength=len(frame.palette)))


def test_every_threshold_occurs_equally_often():
    """Each of the thresholds stands once in the pattern, so that a share of pixels is that share."""
    pattern = thresholds((SIDE, SIDE))

    np.testing.assert_allclose(np.sort(pattern.ravel()), (np.arange(SIDE**2) + 0.5) / SIDE**2)
    assert np.bincount(grain((SIDE, SIDE), 8).ravel()).tolist() == [SIDE**2 // 8] * 8


def test_equal_thresholds_keep_clear_of_each_other():
    """The first tenth of the pixels to turn on lie farther apart than pixels by chance, across the edges as well."""

    def nearest(on):
        place = np.argwhere(on)
        offset = abs(place[:, None] - place)
        apart = np.hypot(*np.moveaxis(np.minimum(offset, SIDE - offset), 2, 0))
        np.fill_diagonal(apart, np.inf)
        return apart.min(axis=1).mean()

    chance = np.random.default_rng(0).permutation(SIDE**2).reshape(SIDE, SIDE) < SIDE**2 // 10
    assert nearest(thresholds((SIDE, SIDE)) < 0.1) > 1.3 * nearest(chance)


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
