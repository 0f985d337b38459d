"""Sweeps: many runs of one scenario, in a directory whose manifest records every run.

    with Study(plan_sweep(source, [], SweepOptions(seeds=20)), Path("runs")) as study, Workers(2) as workers:
        failed = study.run(workers)

A `RunJob` is one run; its outcome is a small dictionary, whatever happens: a run that fails has the status "failed" and
a reason. A study that is opened again does the runs that are missing, have changed or have failed. It can be stopped at
any moment: finished runs stay, and an unfinished one leaves nothing. Manifest and page are put in order when the study
is closed.
"""

import time
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import groupby, takewhile
from math import ceil, inf, sqrt
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from PIL import Image

from boidsgen.errors import BoidsgenError, LimitError, StorageError, SweepError
from boidsgen.jobs import Backend, code_versions, open_backend
from boidsgen.measuring import NOTHING_OWN, Own, RunMeasures, row_columns, write_series
from boidsgen.output.formats import FORMATS, Target, encoder_versions, is_own
from boidsgen.output.publish import lock_directory, open_file
from boidsgen.parcels import Parcel, carried, fingerprint
from boidsgen.pipeline import DEFAULT_OPTIONS, Progress, RunOptions, preflight, render, with_progress
from boidsgen.plugins import boundary
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.simulation.observing import ObservationModel
from boidsgen.studies.manifest import (
    CRATE,
    LINES,
    RUN_DONE,
    RUN_FAILED,
    RUN_WAITING,
    SPREADSHEET,
    STUDY,
    Manifest,
    ManifestRow,
    Outcome,
    hash_output,
    is_done,
    json_value,
    name_some,
    read_lines,
)
from boidsgen.studies.plan import SweepPlan, SweepRun
from boidsgen.studies.reports import PAGE, study_text, write_page
from boidsgen.system import open_regular

FIRST_SEEDS = 8  # Seeds of a cell before its error is looked at; of fewer the error is too uncertain
POSTER_SIDE = 480  # Longer side of a run's still picture on the page, in pixels


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
    own: Own | Parcel = NOTHING_OWN  # what a program adds
    model: ObservationModel | None = None  # of a film as which a run is seen that is only measured

    def do(self) -> Outcome:
        """Simulate and measure the run, and draw it if the job has a format."""
        began = time.monotonic()
        try:
            with boundary():
                settings = [Override(key, value, key) for key, value in self.settings]
                scenario = draft(self.source, settings).scenario()
                own = self.own.own() if isinstance(self.own, Parcel) else self.own
                steered = own.steered(scenario)
                if isinstance(self.own, Parcel):
                    self.own.name_sources(steered)
                measures = RunMeasures(scenario, own.measures, keep_rows=bool(self.series))
                found: Outcome = {"status": RUN_DONE, "frames": scenario.time.frames}
                if not self.format:
                    preflight(scenario, drawn=False)
                    states = self.options.run(steered)
                    measures.add_all(self.model.tracks(states, scenario.seed) if self.model else states)
                else:
                    path, writer = Path(self.output), FORMATS[self.format]
                    options = self.options._replace(observe=measures.add)
                    report = render(steered, Target(self.output, self.format), options=options)
                    found |= {"frames": report.frames, "digest": report.digest, **hash_output(path)}
                    if writer.makes != "folder" and writer.element == "img":  # a page cannot show a file's last frame
                        found["poster"] = late_poster(path, steered.looping_in({self.format}))
                found |= measures.entries()
                if self.series:
                    write_series(measures.rows, [self.series], names=row_columns(scenario))
        except MemoryError:
            found = {"status": RUN_FAILED, "reason": "not enough memory", "exit_code": LimitError.exit_code}
        except (Exception, SystemExit) as bug:  # noqa: BLE001  it must not stop the other runs; the row names it
            error = bug if isinstance(bug, BoidsgenError) else BoidsgenError(f"{type(bug).__name__}: {bug}")
            found = {"status": RUN_FAILED, "reason": str(error), "exit_code": error.exit_code}
        return {**found, "seconds": round(time.monotonic() - began, 3)}


def late_poster(path: Path, scenario: Scenario) -> str:
    """A small picture of the last frame before the cross-fade of an animated file, as a data URL."""
    with open_regular(path) as file, Image.open(file) as image:
        part = 1 - scenario.seam / scenario.clip_frames
        image.seek(max(0, round(part * getattr(image, "n_frames", 1)) - 1))
        small = image.convert("RGB")
    small.thumbnail((POSTER_SIDE, POSTER_SIDE))
    content = BytesIO()
    small.save(content, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{b64encode(content.getvalue()).decode()}"


@dataclass
class Study:
    """A sweep and its directory; use it as a context manager.

    Raises:
        StorageError: the directory cannot be used, or has foreign files where outputs belong.
        UsageError: an output would replace what the sweep reads.
    """

    plan: SweepPlan  # the runs
    directory: Path  # of all outputs; made if need be, and locked
    options: RunOptions = DEFAULT_OPTIONS  # of the runs
    series: str = ""  # format in which the measures of every frame of each run are kept; empty for none
    _: KW_ONLY
    owned: bool = False  # replace foreign files in the directory, since the user said that all is ours
    more: Sequence[str] = ()  # names of further outputs
    own: Own = NOTHING_OWN  # what a program adds
    force: bool = False  # do all runs, including those done before
    model: ObservationModel | None = None  # of a film as which all runs are seen
    _trusted: set[str] = field(default_factory=set, init=False)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            names = filter(None, (name for run in self.plan.runs for name in (run.file, self._series_file(run))))
            files = [LINES, SPREADSHEET, STUDY, PAGE, *self.more, *names]
            advice = f"choose another directory{'' if self.more or self.owned else ', or use --force-directory'}"
            ours = lock_directory(self.directory, files, lambda path: self.owned or _is_ours(path), advice)
            stack.enter_context(ours)
            self._manifest = stack.enter_context(Manifest(self.directory))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        with self._stack, suppress(*([] if kind is None else [StorageError])):  # the first error is the one to report
            if self._trusted:  # a study that failed before it began leaves everything as it was
                names = (*self.plan.base.measure.names, *self.own.measures)
                self._manifest.publish(self.rows(), self.plan.keys, names)
                write_page(self.directory, self.plan, self.rows)
                with open_file(str(self.directory / STUDY)) as file:
                    file.write(study_text(self.plan, self.own.sources(self.plan.base)).encode())

    @property
    def notices(self) -> list[str]:
        """A line about the damaged lines of the manifest, if there are any."""
        lines = self._manifest.damaged
        place = f"{self.directory / LINES}: damaged or edited in line {name_some(lines)}"
        return [f"{place}; what stood there is done again"] if lines else []

    @property
    def summaries(self) -> list[Path]:
        """The files about all runs together that exist."""
        return [path for name in (SPREADSHEET, PAGE) if (path := self.directory / name).exists()]

    def missing(self) -> list[SweepRun]:
        """The runs that have to be done: those without a row that matches their scenario, versions and output.

        Where the plan has standard errors to reach, these are the next ones; ask again when they are done.
        """
        for run in self.plan.runs if not self.force else ():
            has_series = run.name not in self._trusted and (self.directory / self._series_file(run)).exists()
            if has_series and is_done(self._manifest.row(run.name), self._identity(run), self.directory):
                self._trusted.add(run.name)
        return [run for cell in self._cells() for run in cell if run.name not in self._trusted]

    @property
    def done(self) -> int:
        """Number of runs that are needed and done, or have failed."""
        return sum(run.name in self._trusted for cell in self._cells() for run in cell)

    @property
    def shortfall(self) -> list[str]:
        """A line about the combinations that have all of their seeds and not the standard errors, if there are any."""
        until, cells = self.plan.until, self.plan.cells
        full = [cell for cell in cells if len(self._trusted.intersection(run.name for run in cell)) == len(cell)]
        short = [cell for cell in full if until and not accurate(self._means(cell), [*until.values()])]
        goal = ", ".join(f"error.{name}={error:g}" for name, error in until.items())
        some = f"{len(short)} of {len(cells)} combinations"
        return [f"--until {goal}: {some} did not reach it with {self.plan.seeds} seeds"] if short else []

    def _cells(self) -> list[tuple[SweepRun, ...]]:
        """The runs that are needed, as far as the results tell, those of one combination of values together."""
        if not self.plan.until:
            return self.plan.cells
        wanted = [*self.plan.until.values()]
        return [cell[: seeds_needed(self._means(cell), wanted, len(cell))] for cell in self.plan.cells]

    def _means(self, cell: Sequence[SweepRun]) -> list[list[float | None]]:
        """For each measure with a standard error to reach, its mean in the first runs of a cell that are done."""
        done = [self._manifest.row(run.name) or {} for run in takewhile(lambda run: run.name in self._trusted, cell)]
        return [[row.get("mean", {}).get(name) for row in done] for name in self.plan.until]

    def backend(self) -> Backend:
        """The backend of the runs, as the options have it: workers, those of a cluster, or this process.

        Its block raises StorageError if there is no scheduler, or its workers do not share the directory.

        Raises:
            UsageError: a rule or measure of the program cannot travel.
        """
        shared = self.directory if self.plan.drawn or self.series else None
        travels = isinstance(self._carried, Parcel) or not any(self.own)
        return open_backend(self.options, len(self.missing()), shared, travels=travels)

    def run(self, backend: Backend, progress: Progress | None = None) -> list[ManifestRow]:
        """Do what is missing; progress is called with the number of runs after each. Returns the rows of failed runs.

        Raises:
            StorageError: the manifest cannot be written any more, or the cluster is gone.
        """
        return [row for row in with_progress(self._run(backend), progress) if row["status"] == RUN_FAILED]

    def _run(self, backend: Backend) -> Iterator[ManifestRow]:
        """Do what is missing; yields the row of each run when it has been added to the manifest."""
        of_name = {run.name: run for run in self.plan.runs}
        engine = backend.engine(self.options.engine)
        while runs := self.missing():
            for job, found in backend.run(self._jobs(runs, RunOptions(engine))):
                outcome = {"status": RUN_FAILED, "reason": str(found)} if isinstance(found, Exception) else found
                if isinstance(found, BoidsgenError):  # as its worker died
                    outcome["exit_code"] = found.exit_code
                row = self._row(of_name[job.run], outcome)
                self._manifest.add(row)
                self._trusted.add(job.run)
                yield row

    def rows(self) -> Iterator[ManifestRow]:
        """A row for every run that is needed, in the order of the plan, whatever became of it."""
        for cell in self._cells():
            seeds = {} if self.plan.seeds is None else {"seeds": len(cell) if self.plan.until else self.plan.seeds}
            for run in cell:
                row = self._manifest.row(run.name) if run.name in self._trusted else None
                yield (row or self._row(run, {"status": RUN_WAITING})) | seeds

    @cached_property
    def _carried(self) -> Own | Parcel:
        return carried(self.own, self.plan.base, self.options)

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self.own)

    @cached_property
    def _versions(self) -> str:
        """Everything that decides about an output besides its scenario."""
        return code_versions() + encoder_versions(run.format for run in self.plan.runs if run.format)

    def _identity(self, run: SweepRun) -> dict[str, object]:
        """Entries of a row that decide whether it is about this run."""
        series = {"series": self._series_file(run)} if self.series else {}
        seen, added = self.model.digest if self.model else None, self._fingerprint or None
        scenario = {"scenario": run.digest, "versions": self._versions, "observation": seen, "program": added}
        return {"run": run.name, "file": run.file, **scenario, **series}

    def _series_file(self, run: SweepRun) -> str:
        return f"{run.name}.series.{self.series}" if self.series else ""

    def _row(self, run: SweepRun, outcome: Outcome) -> ManifestRow:
        values = dict(zip(self.plan.keys, run.values, strict=True))
        seeds = {"seed": run.seed, **({} if run.number is None else {"seed_number": run.number})}
        entries = {**self._identity(run), **outcome, **seeds, "parameters": values}
        return {name: json_value(entry) for name, entry in entries.items() if entry is not None}

    @cached_property
    def _source(self) -> Source:
        """The scenario as it travels to another process."""
        return draft(self.plan.source).alone

    def _jobs(self, runs: Sequence[SweepRun], options: RunOptions) -> Iterator[RunJob]:
        for _, cell in groupby(runs, lambda run: run.values):
            files = None  # that the scenario names; the same for all seeds
            for run in cell:
                files = self.plan.embedded(run) if files is None else files
                series = self._series_file(run)
                yield RunJob(
                    run=run.name,
                    source=self._source,
                    settings=(*self.plan.settings(run).items(), *files.items()),
                    output=str(self.directory / run.file),
                    format=run.format,
                    series=series and str(self.directory / series),
                    options=options,
                    own=self._carried,
                    model=self.model,
                )


def _is_ours(path: Path) -> bool:
    """True if the content of a file says that boidsgen made it; its name does not count. Raises OSError."""
    if path.name == LINES:
        with open_regular(path) as file:
            lines, damaged = read_lines(file)
        return bool(lines) or not damaged  # without a row: killed before its first
    if path.name == CRATE:
        with open_regular(path) as file:
            return b"A sweep by boidsgen" in file.read()
    return is_own(path)


def run_missing(study: Study, progress: Progress | None = None) -> None:
    """Do what is missing on the backend of the study; progress is called with the number of runs after each.

    Raises:
        SweepError: some runs failed.
    """
    if not study.missing():
        return
    with study.backend() as workers:
        failed = [f"{row['run']}: {row['reason']}" for row in study.run(workers, progress)]
    if failed:
        raise SweepError("\n".join([f"{len(failed)} of {len(study.plan.runs)} runs failed", *failed]))


def run_records(study: Study) -> Iterator[Mapping[str, Any]]:
    """One record for each run: its keys, the means of its measures and all else that the manifest tells of them.

    Columns are polarization for a mean, and final.polarization, error.polarization and so on; profiles are mappings.

    Values come from the plan: in a row, which is JSON, infinity is text.
    """
    plan = study.plan
    of_name = {run.name: run.values for run in plan.runs}
    for row in study.rows():
        values = dict(zip(plan.keys, of_name[row["run"]], strict=True))
        file = {"file": row["file"]} if plan.drawn else {}
        kinds = ("final", "error", "tau", "n_eff", "settled")
        further = {f"{kind}.{name}": value for kind in kinds for name, value in row.get(kind, {}).items()}
        profiles = {f"profiles.{name}": profile for name, profile in row.get("profiles", {}).items()}
        yield {"run": row["run"], **values, "seed": row["seed"], **file, **row.get("mean", {}), **further, **profiles}
