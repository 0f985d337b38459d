"""Claims of the five texts hold of the presets, and docs/claims.md says what was found.

The short form checks the stored statistics against the presets they were made from, all settings and pages as they are,
and simulates a few presets over few seeds. BOIDSGEN_CLAIMS=full simulates all of them over all twenty seeds.
"""

import os

import pytest

from tests.sources.claims import CLAIMS, MEASURED
from tests.sources.page import DIFFERS, FILE, page, rows, verdict_on
from tests.sources.running import RUNS, is_stale, run_of, settings_of, statistics, stored

FULL = os.environ.get("BOIDSGEN_CLAIMS") == "full"
FEW = range(5)
ERRORS = 3
"""Standard errors by which two medians of the same may differ."""
QUICK = ("002-quick-start", "002-separation", "002-cohesion", "002-meeting-across")


def test_claims_hold_and_the_page_has_them():
    """Each claim holds of its preset or page, none stands twice, and docs/claims.md is what would be made now."""
    lines = rows()

    assert [(line.claim.claim, line.theirs, line.ours) for line in lines if line.verdict == DIFFERS] == []
    assert len(set(map(repr, CLAIMS))) == len(CLAIMS)
    assert FILE.read_text("utf-8") == page(lines)


def test_statistics_are_of_these_presets():
    """No preset has changed since its statistics were stored; `python -m tests.sources --store` measures them."""
    assert list(stored()) == list(RUNS)
    assert [name for name in RUNS if is_stale(name)] == []


@pytest.mark.parametrize("name", QUICK)
def test_few_seeds_bear_the_stored_statistics_out(name):
    """Simulated again over few seeds, a preset gives what is stored, as far as so few can tell.

    The standard error of a median over n seeds is 1.2533 sigma/sqrt(n) with sigma = (high - low)/1.349, after the
    normal distribution.
    """
    known = stored()[name]
    for measure, found in statistics(name, FEW).items():
        error = 1.2533 / 1.349 * (known[measure]["high"] - known[measure]["low"]) * (1 / len(FEW) + 1 / 20) ** 0.5
        assert abs(found["median"] - known[measure]["median"]) <= ERRORS * error + 1e-4, measure


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="BOIDSGEN_CLAIMS=full simulates every preset over twenty seeds")
@pytest.mark.parametrize("name", RUNS)
def test_every_statistic_anew(name):
    """Simulated again over all seeds, every claim has the verdict that the stored statistics give it."""
    found, known = statistics(name), stored()[name]

    for claim in MEASURED:
        if run_of(claim) == name:
            again, before = (verdict_on(claim, table[claim.measure]) for table in (found, known))
            assert again == before, claim.measure


def test_stages_of_the_build_up_are_flocks_of_its_preset():
    """A stage is measured from the frame in which its flock appears, for as long as it is there; steps are frames."""
    assert settings_of("004-build-up, flock 3") == {"time.steps_per_frame": 1, "time.frames": 480}
