"""Guarantees of every command: help, examples, options, results as JSON, and completion."""

import inspect
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from boidsgen import load_scenario
from boidsgen.cli.main import load_commands
from boidsgen.cli.options import complete_key, complete_scenario, complete_setting
from boidsgen.scenario.reference import explained_key
from tests.documentation import examples_of

COMMANDS = load_commands()
NAMES = [command.__name__ for command in COMMANDS]


@pytest.mark.parametrize("name", ["", *NAMES, "help"])
def test_help(boidsgen, monkeypatch, name):
    """`help X`, `X --help` and `X -h` are equal, fit a terminal of 80 columns, and show no types of Python."""
    monkeypatch.setenv("COLUMNS", "80")
    ran = boidsgen(*[name] if name else [], "--help")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths[0].startswith(f"Usage: boidsgen {name}".rstrip())
    assert max(map(len, ran.paths)) <= 80
    assert not [word for word in ("<list", "<str", "{", "\b") if word in ran.out]
    assert boidsgen("help", *[name] if name else []).out == boidsgen(*[name] if name else [], "-h").out == ran.out


def test_list_of_commands(boidsgen, monkeypatch):
    """Every command has one line, a sentence; without arguments the list goes to standard error."""
    monkeypatch.setenv("COLUMNS", "80")
    listed = boidsgen("help").out.partition("Commands:\n")[2].splitlines()
    alone = boidsgen()

    assert [line.split()[0] for line in listed] == [*NAMES, "help"]
    assert all(line.endswith(".") for line in listed)
    assert (alone.code, alone.out, alone.err) == (2, "", boidsgen("--help").out)


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_examples_and_options(boidsgen, command):
    """Help shows the examples as they are typed, and every option with a description."""
    shown = boidsgen(command.__name__, "--help").out
    examples = examples_of(command)

    assert [line.strip() for line in shown.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()] == examples
    assert {shlex.split(line)[1] for line in examples} == {command.__name__}
    for parameter in inspect.signature(command).parameters.values():
        assert parameter.annotation.__metadata__[0].help.endswith((".", ";"))


SHARED = {
    "as_json": {*NAMES} - {"show", "explain", "new", "schema"},
    "seed": {"render", "still", "check", "compare", "measure", "simulate", "sweep"},
    "frames": {"render", "still", "check", "compare", "measure", "simulate", "sweep"},
    "size": {"render", "still", "check", "compare", "sweep"},
    "engine": {"render", "still", "compare", "measure", "simulate", "replay", "sweep"},
    "no_clobber": {"render", "still", "compare", "measure", "simulate", "replay", "plot"},
    "show": {"render", "still", "compare", "measure", "replay", "plot"},
}


@pytest.mark.parametrize(("option", "commands"), SHARED.items())
def test_siblings_share_their_options(option, commands):
    """Every option is offered by all commands to which it applies."""
    assert {one.__name__ for one in COMMANDS if option in inspect.signature(one).parameters} == commands


RESULTS = {
    "render": ("a.gif", {"frames", "duration", "seed", "digest", "seconds", "engine"}),
    "still": ("a.png", {"at", "seed", "seconds", "engine"}),
    "compare": ("b.gif", {"frames", "duration", "seed", "digest", "seconds", "engine"}),
    "measure": ("a.csv", {"rows", "seed", "engine"}),
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


FAILURES = [
    (["render", "small.toml", "--frames", "0"], 3, "--frames 0: must be at least 1, not 0"),
    (["render", "nowhere.toml"], 5, "nowhere.toml: neither a file nor a shipped preset"),
    (["render", "small.toml", "-o", "nowhere/a.gif"], 5, "there is no directory"),
    (["render"], 2, "missing argument 'SCENARIO...' (see boidsgen render --help)"),
    (["render", "small.toml", "--set", "flock.count=1000000000"], 8, "1,000,000,000 boids wanted"),
    (["render", "small.toml", "-o", "small.gif", "--no-clobber"], 4, "small.gif"),
    (["new", "small.toml"], 4, "small.toml: is there already"),
]


@pytest.mark.parametrize(("arguments", "code", "error"), FAILURES)
def test_failures_as_json(boidsgen, arguments, code, error):
    """With --json a failure is one object on standard error with message and exit code; nothing is changed."""
    Path("small.gif").write_bytes(b"old")
    before = sorted(Path().iterdir())
    as_json = [] if arguments[0] == "new" else ["--json"]
    ran = boidsgen(*arguments, *as_json)

    assert (ran.code, ran.out, len(ran.err.splitlines())) == (code, "", 1)
    assert error in ran.err
    assert not as_json or json.loads(ran.err)["exit_code"] == code
    assert sorted(Path().iterdir()) == before
    assert Path("small.gif").read_bytes() == b"old"


def test_completion_offers_presets_keys_and_words():
    """Half-written presets, keys and values are completed; every key that is offered can be explained."""
    assert complete_scenario("couz") == ["couzin-highly-parallel", "couzin-parallel", "couzin-swarm", "couzin-torus"]
    assert load_scenario(complete_scenario("hu")[0])
    assert complete_setting("flock.cohesion.w") == ["flock.cohesion.weight="]
    assert complete_setting("style.theme=p") == ["style.theme=paper", "style.theme=plot"]
    assert complete_setting("world.boundary=t") == ["world.boundary=teleport", "world.boundary=torus"]
    assert complete_setting("flock.count=") == []
    assert all(explained_key(name) for name in complete_key(""))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_for_every_shell(shell):
    """Each shell gets a script that calls the program."""
    environment = {**os.environ, "_BOIDSGEN_COMPLETE": f"source_{shell}"}
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'boidsgen'; from boidsgen.__main__ import main; main()"]
    script = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout

    assert "_BOIDSGEN_COMPLETE" in script
