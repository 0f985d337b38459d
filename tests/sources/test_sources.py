"""The documents' loops stand alone, their statistics are stored, and every claim has a row that can be checked."""

import ast
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.sources import lesson_000, rules_002, text_004
from tests.sources.cases import CASES
from tests.sources.claims import CLAIMS, MEASURED, SEEDS, SHORT_SEEDS, Bound, borne_out, reference, stored
from tests.sources.summary import spread

LOOPS = sorted(Path(__file__).parent.glob("*.py"))
QUICK = [case for case in CASES if not case.name.startswith(("001 p", "001 f", "001 h", "001 a", "004", "000", "003"))]


def imported(file):
    """The names of all modules that a file imports."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("file", LOOPS, ids=lambda file: file.stem)
def test_loops_stand_alone(file):
    """No file of this folder uses the package: a mistake there cannot repeat itself here."""
    assert not any(name.split(".")[0] == "boidsgen" for name in imported(file))


def test_every_case_is_stored():
    """Each case has its statistics in both forms, over the seeds that the code names."""
    table = stored()

    assert list(table["full"]) == list(table["short"]) == [case.name for case in CASES]
    assert table["seeds"] == {"full": list(SEEDS), "short": list(SHORT_SEEDS)}
    assert all(table["full"][case.name]["frames"] == case.frames for case in CASES)


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.name)
def test_stored_statistics_are_what_the_loops_give(case):
    """Run again, the short form gives what is stored."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        found = case.run(SHORT_SEEDS, case.short)

    for measure, values in found.items():
        if not np.isnan(values).all():
            known = reference(case.name, measure, form="short")["median"]
            assert spread(values)["median"] == pytest.approx(known, rel=1e-3, abs=2e-3), measure


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: f"{claim.document}-{claim.preset}-{claim.measure}")
def test_measured_claims_name_what_is_stored(claim):
    """A claim that is measured has a stored case and measure."""
    assert reference(claim.case, claim.measure).keys() == {"median", "low", "high"}


BOUNDS = [claim for claim in MEASURED if isinstance(claim, Bound)]


@pytest.mark.parametrize("claim", BOUNDS, ids=lambda claim: f"{claim.document}-{claim.preset}-{claim.measure}")
def test_claims_hold_where_they_are_said_to(claim):
    """The document's own loop keeps a claim's range, or breaks it where the row says that the claim does not hold."""
    assert borne_out(claim) == claim.holds


def test_no_row_stands_twice():
    """Claims differ, and every document has some of each place."""
    assert len(set(map(repr, CLAIMS))) == len(CLAIMS)


@pytest.mark.parametrize(
    "loop",
    [
        lambda seeds: lesson_000.flock(seeds, 20),
        lambda seeds: lesson_000.lesson(seeds, 20),
        lambda seeds: rules_002.quick_start(seeds, 20),
        lambda seeds: rules_002.flock(seeds, frames=20),
        lambda seeds: text_004.flock(seeds, frames=5),
    ],
)
def test_runs_together_are_runs_alone(loop):
    """Seeds that go through a loop together give what each gives alone."""
    together = list(loop([3, 8]))[-1]
    alone = list(loop([8]))[-1]

    for both, one in zip(together, alone, strict=True):
        np.testing.assert_allclose(both[1], one[0], rtol=1e-9, atol=1e-9)


def test_exercise_tick_by_hand():
    """Two boids that fly at each other, 20 pixels apart, both brake by the same amount."""
    start = (np.array([[100.0, 100.0], [120.0, 100.0]]), np.array([[80.0, 0.0], [-80.0, 0.0]]))
    frames = lesson_000.flock([0], 2, start=lambda _: start)
    next(frames)
    position, velocity = next(frames)

    # Separation and alignment want to go back, cohesion forward: (-1.5 - 1 + 1) · 0.2, and its mirror image.
    np.testing.assert_allclose(velocity[0], [[79.7, 0.0], [-79.7, 0.0]])
    np.testing.assert_allclose(position[0], [[100 + 79.7 / 60, 100.0], [120 - 79.7 / 60, 100.0]])
