"""Command lines in tests: a small scenario, what came of a command, and the surroundings of processes."""

import os
from pathlib import Path
from typing import NamedTuple

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
