"""The search for the best clip that fits, and sizes of files with units."""

import pytest

from boidsgen.errors import LimitError, ScenarioError
from boidsgen.output.fitting import MIN_FPS, MIN_SIDE, Reduction, Wanted, best_reduction
from boidsgen.output.pictures import LOSSES
from tests.scenario.loaded import loaded

SIZE, FPS, LARGEST = (640, 360), 25.0, 5_000_000


def bytes_of(form):
    """Bytes of a gif that go with its width and its rate, and a few in any form."""
    return 2_000 + 100 * form.size[0] // form.every


@pytest.mark.parametrize("power", [1.0, 1.6, 2.0])
@pytest.mark.parametrize("allowed", [0.999, 0.5, 0.3, 0.1, 0.09])
def test_the_best_reduction_uses_what_is_allowed(allowed, power):
    """Unless frames must go, at least nine tenths of the bytes are used, and few clips are made to find the size."""
    tried, most = [], round(allowed * LARGEST)

    def size_of(form):
        return LARGEST * (form.size[0] / 640) ** power // form.every

    wanted = Wanted(most, SIZE, FPS, ["gif"])
    best = best_reduction(wanted, lambda form: tried.append(form) or size_of(form))
    fitting = [form for form in tried if size_of(form) <= most]
    assert best == fitting[-1] == max(fitting)
    assert best.every == 1 or size_of(Reduction((160, 90))) > most
    assert size_of(best) >= 0.9 * most or best.size[0] < 160 + 2 or best.every > 1
    assert len({*tried}) <= 8


@pytest.mark.parametrize("doubling", [2.0, 5.0, 9.0])
@pytest.mark.parametrize("allowed", [0.9, 0.5, 0.2, 0.1, 0.03])
def test_detail_goes_before_size(allowed, doubling):
    """At full size the least loss that fits is found, or one next to it; only then the picture becomes smaller."""
    tried, most = [], round(allowed * LARGEST)

    def size_of(form):
        return LARGEST * (form.size[0] / 640) ** 1.5 * 2 ** (-form.loss / doubling) // form.every

    best = best_reduction(Wanted(most, SIZE, FPS, ["mp4"]), lambda form: tried.append(form) or size_of(form))
    assert best == [form for form in tried if size_of(form) <= most][-1]
    assert all(side % 2 == 0 for form in tried for side in form.size)
    assert len(tried) <= 9
    if size_of(Reduction(SIZE, loss=LOSSES)) <= most:
        assert best.size == SIZE
        assert size_of(best) >= 0.9 * most or size_of(best._replace(loss=best.loss - 1)) > most
    else:
        assert best.loss == LOSSES
        assert best.every > 1 or size_of(best) >= 0.85 * most


def test_a_lossy_form_that_is_larger_than_the_exact_one_is_no_obstacle():
    """A flat picture may take fewer bytes without loss than with a little."""
    sizes = {0: 100, **{loss: 200 - 9 * loss for loss in range(1, LOSSES + 1)}}

    best = best_reduction(Wanted(70, SIZE, FPS, ["webp"]), lambda form: sizes[form.loss])
    assert (best.size, best.every) == (SIZE, 1)
    assert sizes[best.loss] >= 0.9 * 70 or sizes[best.loss - 1] > 70


def test_what_cannot_fit_is_refused():
    """The line tells what the smallest form takes."""
    with pytest.raises(LimitError, match="the gif still has 7,333"):
        best_reduction(Wanted(5000, SIZE, FPS, ["gif"]), bytes_of)


@pytest.mark.parametrize("kind", ["gif", "mp4"])
@pytest.mark.parametrize(("size", "fps"), [((640, 360), 50.0), ((60, 50), 25.0), ((400, 400), 9.0), ((8, 6), 1.0)])
def test_no_form_is_useless(size, fps, kind):
    """The smallest have sides and rates with which something can be seen, and sides that the format takes."""
    found = Wanted(1, size, fps, [kind]).smallest

    assert all(min(form.size) >= MIN_SIDE or form.size == size for form in found)
    assert kind == "gif" or all(side % 2 == 0 for form in found for side in form.size)
    assert [form.every for form in found] == [every for every in (1, 2, 3) if every == 1 or fps / every >= MIN_FPS]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("5000000", 5_000_000),
        ("10 MB", 10**7),
        ("1.5MB", 1_500_000),
        ("64 KiB", 65536),
        ("2 GiB", 2**31),
        ("1 kB", 1000),
    ],
)
def test_sizes_have_units(written, expected):
    """Decimal and binary ones, with or without a space; a number is one of bytes."""
    assert loaded("", f"output.max_bytes={written}").output.max_bytes == expected


@pytest.mark.parametrize("written", ["10 M", "ten MB", "-1 MB", "0", "0 MB", "0.4 B", "1e3 MB", "1 MB!", "1,5 MB"])
def test_other_sizes_are_refused(written):
    """A unit that is none, a comma, and less than a byte."""
    with pytest.raises(ScenarioError, match=r"output\.max_bytes"):
        loaded("", f"output.max_bytes={written}")
