"""README, tutorial, course, how-to pages, presets and schema: everything that stands there works."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest

from boidsgen import load_scenario, render
from boidsgen.cli.help import examples_of
from boidsgen.cli.program import COMMANDS, exit_codes, run
from boidsgen.scenario.loading import draft
from boidsgen.scenario.schema import json_schema
from boidsgen.scenario.sources import Source

ROOT = Path(__file__).parents[2]
PRESETS = sorted((ROOT / "configs").glob("*.toml"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "how-to").glob("*.md"))]


def blocks(page, language):
    """The fenced blocks of a language in a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "toml"))
]


def commands():
    """Every line of a shell block that calls the program, with its page, and every example of a command's help."""
    for command in COMMANDS:
        for line in examples_of(command):
            yield pytest.param(line, id=f"help-{line[:60]}")
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", "").splitlines():
                if line.startswith("boidsgen "):
                    yield pytest.param(line, id=f"{page.stem}-{line[:60]}")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_every_preset_renders(preset, tmp_path):
    """Every file in configs renders two frames as it is, but for their number."""
    scenario = load_scenario(preset, overrides={"time.frames": 2, "time.warmup": 0})

    report = render(scenario, tmp_path / f"two.{scenario.output.format}")

    assert report.frames == 2


@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_every_preset_introduces_itself(preset):
    """A preset begins with a comment and has a title, so that lists and pictures can name it."""
    text = preset.read_text("utf-8")

    assert text.startswith("# ")
    assert tomllib.loads(text)["title"]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_toml_renders(block, tmp_path):
    """Every scenario in the documents renders two frames as it stands there."""
    scenario = draft(Source("README.md", "readme", block)).scenario()
    short = scenario.model_copy(update={"time": scenario.time.model_copy(update={"frames": 2})})

    assert render(short, tmp_path / "block.gif").frames == 2


@pytest.mark.parametrize("line", list(commands()))
def test_every_command_is_understood(line, tmp_path, monkeypatch):
    """Every command in the documents is accepted: made short by --frames where it takes that, it ends with 0."""
    monkeypatch.chdir(tmp_path)
    for name in ("my", "starlings", "mine"):
        run(["new", f"{name}.toml", "--from", "quickstart"])
    for name in ("flock", "rules"):
        run(["render", "quickstart", "-o", f"{name}.gif", "--frames", "2", "--quiet"])
    run(["simulate", "quickstart", "-o", "run.npz", "--frames", "2", "--quiet"])
    arguments = shlex.split(line)[1:]
    if arguments[0] == "plot":  # what the command before it in the document has made
        tiny = ["--set", "time.warmup=0", "--frames", "2", "--measure", "polarization"]
        run(["sweep", "vicsek", "--measures-only", "-o", arguments[1], "--seeds", "1", *tiny])
    if "new" in arguments:
        Path(arguments[1]).unlink(missing_ok=True)

    assert run([*arguments, *_shorter(arguments)]) == 0


def sessions():
    """Every command of a console block with what is printed below it, where something is, and its page."""
    for page in PAGES:
        for block in blocks(page, "console"):
            for command, printed in re.findall(r"^\$ (boidsgen .+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                if printed:
                    yield pytest.param(command, printed, id=f"{page.stem}-{command[:60]}")


@pytest.mark.parametrize(("command", "printed"), list(sessions()))
def test_every_console_shows_what_is_printed(command, printed, tmp_path, monkeypatch, capsys):
    """What a document shows below a command is what the command prints, letter by letter."""
    monkeypatch.chdir(tmp_path)

    run(shlex.split(command)[1:])
    shown = capsys.readouterr()

    assert shown.out + shown.err == printed


SNIPPETS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "python"))
]


@pytest.mark.parametrize("block", SNIPPETS)
def test_every_block_of_python_runs(block, tmp_path, monkeypatch):
    """Every block of Python in the documents runs from its first line to its last, in an empty directory."""
    monkeypatch.chdir(tmp_path)

    exec(compile(block, "block", "exec"), {})  # noqa: S102  our own documents


def _shorter(arguments):
    if arguments[0] in {"render", "compare", "measure", "simulate", "sweep"} and "run.npz" not in arguments:
        warm = ["--set", "time.warmup=0"] if arguments[0] == "sweep" else []
        return ["--frames", "2", *warm]
    if arguments[0] == "still":
        return ["--at", "1"]
    return []


def test_committed_schema_is_the_generated_one():
    """The schema that editors use is the one the program prints."""
    assert json.loads((ROOT / "configs" / "scenario.schema.json").read_text("utf-8")) == json_schema()


def test_every_exit_code_is_documented():
    """The table of exit codes in the documents is the program's."""
    table = re.findall(
        r"^\| (\d+) \| ", (ROOT / "docs" / "reference" / "exit-codes.md").read_text("utf-8"), re.MULTILINE
    )

    assert [int(code) for code in table] == list(exit_codes())


def test_pictures_of_the_documents_are_there():
    """Every picture that a page shows is committed, and the readme's first one is below a megabyte."""
    for page in PAGES:
        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text("utf-8")):
            assert (page.parent / picture).is_file()
    assert (ROOT / "docs" / "pictures" / "quickstart.gif").stat().st_size < 1_000_000


@pytest.mark.parametrize("name", ["quickstart", "murmuration", "trefoil", "hunt", "species", "obstacles"])
def test_show_pieces_flock(name):
    """The presets made to be looked at are flocks, not noise: neighbors fly the same way."""
    from boidsgen.simulation import simulate

    *_, last = simulate(load_scenario(name, overrides={"time.frames": 80, "flock.0.count": 150, "time.warmup": 0}))
    group = last.flocks[0]
    offset = last.setup.world.shortest(group.position[None] - group.position[:, None])
    distance = np.linalg.norm(offset, axis=2)
    np.fill_diagonal(distance, np.inf)
    direction = group.velocity / np.linalg.norm(group.velocity, axis=1)[:, None]
    together = (direction * direction[distance.argmin(axis=1)]).sum(axis=1)

    assert together.mean() > 0.8
