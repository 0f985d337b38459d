"""Signals: a request to stop becomes an exception, so that clean-up code runs.

The first signal raises `Interrupted`. After it further ones are ignored, since they would interrupt the cleaning up,
except a second SIGINT, which exits at once.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from boidsgen.errors import Interrupted

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask to stop."""


@contextmanager
def raising() -> Iterator[None]:
    """Within it, signals that ask to stop raise; those that the caller wants ignored (nohup) stay ignored."""
    heard = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _first) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _first(number: int, _: FrameType | None) -> None:
    for other in STOPPING:
        signal.signal(other, signal.SIG_IGN)
    signal.signal(signal.SIGINT, _second)
    raise Interrupted(number)


def _second(number: int, _: FrameType | None) -> None:
    os._exit(128 + number)
