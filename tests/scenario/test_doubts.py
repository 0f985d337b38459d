"""Warnings about what is valid and can never do anything, and hints at the file that was meant."""

from pathlib import Path

import pytest

from boidsgen.scenario import presets
from boidsgen.scenario.lessons import parse_condition, possible
from boidsgen.scenario.loading import draft, load_scenario, source_of
from boidsgen.simulation.measures import MEASURES, is_fraction
from boidsgen.simulation.world import BOUNDARIES


def warnings(**keys):
    """The warnings about a scenario with these keys."""
    document = draft(source_of({"flock": {"count": 5}, **keys}))
    return document.warnings(document.scenario())


@pytest.mark.parametrize("name", MEASURES)
def test_conditions_beyond_the_range_of_a_measure_never_hold(name):
    """Every measure is at least 0, fractions are at most 1; what lies inside, or a negation, may hold."""
    scenario = load_scenario("quickstart")
    most = "1" if is_fraction(name) else "1e200"

    for never in (f"{name} < 0", f"{name} == -1", f"-1 >= {name}", f"{name} < 0 and frame > 3", f"{name} <= -0.5"):
        assert not possible(parse_condition(never, scenario))
    for maybe in (f"{name} >= {most}", f"{name} <= 0", f"{name} == 0.5", f"not {name} < 0", f"{name} < 0 or frame > 3"):
        assert possible(parse_condition(maybe, scenario))
    beyond = [f"{name} > 1", f"{name} >= 3", f"1.5 == {name}", f"3 < {name}"]
    assert {possible(parse_condition(one, scenario)) for one in beyond} == {not is_fraction(name)}


def test_what_can_do_nothing_is_a_warning():
    """A step that is never done, a flock without boids and a second flock of one name are warned about, once each."""
    step = {"do": "Wait.", "until": "polarization > 3"}
    [told] = warnings(page={"try": [step]})
    assert "page.try.until: never holds" in told
    [told] = warnings(flock={"count": 0})
    assert "flock.count: is 0: the flock has no boids" in told
    assert warnings(flock={"count": 0}, events=[{"at": 3, "set": {"flock.count": 4}}]) == []
    [told] = warnings(flock=[{"name": "fish", "count": 3}, {"name": "fish", "count": 4}])
    assert "flock.1.name: 'fish' is the name of another flock" in told.replace('"', "'")


def test_a_step_offers_the_keys_that_its_condition_needs():
    """A key of the condition that is not among those of the step is named; without a list of keys all can be found."""
    until = "flock.alignment.weight == 0 and polarization < 0.5"
    step = {"do": "Act.", "until": until, "keys": ["flock.cohesion.weight"]}

    [told] = warnings(page={"try": [step]})
    assert "page.try.keys: lacks flock.alignment.weight" in told
    assert warnings(page={"try": [step | {"keys": ["flock.alignment.weight"]}]}) == []
    assert warnings(page={"try": [step | {"keys": []}]}) == []


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("size", [[400.0, 400.0], [40.0, 40.0, 40.0]])
def test_solid_obstacles_that_cover_the_world_are_a_warning(size, boundary):
    """One or several bodies without any room beside them are warned about, once; thin or soft ones are not."""
    middle = [side / 2 for side in size]
    whole = {"kind": "circle", "center": middle, "radius": 2.0 * size[0]}
    broad = [0.6 * size[0], *(2 * side for side in size[1:])]
    halves = [{"kind": "box", "center": [at * size[0], *middle[1:]], "size": broad} for at in (0.25, 0.75)]
    world = {"size": size, "boundary": boundary}

    for covered in ([whole], halves):
        [told] = warnings(world=world, obstacles=covered)
        assert "obstacles: leave no room for boids" in told
    for open_world in ([whole | {"solid": False}], [whole | {"radius": 0.4 * size[0]}]):
        assert warnings(world=world, obstacles=open_world) == []


@pytest.mark.parametrize("preset", [one.name for one in presets()])
def test_no_preset_has_such_a_warning(preset):
    """Nothing in a shipped scenario can never happen."""
    document = draft(source_of(preset))

    assert document.warnings(document.scenario()) == []


@pytest.mark.parametrize("typed", ["fish", "Fish.toml", "fish.tmol", "fsh.toml", "./fish"])
def test_a_file_that_was_meant_is_named(boidsgen, typed):
    """A name that is almost that of a scenario in the folder gets a hint at it."""
    Path("fish.toml").write_text("flock.count = 3\n")

    assert "did you mean 'fish.toml'?" in boidsgen("check", typed).err
