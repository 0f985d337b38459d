"""Hold the speed of one commit against that of another, side by side: `python -m tests.benchmarks.guard OLD NEW`.

Both take turns, in processes of their own, and of each case the shortest time of all turns counts: that of a moment in
which nobody else used the machine. It is processor time, so that other programs count for little. The answer is 1 when
a case takes more than TOLERANCE longer.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.table import machine

TOLERANCE = 0.05
"""Part of the old time that the new one may be above it."""

ROUNDS = 5
"""Turns of each commit; the first ones compile."""

MEASURE = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from boidsgen.simulation import ENGINES, Setup, simulate
CASES = json.loads(sys.argv[2])
found = {}
for name, (keys, steps) in CASES.items():
    for engine in ENGINES:
        setup = Setup.model_validate_json(json.dumps({**keys, "time": {"frames": 4 + 8 * steps}}))
        states = simulate(setup, engine)
        for _ in range(4):
            next(states)
        times = []
        for _ in range(8):
            began = time.process_time()
            for _ in range(steps):
                next(states)
            times.append((time.process_time() - began) / steps)
        found[f"{name}, {engine}"] = 1000 * min(times)
print(json.dumps(found))
"""
"""Milliseconds of processor time of one step, by case and engine; through what does not change between commits."""

CASES = {
    "200 boids, 1.6 neighbors": ({"world": {"size": [990, 990]}, "flock": {"count": 200}}, 200),
    "400 boids, 34 neighbors": ({"world": {"size": [304, 304]}, "flock": {"count": 400}}, 100),
    "10,000 boids, 20 neighbors": ({"world": {"size": [1982, 1982]}, "flock": {"count": 10_000}}, 4),
    "1,000 boids in 3D, nearest 7": (
        {
            "world": {"size": [300, 300, 300]},
            "flock": {"count": 1000, "perception": {"radius": 60, "field_of_view": 300, "neighbors": 7}},
            "predators": {"count": 2},
        },
        20,
    ),
}
"""What is measured, and steps at a time."""


def main() -> int:
    """Compare two commits; 1 if the new one is slower."""
    parser = ArgumentParser(prog="python -m tests.benchmarks.guard", description=__doc__)
    parser.add_argument("old", nargs="?", default="HEAD~1")
    parser.add_argument("new", nargs="?", default="HEAD", help="a commit, or `.` for the files as they are")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, help="file for the figures and the machine that they are from")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        trees = {
            commit: unpacked(commit, Path(folder) / str(number)) for number, commit in enumerate((asked.old, asked.new))
        }
        best = measured(list(trees.values()), asked.rounds, Path(folder) / "compiled")
    old, new = best
    slower = [case for case in new if case in old and new[case] > old[case] * (1 + TOLERANCE)]
    for case in new:
        print(line(case, old.get(case), new[case], case in slower))  # noqa: T201  what it is for
    if asked.json:
        figures = {"machine": machine(), "old": asked.old, "new": asked.new, "milliseconds": {"old": old, "new": new}}
        asked.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 1 if slower else 0


def line(case: str, old: float | None, new: float, slower: bool) -> str:  # noqa: FBT001
    """Both figures of a case, and their ratio."""
    if old is None:
        return f"{case}: {new:.4f} ms, not there before"
    verdict = f"slower than {TOLERANCE:.0%} allow" if slower else "good"
    return f"{case}: {old:.4f} ms before, {new:.4f} ms now, {new / old:.2f} of it: {verdict}"


def unpacked(commit: str, folder: Path) -> Path:
    """The package of a commit, in a folder of its own; that of the working tree for a point."""
    if commit == ".":
        return Path.cwd()
    command = ["git", "archive", commit, "boidsgen"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def measured(trees: list[Path], rounds: int, compiled: Path) -> list[Mapping[str, float]]:
    """The shortest times of each tree, which take turns."""
    best: list[dict[str, float]] = [{} for _ in trees]
    for _ in range(rounds):
        for shortest, tree in zip(best, trees, strict=True):
            for case, time in once(tree, compiled).items():
                shortest[case] = min(time, shortest.get(case, time))
    return list(best)


def once(tree: Path, compiled: Path) -> Mapping[str, float]:
    """The times of one turn."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", MEASURE, str(tree), json.dumps(CASES)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(compiled), "NUMBA_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    found: Mapping[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
