"""Jobs: many pieces of work, done in this process, in worker processes of this machine, or on a Dask cluster.

    with Workers(2) as backend:
        for job, outcome in backend.run(jobs):
            ...

A `Job` is a record of everything that its work needs, and so it can travel to another process. A `Backend` takes jobs
one by one, has only a few in flight, and yields each with its outcome as it ends: the result of its `do`, or an
exception. A worker that dies loses its own job and no other.
"""

import logging
import os
import re
import signal
import sys
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from typing_extensions import override

from boidsgen import plugins, system
from boidsgen.errors import BoidsgenError, Interrupted, LimitError, StorageError, UsageError
from boidsgen.output.publish import remove_temporaries, scratch_folder
from boidsgen.pipeline import RunOptions
from boidsgen.scenario.scenario import versions
from boidsgen.simulation.run import engine_name

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WORKER_PATIENCE = 5.0  # Seconds that a worker may take to clean up when it is told to stop
POLL = 0.2  # Seconds between two looks at signals; on Windows none is delivered during a wait
ANSWER = 15.0  # Seconds that a scheduler and its workers may take to answer
ENVIRONMENT = dict.fromkeys(
    ("BOIDSGEN_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
) | {"PYTHONSAFEPATH": "1"}
"""Variables of a worker: one thread each, and no module is imported from the current directory while Python starts."""


class Job(Protocol):
    """One piece of work; its fields can be pickled where it is done in another process."""

    def do(self) -> object:
        """Do the work, and return its result."""


JobT = TypeVar("JobT", bound=Job)


class DeadWorkerError(LimitError):
    """A worker process ended in the middle of its job."""


class Backend(AbstractContextManager["Backend"]):
    """A place where jobs are done, within its block; leaving the block gives up those that have not ended."""

    @abstractmethod
    def run(self, jobs: Iterable[JobT]) -> Iterator[tuple[JobT, Any]]:
        """Yield every job with its outcome as it ends."""

    def engine(self, name: str) -> str:
        """The name of the engine by which the jobs simulate, if they are to have this one."""
        return name

    def in_order(self, jobs: Sequence[JobT]) -> Iterator[Any]:
        """Yield the outcome of every job, in the order of the jobs."""
        ended, outcomes = self.run(jobs), dict[int, Any]()
        for job in jobs:
            while id(job) not in outcomes:
                other, outcome = next(ended)
                outcomes[id(other)] = outcome
            yield outcomes.pop(id(job))


class Here(Backend):
    """This process, one job after the other; what a job raises is raised."""

    @override
    def __exit__(self, *_: object) -> None: ...

    @override
    def run(self, jobs: Iterable[JobT]) -> Iterator[tuple[JobT, Any]]:
        for job in jobs:
            yield job, job.do()


class Workers(Backend):
    """A pool of worker processes; they start with their first jobs and end with the block, or with this process.

    Each worker does one job after another, since starting one takes longer than a short clip.
    """

    def __init__(self, count: int) -> None:
        from multiprocessing import Pipe  # noqa: PLC0415  what is done here must not wait for it

        self._count = count
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._reader, self._alive = Pipe(duplex=False)

    @override
    def engine(self, name: str) -> str:
        return engine_name(name)  # chosen once for all, on this machine

    @override
    def __exit__(self, *_: object) -> None:
        """End all workers, in the middle of a job if need be; they remove their unfinished outputs."""
        self._alive.close()
        until = time.monotonic() + WORKER_PATIENCE
        for worker in self._workers:
            worker.end(max(0.0, until - time.monotonic()))
        self._reader.close()

    @override
    def run(self, jobs: Iterable[JobT]) -> Iterator[tuple[JobT, Any]]:
        """Yield every job with its outcome as it ends.

        Raises:
            LimitError: no worker can be started.
        """
        from multiprocessing.connection import wait  # noqa: PLC0415  likewise

        waiting, busy, ended = iter(jobs), dict[_Worker, JobT](), list[tuple[JobT, Any]]()
        while True:
            for job in islice(waiting, self._count - len(busy)):
                if not self._idle:
                    self._workers.append(_Worker(self._reader))
                    self._idle.append(self._workers[-1])
                worker = self._idle.pop()
                busy[worker] = job
                with suppress(BrokenPipeError, ConnectionResetError):  # it died meanwhile, and its job with it
                    worker.pipe.send(job)
            yield from ended
            if not busy:
                return
            ready = {*wait([end for worker in busy for end in (worker.pipe, worker.process.sentinel)], POLL)}
            ended.clear()
            for worker in [one for one in busy if {one.pipe, one.process.sentinel} & ready]:
                outcome = worker.outcome()
                ended.append((busy.pop(worker), outcome))
                if isinstance(outcome, DeadWorkerError):
                    self._workers.remove(worker)
                else:
                    self._idle.append(worker)


class _Worker:
    """A process that does one job after another; a pipe of its own tells which one it has when it dies."""

    def __init__(self, alive: object) -> None:  # a Connection, or what Windows has instead
        from multiprocessing import get_context  # noqa: PLC0415  likewise

        context, main, environment = get_context("spawn"), sys.modules["__main__"], dict(os.environ)
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=_work, args=(far, alive))
        # A worker would otherwise run the main module of its parent again, such as a script that calls `sweep`.
        sys.modules["__main__"] = ModuleType("__main__")
        os.environ.update(ENVIRONMENT)
        try:
            self.process.start()
        except OSError as error:
            raise LimitError(f"no worker process can be started: {error}") from None
        finally:
            far.close()
            sys.modules["__main__"] = main
            for name in ENVIRONMENT:
                os.environ.pop(name)
            os.environ.update(environment)

    def outcome(self) -> object:
        """Outcome of its job, or of its death."""
        with suppress(EOFError, OSError):
            if self.pipe.poll():
                return self.pipe.recv()
        code = self.end()
        how = f"ended by {system.signal_name(-code)}" if code < 0 else f"exit code {code}"
        return DeadWorkerError(f"the worker died ({how})")

    def end(self, patience: float = WORKER_PATIENCE) -> int:
        """Wait for its end, so many seconds, and release what it held here; returns the exit code."""
        self.process.join(patience)
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        self.pipe.close()
        self.process.close()
        return code


def _work(jobs: "Connection", alive: "Connection") -> None:
    """Do the jobs that come through a pipe, until it is closed.

    On SIGTERM, and when the parent closes the other end of `alive` or dies, the worker cleans up and ends.
    """
    try:
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
        while True:
            job = jobs.recv()
            try:
                outcome = job.do()
            except Exception as error:  # noqa: BLE001  it belongs to this job, and the others go on
                outcome = _portable(error)
            jobs.send(outcome)
    except (EOFError, OSError, Interrupted):  # nobody waits for more
        remove_temporaries()
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """An error as it travels between processes: a bug without its trace, and whatever it holds."""
    return error if isinstance(error, BoidsgenError) else RuntimeError(f"{type(error).__name__}: {error}")


def _interrupt(number: int, _: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would interrupt the clean-up
    raise Interrupted(number)


class Cluster(Backend):
    """The workers of a running Dask scheduler.

    A task may be run twice, and may end after it was given up. Both are harmless: outputs appear complete or not at
    all, and the same job gives the same bytes.

    Args:
        address: of the scheduler, as in tcp://scheduler:8786.
        directory: of the outputs, which every worker must see; None where jobs make no files.

    Raises:
        UsageError: Dask is not installed, or the port is none.
        StorageError: the scheduler cannot be reached, has no workers, or they lack the directory or our versions.
    """

    def __init__(self, address: str, directory: Path | None = None) -> None:
        self._address, self._directory = address, directory

    @override
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
            self._refuse_other_workers()
        except BaseException:
            self.__exit__()
            raise
        return self

    @override
    def __exit__(self, *_: object) -> None:
        """Give up what has not ended; a task that is running already may go on."""
        with suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=ANSWER)

    @override
    def run(self, jobs: Iterable[JobT]) -> Iterator[tuple[JobT, Any]]:
        """Yield every job with its outcome as it ends.

        Raises:
            StorageError: the scheduler is gone.
        """
        waiting = iter(jobs)
        threads = sum(self._client.nthreads().values())
        in_flight: dict[Any, JobT] = {}

        def submit(job: JobT) -> Any:  # noqa: ANN401  a future of Dask
            future = self._client.submit(type(job).do, job, pure=False)  # equal jobs are different ones
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
                outcome = _portable(error)
            yield in_flight.pop(future), outcome

    def _refuse_other_workers(self) -> None:
        """Check that there are workers, all with our versions, and that they see a folder that is in the directory."""
        answers, here = self._ask(code_versions), code_versions()
        if not answers:
            raise StorageError(f"{self._address}: the scheduler has no workers; start some")
        for worker, there in answers.items():
            if there != here:
                raise StorageError(
                    f"{self._address}: the worker {worker} has {there}, and this machine has {here}; "
                    "the same seeds would give different pictures there"
                )
        if self._directory:
            with scratch_folder(self._directory) as token:
                blind = [worker for worker, sees in self._ask(os.path.exists, token).items() if not sees]
            if blind:
                raise StorageError(
                    f"{self._directory}: the worker {blind[0]} does not have this directory; "
                    "share it, or only measure: --measures-only"
                )

    def _ask(self, function: Callable[..., object], *arguments: str) -> dict[str, object]:
        """Call a function on each worker."""
        try:
            return dict(self._client.run(function, *arguments))
        except Exception as error:  # noqa: BLE001  it cannot import boidsgen there, or is gone
            raise StorageError(f"{self._address}: a worker is of no use: {error}") from None


def open_backend(options: RunOptions, most: int, directory: Path | None = None, *, travels: bool = True) -> Backend:
    """The backend for at most so many jobs: workers, by default one for each core, those of a cluster, or this process.

    Its block raises StorageError if there is no scheduler, or its workers do not share the directory.

    Args:
        options: of the runs.
        most: number of jobs.
        directory: that all workers write to.
        travels: whether a job can be done in another process.

    Raises:
        UsageError: a cluster, which decides itself how many jobs are done at a time, is given their number.
    """
    if options.dask:
        if options.jobs is not None:
            raise UsageError("dask: takes no jobs")
        return Cluster(options.dask, directory)
    if system.IN_BROWSER or not travels:
        return Here()
    return Workers(min(options.jobs or system.usable_cores(), most))


def code_versions() -> str:
    """Versions of everything that decides about the frames of a scenario, but for ffmpeg."""
    return ", ".join([versions().strip("# \n"), *plugins.codes()])  # whoever writes a rule does not change its version
