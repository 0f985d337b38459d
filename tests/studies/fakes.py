"""Jobs for worker processes, in a module of their own so that the processes find it."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from boidsgen.errors import UsageError

KILL = getattr(signal, "SIGKILL", 9)  # On Windows an exit code


class Call(NamedTuple):
    """The job to call one of the functions below."""

    task: Callable[[Any], object]
    argument: Any

    def do(self):
        """Call it."""
        return self.task(self.argument)


def echo(argument):
    """Return the argument."""
    return argument


def failing(argument):
    """Raise, as a job with a bug."""
    raise ValueError(f"no {argument}")


def refusing(argument):
    """Raise, as a job with an error of the user."""
    raise UsageError(f"no {argument}")


def waits(seconds):
    """Wait so long, and return the time."""
    time.sleep(seconds)
    return seconds


def process(argument):
    """Return the argument, the number of the process and its variable for threads."""
    return argument, os.getpid(), os.environ.get("OMP_NUM_THREADS")


def dies(killed):
    """End the process, killed or with exit code 0, before anybody may have noticed that it began; go on for None."""
    if killed is not None:
        os.kill(os.getpid(), KILL) if killed else os._exit(0)


def cleans_up(path):
    """Wait to be stopped, with a file that is removed on the way out; without a path there is nothing to do."""
    if path is None:
        return
    try:
        Path(path).write_text(str(os.getpid()))
        while True:  # on Windows a wait without end hears no signal
            threading.Event().wait(0.05)
    finally:
        Path(path).unlink(missing_ok=True)
