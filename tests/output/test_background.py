import threading

import pytest

from boidsgen.output.animations import Background


@pytest.fixture
def background():
    made = []

    def make(work):
        made.append(Background(work))
        return made[-1]

    yield make
    for one in made:
        one.end()


def test_every_result_comes_once_and_in_order(background):
    """The result of an item is returned when the next one is started, that of the last one on request."""
    doubled = background(lambda number: 2 * number)

    assert [doubled.exchange(number) for number in (1, 2, 3)] == [None, 2, 4]
    assert [doubled.last(), doubled.last()] == [6, None]


def test_works_in_another_thread(background):
    """The owner goes on meanwhile: here the work ends only when the owner has got ahead of it."""
    ahead = threading.Event()
    waiting = background(lambda _: ahead.wait(60) and threading.get_ident())
    waiting.exchange(0)
    ahead.set()

    assert waiting.last() not in {None, False, threading.get_ident()}


def test_exceptions_are_raised_in_the_owner(background):
    """The item after a failed one is started as if nothing had happened."""

    def work(number):
        if number == 1:
            raise MemoryError
        return number

    failing = background(work)
    failing.exchange(1)

    with pytest.raises(MemoryError):
        failing.exchange(2)
    assert failing.exchange(3) is None
    assert failing.last() == 3


def test_without_a_thread_the_owner_works(background, monkeypatch):
    """Where the system allows no further thread, results are the same."""

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    own = background(lambda _: threading.get_ident())

    assert [own.exchange(0), own.exchange(1), own.last()] == [None, threading.get_ident(), threading.get_ident()]
