"""Command lines in tests: a small scenario, what came of a command, and the surroundings of processes."""

import os
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from boidsgen.jobs import Here

ROOT = Path(__file__).parents[1]
SCENARIO = "small.toml"
SMALL = "seed = 3\nworld.size = [64, 48]\ntime.frames = 3\nflock.count = 5\n"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
"""Of processes of their own, wherever they run."""


class Ran(NamedTuple):
    """Exit code and streams of a command line."""

    code: int
    out: str
    err: str

    @property
    def paths(self):
        """Lines on standard output."""
        return self.out.splitlines()

    @property
    def lines(self):
        """Lines on standard error."""
        return self.err.splitlines()


def made_once(tmp_path_factory, name, make):
    """A folder that one worker of the tests makes for all; what fails in between is made again by the next."""
    root = tmp_path_factory.getbasetemp()
    whole = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / name
    with FileLock(whole.with_suffix(".lock")):
        if not whole.exists():
            make(part := tmp_path_factory.mktemp(name))
            part.rename(whole)
    return whole


def in_this_process(monkeypatch):
    """Jobs for workers are done here, without the second that each worker takes to start."""
    monkeypatch.setattr("boidsgen.jobs.Workers", lambda _: Here())
