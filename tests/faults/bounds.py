"""Bounds for what is tried by the thousand: of time everywhere, of memory where the system has such limits."""

import faulthandler
import signal
import sys
from contextlib import contextmanager

from tests.systems import WINDOWS, posix_module

resource = posix_module("resource")


class HungError(BaseException):
    """Something takes too long; no Exception, so that nobody mistakes it for another."""


if WINDOWS:

    @contextmanager
    def bounded(memory):
        """Processes have no limit of memory of their own here."""
        del memory
        yield

    @contextmanager
    def hurried(seconds):
        """What takes longer ends the tests, with the place where it hangs: there is no alarm that could raise."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

else:

    @contextmanager
    def bounded(memory):
        """Within it this process gets no more address space than so many bytes."""
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (memory, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)

    @contextmanager
    def hurried(seconds):
        """What takes longer is stopped at the place where it hangs. Raises HungError."""
        before = signal.signal(signal.SIGALRM, _stop)
        signal.alarm(seconds)
        try:
            yield
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)


def _stop(*_):
    raise HungError
