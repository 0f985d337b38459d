import os
import signal
import time

import pytest

from boidsgen import system
from boidsgen.cli import signals
from boidsgen.errors import Interrupted


@pytest.mark.parametrize("number", system.STOPPING)
def test_ignored_signal_stays_ignored(number):
    """What the caller wants ignored, as nohup does, is not heard."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        with signals.raising() as request:
            signal.raise_signal(number)
        kept = signal.getsignal(number)
    finally:
        signal.signal(number, before)

    assert (request.number, kept) == (None, signal.SIG_IGN)


def test_first_signal_raises_and_others_wait(monkeypatch):
    """Cleaning up is not interrupted again, except by a second SIGINT, which ends the process at once."""
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    before = [signal.getsignal(number) for number in system.STOPPING]
    with signals.raising():
        with pytest.raises(Interrupted) as caught:
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    assert (caught.value.exit_code, ended) == (143, [130])
    assert [signal.getsignal(number) for number in system.STOPPING] == before


def test_a_request_that_is_dropped_comes_again():
    """A signal that is heard where Python can raise nothing, as in a destructor, stops the program all the same."""

    class Deaf:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    def deaf_for_a_moment():
        Deaf()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            pass

    with signals.raising(), pytest.raises(Interrupted) as caught:
        deaf_for_a_moment()

    assert caught.value.exit_code == 143
