"""Every call into the system fails once, and from some call on: SQLite's way of testing."""

from pathlib import Path

import pytest

from boidsgen import system
from boidsgen.cli.main import run
from boidsgen.scenario.template import template
from tests.faults.failing import CLEANING, CODES, FAILURES, LASTING, Fault, broken
from tests.faults.setting import (
    FULL,
    PRODUCTS,
    Ran,
    close_others,
    content,
    descriptors,
    leftovers,
    without_leftovers,
)

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
        lost = descriptors() - before
        close_others(before)
        if not fault.kind.startswith(("SIG", "Ctrl")):  # a signal may lose what is just being opened
            assert [one for one in lost if "pipe:" not in one] == []  # Popen loses pipes when it fails
        return Ran(code, *capfd.readouterr())

    return attempted


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_any_call_may_fail(product, lasting, attempt, boidsgen, here):
    """T40, T17, T30: whichever call fails and how, there is the old content or the complete new one, and one line.

    The short form takes turns with the failures, at every third call; the full form tries each at every call.
    """
    wanted = PRODUCTS[product]
    assert boidsgen(*wanted.arguments).code == 0
    new = content(here)
    wanted.put_old(here)
    old = content(here)
    for number in range(1 + lasting, MOST, 1 if FULL else 3):
        kinds = LASTING if lasting else tuple(FAILURES)
        for kind in kinds if FULL else [kinds[number % len(kinds)]]:
            fault = Fault(number, kind, lasting=lasting)
            ran = attempt(wanted.arguments, fault)
            where = f"call {number} of {fault.count} ({fault.hit[:1]}) fails with {kind}: {ran}"
            assert without_leftovers(content(here)) in (old, new) or waits(here, wanted, old, fault), where
            check(ran, fault, where)
            clean(here, boidsgen, wanted, fault, where)
            wanted.put_old(here)
        if not fault.hit:
            return
    raise AssertionError("the render never came to an end")


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_any_call_of_new_may_fail(lasting, attempt, here):
    """T40: a new scenario is there in full, or not at all."""
    old = content(here)
    for number in range(1, MOST):
        kinds = LASTING if lasting else tuple(FAILURES)
        fault = Fault(number, kinds[number % len(kinds)], lasting=lasting)
        ran = attempt(["new", "mine.toml"], fault)
        where = f"call {number} of {fault.count} ({fault.hit[:1]}) fails with {fault.kind}: {ran}"
        made = without_leftovers(content(here))
        assert made == old or whole(made["mine.toml"].decode()), where
        check(ran, fault, where)
        for path in here.glob("*mine.toml"):
            path.unlink()
        for path in here.glob(".boidsgen-*"):
            assert CLEANING & {*fault.hit}, where
            path.unlink()
        if not fault.hit:
            return
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_any_call_may_fail_where_folders_cannot_be_exchanged(lasting, attempt, boidsgen, here, monkeypatch):
    """T40: where two names cannot change places in one step, an earlier folder is not lost either."""
    monkeypatch.setattr(system, "exchange", lambda *_: False)
    test_any_call_may_fail("png", lasting, attempt, boidsgen, here)


def waits(here, wanted, old, fault):
    """Whether an earlier folder still waits aside, since nothing could be renamed any more; `clean` tries again."""
    aside = list(here.glob(".boidsgen-*.aside"))
    if not (fault.lasting and "rename" in fault.hit[1:] and wanted.name.endswith("/") and len(aside) == 1):
        return False
    frames = {name: data for name, data in old.items() if Path(name).parent.name == wanted.name.rstrip("/")}
    return {Path(name).name: data for name, data in frames.items()} == content(aside[0])


def whole(text):
    """Whether a new scenario is complete; its first line leads to the schema, if that could be found."""
    head, _, rest = text.partition(template())
    return template() in text and not rest and (not head or head.startswith("#:schema ")) and head.count("\n") <= 1


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
