"""The program as a process of its own: started, watched, stopped."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.setting import ROOT
from tests.systems import WINDOWS

SECONDS = 180
"""After which something that should end counts as hung; no test fails because the machine is slow."""


def start(*arguments, cwd, **options):
    """Start `boidsgen` with arguments, in a directory, with its streams in pipes."""
    return start_python("-m", "boidsgen", *arguments, cwd=cwd, **options)


def start_python(*arguments, cwd, **options):
    """Start Python with arguments, in a directory, with its streams in pipes; it finds the package."""
    settings = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **options,
        "env": {**os.environ, "PYTHONPATH": str(ROOT), **options.get("env", {})},
    }
    return subprocess.Popen([sys.executable, *map(str, arguments)], cwd=cwd, **settings)


def finish(process, seconds=SECONDS):
    """Wait for the end; gives exit code, standard output and standard error."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, _text(out), _text(err)


def _text(said):
    """What a stream gave, with the ends of lines of a text."""
    return (said or b"").decode().replace(os.linesep, "\n")


def until(happened, process, seconds=SECONDS, pause=0.002):
    """Wait until something has happened, or the process has ended; looks, and looks again."""
    for _ in range(int(seconds / pause)):
        if happened():
            return True
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            continue
        return bool(happened())
    raise AssertionError("nothing happens")


def psutil():
    """What knows processes where there is no /proc; it comes with Dask."""
    return pytest.importorskip("psutil", reason="asks psutil for processes")


def children(pid):
    """The processes that a process has started."""
    if WINDOWS:
        return [child.pid for child in psutil().process_iter() if child.ppid() == pid]
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(word) for word in text.split()]


def alive(pid):
    """Whether a process runs; a zombie does not, nor what lost its parent before there was a program in it."""
    if WINDOWS:
        return psutil().pid_exists(pid) and _has_begun(pid)
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def _has_begun(pid):
    """Whether a process of Windows has a program; one whose parent is ended while starting it may have none."""
    known = psutil()
    try:
        known.Process(pid).exe()
    except (known.NoSuchProcess, OSError):
        return False
    except known.Error:  # of somebody else
        return True
    return True


def gone(offspring, seconds=5):
    """Wait until no process of these runs any more."""
    deadline = time.monotonic() + seconds
    while any(map(alive, offspring)):
        assert time.monotonic() < deadline, "a child outlives the program"
        time.sleep(0.01)
