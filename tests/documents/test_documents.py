"""README, tutorial, course, how-to pages, presets and schema: everything that stands there works."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from PIL import Image

from boidsgen import load_scenario, render
from boidsgen.cli.check import new
from boidsgen.cli.main import load_commands, make_program, run
from boidsgen.scenario.loading import draft
from boidsgen.scenario.reference import keys_of, sections, template
from boidsgen.scenario.schema import json_schema
from boidsgen.scenario.sources import Source
from tests.documentation import examples_of

ROOT = Path(__file__).parents[2]
HEAVIEST_PICTURE = 1_500_000
"""Bytes that one picture may have."""
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
    """Every line of a shell block that calls the program, and every example of a command's help, each once."""
    pages = {line: "help" for command in load_commands() for line in examples_of(command)}
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.replace("\\\n", "").splitlines():
                if line.startswith("boidsgen "):
                    pages.setdefault(" ".join(line.split()), page.stem)
    return [pytest.param(line, id=f"{page}-{line[:60]}") for line, page in pages.items()]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_toml_renders(block, tmp_path):
    """Every scenario in the documents renders two frames as it stands there."""
    scenario = draft(Source("README.md", "readme", block)).scenario()
    short = scenario.model_copy(update={"time": scenario.time.model_copy(update={"frames": 2})})

    assert render(short, tmp_path / "block.gif").frames == 2


@pytest.fixture(scope="module")
def beforehand(tmp_path_factory):
    """A directory with the files that commands in the documents find where they are called, made once."""
    made = tmp_path_factory.mktemp("beforehand")
    for name in ("my", "starlings", "mine"):
        run(["new", str(made / f"{name}.toml"), "--from", "quickstart"])
    for name in ("flock", "rules"):
        run(["render", "quickstart", "-o", str(made / f"{name}.gif"), "--frames", "2", "--quiet"])
    run(["simulate", "quickstart", "-o", str(made / "run.npz"), "--frames", "2", "--quiet"])
    return made


@pytest.mark.parametrize("line", commands())
def test_every_command_is_understood(line, beforehand, tmp_path, monkeypatch):
    """Every command in the documents is accepted: made short by --frames where it takes that, it ends with 0."""
    shutil.copytree(beforehand, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(line)[1:]
    if arguments[0] == "plot":  # what the command before it in the document has made
        tiny = ["--set", "time.warmup=0", "--frames", "2", "--measure", "polarization"]
        run(["sweep", "vicsek", "--measures-only", "-o", arguments[1], "--seeds", "1", *tiny])
    if "new" in arguments:
        Path(arguments[1]).unlink(missing_ok=True)

    assert run([*arguments, *_shorter(arguments)]) == 0


def pictured():
    """Every picture that stands below a command, with that command."""
    for page in PAGES:
        found = re.findall(r"^```sh\n([^`]+)^```\n\n!\[[^]]*\]\(([^)]+)\)", page.read_text("utf-8"), re.MULTILINE)
        for block, picture in found:
            line = block.replace("\\\n", "").splitlines()[-1]
            yield pytest.param(line, page.parent / picture, id=f"{page.stem}-{picture}")


@pytest.mark.parametrize(("line", "picture"), list(pictured()))
def test_a_picture_below_a_command_is_of_its_scenarios(line, picture):
    """What a picture carries names the scenarios that the command above it renders."""
    with Image.open(picture) as opened:
        carried = str(opened.info.get("Comment", opened.info.get("comment")))
    shown = [word for word in shlex.split(line)[2:] if word in {preset.stem for preset in PRESETS}]

    assert shown
    assert [load_scenario(name).title for name in shown if load_scenario(name).title not in carried] == []


def sessions():
    """Every command of a console block with what is printed below it, where something is, and its page."""
    for page in PAGES:
        for block in blocks(page, "console"):
            whole = block.replace("\\\n", "")
            for command, printed in re.findall(r"^\$ (boidsgen .+)\n((?:(?!\$ ).*\n)*)", whole, re.MULTILINE):
                if printed:
                    yield pytest.param(command, printed, id=f"{page.stem}-{command[:60]}")


@pytest.mark.parametrize(("command", "printed"), list(sessions()))
def test_every_console_shows_what_is_printed(command, printed, tmp_path, monkeypatch, capsys):
    """What a document shows below a command is what the command prints, letter by letter."""
    monkeypatch.chdir(tmp_path)

    run(shlex.split(command)[1:])
    shown = capsys.readouterr()

    assert shown.out + shown.err == printed


def typed():
    """Every command of a console block, with numbers in place of variables, and without what a shell does around it."""
    for page in PAGES:
        for block in blocks(page, "console"):
            for line in re.findall(r"^\$ (.+)$", block.replace("\\\n", ""), re.MULTILINE):
                for command in re.split(r" (?:&&|>|#) ", line):
                    if command.startswith("boidsgen "):
                        yield pytest.param(re.sub(r"\$\w+", "1", command), id=f"{page.stem}-{command[:60]}")


@pytest.mark.parametrize("command", list(typed()))
def test_every_command_of_a_console_is_one(command):
    """Those that take hours or a cluster are not run; yet they have the names, the options and the kinds of values."""
    whole = typer.main.get_command(make_program(load_commands()))
    above = typer.Context(whole, info_name="boidsgen")

    name, found, rest = whole.resolve_command(above, shlex.split(command)[1:])

    assert found.make_context(name, rest, parent=above)


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
        seam = re.search(r"loop_seam=(\d+)", " ".join(arguments))
        return ["--frames", str(2 * int(seam[1])) if seam else "2", *warm]
    if arguments[0] == "still":
        return ["--at", "1"]
    return []


def test_committed_schema_is_the_generated_one():
    """The schema that editors use is the one the program prints."""
    assert json.loads((ROOT / "configs" / "scenario.schema.json").read_text("utf-8")) == json_schema()


def test_pictures_of_the_documents_are_there():
    """Every picture that a page shows is committed, and none is heavy; that of `quickstart` is below a megabyte."""
    for page in PAGES:
        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text("utf-8")):
            assert (page.parent / picture).is_file()
            assert (page.parent / picture).stat().st_size <= HEAVIEST_PICTURE
    assert (ROOT / "docs" / "pictures" / "quickstart.gif").stat().st_size < 1_000_000


def test_new_lists_every_key():
    """The file that `new` writes without --from has every key of tables of one kind, and names the other kinds."""
    listed = template()

    assert "Without --from it lists every table with its keys" in (new.__doc__ or "")
    assert [key for one in sections() if not one.kind for key in keys_of(one.table) if key not in listed] == []
    assert [one.kind for one in sections() if one.kind not in listed] == []
