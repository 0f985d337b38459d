"""Whole: a sweep from its beginning to its end in one call, on this machine, as Python callers want it.

directory_of(wanted)               the directory of a sweep, which is gone afterwards where none is wanted
do_missing(study, jobs, progress)  do what is missing
flat_row(plan, run, row)           the record of a run
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from boidsgen import system
from boidsgen.errors import SweepError
from boidsgen.pipeline import Progress
from boidsgen.studies.sweep.jobs import FAILED
from boidsgen.studies.sweep.local import Workers
from boidsgen.studies.sweep.plan import Plan, Run
from boidsgen.studies.sweep.rows import Row
from boidsgen.studies.sweep.study import Backend, Study


@contextmanager
def directory_of(wanted: str | PathLike[str] | None) -> Iterator[Path]:
    """The directory of a sweep; one that is gone afterwards where none is wanted."""
    if wanted is not None:
        yield Path(wanted)
        return
    with TemporaryDirectory(prefix="boidsgen-") as name:
        yield Path(name) / "sweep"


def do_missing(study: Study, jobs: int | None, progress: Progress | None) -> None:
    """Do what is missing, with so many workers, or one for each core.

    Raises:
        SweepError: when some runs failed.
    """
    runs = study.missing()
    count = min(jobs or system.usable_cores(), len(runs))
    if not count:
        return
    failed: list[str] = []
    with Workers(count) as workers:
        for number, row in enumerate(study.run(runs, Backend(workers, at_once=2 * count, local=True)), start=1):
            failed += [f"{row['run']}: {row['reason']}"] if row["status"] == FAILED else []
            if progress:
                progress(number)
    if failed:
        raise SweepError("\n".join([f"{len(failed)} of {len(runs)} runs failed", *failed]))


def flat_row(plan: Plan, run: Run, row: Row) -> dict[str, Any]:
    """The record of a run: its keys and its measures are columns of their own.

    Values come from the plan: in a row, which JSON has to hold, infinity is text.
    """
    means: Mapping[str, Any] = row.get("mean") or {}
    file = {"file": row["file"]} if plan.drawn else {}
    return {"run": row["run"], **dict(zip(plan.keys, run.values, strict=True)), "seed": row["seed"], **file, **means}
