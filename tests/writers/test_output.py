import pytest
from pydantic import ValidationError

from boidsgen.writers.formats import WRITERS, Output


def test_every_key_has_a_default():
    """An empty table is a gif at 25 frames a second, for ever."""
    output = Output()

    assert (output.size, output.fps, output.format, output.loop, output.quality) == (None, 25, "gif", 0, "standard")


def test_every_format_can_be_chosen():
    """Every registered format is a value of the key."""
    assert [Output(format=name).format for name in WRITERS] == list(WRITERS)


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": "webm"},
        {"fps": 0},
        {"fps": float("nan")},
        {"fps": float("inf")},
        {"fps": 1001},
        {"loop": -1},
        {"loop": True},
        {"size": (0, 10)},
        {"quality": "best"},
        {"dither": 1},
    ],
    ids=str,
)
def test_wrong_values_are_refused(wrong):
    """Values outside the documented bounds, and unknown keys, are mistakes."""
    with pytest.raises(ValidationError):
        Output(**wrong)
