import numpy as np
import pytest

from boidsgen.drawing.shapes import SHAPES, centered
from boidsgen.drawing.sprites import HEADINGS, SUBPIXELS, Sprites, masks, reach

SHAPED = pytest.mark.parametrize("name", SHAPES)


def turned(outline, angle):
    """The outline at a heading, y downward, by the plain formulas."""
    return np.array(
        [(x * np.cos(angle) - y * np.sin(angle), -(x * np.sin(angle) + y * np.cos(angle))) for x, y in outline]
    )


def inside(outline, x, y):
    """Whether points lie in a polygon: an odd number of edges to their right."""
    odd = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        crosses = (ay > y) != (by > y)
        if ay != by:
            odd ^= crosses & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return odd


def plainly_drawn(outline, half, cells=16):
    """Coverage of pixels by a polygon whose origin is the top left corner of the middle pixel, 0 to 1."""
    side = np.arange((2 * half + 1) * cells)
    x, y = np.meshgrid((side + 0.5) / cells - half, (side + 0.5) / cells - half)
    return inside(outline, x, y).reshape(2 * half + 1, cells, 2 * half + 1, cells).mean(axis=(1, 3))


def middle(coverage):
    """Center of mass from the top left corner of the middle pixel, (x, y)."""
    half = coverage.shape[0] // 2
    place = np.arange(len(coverage)) + 0.5 - half
    return np.array([coverage.sum(axis=0) @ place, coverage.sum(axis=1) @ place]) / coverage.sum()


@SHAPED
@pytest.mark.parametrize("length", [6.0, 10.0, 14.0])
def test_body_stands_on_its_boid(name, length):
    """At every heading and sub-pixel place the middle of the body is within 0.15 pixels of the boid."""
    body = centered(SHAPES[name]().outline()) * length
    for number, coverage in enumerate(masks(body).astype(float)):
        row, column = divmod(number % SUBPIXELS**2, SUBPIXELS)

        assert np.hypot(*(middle(coverage) - np.array([column, row]) / SUBPIXELS)) <= 0.15


@SHAPED
@pytest.mark.parametrize("heading", [0, 5, 16, 27, 40, 63])
def test_body_points_along_its_heading(name, heading):
    """A sprite is the outline turned to the heading, as a plain scan of every point shows it."""
    body = centered(SHAPES[name]().outline()) * 12.0
    drawn = masks(body)[heading * SUBPIXELS**2] / 255
    expected = plainly_drawn(turned(body, 2 * np.pi * heading / HEADINGS), drawn.shape[0] // 2)

    assert abs(drawn - expected).max() <= 0.2
    assert abs(drawn - expected).mean() <= 0.01


@SHAPED
def test_no_sprite_is_larger_than_promised(name):
    """Every pixel of the largest sprite lies within the reach that canvases rely on."""
    shape, stride = SHAPES[name](), 1000
    sprites = Sprites(shape, 12.0, 2.0, stride)
    numbers = sprites.number(np.zeros((64, 2)), np.linspace(0, 6.28, 64), np.full(64, 99.0), np.ones(64))
    limit = reach(shape, 12.0, 2.0)
    for number in numbers:
        begin = sprites.first[number]
        offset = sprites.offset[begin : begin + sprites.count[number]]
        rows = np.rint(offset / stride)

        assert abs(rows).max() <= limit
        assert abs(offset - rows * stride).max() <= limit
