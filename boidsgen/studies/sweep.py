"""Sweeps: many runs of one scenario, by worker processes, in a directory whose manifest records every run.

    with Study(plan_sweep(source, [], SweepOptions(seeds=20)), Path("runs")) as study, Workers(2) as workers:
        failed = study.run(workers)

Backends run here, in worker processes of this machine, or on a Dask cluster. All have one method in common: `run(task,
jobs)` yields every job with its outcome as it ends, and has only a few jobs in flight. A worker that dies loses its own
job and no other.

A study that is opened again does the runs that are missing, have changed or have failed. It can be stopped at any
moment: finished runs stay, and an unfinished one leaves nothing. Manifest and page are put in order when the study is
closed.
"""

import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from importlib import import_module
from itertools import count, groupby, islice, takewhile
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, Self, TypeAlias, TypeVar, cast

from boidsgen import plugins, system
from boidsgen.errors import Interrupted, LimitError, StorageError, SweepError, UsageError
from boidsgen.measuring import NOTHING_OWN, Own
from boidsgen.output.formats import encoder_versions, is_own
from boidsgen.output.publish import (
    lock_directory,
    open_file,
    remove_temporaries,
    scratch_folder,
)
from boidsgen.pipeline import Progress
from boidsgen.scenario.layers import self_contained
from boidsgen.scenario.scenario import versions
from boidsgen.simulation.run import engine_name
from boidsgen.studies.manifest import (
    LINES,
    RUN_FAILED,
    RUN_WAITING,
    SPREADSHEET,
    STUDY,
    Manifest,
    ManifestRow,
    Outcome,
    is_done,
    json_value,
    name_some,
    read_lines,
)
from boidsgen.studies.plan import SweepPlan, SweepRun
from boidsgen.studies.reports import PAGE, study_text, write_page
from boidsgen.studies.runs import RunJob, accurate, do_run, seeds_needed
from boidsgen.system import open_regular

Job = TypeVar("Job")
Task = Callable[[Job], Outcome]
"""Does a job; a function at the top of a module, so that other processes find it."""

WORKER_PATIENCE = 5.0  # Seconds that a worker may take to clean up when it is told to stop
POLL = 0.2  # Seconds between two looks at signals; on Windows none is delivered during a wait
ANSWER = 15.0  # Seconds that a scheduler and its workers may take to answer
ENVIRONMENT = dict.fromkeys(
    ("BOIDSGEN_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
) | {"PYTHONSAFEPATH": "1"}
"""Variables of a worker: one thread each, and no module is imported from the current directory while Python starts."""


class _Worker(SpawnProcess):
    """A process that does one job after another; a pipe of its own tells which one it has when it dies."""

    def __init__(self, alive: object) -> None:  # a Connection, or what Windows has instead
        self.pipe, far = Pipe()
        super().__init__(target=_work, args=(far, alive))
        main, environment = sys.modules["__main__"], dict(os.environ)
        # A worker would otherwise run the main module of its parent again, such as a script that calls `sweep`.
        sys.modules["__main__"] = ModuleType("__main__")
        os.environ.update(ENVIRONMENT)
        try:
            self.start()
        except OSError as error:
            raise LimitError(f"no worker process can be started: {error}") from None
        finally:
            far.close()
            sys.modules["__main__"] = main
            for name in ENVIRONMENT:
                os.environ.pop(name)
            os.environ.update(environment)

    def outcome(self) -> Outcome | None:
        """Outcome of its job; None where it died."""
        with suppress(EOFError, OSError):
            return cast("Outcome", self.pipe.recv()) if self.pipe.poll() else None
        return None

    def end(self, patience: float = WORKER_PATIENCE) -> int:
        """Wait for its end, so many seconds, and release what it held here; returns the exit code."""
        self.join(patience)
        self.kill()
        self.join()
        code = self.exitcode or 0
        self.pipe.close()
        self.close()
        return code


class Workers:
    """A pool of worker processes; they start with their first jobs and end with the block, or with this process.

    Each worker does one job after another, since starting one takes longer than a short clip.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []

    def __enter__(self) -> Self:
        self._reader, self._alive = Pipe(duplex=False)
        return self

    def __exit__(self, *_: object) -> None:
        """End all workers, in the middle of a job if need be; they remove their unfinished outputs."""
        self._alive.close()
        until = time.monotonic() + WORKER_PATIENCE
        for worker in self._workers:
            worker.end(max(0.0, until - time.monotonic()))
        self._reader.close()

    def run(self, task: Task[Job], jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Yield every job with its outcome as it ends; an exception is an outcome that says "failed".

        Raises:
            LimitError: no worker can be started.
        """
        waiting = iter(jobs)
        busy: dict[_Worker, Job] = {}

        def give(number: int) -> None:
            for job in islice(waiting, number):
                if not self._idle:
                    self._workers.append(_Worker(self._reader))
                    self._idle.append(self._workers[-1])
                worker = self._idle.pop()
                busy[worker] = job
                with suppress(BrokenPipeError, ConnectionResetError):  # it died meanwhile, and its job with it
                    worker.pipe.send((task, job))

        give(self._count)
        while busy:
            ready = {*wait([end for worker in busy for end in (worker.pipe, worker.sentinel)], POLL)}
            for worker in [one for one in busy if {one.pipe, one.sentinel} & ready]:
                outcome, job = worker.outcome(), busy.pop(worker)
                if outcome is None:
                    self._workers.remove(worker)
                    code = worker.end()
                    how = f"ended by {system.signal_name(-code)}" if code < 0 else f"exit code {code}"
                    outcome = {"status": RUN_FAILED, "reason": f"the worker died ({how})"}
                    outcome["exit_code"] = LimitError.exit_code
                else:
                    self._idle.append(worker)
                give(1)
                yield job, outcome


def _work(jobs: Connection, alive: Connection) -> None:
    """Do the jobs that come through a pipe, until it is closed."""
    try:
        _prepare_worker(alive)
        while True:
            task, job = jobs.recv()
            try:
                outcome = task(job)
            except Exception as error:  # noqa: BLE001  it belongs to this job, and the others go on
                outcome = {"status": RUN_FAILED, "reason": f"{type(error).__name__}: {error}"}
            jobs.send(outcome)
    except (EOFError, OSError, Interrupted):  # nobody waits for more
        remove_temporaries()
        os._exit(1)


def _prepare_worker(alive: Connection) -> None:
    """Let a worker clean up and end on SIGTERM, and when its parent closes the other end of the pipe, or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which decides
    for number in {*system.STOPPING, signal.SIGTERM} - {signal.SIGINT}:
        signal.signal(number, _interrupt)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # results alone are printed, and by the parent
        os.dup2(nowhere, descriptor)

    def watch() -> None:
        with suppress(EOFError, OSError):
            alive.recv_bytes()
        system.interrupt(signal.SIGTERM)
        time.sleep(WORKER_PATIENCE / 2)
        remove_temporaries()  # Python drops an exception in a destructor
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _interrupt(number: int, _: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would interrupt the clean-up
    raise Interrupted(number)


class Here:
    """This process, for jobs that cannot travel to another one: those with rules and measures of a program."""

    def run(self, task: Task[Job], jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Yield every job with its outcome, one after the other."""
        for job in jobs:
            yield job, task(job)


class Cluster:
    """The workers of a running Dask scheduler.

    A task may be run twice, and may end after it was given up. Both are harmless: outputs appear complete or not at
    all, and the same job gives the same bytes.

    Args:
        address: of the scheduler, as in tcp://scheduler:8786.

    Raises:
        UsageError: Dask is not installed, or the port is none.
        StorageError: the scheduler cannot be reached, has no workers, or their versions differ from ours.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> Self:
        port = self._address.rpartition(":")[2]
        if re.fullmatch("-?[0-9]+", port) and not 0 < float(port) < 1 << 16:
            raise UsageError(f"--dask {self._address}: a port is a number from 1 to 65535")
        try:
            self._dask: Any = import_module("distributed")  # an extra, and slow to import
        except ImportError:
            raise UsageError("--dask needs Dask; install it with pip install 'boidsgen[dask]'") from None
        for name in ("distributed", "tornado", "asyncio"):  # errors are reported by us, in one line
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            self._client = self._dask.Client(self._address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:  # ValueError: no address
            reason = str(error).partition("\n")[0]
            raise StorageError(f"{self._address}: cannot reach a Dask scheduler there: {reason}") from None
        try:
            self._refuse_other_versions()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Give up what has not ended; a task that is running already may go on."""
        with suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=ANSWER)

    def run(self, task: Task[Job], jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Yield every job with its outcome as it ends; an exception is an outcome that says "failed".

        Raises:
            StorageError: the scheduler is gone.
        """
        waiting = iter(jobs)
        threads = sum(self._client.nthreads().values())
        in_flight: dict[Any, Job] = {}

        def submit(job: Job) -> Any:  # noqa: ANN401  a future of Dask
            future = self._client.submit(task, job, pure=False)  # equal jobs are different ones
            in_flight[future] = job
            return future

        ended = self._dask.as_completed([submit(job) for job in islice(waiting, 2 * threads)], loop=self._client.loop)
        for future in ended:
            if self._client.status != "running":
                raise StorageError(
                    f"{self._address}: the scheduler is gone; finished runs are kept, the same command resumes"
                )
            for another in islice(waiting, 1):
                ended.add(submit(another))
            try:
                outcome = future.result()
            except Exception as error:  # noqa: BLE001  a bug, a worker that was killed, a result that was lost
                outcome = {"status": RUN_FAILED, "reason": f"{type(error).__name__}: {error}"}
            yield in_flight.pop(future), outcome

    def refuse_other_directory(self, directory: Path) -> None:
        """Check that every worker sees this directory, with a folder that is put there for a moment.

        Raises:
            StorageError: one does not.
        """
        with scratch_folder(directory) as token:
            blind = [worker for worker, sees in self._ask(_exists, token).items() if not sees]
        if blind:
            raise StorageError(
                f"{directory}: the worker {blind[0]} does not have this directory; "
                "share it, or only measure: --measures-only"
            )

    def _refuse_other_versions(self) -> None:
        answers = self._ask(code_versions)
        if not answers:
            raise StorageError(f"{self._address}: the scheduler has no workers; start some")
        here = code_versions()
        for worker, there in answers.items():
            if there != here:
                raise StorageError(
                    f"{self._address}: the worker {worker} has {there}, and this machine has {here}; "
                    "the same seeds would give different pictures there"
                )

    def _ask(self, function: Callable[..., object], *arguments: str) -> dict[str, object]:
        """Call a function on each worker."""
        try:
            return dict(self._client.run(function, *arguments))
        except Exception as error:  # noqa: BLE001  it cannot import boidsgen there, or is gone
            raise StorageError(f"{self._address}: a worker is of no use: {error}") from None


Backend: TypeAlias = Workers | Cluster | Here


def code_versions() -> str:
    """Versions of everything that decides about the frames of a scenario, but for ffmpeg."""
    return ", ".join([versions().strip("# \n"), *plugins.codes()])  # whoever writes a rule does not change its version


def _exists(path: str) -> bool:
    return Path(path).exists()


@dataclass
class Study:
    """A sweep and its directory; use it as a context manager.

    Raises:
        StorageError: the directory cannot be used, or has foreign files where outputs belong.
        UsageError: an output would replace what the sweep reads.
    """

    plan: SweepPlan  # the runs
    directory: Path  # of all outputs; made if need be, and locked
    engine: str = "auto"  # of the simulations
    series: str = ""  # format in which the measures of every frame of each run are kept; empty for none
    _: KW_ONLY
    owned: bool = False  # replace foreign files in the directory, since the user said that all is ours
    more: Sequence[str] = ()  # names of further outputs
    own: Own = NOTHING_OWN  # what a program adds; its runs are done in this process
    force: bool = False  # do all runs, including those done before
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
                self._manifest.publish(self.rows(), self.plan.keys, self.plan.base.measure.names)
                write_page(self.directory, self.plan, self.rows)
                with open_file(str(self.directory / STUDY)) as file:
                    file.write(study_text(self.plan).encode())

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

    @contextmanager
    def backend(self, jobs: int | None = None, dask: str = "") -> Iterator[Backend]:
        """The backend of the runs: so many workers, by default one for each core, those of a cluster, or this process.

        Raises:
            StorageError: there is no scheduler at this address, or its workers do not share the directory.
        """
        if dask:
            with Cluster(dask) as cluster:
                if self.plan.drawn or self.series:
                    cluster.refuse_other_directory(self.directory)
                yield cluster
            return
        count = min(jobs or system.usable_cores(), len(self.missing()))
        with nullcontext(Here()) if any(self.own) else Workers(count) as workers:
            yield workers

    def run(self, backend: Backend, progress: Progress | None = None) -> list[ManifestRow]:
        """Do what is missing; progress is called with the number of runs after each. Returns the rows of failed runs.

        Raises:
            StorageError: the manifest cannot be written any more, or the cluster is gone.
        """
        failed, number = list[ManifestRow](), count(1)
        while runs := self.missing():
            for row in self._run(runs, backend):
                failed += [row] if row["status"] == RUN_FAILED else []
                if progress:
                    progress(next(number))
        return failed

    def _run(self, runs: Sequence[SweepRun], backend: Backend) -> Iterator[ManifestRow]:
        """Do these runs; yields the row of each when it has been added to the manifest."""
        of_name = {run.name: run for run in runs}
        engine = engine_name(self.engine) if isinstance(backend, Workers) else self.engine
        task = partial(do_run, own=self.own) if any(self.own) else do_run
        for job, outcome in backend.run(task, self._jobs(runs, engine)):
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
    def _versions(self) -> str:
        """Everything that decides about an output besides its scenario."""
        return code_versions() + encoder_versions(run.format for run in self.plan.runs if run.format)

    def _identity(self, run: SweepRun) -> dict[str, object]:
        """Entries of a row that decide whether it is about this run."""
        series = {"series": self._series_file(run)} if self.series else {}
        return {"run": run.name, "file": run.file, "scenario": run.digest, "versions": self._versions, **series}

    def _series_file(self, run: SweepRun) -> str:
        return f"{run.name}.series.{self.series}" if self.series else ""

    def _row(self, run: SweepRun, outcome: Outcome) -> ManifestRow:
        values = dict(zip(self.plan.keys, run.values, strict=True))
        seeds = {"seed": run.seed, **({} if run.number is None else {"seed_number": run.number})}
        entries = {**self._identity(run), **outcome, **seeds, "parameters": values}
        return {name: json_value(entry) for name, entry in entries.items()}

    def _jobs(self, runs: Sequence[SweepRun], engine: str) -> Iterator[RunJob]:
        text = self_contained(self.plan.source).text
        for _, cell in groupby(runs, lambda run: run.values):
            files = None  # that the scenario names; the same for all seeds
            for run in cell:
                files = self.plan.embedded(run) if files is None else files
                series = self._series_file(run)
                yield RunJob(
                    run=run.name,
                    label=self.plan.source.label,
                    text=text,
                    settings=(*self.plan.settings(run).items(), *files.items()),
                    output=str(self.directory / run.file),
                    format=run.format,
                    engine=engine,
                    series=series and str(self.directory / series),
                )


def _is_ours(path: Path) -> bool:
    """True if the content of a file says that boidsgen made it; its name does not count. Raises OSError."""
    if path.name == LINES:
        with open_regular(path) as file:
            lines, damaged = read_lines(file)
        return bool(lines) or not damaged  # without a row: killed before its first
    return is_own(path)


def run_missing(study: Study, jobs: int | None, progress: Progress | None, dask: str = "") -> None:
    """Do what is missing on this machine, with this number of workers, or one for each core, or on a cluster.

    Raises:
        SweepError: some runs failed.
    """
    if not study.missing():
        return
    with study.backend(jobs, dask) as workers:
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
