"""Terminal: results on standard output, everything else on standard error, and the bar that shows progress.

A reader that has seen enough (`| head`) is no reason to stop: files are still written, and no error is reported.

  result(line), note(line)  one line on standard output, on standard error
  kept_for_results()        for the time of a block standard output is for results alone
  record(entries)           one line of JSON
  json_text(value)          JSON that the console can show
  watched(name, total)      a progress bar for the time of a block
"""

import errno
import json
import os
import shutil
import stat
import sys
import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from itertools import accumulate
from typing import TextIO

from boidsgen import system
from boidsgen.errors import StorageError


def result(line: str) -> None:
    """One line on standard output.

    Raises:
        StorageError: when it cannot be written, as on a full disk.
    """
    stream = standard_output()
    try:
        _write(stream, line)
    except OSError as error:
        if stream is not None:
            _silence(stream)
        raise StorageError(f"standard output: {error.strerror}") from error


_kept: list[TextIO] = []
"""Standard output, while what is printed goes elsewhere."""


@contextmanager
def kept_for_results() -> Iterator[None]:
    """Within it only `result` writes to standard output; what code of others prints goes to standard error."""
    if sys.stdout is None:  # closed by the caller
        yield
        return
    _kept.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr or StringIO()):
            yield
    finally:
        _kept.pop()


def standard_output() -> TextIO | None:
    """The stream of results; None where the caller has closed it."""
    return _kept[-1] if _kept else sys.stdout


def note(line: str) -> None:
    """One line on standard error; a failure to write it is ignored."""
    try:
        _write(sys.stderr, line)
    except OSError:
        _silence(sys.stderr)


def record(**entries: object) -> str:
    """One line of JSON."""
    return json_text(entries)


def json_text(value: object, *, indent: int | None = None, allow_nan: bool = True) -> str:
    """JSON, in ASCII where standard output lacks letters: JSON has escapes of its own."""
    stream = standard_output()
    ascii_alone = stream is None or stream.encoding.lower() != "utf-8"
    return json.dumps(value, ensure_ascii=ascii_alone, allow_nan=allow_nan, indent=indent)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal."""
    return stream is not None and stream.isatty()


def _write(stream: TextIO | None, line: str) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except OSError as error:
        if not _nobody_listens(stream, error):
            raise
        _silence(stream)


def _nobody_listens(stream: TextIO, error: OSError) -> bool:
    """Whether the reader has gone: of a pipe, or a terminal that was closed; to a disk the same error is a fault."""
    device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
    return system.nobody_reads(error) or (error.errno == errno.EIO and device)


def _silence(stream: TextIO) -> None:
    """Send the rest to the null device: otherwise the interpreter complains at exit about what is still buffered."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


WIDTHS = (24, 12)
"""Columns of the bar where there is room, and where there is less."""
MIN_NAME = 8
"""Columns of a name below which it tells nobody anything."""
USUAL_COLUMNS = 80
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
    """A progress bar on a terminal; call it with the number of units done. Where the terminal is gone it is silent."""

    def __init__(self, stream: TextIO, name: str, total: int, unit: str = "frames") -> None:
        self._stream = stream
        self._name = one_line(name, stream.encoding or "utf-8")
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
        self._show(f"\r{' ' * self._width}\r")

    def _show(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:  # the work matters more than its bar
            _silence(self._stream)

    def _draw(self, done: int) -> None:
        self._drawn = time.monotonic()
        room = max(terminal_columns(self._stream) - 1, 1)
        text = line(self._name, done, self._total, self._spent(done), self._unit, room)
        width = columns(text)
        # Not every console knows codes for erasing; one that has become narrower would wrap what is erased.
        self._show(f"\r{text}{' ' * (min(self._width, room) - width)}")
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


def terminal_columns(stream: TextIO) -> int:
    """How wide the terminal is; `shutil` alone would ask standard output, which may be a file."""
    with suppress(OSError, ValueError):
        if found := os.get_terminal_size(stream.fileno()).columns:
            return found
    return shutil.get_terminal_size((USUAL_COLUMNS, 24)).columns


def columns(text: str) -> int:
    """How many columns of a terminal a text takes at most; letters of Asia take two, ambiguous ones do so there."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WFA" else 1 for letter in text)


def one_line(text: str, encoding: str) -> str:
    """The text without letters that the console lacks, and without those that would move its cursor."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def line(name: str, done: int, total: int, seconds: float, unit: str = "frames", room: int = USUAL_COLUMNS) -> str:
    """The bar as text, after so many seconds: the fullest form that fits, since what wraps cannot be drawn over."""
    return next((form for form in _forms(name, done, total, seconds, unit, room) if columns(form) <= room), "")


def _forms(name: str, done: int, total: int, seconds: float, unit: str, room: int) -> Iterator[str]:
    """From all that there is to say to a percentage."""
    rate, left = _speed(done, total, seconds, unit)
    count = f"{done}/{total}"
    for width in WIDTHS:
        bar = f"[{'#' * (width * done // total):<{width}}]"
        yield f"{name} {bar} {count} {unit}{rate}{left}"
        yield f"{name} {bar} {count} {unit}{left}"
    yield f"{name} {count} {unit}{left}"
    for rest in (f"{count} {unit}{left}", f"{count}{left}", count):
        if room - len(rest) > MIN_NAME:
            yield f"{_beginning(name, room - len(rest) - 1)} {rest}"
        yield rest
    yield f"{100 * done // total}%"


def _speed(done: int, total: int, seconds: float, unit: str) -> tuple[str, str]:
    """The rate and the time left, each as it goes on after what stands before it."""
    if not done or seconds <= 0:
        return "", ""
    rate = done / seconds
    return f", {rate:.1f} {unit}/s", f", {clock((total - done) / rate)} left"


def _beginning(text: str, room: int) -> str:
    """As much of a text as fits."""
    ends = accumulate(columns(letter) for letter in text)
    return text[: sum(end <= room for end in ends)]


def clock(seconds: float) -> str:
    """A span of time as minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
