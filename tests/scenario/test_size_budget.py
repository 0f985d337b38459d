"""The form of a clip that has to stay within a number of bytes."""

import pytest

from boidsgen.errors import LimitError
from boidsgen.scenario.size_budget import MIN_FPS, MIN_SIDE, Reduction, best_reduction, reductions_of
from tests.scenario.loaded import loaded

SIZE, FPS = (640, 360), 25.0


def bytes_of(form):
    """A gif whose bytes go with its width and its rate, and that has a few in any form."""
    return 2_000 + 100 * form.size[0] // form.every


@pytest.mark.parametrize("allowed", [66_000, 65_999, 40_000, 20_000, 15_000])
def test_the_best_reduction_that_fits(allowed):
    """Of all that fit it is the one with the most bytes, and it takes few clips to find it."""
    tried = []
    scenario = loaded("", f"output.max_bytes={allowed}", "output.size=[640, 360]")
    best = best_reduction(scenario, lambda form: tried.append(form) or bytes_of(form))

    assert bytes_of(best) == max(bytes_of(form) for form in reductions_of(SIZE, FPS) if bytes_of(form) <= allowed)
    assert len(tried) <= 6


def test_a_clip_that_fits_stays_as_it_is():
    """One clip is made to see that; without the key none."""
    scenario = loaded("", "output.size=[640, 360]")
    assert best_reduction(scenario, None) == Reduction(SIZE)
    assert best_reduction(loaded("", "output.max_bytes=66000", "output.size=[640, 360]"), bytes_of) == Reduction(SIZE)


def test_what_cannot_be_is_refused_in_one_line():
    """With what the least form takes, so that one knows how far off the wish is."""
    with pytest.raises(LimitError) as refused:
        best_reduction(loaded("", "output.max_bytes=5000", "output.size=[640, 360]"), bytes_of)

    assert "still has 7,333" in str(refused.value)


@pytest.mark.parametrize(("size", "fps"), [((640, 360), 50.0), ((60, 50), 25.0), ((400, 400), 9.0), ((7, 5), 1.0)])
def test_no_form_is_useless(size, fps):
    """The first leaves all as it is; the others have sides and rates with which something can be seen."""
    first, *others = reductions_of(size, fps)

    assert first == Reduction(size)
    assert all(min(form.size) >= MIN_SIDE or form.size == size for form in others)
    assert all(fps / form.every >= MIN_FPS for form in others if form.every > 1)
    assert len({*others}) == len(others)
