"""What the five texts claim holds of the presets, and docs/claims.md says what was found.

The short form checks the stored statistics against the presets they were made from, all settings and pages as they are,
and simulates a few presets over few seeds. BOIDSGEN_CLAIMS=full simulates all of them over all twenty seeds.
"""

import os

import pytest

from boidsgen import presets
from tests.sources.claims import CLAIMS, MEASURED, SEEDS, reference
from tests.sources.ours import settings
from tests.sources.ours.page import FILE, page, rows
from tests.sources.ours.running import Pair, changes, pairs, parts, stale, stored, summarized
from tests.sources.ours.verdicts import NO_PRESET, holds, known, name_of, near, verdict_on

FULL = os.environ.get("BOIDSGEN_CLAIMS") == "full"
FEW = range(5)
QUICK = ("002-quick-start", "002-canonical", "002-separation", "002-alignment", "002-cohesion", "002-meeting-across")
LINES = rows()
KNOWN = known()


def test_rows_have_names_of_their_own():
    """A line of open.txt means one row."""
    assert len({name_of(claim) for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("line", LINES, ids=lambda line: name_of(line.claim))
def test_claims_hold(line):
    """Each claim holds of its preset or page, unless it is known that it does not; then it does not."""
    assert holds(line) == (name_of(line.claim) not in KNOWN), f"{line.theirs} there, {line.ours} here"


def test_known_rows_are_rows():
    """open.txt names rows that there are, in their order."""
    assert [name_of(claim) for claim in CLAIMS if name_of(claim) in KNOWN] == KNOWN


def test_page_says_what_was_found():
    """docs/claims.md is what `python -m tests.sources.ours` makes now."""
    assert FILE.read_text("utf-8") == page(LINES)


def test_statistics_are_of_these_presets():
    """No preset has changed since its statistics were stored; `python -m tests.sources.ours --store` measures them."""
    assert [str(pair) for pair in pairs() if stale(pair)] == []
    assert list(stored()) == [str(pair) for pair in pairs()]


SHORT = [pair for pair in pairs() if pair.preset in QUICK]


def claims_of(pair):
    """The measured claims that a pair decides."""
    return [claim for claim in MEASURED if Pair(claim.preset, claim.case) == pair]


@pytest.mark.parametrize("pair", SHORT, ids=str)
def test_few_seeds_bear_the_stored_statistics_out(pair):
    """Simulated again over few seeds, a preset gives what is stored, as far as so few can tell."""
    found, known = summarized(pair, FEW), stored()[str(pair)]["measures"]

    for claim in claims_of(pair):
        measure = claim.measure
        assert near(known[measure], known[measure] | {"median": found[measure]["median"]}, len(FEW)), measure


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="BOIDSGEN_CLAIMS=full simulates every preset over twenty seeds")
@pytest.mark.parametrize("pair", pairs(), ids=str)
def test_every_statistic_anew(pair):
    """Simulated again over all seeds, every claim has the verdict that the stored statistics give it."""
    found, known = summarized(pair), stored()[str(pair)]["measures"]

    for claim in claims_of(pair):
        theirs = reference(claim.case, claim.measure)
        again, before = (verdict_on(claim, theirs, table[claim.measure]) for table in (found, known))
        assert again == before, f"{claim.measure}: {found[claim.measure]} instead of {known[claim.measure]}"


def test_frames_are_steps_of_the_document():
    """A preset that makes two steps a frame is measured at each of them, and no longer than the document."""
    pair = Pair("000-pygame-exercise", "000 exercise")
    (part,) = parts(pair.case)

    assert settings.scenario(pair.preset).time.steps_per_frame == 2
    assert changes(pair, part) == {"time.steps_per_frame": 1, "time.frames": 900}


def test_stages_of_the_build_up_are_flocks_of_its_preset():
    """Each stage is measured from the frame in which its flock appears, for as long as it is there."""
    pair = Pair("004-build-up", "004 both")
    (part,) = parts(pair.case)
    flock = settings.scenario(pair.preset).flock[3]

    assert (flock.separation.weight, flock.alignment.weight, flock.cohesion.weight) == (0, 1, 1)
    assert changes(pair, part)["time.frames"] == flock.until == flock.from_ + 120


def test_seeds_are_the_documents():
    """Twenty seeds on both sides, and every preset that a claim names is one that is shipped or is still missing."""
    shipped = {preset.name for preset in presets()}

    assert len(SEEDS) == 20
    assert all(
        (line.preset in shipped) != (line.verdict == NO_PRESET) for line in LINES if hasattr(line.claim, "preset")
    )
