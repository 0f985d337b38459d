import pytest

from boidsgen.cli.terminal import clock, line

LINES = [
    ((0, 240, 0.0), "x [                        ] 0/240 frames"),
    ((120, 240, 60.0), "x [############            ] 120/240 frames, 2.0 frames/s, 1:00 left"),
    ((240, 240, 10.0), "x [########################] 240/240 frames, 24.0 frames/s, 0:00 left"),
]


@pytest.mark.parametrize(("state", "text"), LINES)
def test_progress_line(state, text):
    """Frames done, rate and time left."""
    assert line("x", *state) == text


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (61, "1:01"), (3725, "1:02:05")])
def test_clock(seconds, text):
    """Minutes and seconds, and hours where there are any."""
    assert clock(seconds) == text
