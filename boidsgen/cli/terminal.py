"""Terminal: results on standard output, everything else on standard error, and the bar that shows progress.

A reader that has seen enough (`| head`) is no reason to stop: files are still written, and no error is reported.

  result(line), note(line)  one line on standard output, on standard error
  record(entries)           one line of JSON
  watched(name, total)      a progress bar for the time of a block
"""

import json
import os
import shutil
import sys
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from boidsgen.errors import StorageError


def result(line: str) -> None:
    """One line on standard output.

    Raises:
        StorageError: when it cannot be written, as on a full disk.
    """
    try:
        _write(sys.stdout, line)
    except OSError as error:
        _silence(sys.stdout)
        raise StorageError(f"standard output: {error.strerror}") from error


def note(line: str) -> None:
    """One line on standard error; a failure to write it is ignored."""
    try:
        _write(sys.stderr, line)
    except OSError:
        _silence(sys.stderr)


def record(**entries: object) -> str:
    """One line of JSON, in ASCII where standard output lacks letters: JSON has escapes of its own."""
    return json.dumps(entries, ensure_ascii=sys.stdout is None or sys.stdout.encoding.lower() != "utf-8")


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a stream is a terminal."""
    return stream is not None and stream.isatty()


def _write(stream: IO[str] | None, line: str) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except BrokenPipeError:
        _silence(stream)


def _silence(stream: IO[str]) -> None:
    """Send the rest to the null device: otherwise the interpreter complains at exit about what is still buffered."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


WIDTH = 24
_INTERVAL = 0.1
_MEMORY = 10.0
"""Seconds that the rate is taken over: what came before the first unit, such as warm-up, says nothing about the rest,
and a run may become faster on the way."""


@contextmanager
def watched(name: str, total: int, *, quiet: bool, unit: str = "frames") -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, if that is a terminal, unless `quiet`; erased when the block ends."""
    if quiet or not is_terminal(sys.stderr):
        yield None
        return
    bar = Bar(sys.stderr, name, total, unit)
    try:
        yield bar
    finally:
        bar.erase()


class Bar:
    """A progress bar on a terminal; call it with the number of units done."""

    def __init__(self, stream: IO[str], name: str, total: int, unit: str = "frames") -> None:
        self._stream = stream
        self._name = name
        self._total = total
        self._unit = unit
        self._known: deque[tuple[float, int]] = deque()
        self._drawn = 0.0
        self._width = 0
        self._draw(0)

    def __call__(self, done: int) -> None:
        """Show the number of units done; at most ten times a second."""
        if not self._known:
            self._known.append((time.monotonic(), done))
        if time.monotonic() - self._drawn >= _INTERVAL:
            self._draw(done)

    def erase(self) -> None:
        """Leave the terminal as it was."""
        self._stream.write(f"\r{' ' * self._width}\r")
        self._stream.flush()

    def _draw(self, done: int) -> None:
        self._drawn = time.monotonic()
        text = line(self._name, done, self._total, self._spent(done), self._unit)
        text = _fitting(text, max(shutil.get_terminal_size().columns - 1, 1))
        width = columns(text)
        self._stream.write(f"\r{text}{' ' * (self._width - width)}")  # not every console knows codes for erasing
        self._stream.flush()
        self._width = width

    def _spent(self, done: int) -> float:
        """Seconds that all units done would have taken at the present rate; 0 while that is not known."""
        if not self._known:
            return 0.0
        self._known.append((self._drawn, done))
        while len(self._known) > 2 and self._drawn - self._known[1][0] >= _MEMORY:
            self._known.popleft()
        since, before = self._known[0]
        return done * (self._drawn - since) / (done - before) if done > before else 0.0


def columns(text: str) -> int:
    """How many columns of a terminal a text takes; Chinese and Japanese characters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _fitting(text: str, room: int) -> str:
    """The beginning of a text that takes so many columns at most: a line that wraps could not be drawn over."""
    encoding = sys.stderr.encoding or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    while columns(text) > room:
        text = text[:-1]
    return text


def line(name: str, done: int, total: int, seconds: float, unit: str = "frames") -> str:
    """The bar as text, after so many seconds."""
    filled = "#" * (WIDTH * done // total)
    counted = f"{name} [{filled:<{WIDTH}}] {done}/{total} {unit}"
    if not done or seconds <= 0:
        return counted
    rate = done / seconds
    return f"{counted}, {rate:.1f} {unit}/s, {clock((total - done) / rate)} left"


def clock(seconds: float) -> str:
    """A span of time as minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
