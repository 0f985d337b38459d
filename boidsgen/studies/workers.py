"""Worker processes on this machine, and workers of a Dask cluster.

All have one method in common: `run(task, jobs)` yields every job with its outcome as it ends, and has only a few jobs
in flight. A worker that dies loses its own job and no other.
"""

import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Self, TypeAlias, TypeVar, cast

from boidsgen import plugins, system
from boidsgen.errors import Interrupted, LimitError, StorageError, UsageError
from boidsgen.output.publish import remove_temporaries, scratch_folder
from boidsgen.scenario.scenario import versions
from boidsgen.studies.manifest import FAILED, Outcome

Job = TypeVar("Job")
Task = Callable[[Job], Outcome]
"""Does a job; a function at the top of a module, so that other processes find it."""

PATIENCE = 5.0  # Seconds that a worker may take to clean up when it is told to stop
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

    def end(self, patience: float = PATIENCE) -> int:
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
        until = time.monotonic() + PATIENCE
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
                    outcome = {"status": FAILED, "reason": f"the worker died ({how})"}
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
                outcome = {"status": FAILED, "reason": f"{type(error).__name__}: {error}"}
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
        time.sleep(PATIENCE / 2)
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
                outcome = {"status": FAILED, "reason": f"{type(error).__name__}: {error}"}
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
