"""Tasks for worker processes, in a module of their own so that the processes find it."""

import os
import signal
import threading
from pathlib import Path

KILL = getattr(signal, "SIGKILL", 9)  # On Windows an exit code


def echo(job):
    """Return the job."""
    return {"status": "done", "job": job}


def failing(job):
    """Raise, as a task with a bug."""
    raise ValueError(f"no {job}")


def process(job):
    """Return the number of the process and its variable for threads."""
    return {"status": "done", "pid": os.getpid(), "job": job, "threads": os.environ.get("OMP_NUM_THREADS")}


def dies(job):
    """End the process as the job says, before anybody may have noticed that it began."""
    if job["dies"] is not None:
        os.kill(os.getpid(), KILL) if job["dies"] else os._exit(0)
    return {"status": "done"}


def cleans_up(path):
    """Wait to be stopped, with a file that is removed on the way out; without a path there is nothing to do."""
    if path is None:
        return {"status": "done"}
    try:
        Path(path).write_text(str(os.getpid()))
        while True:  # on Windows a wait without end hears no signal
            threading.Event().wait(0.05)
    finally:
        Path(path).unlink(missing_ok=True)


def nothing_exists(_):
    """Answer for a worker that does not share the directory."""
    return False
