"""The limit under which the other tests run what may hang: it ends a hang, whatever is done against that."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from importlib import import_module

import pytest

from boidsgen.cli.main import run
from tests.faults.bounded import bounded
from tests.faults.setting import ROOT
from tests.systems import WINDOWS, posix

pytestmark = pytest.mark.faults

ROOM = 4 << 30
SECONDS = 2.0


def attempt(work, memory=ROOM):
    """Do the work under a short limit."""
    return bounded(work, seconds=SECONDS, memory=memory)


def test_what_ends_gives_its_result():
    """Work that ends in time, and tells of its progress, gives what it gives."""

    def steps(progress):
        for _ in range(6):
            progress()
            time.sleep(SECONDS / 4)  # longer in all than one step may take
        return "done"

    assert attempt(steps) == "done"


UNHEARD = {
    getattr(signal, name, None) for name in ("SIGKILL", "SIGSTOP", "SIGABRT", "CTRL_C_EVENT", "CTRL_BREAK_EVENT")
}
"""What cannot be ignored, and what tells the place."""


def hangs_for_ever(*_, **__):
    """Hang, and hear nothing."""
    for number in set(signal.Signals) - UNHEARD:
        signal.signal(number, signal.SIG_IGN)
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(100)


HANGING = """
from tests.faults import bounded
from tests.faults.test_bounded import hangs_for_ever
bounded.SLOWER = 1
bounded.bounded(hangs_for_ever, seconds=2.0, memory=0)
"""


@pytest.mark.skipif(not WINDOWS, reason="a hang ends the process in which it is only where none can be forked")
def test_a_hang_ends_its_process_and_its_place_is_told(tmp_path):
    """Without a child to be ended, the process itself ends in time, and the place stands in a file."""
    settings = {"PYTHONPATH": str(ROOT), "TMP": str(tmp_path), "TEMP": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", HANGING], env={**os.environ, **settings}, timeout=120, check=False)

    assert ran.returncode == 1
    assert "hangs_for_ever" in (tmp_path / "boidsgen-hung.txt").read_text()


@posix
def test_a_hang_is_ended_and_its_place_told():
    """No signal that the work handles itself matters, and no exception that it catches."""
    with pytest.raises(AssertionError, match=r"(?s)hangs at.*hangs_for_ever"):
        attempt(hangs_for_ever)


@posix
@pytest.mark.usefixtures("here")
def test_a_command_that_hangs_is_ended(monkeypatch):
    """The program handles SIGALRM and the like as requests to stop; it is ended none the less."""
    monkeypatch.setattr(import_module("boidsgen.pipeline"), "render", hangs_for_ever)

    with pytest.raises(AssertionError, match=r"(?s)hangs at.*hangs_for_ever"):
        attempt(lambda _: run(["render", "small.toml", "-o", "flock.gif"]))


def test_a_step_that_fails_is_told():
    """What the work raises is raised, with the place."""
    with pytest.raises(AssertionError, match=r"(?s)Traceback.*ZeroDivisionError"):
        attempt(lambda _: 1 // 0)


@posix
def test_a_crash_is_told():
    """A process that dies is no success."""
    with pytest.raises(AssertionError, match=r"(?s)died at.*Segmentation fault"):
        attempt(lambda _: os.kill(os.getpid(), signal.SIGSEGV))


@posix
def test_memory_has_an_end():
    """Work that wants more than there is gets none."""
    with pytest.raises(AssertionError, match="MemoryError"):
        attempt(lambda _: bytearray(1 << 30), memory=1 << 30)
