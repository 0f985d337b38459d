"""Where things stand in the picture."""

import pytest

from boidsgen.drawing.layout import stage_size, widened


def test_proportions_are_those_of_the_lesson():
    """A play area of 768 by 480 gets a panel of 320; both ways of counting agree."""
    assert widened((768, 480)) == (1088, 480)
    assert stage_size((1088, 480)) == (768, 480)


@pytest.mark.parametrize("world", [(400, 400), (640, 360), (120, 80), (300, 400)])
def test_world_keeps_its_size_beside_the_panel(world):
    """The picture is widened by the panel, to an even width where the world's is even."""
    picture = widened(world)

    assert stage_size(picture) == world
    assert picture[0] % 2 == world[0] % 2
