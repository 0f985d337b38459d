"""Every room of the package stays within its budget, the tables [tool.boidsgen.budgets] and doors of pyproject.toml."""

import ast
import re
import tokenize
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLES = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["boidsgen"]
BUDGETS, DOORS = TABLES["budgets"], TABLES["doors"]
LONGEST = 420  # Code lines of a module
TWICE = 10  # Public names that more than one module defines
SCRIPTS = 4570  # Code lines of the JavaScript of pages, without what comes from npm
LIBRARIES = {"lean_qr.js"}
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(path):
    """The number of lines that are no docstring, no comment and not blank."""
    with tokenize.open(path) as file:
        tokens = [token for token in tokenize.generate_tokens(file.readline) if token.type not in SILENT]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.end_lineno + 1))  # docstrings, of keys too
    return len(lines)


@cache
def rooms():
    """The code lines of each module by room: a folder of the package, or its top level."""
    found = defaultdict(dict)
    for path in sorted((ROOT / "boidsgen").rglob("*.py")):
        folder, *rest = path.relative_to(ROOT / "boidsgen").parts
        found[folder if rest else "top"][path] = code_lines(path)
    return found


def test_every_room_has_a_budget():
    """A new folder of the package gets a line of its own in the table."""
    assert rooms().keys() == BUDGETS.keys()


@pytest.mark.parametrize("room", BUDGETS)
def test_a_room_stays_within_its_budget(room):
    """A change that needs more raises the budget in the same commit, or takes something out."""
    modules = [path for path in rooms()[room] if path.name != "__init__.py"]

    assert sum(rooms()[room].values()) <= BUDGETS[room]["lines"]
    assert len(modules) <= BUDGETS[room]["modules"]


def test_scripts_and_the_kernel_can_be_read():
    """No line of C or JavaScript is wider than 110 letters."""
    files = [path for kind in ("*.js", "*.c", "*.h") for path in sorted((ROOT / "boidsgen").rglob(kind))]
    lines = {path.name: path.read_text("utf-8").splitlines() for path in files if path.name not in LIBRARIES}

    assert [(name, line) for name, all_lines in lines.items() for line in all_lines if len(line) > 110] == []


def test_the_scripts_of_pages_stay_within_their_budget():
    """Lines that are no comment and not blank."""
    texts = [path.read_text("utf-8") for path in ROOT.glob("boidsgen/webpage/*.js") if path.name not in LIBRARIES]
    code = [re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).splitlines() for text in texts]
    lines = [line for own in code for line in own if line.strip() and not line.lstrip().startswith("//")]

    assert len(lines) <= SCRIPTS


def test_a_module_is_a_chapter():
    """No module has more code lines than one reads in a sitting."""
    assert not {str(path): lines for room in rooms().values() for path, lines in room.items() if lines > LONGEST}


def names_from_outside(room):
    """The names that a room imports from others, each with its module; that of a whole module is the module's."""
    for path in rooms()[room]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((one.name, "") for one in node.names if one.name.startswith("boidsgen"))
            elif isinstance(node, ast.ImportFrom) and node.module.startswith("boidsgen"):
                yield from ((node.module, one.name) for one in node.names)


@pytest.mark.parametrize("room", DOORS)
def test_a_room_knows_few_names_of_others(room):
    """Whoever needs more asks an object that the room knows already, or raises the number in the same commit."""
    found = {(module, name) for module, name in names_from_outside(room) if module.split(".")[1:2] != [room]}

    assert len(found) <= DOORS[room]["names"]
    assert len({module for module, _ in found}) <= DOORS[room]["modules"]


def names_of(module):
    """The public names that a module defines at its top."""
    for node in ast.parse(module.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for each in targets for name in ast.walk(each) if isinstance(name, ast.Name))


def test_a_name_means_one_thing():
    """A public name is defined in one module, but for those in the table of the design, which gives each a reason."""
    found = defaultdict(set)
    for module in (module for room in rooms().values() for module in room):
        for name in names_of(module):
            found[name].add(module)
    design = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
    table = re.search(r"^## Names with two definitions\n.*?\| --- .*?\n(.*?)\n\n", design, re.DOTALL | re.MULTILINE)[1]
    told = {name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])}

    assert {name for name, modules in found.items() if len(modules) > 1 and not name.startswith("_")} == told
    assert len(told) <= TWICE
