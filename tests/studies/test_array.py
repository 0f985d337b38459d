"""The array of the documents: each task does its share, and together they are the whole sweep."""

import os
import re
import subprocess
import sys
from pathlib import Path

from boidsgen.studies.results import merge_results, read_results
from tests.systems import posix

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "cluster.md"
SCENARIO = """
[time]
frames = 2
[flock]
count = 5
[measure]
names = ["polarization"]
[sweep]
seeds = 2
[sweep.vary]
"flock.cohesion.weight" = [0, 1, 2]
"""

pytestmark = posix


def test_shares_of_an_array_are_the_whole(tmp_path):
    """The script of the page, run as Slurm would for two tasks, one of them twice, does every run once."""
    (script,) = re.findall(r"^```bash\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "array.sh").write_text(script, "utf-8")
    (tmp_path / "my.toml").write_text(SCENARIO, "utf-8")
    (tmp_path / "boidsgen").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m boidsgen "$@"\n', "utf-8")
    (tmp_path / "boidsgen").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for task in ("1", "2", "2"):
        slurm = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2", "PATH": path}
        subprocess.run(["/bin/sh", "array.sh"], env={**os.environ, **slurm}, cwd=tmp_path, check=True)

    shares = [read_results(str(tmp_path / f"runs-{task}")) for task in (1, 2)]
    whole = merge_results(shares)
    assert [len(share.rows) for share in shares] == [3, 3]
    assert len({row["run"] for row in whole.rows}) == 6
    assert len(whole.points(["flock.cohesion.weight"], whole.quantity("polarization"), "error")) == 3
