"""README, tutorial, course, how-to pages, presets, schema, manual and notebooks: everything that stands there works."""

import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from PIL import Image

from boidsgen import load_scenario, render
from boidsgen.cli.main import exit_codes, load_commands, make_program, run
from boidsgen.scenario.reference import json_schema
from docs.programs.manual import MANUAL, manual_page
from docs.programs.reference import examples_of
from tests.page.test_links import COHESION, fragment
from tests.running import in_this_process, made_once
from tests.systems import needs_a_scheduler_of_dask

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HEAVIEST_PICTURE = 1_500_000  # Bytes that one picture may have
EVERYTHING = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
FOLDERS = (DOCS, DOCS / "course", DOCS / "how-to")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted(folder.glob("*.md")))]
TEXTS = {page: page.read_text("utf-8") for page in EVERYTHING}
CI = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
TAPLO = ROOT / "tests" / "page" / "node_modules" / ".bin" / "taplo"
IN_THIS_PROCESS = "import boidsgen.jobs as jobs; jobs.Workers = lambda count: jobs.Here()"
"""What `in_this_process` does, for the process of a notebook."""
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def found(language, pattern=r"(?s)\A.+\Z"):
    """What matches a pattern in the fenced blocks of a language on all pages, one parameter each, named by its page."""
    blocks = rf"^```{language}\n(.*?)^```"
    return [
        pytest.param(match, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, match in enumerate(
            match
            for block in re.findall(blocks, TEXTS[page], re.DOTALL | re.MULTILINE)
            for match in re.findall(pattern, block.replace("\\\n", "") if language != "python" else block, re.MULTILINE)
        )
    ]


def commands():
    """Every line of a shell block or a recipe that calls the program, and every example of a command's help, once."""
    recipes = TEXTS[DOCS / "how-to" / "container.md"] + CI
    lines = [line for command in load_commands().values() for line in examples_of(command)]
    lines += [" ".join(one.values[0].split()) for one in found("sh", r"^boidsgen .+$")]
    lines += re.findall(r"docker run .* (boidsgen .+)$", recipes.replace("\\\n", ""), re.MULTILINE)
    lines += re.findall(r"^ +- run: (boidsgen .+)$", TEXTS[DOCS / "how-to" / "automation.md"], re.MULTILINE)
    # One ends by Ctrl-C alone, and one takes minutes; both have tests of their own.
    ending = (line for line in lines if not line.startswith(("boidsgen live", "boidsgen gallery", "boidsgen mcp")))
    return list(dict.fromkeys(re.sub(" +", " ", line) for line in ending))


@pytest.mark.parametrize("block", found("toml"))
def test_every_block_of_toml_renders(block, tmp_path):
    """Every scenario in the documents renders two frames as it stands there."""
    scenario = load_scenario(block)
    short = scenario.model_copy(update={"time": scenario.time.model_copy(update={"frames": 2})})

    assert render(short, tmp_path / "block.gif").frames == 2


@pytest.mark.skipif(not TAPLO.exists(), reason="needs taplo, which `just page` installs")
def test_an_editor_has_nothing_to_underline(tmp_path):
    """The schema lets taplo, by which editors check TOML, pass every preset and every scenario in the documents."""
    blocks = [parameter.values[0] for parameter in found("toml")]
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    for number, text in enumerate([*blocks, "flock.count = 1.5\n"]):
        (tmp_path / f"{number}.toml").write_text(re.sub(r"^#:schema .+\n", "", text), "utf-8")
    schema = (ROOT / "configs" / "scenario.schema.json").as_uri()
    command = [TAPLO, "check", "--schema", schema, "configs/*.toml", "*.toml"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert {*re.findall(r"┌─ (\S+?):", checked.stderr)} == {str(tmp_path / f"{len(blocks)}.toml")}


@pytest.fixture(scope="session")
def beforehand(tmp_path_factory):
    """A directory with the files that commands in the documents find where they are called."""
    with pytest.MonkeyPatch.context() as patch:
        in_this_process(patch)
        return made_once(tmp_path_factory, "beforehand", _prepare)


def _prepare(made):
    for name in ("scenarios", "outputs"):
        (made / name).mkdir()
    for name in ("my", "sardines", "starlings", "mine", "poster", "scenarios/one", "scenarios/two"):
        run(["new", str(made / f"{name}.toml"), "--from", "quickstart"])
    run(["new", str(made / "lesson.toml"), "--from", "lesson"])
    (made / "lesson.md").write_text(re.search(r"(?s)````markdown\n(.+?)````", TEXTS[DOCS / "how-to" / "article.md"])[1])
    shutil.copytree(DOCS / "course" / "five", made / "five")
    for name in ("flock", "rules"):
        run(["render", "quickstart", "-o", str(made / f"{name}.gif"), "--frames", "2", "--quiet"])
    run(["simulate", "quickstart", "-o", str(made / "run.npz"), "--frames", "2", "--quiet"])
    fish = [f"{frame},{animal},{frame * animal},{frame}" for animal in range(1, 4) for frame in range(40)]
    (made / "links.csv").write_text(f"name,link\nAnna,https://example.org/flock.html#{fragment([5, COHESION, 0.0])}\n")
    (made / "fish.csv").write_text("\n".join(["frame,id,x,y", *fish]))
    shutil.copy(ROOT / "tests" / "observations" / "tracks" / "mesa.csv", made / "agents.csv")
    run(["tracks", str(made / "fish.csv"), "--columns", "frame,id,x,y", "--fps", "30", "-o", str(made / "fish.npz")])
    run(["render", "quickstart", "-o", str(made / "film.gif"), "--frames", "20", "--quiet"])
    run(["render", "quickstart", "-o", str(made / "fish.mp4"), "--frames", "20", "--quiet"])
    (made / "pictures").mkdir()
    run(["still", "quickstart", "--at", "0", "-o", str(made / "pictures" / "0000.png"), "--quiet"])
    if find_spec("scipy"):  # else what follows is skipped
        effects = ["--vary", "flock.max_speed=1:4", "--frames", "2", "--measures-only", "-o", str(made / "effects")]
        run(["sweep", "quickstart", "--design", "saltelli", "--runs", "48", "--seeds", "2", *effects, "--quiet"])
    both = ["--vary", "flock.cohesion.weight=0,1", "--vary", "flock.perception.radius=20,40", "--frames", "2"]
    run(["sweep", "quickstart", *both, "--measures-only", "-o", str(made / "regimes"), "--quiet"])
    tiny = ["--set", "time.warmup=0", "--set", "measure.from=0", "--frames", "2", "--measure", "polarization"]
    for name in ("noise", "vicsek"):
        run(["sweep", "vicsek", "--measures-only", "-o", str(made / name), "--seeds", "1", *tiny, "--quiet"])


def shortly(lines):
    """In CI the lines that bring an option that no line before has with this command."""
    known = set()
    for line in lines:
        name, *rest = shlex.split(line)[1:]
        brought = {(name, option) for one in ("", *rest) for option in re.findall(r"^(?:--?[\w-]+|)", one)}
        yield pytest.param(line, marks=pytest.mark.slow if brought <= known else [])
        known |= brought


@pytest.mark.parametrize("line", [*shortly(commands())])
def test_every_command_works(line, beforehand, tmp_path, monkeypatch):
    """Every command in the documents is accepted: made short by --frames where it takes that, it ends with 0."""
    if "sensitivity" in line:
        pytest.importorskip("scipy")
    arguments = [name for word in shlex.split(line)[1:] for name in (sorted(glob(word, root_dir=beforehand)) or [word])]  # noqa: PTH207
    shutil.copytree(beforehand, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*_made(arguments)))
    monkeypatch.chdir(tmp_path)
    if "--jobs" not in arguments:
        in_this_process(monkeypatch)

    assert run([*arguments, *_shorter(arguments)]) == 0


def _made(arguments):
    """The names of what a command makes, which is not there before."""
    return (
        arguments[1:2]
        if arguments[0] == "new"
        else ["noise", "vicsek", "regimes"]
        if arguments[0] not in {"plot", "describe"}
        else []
    )


def _shorter(arguments):
    if arguments[0] in {"render", "compare", "measure", "simulate", "sweep", "audit"} and "run.npz" not in arguments:
        warm = ["--set", "time.warmup=0", "--set", "measure.from=0"]
        seam = re.search(r"loop_seam=(\d+)", " ".join(arguments))
        closed = ["--set", "output.loop_seam=0"] if "word" in arguments else []
        return ["--frames", str(2 * int(seam[1])) if seam else "2", *warm, *closed]
    exposed = ["--exposure", "2"] if "--exposure" in arguments else []
    return {"still": ["--at", "1", *exposed], "fit": ["--runs", "100"]}.get(arguments[0], [])


@pytest.mark.parametrize("session", found("console", r"^\$ boidsgen .+\n(?:(?!\$ ).*\n)+"))
def test_every_console_shows_what_is_printed(session, tmp_path, monkeypatch, capsys):
    """What a document shows below a command is what the command prints, letter by letter."""
    monkeypatch.chdir(tmp_path)
    command, _, printed = session.partition("\n")

    run(shlex.split(command)[2:])
    shown = capsys.readouterr()

    assert shown.out + shown.err == printed


@pytest.mark.parametrize("line", found("console", r"^\$ (.+)$"))
def test_every_command_of_a_console_is_one(line):
    """Those that take hours or a cluster are not run; yet they have the names, the options and the kinds of values."""
    for command in re.split(r" (?:&&|>|#) ", line):  # without what a shell does around it
        if command.startswith("boidsgen "):
            assert_known(shlex.split(re.sub(r"\$\w+", "1", command))[1:])


@pytest.mark.parametrize("line", commands())
def test_every_command_is_one(line):
    """So have those that are run."""
    assert_known(shlex.split(line)[1:])


def assert_known(words):
    """There is such a command, with these options, and values of their kinds."""
    whole = typer.main.get_command(make_program(load_commands()))
    above = typer.Context(whole, info_name="boidsgen")
    name, called, rest = whole.resolve_command(above, words)

    assert called.make_context(name, rest, parent=above)


LONG = {"cluster-1", "fit-0"}  # Blocks that take many seconds; CI runs another one on a cluster, and fits by a command


def in_full(parameters):
    """Leave the long ones to the long form."""
    return [pytest.param(*one.values, id=one.id, marks=[pytest.mark.slow] * (one.id in LONG)) for one in parameters]


@pytest.mark.parametrize("block", in_full(found("python")))
def test_every_block_of_python_runs(block, tmp_path, monkeypatch):
    """Every block of Python in the documents runs from its first line to its last, in an empty directory."""
    if "distributed" in block or "dask_jobqueue" in block:
        dask = pytest.importorskip("distributed", reason="Dask is an extra: pip install 'boidsgen[dask]'")
        needs_a_scheduler_of_dask()

        def submitted(*, cores, memory, walltime):
            """A cluster on this machine in the place of one whose workers are jobs."""
            assert (memory, walltime) == ("2GB", "01:00:00")
            return dask.LocalCluster(n_workers=0, threads_per_worker=cores, dashboard_address=None, host="127.0.0.1")

        monkeypatch.setitem(sys.modules, "dask_jobqueue", SimpleNamespace(SLURMCluster=submitted))
    monkeypatch.chdir(tmp_path)
    in_this_process(monkeypatch)

    exec(compile(block, "block", "exec"), {"__name__": "__main__"})  # noqa: S102  our own documents


@pytest.mark.parametrize("said", re.findall(r"identical: \d+ frames?", "\n".join(map(TEXTS.get, PAGES))))
def test_a_verdict_in_a_document_is_that_of_replay(said, tmp_path, monkeypatch, capsys):
    """Where a document quotes what `replay` prints, `replay` prints that for the gif of quickstart, of which it is."""
    monkeypatch.chdir(tmp_path)
    run(["render", "quickstart", "-o", "anna.gif", "--set", "flock.alignment.weight=0"])
    run(["replay", "anna.gif", "-o", "again.gif"])

    assert capsys.readouterr().err == f"boidsgen: {said}\n"


def test_numbers_of_frames_that_a_cross_fade_takes():
    """Where a document names how many frames the cross-fades of presets take, they take as many."""
    pattern = r"GIFs of ((?:`[\w-]+`(?:, | and )?)+) cross-fade[^.]*? are ((?:\d+(?:, | and )?)+) frames shorter"
    told = re.findall(pattern, "\n".join(TEXTS.values()))

    assert told
    for names, numbers in told:
        seams = [load_scenario(name).seam for name in re.findall(r"[\w-]+", names) if name != "and"]
        assert seams == [*map(int, re.findall(r"\d+", numbers))]


def test_pictures_are_of_the_commands_beside_them():
    """A picture embeds the scenarios that the command above or below it renders; pictures exist and are light."""
    presets = {preset.stem for preset in (ROOT / "configs").glob("*.toml")}
    for page in PAGES:
        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", TEXTS[page]):
            assert (page.parent / picture).stat().st_size <= HEAVIEST_PICTURE
        picture, block = r"!\[[^]]*\]\(([^)]+)\)(?:\{[^}]*\})?", r"^```sh\n([^`]+)^```"
        beside = re.findall(rf"{block}\n\n{picture}", TEXTS[page], re.MULTILINE)
        beside += [pair[::-1] for pair in re.findall(rf"{picture}\n\n{block}", TEXTS[page], re.MULTILINE)]
        for block, picture in beside:
            shown = [word for word in shlex.split(block.replace("\\\n", "").splitlines()[-1])[2:] if word in presets]
            with Image.open(page.parent / picture) as opened:
                embedded = str(opened.info.get("Comment", opened.info.get("comment")))
            assert shown, picture
            assert [name for name in shown if load_scenario(name).title not in embedded] == [], picture
    assert (DOCS / "pictures" / "quickstart.gif").stat().st_size < 1_000_000


def test_generated_files_are_current():
    """Schema, manual page and gallery are those that `just docs` and `just prove gallery` make."""
    gallery = runpy.run_path(str(DOCS / "pictures" / "gallery.py"))

    assert json.loads((ROOT / "configs" / "scenario.schema.json").read_text("utf-8")) == json_schema()
    assert MANUAL.read_text("utf-8") == manual_page()
    assert TEXTS[DOCS / "gallery" / "index.md"] == gallery["page"]()


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_manual_shows_every_command_option_and_exit_code(capsys):
    """As a reader sees it: each option of each command stands below its name."""
    command = ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=100n", str(MANUAL)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for name in load_commands():
        run(["help", name])
        declared = re.findall(r"^  (?:-\w, )?(--[\w-]+)", capsys.readouterr().out, re.MULTILINE)
        (part,) = re.findall(rf"^   {name}\n(.*?)^(?:   \w|\w)", shown, re.MULTILINE | re.DOTALL)
        assert [option for option in declared if option not in part] == []
    assert [code for code in exit_codes() if not re.search(rf"^       {code}\s", shown, re.MULTILINE)] == []


def anchors(page):
    """What a link to a heading of this page may say behind the #."""
    headings = re.findall(r"^#+ (.+?)(?: \{ #(.+) \})?$", TEXTS[page], re.MULTILINE)
    return {own or re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-") for text, own in headings}


@pytest.mark.parametrize("page", EVERYTHING, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Every link within the repository leads to a file that is there, and to a heading that is in it."""
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", TEXTS[page]):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page

        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("number", range(len(DECISIONS)))
def test_decisions_are_in_order_and_whole(number):
    """A decision has the number that follows, its title in the index, and context, decision, evidence, consequences."""
    page = DECISIONS[number]
    title = re.match(rf"# {page.name[:4]} (.+)\n", TEXTS[page])

    assert int(page.name[:4]) == number + 1
    assert re.findall(r"^\*\*(\w+)\.\*\*", TEXTS[page], re.MULTILINE) == [
        *("Context", "Decision", "Evidence", "Consequences")
    ]
    assert f"| [{page.name[:4]}]({page.name}) | {title[1]} |" in TEXTS[page.parent / "README.md"]


def test_files_that_pages_name_are_there():
    """Each test file that the promises name exists, and each module that the page for contributors names."""
    promised = re.findall(r"`(tests/[\w/.]+|test_\w+\.py)`", TEXTS[DOCS / "explanation" / "promises.md"])
    modules = re.findall(r"`([\w/]+\.(?:py|toml)|\w+/)[:`]", TEXTS[ROOT / "CONTRIBUTING.md"])
    inside = [name for name in modules if not name.startswith(("tests/", "docs/"))]

    assert len(promised) > 6
    assert len(inside) > 20
    assert [name for name in promised if not any(ROOT.glob(f"tests/**/{name.removeprefix('tests/')}"))] == []
    assert [name for name in inside if not any(ROOT.glob(f"boidsgen/**/{name}")) and not (ROOT / name).exists()] == []


@pytest.mark.turns(2)
@pytest.mark.filterwarnings("ignore")  # of the libraries that talk to the kernel, some only on Windows
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    """A notebook is kept without outputs; every cell runs, pictures are shown, and the order falls with the noise."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    monkeypatch.delenv("MPLBACKEND", raising=False)  # figures are shown by the notebook's own
    notebook.cells.insert(0, nbformat.v4.new_code_cell(IN_THIS_PROCESS))

    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()

    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    data = [output.get("data", {}) for output in shown]
    assert not [output for output in shown if output.output_type in {"error", "stream"}]
    assert any("image/png" in one for one in data)
    assert any("gif" in one.get("text/html", "") for one in data)
    (means,) = (one["text/plain"] for one in data if one.get("text/plain", "").startswith("flock."))
    first, *_, last = (float(line.split()[1]) for line in means.splitlines() if line[0].isdigit())
    assert first > 0.9
    assert last < 0.6


def test_the_image_gets_what_the_wheel_is_made_of():
    """Nothing that the project file asks for is kept from the image of a container."""
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    asked = {
        *("pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]),
        *(*wheel["packages"], *wheel["force-include"], *wheel["shared-data"]),
        project["tool"]["hatch"]["version"]["path"],
    }

    assert [path for path in asked if not {path, *(one.as_posix() for one in Path(path).parents)} & let_in] == []
