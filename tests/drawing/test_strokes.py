import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.drawing.strokes import alike, clipped, strokes

PLACE = st.tuples(st.floats(2, 30), st.floats(2, 30))


def plainly_drawn(start, end, width, size=33):
    """Coverage of every pixel from its middle's distance to the line."""
    coverage = np.zeros((size, size))
    way = np.subtract(end, start)
    for row in range(size):
        for column in range(size):
            offset = np.array([column + 0.5, row + 0.5]) - start
            part = np.clip(offset @ way / max(way @ way, 1e-12), 0, 1)
            coverage[row, column] = np.clip(width / 2 + 0.5 - np.hypot(*(offset - part * way)), 0, 1)
    return coverage


@given(PLACE, PLACE, st.sampled_from([1.0, 1.4, 2.5]))
def test_covers_what_lies_within_its_width(start, end, width):
    """A line covers each pixel as far as a plain scan of all pixels says."""
    trace = strokes(np.array([start]), np.array([end]), alike(width), 33, 0)
    drawn = np.zeros((33, 33))
    np.maximum.at(drawn.reshape(-1), trace.flat, trace.coverage / 255)

    assert abs(drawn - plainly_drawn(start, end, width)).max() <= 0.13


@given(st.tuples(*[st.floats(-50, 60)] * 2), st.tuples(*[st.floats(-50, 60)] * 2))
def test_clipping_keeps_exactly_what_is_inside(start, end):
    """What remains lies within the rectangle, and every point of the line within the rectangle remains."""
    low, high = np.zeros(2), np.full(2, 10.0)
    begin, stop, inside = clipped(np.array([start]), np.array([end]), low, high)
    if inside[0]:
        assert (np.stack((begin, stop)) >= -1e-6).all()
        assert (np.stack((begin, stop)) <= 10 + 1e-6).all()
    points = np.linspace(start, end, 50)
    within = ((points > 1e-6) & (points < 10 - 1e-6)).all(axis=1)

    assert inside[0] or not within.any()
