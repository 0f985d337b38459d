"""Jobs: many of them on anything that can `submit`, few at a time.

An executor needs one method, `submit(task, job)`, which gives a `concurrent.futures.Future`. `run_jobs` keeps a handful
of jobs in flight, so that ten thousand cost no more memory than ten, and gives every job back with its outcome as soon
as it has one. Whatever becomes of a job, it has an outcome: what a task raises is one that says "failed".
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from boidsgen import system
from boidsgen.errors import StorageError

DONE, FAILED, WAITING = "done", "failed", "waiting"
"""The states of a run; a waiting one has not been begun, or not been finished."""

Job = TypeVar("Job")
Outcome: TypeAlias = dict[str, Any]
"""What became of a job: at least its status, and the reason for a failure."""
Task = Callable[[Job], Outcome]
"""What is to be done with a job; a function at the top of a module, so that other processes find it."""


class LostWorkerError(Exception):
    """The worker died while it did a job: because of the job, or because something else took its memory."""


class TaskError(Exception):
    """The task raised in another process; the message says what and why."""


class Executor(Protocol):
    """Where tasks are done."""

    def submit(self, task: Task[Job], job: Job, /) -> "Future[Outcome]":
        """Begin a task as soon as there is room."""


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Job]):
    job: Job
    again: bool = False


def run_jobs(jobs: Iterable[Job], executor: Executor, task: Task[Job], at_once: int) -> Iterator[tuple[Job, Outcome]]:
    """Every job with its outcome, in the order in which they end.

    A job whose worker died is tried once more. What `submit` itself raises, as when there is no executor any more, ends
    the iteration.

    Args:
        jobs: taken one by one as there is room.
        executor: where they are done.
        task: what is done with each.
        at_once: how many are in flight; twice the number of workers keeps all of them busy.
    """
    waiting = (_Attempt(job) for job in jobs)
    ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
    in_flight: dict[Future[Outcome], _Attempt[Job]] = {}

    def begin(attempts: Iterable[_Attempt[Job]]) -> None:
        for attempt in attempts:
            future = executor.submit(task, attempt.job)
            in_flight[future] = attempt
            future.add_done_callback(ended.put)

    begin(islice(waiting, at_once))
    while in_flight:
        future = ended.get()
        attempt = in_flight.pop(future)
        if _lost(future) and not attempt.again:
            begin([_Attempt(attempt.job, again=True)])
            continue
        begin(islice(waiting, 1))
        yield attempt.job, _outcome(future)


def _lost(future: "Future[Outcome]") -> bool:
    return not future.cancelled() and isinstance(future.exception(), LostWorkerError)


def _outcome(future: "Future[Outcome]") -> Outcome:
    try:
        return future.result()
    except CancelledError:
        return {"status": FAILED, "reason": "was given up by its executor"}
    except LostWorkerError as error:
        return {"status": FAILED, "reason": f"{error}, twice"}
    except TaskError as error:
        return {"status": FAILED, "reason": str(error)}
    except StorageError:  # not the job's: there is no executor any more
        raise
    except OSError as error:  # as when the system allows no further process
        return {"status": FAILED, "reason": f"{error.strerror or error}{system.limit_met(error)}"}
    except Exception as error:  # noqa: BLE001  whatever it is, it belongs to this job alone
        return {"status": FAILED, "reason": f"{type(error).__name__}: {error}"}
