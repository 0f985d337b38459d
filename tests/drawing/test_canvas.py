"""Ink on the canvas: colors, letters, lines and bodies, against plain scans of all pixels."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.drawing.canvas import Canvas, GlassCanvas, Surface, add_overlays
from boidsgen.drawing.frame import Palette, rgb
from boidsgen.drawing.shapes import (
    HEADINGS,
    QUARTER,
    SHAPES,
    SUBPIXELS,
    Part,
    Sprites,
    centered,
    clipped,
    first_quarter,
    mask,
    reach,
    strokes,
)
from boidsgen.drawing.text import height, lettering, lines, missing_letters, width

ROLES = {"low": "#204060", "high": "#ff8000"}


@pytest.fixture
def inks():
    return Palette("#101010", ROLES)


@pytest.mark.parametrize("count", [1, 2, 5, 17, 40, 200])
def test_entry_255_stays_free(count):
    """However many inks there are, the palette has at most 255 colors and every code lies in it."""
    inks = Palette("#000000", {f"{number}": "#ffffff" for number in range(count)})

    assert len(inks.colors) <= 255
    assert inks.codes.max() < len(inks.colors)


@pytest.mark.parametrize("role", ROLES)
def test_full_strength_is_the_exact_color(inks, role):
    """A fully covered pixel at full strength has the theme's own color."""
    code = inks.codes[inks.tone(inks.ink(role)) + 255]

    np.testing.assert_array_equal(inks.colors[code], rgb(ROLES[role]))


@pytest.mark.parametrize("xy", [(-50, -50), (200, 200), (0, 0), (99, 5), (50, 49)])
@pytest.mark.parametrize("anchor", [(0, 0), (0.5, 0.5), (1, 1)])
def test_text_is_kept_inside_the_picture(xy, anchor):
    """A text that would be cut off at an edge is moved inside."""
    inks = Palette("#000000", {"text": "#ffffff"})
    canvas = Canvas((100, 50), 10, inks)
    canvas.write("word", xy, inks.tone(0), 12, anchor)
    coverage, _ = lettering("word", 12)

    assert np.count_nonzero(canvas.picture()) == np.count_nonzero(inks.codes[inks.tone(0) + coverage])
    assert height(12) < 50


SIZE, MARGIN = (60, 40), 12


@pytest.mark.parametrize("kind", [Canvas, GlassCanvas])
def test_a_dot_is_a_line_without_length(inks, kind):
    """Pixels inside the picture, beside it and far from it, in several tones."""
    middle = np.array([(0.5, 0.5), (59.5, 39.5), (7.5, 21.5), (-3.5, 20.5), (60.5, 41.5), (900.5, 3.5), (8.5, -900.5)])
    tone, canvas, lines = (
        inks.tone(np.arange(7) % 2, np.linspace(0.2, 1.0, 7)),
        *(kind(SIZE, MARGIN, inks) for _ in "12"),
    )
    canvas.dot(middle, tone)
    Surface.dot(lines, middle, tone)

    assert np.count_nonzero(canvas.picture()) == 3
    np.testing.assert_array_equal(canvas.picture(), lines.picture())


def test_overlays_replace_a_lit_picture(inks):
    """Where a canvas of the lit look has anything, the picture gets its codes, and elsewhere it stays."""
    canvas, codes = GlassCanvas(SIZE, MARGIN, inks), np.full(SIZE[::-1], 700, np.uint16)
    canvas.stroke(np.array([(-5.0, 3.0), (10.0, 10.0)]), np.array([(20.0, 30.0), (50.0, 12.0)]), inks.tone(0, 0.7))
    canvas.fill(np.array([(30.0, 20.0), (40.0, 22.0), (33.0, 31.0)]), inks.tone(1))
    canvas.write("boids", (5.0, 20.0), inks.tone(0), 9)
    drawn = canvas.picture()
    levels = np.zeros(SIZE[::-1], np.uint8)
    add_overlays(codes, levels, *canvas.planes(), np.zeros(1, np.intp), SIZE[0], MARGIN, 1000, 0)

    assert drawn.any()
    np.testing.assert_array_equal(codes, np.where(drawn, drawn, np.uint16(700)))


@pytest.mark.parametrize("size", [10, 13, 24])
def test_nothing_of_a_letter_is_cut_off(size):
    """The rim round a text is empty: all letters, with all that hangs below, lie within."""
    coverage, _ = lettering("ÅjgpyŐẼ|§(Qçşģ", size)

    assert coverage.any()
    assert not coverage[0].any()
    assert not coverage[-1].any()
    assert not coverage[:, 0].any()
    assert not coverage[:, -1].any()


@pytest.mark.parametrize("room", [60, 100, 140, 180, 240, 300])
def test_lines_are_few_and_about_equally_long(room):
    """No way to break a text has fewer lines, and none with as few has a longest line that is shorter."""
    words = ["whoever", "the", "hunter", "comes", "near", "flies", "straight", "away", "from", "it"]
    ways = [
        [" ".join(words[begin:end]) for begin, end in pairwise((0, *breaks, len(words)))]
        for number in range(len(words))
        for breaks in combinations(range(1, len(words)), number)
    ]
    longest = {way: max(width(line, 12) for line in way) for way in map(tuple, ways)}
    fitting = [way for way, wide in longest.items() if wide <= room]
    few = min(map(len, fitting))
    broken = lines(" ".join(words), 12, room)

    assert len(broken) == few
    assert longest[broken] == min(longest[way] for way in fitting if len(way) == few)


@pytest.mark.parametrize("letter", "äöüßÄÖÜéèñçøåłžşαβγπΩжЯ²³×µ→←·…°€≤≥≈≠√\u2013\u2014\u2212")
def test_letters_of_other_languages_and_signs_are_there(letter):
    """Letters and signs that titles have are drawn as themselves, not as the box that stands for what a font lacks."""
    assert missing_letters(letter) == ""
    assert (lettering(letter, 24)[0] > 0).any()


PLACE = st.tuples(st.floats(2, 30), st.floats(2, 30))


def plain_line(start, end, width, size=33):
    """Coverage of every pixel from its middle's distance to the line."""
    way = np.subtract(end, start)
    offset = np.moveaxis(np.indices((size, size))[::-1], 0, -1) + 0.5 - start
    part = np.clip(offset @ way / max(way @ way, 1e-12), 0, 1)
    return np.clip(width / 2 + 0.5 - np.linalg.norm(offset - part[..., None] * way, axis=-1), 0, 1)


@given(PLACE, PLACE, st.sampled_from([1.0, 1.4, 2.5]))
def test_covers_what_lies_within_its_width(start, end, width):
    """A line covers each pixel as far as a plain scan of all pixels says."""
    trace = strokes(np.array([start]), np.array([end]), width, 33, 0)
    drawn = np.zeros((33, 33))
    np.maximum.at(drawn.reshape(-1), trace.flat, trace.coverage / 255)

    assert abs(drawn - plain_line(start, end, width)).max() <= 0.13


@given(st.tuples(*[st.floats(-50, 60)] * 2), st.tuples(*[st.floats(-50, 60)] * 2))
def test_clipping_keeps_exactly_what_is_inside(start, end):
    """The remainder lies within the rectangle, and every point of the line within the rectangle remains."""
    low, high = np.zeros(2), np.full(2, 10.0)
    begin, stop, inside = clipped(np.array([start]), np.array([end]), low, high)
    if inside[0]:
        assert (np.stack((begin, stop)) >= -1e-6).all()
        assert (np.stack((begin, stop)) <= 10 + 1e-6).all()
    points = np.linspace(start, end, 50)
    within = ((points > 1e-6) & (points < 10 - 1e-6)).all(axis=1)

    assert inside[0] or not within.any()


SHAPED = pytest.mark.parametrize("name", SHAPES)


def turned(outline, angle):
    """The outline at a heading, y downward, by the plain formulas."""
    return np.array(
        [(x * np.cos(angle) - y * np.sin(angle), -(x * np.sin(angle) + y * np.cos(angle))) for x, y in outline]
    )


def inside(outline, x, y):
    """True for points in a polygon: an odd number of edges to their right."""
    odd = np.zeros(x.shape, bool)
    for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        crosses = (ay > y) != (by > y)
        if ay != by:
            odd ^= crosses & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return odd


def plain_body(outline, half, cells=16):
    """Coverage of pixels by a polygon whose origin is the top left corner of the middle pixel, 0 to 1."""
    side = np.arange((2 * half + 1) * cells)
    x, y = np.meshgrid((side + 0.5) / cells - half, (side + 0.5) / cells - half)
    return inside(outline, x, y).reshape(2 * half + 1, cells, 2 * half + 1, cells).mean(axis=(1, 3))


def middle(coverage):
    """Center of mass from the top left corner of the middle pixel, (x, y)."""
    half = coverage.shape[0] // 2
    place = np.arange(len(coverage)) + 0.5 - half
    return np.array([coverage.sum(axis=0) @ place, coverage.sum(axis=1) @ place]) / coverage.sum()


def sprite_of(body, heading, place):
    """Coverage of pixels by an outline at a heading and sub-pixel place."""
    turns, first = divmod(heading, QUARTER)
    return mask(np.rot90(first_quarter([Part(1.0, body)], [first])[0], turns), place)


@SHAPED
@pytest.mark.parametrize("length", [6.0, 10.0, 14.0])
def test_body_stands_on_its_boid(name, length):
    """At every heading and sub-pixel place the middle of the body is within 0.15 pixels of the boid."""
    body = centered(SHAPES[name]().outline()) * length
    for heading, place in product(range(HEADINGS), range(SUBPIXELS**2)):
        coverage, (row, column) = sprite_of(body, heading, place).astype(float), divmod(place, SUBPIXELS)

        assert np.hypot(*(middle(coverage) - np.array([column, row]) / SUBPIXELS)) <= 0.15


@SHAPED
@pytest.mark.parametrize("heading", [0, 5, 16, 27, 40, 63])
def test_body_points_along_its_heading(name, heading):
    """A sprite is the outline turned to the heading, as a plain scan of every point shows it."""
    body = centered(SHAPES[name]().outline()) * 12.0
    drawn = sprite_of(body, heading, 0) / 255
    expected = plain_body(turned(body, 2 * np.pi * heading / HEADINGS), drawn.shape[0] // 2)

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
        begin = sprites.table.first[number]
        offset = sprites.table.offset[begin : begin + sprites.table.counts[number]]
        rows = np.rint(offset / stride)

        assert abs(rows).max() <= limit
        assert abs(offset - rows * stride).max() <= limit
