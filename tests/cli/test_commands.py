"""Guarantees of every command: help, examples, results and failures as JSON, exit codes, and completion."""

import inspect
import json
import re
import shlex
import subprocess
import sys
from importlib import metadata

import pytest

from boidsgen import load_scenario, pipeline
from boidsgen.cli.main import exit_codes, load_commands
from boidsgen.cli.options import complete_format, complete_key, complete_scenario, complete_setting
from boidsgen.errors import EncoderError, Interrupted
from boidsgen.scenario.reference import explained_key
from docs.programs.reference import examples_of
from tests.running import ENVIRONMENT

COMMANDS = load_commands()


@pytest.mark.parametrize("name", ["", *COMMANDS, "help"])
def test_help(boidsgen, monkeypatch, name):
    """`help X`, `X --help` and `X -h` are equal, fit 80 columns, show no types of Python, and each option only once."""
    monkeypatch.setenv("COLUMNS", "80")
    ran = boidsgen(*[name] if name else [], "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths[0].startswith(f"Usage: boidsgen {name}".rstrip())
    assert max(map(len, ran.paths)) <= 80
    assert not [word for word in ("<list", "<str", "{", "\b") if word in ran.out]
    options = ran.out.partition("Options:\n")[2].partition("\n\n")[0].splitlines()
    declared = [line.split("  ")[1] for line in options if line.startswith("  -")]
    assert all(re.fullmatch(r"(-\w, )?--[\w-]+( / --[\w-]+)?( ['A-Z].*)?", one) for one in declared), declared
    assert boidsgen("help", *[name] if name else []).out == boidsgen(*[name] if name else [], "-h").out == ran.out


def test_list_of_commands(boidsgen, monkeypatch):
    """Every command has one line, a sentence; without arguments the list goes to standard error."""
    monkeypatch.setenv("COLUMNS", "80")
    listed = boidsgen("help").out.partition("Commands:\n")[2].splitlines()
    alone = boidsgen()

    assert [line.split()[0] for line in listed] == [*COMMANDS, "help"]
    assert all(line.endswith(".") for line in listed)
    assert (alone.code, alone.out, alone.err) == (2, "", boidsgen("--help").out)
    assert boidsgen("--version").out == f"boidsgen {metadata.version('boidsgen')}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_and_options(boidsgen, name):
    """Help shows the examples as they are typed, and every option with a description."""
    shown = boidsgen(name, "--help").out
    examples = examples_of(COMMANDS[name])

    assert [line.strip() for line in shown.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()] == examples
    assert {shlex.split(line)[1] for line in examples} == {name}
    for parameter in inspect.signature(COMMANDS[name]).parameters.values():
        assert parameter.annotation.__metadata__[0].help.endswith((".", ";"))


RESULTS = {
    "render": ("a.gif", {"alt", "frames", "duration", "seed", "digest", "seconds", "engine"}),
    "still": ("a.png", {"alt", "at", "seed", "seconds", "engine"}),
    "compare": ("b.gif", {"frames", "duration", "seed", "digest", "seconds", "engine"}),
    "measure": ("a.csv", {"rows", "seed", "engine", "runs"}),
    "simulate": ("a.npz", {"frames", "seed", "engine"}),
}


@pytest.mark.parametrize("command", RESULTS)
def test_results_as_json(boidsgen, command):
    """One object a line with the path and the documented fields; never beside an output on the same stream."""
    name, fields = RESULTS[command]
    ran = boidsgen(command, "small.toml", "-o", name, "--json", "--engine", "numpy")
    both = boidsgen(command, "small.toml", "-o", "-", "--json")
    found = json.loads(ran.out)

    assert (ran.code, ran.err) == (0, "")
    assert (found["path"], found["engine"], set(found)) == (name, "numpy", {"path", *fields})
    assert (both.code, both.out) == (2, "")


RAISED = [
    (EncoderError("no encoder"), 6, "boidsgen: no encoder\n"),
    (MemoryError(), 8, "boidsgen: not enough memory for this scenario\n"),
    (ImportError("libx.so: failed to map segment"), 8, "boidsgen: not enough memory to begin with\n"),
    (RuntimeError("can't start new thread"), 8, "boidsgen: the system allows no further thread\n"),
    (OSError(28, "No space left", "a.gif"), 5, "boidsgen: a.gif: No space left\n"),
    (Interrupted(15), 143, "boidsgen: stopped by SIGTERM\n"),
    (ZeroDivisionError("oops"), None, None),
]


@pytest.mark.parametrize(("error", "code", "message"), RAISED, ids=lambda given: type(given).__name__)
def test_every_failure_has_its_code(boidsgen, monkeypatch, error, code, message):
    """One line and one documented exit code for everything that is not a bug; a bug is raised."""

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(pipeline, "render", fail)
    if code is None:
        with pytest.raises(type(error)):
            boidsgen("render", "small.toml")
        return
    ran = boidsgen("render", "small.toml")

    assert (ran.code, ran.out, ran.err) == (code, "", message)
    assert exit_codes()[code].endswith(".")


def test_completion(boidsgen):
    """Half-written presets, keys and values are completed, keys that can be explained; each shell has a script."""
    assert boidsgen("show", complete_scenario("hu")[0]).code == 0
    assert {load_scenario(name).title for name in complete_scenario("couz")}
    assert complete_setting("flock.cohesion.w") == ["flock.cohesion.weight="]
    assert complete_setting("style.theme=p") == ["style.theme=paper", "style.theme=plot"]
    assert complete_setting("world.boundary=t") == [
        f"world.boundary={kind}" for kind in ("teleport", "torus", "turn_back")
    ]
    assert complete_setting("flock.count=") == []
    assert complete_format("h") == ["html"]
    assert all(explained_key(name) for name in complete_key(""))
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'boidsgen'; from boidsgen.__main__ import main; main()"]
    for shell in ("bash", "zsh", "fish", "powershell"):
        environment = {**ENVIRONMENT, "_BOIDSGEN_COMPLETE": f"source_{shell}"}
        script = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout
        assert "_BOIDSGEN_COMPLETE" in script
