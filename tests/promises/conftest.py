"""Fixtures of the promises: an empty directory with one scenario, and nothing left behind."""

import threading
from multiprocessing import resource_tracker

import pytest

from boidsgen.cli.main import run
from tests.promises.setting import OLD_FRAMES, SCENARIO, SMALL, Ran, leftovers, make_old_frames
from tests.systems import WINDOWS


@pytest.fixture(scope="session", autouse=True)
def _resources():
    """Start the processes that multiprocessing keeps before any test."""
    if not WINDOWS:
        resource_tracker.ensure_running()


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path, no_child_left):
    """Whatever a test does: no temporary file, no child process and no thread stays."""
    del no_child_left
    yield

    assert leftovers(tmp_path) == []
    assert [thread for thread in threading.enumerate() if "ffmpeg" in thread.name] == []


@pytest.fixture
def here(tmp_path, tmp_path_factory, monkeypatch):
    """An empty directory, the current one, with one small scenario in it."""
    if not OLD_FRAMES:
        make_old_frames(tmp_path_factory.mktemp("earlier"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / SCENARIO).write_text(SMALL)
    return tmp_path


@pytest.fixture
def boidsgen(here, capfd):
    """Runs a command line in that directory, in this process."""
    del here

    def ran(*arguments):
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capfd.readouterr())

    return ran
