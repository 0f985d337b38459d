"""What all tests share: strict numbers, and an eye on child processes."""

import gc
import os
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from boidsgen.cli.main import run
from boidsgen.drawing import text as fonts
from boidsgen.kernel import library
from tests.running import SCENARIO, SMALL, Ran, in_this_process

# No test fails because the machine is slow.
settings.register_profile("boidsgen", deadline=None)
settings.load_profile("boidsgen")

PROCESSES = Path("/proc")  # its lists of children are missing from some kernels


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect the tests without looking for garbage, and never look again through what they consist of."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave to `just prove slow` what `turns` leaves out, and put tests in browsers first.

    Each of these waits for others, and at the end nothing would be left to do meanwhile.
    """
    cases = Counter()
    for item in items:
        if turns := item.get_closest_marker("turns"):
            if cases[item.nodeid.partition("[")[0]] % turns.args[0]:
                item.add_marker(pytest.mark.slow)
            cases[item.nodeid.partition("[")[0]] += 1
    items.sort(key=lambda item: "browser" not in getattr(item, "fixturenames", ()))


@pytest.fixture(autouse=True)
def _strict_numbers():
    """Division by zero, overflow and invalid operations raise, wherever the code does not expect them."""
    with np.errstate(all="raise", under="ignore"):
        yield


@pytest.fixture(autouse=True)
def _no_fonts_of_the_machine(monkeypatch):
    """Texts look alike on every machine: none of its fonts stands in for characters that ours lacks."""
    monkeypatch.setattr(fonts, "system_fonts", tuple)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty directory, the current one, with one small scenario in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / SCENARIO).write_text(SMALL)
    return tmp_path


@pytest.fixture
def boidsgen(here, capfd):
    """Runs a command line in that directory, in this process; so are its jobs, but where it has --jobs."""
    del here

    def ran(*arguments):
        capfd.readouterr()
        with pytest.MonkeyPatch.context() as patch:
            if "--jobs" not in arguments:
                in_this_process(patch)
            code = run([str(argument) for argument in arguments])
        return Ran(code, *capfd.readouterr())

    return ran


@pytest.fixture
def no_child_left():
    """Whatever a test does: no child process of it stays, not even a dead one that nobody has waited for."""
    before = _children()
    yield

    assert _children() - before == set()


@pytest.fixture
def no_kernel(tmp_path, monkeypatch):
    """A process that finds no library of the kernel."""
    for cached in (library._kernel, library.entry):
        cached.cache_clear()
    monkeypatch.setattr(library, "FOLDER", tmp_path / "nowhere")
    yield
    for cached in (library._kernel, library.entry):
        cached.cache_clear()


def _children():
    # Before and after: an earlier test may have started something that lives on, as multiprocessing does.
    if sys.platform != "linux":  # nobody else tells
        return set()
    children = set()
    for status in PROCESSES.glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a process that has just ended
            _state, parent, *_ = status.read_text().rpartition(")")[2].split()
            if int(parent) == os.getpid():
                children.add(status.parent.name)
    return children
