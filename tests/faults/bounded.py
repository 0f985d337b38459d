"""Work that may hang, take all memory or crash, done in a child process: the test goes on, and tells where it was.

The program catches signals, exceptions and a lack of memory itself, so no limit inside its process holds for sure. From
outside one does: `bounded` kills a child from which nothing was heard for too long, and tells where it was.
"""

import faulthandler
import multiprocessing
import os
import signal
import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile, gettempdir

from tests.systems import WINDOWS, posix_module

resource = posix_module("resource")
FORKED = None if WINDOWS else multiprocessing.get_context("fork")
"""The child has all that the test has made and loaded."""
SLOWER = 10
"""How much more time there is where a process cannot be ended from outside: all other tests would end with it."""
LAST_WORDS = 5
"""Seconds in which a child that hangs may tell where."""


def bounded(work, *, seconds, memory):
    """Do `work(progress)` in a child process that may not take more than `memory` bytes of address space.

    The work calls `progress()` whenever it begins something new, and then has `seconds` for it. Gives what the work
    gives; raises AssertionError with the place when it raises, crashes, or is not heard of in time.
    """
    if FORKED is None:
        return _watched(work, seconds)
    heard, told = FORKED.Pipe(duplex=False)
    with TemporaryFile() as trace, heard:
        child = FORKED.Process(target=_work, args=(work, told, trace, memory))
        with warnings.catch_warnings(action="ignore"):  # of threads, which the child does without
            child.start()
        told.close()
        try:
            return _result(heard, seconds)
        except TimeoutError:
            os.kill(child.pid, signal.SIGABRT)  # upon which its place is written down
            child.join(LAST_WORDS)
            raise AssertionError(f"nothing was heard for {seconds} s; it hangs at\n{_read(trace)}") from None
        except EOFError:
            raise AssertionError(f"the process died at\n{_read(trace)}") from None
        finally:
            _end(child)


def _watched(work, seconds):
    """Do the work in this process, where none can be forked or limited: if it hangs, all tests end.

    The place stands in a file then, since pytest keeps what is written to the streams.
    """
    with (Path(gettempdir()) / "boidsgen-hung.txt").open("w") as trace:

        def progress():
            faulthandler.dump_traceback_later(SLOWER * seconds, exit=True, file=trace)

        progress()
        try:
            return work(progress)
        except Exception:  # noqa: BLE001  raised as it would come from a child
            raise AssertionError(traceback.format_exc()) from None
        finally:
            faulthandler.cancel_dump_traceback_later()


def _work(work, told, trace, memory):
    """What the child does: the work, under a limit, in a group of its own so that its own children end with it."""
    os.setpgid(0, 0)
    faulthandler.enable(trace)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        told.send(("done", work(lambda: told.send(("progress", None)))))
    except BaseException:  # noqa: BLE001  the test raises it again
        told.send(("failed", traceback.format_exc()))


def _result(heard, seconds):
    """What the work gave. Raises TimeoutError, EOFError, or AssertionError with its traceback."""
    while heard.poll(seconds):
        kind, found = heard.recv()
        if kind == "failed":
            raise AssertionError(found)
        if kind == "done":
            return found
    raise TimeoutError


def _end(child):
    """Leave nothing of the child and of those that it started."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.join()
    child.close()


def _read(trace):
    trace.seek(0)
    return trace.read().decode(errors="replace")
