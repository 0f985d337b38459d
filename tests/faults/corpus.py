"""Bad scenarios and the exact words about each: `corpus/NAME.toml` and `corpus/NAME.txt`.

A scenario that once made trouble belongs here. `python -m tests.faults.corpus` writes the words anew; read what changed
before you commit it, since they are what users see.
"""

import io
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from boidsgen.cli.program import run

FOLDER = Path(__file__).with_name("corpus")


def scenarios():
    """The files, by name."""
    return sorted(FOLDER.glob("*.toml"))


def words(path):
    """What `boidsgen check` says about a file: its exit code, then its lines."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(path.parent), redirect_stdout(out), redirect_stderr(err):
        code = run(["check", path.name])
    return f"exit {code}\n{out.getvalue()}{err.getvalue()}"


def told(path):
    """Where the words about a file stand."""
    return path.with_suffix(".txt")


if __name__ == "__main__":
    for one in scenarios():
        told(one).write_text(words(one), encoding="utf-8")
    sys.stdout.write(f"{FOLDER}\n")
