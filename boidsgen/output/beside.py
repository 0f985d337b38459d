"""Beside: what takes long is done in a thread, while its owner goes on.

    beside = Beside(encode)
    for picture in pictures:
        file.write(beside.exchange(picture) or b"")   # what was made of the picture before this one
    file.write(beside.last() or b"")
    beside.end()

It pays for work that gives other threads their turn: then it takes no time of its owner.
There is never more than one piece in work, and what is raised is raised in the owner, when it asks for the result.
Where no thread can be made, the owner does the work.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Beside(Generic[Piece, Result]):
    """Works on one piece after the other.

    Args:
        work: makes a result of a piece.
    """

    def __init__(self, work: Callable[[Piece], Result]) -> None:
        self._work = work
        self._pool: ThreadPoolExecutor | None = ThreadPoolExecutor(max_workers=1)
        self._begun: Future[Result] | None = None

    def exchange(self, piece: Piece) -> Result | None:
        """Begin with a piece; the result of the one before it, if there was one."""
        before = self.last()
        self._begun = self._submitted(piece)
        return before

    def last(self) -> Result | None:
        """The result of the piece that was begun last, unless somebody has it already."""
        begun, self._begun = self._begun, None
        return begun.result() if begun else None

    def end(self) -> None:
        """Let the thread end; nothing can be begun any more."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def _submitted(self, piece: Piece) -> Future[Result]:
        if self._pool:
            try:
                return self._pool.submit(self._work, piece)
            except RuntimeError:  # the system allows no further thread
                self._pool = None
        done = Future[Result]()
        done.set_result(self._work(piece))
        return done
