"""`tracks --dry-run` prints what a table contains, as a plain loop counts it, and writes nothing."""

import json
from itertools import pairwise
from math import hypot
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boidsgen.cli.main import run

FRAMES, ANIMALS, FPS = 30, 10, 12.5


def fish() -> pd.DataFrame:
    """Animals that wander, with gaps and one jump."""
    generator = np.random.default_rng(3)
    place = 50 + np.cumsum(generator.normal(0, 1, (FRAMES, ANIMALS, 2)), axis=0)
    place[12, 4] += 900
    rows = [(7 + frame, f"f{one}", *place[frame, one]) for frame in range(FRAMES) for one in range(ANIMALS)]
    table = pd.DataFrame(rows, columns=["frame", "id", "x", "y"])
    gone = ((table["id"] == "f2") & table["frame"].between(10, 13)) | ((table["id"] == "f9") & (table["frame"] == 20))
    return table[~gone]


def counted(table: pd.DataFrame) -> dict[str, object]:
    """Gaps and steps, one animal after the other."""
    gaps, steps = [], []
    for _, own in table.groupby("id"):
        rows = [*own.sort_values("frame").itertuples()]
        for one, other in pairwise(rows):
            gaps += [other.frame - one.frame - 1] if other.frame > one.frame + 1 else []
            steps.append(hypot(other.x - one.x, other.y - one.y) / (other.frame - one.frame))
    return {"gaps": gaps, "median": sorted(steps)[len(steps) // 2], "longest": max(steps), "steps": len(steps)}


@pytest.mark.parametrize("shape", ["lines", "json"])
def test_a_dry_run_tells_what_a_table_contains(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Animals, frames, rate, columns, units, extent, gaps and steps are those of the loop; no file is made."""
    monkeypatch.chdir(tmp_path)
    fish().to_csv("t.csv", index=False)
    more = ["--json"] if shape == "json" else []
    options = ["--columns", "frame,id,x,y", "--fps", "25/2", "--y-down", "--fill", "9", "--smooth", "5"]
    assert run(["tracks", "t.csv", *options, "--dry-run", *more]) == 0
    told = capsys.readouterr()
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]
    facts = json.loads(told.out) if more else dict(line.split(": ", 1) for line in told.out.splitlines())
    wanted = counted(fish())
    assert facts["animals"] == "10: f0, f1, f2, f3, f4, f5, f6, f7 …"
    assert facts["frames"] == "30, 7 to 36, at 12.5 per second: 2.4 s"
    assert facts["tables"] == "t.csv"
    assert facts["columns"] == "frame=frame, id=id, x=x, y=y; the second coordinate grows downward"
    assert facts["units"] == "1 x those of the table, and seconds"
    assert facts["positions"].startswith(f"{len(fish()):,}; x ")
    missing = sum(wanted["gaps"])
    assert facts["gaps"] == f"{len(wanted['gaps'])}, {max(wanted['gaps'])} frames at most, {missing} positions missing"
    median, longest = (float(part.split()[1]) for part in facts["steps"].split(";")[0].split(","))
    assert median == pytest.approx(wanted["median"], rel=6e-3)
    assert longest == pytest.approx(wanted["longest"], rel=6e-3)
    assert facts["steps"].endswith("; 2 jumps")
    assert "animal f4 moves" in told.err


def test_a_dry_run_of_one_position_each_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What no recording can be made of is refused as without the option."""
    (tmp_path / "t.csv").write_text("frame,id,x,y\n0,a,1,2\n5,a,2,3\n")
    assert run(["tracks", str(tmp_path / "t.csv"), "--fps", "25", "--dry-run"]) != 0
    assert "no animal is seen often enough" in capsys.readouterr().err
