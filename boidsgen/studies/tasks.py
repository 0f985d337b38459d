"""Tasks: what a worker does for one run of a sweep, here or on another machine.

A task is a function at the top of a module. It takes one job, a dictionary that JSON can carry, and gives one outcome,
a small dictionary, whatever happens: a run that fails is an outcome too, with the status "failed" and a reason. Only a
worker that dies gives none.

  rendered(job)   draws the run and writes it where the job says
  collected(job)  draws the run and puts the finished file into the outcome
  measured(job)   simulates the run and draws nothing
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

from boidsgen.errors import BoidsgenError, LimitError, StorageError
from boidsgen.pipeline import Report, render
from boidsgen.scenario.demands import refuse_excess
from boidsgen.scenario.loading import drafted
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation import simulate
from boidsgen.studies.averages import Averages
from boidsgen.studies.files import fingerprint, replacing
from boidsgen.studies.jobs import DONE, FAILED, Outcome
from boidsgen.writers.target import Target

LARGEST_COLLECTED = 256_000_000
"""Bytes of a file that travels inside an outcome; it is held in memory on its way."""


class RunJob(TypedDict):
    """What is to be done for one run.

    Attributes:
        run: its name.
        label: how messages name the scenario.
        text: of the scenario.
        settings: keys to set in it, each with its value, in their order.
        output: the file or folder to make.
        format: of the output.
        engine: that does the simulation.
    """

    run: str
    label: str
    text: str
    settings: list[tuple[str, object]]
    output: str
    format: str
    engine: str


def rendered(job: RunJob) -> Outcome:
    """Draw the run and write it where the job says."""
    return _outcome(lambda: _rendered(job, job["output"]))


def collected(job: RunJob) -> Outcome:
    """Draw the run and put the finished file into the outcome, as bytes under "content"."""
    return _outcome(lambda: _collected(job))


def measured(job: RunJob) -> Outcome:
    """Simulate the run and draw nothing."""
    return _outcome(lambda: _measured(job))


def delivered(job: RunJob, outcome: Outcome) -> Outcome:
    """The outcome without the collected file, which is where the job wants it from now on."""
    content = outcome.pop("content", None)
    if content is None:
        return outcome
    try:
        with replacing(Path(job["output"])) as file:
            file.write(content)
    except StorageError as error:
        return {**outcome, "status": FAILED, "reason": str(error)}
    return outcome


def _outcome(work: Callable[[], Mapping[str, object]]) -> Outcome:
    began = time.monotonic()
    try:
        found = {"status": DONE, **work()}
    except BoidsgenError as error:
        found = {"status": FAILED, "reason": str(error), "exit_code": error.exit_code}
    except MemoryError:
        found = {"status": FAILED, "reason": "not enough memory", "exit_code": LimitError.exit_code}
    except Exception as bug:  # noqa: BLE001  a bug in one run must not stop the others; the row names it
        found = {"status": FAILED, "reason": f"{type(bug).__name__}: {bug}", "exit_code": BoidsgenError.exit_code}
    return {**found, "seconds": round(time.monotonic() - began, 3)}


def _rendered(job: RunJob, output: str) -> Mapping[str, object]:
    scenario = _scenario(job)
    averages = Averages(scenario.time.frames)
    report = render(scenario, Target(output, job["format"]), engine=job["engine"], observe=averages.add)
    return {**_of_report(report), **averages.outcome(), **fingerprint(Path(output))}


def _collected(job: RunJob) -> Mapping[str, object]:
    with TemporaryDirectory(prefix="boidsgen-") as directory:
        path = Path(directory) / Path(job["output"]).name
        found = _rendered(job, str(path))
        size = path.stat().st_size
        if size > LARGEST_COLLECTED:
            raise LimitError(f"{size:,} bytes are too many to collect; render to a shared directory instead")
        return {**found, "content": path.read_bytes()}


def _measured(job: RunJob) -> Mapping[str, object]:
    scenario = _scenario(job)
    refuse_excess(scenario)
    averages = Averages(scenario.time.frames)
    for state in simulate(scenario, job["engine"]):
        averages.add(state)
    return {"frames": scenario.time.frames, **averages.outcome()}


def _scenario(job: RunJob) -> Scenario:
    settings = [Override(key, value, key) for key, value in job["settings"]]
    return drafted(Source(job["label"], "", job["text"]), settings).scenario()


def _of_report(report: Report) -> Mapping[str, object]:
    return {"frames": report.frames, "digest": report.digest}
