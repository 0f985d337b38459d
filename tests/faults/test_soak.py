"""The soak, in a short form; `python -m tests.faults.soak --runs 10000` is the full one."""

import pytest

from tests.systems import POSIX

pytest.importorskip("fcntl", reason=POSIX)

from tests.faults import soak
from tests.faults.setting import amount

pytestmark = [pytest.mark.faults, pytest.mark.slow]


def test_a_sweep_that_is_killed_again_and_again(tmp_path):
    """A02, T41: killed about every hundred runs and begun again, a sweep ends as if nobody had disturbed it."""
    runs = amount(200, 1000)

    assert soak.soak(tmp_path, runs, seed=5) >= runs // 200
