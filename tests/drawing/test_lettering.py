from itertools import combinations, pairwise

import pytest

from boidsgen.drawing.text import lettering, lines, missing, width


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
    """What a title may well hold is drawn as itself, not as the box that stands for what a font lacks."""
    assert missing(letter) == ""
    assert (lettering(letter, 24)[0] > 0).any()
