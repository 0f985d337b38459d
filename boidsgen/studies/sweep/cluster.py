"""Cluster: an executor on a Dask cluster that is running already.

`Client.get_executor` of Dask is almost an executor, but a sweep cannot rely on it: it runs equal tasks only once,
reports a task as cancelled that goes on, and cannot be closed without waiting for everything that is queued. So futures
are made here. A task may be run twice, and may end after it has been given up; both are harmless, since outputs appear
complete or not at all and the same job makes the same bytes.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, NoReturn, Self, TypeAlias, TypeVar

from boidsgen import plugins
from boidsgen.errors import StorageError, UsageError
from boidsgen.output.places import storing
from boidsgen.scenario.provenance import versions
from boidsgen.studies.sweep.jobs import Job, Outcome, Task, TaskError

RemoteFuture: TypeAlias = Any
"""A future of Dask."""

PATIENCE = 15.0
"""Seconds that the scheduler may take to answer, at any time, and each worker to report."""

_SPEAKERS = {"distributed", "tornado", "asyncio"}
"""Whose words on standard error are no help to who calls us: we say what went wrong ourselves."""
_Answer = TypeVar("_Answer")


class Cluster:
    """The workers of a scheduler, as an executor; use it as a context.

    Args:
        address: of the scheduler, as in tcp://scheduler:8786.

    Raises:
        UsageError: when Dask is not installed.
        StorageError: when nobody answers there, there are no workers, or they are not like this machine.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._pending: dict[RemoteFuture, Future[Outcome]] = {}
        self._left = Event()
        self._is_gone = False

    def __enter__(self) -> Self:
        self._client = _connected(self._address)
        try:
            self._refuse_different_versions()
        except BaseException:
            self._leave()
            raise
        Thread(target=self._watch, name="watches the scheduler", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Give up what has not ended. A task that is running already may go on; it does no harm."""
        self._left.set()
        if not self._is_gone:
            with suppress(Exception):  # the scheduler may be going, and then nothing is left to give up
                within(PATIENCE, lambda: self._client.cancel(list(self._pending), force=True))
        self._leave()

    def _leave(self) -> None:
        with suppress(Exception):
            within(PATIENCE, lambda: self._client.close(timeout=PATIENCE))

    def _watch(self) -> None:
        """Ask the scheduler again and again whether it is there; when it does not answer, give up all that waits."""
        while not self._left.wait(PATIENCE / 5):
            try:
                within(PATIENCE, self._workers)
            except Exception:  # noqa: BLE001  however it fails, there is nobody to wait for
                self._is_gone = True
                for future in list(self._pending.values()):
                    _settled(future, self._gone())
                return

    @property
    def at_once(self) -> int:
        """How many tasks keep all workers busy."""
        workers = self._ask(self._workers)
        return 2 * sum(int(worker["nthreads"]) for worker in workers.values())

    def submit(self, task: Task[Job], job: Job, /) -> "Future[Outcome]":
        """Give a task with its job to the cluster.

        Raises:
            StorageError: when the scheduler is gone.
        """
        if self._is_gone or self._client.status != "running":
            raise self._gone()
        future: Future[Outcome] = Future()
        remote = self._client.submit(task, job, pure=False)  # equal jobs are different ones
        self._pending[remote] = future
        remote.add_done_callback(partial(self._settle, future))
        return future

    def refuse_other_directory(self, directory: Path) -> None:
        """Make sure that every worker sees this directory, by a file that is put there for a moment.

        Raises:
            StorageError: when one does not.
        """
        token = directory / f".boidsgen-{secrets.token_hex(8)}.token"
        with storing(str(token)):
            token.touch()
        try:
            blind = [worker for worker, sees in self._from_each(_exists, str(token)).items() if not sees]
        finally:
            token.unlink(missing_ok=True)
        if blind:
            raise StorageError(
                f"{directory}: the worker {blind[0]} does not have this directory; "
                "share it, or bring results back with --collect"
            )

    def _ask(self, question: Callable[[], _Answer]) -> _Answer:
        """What the scheduler answers."""
        try:
            return within(PATIENCE, question)
        except (OSError, TimeoutError):
            raise self._gone() from None

    def _workers(self) -> Mapping[str, Any]:
        workers: Mapping[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def _refuse_different_versions(self) -> None:
        if not self._ask(self._workers):
            raise StorageError(f"{self._address}: the scheduler has no workers; start some")
        here = _versions()
        for worker, there in self._from_each(_versions).items():
            if there != here:
                raise StorageError(
                    f"{self._address}: the worker {worker} has {_words(there)}, and this machine has {_words(here)}; "
                    "the same seeds would give other pictures there"
                )

    def _from_each(self, function: Any, *arguments: str) -> dict[str, Any]:  # noqa: ANN401  any function of ours
        """What each worker answers."""
        asked = {
            worker: self._client.submit(function, *arguments, workers=[worker], pure=False)
            for worker in self._ask(self._workers)
        }
        return {worker: self._answer(worker, remote) for worker, remote in asked.items()}

    def _answer(self, worker: str, remote: RemoteFuture) -> object:
        try:
            return remote.result(timeout=PATIENCE)
        except Exception as error:  # noqa: BLE001  it cannot import boidsgen there, or is stuck, or gone
            reason = str(error) or "it does not answer"
            raise StorageError(f"{self._address}: the worker {worker} is of no use: {reason}") from None

    def _settle(self, future: "Future[Outcome]", remote: RemoteFuture) -> None:
        """Pass on what became of a task; called in a thread of Dask."""
        self._pending.pop(remote, None)
        if remote.status == "finished":
            self._pass_on_result(future, remote)
        elif remote.status == "error":
            error = remote.exception(timeout=PATIENCE)
            _settled(future, TaskError(f"{type(error).__name__}: {error}"))
        else:
            _settled(future, TaskError(f"the cluster has lost it ({remote.status})"))

    def _pass_on_result(self, future: "Future[Outcome]", remote: RemoteFuture) -> None:
        try:
            with suppress(InvalidStateError):  # it was given up meanwhile
                future.set_result(remote.result(timeout=PATIENCE))
        except Exception as error:  # noqa: BLE001  the result is lost with its worker, or with the scheduler
            _settled(future, TaskError(f"its result was lost: {error}"))

    def _gone(self) -> StorageError:
        return StorageError(f"{self._address}: the scheduler is gone; what was done is kept, the same command goes on")


def _connected(address: str) -> Any:  # noqa: ANN401  Dask has hardly any types
    try:
        connect = import_module("distributed").Client  # an extra, and slow to import
    except ImportError:
        raise UsageError("--dask needs Dask; install it with pip install 'boidsgen[dask]'") from None
    _silence()
    try:
        return within(PATIENCE, lambda: connect(address, timeout=PATIENCE, set_as_default=False))
    except TimeoutError:
        reason = f"whoever listens there has not answered as one within {PATIENCE:g} seconds"
    except (OSError, ValueError) as error:  # OSError: nobody there; ValueError: no address
        reason = str(error).partition("\n")[0]
    raise StorageError(f"{address}: cannot reach a Dask scheduler there: {reason}")


def within(seconds: float, ask: Callable[[], _Answer]) -> _Answer:
    """What `ask` answers in a thread of its own, which is left to itself when it takes too long.

    Raises:
        TimeoutError: when it does.
        Exception: whatever `ask` raises.
    """
    answers: SimpleQueue[Callable[[], _Answer]] = SimpleQueue()

    def answer() -> None:
        try:
            found = ask()
        except BaseException as error:  # noqa: BLE001  it is raised where the answer is awaited
            answers.put(partial(_raise, error))
        else:
            answers.put(lambda: found)

    Thread(target=answer, name="asks the cluster", daemon=True).start()
    try:
        told = answers.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    return told()


def _raise(error: BaseException) -> NoReturn:
    raise error


def _settled(future: "Future[Outcome]", error: Exception) -> None:
    """Let a future fail, unless it has an outcome already."""
    with suppress(InvalidStateError):
        future.set_exception(error)


def _silence() -> None:
    """Let nobody but ourselves say what is wrong with the cluster."""
    for name in (*_SPEAKERS, *logging.root.manager.loggerDict):
        if name.partition(".")[0] in _SPEAKERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _versions() -> str:
    return ", ".join([_words(versions()), *plugins.codes()])


def _exists(path: str) -> bool:
    return Path(path).exists()


def _words(text: str) -> str:
    return text.strip("# \n")
