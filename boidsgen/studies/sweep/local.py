"""Local: an executor of worker processes on this machine.

Each worker is an interpreter of its own that stays for many tasks, since starting one costs more than a short clip. A
worker that dies loses only its own task and is replaced; `concurrent.futures.ProcessPoolExecutor` would give up all
others with it. None outlives this process, however it ends: a worker stops when its standard input does.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Self

from boidsgen import system
from boidsgen.studies.sweep.jobs import Job, LostWorkerError, Outcome, Task, TaskError, name_of

PATIENCE = 5.0
"""Seconds that a worker may take to clean up when it is told to stop."""
ONE_THREAD = dict.fromkeys(
    ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""Libraries that would start a thread per core in each worker."""

# A worker finds modules where its parent does, and never in the current directory because that happens to be there.
_START = "import sys; sys.path[:] = sys.argv[1:]; from boidsgen.studies.sweep.worker import main; main()"
_REASON_BYTES = 1 << 14


class _Task(NamedTuple):
    order: bytes
    future: "Future[Outcome]"


class Workers:
    """So many worker processes; they start when they are needed, and end with the block."""

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._workers = [_Worker(self._tasks) for _ in range(count)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all workers, in the middle of a task if need be; what they were making is removed."""
        for worker in self._workers:
            worker.stop()
        for _worker in self._workers:
            self._tasks.put(None)
        for worker in self._workers:
            worker.join()

    def submit(self, task: Task[Job], job: Job, /) -> "Future[Outcome]":
        """Give a task with its job, which JSON must be able to carry, to the next worker that is free."""
        order = json.dumps({"task": name_of(task), "job": job}).encode()
        future: Future[Outcome] = Future()
        self._tasks.put(_Task(order + b"\n", future))
        return future


class _Worker:
    """One worker: a thread that takes tasks, and a process that does them; the process is replaced when it dies."""

    def __init__(self, tasks: "SimpleQueue[_Task | None]") -> None:
        self._tasks = tasks
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, name="sweep worker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process, and never start another."""
        with self._lock:
            self._stopped = True
            if self._process:
                self._process.terminate()

    def join(self) -> None:
        """Wait until the process has ended; kill it if it does not."""
        self._thread.join(PATIENCE)
        with self._lock:
            if self._process:
                self._process.kill()

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None and not self._stopped:
            if task.future.set_running_or_notify_cancel():
                self._settle(task)

    def _settle(self, task: _Task) -> None:
        try:
            task.future.set_result(self._ready().answer(task.order))
        except LostWorkerError as error:
            self._let_go()
            task.future.set_exception(error)
        except Exception as error:  # noqa: BLE001  it belongs to whoever waits for the future
            task.future.set_exception(error)

    def _ready(self) -> "_Process":
        with self._lock:
            if self._stopped:
                raise LostWorkerError("the worker was stopped")
            self._process = self._process or _Process()
            return self._process

    def _let_go(self) -> None:
        with self._lock:
            if self._process:
                self._process.kill()
            self._process = None


class _Process:
    """A worker process, and the pipes to it."""

    def __init__(self) -> None:
        self._complaints: IO[bytes] = TemporaryFile()  # noqa: SIM115  closed by kill; a pipe nobody reads would block it
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter and our own code
                [sys.executable, "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env={**os.environ, **ONE_THREAD},
                **system.child_options(),
            )
        except BaseException:
            self._complaints.close()
            raise
        system.adopt(self._process)

    def answer(self, order: bytes) -> Outcome:
        """What the task of an order gave.

        Raises:
            LostWorkerError: when the process died over it.
            TaskError: when the task raised.
        """
        answer = self._exchange(order)
        if "raised" in answer:
            raise TaskError(str(answer["raised"]))
        outcome: Outcome = answer["outcome"]
        return outcome

    def terminate(self) -> None:
        """Ask the process to clean up and end: it does so when nothing more can come."""
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()

    def kill(self) -> None:
        """Make the process end unless it has ended, and close everything; harmless the second time."""
        try:
            self._process.wait(0)
        except subprocess.TimeoutExpired:
            self._process.kill()
        with suppress(OSError), self._process:  # closes the pipes, which nobody reads, and waits
            self._complaints.close()

    def _exchange(self, order: bytes) -> Mapping[str, Any]:
        orders, answers = self._process.stdin, self._process.stdout
        if orders is None or answers is None:
            raise AssertionError
        try:
            orders.write(order)
            orders.flush()
            line = answers.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise LostWorkerError(self._last_words())
        exchange: Mapping[str, Any] = json.loads(line)
        return exchange

    def _last_words(self) -> str:
        """Why the process ended, as far as one can tell."""
        code = self._process.wait()
        how = f"was ended by {system.signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        self._complaints.seek(0)
        lines = self._complaints.read(_REASON_BYTES).decode(errors="replace").splitlines()
        last = next((line for line in reversed(lines) if line.strip()), "")
        return f"the worker {how}" + (f" ({last.strip()})" if last else "")
