"""Tasks: what a worker does for one run of a sweep, here or on another machine.

Measuring a large flock costs as much as moving it. So the mean is taken over some frames, evenly spread and the last
one among them, and every run of as many frames is measured at the same ones.

A task is a function at the top of a module. It takes one job, a dictionary that JSON can carry, and gives one outcome,
a small dictionary, whatever happens: a run that fails is an outcome too, with the status "failed" and a reason. Only a
worker that dies gives none.

  rendered(job)   draws the run and writes it where the job says
  collected(job)  draws the run and puts the finished file into the outcome
  measured(job)   simulates the run and draws nothing
"""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

from boidsgen.errors import BoidsgenError, LimitError, StorageError
from boidsgen.pipeline import Report, preflight, render
from boidsgen.scenario.loading import drafted
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation import State, simulate
from boidsgen.simulation.measures import measure
from boidsgen.studies.sweep.directory import fingerprint, replacing
from boidsgen.studies.sweep.jobs import DONE, FAILED, Outcome
from boidsgen.writers.targets import Target

MOST_MEASURED = 64
"""Frames of one run that are measured."""


class Averages:
    """Gathers the measures of one run."""

    def __init__(self, frames: int) -> None:
        self._last = frames - 1
        self._stride = -(-frames // MOST_MEASURED)
        self._values: defaultdict[str, list[float]] = defaultdict(list)
        self._final: dict[str, float] = {}

    def add(self, state: State) -> None:
        """Measure a state, if its frame is one of those that are measured; counted back from the last one."""
        if (self._last - state.frame) % self._stride == 0:
            self._final = measure(state)
            for name, value in self._final.items():
                self._values[name].append(value)

    def outcome(self) -> dict[str, dict[str, float]]:
        """The measures at the last frame, and their means over the frames in which they were defined."""
        means = {name: sum(values) / len(values) for name, values in self._values.items()}
        return {"final": self._final, "mean": means}


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
    preflight(scenario)
    averages = Averages(scenario.time.frames)
    for state in simulate(scenario, job["engine"]):
        averages.add(state)
    return {"frames": scenario.time.frames, **averages.outcome()}


def _scenario(job: RunJob) -> Scenario:
    settings = [Override(key, value, key) for key, value in job["settings"]]
    return drafted(Source(job["label"], "", job["text"]), settings).scenario()


def _of_report(report: Report) -> Mapping[str, object]:
    return {"frames": report.frames, "digest": report.digest}
