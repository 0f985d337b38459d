"""docs/validation.md says what was found, of the scenarios as they are; some of it is run again."""

import pytest

from docs.programs.validation.cases import CASES, SECTIONS, SEEDS, stored
from docs.programs.validation.films import table as films
from docs.programs.validation.fits import table as fits
from docs.programs.validation.page import BOUND, PAGE, apart, rows, table, words

QUICK = ("N = 40, η = 3", "N = 100, η = 2π", "random places, density 4", "turns within 1 rad, plane")


def test_everything_agrees_and_the_page_has_it():
    """No quantity differs from its reference by more than chance allows, and the page has the tables of now."""
    values = stored()
    differences = {name: gap for cases in SECTIONS.values() for name, *_, gap in rows(values, cases)}

    assert {name: gap for name, gap in differences.items() if abs(gap) > BOUND} == {}
    assert [
        part for part in (*map(table, SECTIONS), words(), fits(), films()) if part not in PAGE.read_text("utf-8")
    ] == []


def test_values_are_of_these_scenarios():
    """No scenario has changed since its values were stored; `just prove validate` runs those that have."""
    assert {name: table["digest"] for name, table in stored().items()} == {
        n: case.digest() for n, case in CASES.items()
    }


@pytest.mark.parametrize("name", QUICK)
def test_runs_give_the_stored_values(name):
    """The first seed gives again what is stored of it."""
    table = stored()[name]

    for quantity, (value,) in CASES[name].ours(1).items():
        assert value == pytest.approx(table[quantity]["ours"][2], rel=1e-4)


def test_loops_give_the_stored_values():
    """Three runs of a plain loop lie where the stored ones do, and those with a tenth more noise do not."""
    case, mean, error = CASES["N = 100, η = 2"], *stored()["N = 100, η = 2"]["order"]["theirs"][:2]

    def found(**more):
        values = [case.quantities["order"](case.theirs(seed, **more)) for seed in range(SEEDS, SEEDS + 3)]
        return apart((sum(values) / 3, error * (SEEDS / 3) ** 0.5), (mean, error))

    assert abs(found()) < BOUND < abs(found(eta=2.2))
