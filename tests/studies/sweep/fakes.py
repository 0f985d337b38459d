"""Tasks and executors that tests give to `run_jobs`; a module of its own, so that worker processes find it."""

import os
import signal
import threading
from concurrent.futures import Future
from pathlib import Path

from boidsgen.studies.sweep.jobs import LostWorkerError

KILL = getattr(signal, "SIGKILL", 9)
"""On Windows the exit code of a process that is ended so."""


def echo(job):
    """The job itself, as an outcome."""
    return {"status": "done", "job": job}


def failing(job):
    """A task with a bug in it."""
    raise ValueError(f"no {job}")


def prints(job):
    """A task that writes to its standard output."""
    os.write(1, b"noise\n")
    return echo(job)


def process(job):
    """Which process does the task."""
    return {"status": "done", "pid": os.getpid(), "job": job}


def settings(job):
    """What a worker's environment says about a variable."""
    return {"status": "done", "value": os.environ.get(job)}


def dies_once(job):
    """Kill the process, unless the file that the job names says that this has happened before."""
    mark = Path(job["mark"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), KILL)
    return {"status": "done"}


def dies(job):
    """Kill the process when the job says so."""
    if job["dies"]:
        os.kill(os.getpid(), KILL)
    return {"status": "done"}


def leaves(_):
    """End the process with a complaint."""
    os.write(2, b"first line\nout of cheese\n")
    os._exit(3)


def cleans_up(job):
    """Wait to be stopped, with a file that goes when the task cleans up."""
    path = Path(job["path"])
    try:
        path.write_text(str(os.getpid()))
        while True:  # on Windows a wait without end hears no signal
            threading.Event().wait(0.05)
    finally:
        path.unlink(missing_ok=True)


class Immediate:
    """An executor that does a task while it is submitted."""

    def submit(self, task, job):
        """Do it now."""
        future = Future()
        try:
            future.set_result(task(job))
        except Exception as error:  # noqa: BLE001  as executors do
            future.set_exception(error)
        return future


class Held:
    """An executor that does nothing until it is told to."""

    def __init__(self):
        self.waiting = []

    def submit(self, task, job):
        """Put it with the others."""
        future = Future()
        self.waiting.append((future, task, job))
        return future

    def finish(self, number):
        """Do the task that waits in this place."""
        future, task, job = self.waiting.pop(number)
        future.set_result(task(job))

    def cancel(self):
        """Give up the first task that waits."""
        self.waiting[0][0].cancel()


class Gone:
    """An executor that is no more."""

    def submit(self, *_):
        """Cannot be done."""
        raise OSError("gone")


def nothing_exists(_):
    """What a worker says that does not share the directory."""
    return False


def quick(job):
    """Takes a tenth of a second, as it says; raises for what is no number."""
    return {"status": "done", "job": job + 0, "seconds": 0.1}


def dying(job):
    """A worker that dies over whatever it is given."""
    raise LostWorkerError(f"died over {job}")


def slow(job):
    """Takes ten seconds, as it says."""
    return {"status": "done", "job": job, "seconds": 10.0}
