"""Shared by the tests of the six promises: how much to run, a small scenario, products, and processes.

`pytest tests/promises` runs a short form; with the environment variable BOIDSGEN_FAULTS=full everything is run.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from PIL import Image

from boidsgen import render
from tests.running import ENVIRONMENT, SCENARIO
from tests.systems import WINDOWS, posix_module

resource = posix_module("resource")

FULL = os.environ.get("BOIDSGEN_FAULTS") == "full"
SECONDS = 180  # After which something that should end counts as hung; no test fails because the machine is slow


def amount(short: int, full: int) -> int:
    """The number in the short form or in full."""
    return full if FULL else short


@dataclass(frozen=True)
class Product:
    """One kind of output, and the command that makes it."""

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
            for frame in path.iterdir():
                frame.unlink()
            for name, data in OLD_FRAMES.items():
                (path / name).write_bytes(data)
        else:
            path.write_bytes(b"old")


OLD_FRAMES: dict[str, bytes] = {}
"""Frames of an earlier run by name, made by the fixture `old_frames`; a folder with anything else is not ours."""
PRODUCTS = {
    "gif": Product("flock.gif", ("render",)),
    "mp4": Product("flock.mp4", ("render",)),
    "png": Product("frames/", ("render", "--format", "png")),
    "still": Product("flock.png", ("still",)),
}


def make_old_frames(directory: Path) -> None:
    """Make the frames that stand in the way of later ones."""
    render("quickstart", f"{directory}/old/", output__format="png", frames=1, size=(8, 8), flock__count=1)
    OLD_FRAMES.update(content(directory / "old"))


def content(directory: Path) -> dict[str, bytes]:
    """Every file below a directory and its bytes; folders count as files without content."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else b""
        for path in sorted(directory.rglob("*"))
    }


def leftovers(directory: Path) -> list[str]:
    """Temporary files in a directory."""
    return [path.name for path in directory.glob(".boidsgen-*")]


def without_leftovers(found: dict[str, bytes]) -> dict[str, bytes]:
    """The content of a directory but for temporary files."""
    return {name: data for name, data in found.items() if not name.startswith(".boidsgen-")}


def frames_of(path: Path) -> int:
    """Number of frames of a clip that Pillow reads, each of which is decoded."""
    with Image.open(path) as picture:
        for number in range(picture.n_frames):
            picture.seek(number)
            picture.load()
        return picture.n_frames


def start(*arguments: object, cwd: Path, **options: object) -> subprocess.Popen[bytes]:
    """Start `boidsgen` with its streams in pipes."""
    return start_python("-m", "boidsgen", *arguments, cwd=cwd, **options)


def start_python(*arguments: object, cwd: Path, **options: object) -> subprocess.Popen[bytes]:
    """Start Python, which finds the package, with its streams in pipes."""
    environment = {**ENVIRONMENT, **options.pop("env", {})}
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment, **options}
    return subprocess.Popen([sys.executable, *map(str, arguments)], cwd=cwd, **settings)


def finish(process: subprocess.Popen[bytes], seconds: float = SECONDS) -> tuple[int, str, str]:
    """Wait for the end; exit code, standard output and standard error."""
    found = process.communicate(timeout=seconds)
    out, err = ((said or b"").decode(errors="replace").replace(os.linesep, "\n") for said in found)
    return process.returncode, out, err


def until(happened: object, process: subprocess.Popen[bytes], seconds: float = SECONDS) -> bool:
    """Wait until something has happened, or the process has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if happened():
            return True
        try:
            process.wait(0.002)
        except subprocess.TimeoutExpired:
            continue
        return bool(happened())
    raise AssertionError("nothing happens")


def children(pid: int) -> list[psutil.Process]:
    """Processes that a process has started, and those that they have."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def gone(processes: list[psutil.Process]) -> bool:
    """Wait until none of these runs any more."""
    _, alive = psutil.wait_procs(processes, timeout=5)
    return not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def limited(name: str, number: int) -> object:
    """Sets a limit of resources in the program that is started next."""
    return lambda: resource.setrlimit(getattr(resource, name), (number, number))


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """Fail with a traceback from where it hangs, where the system has alarms."""
    if WINDOWS:
        yield
        return

    def give_up(*_: object) -> None:
        pytest.fail(f"nothing came of it for {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
