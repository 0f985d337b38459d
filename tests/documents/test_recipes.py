"""The workflow and the container of the how-to pages: what they run is understood, and the image gets all it needs."""

import re
import shlex
import tomllib
from glob import glob
from pathlib import Path

import pytest

from boidsgen.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "how-to"
CONTAINER = (PAGES / "container.md").read_text("utf-8")
WORKFLOW = (PAGES / "automation.md").read_text("utf-8")
CI = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
SHORT = ["--set", "time.frames=2"]


def _of_the_image(text):
    """What every `docker run` hands to the program."""
    joined = text.replace("\\\n", "")
    return [line.strip() for line in re.findall(r"docker run .* boidsgen (.+)$", joined, re.MULTILINE)]


def _in_the_workflow():
    return re.findall(r"^ +- run: boidsgen (.+)$", WORKFLOW, re.MULTILINE)


@pytest.mark.parametrize("line", [*_of_the_image(CONTAINER), *_of_the_image(CI), *_in_the_workflow()])
def test_commands_of_the_recipes_work(line, tmp_path, monkeypatch):
    """Every call of the program in them ends well where the files are that they speak of."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").mkdir()
    for name in ("my.toml", "scenarios/one.toml", "scenarios/two.toml"):
        (tmp_path / name).write_text("title = 'A test'\n")

    arguments = [found for word in shlex.split(line) for found in (sorted(glob(word)) or [word])]  # noqa: PTH207

    assert run([*arguments, *SHORT]) == 0


def test_image_gets_what_the_wheel_is_made_of():
    """Nothing that the project file asks for is kept from the image."""
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    asked = {
        "pyproject.toml",
        project["project"]["readme"],
        *project["project"]["license-files"],
        *wheel["packages"],
        *wheel["force-include"],
        *wheel["shared-data"],
        project["tool"]["hatch"]["version"]["path"],
    }

    assert [path for path in asked if not {path, *(one.as_posix() for one in Path(path).parents)} & let_in] == []
