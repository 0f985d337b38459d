"""Study: many runs of one scenario, in a directory that knows what has become of each.

    with Study(plan_sweep(source, [], SweepOptions(seeds=20)), Path("runs")) as study, Workers(2) as workers:
        for row in study.run(study.missing(), Backend(workers, at_once=4)):
            print(row["run"], row["status"])

A study that is opened again does what is missing, has changed or has failed. It can be stopped at any moment: finished
runs stay, and an unfinished one leaves nothing. Manifest and page are put in order when the study is closed, whatever
the reason.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Self

from boidsgen import plugins
from boidsgen.errors import StorageError
from boidsgen.output.formats import WRITERS
from boidsgen.output.places import storing
from boidsgen.output.video import installed
from boidsgen.scenario.inheritance import self_contained
from boidsgen.scenario.provenance import versions
from boidsgen.simulation.run import engines_for_many
from boidsgen.studies.sweep.directory import claimed
from boidsgen.studies.sweep.jobs import WAITING, Executor, Outcome, Task, run_jobs
from boidsgen.studies.sweep.manifest import LINES, SPREADSHEET, Manifest, holds, plain
from boidsgen.studies.sweep.page import PAGE, write_page
from boidsgen.studies.sweep.plan import Plan, Run
from boidsgen.studies.sweep.rows import Row, some_of
from boidsgen.studies.sweep.sheet import sheet_name
from boidsgen.studies.sweep.strangers import made_by_us, refuse_originals, refuse_strangers
from boidsgen.studies.sweep.tasks import RunJob, delivered, measured, rendered


@dataclass(frozen=True)
class Backend:
    """Where runs are done.

    Attributes:
        executor: takes them, and gives a future for each.
        at_once: how many it is given at a time.
        draw: the task of a run that is drawn.
        local: whether compiled code that is kept here is there too.
    """

    executor: Executor
    at_once: int
    draw: Task[RunJob] = rendered
    local: bool = False


class Study:
    """A sweep and its directory; use it as a context.

    Attributes:
        plan: the runs.
        directory: where everything is.

    Args:
        plan: the runs.
        directory: made if need be; no other study can use it meanwhile.
        engine: that does the simulations.
        series: the format in which the measures of every frame of each run are kept; empty for none.
        owned: whether files of others in the directory may be replaced, because the user said that all is ours.

    Raises:
        StorageError: when the directory cannot be used, or holds what is not ours where something of ours belongs.
        UsageError: when the plan would replace what it is made from.
    """

    def __init__(
        self, plan: Plan, directory: Path, engine: str = "auto", series: str = "", *, owned: bool = False
    ) -> None:
        self.plan = plan
        self.directory = directory
        self._engine = engine
        self._series = series
        self._owned = owned
        self._stack = ExitStack()
        self._trusted: set[str] = set()
        self._ran = self._had_sheet = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(claimed(self.directory))
            refuse_originals(self.directory, self.plan)
            if not self._owned:
                refuse_strangers(self.directory, self.plan)
            self._manifest = stack.enter_context(Manifest(self.directory))
            self._had_sheet = self.sheet.exists()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: object, __: TracebackType | None) -> None:
        with self._stack, suppress(*([] if kind is None else [StorageError])):  # the first error is the one to tell
            # A study that failed before it began, or that has done nothing new, leaves all as it was.
            if self._trusted and not self._unchanged():
                self._manifest.publish(self.rows, self.plan.keys, self.plan.base.measure.names)
                write_page(self.directory, self.plan, self.rows)

    def _unchanged(self) -> bool:
        """Whether everything about all runs together stands there as it would be written now."""
        if self._ran or self.sheet.exists() != self._had_sheet or not (self.directory / PAGE).exists():
            return False
        names = [run.name for run in self.plan.runs]
        measures = self.plan.base.measure.names
        return self._trusted == set(names) and self._manifest.published(names, self.plan.keys, measures)

    @property
    def notices(self) -> list[str]:
        """A line where the manifest has lines that cannot be believed."""
        lines = self._manifest.damaged
        if not lines:
            return []
        place = f"{self.directory / LINES}: damaged or edited in line {some_of(lines)}"
        return [f"{place}; what stood there is done again"]

    @property
    def sheet(self) -> Path:
        """Where a picture of all runs belongs."""
        return self.directory / sheet_name(self.plan)

    @property
    def summaries(self) -> list[Path]:
        """The files about all runs together, as far as they exist."""
        paths = (self.directory / SPREADSHEET, self.directory / PAGE, self.sheet)
        return [path for path in paths if path.exists()]

    def missing(self) -> list[Run]:
        """The runs that have to be done, because no row that can be trusted says that they have been."""
        self._trusted |= {run.name for run in self.plan.runs if self._holds(run)}
        return [run for run in self.plan.runs if run.name not in self._trusted]

    def run(self, runs: Iterable[Run], backend: Backend) -> Iterator[Row]:
        """Do these runs and give the row of each as it ends.

        Raises:
            StorageError: when the manifest cannot be written any more, or the executor is gone.
        """
        self._ran = True
        runs = list(runs)
        shared = backend.local and runs
        of_each = engines_for_many(self._engine, self.plan.base, len(runs)) if shared else repeat(self._engine)
        jobs = (self._job(run, engine) for run, engine in zip(runs, of_each, strict=False))
        task = backend.draw if self.plan.drawn else measured
        for job, outcome in run_jobs(jobs, backend.executor, task, backend.at_once):
            run = self._runs[job["run"]]
            row = self._row(run, delivered(job, outcome))
            self._manifest.add(row)
            self._trusted.add(run.name)
            yield row

    def remove_sheet(self) -> None:
        """Take away a sheet of ours that nobody will make anew, when all runs are done."""
        with storing(str(self.sheet)):
            if self.sheet.exists() and made_by_us(self.sheet):
                self.sheet.unlink()

    def rows(self) -> Iterator[Row]:
        """A row for every run of the plan, in its order, whatever became of it."""
        return (self._present(run) for run in self.plan.runs)

    @cached_property
    def _runs(self) -> Mapping[str, Run]:
        return {run.name: run for run in self.plan.runs}

    @cached_property
    def _versions(self) -> str:
        """Everything that decides about an output besides its scenario."""
        needs_ffmpeg = any(WRITERS[run.format].needs_ffmpeg for run in self.plan.runs if run.format)
        parts = [versions().strip("# \n"), *plugins.codes()]  # whoever writes a rule does not change its version
        return ", ".join([*parts, f"ffmpeg {installed().version}"] if needs_ffmpeg else parts)

    def _holds(self, run: Run) -> bool:
        if self._series and not (self.directory / self._series_file(run)).exists():
            return False
        return holds(self._manifest.brief(run.name), self._identity(run), self.directory)

    def _identity(self, run: Run) -> dict[str, object]:
        identity: dict[str, object] = {
            "run": run.name,
            "file": run.file,
            "scenario": run.digest,
            "versions": self._versions,
        }
        return identity | ({"series": self._series_file(run)} if self._series else {})

    def _series_file(self, run: Run) -> str:
        return f"{run.name}.series.{self._series}"

    def _row(self, run: Run, outcome: Outcome) -> Row:
        values = dict(zip(self.plan.keys, run.values, strict=True))
        seeds = {"seed": run.seed, **({} if run.number is None else {"seed_number": run.number})}
        entries = {**self._identity(run), **outcome, **seeds, "parameters": values}
        return {name: plain(entry) for name, entry in entries.items()}

    def _present(self, run: Run) -> Row:
        row = self._manifest.row(run.name) if run.name in self._trusted else None
        return row or self._row(run, {"status": WAITING})

    def _job(self, run: Run, engine: str) -> RunJob:
        source = self.plan.source
        return RunJob(
            run=run.name,
            label=source.label,
            text=self_contained(source).text,
            settings=[*self.plan.settings(run).items(), *self.plan.embedded(run).items()],
            output=str(self.directory / run.file),
            format=run.format,
            engine=engine,
            series=str(self.directory / self._series_file(run)) if self._series else "",
        )
