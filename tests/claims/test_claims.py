"""No claim stops being true: the table is made from what is stored, and what is stored is what our presets give."""

import os
import warnings

import numpy as np
import pytest

from tests.claims.page import PAGE, page
from tests.claims.stored import known_presets, measured, stored, wanted
from tests.claims.verdicts import agree, rows
from tests.sources.table import CLAIMS, MEASURED

FULL = os.environ.get("BOIDSGEN_CLAIMS") == "full"
SLOW = ("001", "004 final", "000 without separation")
"""Cases that are measured anew only when asked for."""
PAIRS = wanted(known_presets())
QUICK = [pair for pair in PAIRS if FULL or not pair[0].startswith(SLOW)]


def named(pair):
    return pair[1]


@pytest.mark.parametrize("pair", QUICK, ids=named)
def test_presets_give_what_is_stored(pair):
    """Run again, the short form gives what is stored, and the full one when it is asked for."""
    form = "full" if FULL else "short"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        found = measured(*pair, form)

    known = stored()[form][" | ".join(pair)]
    assert found.keys() == known.keys()
    for name, value in found.items():
        assert value["median"] == pytest.approx(known[name]["median"], rel=1e-3, abs=2e-3), name


def test_every_case_is_stored():
    """Each measured claim that has a preset is stored with that preset, in both forms."""
    assert all(list(stored()[form]) == [" | ".join(pair) for pair in PAIRS] for form in ("short", "full"))


@pytest.mark.parametrize("row", rows(CLAIMS), ids=lambda row: f"{row.claim.document}-{row.shown}")
def test_every_claim_has_a_verdict(row):
    """And none of them is that the preset differs from its document."""
    assert row.verdict.partition(":")[0] in {"agrees", "text only", "open"}, row


def test_most_of_what_is_measured_agrees():
    """An open row is an exception: nearly all that a loop can measure has a preset."""
    verdicts = [row.verdict for row in rows(MEASURED)]

    assert sum(verdict.startswith("open") for verdict in verdicts) <= 2


def test_table_is_that_of_the_page():
    """The page is made from what is stored."""
    assert PAGE.read_text("utf-8") == page()


@pytest.mark.parametrize(("ours", "same"), [(1.0, True), (1.09, True), (1.2, False)])
def test_medians_agree_within_the_spread(ours, same):
    """No further apart than the quartiles of the seeds."""
    document = {"median": 1.0, "low": 0.95, "high": 1.05}

    assert agree(document, {"median": ours, "low": ours - 0.01, "high": ours + 0.01}) is same
