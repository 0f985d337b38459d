"""The list of cases and attacks in docs/faults.md: every one is held by tests that exist, and those say so."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
LIST = TESTS.parent / "docs" / "faults.md"
CASES = [
    *range(1, 29),
    *range(30, 34),
    *range(40, 42),
    *range(50, 56),
    *range(60, 64),
    *range(70, 83),
]
"""T01 to T82, with the gaps of the list."""
ATTACKS = [*range(1, 20), *range(23, 27), *range(28, 33)]
"""The attacks of A01 to A32 that are listed."""
MORE_ATTACKS = [*range(1, 14), *range(20, 41), *range(50, 58)]

NAMES = [
    *(f"T{number:02}" for number in CASES),
    *(f"A{number:02}" for number in ATTACKS),
    *(f"B{number:02}" for number in MORE_ATTACKS),
]


def listed():
    """The tests that the list names, by case: path below tests, and name."""
    rows = re.findall(r"^\| ([TAB][0-9]{2}) \| .+ \| (`.+`) \|$", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    return {case: re.findall(r"`([\w/]+\.py)::(\w+)`", tests) for case, tests in rows}


@cache
def defined(path):
    """The docstrings of the tests in a file, by name."""
    functions = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_docstring(node) or "" for node in functions if node.name.startswith("test_")}


def whereabouts(name):
    """The files that have a test of this name, to say so when the list has not followed a move."""
    return [str(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py") if name in defined(path)]


def mentions():
    """The cases that docstrings of this folder name, each with its test."""
    for path in sorted(HERE.glob("test_*.py")):
        for name, text in defined(path).items():
            for case in re.findall(r"\b([TAB][0-9]{2})\b", text):
                yield pytest.param(case, (f"faults/{path.name}", name), id=f"{case}-{name}")


def test_the_list_is_complete():
    """There is a row for each case, in order, and none for anything else."""
    assert list(listed()) == NAMES


@pytest.mark.parametrize("case", NAMES)
def test_every_case_is_held_by_tests(case):
    """A row names at least one test, and all that it names exist."""
    tests = listed()[case]

    assert tests
    for path, name in tests:
        assert name in defined(TESTS / path), f"{name} is not in {path} but in {whereabouts(name)}"


@pytest.mark.parametrize(("case", "test"), list(mentions()))
def test_the_list_has_every_test_that_names_a_case(case, test):
    """A test of this folder that names a case stands in the row of that case."""
    assert test in listed()[case]
