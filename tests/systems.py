"""What tests ask about the system they run on.

Tests that need what only POSIX systems have (signals that processes send each other, shells, limits of resources, locks
of files, named pipes) are marked `posix`, or begin with `pytest.importorskip("fcntl", reason=POSIX)`.
"""

import os
import sys
from importlib import import_module

import pytest

WINDOWS = sys.platform == "win32"
POSIX = "needs signals, shells, pipes, permissions or limits as POSIX systems have them"
posix = pytest.mark.skipif(WINDOWS, reason=POSIX)

IS_ROOT = not WINDOWS and os.geteuid() == 0
"""Whether permissions mean nothing."""


def posix_module(name):
    """A module of the standard library that only POSIX systems have; None elsewhere."""
    return None if WINDOWS else import_module(name)
