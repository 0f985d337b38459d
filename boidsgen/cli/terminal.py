"""Results on standard output, everything else on standard error, and a progress bar on a terminal.

A reader that has gone (`| head`) is no failure: files are still written. Only progress bars are drawn by rich, and only
on a terminal: it takes a while to import, and would read markup in messages and paths.
"""

import errno
import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, TextIO

from boidsgen import system
from boidsgen.errors import BoidsgenError, LimitError, StorageError, printable

DASH = "-"
"""Standard output as the name of an output; here too because `--help` must not wait for the package that writes."""
INTERVAL = 0.1  # Seconds between two drawings of a progress bar

NO_MEMORY = ("failed to map segment", "annot allocate memory")
"""Parts of the message of a failed import where there is no memory for a library."""

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_results: list[TextIO] = []  # Standard output, while what is printed goes to standard error


@contextmanager
def stdout_guard() -> Iterator[None]:
    """Within it only `result` writes to standard output; what rules of other packages print goes to standard error."""
    if sys.stdout is None:  # closed by the caller
        yield
        return
    _results.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr or StringIO()):
            yield
    finally:
        _results.pop()


def standard_output() -> TextIO | None:
    """The stream of results; None where the caller has closed it."""
    return _results[-1] if _results else sys.stdout


def escaped(line: str) -> str:
    """A line without what a terminal would obey: controls, and marks that turn the direction of letters."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", line)


def result(line: str) -> None:
    """Print a line on standard output; StorageError if it cannot be written, as on a full disk."""
    exact(escaped(line))


def exact(line: str) -> None:
    """The same with every character as it is, unless standard output is a terminal: for names and documents."""
    stream = standard_output()
    try:
        _write(stream, escaped(line) if is_terminal(stream) else line)
    except OSError as error:
        _silence(stream)
        raise StorageError(f"standard output: {error.strerror}") from error


def warn(line: str) -> None:
    """Print a line on standard error; a failure to write it is ignored."""
    try:
        _write(sys.stderr, escaped(line))
    except OSError:
        _silence(sys.stderr)


def notice(line: str) -> None:
    """Print a line on standard error that begins with the name of the program."""
    warn(f"boidsgen: {line}")


def json_text(value: object, *, indent: int | None = None, allow_nan: bool = True) -> str:
    """JSON, in ASCII unless standard output is UTF-8."""
    stream = standard_output()
    ascii_only = stream is None or stream.encoding.lower() != "utf-8"
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=allow_nan, indent=indent)


def failure(message: str, code: int, *, as_json: bool, plain: bool = False) -> int:
    """Print why a command failed and return its exit code; `plain` lines have no name of the program in front."""
    if as_json:
        warn(json_text({"error": message, "exit_code": code}))
        return code
    for line in message.split("\n"):
        (warn if plain else notice)(line)
    return code


def user_error(error: BaseException) -> BoidsgenError | None:
    """The error in words for the user where user, machine or a package are at fault; None for a bug."""
    limit = system.limit_met(OSError(errno.ENOMEM, ""))
    match error:
        case BoidsgenError():
            return error
        case MemoryError():
            return LimitError("not enough memory for this scenario")
        case ImportError() if any(words in str(error) for words in NO_MEMORY):
            return LimitError("not enough memory to begin with")
        case RuntimeError() if "can't start new thread" in str(error):
            return LimitError(f"the system allows no further thread{limit}")
        case OSError():  # what the system refuses is no bug, wherever that happens
            if isinstance(error, FileNotFoundError) and error.filename is None:  # as only the current directory
                error.strerror = "the current directory is gone; change into another one"
            reason = f"{error.strerror or str(error) or type(error).__name__}{system.limit_met(error)}"
            line = reason if error.filename is None else f"{os.fsdecode(error.filename)}: {reason}"
            return (LimitError if error.errno == errno.ENOMEM else StorageError)(line)
    return None


def is_terminal(stream: TextIO | None) -> bool:
    """True if a stream is a terminal."""
    return stream is not None and stream.isatty()


def _write(stream: TextIO | None, line: str) -> None:
    if stream is None:  # closed by the caller
        return
    try:
        stream.write(f"{line}\n")
        stream.flush()
    except OSError as error:
        # The reader of a pipe has gone, or a terminal was closed; to a disk the same error is a fault.
        device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
        if not (system.is_broken_pipe(error) or (error.errno == errno.EIO and device)):
            raise
        _silence(stream)


def _silence(stream: TextIO | None) -> None:
    """Send the rest to the null device: otherwise the interpreter complains at exit about what is still buffered."""
    if stream is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def progress_bar(name: str, total: int, unit: str = "frames") -> Iterator[Callable[[int], None]]:
    """A bar on standard error with count, rate and time left; call it with the number of units done.

    It is erased at the end. Where the terminal is gone it becomes silent: the work matters more.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn(f"{unit} {{task.fields[rate]}}", markup=False),
        TimeRemainingColumn(compact=True),
        console=Console(file=sys.stderr),
        speed_estimate_period=10.0,
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task(printable(name), total=total, rate="")
    drawn = 0.0

    def show(done: int) -> None:
        nonlocal drawn
        speed = bar.tasks[0].speed
        bar.update(task, completed=done, rate=f"{speed:.1f}/s" if speed else "")
        if time.monotonic() - drawn >= INTERVAL:
            _drawn(bar.refresh)
            drawn = time.monotonic()

    _drawn(bar.start)
    _drawn(bar.console.show_cursor)  # which nobody would bring back after a kill
    try:
        yield show
    finally:
        _drawn(bar.stop)


def _drawn(draw: Callable[[], object]) -> None:
    try:
        draw()
    except OSError:
        _silence(sys.stderr)


def browse(address: str) -> bool:
    """Show something with the system's default program; False where there is none."""
    import webbrowser

    return webbrowser.open(address)


class Reporter(NamedTuple):
    """Reports for one command: results as paths or as JSON objects, which may be opened, notices, and progress."""

    quiet: bool
    as_json: bool = False
    shows: bool = False

    def notice(self, line: str) -> None:
        """Print a line that is neither a result nor a failure."""
        if not self.quiet:
            notice(line)

    @contextmanager
    def progress(self, name: str, total: int, unit: str = "frames") -> Iterator[Callable[[int], None] | None]:
        """A progress bar on a terminal; None elsewhere."""
        if self.quiet or not is_terminal(sys.stderr):
            yield None
            return
        with progress_bar(name, total, unit) as show:
            yield show

    def output(self, path: str | PathLike[str], entries: Mapping[str, object]) -> None:
        """Name one output; `entries` are what `--json` says about it."""
        path = fspath(path)
        exact(json_text({"path": path, **entries}) if self.as_json else path)

    def finish(
        self,
        paths: Iterable[str | PathLike[str]],
        notices: Iterable[str] = (),
        entries: Mapping[str, object] | None = None,
    ) -> None:
        """Print notices, then name the outputs, and open them where that is wanted."""
        for line in dict.fromkeys(notices):
            self.notice(line)
        for path in paths:
            if fspath(path) != DASH:
                self.output(path, entries or {})
                if self.shows and not browse(Path(path).absolute().as_uri()):
                    self.notice(f"--open: this system has no program to open {fspath(path)} with")

    def invite(self, paths: Iterable[str]) -> None:
        """Say on a terminal how to look at what was made."""
        files = [path for path in paths if path != DASH]
        if files and not self.shows and is_terminal(sys.stderr):
            self.notice(f"to view it, open {files[0]} in a browser, or add --open")
