import pytest

from boidsgen.drawing.lettering import lettering, lines, width


@pytest.mark.parametrize("size", [10, 13, 24])
def test_nothing_of_a_letter_is_cut_off(size):
    """The rim round a text is empty: all letters, with all that hangs below, lie within."""
    coverage, _ = lettering("Åjgpy|§(Q", size)

    assert coverage.any()
    assert not coverage[0].any()
    assert not coverage[-1].any()
    assert not coverage[:, 0].any()
    assert not coverage[:, -1].any()


def test_digits_are_equally_wide():
    """A number keeps its width whatever its digits are."""
    assert len({width(digit * 4, 13) for digit in "0123456789"}) == 1


def test_long_text_is_broken_between_words():
    """No line is wider than the room, and no word is lost."""
    text = "every boid keeps its distance, matches velocity and stays close"
    broken = lines(text, 12, 120)

    assert len(broken) > 1
    assert " ".join(broken) == text
    assert max(width(line, 12) for line in broken) <= 120
