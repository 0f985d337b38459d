r"""Golden file of messages: small bad scenarios and command lines, each with exactly what the user reads.

In `messages.txt` a case is a block of lines, separated from the next one by an empty line:

    # a comment
    | the lines of my.toml
    @ base.toml          further lines beginning with | belong to this file
    $ check my.toml      a command, or several; without one `check my.toml --strict`
    % render(TOML, "-")  a call of Python, of a name of the package
    > what it prints, and its exit code where that is not 3

A line of a file that begins with `\` instead of `|` contains escapes such as \xff or \u2028.
`pytest tests/messages --store` writes the messages anew: review the change as a diff, since users read it.
"""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import boidsgen
from boidsgen.cli.main import run
from boidsgen.errors import BoidsgenError
from boidsgen.simulation.setup import Setup
from tests.running import in_this_process

CIRCLE: dict[str, object] = {}
CIRCLE["flock"] = CIRCLE
TOML = "[flock]\ncount = 9\n[time]\nframes = 2\n"
NAMES = {name: getattr(boidsgen, name) for name in boidsgen.__all__}
NAMES |= {"__name__": "program", "np": np, "Setup": Setup, "CIRCLE": CIRCLE, "TOML": TOML}
GOLDEN = Path(__file__).with_name("messages.txt")
CASES = GOLDEN.read_text("utf-8").split("\n\n")


def _files(lines):
    """The content of each file of a case, by name."""
    files, name = {}, "my.toml"
    for line in lines:
        if line.startswith("@ "):
            name = line[2:]
        elif line.startswith("|"):
            files.setdefault(name, []).append(line[2:].encode())
        elif line.startswith("\\"):
            escaped = re.sub(r"\\(x..|u....|n|r|\\)", _unescaped, line[2:])
            files.setdefault(name, []).append(escaped.encode("utf-8", "surrogateescape"))
    return {name: b"\n".join(content) for name, content in files.items()}


def _unescaped(found):
    code = found[1]
    if code[0] == "x":
        return bytes([int(code[1:], 16)]).decode("ascii", "surrogateescape")
    return chr(int(code[1:], 16)) if code[0] == "u" else {"n": "\n", "r": "\r", "\\": "\\"}[code]


def _written(case, capsys):
    """The case with what is printed today."""
    lines = [line for line in case.strip("\n").splitlines() if not line.startswith(">")]
    for name, content in _files(lines).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    commands = [line for line in lines if line.startswith(("$ ", "% "))]
    if len(commands) > 1:
        return "\n".join(told for line in lines for told in (line, *_printed(line, capsys)))
    return "\n".join([*lines, *_printed(*(commands or ["$ check my.toml --strict"]), capsys)])


def _printed(line, capsys):
    """What a command or a call prints, and its code; nothing of any other line."""
    if not line.startswith(("$ ", "% ")):
        return []
    code = run(shlex.split(line[2:])) if line.startswith("$ ") else _called(line[2:])
    out, err = capsys.readouterr()
    printed = (err + out).replace(str(Path.cwd()), "HERE").split("\n")[:-1]
    return [*(f"> {one}".rstrip() for one in printed), *([f"> exit {code}"] if code != 3 else [])]


def _called(call):
    """Print the error that a call raises, and give the code of its kind."""
    try:
        eval(call, NAMES)  # noqa: S307  our own file
    except BoidsgenError as error:
        print(f"{type(error).__name__}: {error}")  # noqa: T201
        return error.exit_code
    return 0


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty directory to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    in_this_process(monkeypatch)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.split("\n>")[0][-60:] for case in CASES])
def test_messages_are_those_of_the_golden_file(number, capsys, request):
    """Errors say the place, the reason and what would be right, in exactly these words, and nothing is made."""
    for command, library in (("$ plot", "matplotlib"), ("$ tracks", "pandas")):
        if command in CASES[number]:
            pytest.importorskip(library, reason=f"{library} is an extra")
    written = _written(CASES[number], capsys)
    if request.config.getoption("--store", default=False):
        CASES[number] = written
        GOLDEN.write_text("\n\n".join(CASES) + "\n", "utf-8")

    assert written == CASES[number].strip("\n")
    found = {path.as_posix() for path in Path().rglob("*") if path.is_file()}
    assert found == {*_files(CASES[number].splitlines())} or "\n> exit 0" in written
