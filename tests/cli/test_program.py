import json
from importlib import import_module, metadata

import pytest
import typer

from boidsgen.cli.program import exit_codes, in_our_words, program, reference
from boidsgen.errors import EncoderError, Interrupted, LimitError


def test_version(boidsgen):
    """The version is that of the installed package."""
    assert boidsgen("--version").out == f"boidsgen {metadata.version('boidsgen')}\n"


COMMANDS = list(typer.main.get_command(program).commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(boidsgen, command):
    """Each command says what it does."""
    ran = boidsgen(command, "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths[0].startswith(f"Usage: boidsgen {command}")
    assert ran.paths[2].strip()[0].isupper()


RAISED = [
    (EncoderError("no encoder"), 6, "boidsgen: no encoder\n"),
    (MemoryError(), 8, "boidsgen: not enough memory for this scenario\n"),
    (Interrupted(15), 143, "boidsgen: stopped by SIGTERM\n"),
]


@pytest.mark.parametrize(("error", "code", "told"), RAISED)
def test_whatever_is_raised_has_its_code(boidsgen, monkeypatch, error, code, told):
    """One line and one code for everything that is not a bug."""
    monkeypatch.setattr(import_module("boidsgen.pipeline"), "render", _raising(error))
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.out, ran.err) == (code, "", told)


def test_bugs_are_raised(boidsgen, monkeypatch):
    """A bug is not told as a mistake of the user."""
    monkeypatch.setattr(import_module("boidsgen.pipeline"), "render", _raising(ZeroDivisionError("oops")))
    with pytest.raises(ZeroDivisionError):
        boidsgen("render", "small.toml")


FAILURES = [
    (["render", "small.toml", "--frames", "0"], 3, "--frames 0: must be at least 1, not 0"),
    (["render", "nowhere.toml"], 5, "nowhere.toml: neither a file nor a shipped preset"),
    (["render", "small.toml", "-o", "-"], 2, "--json and -o - both want standard output; choose one"),
    (["render"], 2, "missing argument 'SCENARIO...' (see boidsgen render --help)"),
]


@pytest.mark.parametrize(("arguments", "code", "error"), FAILURES)
def test_failure_as_json(boidsgen, arguments, code, error):
    """With --json the last line on standard error is a record of the failure."""
    ran = boidsgen(*arguments, "--json")

    assert (ran.code, ran.out) == (code, "")
    assert json.loads(ran.err.splitlines()[-1]) == {"error": error, "exit_code": code}


def test_exit_codes():
    """Every code has a meaning of one line, and none is given twice."""
    assert list(exit_codes()) == [*range(11), 129, 130, 131, 138, 140, 142, 143, 149, 152, 154, 155]
    assert all(meaning.endswith(".") for meaning in exit_codes().values())
    assert exit_codes()[3] == "The scenario is not valid; holds every mistake found, one line each."
    assert reference().count("\n") == len(exit_codes()) + 1


def _raising(error):
    def raising(*_, **__):
        raise error

    return raising


@pytest.mark.parametrize(("limit", "told"), [(" (a limit)", LimitError), ("", None)], ids=["limited", "unlimited"])
def test_failing_without_a_reason_is_want_of_memory_where_that_is_limited(limit, told, monkeypatch):
    """Python may have no memory left to say why it fails; without a limit such a failure is a bug like any other."""
    monkeypatch.setattr("boidsgen.system.limit_met", lambda _: limit)
    found = in_our_words(SystemError("<function f at 0x7f> returned NULL without setting an exception"))

    assert (type(found) if found else None) is told
