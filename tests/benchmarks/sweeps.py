"""Sweeps: what a run costs besides itself, and what a second worker brings."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from boidsgen.scenario.overrides import Override
from boidsgen.scenario.sources import find
from boidsgen.studies.sweep.axes import axis_from_text
from boidsgen.studies.sweep.jobs import run_jobs
from boidsgen.studies.sweep.local import Workers
from boidsgen.studies.sweep.plan import Plan, SweepOptions, plan_sweep
from boidsgen.studies.sweep.study import Backend, Study
from tests.benchmarks.table import Row, alternately, seconds
from tests.studies import fakes

RUNS = 10_000
"""Runs of the large sweeps."""


def rows() -> Iterator[Row]:
    """Two workers against one; scheduling alone; ten thousand runs of one small frame."""
    yield _two_workers()
    yield _scheduling()
    yield from _small_frames()


def _two_workers() -> Row:
    plan = plan_sweep(find("quickstart"), [Override("time.frames", 60, "")], SweepOptions(seeds=60))
    two, one, ratio = alternately(lambda: _swept_anew(plan, 2), lambda: _swept_anew(plan, 1))
    return Row("60 GIFs of 60 frames, two workers", f"{two:.1f} s", "one worker", f"{one:.1f} s", f"{ratio:.2f}")


def _scheduling() -> Row:
    with Workers(2) as workers:
        list(run_jobs(range(2), workers, fakes.echo, 4))  # starting them is no part of it
        before = _resident()
        spent = seconds(lambda: list(run_jobs(range(RUNS), workers, fakes.echo, 4)))
        return Row(
            f"{RUNS:,} runs that do nothing",
            f"{1e3 * spent / RUNS:.2f} ms a run, {_more(before)}",
            "at most",
            "2 ms a run",
        )


def _small_frames() -> Iterator[Row]:
    tiny = [Override("time.frames", 1, ""), Override("output.size", [64, 64], "")]
    axes = (axis_from_text("flock.separation.weight=0:1:5"),)
    began = time.perf_counter()
    plan = plan_sweep(find("quickstart"), tiny, SweepOptions(axes, seeds=RUNS // 5))
    yield Row(f"checking {RUNS:,} runs of one frame", _each(began))
    with TemporaryDirectory() as name:
        directory = Path(name)
        began, before = time.perf_counter(), _resident()
        _swept(plan, 2, directory)
        yield Row("doing them, two workers", f"{_each(began)}, {_more(before)}")
        began = time.perf_counter()
        with Study(plan, directory) as study:
            study.missing()
        yield Row("finding that all are done", _each(began))


def _swept_anew(plan: Plan, jobs: int) -> None:
    with TemporaryDirectory() as name:
        _swept(plan, jobs, Path(name))


def _swept(plan: Plan, jobs: int, directory: Path) -> None:
    with Study(plan, directory) as study, Workers(jobs) as workers:
        assert all(row["status"] == "done" for row in study.run(study.missing(), Backend(workers, 2 * jobs)))


def _each(began: float) -> str:
    return f"{1e3 * (time.perf_counter() - began) / RUNS:.2f} ms a run"


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _more(before: int) -> str:
    return f"{(_resident() - before) / 1e6:.0f} MB more memory"
