"""The runs of a sweep: how many seeds, and the outcome of one run.

A `RunJob` is one run of a sweep; its outcome is a small dictionary, whatever happens: a run that fails has the status
"failed" and a reason.
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
from boidsgen.measuring import Own, RunMeasures, row_columns, write_series
from boidsgen.output.formats import FORMATS, Target
from boidsgen.pipeline import DEFAULT_OPTIONS, RunOptions, preflight, render
from boidsgen.plugins import boundary
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.sources import Source
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
    """Everything that one run of a sweep needs."""

    run: str  # name of the run
    source: Source  # of the scenario, which needs no file
    settings: tuple[tuple[str, object], ...]  # keys to set in it, in order, with their values
    output: str  # path of the file or folder to make
    format: str  # of the output; empty for a run that is only measured
    series: str = ""  # path of the file for the measures of every measured frame; empty for none
    options: RunOptions = DEFAULT_OPTIONS
    own: Own = Own()  # what a program adds; such a run cannot travel

    def do(self) -> Outcome:
        """Simulate and measure the run, and draw it if the job has a format."""
        began = time.monotonic()
        try:
            with boundary():
                settings = [Override(key, value, key) for key, value in self.settings]
                scenario = draft(self.source, settings).scenario()
                steered = self.own.steered(scenario)
                measures = RunMeasures(scenario, self.own.measures, keep_rows=bool(self.series))
                found: Outcome = {"status": RUN_DONE, "frames": scenario.time.frames}
                if not self.format:
                    preflight(scenario, drawn=False)
                    for state in self.options.run(steered):
                        measures.add(state)
                else:
                    path, writer = Path(self.output), FORMATS[self.format]
                    options = self.options._replace(observe=measures.add)
                    report = render(steered, Target(self.output, self.format), options=options)
                    found |= {"frames": report.frames, "digest": report.digest, **hash_output(path)}
                    if writer.makes != "folder" and writer.element == "img":  # a page cannot show a file's last frame
                        found["poster"] = last_frame_poster(path)
                found |= measures.entries()
                if self.series:
                    write_series(measures.rows, [self.series], names=row_columns(scenario))
        except MemoryError:
            found = {"status": RUN_FAILED, "reason": "not enough memory", "exit_code": LimitError.exit_code}
        except (Exception, SystemExit) as bug:  # noqa: BLE001  it must not stop the other runs; the row names it
            error = bug if isinstance(bug, BoidsgenError) else BoidsgenError(f"{type(bug).__name__}: {bug}")
            found = {"status": RUN_FAILED, "reason": str(error), "exit_code": error.exit_code}
        return {**found, "seconds": round(time.monotonic() - began, 3)}


def last_frame_poster(path: Path) -> str:
    """A small picture of the last frame of an animated file, as a data URL."""
    with open_regular(path) as file, Image.open(file) as image:
        image.seek(getattr(image, "n_frames", 1) - 1)
        small = image.convert("RGB")
    small.thumbnail((POSTER_SIDE, POSTER_SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"
