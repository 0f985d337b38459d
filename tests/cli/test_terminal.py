import io

import pytest

from boidsgen.cli import terminal
from boidsgen.cli.terminal import Bar, clock, line

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


def shown(monkeypatch, times):
    """What a bar of a hundred units says last, when so many are done at these seconds."""
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    bar = Bar(stream, "x", 100)
    for done, now[0] in enumerate(times, start=1):
        bar(done)
    return stream.getvalue().split("\r")[-1]


def test_warmup_says_nothing_about_frames(monkeypatch):
    """A minute before the first frame does not make the others longer."""
    assert "2.0 frames/s, 0:40 left" in shown(monkeypatch, [60 + number / 2 for number in range(20)])


def test_a_run_that_becomes_faster(monkeypatch):
    """Ten seconds after a change the rate is the new one."""
    slow, fast = range(1, 21), [20 + number / 4 for number in range(1, 61)]

    assert "4.0 frames/s, 0:05 left" in shown(monkeypatch, [*slow, *fast])
