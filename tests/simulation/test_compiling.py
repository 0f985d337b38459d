"""A run that begins with one engine and changes over to another."""

import re
import subprocess
import sys

import numpy as np
import pytest

from boidsgen.simulation import Setup, compiling, simulate
from boidsgen.simulation import run as run_module
from boidsgen.simulation.compiling import Change
from boidsgen.simulation.neighbors.engines import ENGINES, Work
from boidsgen.simulation.run import Run, announcement, engine_name, engines_for_many

pytestmark = pytest.mark.skipif(len(ENGINES) < 2, reason="only one engine is installed")

FRAMES = 20
MANY = 1000
"""Short runs that are worth the compiled engine together, as no single one is."""
SETUP = Setup.model_validate({"flock": {"count": 60}, "predators": {"count": 2}, "time": {"frames": FRAMES}})


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch):
    """What was told or tried here is not for the next test."""
    monkeypatch.setattr(compiling, "_tried", set())
    yield
    compiling.notices()


class Done:
    """A compiler that is done when it is looked at so many times."""

    def __init__(self, looks):
        self.left = looks

    def done(self):
        """Whether this was the last look."""
        self.left -= 1
        return self.left <= 0


def run(monkeypatch, looks, *, load=True, steps=10**9):
    """A run that changes when the compiler has been looked at so many times, once a step."""
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    return Run(SETUP, Change(Work(60, steps), Done(looks), lambda: load))


def assert_same_states(states, expected):
    for one, same in zip(states, expected, strict=True):
        for group, known in zip((*one.flocks, *one.predators), (*same.flocks, *same.predators), strict=True):
            np.testing.assert_array_equal(group.position, known.position)
            np.testing.assert_array_equal(group.velocity, known.velocity)


@pytest.mark.parametrize("looks", [1, 7, FRAMES - 1])
def test_the_change_does_not_show(monkeypatch, looks):
    """Whenever it takes place, the states are those of either engine, and one line says since when."""
    changing = run(monkeypatch, looks)

    assert_same_states(changing, simulate(SETUP, "numpy"))
    assert changing.notices == [f"numba: compiled beside, used from step {looks} on; kept for the next run"]
    assert compiling.notices() == changing.notices
    assert compiling.notices() == []


@pytest.mark.parametrize(
    ("looks", "load", "steps", "told"),
    [(FRAMES * 2, True, 10**9, "still being compiled"), (3, True, FRAMES, "too late"), (3, False, 10**9, "could not")],
)
def test_without_a_change_numpy_does_it_and_says_so(monkeypatch, looks, load, steps, told):
    """Not ready, no longer worth it, or not to be had: one line says which."""
    monkeypatch.setitem(ENGINES, "numba", None)
    staying = run(monkeypatch, looks, load=load, steps=steps)

    assert_same_states(staying, simulate(SETUP, "numpy"))
    assert len(staying.notices) == 1
    assert told in staying.notices[0]


def test_one_process_compiles_and_others_wait_for_it(monkeypatch, tmp_path):
    """While somebody holds the claim, nobody else starts to compile; who waits is done when it is released."""
    monkeypatch.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)
    monkeypatch.setattr(compiling.subprocess, "Popen", None)  # cannot be started
    claim = compiling._claim()
    waiting = compiling.begin(Work(1000, 1000))._compiler

    assert not waiting.done()
    claim.release()
    assert waiting.done()


def test_whoever_cannot_start_another_process_claims_nothing(monkeypatch, tmp_path):
    """Numpy does the run, and nobody waits for what has not begun."""

    def refuse(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)
    monkeypatch.setattr(compiling, "_tried", set())
    monkeypatch.setattr(compiling.subprocess, "Popen", refuse)

    assert compiling.begin(Work(1000, 1000)) is ENGINES["numpy"]
    claim = compiling._claim()
    assert claim
    claim.release()


def test_whoever_has_no_home_compiles_too(monkeypatch, tmp_path):
    """A user without a folder of its own, as in a container, is nobody in particular."""
    monkeypatch.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # what Python does then
    claim = compiling._claim()

    assert claim is not None
    claim.release()


def test_what_has_been_tried_is_not_tried_again(monkeypatch, tmp_path):
    """A process in which compiling has ended and left nothing goes on with numpy, however many runs it makes."""
    monkeypatch.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)
    monkeypatch.setattr(compiling, "_tried", {compiling.STEPS})

    assert compiling.begin(Work(1000, 1000)) is ENGINES["numpy"]
    claim = compiling._claim()
    assert claim is not None  # given back
    claim.release()


def test_many_runs_are_announced_only_where_they_must_wait(monkeypatch):
    """A sweep says beforehand that its runs begin without the compiled code that they want."""
    long = SETUP.model_copy(update={"time": SETUP.time.model_copy(update={"frames": 10**6})})
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)

    assert "one process does that for all runs" in announcement(long, "auto")
    assert announcement(long, "numba") is announcement(SETUP, "auto") is None
    assert announcement(SETUP, "auto", MANY) == announcement(long, "auto")
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: True)
    monkeypatch.setattr(compiling, "_load", lambda: True)
    assert announcement(long, "auto") is None


def test_many_short_runs_have_the_engine_that_is_best_for_all_of_them(monkeypatch):
    """Runs of which each is over too soon for numba use it together, unless they would wait for its code."""
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: True)
    monkeypatch.setattr(compiling, "_load", lambda: True)

    assert engine_name("auto", SETUP) == "numpy"
    assert [*engines_for_many("auto", SETUP, 1)] == ["auto"]
    assert {*engines_for_many("auto", SETUP, MANY)} == {"numba"}
    assert {*engines_for_many("numpy", SETUP, MANY)} == {"numpy"}


@pytest.mark.parametrize(("load", "later"), [(True, "numba"), (False, "auto")])
def test_many_runs_change_over_when_their_code_is_there(monkeypatch, load, later):
    """What many short runs need is compiled beside the first of them, and taken by those that begin later."""
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)
    monkeypatch.setattr(run_module, "begin", lambda _: Change(Work(60, 1), Done(4), lambda: load))

    assert [*engines_for_many("auto", SETUP, MANY)] == ["auto"] * 3 + [later] * (MANY - 3)


def test_the_last_runs_do_not_change_over(monkeypatch):
    """Where little is left when code is there, loading it would take longer than it saves."""
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)
    monkeypatch.setattr(run_module, "begin", lambda _: Change(Work(60, 1), Done(MANY), lambda: True))

    assert {*engines_for_many("auto", SETUP, MANY)} == {"auto"}


@pytest.mark.parametrize(("steps", "does"), [(10**7, "compile_soon"), (10**4, "compile_behind")])
def test_where_much_is_saved_compiling_does_not_wait(monkeypatch, tmp_path, steps, does):
    """A run of minutes has its code soon, beside itself; one that is soon over is not held up by it."""
    asked = []
    monkeypatch.setattr(compiling.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(compiling, "_may_be_kept", lambda: False)
    monkeypatch.setattr(compiling, "_OwnProcess", lambda claim, program: (claim.release(), asked.append(program)))

    compiling.begin(Work(1000, steps))

    (program,) = asked
    assert f"compiling.{does}()" in program
    assert callable(getattr(compiling, does))


@pytest.mark.parametrize("does", ["compile_soon", "compile_behind"])
@pytest.mark.parametrize("limit", ["MAX_WORK", "MAX_LIFE"])
def test_the_other_process_ends(limit, does, tmp_path):
    """It stops when it has worked or lived too long, whatever it does just then: here before it has loaded numba."""
    code = f"from boidsgen.simulation import compiling; compiling.{limit} = 0.01; compiling.{does}(); print('done')"
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True, timeout=50)

    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")


def test_nothing_compiled_is_nothing_kept(monkeypatch, tmp_path):
    """Looking for machine code that is not there does not make it."""
    from numba import config, njit, types

    from boidsgen.simulation.neighbors import compiled

    following = njit(_following)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(compiled.SIGNATURES, following, types.int64(types.int64))

    assert not compiled.is_loaded(following)
    assert compiled.machine_code(following)(1) == 2
    compiled._loaded.pop(following)
    assert compiled.is_loaded(following)
    assert compiled._loaded.pop(following)(2) == 3


def test_a_change_in_any_file_of_the_kernel_is_noticed(monkeypatch, tmp_path):
    """What was compiled from other files than these is not loaded, and all that parts come from is among them."""
    from numba import config, njit, types

    from boidsgen.simulation.neighbors import compiled

    following = njit(_following)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(compiled.SIGNATURES, following, types.int64(types.int64))
    compiled.machine_code(following)
    compiled._loaded.pop(following)
    parts = [value for part in compiled.PARTS for value in vars(part).values() if hasattr(value, "py_func")]

    assert {part.py_func.__module__ for part in parts} <= {part.__name__ for part in compiled.PARTS}
    monkeypatch.setattr(compiled, "getsource", lambda _: "changed")
    compiled._source_of_parts.cache_clear()
    assert not compiled.is_loaded(following)
    monkeypatch.undo()
    compiled._source_of_parts.cache_clear()


def _following(number):
    return number + 1


def test_where_code_is_kept_is_told():
    """`doctor` can say it in one line: where, and whether it is there."""
    assert re.search(r"all there, writable$|to come .*, writable$|^cannot be kept", compiling.where_kept())
