import numpy as np
import pytest

from boidsgen.studies.compare.layout import Headings, SheetLayout, automatic_columns


@pytest.mark.parametrize(
    ("count", "cell", "columns"),
    [(1, (400, 400), 1), (3, (400, 400), 3), (4, (400, 400), 2), (6, (400, 400), 3), (4, (640, 360), 2)],
)
def test_grids_suit_a_screen(count, cell, columns):
    """A grid has few holes and is about as wide as a screen."""
    assert automatic_columns(count, cell) == columns


def test_nothing_overlaps_and_nothing_is_cut_off():
    """Tiles do not touch each other, all lie within the picture, and so does all writing."""
    headings = Headings("A title", columns=("short", "a heading of more than one line"), rows=("first", "second row"))
    layout = SheetLayout([(80, 60), (70, 50), (80, 60)], headings, columns=2)
    covered = np.zeros(layout.size[::-1], int)

    for (left, top), (width, height) in zip(layout.corners, layout.sizes, strict=True):
        assert min(left, top) >= 1
        covered[top - 1 : top + height + 1, left - 1 : left + width + 1] += 1
    assert covered.max() == 1
    assert covered.sum() == sum((width + 2) * (height + 2) for width, height in layout.sizes)
    for text in layout.texts:
        assert 0 <= text.xy[0] <= layout.size[0]
        assert 0 <= text.xy[1] <= layout.size[1]
