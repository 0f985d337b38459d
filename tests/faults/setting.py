"""What the fault tests share: how much of them to run, a small scenario, and what has to hold after every fault.

`pytest tests/faults` runs a short form; with the environment variable BOIDSGEN_FAULTS=full everything is run.
"""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boidsgen.drawing.frame import Frame
from boidsgen.output.png import encoded
from tests.systems import WINDOWS

FULL = os.environ.get("BOIDSGEN_FAULTS") == "full"
"""Whether everything is to be run rather than a short form of it."""
ROOT = Path(__file__).parents[2]
SMALL = """\
seed = 3
[world]
size = [64, 48]
[time]
frames = 3
[flock]
count = 5
"""
SCENARIO = "small.toml"


OLD_PICTURE = encoded(Frame(np.zeros((1, 1), np.uint8), np.zeros((2, 3), np.uint8)), "old", (0,))
"""A picture of an earlier run: a folder with anything else is not ours to replace."""


MOST_DESCRIPTORS = 512
"""So many files can a program of the C runtime of Windows have open."""


def amount(short: int, full: int) -> int:
    """How many: few in the short form."""
    return full if FULL else short


@dataclass(frozen=True)
class Ran:
    """What came of a command line: its exit code and what it said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it said on standard error."""
        return self.err.splitlines()


@dataclass(frozen=True)
class Product:
    """One kind of output, and the command that makes it.

    Attributes:
        name: of the file or folder.
        command: what to call, with the scenario and the output.
    """

    name: str
    command: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """The command line."""
        return [*self.command, SCENARIO, "-o", self.name]

    def put_old(self, directory: Path) -> None:
        """Put something in its place that an earlier run may have left there."""
        path = directory / self.name
        if self.name.endswith("/"):
            path.mkdir(exist_ok=True)
            path = path / "frame_0001.png"
        path.write_bytes(OLD_PICTURE if path.parent != directory else b"old")


PRODUCTS = {
    "gif": Product("flock.gif", ("render",)),
    "mp4": Product("flock.mp4", ("render",)),
    "png": Product("frames/", ("render", "--format", "png")),
    "still": Product("flock.png", ("still",)),
}
"""One of each kind."""


def content(directory: Path) -> dict[str, bytes]:
    """Every file below a directory and what is in it; folders count as files without content."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else b""
        for path in sorted(directory.rglob("*"))
    }


def leftovers(directory: Path) -> list[str]:
    """Temporaries that stand in a directory."""
    return [path.name for path in directory.glob(".boidsgen-*")]


def without_leftovers(found: dict[str, bytes]) -> dict[str, bytes]:
    """The content of a directory but for temporaries."""
    return {name: data for name, data in found.items() if not name.startswith(".boidsgen-")}


def descriptors() -> set[str]:
    """What this process holds open, but for what is anonymous to the test itself."""
    if WINDOWS:
        return {f"{number} {kind}" for number in range(MOST_DESCRIPTORS) if (kind := _kind(number))}
    folder = Path("/proc/self/fd")
    return {f"{entry.name} {_target(entry)}" for entry in folder.iterdir() if _target(entry)}


def close_others(known: set[str]) -> None:
    """Close the files that this process holds open beyond what is known; pipes have an owner."""
    for entry in descriptors() - known:
        if "pipe:" not in entry:
            os.close(int(entry.split()[0]))


def _kind(number: int) -> str:
    """What an open descriptor is, where its name is not told; nothing of one that is not open."""
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        return ""
    return "pipe:" if stat.S_ISFIFO(mode) else f"file {mode}"


def _target(entry: Path) -> str:
    try:
        return str(entry.readlink())
    except FileNotFoundError:  # the listing itself
        return ""


Command = Callable[..., Ran]
"""Runs a command line."""
