"""The same scenario gives the same states and frames on every system and processor, to the last bit."""

import os
import subprocess
import sys

import pytest

from tests.promises.setting import FULL
from tests.running import ROOT
from tests.system import everywhere

PLAIN = {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Prescott"}
"""Settings that keep numpy from the instructions that only some processors have."""
PARTS = 4  # Tests among which the cases are divided, to run beside each other


@pytest.mark.parametrize("part", range(PARTS))
def test_every_rule_start_and_coloring_is_the_same_here(part):
    """Digests stored on one machine come out on this one; tests/test_presets.py says so of the presets."""
    assert everywhere.differences(PARTS, part) == []


SURROUNDINGS = {
    "plain instructions": (PLAIN, 5),
    "hash seed 1, Turkish": ({"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"}, 20),
    "hash seed 2, optimized, C": ({"PYTHONHASHSEED": "2", "PYTHONOPTIMIZE": "2", "LC_ALL": "C", "PYTHONUTF8": "0"}, 20),
}
"""Environments, in the short form each with one case of so many."""


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_do_not_matter(name):
    """Processors without wide instructions, hash seeds, locales, time zones and optimized bytecode give the same."""
    around, every = SURROUNDINGS[name]
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.system.everywhere", "--compare", "1" if FULL else str(every)],
        cwd=ROOT,
        env=os.environ | around,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stderr.strip() == ""
    assert ran.returncode == 0
