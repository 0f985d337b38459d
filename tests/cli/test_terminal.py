import io
import os
import struct
import subprocess
import sys
from collections import deque
from itertools import product

import pytest

from boidsgen.cli import terminal
from boidsgen.cli.terminal import Bar, clock, columns, line
from tests.systems import posix, posix_module

fcntl, pty, termios = posix_module("fcntl"), posix_module("pty"), posix_module("termios")

LINES = [
    ((0, 240, 0.0), "x [                        ] 0/240 frames"),
    ((120, 240, 60.0), "x [############            ] 120/240 frames, 2.0 frames/s, 1:00 left"),
    ((240, 240, 10.0), "x [########################] 240/240 frames, 24.0 frames/s, 0:00 left"),
]


@pytest.mark.parametrize(("state", "text"), LINES)
def test_progress_line(state, text):
    """Frames done, rate and time left."""
    assert line("x", *state) == text


NARROW = [
    (79, "murmuration [##########              ] 250/600 frames, 10.0 frames/s, 0:35 left"),
    (65, "murmuration [##########              ] 250/600 frames, 0:35 left"),
    (53, "murmuration [#####       ] 250/600 frames, 0:35 left"),
    (39, "murmuration 250/600 frames, 0:35 left"),
    (36, "murmuratio 250/600 frames, 0:35 left"),
    (26, "250/600 frames, 0:35 left"),
    (12, "250/600"),
    (5, "41%"),
]


@pytest.mark.parametrize(("room", "text"), NARROW)
def test_progress_line_of_a_narrow_terminal(room, text):
    """What matters least goes first: the bar becomes shorter, the rate goes, the bar, the name, the time left."""
    assert line("murmuration", 250, 600, 25.0, room=room) == text


class Screen:
    """A terminal of so many columns that wraps, as a stream; it knows no codes."""

    def __init__(self, width, encoding):
        self.width, self.encoding, self.cells, self.at = width, encoding, {}, 0
        self.wrapped = self.moved = False

    def fileno(self):
        """None: its width is in the environment."""
        raise OSError

    def flush(self):
        """Everything is there at once."""

    def write(self, text):
        """Put letters where the cursor is."""
        text.encode(self.encoding)
        for letter in text:
            self.at = 0 if letter == "\r" else self.at + columns(letter)
            self.wrapped |= self.at >= self.width
            self.moved |= not letter.isprintable() and letter != "\r"
            self.cells[self.at] = letter

    @property
    def text(self):
        """What is to be read."""
        return "".join(self.cells[at] for at in sorted(self.cells)).strip("\r ")


PAGES = ("utf-8", "ascii", "cp437", "cp1252")
NAMES = ["x", "a very long name " * 12, "鳥の群れ" * 25, "two\nlines\r\x1b[2J\t", "Vögel Стая " * 5, "\udcff"]


@pytest.mark.parametrize(("name", "encoding"), [*product(NAMES, PAGES)], ids=ascii)
def test_bar_keeps_one_line_at_every_width(name, encoding, monkeypatch):
    """From 1 to 200 columns nothing wraps, something is told, and at the end nothing stays."""
    for width in range(2, 201):
        monkeypatch.setenv("COLUMNS", str(width))
        screen = Screen(width, encoding)
        bar = Bar(screen, name, 123_456)
        for done in (1, 61_728, 123_456):
            bar._known = deque((when - 4000, before) for when, before in bar._known)  # it takes long
            bar._drawn = 0.0
            bar(done)

            assert screen.text or width < 6
        bar.erase()

        assert not screen.wrapped
        assert not screen.moved
        assert screen.text == ""


def test_bar_of_a_terminal_that_becomes_narrower(monkeypatch):
    """What stood there before does not make the next line wrap."""
    monkeypatch.setenv("COLUMNS", "200")
    screen = Screen(40, "utf-8")
    bar = Bar(screen, "x", 10)
    monkeypatch.setenv("COLUMNS", "40")
    screen.wrapped, bar._drawn = False, 0.0
    bar(5)

    assert not screen.wrapped


SHOWING = """
import sys, time
from boidsgen.cli.terminal import watched
with watched("murmuration of three thousand", 600, quiet=False) as bar:
    time.sleep(0.11)
    bar(250)
"""


@posix
@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_bar_asks_its_own_terminal(width):
    """Standard output may be a file: the width is that of the terminal on which the bar stands."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    subprocess.run(
        [sys.executable, "-c", SHOWING], stdout=subprocess.DEVNULL, stderr=theirs, env=environment, check=True
    )
    os.close(theirs)
    seen = os.read(ours, 4096).decode()
    os.close(ours)
    longest = max(map(len, seen.split("\r")))

    assert min(width, 100) // 2 < longest < width


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
