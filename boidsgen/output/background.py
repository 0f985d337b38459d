"""Background: a thread works on one item while its owner prepares the next.

It pays for work that releases the interpreter lock, such as compression. There is never more than one item in work,
exceptions are raised in the owner when it asks for the result, and where no thread can be started the owner works.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Background(Generic[Item, Result]):
    """Applies `work` to one item after the other in a thread."""

    def __init__(self, work: Callable[[Item], Result]) -> None:
        self._work = work
        self._pool: ThreadPoolExecutor | None = ThreadPoolExecutor(max_workers=1)
        self._pending: Future[Result] | None = None

    def exchange(self, item: Item) -> Result | None:
        """Start with an item; returns the result of the item before it, if there was one."""
        before = self.last()
        if self._pool:
            try:
                self._pending = self._pool.submit(self._work, item)
            except RuntimeError:  # the system allows no further thread
                self._pool = None
        if not self._pool:
            self._pending = Future()
            self._pending.set_result(self._work(item))
        return before

    def last(self) -> Result | None:
        """The result of the item that was started last, unless it has been returned already."""
        pending, self._pending = self._pending, None
        return pending.result() if pending else None

    def end(self) -> None:
        """Let the thread end; nothing can be started any more."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
