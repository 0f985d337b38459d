"""The work of one run of a sweep, done by a worker process here or on another machine.

`do_run` takes a `RunJob` and returns an `Outcome`, a small dictionary, whatever happens: a run that fails has the
status "failed" and a reason.
"""

import time
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from boidsgen.errors import BoidsgenError, LimitError
from boidsgen.output.formats import FORMATS, Target
from boidsgen.output.series import Row
from boidsgen.pipeline import RunOptions, preflight, render
from boidsgen.plugins import boundary
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation.measuring import Measurement, StateMeasure
from boidsgen.simulation.profiles import PROFILES, SHELLS, distances, everybody
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import State
from boidsgen.studies.manifest import DONE, FAILED, Outcome, hash_output
from boidsgen.studies.series import NOTHING, Own, columns, series_row, write_series
from boidsgen.studies.statistics import summary

MAX_MEASURED = 64
"""Maximum number of measured frames in one run, evenly spread, unless the scenario sets the interval.

Measuring a large flock costs as much as moving it.
"""
POSTER_SIDE = 320  # Longer side of a run's still picture on the page, in pixels


class RunJob(NamedTuple):
    """Everything a worker needs for one run."""

    run: str  # name of the run
    label: str  # display name of the scenario
    text: str  # of the scenario
    settings: tuple[tuple[str, object], ...]  # keys to set in it, in order, with their values
    output: str  # path of the file or folder to make
    format: str  # of the output; empty for a run that is only measured
    engine: str  # of the simulation
    series: str = ""  # path of the file for the measures of every measured frame; empty for none


def do_run(job: RunJob, own: Own = NOTHING) -> Outcome:
    """Simulate and measure a run, and draw it if its job has a format."""
    began = time.monotonic()
    try:
        with boundary():
            found = {"status": DONE, **_run(job, own)}
    except MemoryError:
        found = {"status": FAILED, "reason": "not enough memory", "exit_code": LimitError.exit_code}
    except (Exception, SystemExit) as bug:  # noqa: BLE001  a bug in one run must not stop the others; the row names it
        error = bug if isinstance(bug, BoidsgenError) else BoidsgenError(f"{type(bug).__name__}: {bug}")
        found = {"status": FAILED, "reason": str(error), "exit_code": error.exit_code}
    return {**found, "seconds": round(time.monotonic() - began, 3)}


def _run(job: RunJob, own: Own) -> Outcome:
    settings = [Override(key, value, key) for key, value in job.settings]
    scenario = draft(Source(job.label, "", job.text), settings).scenario()
    measures = RunMeasures(scenario, own.measures, keep_rows=bool(job.series))
    found: Outcome = {"frames": scenario.time.frames}
    if not job.format:
        preflight(scenario, drawn=False)
        for state in simulate(own.steered(scenario), job.engine):
            measures.add(state)
    else:
        path = Path(job.output)
        states = simulate(own.steered(scenario), job.engine) if own.rules else None
        options = RunOptions(job.engine, observe=measures.add, states=states)
        report = render(scenario, Target(job.output, job.format), options=options)
        found = {"frames": report.frames, "digest": report.digest, **hash_output(path)}
        writer = FORMATS[job.format]
        if writer.makes != "folder" and writer.element == "img":  # a page cannot show the last frame of such a file
            found["poster"] = poster(path)
    found |= measures.entries()
    if job.series:
        write_series(measures.rows, [job.series], names=columns(scenario))
    return found


class RunMeasures:
    """Collects the measures and profiles of one run, frame by frame.

    Attributes:
        rows: of a series, if they are kept.
    """

    def __init__(self, scenario: Scenario, own: Mapping[str, StateMeasure], *, keep_rows: bool) -> None:
        self.rows: list[Row] = []
        self._measurement = Measurement(scenario.measure, scenario.time, MAX_MEASURED, own=own)
        self._profiles = {name: PROFILES[name]() for name in scenario.measure.profiles}
        self._sums = {name: np.zeros((2, SHELLS)) for name in self._profiles}
        self._values: defaultdict[str, list[float]] = defaultdict(list)
        self._final: dict[str, float] = {}
        self._last: State | None = None
        self._seed, self._keep_rows = scenario.seed, keep_rows

    def add(self, state: State) -> None:
        """Take the next state."""
        if (values := self._measurement.of(state)) is None:
            return
        self._final, self._last = values, state
        for name, value in values.items():
            self._values[name].append(value)
        population = everybody(state)
        for name, profile in self._profiles.items():
            shells = profile.values(population)
            known = np.isfinite(shells)
            self._sums[name] += np.where(known, shells, 0.0), known
        if self._keep_rows:
            self.rows.append(series_row(self._seed, state, self._measurement.names, values))

    def entries(self) -> Outcome:
        """Entries of the manifest.

        "final" has the measures of the last frame; of the frames in which a measure is defined there are its mean
        ("mean"), the accuracy of that ("error", "tau", "n_eff", "settled"), and the means of second and fourth powers
        ("moments"). "boids" is the number of boids at the end, "profiles" has the mean of each shell, where there are
        any.
        """
        last = self._last
        arrays = {name: np.array(values) for name, values in self._values.items()}
        found: Outcome = {
            "final": self._final,
            **summary(self._values),
            "moments": {name: [float((some**power).mean()) for power in (2, 4)] for name, some in arrays.items()},
            "boids": 0 if last is None else sum(len(flock.position) for flock in last.flocks),
        }
        if self._profiles:
            found["profiles"] = {
                name: {
                    "distance": distances(last.setup.world).tolist(),
                    "mean": [total / number if number else None for total, number in sums.T.tolist()],
                }
                for name, sums in self._sums.items()
                if last is not None
            }
        return found


def poster(path: Path) -> str:
    """A small picture of the last frame of an animated file, as a data URL."""
    with path.open("rb") as file, Image.open(file) as image:
        image.seek(getattr(image, "n_frames", 1) - 1)
        small = image.convert("RGB")
    small.thumbnail((POSTER_SIDE, POSTER_SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"
