"""Promise 5: no pattern of the package takes the square of a text, whoever wrote the text."""

import ast
import importlib
import re
import signal
import time
from functools import cache, reduce
from operator import or_
from pathlib import Path

import numpy as np
import pytest

from boidsgen.scenario import documents
from boidsgen.webpage.links import listed_links
from tests.promises.setting import amount
from tests.running import ROOT
from tests.systems import posix

pytestmark = pytest.mark.faults

LONG = 8_000  # Characters of a text that strangers may write
SOON = 0.02  # Seconds of the processor for a long text, within which nobody asks what half of it takes
MOST = 3.0  # Times as much for a text as for half of it: what takes its square takes four times as much
SECONDS = 5  # Of the processor, after which a pattern counts as one without end
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
TEXTS = [(start, sign, end) for sign in SIGNS + MIXED for start in STARTS for end in ENDS]
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
            method = getattr(node.func, "attr", "")
            if method in METHODS and ast.unparse(node.func.value) == "re" and (found := written(node, module)):
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
    elif isinstance(text, ast.Name) and isinstance(getattr(module, text.id, None), str | bytes):
        said = getattr(module, text.id)
    else:
        return None
    flags = [getattr(re, one.attr) for part in node.args[1:] for one in ast.walk(part) if flagged(one)]
    return re.compile(said, reduce(or_, flags, re.NOFLAG))


def flagged(node):
    """True for a flag of a pattern, as in re.DOTALL."""
    return isinstance(node, ast.Attribute) and isinstance(getattr(re, node.attr, None), re.RegexFlag)


@cache
def applied():
    """The names in the package before a method of patterns, each with that method."""
    names = re.compile(rf"\b(\w+)\.({'|'.join(METHODS)})\(")
    return {*names.findall(everything())}


@cache
def everything():
    """All Python of the package."""
    return "\n".join(path.read_text("utf-8") for path in (ROOT / "boidsgen").rglob("*.py"))


def spent(do, length):
    """Seconds of the processor; what has no end is given up, since the engine of patterns looks for signals."""

    def give_up(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    begun = time.process_time()
    try:
        do(length)
    except TimeoutError:
        return np.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - begun


def takes_the_square(do, length=LONG):
    """True if something takes so much more for a length than for half of it, however busy the machine is.

    Of several times the least counts, and the lengths take turns.
    """
    if (first := spent(do, length)) <= SOON or np.isinf(first):
        return np.isinf(first)
    times = [(spent(do, length // 2), spent(do, length)) for _ in range(5)]
    half, whole = map(min, zip(*times, strict=True))
    return whole > max(SOON, MOST * half)


def slow(pattern, methods):
    """The method and the text at which a pattern takes the square of a length; None for a pattern that never does."""
    for start, sign, end in TEXTS:
        for method in methods:

            def used(length, method=method, parts=(start, sign, end)):
                text = parts[0] + parts[1] * (length // len(parts[1])) + parts[2]
                apply(pattern, method, text.encode() if isinstance(pattern.pattern, bytes) else text)

            if takes_the_square(used):
                return method, start, sign, end
    return None


def apply(pattern, method, text):
    """Use a pattern as the package does."""
    if method == "sub":
        pattern.sub(text[:0], text)
    elif method == "finditer":
        [*pattern.finditer(text)]
    else:
        getattr(pattern, method)(text)


def test_all_patterns_are_found():
    """Every call that makes or states a pattern is looked at, but for those whose pattern is computed from a value."""
    made = len(re.findall(r"\bre\.compile\(", everything()))

    assert len([one for one in patterns() if one[2]]) > made > 40


@posix
def test_no_pattern_takes_the_square_of_a_text():
    """Twice a text takes each pattern twice the time, wherever it stands in the package."""
    found = [
        (name, pattern.pattern, slow(pattern, methods)) for name, pattern, methods in patterns() if name not in SHORT
    ]

    assert [one for one in found if one[-1]] == []


ROWS = (
    ("ann,https://x/,", " ", ',""'),
    ("", '" ', ",x"),
    ("", " ", ""),
    ("", ",", ""),
    ("", "a;", ""),
    ("", '"', ",x"),
)
VALUES = (("1", " ", "a"), ("", "1", "!"), ("", " ", ""), ("[", "1 ", ""), ("", "1, ", ""))


@posix
@pytest.mark.parametrize(("start", "part", "end"), ROWS)
def test_a_line_of_a_table_of_links(start, part, end, tmp_path):
    """A student's cell costs what its letters cost."""
    table = tmp_path / "links.csv"

    def read(length):
        table.write_text(start + part * length + end)
        assert len(listed_links(str(table))) == bool(f"{start}{part}{end}".strip())

    assert not takes_the_square(read)


@posix
@pytest.mark.parametrize(("start", "part", "end"), VALUES)
@pytest.mark.parametrize("key", ["flock.count", "world.size", "flock.separation", "style.theme", "flock.max_speed"])
def test_a_long_value_of_the_wrong_type(key, start, part, end, boidsgen, here):
    """An error about a value is found in a time that its letters take."""

    def checked(length):
        (here / "small.toml").write_text(f'{key} = "{start}{part * length}{end}"\n')
        ran = boidsgen("check", "small.toml")
        assert (ran.code, len(ran.lines)) == (3, 1)

    assert not takes_the_square(checked, 2 * LONG)


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
def test_no_pattern_of_a_page_takes_the_square_of_a_text():
    """The same for the scripts of pages, whose links anybody writes."""
    found = [
        (name, pattern.pattern, slow(pattern, ["search", "sub"])) for name, pattern in scripts() if name not in SHORT
    ]

    assert len(found) > 30
    assert [one for one in found if one[-1]] == []


@posix
@pytest.mark.parametrize("pattern", [r"\s+$", r"^(a|a)*$", r",+@", r"a*b"])
def test_a_pattern_that_takes_the_square_is_found(pattern, monkeypatch):
    """Of a text, or more than that."""
    monkeypatch.setitem(globals(), "SECONDS", 0.5)
    assert slow(re.compile(pattern), ["search"])
