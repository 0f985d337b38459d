"""Signals: a request to stop becomes an exception, so that clean-up code runs.

The first signal raises `Interrupted`. Further ones are ignored, since they would interrupt the clean-up, except a
second SIGINT, which exits at once. Where nothing can be raised, as in a destructor, Python drops the exception; then it
is raised again a moment later.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from boidsgen import system
from boidsgen.errors import Interrupted

_MOMENT = 0.01
"""Seconds until a dropped exception is raised again."""


@dataclass
class Request:
    """A request to stop.

    Attributes:
        number: of the signal; None before there was one.
        hook: Python's own handler of exceptions that could not be raised.
    """

    number: int | None = None
    hook: "Callable[[sys.UnraisableHookArgs], object]" = field(default_factory=lambda: sys.unraisablehook)

    def come(self, number: int, _: FrameType | None) -> None:
        """Remember the first signal, since the code it interrupts may turn the exception into another, and raise."""
        self.number = number
        for other in system.STOPPING:
            signal.signal(other, signal.SIG_IGN)
        signal.signal(signal.SIGINT, _second)
        raise Interrupted(number)

    def dropped(self, what: "sys.UnraisableHookArgs") -> None:
        """Take an exception that Python could not raise; if it was the request to stop, raise it again soon."""
        if isinstance(what.exc_value, Interrupted):
            system.recall(_MOMENT, self._again)
        else:
            self.hook(what)

    def _again(self) -> None:
        if self.number is not None:
            raise Interrupted(self.number)


@contextmanager
def raising() -> Iterator[Request]:
    """Within it, signals that ask to stop raise; those that the caller ignores (nohup) stay ignored."""
    request = Request()
    heard = [number for number in system.STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, request.come) for number in heard}
    sys.unraisablehook = request.dropped
    try:
        with system.on_closing(lambda: system.interrupt(system.STOPPING[-1])):
            yield request
    finally:
        sys.unraisablehook = request.hook
        system.forget()
        for number, handler in before.items():
            signal.signal(number, handler)


def _second(number: int, _: FrameType | None) -> None:
    os._exit(128 + number)
