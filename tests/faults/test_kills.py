"""A render stopped at random moments: afterwards there is the old content or the complete new one."""

import random
import re
import signal
import subprocess
import time
from importlib import import_module

import pytest

from boidsgen import system
from boidsgen.output import parts
from tests.faults.processes import alive, children, finish, gone, start, start_python, until
from tests.faults.setting import PRODUCTS, amount, content, leftovers, without_leftovers
from tests.systems import WINDOWS, posix

pytestmark = pytest.mark.faults

KILL = 9
SIGNALS = (KILL, *(pytest.param(number, marks=posix) for number in (signal.SIGTERM, signal.SIGINT, 1)))
"""On Windows one process can end another, and that cannot be heard."""
ROUNDS = amount(3, 100)
KINDS = ("gif", "mp4", "png")
FRAMES = 60
OURS = re.compile(r'boidsgen.__main__\.py", line [0-9]+, in main\n')
"""In a traceback: not of Python's own start, in which there is another `main`."""
ENDED = 1 if WINDOWS else 0
"""The exit code of a process that was ended, where it does not tell the signal."""
EARLY = 0.2
"""How often the signal comes while the program starts."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What each product is when nobody disturbs it, and how long that takes from the first sign of it."""
    found = {}
    for kind in KINDS:
        directory = tmp_path_factory.mktemp(kind)
        prepare(directory)
        process = start(*arguments(kind), cwd=directory)
        until(lambda at=directory: leftovers(at), process)
        began = time.monotonic()
        code, *_ = finish(process)
        assert code == 0
        found[kind] = content(directory), time.monotonic() - began
    return found


def prepare(directory):
    """One scenario; the outputs of an earlier run come later."""
    (directory / "small.toml").write_text("[world]\nsize = [64, 48]\n[flock]\ncount = 5\n")


def arguments(kind):
    """The command line of a render that takes a moment."""
    return [*PRODUCTS[kind].arguments, "--frames", FRAMES]


def name_of(number):
    """What a signal is called here."""
    return system.signal_name(number) if number != KILL else "SIGKILL"


@pytest.mark.parametrize("number", SIGNALS, ids=name_of)
@pytest.mark.parametrize("turn", range(ROUNDS))
def test_killed_at_random(turn, number, undisturbed, tmp_path):
    """T30, T31, T41, T19: old or complete, ffmpeg gone within seconds, and the next run is as if nothing had been."""
    chance = random.Random(f"{turn} {number}")  # noqa: S311  no secret
    kind = KINDS[(turn + number) % len(KINDS)]
    new, duration = undisturbed[kind]
    prepare(tmp_path)
    PRODUCTS[kind].put_old(tmp_path)
    old = content(tmp_path)
    process = start(*arguments(kind), cwd=tmp_path)
    if chance.random() < EARLY:
        wait(process, chance.uniform(0, 0.5))
    elif until(lambda: leftovers(tmp_path), process):
        wait(process, chance.uniform(0, 1.1) * duration)
    offspring = children(process.pid)
    end(process, number)
    code, _, err = finish(process)

    # While Python itself starts and ends, a signal does what it always does; until `main` begins nobody can help it.
    started = not err.startswith("Fatal Python error: init_") and "KeyboardInterrupt" not in err
    pythons_own = number == signal.SIGINT and not started and not OURS.search(err)
    assert code in {0, -number, 128 + number, ENDED} or (code == 1 and pythons_own), err
    assert without_leftovers(content(tmp_path)) in (old, new)
    if number != KILL:
        assert leftovers(tmp_path) == []
        said = f"boidsgen: stopped by {name_of(number)}\n" if code > 0 else ""
        assert err == said or (code in {1, -number} and pythons_own)
    gone(offspring)
    again(kind, tmp_path, new)


def end(process, number):
    """Send a signal, or end the process where there is none that it would not hear."""
    if number == KILL:
        process.kill()
    else:
        process.send_signal(number)


def wait(process, seconds):
    """Let the process run for some time, unless it ends before."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def again(kind, directory, new):
    """The next run succeeds, tells what it took away, and gives the bytes of an undisturbed one."""
    stale = leftovers(directory)
    code, _, err = finish(start(*arguments(kind), cwd=directory))

    assert code == 0
    assert err.count("left behind by a render that was killed") == len(stale)
    assert content(directory) == new


GAP = """
import os, sys
from pathlib import Path
from boidsgen import system
from boidsgen.cli.main import run
renamed = Path.rename
def rename(path, target):
    renamed(path, target)
    if target.suffix == ".aside":
        os._exit(9)
system.exchange = lambda *_: False
Path.rename = rename
run(sys.argv[1:])
"""


def test_killed_while_the_older_folder_is_aside(boidsgen, here):
    """T30, T40: ended between two renames, the older folder comes back with the next render, and is not lost."""
    wanted = PRODUCTS["png"]
    wanted.put_old(here)
    old = content(here)
    ended = start_python("-c", GAP, *wanted.arguments, cwd=here)

    assert finish(ended)[0] == KILL
    assert not (here / wanted.name).exists()
    ran = boidsgen(*wanted.arguments, "--no-clobber")
    assert (ran.code, without_leftovers(content(here))) == (4, old)
    assert boidsgen(*wanted.arguments).code == 0
    assert leftovers(here) == []


def test_a_signal_when_all_is_done(boidsgen, here, monkeypatch):
    """T30: a signal behind the last step is told like any other, and the output is complete."""
    assert boidsgen(*PRODUCTS["gif"].arguments).code == 0
    new = content(here)
    PRODUCTS["gif"].put_old(here)
    monkeypatch.setattr(parts, "remove_begun", lambda: signal.raise_signal(signal.SIGTERM))
    ran = boidsgen(*PRODUCTS["gif"].arguments)

    assert (ran.code, ran.err) == (143, "boidsgen: stopped by SIGTERM\n")
    assert content(here) == new


def test_a_signal_that_becomes_another_error(boidsgen, monkeypatch):
    """T30: whatever a library makes of an interruption, such as an ImportError, it is told as what it was."""

    def importing(*_, **__):
        with pytest.raises(BaseException, match="15"):
            signal.raise_signal(signal.SIGTERM)
        raise ImportError("multiarray failed to import")

    monkeypatch.setattr(import_module("boidsgen.pipeline"), "render", importing)
    ran = boidsgen("render", "small.toml", "-o", "flock.gif")

    assert (ran.code, ran.err) == (143, "boidsgen: stopped by SIGTERM\n")


def test_a_signal_while_the_encoder_starts(boidsgen, here, monkeypatch):
    """T30: ffmpeg is known from its first moment, and never outlives the program to write into a file of its own."""
    started = []
    assert boidsgen(*PRODUCTS["mp4"].arguments).code == 0  # from now on the place of ffmpeg is known

    class Late(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self.pid)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Late)
    before = content(here)
    ran = boidsgen(*PRODUCTS["mp4"].arguments)

    assert (ran.code, ran.err) == (143, "boidsgen: stopped by SIGTERM\n")
    assert len(started) == 1
    assert not alive(started[0])
    assert content(here) == before


def test_a_system_that_cannot_exchange_folders(boidsgen, here, monkeypatch):
    """T40: where two folders cannot change places in one step, the older one steps aside."""
    wanted = PRODUCTS["png"]
    assert boidsgen(*wanted.arguments).code == 0
    new = content(here)
    wanted.put_old(here)
    monkeypatch.setattr(system, "exchange", lambda *_: False)

    assert boidsgen(*wanted.arguments).code == 0
    assert content(here) == new
