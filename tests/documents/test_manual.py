"""The manual page: it is what the program gives, is installed, and is read by what shows such pages."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from boidsgen.cli.main import exit_codes, load_commands
from tests.manual import MANUAL, manual_page

ROOT = Path(__file__).parents[2]


def test_committed_page_is_the_generated_one():
    """The page that is installed says what the help says."""
    assert MANUAL.read_text("utf-8") == manual_page(), "`just docs` makes it anew"


def test_page_shows_every_command_option_and_exit_code(boidsgen_help):
    """As a reader sees it: each option of each command stands below its name."""
    if not shutil.which("groff"):
        pytest.skip("needs groff")
    command = ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=100n", str(MANUAL)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    for one in load_commands():
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
