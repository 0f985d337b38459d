"""Signals: a request to stop becomes an exception, so that clean-up code runs.

The first signal raises `Interrupted`. After it further ones are ignored, since they would interrupt the cleaning up,
except a second SIGINT, which exits at once.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from boidsgen.errors import Interrupted

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask to stop."""


@dataclass
class Request:
    """A request to stop; `number` is that of the signal, None as long as there was none."""

    number: int | None = None

    def come(self, number: int, _: FrameType | None) -> None:
        """Remember the first signal and raise: what it interrupts may make another error of that."""
        self.number = number
        for other in STOPPING:
            signal.signal(other, signal.SIG_IGN)
        signal.signal(signal.SIGINT, _second)
        raise Interrupted(number)


@contextmanager
def raising() -> Iterator[Request]:
    """Within it, signals that ask to stop raise; those that the caller wants ignored (nohup) stay ignored."""
    request = Request()
    heard = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, request.come) for number in heard}
    try:
        yield request
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _second(number: int, _: FrameType | None) -> None:
    os._exit(128 + number)
