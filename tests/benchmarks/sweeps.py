"""Sweeps: what a run costs besides itself, and what a second worker brings.

    python -m tests.benchmarks.sweeps

It sweeps in a temporary directory and prints a figure a line: the ratio of times with one worker and with two, taken
alternately so that other load meets both; milliseconds a run for ten thousand runs that do nothing, and for as many of
one small frame; and how much memory of this process grows meanwhile.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from boidsgen.scenario.overrides import Override
from boidsgen.scenario.sources import find
from boidsgen.studies.axes import axis_from_text
from boidsgen.studies.jobs import run_jobs
from boidsgen.studies.local import Workers
from boidsgen.studies.plan import Plan, Wishes, planned
from boidsgen.studies.sweep import Crew, Study
from tests.studies import fakes

RUNS = 10_000


def main() -> None:
    """Measure everything."""
    ratio()
    scheduling()
    frames(RUNS if len(sys.argv) < 2 else int(sys.argv[1]))


def ratio() -> None:
    """One worker against two, on GIFs of sixty frames."""
    plan = planned(find("quickstart"), [Override("time.frames", 60, "")], Wishes(seeds=60))
    seconds = {1: 0.0, 2: 0.0}
    for jobs in (1, 2, 2, 1):
        with timed() as clock:
            swept(plan, jobs)
        seconds[jobs] += clock[0]
    say("two workers against one", seconds[1] / seconds[2], "times as fast")


def scheduling() -> None:
    """Runs that do nothing, given to a worker process."""
    with Workers(2) as workers, grown() as memory, timed() as clock:
        list(run_jobs(range(2), workers, fakes.echo, 4))  # starting them is no part of it
        began = time.perf_counter()
        done = sum(1 for _ in run_jobs(range(RUNS), workers, fakes.echo, 4))
        elapsed = time.perf_counter() - began
    say("scheduling", 1e3 * elapsed / done, f"ms a run; {clock[0]:.1f} s with the start, {memory[0]:.1f} MB more")


def frames(runs: int) -> None:
    """Runs of one small frame: planning, doing, the second call, and the size of the page."""
    tiny = [Override(key, value, "") for key, value in {"time.frames": 1, "output.size": [64, 64]}.items()]
    with timed() as planning:
        plan = planned(find("quickstart"), tiny, Wishes((axis_from_text("flock.separation.weight=0:1:5"),), runs // 5))
    say("planning", 1e3 * planning[0] / runs, "ms a run")
    with TemporaryDirectory() as name:
        directory = Path(name) / "runs"
        with grown() as memory, timed() as doing:
            swept(plan, 2, directory)
        say("one-frame runs, two workers", 1e3 * doing[0] / runs, f"ms a run; {memory[0]:.1f} MB more")
        with timed() as again, Study(plan, directory) as study:
            missing = study.missing()
        say("the second call", 1e3 * again[0] / runs, f"ms a run; {len(missing)} to do")
        for name in ("index.html", "manifest.csv", "manifest.jsonl"):
            say(name, (directory / name).stat().st_size / 1e6, "MB")


def swept(plan: Plan, jobs: int, directory: Path | None = None) -> None:
    """Do a sweep, in a directory of its own unless told which."""
    if directory is None:
        with TemporaryDirectory() as name:
            swept(plan, jobs, Path(name))
        return
    with Study(plan, directory) as study, Workers(jobs) as workers:
        rows = study.run(study.missing(), Crew(workers, 2 * jobs))
        assert all(row["status"] == "done" for row in rows)


@contextmanager
def timed() -> Iterator[list[float]]:
    """The seconds that the block takes, in a list that is filled at its end."""
    clock: list[float] = []
    began = time.perf_counter()
    yield clock
    clock.append(time.perf_counter() - began)


@contextmanager
def grown() -> Iterator[list[float]]:
    """The megabytes by which this process grows in the block, in a list that is filled at its end."""
    memory: list[float] = []
    before = resident()
    yield memory
    memory.append(resident() - before)


def resident() -> float:
    """The memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def say(what: str, figure: float, unit: str) -> None:
    """One line of the result."""
    sys.stdout.write(f"{what:30} {figure:8.2f} {unit}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
