import inspect
import shlex

import pytest

from boidsgen.cli.help import examples_of
from boidsgen.cli.program import COMMANDS

NAMES = [command.__name__ for command in COMMANDS]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("name", ["", *NAMES])
def test_help_fits_a_terminal(boidsgen, name):
    """No line is wider than 80 columns, nothing is cut in mid-sentence, and no type of Python stands there."""
    ran = boidsgen("help", *[name] if name else [])

    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.paths)) <= 80
    assert not [line for line in ran.paths if line.endswith("...") and not line.startswith(("Usage", "  -"))]
    assert not [word for word in ("<list", "<str", "{") if word in ran.out]


def test_list_of_commands_has_a_line_each(boidsgen):
    """What a command does is said in one line, with a full stop."""
    listed = boidsgen("help").out.partition("Commands:\n")[2].splitlines()

    assert [line.split()[0] for line in listed] == [*NAMES, "help"]
    assert all(line.endswith(".") for line in listed)


@pytest.mark.parametrize("name", NAMES)
def test_help_is_a_command(boidsgen, name):
    """`help X` says what `X --help` says."""
    assert boidsgen("help", name).out == boidsgen(name, "--help").out == boidsgen(name, "-h").out


@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_every_help_ends_with_examples(boidsgen, command):
    """They stand as they are typed, a line each; the documents' tests run them."""
    examples = examples_of(command)
    shown = boidsgen(command.__name__, "--help").out

    assert [line.strip() for line in shown.partition("Examples:\n")[2].splitlines()] == examples
    assert {shlex.split(line)[1] for line in examples} == {command.__name__}


MISUSES = [
    (["rendr"], "no such command 'rendr'; did you mean 'render'? (see boidsgen --help)"),
    (["help", "stil"], "no such command 'stil'; did you mean 'still'? (see boidsgen --help)"),
    (["quickstart"], "no such command 'quickstart'; did you mean 'boidsgen render quickstart'? (see boidsgen --help)"),
    (
        ["render", "a", "--theme", "night"],
        "no such option: --theme; keys of a scenario are set by --set, as in --set style.theme=VALUE",
    ),
    (
        ["render", "a", "--count", "3"],
        "no such option: --count; keys of a scenario are set by --set, as in --set flock.count",
    ),
    (["render"], "missing argument 'SCENARIO...' (see boidsgen render --help)"),
    (["render", "--frmes", "3"], "no such option: --frmes"),
    (["render", "-o"], "option '-o' requires an argument (see boidsgen render --help)"),
    (
        ["render", "a", "--frames", "x"],
        "invalid value for '--frames': must be a whole number (see boidsgen render --help)",
    ),
    (["measure", "a", "--seeds", "0"], "invalid value for '--seeds': must be at least 1"),
]


@pytest.mark.parametrize(("arguments", "told"), MISUSES)
def test_wrong_usage_is_told_in_one_line(boidsgen, arguments, told):
    """What is wrong, what would be right, and where to read on, in a line of ours."""
    ran = boidsgen(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert ran.err.startswith(f"boidsgen: {told}")


def test_nothing_asked_is_answered_with_help(boidsgen):
    """The program alone shows its help, which is no result."""
    ran = boidsgen()

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == boidsgen("--help").out


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
    """What makes sense for a command is there."""
    assert {one.__name__ for one in COMMANDS if option in inspect.signature(one).parameters} == commands
