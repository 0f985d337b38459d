"""The limit under which the other tests run what may hang: it ends a hang, whatever is done against that."""

import pytest

from tests.systems import POSIX

pytest.importorskip("fcntl", reason=POSIX)

import contextlib
import os
import signal
import time
from importlib import import_module

from boidsgen.cli.program import run
from tests.faults.bounded import bounded

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


def hangs_for_ever(*_, **__):
    """Hang, and hear nothing."""
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGABRT}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(100)


def test_a_hang_is_ended_and_its_place_told():
    """No signal that the work handles itself matters, and no exception that it catches."""
    with pytest.raises(AssertionError, match=r"(?s)hangs at.*hangs_for_ever"):
        attempt(hangs_for_ever)


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


def test_a_crash_is_told():
    """A process that dies is no success."""
    with pytest.raises(AssertionError, match=r"(?s)died at.*Segmentation fault"):
        attempt(lambda _: os.kill(os.getpid(), signal.SIGSEGV))


def test_memory_has_an_end():
    """Work that wants more than there is gets none."""
    with pytest.raises(AssertionError, match="MemoryError"):
        attempt(lambda _: bytearray(1 << 30), memory=1 << 30)
