"""The runs of a sweep: how many seeds, and the outcome of one run.

`do_run` is the work of a worker process, here or on another machine: it takes a `RunJob` and returns an `Outcome`, a
small dictionary, whatever happens; a run that fails has the status "failed" and a reason.
"""

import time
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from math import ceil, inf, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from boidsgen.errors import BoidsgenError, LimitError
from boidsgen.measuring import NOTHING_OWN, Own, RunMeasures, row_columns, write_series
from boidsgen.output.formats import FORMATS, Target
from boidsgen.pipeline import RunOptions, preflight, render
from boidsgen.plugins import boundary
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source
from boidsgen.simulation.run import simulate
from boidsgen.studies.manifest import RUN_DONE, RUN_FAILED, Outcome, hash_output
from boidsgen.system import open_regular

FIRST_SEEDS = 8  # Seeds of a cell before its error is looked at; of fewer the error is too uncertain
POSTER_SIDE = 320  # Longer side of a run's still picture on the page, in pixels


def seeds_needed(values: Sequence[Sequence[float | None]], until: Sequence[float], most: int) -> int:
    """Number of seeds, at most `most`, whose means have these standard errors, as far as the results tell.

    It depends on the results alone, not on who had them when: after eight seeds, and then after at most twice as many
    as before, it is estimated from the standard deviation how many would do.

    Args:
        values: of each measure, for one seed after the other, as many as there are; None where it is not defined.
        until: standard error that is wanted of each measure.
        most: maximum.
    """
    wanted = min(FIRST_SEEDS, most)
    while wanted < most and len(values[0]) >= wanted:
        if (times := _times([found[:wanted] for found in values], until)) <= 1:
            break
        wanted = min(most, max(wanted + 1, ceil(min(times**2, 2.0) * wanted)))
    return wanted


def accurate(values: Sequence[Sequence[float | None]], until: Sequence[float]) -> bool:
    """True if the means of all measures have these standard errors."""
    return _times(values, until) <= 1


def _times(values: Sequence[Sequence[float | None]], until: Sequence[float]) -> float:
    """The largest standard error in parts of what is wanted."""
    known = [[value for value in found if value is not None] for found in values]
    errors = [float(np.std(some, ddof=1)) / sqrt(len(some)) if len(some) > 1 else inf for some in known]
    return max(error / wanted for error, wanted in zip(errors, until, strict=True))


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


def do_run(job: RunJob, own: Own = NOTHING_OWN) -> Outcome:
    """Simulate and measure a run, and draw it if its job has a format."""
    began = time.monotonic()
    try:
        with boundary():
            found = {"status": RUN_DONE, **_run(job, own)}
    except MemoryError:
        found = {"status": RUN_FAILED, "reason": "not enough memory", "exit_code": LimitError.exit_code}
    except (Exception, SystemExit) as bug:  # noqa: BLE001  a bug in one run must not stop the others; the row names it
        error = bug if isinstance(bug, BoidsgenError) else BoidsgenError(f"{type(bug).__name__}: {bug}")
        found = {"status": RUN_FAILED, "reason": str(error), "exit_code": error.exit_code}
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
        options = RunOptions(job.engine, observe=measures.add)
        report = render(own.steered(scenario), Target(job.output, job.format), options=options)
        found = {"frames": report.frames, "digest": report.digest, **hash_output(path)}
        writer = FORMATS[job.format]
        if writer.makes != "folder" and writer.element == "img":  # a page cannot show the last frame of such a file
            found["poster"] = last_frame_poster(path)
    found |= measures.entries()
    if job.series:
        write_series(measures.rows, [job.series], names=row_columns(scenario))
    return found


def last_frame_poster(path: Path) -> str:
    """A small picture of the last frame of an animated file, as a data URL."""
    with open_regular(path) as file, Image.open(file) as image:
        image.seek(getattr(image, "n_frames", 1) - 1)
        small = image.convert("RGB")
    small.thumbnail((POSTER_SIDE, POSTER_SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"
