"""Fixtures of the promises: an empty directory with one scenario, and nothing left behind."""

import threading
from multiprocessing import resource_tracker

import pytest

from tests.promises.setting import OLD_FRAMES, leftovers, make_old_frames
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
def here(here, tmp_path_factory):
    """The same, once there are frames of an earlier run."""
    if not OLD_FRAMES:
        make_old_frames(tmp_path_factory.mktemp("earlier"))
    return here
