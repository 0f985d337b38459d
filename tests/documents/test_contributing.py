"""The worked examples in CONTRIBUTING.md: each, applied to a copy of the package, does what is said there."""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import boidsgen

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Extension points")[2]
SECTIONS = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE))
BLOCK = re.compile(r"^```(python|diff|toml)\n# ([^\n]+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
OUTPUTS = {"render": "example.gif", "measure": "example.csv", "render --format y4m": "example.y4m"}
"""Commands that run the scenario of an example, and what they write."""
SIGNS = {"example.gif": b"GIF89a", "example.csv": b"milling_radius", "example.y4m": b"YUV4MPEG2"}
"""What is in there that only the example can have put there, or that shows that it was drawn."""
FILES = {"A format": 2}  # Files that an example touches; one unless it is named here


@pytest.fixture
def copy(tmp_path):
    """A copy of the project's code, to be changed."""
    for folder in ("boidsgen", "configs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def inserted(text, place, code):
    """The text with the code before the one line that begins as the place says."""
    line = "\n" + re.fullmatch(r'before "(.+)"', place)[1]
    assert text.count(line) == 1
    return text.replace(line, f"\n{code}\n{line}")


def patched(text, lines):
    """The text with its one place that reads like the lines without + made to read like those without -."""
    old, new = ("".join(line[1:] for line in lines.splitlines(keepends=True) if line[0] != sign) for sign in "+-")
    assert f"\n{text}".count(f"\n{old}") == 1
    return f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]


def change(copy, language, where, lines):
    """Does to the copy what a block says, and names the file."""
    name, _, place = where.partition(", ")
    text = (copy / name).read_text(encoding="utf-8") if place or language == "diff" else ""
    changed = patched(text, lines) if language == "diff" else inserted(text, place, lines) if place else lines
    (copy / name).write_text(changed, encoding="utf-8")
    return name


COMMANDS = "import json, sys; from boidsgen.cli.main import run; sys.exit(max(map(run, json.loads(sys.argv[1]))))"


def run(copy, *command):
    """Runs Python in the copy; what it said stands in the failure if it fails."""
    done = subprocess.run([sys.executable, *command], check=False, cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("heading", SECTIONS)
def test_an_example_works(heading, copy):
    """Its code is laid out and free of errors like all other code, and two frames of its scenario need that code."""
    *changes, (_, command, scenario) = BLOCK.findall(SECTIONS[heading])
    output = OUTPUTS[command.removeprefix("boidsgen ")]
    (copy / "example.toml").write_text(scenario, encoding="utf-8")

    touched = {change(copy, *block) for block in changes}

    assert len(touched) == FILES.get(heading, 1)
    run(copy, "-m", "ruff", "check", "--no-cache", *touched)
    run(copy, "-m", "ruff", "format", "--no-cache", "--check", *touched)
    lines = [[*command.split()[1:], "example.toml", "--frames", "2", "-o", output, "--quiet"], ["schema"]]
    said, written = run(copy, "-c", COMMANDS, json.dumps(lines)), (copy / output).read_bytes()
    assert (ROOT / "configs" / "scenario.schema.json").read_text("utf-8") not in said
    assert SIGNS[output] in written


def test_the_families_that_are_extended_most_have_examples():
    """A section whose example was dropped is missed."""
    assert set(SECTIONS) >= {"A rule", "A measure", "An obstacle", "A theme", "A format"}
    assert all(len(BLOCK.findall(text)) >= 2 for text in SECTIONS.values())


def test_citations_name_the_version():
    """CITATION.cff and codemeta.json are about the version of the package."""
    assert f"\nversion: {boidsgen.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert json.loads((ROOT / "codemeta.json").read_text())["version"] == boidsgen.__version__


DESIGN = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
GLOSSARY = [
    re.fullmatch(r"\| (.+?) \| (.+?) \| (.+?) \|", line).groups()
    for line in re.search(r"^## Glossary\n.*?\| --- .*?\n(.*?)\n\n", DESIGN, re.DOTALL | re.MULTILINE)[1].splitlines()
]

TOP = {
    *("pyproject.toml", "README.md", "boidsgen", "configs", "tests", "outputs"),
    *("docs", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "codemeta.json", "justfile"),
}


def test_the_top_level_is_that_of_the_design():
    """Nothing stands at the top but what the design names, files about the project, and what is built."""
    assert {path.name for path in ROOT.iterdir() if path.name[0] != "."} - {"build", "dist"} == TOP


def defined(body, prefix=""):
    """The names that statements define, with those of their classes as `Class.name`."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from defined(node.body, f"{node.name}.")
        for target in [getattr(node, "target", None), *getattr(node, "targets", ())]:
            for one in getattr(target, "elts", [target]):
                if isinstance(one, ast.Name):
                    yield prefix + one.id


def names_in(path):
    """The names that a module of the package defines."""
    return {*defined(ast.parse((ROOT / "boidsgen" / path).read_text("utf-8")).body)}


@pytest.mark.parametrize(
    "path",
    sorted([*ROOT.glob("boidsgen/kernel/*.[ch]"), *ROOT.glob("boidsgen/webpage/*.js")]),
    ids=lambda path: path.name,
)
def test_a_comment_in_c_and_javascript_names_the_python_that_there_is(path):
    """Every module that it names exists, and so does every name that follows its module."""
    text = path.read_text("utf-8")
    modules = {one.stem: one for one in (ROOT / "boidsgen").rglob("*.py")}

    for name in re.findall(r"([\w/]+\.py)\b", text):
        assert [*(ROOT / "boidsgen").rglob(name.removeprefix("boidsgen/"))], name
    for module, name in re.findall(r"(?:`|/\* )(?!numpy)([a-z_]+)\.(?!(?:c|h|js|py)\b)([A-Za-z_][\w.]*\w)", text):
        assert name in names_in(modules[module].relative_to(ROOT / "boidsgen")), name


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/explanation/design.md", "docs/explanation/engines.md"])
def test_a_page_about_the_code_names_what_there_is(page):
    """Every file and folder that the page names exists, and so does every name that follows the file in which it is."""
    text = (ROOT / page).read_text("utf-8")
    named = re.findall(r"`([\w./]+/|[\w./]+\.(?:js|json|md|py|toml))(?:: ([\w.]+))?`", text)
    above = ("", "boidsgen", "boidsgen/output", "tests/output")

    assert named
    for path, name in named:
        assert path == "config.toml" or any((ROOT / folder / path).exists() for folder in above), path
        assert not name or name in names_in(path), name


def test_the_layout_lists_every_package():
    """The table has every folder and module at the top of the package, and no other."""
    table = re.search(r"^## Layout\n.*?^### ", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    listed = [name for row in re.findall(r"^\| (`.*?) \|", table[0], re.MULTILINE) for name in re.findall(r"\w+", row)]
    there = {
        path.stem for path in (ROOT / "boidsgen").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert sorted(listed) == sorted(there - {"__init__", "__main__", "version"})


def test_the_glossary_is_one_that_can_be_learned():
    """About forty terms, each with one meaning of one sentence."""
    assert 38 <= len({term.lower() for term, _, _ in GLOSSARY}) == len(GLOSSARY) <= 42
    assert [meaning for _, meaning, _ in GLOSSARY if not re.fullmatch(r"[^.]+(\.\w[^.]*)*\.", meaning)] == []


@pytest.mark.parametrize(("term", "places"), [(term, places) for term, _, places in GLOSSARY])
def test_a_term_of_the_glossary_is_defined_where_it_says(term, places):
    """Every module exists, and defines every name that the row names there."""
    for place in places.split("; "):
        path, names = re.fullmatch(r"`([\w/]+\.py)`: (`[\w.]+`(?:, `[\w.]+`)*)", place).groups()
        assert {*re.findall(r"[\w.]+", names)} - names_in(path) == set(), term
