"""At once: `render --jobs`, several scenarios in processes of their own.

A job travels as JSON and is read again there, which gives the same scenario; what came of it travels back. Results are
told in the order of the scenarios. The first failure is raised as if it had happened here, and ends what still runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boidsgen import errors
from boidsgen.cli.jobs import RenderJob, saved_states
from boidsgen.errors import BoidsgenError, LimitError, ScenarioError
from boidsgen.output.targets import Target
from boidsgen.pipeline import Report, render
from boidsgen.scenario.inheritance import self_contained
from boidsgen.scenario.loading import draft
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.sources import Source
from boidsgen.simulation.neighbors import unusable

if TYPE_CHECKING:
    from concurrent.futures import Future

    from boidsgen.studies.sweep.jobs import Outcome


@dataclass(frozen=True)
class Manner:
    """How all jobs are done.

    Attributes:
        overrides: of keys in each scenario.
        engine: that computes.
        no_clobber: leave what exists as it is.
    """

    overrides: Sequence[Override]
    engine: str
    no_clobber: bool


def rendered(jobs: Sequence[RenderJob], manner: Manner, count: int) -> "Iterator[Outcome]":
    """Render jobs, so many at a time, and give in their order what is to be told of each.

    Raises:
        BoidsgenError: that of the first job that failed.
    """
    from boidsgen.studies.sweep.local import Workers

    with Workers(min(count, len(jobs))) as workers:
        futures = [workers.submit(task, _order(job, manner)) for job in jobs]
        for job, future in zip(jobs, futures, strict=True):
            yield _succeeded(job, future)


def task(order: Mapping[str, Any]) -> "Outcome":
    """What a process does: render one job; what the user has to be told is an outcome, too."""
    from boidsgen.cli.program import in_our_words  # which imports all commands, and so whoever imports this

    path = order["source"]["path"]
    source = Source(**{**order["source"], "path": path and Path(path)})
    overrides = [Override(**one) for one in order["overrides"]]
    targets = [Target(**one) for one in order["targets"]]
    try:
        scenario = draft(source, overrides).scenario()
        states = saved_states(source, scenario, overrides)
        report = render(scenario, *targets, engine=order["engine"], no_clobber=order["no_clobber"], states=states)
    except (Exception, SystemExit) as error:
        if told := in_our_words(error):
            return {"failure": type(told).__name__, "message": str(told)}
        raise
    notices = [*report.notices, *unusable.notices()]
    return {"paths": [str(path) for path in report.paths], "notices": notices, "entries": entries(report)}


def entries(report: Report) -> dict[str, object]:
    """What `--json` says about each output of a rendering."""
    return {
        "frames": report.frames,
        "duration": report.duration,
        "seed": report.seed,
        "digest": report.digest,
        "seconds": round(report.seconds, 3),
        "engine": report.engine,
    }


def _order(job: RenderJob, manner: Manner) -> dict[str, object]:
    alone = self_contained(job.source)  # what it extends may be gone by then
    source = {**asdict(alone), "path": alone.path and str(alone.path)}
    return {**asdict(manner), "source": source, "targets": [asdict(target) for target in job.targets]}


def _succeeded(job: RenderJob, future: "Future[Outcome]") -> "Outcome":
    from boidsgen.studies.sweep.jobs import LostWorkerError, awaited

    try:
        outcome = awaited(future)
    except LostWorkerError as error:
        raise LimitError(f"{job.source.label}: {error}") from None
    if "failure" in outcome:
        raise _failure(outcome["failure"], outcome["message"])
    return outcome


def _failure(kind: str, message: str) -> BoidsgenError:
    if kind == ScenarioError.__name__:
        return ScenarioError(message.splitlines())
    error: BoidsgenError = getattr(errors, kind)(message)
    return error
