"""Jobs: many of them on anything that can `submit`, few at a time.

An executor needs one method, `submit(task, job)`, which gives a `concurrent.futures.Future`. `run_jobs` keeps a handful
of jobs in flight, so that ten thousand cost no more memory than ten, and gives every job back with its outcome as soon
as it has one. Whatever becomes of a job, it has an outcome: what a task raises is one that says "failed".

Handing over a task costs milliseconds, on a cluster more. Jobs whose outcomes tell that they took less ("seconds") are
therefore bundled, so that a task takes about `TASK_SECONDS`; at first one by one, then more, and never so many that the
last bundle would be long in comparison with all work before. Jobs of a bundle whose worker died are done one by one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeAlias, TypedDict, TypeVar

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


TASK_SECONDS = 2.0
"""What a bundle of short jobs takes, about."""
MAX_BUNDLE = 1000
"""Jobs in one bundle."""
GLANCE = 0.2
"""Seconds of waiting after which a request to stop is heard."""
SHARE = 8
"""A bundle is at most this part of the jobs that have been done per place in flight."""


class Bundle(TypedDict):
    """Some jobs that are one task.

    Attributes:
        task: module and name of what is to be done with each.
        jobs: in their order.
    """

    task: str
    jobs: Sequence[Any]


def name_of(task: Task[Job]) -> str:
    """Module and name of a task, by which other processes find it."""
    return f"{task.__module__}:{task.__qualname__}"


def task_of(name: str) -> Task[Any]:
    """The task of this name."""
    module, _, function = name.partition(":")
    task: Task[Any] = getattr(import_module(module), function)
    return task


def together(bundle: Bundle) -> Outcome:
    """Do the jobs of a bundle one after the other; gives their outcomes under "outcomes"."""
    task = task_of(bundle["task"])
    return {"outcomes": [_done(task, job) for job in bundle["jobs"]]}


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Job]):
    jobs: Sequence[Job]
    again: bool = False


class _Pace:
    """Says how many jobs go into the next task, by what those before have taken."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._done = 0
        self._seconds = 0.0

    def note(self, outcome: Outcome) -> None:
        """Count a job that is done; one that does not tell how long it took counts as long."""
        self._done += 1
        self._seconds += float(outcome.get("seconds", TASK_SECONDS))

    @property
    def bundle(self) -> int:
        """How many jobs to hand over at a time."""
        wanted = TASK_SECONDS * self._done / max(self._seconds, 1e-3)
        return max(1, min(int(wanted), self._done // (SHARE * self._at_once), MAX_BUNDLE))


def run_jobs(jobs: Iterable[Job], executor: Executor, task: Task[Job], at_once: int) -> Iterator[tuple[Job, Outcome]]:
    """Every job with its outcome, in the order in which they end.

    A job whose worker died is tried once more. What `submit` itself raises, as when there is no executor any more, ends
    the iteration.

    Args:
        jobs: taken one by one as there is room.
        executor: where they are done.
        task: what is done with each.
        at_once: how many tasks are in flight; twice the number of workers keeps all of them busy.
    """
    waiting, pace = iter(jobs), _Pace(at_once)
    ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
    in_flight: dict[Future[Outcome], _Attempt[Job]] = {}

    def begin(attempt: _Attempt[Job]) -> None:
        future = _submitted(executor, task, attempt.jobs)
        in_flight[future] = attempt
        future.add_done_callback(ended.put)

    def begin_next() -> None:
        if some := list(islice(waiting, pace.bundle)):
            begin(_Attempt(some))

    for _ in range(at_once):
        begin_next()
    while in_flight:
        future = _next_of(ended)
        attempt = in_flight.pop(future)
        if _lost(future) and not attempt.again:
            for job in attempt.jobs:
                begin(_Attempt([job], again=len(attempt.jobs) == 1))
            continue
        begin_next()
        for job, outcome in zip(attempt.jobs, _outcomes(future, len(attempt.jobs)), strict=True):
            pace.note(outcome)
            yield job, outcome


def _next_of(ended: "SimpleQueue[Future[Outcome]]") -> "Future[Outcome]":
    """The next task that has ended; on Windows no signal is heard in the middle of a wait."""
    while True:
        with suppress(Empty):
            return ended.get(timeout=GLANCE)


def awaited(future: "Future[Outcome]") -> Outcome:
    """What becomes of a task, with the same care; raises what it has raised."""
    while not future.done():
        wait([future], GLANCE)
    return future.result()


def _submitted(executor: Executor, task: Task[Job], jobs: Sequence[Job]) -> "Future[Outcome]":
    if len(jobs) == 1:
        return executor.submit(task, jobs[0])
    return executor.submit(together, Bundle(task=name_of(task), jobs=jobs))


def _done(task: Task[Job], job: Job) -> Outcome:
    try:
        return task(job)
    except Exception as error:  # noqa: BLE001  it belongs to this job, and the others of the bundle go on
        return {"status": FAILED, "reason": f"{type(error).__name__}: {error}"}


def _lost(future: "Future[Outcome]") -> bool:
    return not future.cancelled() and isinstance(future.exception(), LostWorkerError)


def _outcomes(future: "Future[Outcome]", count: int) -> Sequence[Outcome]:
    """The outcomes of the jobs of a task; all have the same where the task as a whole has failed."""
    outcome = _outcome(future)
    bundled: Sequence[Outcome] = outcome.get("outcomes", ()) if count > 1 else ()
    return bundled or [dict(outcome) for _ in range(count)]


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
