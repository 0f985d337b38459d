"""The manual page: it is what the program gives, is installed, and is read by what shows such pages."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from boidsgen.cli.main import COMMANDS, exit_codes
from tests.manual import MANUAL, manual_page

ROOT = Path(__file__).parents[2]
READERS = [["groff", "-man", "-ww", "-Tutf8"], ["man", "--warnings=w", "-l"], ["mandoc", "-Tlint"]]
"""What shows manual pages, told to complain."""


def test_committed_page_is_the_generated_one():
    """The page that is installed says what the help says."""
    assert MANUAL.read_text("utf-8") == manual_page(), "`just docs` makes it anew"


def test_page_is_installed():
    """A wheel has it, where `man` looks for pages of an environment."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]

    assert shared == {MANUAL.relative_to(ROOT).as_posix(): "share/man/man1/boidsgen.1"}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader[0])
def test_page_is_read_without_a_warning(reader):
    """Whatever shows manual pages here has nothing to complain of."""
    if not shutil.which(reader[0]):
        pytest.skip(f"needs {reader[0]}")
    ran = subprocess.run([*reader, str(MANUAL)], capture_output=True, text=True, check=False, timeout=60)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert reader[0] != "mandoc" or ran.stdout == ""


def test_readers_complain(tmp_path):
    """A macro that does not exist is noticed, so that a page without a warning means something."""
    if not shutil.which("groff"):
        pytest.skip("needs groff")
    spoiled = tmp_path / "spoiled.1"
    spoiled.write_text(MANUAL.read_text("utf-8") + ".NOSUCH\n", "utf-8")

    assert subprocess.run([*READERS[0], str(spoiled)], capture_output=True, text=True, check=True).stderr


def test_page_shows_every_command_option_and_exit_code(boidsgen_help):
    """As a reader sees it: each option of each command stands below its name."""
    if not shutil.which("groff"):
        pytest.skip("needs groff")
    command = ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=100n", str(MANUAL)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    for one in COMMANDS:
        part = re.search(rf"^   {one.__name__}\n(.*?)^(   \w|\w)", shown, re.MULTILINE | re.DOTALL)
        assert part, one
        declared = re.findall(r"^  (?:-\w, )?(--[\w-]+)", boidsgen_help(one.__name__), re.MULTILINE)
        assert [option for option in declared if option not in part[1]] == []
    assert [code for code in exit_codes() if not re.search(rf"^       {code}\s", shown, re.MULTILINE)] == []


@pytest.fixture
def boidsgen_help(capsys):
    """Gives the help of a command."""
    from boidsgen.cli.main import run

    def told(name):
        run(["help", name])
        return capsys.readouterr().out

    return told
