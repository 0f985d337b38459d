"""Promise 5: no pattern of the package takes the square of a text, whoever wrote the text."""

import ast
import importlib
import re
import signal
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from boidsgen.scenario import documents
from boidsgen.webpage.links import listed_links
from tests.promises.setting import amount
from tests.running import ROOT
from tests.systems import posix

pytestmark = pytest.mark.faults

LONG = 10_000  # Characters of a text that strangers may write
SECONDS = 1.0  # Of the processor, which the slowest pattern takes a tenth of; the square of a long text takes several
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "split")
SIGNS = (
    " ",
    "\n",
    "\t",
    '"',
    "'",
    "[",
    "]",
    "(",
    "{",
    "}",
    "#",
    "0",
    "1",
    "a",
    "Z",
    "_",
    ".",
    ",",
    ":",
    "=",
    "-",
    "/",
    "*",
    "\\",
)
STARTS = ("", "1", 'a = "', "# boidsgen ")[: amount(2, 4)]
ENDS = ("!", '"', "")[: amount(1, 3)]
MIXED = ("1 ", "a ", "a.", "1,", '"a', '"" ', '\\"', "[[", "a=1\n", "# a\n", "/*", "* ", "--", "0.", "é", ', "')
TEXTS = [start + sign * (LONG // len(sign)) + end for sign in SIGNS + MIXED for start in STARTS for end in ENDS]
SHORT = {
    "scenario/documents.py": "one line of at most 200 characters",
    "scenario/wording.py": "a value of at most 100 characters",
    "cli/course.py": "units that come with boidsgen",
    "webpage/writer.py": "scripts, styles and pages that come with boidsgen or were just made",
    "system.py": "a name of a file, which the system bounds",
    "cli/main.py": "a message about the command line",
}
"""Modules in which a pattern may be slow, since the text it sees is short or our own."""


def patterns():
    """Every pattern in the package with its module, and the methods by which it is applied."""
    for path in sorted((ROOT / "boidsgen").rglob("*.py")):
        name, text = path.relative_to(ROOT / "boidsgen").as_posix(), path.read_text("utf-8")
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for node in (one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)):
            package, _, method = ast.unparse(node.func).rpartition(".")
            if package == "re" and method in METHODS and (found := written(node, module)):
                yield name, found, [method]
            stated = [
                one.value for one in node.keywords if one.arg == "pattern" and isinstance(one.value, ast.Constant)
            ]
            yield from ((name, re.compile(one.value), ["search"]) for one in stated)
        for known, value in vars(module).items():
            if isinstance(value, re.Pattern) and re.search(rf"\b{known}\b.* = .*re\.compile\(", text):
                yield name, value, sorted(method for one, method in applied() if one == known)
    for pattern, *_ in (*documents._LINES, *documents._VALUES):
        yield "scenario/documents.py", re.compile(pattern, re.IGNORECASE), ["fullmatch"]


def written(node, module):
    """The pattern that a call states; what is computed is taken from the module, or stands for a letter."""
    text = node.args[0]
    if isinstance(text, ast.JoinedStr):
        said = "".join(part.value if isinstance(part, ast.Constant) else "x" for part in text.values)
    elif isinstance(text, ast.Constant):
        said = text.value
    elif isinstance(text, ast.Name) and isinstance(getattr(module, text.id, None), str):
        said = getattr(module, text.id)
    else:
        return None
    return re.compile(said)


@cache
def applied():
    """The names in the package before a method of patterns, each with that method."""
    names = re.compile(rf"\b(\w+)\.({'|'.join(METHODS)})\(")
    return {*names.findall(everything())}


@cache
def everything():
    """All Python of the package."""
    return "\n".join(path.read_text("utf-8") for path in (ROOT / "boidsgen").rglob("*.py"))


@contextmanager
def at_most(seconds, said):
    """Fail where the block takes more time of the processor; the engine of patterns looks for signals meanwhile."""

    def give_up(*_):
        raise TimeoutError(said)

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def slow(pattern, methods):
    """The text at which a pattern takes too long; None for a pattern that never does."""
    binary = isinstance(pattern.pattern, bytes)
    for text in TEXTS:
        given = text.encode() if binary else text
        try:
            with at_most(SECONDS, text[:20]):
                for method in methods:
                    apply(pattern, method, given)
        except TimeoutError:
            return method, text[:20]
    return None


def apply(pattern, method, text):
    """Use a pattern as the package does."""
    if method == "sub":
        pattern.sub(text[:0], text)
    elif method == "finditer":
        [*pattern.finditer(text)]
    else:
        getattr(pattern, method)(text)


FOUND = [*patterns()]


def test_all_patterns_are_found():
    """Every call that makes or states a pattern is looked at, but for those whose pattern is computed from a value."""
    made = len(re.findall(r"\bre\.compile\(", everything()))

    assert len([one for one in FOUND if one[2]]) > made > 40


@posix
@pytest.mark.parametrize(("module", "pattern", "methods"), [one for one in FOUND if one[0] not in SHORT])
def test_no_pattern_takes_the_square_of_a_text(module, pattern, methods):
    """A long text takes each pattern no more than a moment, wherever it stands in the package."""
    assert slow(pattern, methods) is None, (module, pattern.pattern)


ROWS = (
    "ann,https://x/," + " " * LONG + ',""',
    '" ' * LONG + ",x",
    " " * LONG,
    "," * LONG,
    "a;" * LONG,
    '"' * LONG + ",x",
)
VALUES = (f"1{' ' * 3 * LONG}a", f"{'1' * 3 * LONG}!", " " * LONG, f"[{'1 ' * LONG}", "1, " * LONG)


@posix
@pytest.mark.parametrize("line", ROWS, ids=lambda line: repr(line[:20]))
def test_a_line_of_a_table_of_links(line, tmp_path):
    """A student's cell costs what its letters cost."""
    table = tmp_path / "links.csv"
    table.write_text(line)
    with at_most(SECONDS, line[:20]):
        assert len(listed_links(str(table))) == bool(line.strip())


@posix
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value[:20]))
@pytest.mark.parametrize("key", ["flock.count", "world.size", "flock.separation", "style.theme", "flock.max_speed"])
def test_a_long_value_of_the_wrong_type(key, value, boidsgen, here):
    """An error about a long value is found as quickly as one about a short value."""
    (here / "small.toml").write_text(f'{key} = "{value}"\n')
    with at_most(5 * SECONDS, value[:20]):
        ran = boidsgen("check", "small.toml")

    assert (ran.code, len(ran.lines)) == (3, 1)


def scripts():
    """Every pattern in the scripts of pages."""
    part = r"[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\]"
    literal = re.compile(rf"(?<=[(=,:!&|?;{{}} ])/(?!\*)((?:{part})+)/[a-z]*(?=[.,;)\s])")
    for path in sorted(Path(ROOT / "boidsgen").rglob("*.js")):
        for line in path.read_text("utf-8").splitlines():
            if line.lstrip().startswith(("*", "//", "/*")):
                continue
            for found in literal.finditer(line.partition(" // ")[0]):
                try:
                    yield path.name, re.compile(found[1].replace("\\/", "/"))
                except re.error:
                    continue


@posix
@pytest.mark.parametrize(("script", "pattern"), [*scripts()])
def test_no_pattern_of_a_page_takes_the_square_of_a_text(script, pattern):
    """The same for the scripts of pages, whose links anybody writes."""
    assert slow(pattern, ["search", "sub"]) is None, (script, pattern.pattern)
