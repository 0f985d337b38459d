"""Every call into the system fails once, and from some call on: SQLite's way of testing."""

import pytest

from boidsgen.cli.program import run
from tests.faults.failing import CLEANING, CODES, FAILURES, Fault, broken
from tests.faults.setting import FULL, PRODUCTS, Ran, content, descriptors, leftovers, without_leftovers

pytestmark = pytest.mark.faults

MOST = 1000
"""Calls in one render; it takes far fewer."""


@pytest.fixture
def attempt(here, capfd):
    """Runs a command with a fault, and gives what came of it."""
    del here

    def attempted(arguments, fault):
        capfd.readouterr()
        before = descriptors()
        with broken(fault):
            code = run(arguments)
        assert descriptors() == before
        return Ran(code, *capfd.readouterr())

    return attempted


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_any_call_may_fail(product, lasting, attempt, boidsgen, here):
    """T40, T17, T30: whichever call fails and how, there is the old content or the complete new one, and one line.

    The short form takes turns with the failures; the full form tries each at every call.
    """
    wanted = PRODUCTS[product]
    assert boidsgen(*wanted.arguments).code == 0
    new = content(here)
    wanted.put_old(here)
    old = content(here)
    for number in range(1, MOST):
        for kind in FAILURES if FULL else [list(FAILURES)[number % len(FAILURES)]]:
            fault = Fault(number, kind, lasting=lasting)
            ran = attempt(wanted.arguments, fault)
            where = f"call {number} of {fault.count} ({fault.hit[:1]}) fails with {kind}: {ran}"
            assert without_leftovers(content(here)) in (old, new), where
            check(ran, fault, where)
            clean(here, boidsgen, wanted, fault, where)
            wanted.put_old(here)
        if not fault.hit:
            return
    raise AssertionError("the render never came to an end")


def check(ran, fault, where):
    """The exit code belongs to the failure, and there is one line about it, and no traceback."""
    codes = CODES[fault.kind] if fault.hit else {0}
    assert ran.code in codes, where
    if ran.code:
        assert len(ran.lines) == 1, where
        assert ran.err.startswith(("boidsgen: ", "small.toml")), where


def clean(here, boidsgen, wanted, fault, where):
    """A temporary stays only where deleting it failed, and then the next run takes it away."""
    if leftovers(here):
        assert CLEANING & {*fault.hit}, where
    assert boidsgen(*wanted.arguments).code == 0
    assert leftovers(here) == [], where
