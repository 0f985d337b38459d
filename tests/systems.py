"""What tests ask about the system they run on.

Tests that need what only POSIX systems have (signals that processes send each other, shells, limits of resources, locks
of files, named pipes) are marked `posix`, or begin with `pytest.importorskip("fcntl", reason=POSIX)`.
"""

import os
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

WINDOWS = sys.platform == "win32"
POSIX = "needs signals, shells, pipes, permissions or limits as POSIX systems have them"
posix = pytest.mark.skipif(WINDOWS, reason=POSIX)

IS_ROOT = not WINDOWS and os.geteuid() == 0  # Whether permissions mean nothing


def native(path):
    """A path as this system writes it."""
    return str(Path(path))


def refusal(action):
    """What this system says when it refuses to do something."""
    try:
        action()
    except OSError as error:
        return error.strerror
    raise AssertionError("it refuses nothing")


def link(path, target):
    """A symbolic link; where none can be made (Windows without the right to, Wine) the test is skipped."""
    with suppress(OSError):
        path.symlink_to(target)
    if not path.is_symlink():
        pytest.skip("no symbolic link can be made here")


def posix_module(name):
    """A module of the standard library that only POSIX systems have; None elsewhere."""
    return None if WINDOWS else import_module(name)


def needs_a_scheduler_of_dask():
    """Skip the test under Wine: with its clock, finer than that of Windows, no scheduler of Dask ever begins."""
    if WINDOWS and len({time.time() for _ in range(10)}) > 5:
        pytest.skip("Dask's scheduler waits for ever for a clock as coarse as that of Windows; Wine has a finer one")
