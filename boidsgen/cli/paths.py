"""Paths: where outputs go that are no clips."""

from collections.abc import Iterable
from os.path import realpath
from pathlib import Path

from boidsgen.errors import UsageError
from boidsgen.writers.publication import STANDARD_OUTPUT
from boidsgen.writers.target import DIRECTORY


def usual_path(stem: str, ending: str) -> str:
    """Where an output goes that nobody gave a name."""
    return str(Path(DIRECTORY) / f"{stem}{ending}")


def refuse_paths(paths: Iterable[str], read: Iterable[Path | None]) -> None:
    """Stop before an output replaces what is read, or another output.

    Raises:
        UsageError: when one would.
    """
    taken = {realpath(path): "what is read" for path in read if path}
    for path in paths:
        if path != STANDARD_OUTPUT and realpath(path) in taken:
            raise UsageError(f"{path}: is already {taken[realpath(path)]}; give every output a name of its own")
        taken[realpath(path)] = "an output"
