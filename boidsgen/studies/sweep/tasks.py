"""Tasks: what a worker does for one run of a sweep, here or on another machine.

A task is a function at the top of a module. It takes one job, a dictionary that JSON can carry, and gives one outcome,
a small dictionary, whatever happens: a run that fails has an outcome too, with the status "failed" and a reason. Only a
worker that dies gives none.

  rendered(job)            draws the run and writes it where the job says
  collected(job)           draws the run and puts the finished file into the outcome
  measured(job)            simulates the run and draws nothing
  delivered(job, outcome)  here again: writes a collected file where the job says

Measuring a large flock costs as much as moving it. So, unless the scenario says every how many frames, the mean of a
measure is taken over at most `MAX_MEASURED` frames, evenly spread, the last one among them; runs with equally many
frames are measured at the same ones.
"""

import time
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from boidsgen.errors import BoidsgenError, LimitError, StorageError
from boidsgen.output.formats import WRITERS
from boidsgen.output.tables import Row
from boidsgen.output.targets import Target
from boidsgen.pipeline import Report, preflight, render
from boidsgen.plugins import complaint
from boidsgen.scenario.loading import draft
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation import State, simulate
from boidsgen.simulation.measuring import Measurement
from boidsgen.simulation.population import Population, everybody
from boidsgen.simulation.profiles import PROFILES, SHELLS, distances
from boidsgen.studies.series import columns, row_of, write_series
from boidsgen.studies.statistics import correlated_error
from boidsgen.studies.sweep.directory import fingerprint, replacing
from boidsgen.studies.sweep.jobs import DONE, FAILED, Outcome

MAX_MEASURED = 64
"""Frames of one run that are measured."""
MAX_WAITING, MAX_WAITING_BOIDS = 32, 1 << 15
"""States that wait to be measured together, and the boids in all of them."""
MAX_COLLECTED_BYTES = 256_000_000
"""Bytes of a file that travels inside an outcome; it is held in memory on its way."""
POSTER_SIDE = 320
"""Longer side of the picture that stands for a run on the page, in pixels."""


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
        series: the file for the measures of every measured frame; empty for none.
    """

    run: str
    label: str
    text: str
    settings: list[tuple[str, object]]
    output: str
    format: str
    engine: str
    series: str


class Averages:
    """Collects the measures of one run, frame by frame, and its profiles.

    Args:
        scenario: of the run.
        keep: whether everything that is measured is kept, as for a series.
    """

    def __init__(self, scenario: Scenario, *, keep: bool = False) -> None:
        self._measurement = Measurement(scenario.measure, scenario.time, MAX_MEASURED)
        self._profiles = {name: PROFILES[name]() for name in scenario.measure.profiles}
        self._sums = {name: [np.zeros(SHELLS), np.zeros(SHELLS)] for name in self._profiles}
        self._values: defaultdict[str, list[float]] = defaultdict(list)
        self._final: dict[str, float] = {}
        self._last: State | None = None
        self._seed, self._keep = scenario.seed, keep
        self._waiting: list[State] = []
        self._at_once = max(1, min(MAX_WAITING, MAX_WAITING_BOIDS // max(1, sum(scenario.most_boids))))
        self._rows: list[Row] = []

    @property
    def rows(self) -> Sequence[Row]:
        """Everything that was measured, as for a series; empty unless it is kept."""
        self._measure_waiting()
        return self._rows

    def add(self, state: State) -> None:
        """Measure a state, if its frame is one of those that are measured, soon or at the end."""
        self._waiting.append(state)
        if len(self._waiting) >= self._at_once:
            self._measure_waiting()

    def _measure_waiting(self) -> None:
        """Measure some states of small flocks one right after the other.

        The processor then has at hand what measuring needs. Between the steps of a simulation it takes twice as long.
        """
        waiting, self._waiting = self._waiting, []
        for state in waiting:
            self._measure(state)

    def _measure(self, state: State) -> None:
        values = self._measurement.of(state)
        if values is None:
            return
        self._final, self._last = values, state
        for name, value in values.items():
            self._values[name].append(value)
        if self._profiles:
            self._add_profiles(everybody(state))
        if self._keep:
            self._rows.append(row_of(self._seed, state, self._measurement.names, values))

    def outcome(self) -> dict[str, object]:
        """What the manifest says of the run.

        The measures at the last frame ("final"), and of those in which they were defined the means ("mean"), their
        standard errors ("error"), and the means of second and fourth powers ("moments"); the number of boids at the
        end ("boids"); and profiles, if they are wanted.
        """
        self._measure_waiting()
        values = {name: np.array(values) for name, values in self._values.items()}
        found: dict[str, object] = {
            "final": self._final,
            "mean": {name: sum(values) / len(values) for name, values in self._values.items()},
            "error": {name: correlated_error(values) for name, values in self._values.items()},
            "moments": {name: [float((some**power).mean()) for power in (2, 4)] for name, some in values.items()},
            "boids": 0 if self._last is None else sum(len(flock.position) for flock in self._last.flocks),
        }
        return found | ({"profiles": self._means()} if self._profiles else {})

    def _add_profiles(self, population: Population) -> None:
        for name, profile in self._profiles.items():
            shells = profile.values(population)
            known = np.isfinite(shells)
            self._sums[name][0] += np.where(known, shells, 0.0)
            self._sums[name][1] += known

    def _means(self) -> dict[str, dict[str, list[float | None]]]:
        """For each profile the middles of its shells, and the means of what was defined there."""
        if self._last is None:
            return {}
        middle: list[float | None] = [*distances(self._last.setup.world).tolist()]
        return {
            name: {"distance": middle, "mean": [t / n if n else None for t, n in zip(*map(_listed, sums), strict=True)]}
            for name, sums in self._sums.items()
        }


def _listed(array: NDArray[np.float64]) -> list[float]:
    return [float(number) for number in array]


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
    """Write a collected file where the job wants it; gives the outcome without it."""
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
    except (Exception, SystemExit) as bug:  # noqa: BLE001  a bug in one run must not stop the others; the row names it
        told = complaint(bug) or BoidsgenError(f"{type(bug).__name__}: {bug}")
        found = {"status": FAILED, "reason": str(told), "exit_code": told.exit_code}
    return {**found, "seconds": round(time.monotonic() - began, 3)}


def _rendered(job: RunJob, output: str) -> Mapping[str, object]:
    scenario = _scenario(job)
    averages = Averages(scenario, keep=bool(job["series"]))
    report = render(scenario, Target(output, job["format"]), engine=job["engine"], observe=averages.add)
    _keep_series(averages, scenario, job)
    found = {**_of_report(report), **averages.outcome(), **fingerprint(Path(output))}
    return found | ({"poster": poster(Path(output))} if _stands_still(job["format"]) else {})


def _collected(job: RunJob) -> Mapping[str, object]:
    with TemporaryDirectory(prefix="boidsgen-") as directory:
        path = Path(directory) / Path(job["output"]).name
        found = _rendered(job, str(path))
        size = path.stat().st_size
        if size > MAX_COLLECTED_BYTES:
            raise LimitError(f"{size:,} bytes are too many to collect; render to a shared directory instead")
        return {**found, "content": path.read_bytes()}


def _measured(job: RunJob) -> Mapping[str, object]:
    scenario = _scenario(job)
    preflight(scenario)
    averages = Averages(scenario, keep=bool(job["series"]))
    for state in simulate(scenario, job["engine"]):
        averages.add(state)
    _keep_series(averages, scenario, job)
    return {"frames": scenario.time.frames, **averages.outcome()}


def _stands_still(output_format: str) -> bool:
    """Whether a page cannot show the end of such a file by itself."""
    writer = WRITERS[output_format]
    return writer.makes != "folder" and writer.element == "img"


def poster(path: Path) -> str:
    """A small picture of the last frame of an animated file, as an address that holds its content."""
    with path.open("rb") as file, Image.open(file) as image:
        image.seek(getattr(image, "n_frames", 1) - 1)
        small = image.convert("RGB")
    small.thumbnail((POSTER_SIDE, POSTER_SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"


def _keep_series(averages: Averages, scenario: Scenario, job: RunJob) -> None:
    if job["series"]:
        write_series(averages.rows, [job["series"]], names=columns(scenario))


def _scenario(job: RunJob) -> Scenario:
    settings = [Override(key, value, key) for key, value in job["settings"]]
    return draft(Source(job["label"], "", job["text"]), settings).scenario()


def _of_report(report: Report) -> Mapping[str, object]:
    return {"frames": report.frames, "digest": report.digest}
