"""Claims of the five texts hold of the presets, or docs/claims.md says why not.

The short form checks the stored values against the presets they were made from, all settings and pages as they are, and
simulates a few presets over few seeds. BOIDSGEN_CLAIMS=full simulates all of them over all twenty seeds.
"""

import os
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from docs.programs.claims import draws
from docs.programs.claims.claims import CLAIMS, MEASURED
from docs.programs.claims.page import FILE, page, rows
from docs.programs.claims.running import RUNS, SEEDS, TEXT, all_values, is_stale, measures_of, stored, values
from docs.programs.claims.settings import completed, equal
from docs.programs.claims.verdicts import AGREES, DIFFERS, NOT_BORNE_OUT, verdict_on

FULL = os.environ.get("BOIDSGEN_CLAIMS") == "full"
FEW = range(3)
QUICK = ("numpy-quick-start", "numpy-separation", "numpy-cohesion", "numpy-meeting-alike")


def test_claims_hold_and_the_page_has_them():
    """No claim differs from its preset or page, none stands twice, and docs/claims.md is what would be made now."""
    lines = rows()

    assert [(line.claim.claim, line.cells) for line in lines if line.verdict == DIFFERS] == []
    assert len(set(map(repr, CLAIMS))) == len(CLAIMS)
    assert FILE.read_text("utf-8") == page(lines)


def test_every_measured_claim_has_a_control_and_can_fail():
    """A measured claim quotes its sentence, has an effect, and a control with which it fails."""
    known = stored()

    for claim in MEASURED:
        control = known[claim.against.run][claim.against.measure]
        assert (claim.against.run, claim.against.measure) != (claim.run, claim.measure), claim.claim
        assert len(claim.effect) == 1, claim.claim
        assert claim.quote, claim.claim
        assert claim.line > 0, claim.claim
        assert verdict_on(replace(claim, why="?"), control, control) == NOT_BORNE_OUT, claim.claim


@pytest.mark.parametrize(
    ("ours", "control", "why", "verdict"),
    [
        ([2.0, 2.1, 1.9], [4.0, 4.2, 4.1], "", AGREES),
        ([3.6, 3.7, 3.5], [4.0, 4.2, 4.1], "", DIFFERS),  # no effect
        ([3.1, 3.2, 0.1], [4.0, 5.9, 4.1], "", DIFFERS),  # within three standard errors
        ([1.0, 1.1, 0.9], [4.0, 4.2, 4.1], "", DIFFERS),  # out of range
        ([1.0, 1.1, 0.9], [4.0, 4.2, 4.1], "a reason", NOT_BORNE_OUT),
        ([2.0, 2.1, 1.9], [4.0, 4.2, 4.1], "a reason", DIFFERS),  # borne out all the same
    ],
)
def test_verdicts(ours, control, why, verdict):
    """A claim agrees if range, effect and standard errors say so; otherwise it must give a reason."""
    claim = replace(MEASURED[0], between=(1.5, 3.8), effect={"times": 0.8}, why=why)

    assert verdict_on(claim, ours, control) == verdict


def test_a_preset_unlike_its_text_differs():
    """Where the text's own loop gives another value from the same starts, there is nothing to agree on."""
    claim = replace(MEASURED[0], between=(1.5, 3.8), effect={"times": 0.8}, why="")

    assert verdict_on(claim, [2.0, 2.1, 1.9], [4.0, 4.2, 4.1], text=[2.1, 2.2, 2.0]) == DIFFERS


def test_values_are_of_these_presets():
    """No preset has changed since its values were stored; `python -m docs.programs.claims --store` measures them."""
    assert list(stored()) == list(RUNS)
    assert [name for name in RUNS if is_stale(name)] == []
    assert all(len(stored()[name][measure]) == len(SEEDS) for name in RUNS for measure in measures_of(name))


def test_draws_are_of_these_presets_and_ranges():
    """No preset and no range has changed since the draws were stored, and each has every seed of every draw."""
    known = draws.stored()

    assert list(known) == draws.VARIED
    assert [name for name in draws.VARIED if draws.is_stale(name)] == []
    shapes = {np.shape(known[name][measure]) for name in draws.VARIED for measure in measures_of(name)}
    assert shapes == {(len(draws.DRAWS), len(SEEDS))}


def test_draws_keep_what_a_text_gives():
    """Open numbers are of measured runs, in range, and leave the settings of a text as it gives them."""
    given = {(claim.preset, *completed(claim.key)): claim.value for claim in CLAIMS if claim.key}

    for name, draw in product(draws.VARIED, draws.DRAWS):
        for key, value in draws.drawn(name, draw).items():
            place = (RUNS[name].preset, *completed(key))
            assert key in RUNS[name].set or place not in given or equal(value, given[place]), (name, key)
    for number in draws.OPEN:
        low, high = number.between
        assert any(number in draws.open_numbers(name) for name in RUNS), number.number
        assert all(low <= value <= high for value in number.drawn), number.number


def test_the_number_that_decides_is_named():
    """Of draws that flip above a bound of one number, that number is named, and no other; of flips by chance, none."""
    claim = next(claim for claim in MEASURED if claim.preset == "derivation")
    number, *others = draws.open_numbers(claim.run)
    stands = [value < np.median(number.drawn) for value in number.drawn]

    assert others
    assert draws.deciding(claim, stands) == [(number, "large")]
    assert draws.deciding(claim, [not stood for stood in stands]) == [(number, "small")]
    assert draws.deciding(claim, [draw % 2 == 0 for draw in draws.DRAWS]) == []
    assert draws.deciding(claim, [True] * len(stands)) == []


@pytest.mark.parametrize("name", QUICK)
def test_few_seeds_give_the_stored_values(name):
    """Simulated again, the first seeds of a preset give what is stored, as does its text's own loop."""
    known = stored()[name]
    for measure, found in values(name, FEW).items():
        np.testing.assert_allclose(found, known[measure][: len(FEW)], rtol=1e-3, atol=1e-5, err_msg=measure)
        np.testing.assert_allclose(found, known[measure + TEXT], rtol=1e-2, atol=1e-5, err_msg=measure)


@pytest.mark.parametrize("name", ["numpy-separation", "numpy-meeting-alike", "p5-never-reset, time.frames=120"])
def test_a_draw_gives_the_stored_values(name):
    """Simulated again, the first seeds of a draw give what is stored."""
    for measure, found in values(name, FEW, drawn=draws.drawn(name, 3)).items():
        stored_values = draws.stored()[name][measure][3][: len(FEW)]
        np.testing.assert_allclose(found, stored_values, rtol=1e-3, atol=1e-5, err_msg=measure)


@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="BOIDSGEN_CLAIMS=full simulates every preset over twenty seeds")
@pytest.mark.parametrize("name", RUNS)
def test_every_value_anew(name):
    """Simulated again over all seeds, every claim has the verdict that the stored values give it."""
    known, again = stored(), all_values(name)

    for claim in MEASURED:
        if claim.run == name:
            control = known[claim.against.run][claim.against.measure]
            found = verdict_on(claim, again[claim.measure], control, again.get(claim.measure + TEXT))
            assert found == verdict_on(claim, known[name][claim.measure], control), claim.claim
