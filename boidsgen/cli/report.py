"""Report: what a command says while it works and when it has finished.

Every command that writes files makes one `Reporter` and ends with `finish`, so that all of them speak alike: results go
to standard output, a path a line or with `--json` an object a line; progress and notices go to standard error, unless
`--quiet` silences them. An output that went to standard output itself is not named.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from boidsgen.cli.terminal import note, record, result, watched
from boidsgen.errors import UsageError

STANDARD_OUTPUT = "-"
"""The output that needs no name; here too because `--help` must not wait for the package that writes."""


@dataclass(frozen=True)
class Reporter:
    """Speaks for one command.

    Attributes:
        quiet: no progress bar and no notices.
        as_json: results as JSON objects.
        shows: results are opened as well.
    """

    quiet: bool
    as_json: bool = False
    shows: bool = False

    def notice(self, line: str) -> None:
        """Tell the user something that is neither a result nor a failure."""
        if not self.quiet:
            notice(line)

    @contextmanager
    def progress(self, name: str, total: int, unit: str = "frames") -> Iterator[Callable[[int], None] | None]:
        """A bar for the time of a block, to be called with the number of units done; None where none is shown."""
        with watched(name, total, quiet=self.quiet, unit=unit) as bar:
            yield bar

    def output(self, path: str | PathLike[str], entries: Mapping[str, object]) -> None:
        """Name one output; `entries` are what `--json` says about it."""
        if self.as_json:
            result(record(path=fspath(path), **entries))
        else:
            result(fspath(path))

    def finish(
        self,
        paths: Iterable[str | PathLike[str]],
        notices: Iterable[str] = (),
        entries: Mapping[str, object] | None = None,
    ) -> None:
        """Tell the notices, then name the outputs."""
        from boidsgen.simulation import compiling
        from boidsgen.simulation.neighbors import unusable

        for line in dict.fromkeys((*notices, *unusable.notices(), *compiling.notices())):
            self.notice(line)
        for path in paths:
            self.shown(path, entries or {})

    def shown(self, path: str | PathLike[str], entries: Mapping[str, object]) -> None:
        """Name one output, and open it where results are opened; standard output is neither named nor opened."""
        if fspath(path) != STANDARD_OUTPUT:
            self.output(path, entries)
            self._open(fspath(path))

    def _open(self, path: str) -> None:
        if self.shows and not _opened(path):
            self.notice(f"--open: this system has nothing to show {path} with")


def _opened(path: str) -> bool:
    """Show a file or folder in what the system has for its kind; gives whether there was anything."""
    import webbrowser

    return webbrowser.open(Path(path).absolute().as_uri())


def refuse_two_streams(outputs: Iterable[str], *, as_json: bool) -> None:
    """Stop where results and an output would share standard output.

    Raises:
        UsageError: when they would.
    """
    if as_json and STANDARD_OUTPUT in outputs:
        raise UsageError("--json and -o - both want standard output; choose one")


def notice(line: str) -> None:
    """One line of the program's own on standard error."""
    note(f"boidsgen: {line}")


def failure(message: str, code: int, *, as_json: bool, plain: bool = False) -> int:
    """Tell why a command failed, in lines or with `--json` in one record; gives its exit code.

    Args:
        message: one line or several.
        code: exit code.
        as_json: as a record.
        plain: whether the lines stand for themselves, as mistakes do that begin with the name of a file.
    """
    if as_json:
        note(record(error=message, exit_code=code))
        return code
    for line in message.splitlines():
        (note if plain else notice)(line)
    return code
