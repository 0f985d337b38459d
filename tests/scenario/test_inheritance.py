"""Scenarios that extend others."""

import tomllib

import pytest

from boidsgen import ScenarioError, load_scenario
from boidsgen.errors import MAX_BASES
from boidsgen.scenario.layers import self_contained
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import provenance
from boidsgen.scenario.sources import Source, find
from boidsgen.studies.plan import SweepOptions, plan_sweep
from tests.scenario.loaded import loaded


@pytest.fixture
def write(tmp_path):
    """Puts a scenario into a file, and gives its name."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_what_differs_stands_on_top(write):
    """Tables are merged key by key; a number, a list and a table of another kind take the place of what was below."""
    two = "[[attractors]]\npoint=[1,1]\n[[attractors]]\npoint=[2,2]"
    write("base.toml", f'[flock]\ncount = 7\nmax_speed = 3.0\nstart = {{layout = "grid"}}\n{two}')
    own = '[flock]\ncount = 9\nstart = {layout = "disc", radius = 9}\n[[attractors]]\npoint=[3,3]'
    scenario = load_scenario(write("own.toml", f'extends = "base.toml"\n{own}'))

    assert (scenario.flock[0].count, scenario.flock[0].max_speed) == (9, 3.0)
    assert scenario.flock[0].start.layout == "disc"
    assert [one.point for one in scenario.attractors] == [(3, 3)]


def test_a_preset_is_extended_from_anywhere(write):
    """A name that is no file beside the scenario is that of a preset; a file goes first."""
    name = write("own.toml", 'extends = "numpy-canonical"\n[flock]\ncount = 9')
    assert load_scenario(name).flock[0].perception.radius == 50

    write("numpy-canonical", "[flock.perception]\nradius = 11")
    assert load_scenario(name).flock[0].perception.radius == 11


def test_files_are_seen_from_the_scenario_that_names_them(write):
    """What is extended may lie elsewhere, with the files that it names beside it."""
    write("there/points.csv", "x,y\n1,2\n3,4\n")
    write("there/base.toml", '[flock]\ncount = 2\nstart = {csv = "points.csv"}')
    name = write("own.toml", 'extends = "there/base.toml"')

    assert load_scenario(name).flock[0].start.points == ((1, 2), (3, 4))
    assert {path.name for path in draft(find(name)).files} == {"base.toml", "points.csv"}


def test_no_deeper_than_allowed(write):
    """So many scenarios below one another are read, and not one more."""
    write("0.toml", "seed = 5")
    *_, deepest, too_deep = (
        write(f"{number}.toml", f'extends = "{number - 1}.toml"') for number in range(1, MAX_BASES + 2)
    )

    assert load_scenario(deepest).seed == 5
    with pytest.raises(ScenarioError, match=f"{MAX_BASES + 1} scenarios, each below the next, and there may be"):
        load_scenario(too_deep)


def test_what_is_embedded_extends_nothing(write):
    """What an output contains needs no other file; the same holds for the source of a sweep."""
    name = write("own.toml", 'extends = "numpy-canonical"\n"title" = "mine"\n[flock]\ncount = 9')
    text, whole = provenance(load_scenario(name)), self_contained(find(name)).text

    assert "extends" not in text
    assert "extends" not in tomllib.loads(whole)
    assert loaded(text) == draft(Source("x", "x", whole)).scenario() == load_scenario(name)
    assert self_contained(find("hunt")).text == find("hunt").text


def test_sweep_of_an_extended_scenario(write):
    """Axes may stand in what is extended, and a change of the file later does not change the plan."""
    write("base.toml", "[sweep]\nvary = { 'flock.count' = [3, 4] }\n[time]\nframes = 2")
    source = find(write("own.toml", 'extends = "base.toml"'))
    write("base.toml", "seed = = broken")

    plan = plan_sweep(source, [], SweepOptions(drawn=False))

    assert [plan.settings(run)["flock.count"] for run in plan.runs] == [3, 4]
