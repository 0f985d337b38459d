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


def test_processors_without_wide_instructions_give_the_same():
    """With plain instructions only, nothing differs; in the short form one case in five is compared."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.system.everywhere", "--compare", "1" if FULL else "5"],
        cwd=ROOT,
        env=os.environ | PLAIN,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stderr.strip() == ""
    assert ran.returncode == 0
