import os
from pathlib import Path
from typing import NamedTuple

import pytest

from boidsgen.cli.main import run

SMALL = "seed = 3\nworld.size = [64, 48]\ntime.frames = 3\nflock.count = 5\n"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
"""Of processes of their own, wherever they run."""


class Ran(NamedTuple):
    """Exit code and streams of a command line."""

    code: int
    out: str
    err: str

    @property
    def paths(self):
        """The lines on standard output."""
        return self.out.splitlines()


@pytest.fixture
def boidsgen(tmp_path, monkeypatch, capfd):
    """Runs a command line in an empty directory with one small scenario, `small.toml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)

    def ran(*arguments):
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capfd.readouterr())

    return ran
