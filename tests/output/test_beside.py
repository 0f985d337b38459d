import threading

import pytest

from boidsgen.output.beside import Beside


@pytest.fixture
def beside():
    made = []

    def make(work):
        made.append(Beside(work))
        return made[-1]

    yield make
    for one in made:
        one.end()


def test_gives_every_result_once_and_in_order(beside):
    """What was made of a piece comes when the next one is begun, and of the last one when it is asked for."""
    doubled = beside(lambda number: 2 * number)

    assert [doubled.exchange(number) for number in (1, 2, 3)] == [None, 2, 4]
    assert [doubled.last(), doubled.last()] == [6, None]


def test_works_in_another_thread(beside):
    """The owner goes on meanwhile: here the work ends only when the owner has got ahead of it."""
    ahead = threading.Event()
    waiting = beside(lambda _: ahead.wait(60) and threading.get_ident())
    waiting.exchange(0)
    ahead.set()

    assert waiting.last() not in {None, False, threading.get_ident()}


def test_raises_in_the_owner(beside):
    """Want of memory, say, is told where it can be dealt with; the next piece is begun as if nothing had been."""

    def work(number):
        if number == 1:
            raise MemoryError
        return number

    failing = beside(work)
    failing.exchange(1)

    with pytest.raises(MemoryError):
        failing.exchange(2)
    assert failing.exchange(3) is None
    assert failing.last() == 3


def test_needs_no_thread(beside, monkeypatch):
    """Where the system allows no further one, the owner does the work."""

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    own = beside(lambda _: threading.get_ident())

    assert [own.exchange(0), own.exchange(1), own.last()] == [None, threading.get_ident(), threading.get_ident()]
