"""The list of cases: every one is tested somewhere, and says so."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
ELSEWHERE = {
    9: "writers/test_formats.py",
    10: "writers/test_publication.py",
    11: "writers/test_publication.py",
    20: "writers/test_gif.py",
    22: "writers/test_formats.py",
    23: "writers/test_gif.py",
    25: "writers/test_mp4.py",
    54: "scenario/test_schema.py",
    55: "scenario/test_mistakes.py",
    70: "studies/sweep/test_sweep.py",
    71: "studies/sweep/test_local.py",
    72: "studies/sweep/test_sweep.py",
    73: "studies/sweep/test_sweep.py",
    74: "studies/sweep/test_manifest.py",
    75: "studies/sweep/test_sweep.py",
    76: "studies/sweep/test_cluster.py",
    77: "studies/sweep/test_cluster.py",
    78: "studies/sweep/test_cluster.py",
    79: "studies/sweep/test_cluster.py",
    80: "cli/test_process.py",
    81: "cli/test_doctor.py",
    82: "cli/test_failures.py",
}
"""Cases that belong to one room, and the file of its tests where they are."""
CASES = [
    *range(1, 29),
    *range(30, 34),
    *range(40, 42),
    *range(50, 56),
    *range(60, 64),
    *range(70, 83),
]
"""T01 to T82, with the gaps of the list."""


def mentioned():
    """The cases that docstrings of this folder name."""
    texts = (path.read_text(encoding="utf-8") for path in HERE.glob("test_*.py"))
    return {int(number) for text in texts for number in re.findall(r"\bT([0-9]{2})\b", text)}


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_tested(case):
    """A test of this folder names the case, or the file is there in which its room tests it."""
    assert case in mentioned() or (TESTS / ELSEWHERE[case]).exists()
