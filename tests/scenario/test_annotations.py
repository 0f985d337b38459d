from typing import Annotated

import pytest

from boidsgen.scenario.annotations import bare, descend, entry, fields, has_remark, is_table, members, places, words
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.flock import Flock
from boidsgen.tables import OfWorldDimension, Vector


def test_remarks_are_found_through_or_nothing():
    """A marker counts on a form itself, also where the key may be absent, and not on one of its entries."""
    assert has_remark(Vector, OfWorldDimension)
    assert has_remark(Vector | None, OfWorldDimension)
    assert has_remark(Annotated[Vector, "more"], OfWorldDimension)
    assert not has_remark(tuple[Vector, ...], OfWorldDimension)


def test_descending_leads_to_every_key():
    """Each key of a table leads to its form; a number to the entry of a list."""
    keys, flocks = descend(Scenario, "flock")
    number, flock = descend(flocks, 3)

    assert (keys, number) == (("flock",), (3,))
    assert bare(flock) is Flock
    assert descend(Scenario, "nonsense") == (("nonsense",), None)


def test_families_and_words():
    """A family has a table a kind; a choice of words has none."""
    boundary = fields(fields(Scenario)["world"])["boundary"]

    assert "soft" in members(boundary)
    assert all(is_table(table) for table in members(boundary).values())
    assert words(fields(Scenario)["schema_version"]) == (1,)


@pytest.mark.parametrize("form", [int, str | None, Scenario])
def test_what_is_no_list_has_no_entries(form):
    """Only lists have entries."""
    assert entry(form, 0) is None


def test_places_are_what_the_tables_know():
    """Every known value comes with its keys; what is below an unknown key does not."""
    found = {keys for keys, _, _ in places({"flock": {"count": 3, "nonsense": {"count": 3}}}, Scenario)}

    assert found == {(), ("flock",), ("flock", "count")}
