r"""Golden file of messages: small bad scenarios and command lines, each with exactly what the user reads.

In `messages.txt` a case is a block of lines, separated from the next one by an empty line:

    # a comment
    | the lines of my.toml
    @ base.toml          further lines beginning with | belong to this file
    $ check my.toml      the command; without it `check my.toml --strict`
    > what it prints, and its exit code where that is not 3

A line of a file that begins with `\` instead of `|` contains escapes such as \xff or \u2028.
`pytest tests/messages --store` writes the messages anew: review the change as a diff, since users read it.
"""

import re
import shlex
from pathlib import Path

import pytest

from boidsgen.cli.main import run

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
        Path(name).write_bytes(content)
    command = next((line[2:] for line in lines if line.startswith("$ ")), "check my.toml --strict")
    code = run(shlex.split(command))
    out, err = capsys.readouterr()
    printed = [f"> {line}".rstrip() for line in (err + out).replace(str(Path.cwd()), "HERE").split("\n")[:-1]]
    return "\n".join([*lines, *printed, *([f"> exit {code}"] if code != 3 else [])])


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty directory to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.split("\n>")[0][-60:] for case in CASES])
def test_messages_are_those_of_the_golden_file(number, capsys, request):
    """Every error is one line with its place, its reason and what would be right, in exactly these words."""
    written = _written(CASES[number], capsys)
    if request.config.getoption("--store", default=False):
        CASES[number] = written
        GOLDEN.write_text("\n\n".join(CASES) + "\n", "utf-8")

    assert written == CASES[number].strip("\n")
