import os
import signal
import time
from importlib import import_module, metadata

import pytest

from boidsgen import system
from boidsgen.cli.main import _signals, exit_code_table, exit_codes
from boidsgen.errors import EncoderError, Interrupted


def test_version(boidsgen):
    """The version is that of the installed package."""
    assert boidsgen("--version").out == f"boidsgen {metadata.version('boidsgen')}\n"


RAISED = [
    (EncoderError("no encoder"), 6, "boidsgen: no encoder\n"),
    (MemoryError(), 8, "boidsgen: not enough memory for this scenario\n"),
    (ImportError("libx.so: failed to map segment"), 8, "boidsgen: not enough memory to begin with\n"),
    (RuntimeError("can't start new thread"), 8, "boidsgen: the system allows no further thread\n"),
    (OSError(28, "No space left", "a.gif"), 5, "boidsgen: a.gif: No space left\n"),
    (Interrupted(15), 143, "boidsgen: stopped by SIGTERM\n"),
]


@pytest.mark.parametrize(("error", "code", "message"), RAISED)
def test_every_failure_has_its_code(boidsgen, monkeypatch, error, code, message):
    """One line and one exit code for everything that is not a bug."""
    monkeypatch.setattr(import_module("boidsgen.pipeline"), "render", _raising(error))
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.out, ran.err) == (code, "", message)


def test_bugs_are_raised(boidsgen, monkeypatch):
    """A bug is not reported as an error of the user."""
    monkeypatch.setattr(import_module("boidsgen.pipeline"), "render", _raising(ZeroDivisionError("oops")))
    with pytest.raises(ZeroDivisionError):
        boidsgen("render", "small.toml")


def _raising(error):
    def raising(*_, **__):
        raise error

    return raising


def test_exit_codes():
    """Every exit code has a meaning of one line, and none is given twice."""
    assert list(exit_codes()) == [*range(11), 129, 130, 131, 138, 140, 142, 143, 149, 152, 154, 155]
    assert all(meaning.endswith(".") for meaning in exit_codes().values())
    assert exit_code_table().count("\n") == len(exit_codes()) + 1


@pytest.mark.parametrize("number", system.STOPPING)
def test_ignored_signal_stays_ignored(number):
    """A signal that the caller ignores, as nohup does, is not handled."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with _signals() as stop:
            signal.raise_signal(number)
        kept = signal.getsignal(number)
    finally:
        signal.signal(number, before)

    assert (stop.number, kept) == (None, signal.SIG_IGN)


def test_first_signal_raises_and_others_wait(monkeypatch):
    """Clean-up is not interrupted again, except by a second SIGINT, which ends the process at once."""
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    before = [signal.getsignal(number) for number in system.STOPPING]
    with _signals():
        with pytest.raises(Interrupted) as caught:
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    assert (caught.value.exit_code, ended) == (143, [130])
    assert [signal.getsignal(number) for number in system.STOPPING] == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_dropped_signal_comes_again(number):
    """A signal that arrives where Python cannot raise, as in a destructor, stops the program all the same."""

    class Deaf:
        def __del__(self):
            signal.raise_signal(number)

    def deaf_for_a_moment():
        Deaf()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            pass

    with _signals(), pytest.raises(Interrupted) as caught:
        deaf_for_a_moment()

    assert caught.value.exit_code == 128 + number
