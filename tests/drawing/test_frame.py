import numpy as np
import pytest

from boidsgen.drawing.frame import Inks, rgb

ROLES = {"low": "#204060", "high": "#ff8000"}


@pytest.fixture
def inks():
    return Inks("#101010", ROLES)


@pytest.mark.parametrize("count", [1, 2, 5, 17, 40, 200])
def test_entry_255_stays_free(count):
    """However many inks there are, the palette has at most 255 colors and every code lies in it."""
    inks = Inks("#000000", {f"{number}": "#ffffff" for number in range(count)})

    assert len(inks.colors) <= 255
    assert inks.codes.max() < len(inks.colors)


@pytest.mark.parametrize("role", ROLES)
def test_full_strength_is_the_exact_color(inks, role):
    """A fully covered pixel at full strength has the theme's own color."""
    code = inks.codes[inks.tone(inks.ink(role)) + 255]

    np.testing.assert_array_equal(inks.colors[code], rgb(ROLES[role]))
