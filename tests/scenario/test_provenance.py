import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen import load_scenario
from boidsgen.drawing.themes import THEMES
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario, absent, provenance, toml_of_non_defaults, versions
from boidsgen.scenario.sources import find, presets
from boidsgen.tables import value_at
from tests.scenario.loaded import loaded


@pytest.mark.parametrize("name", [shipped.name for shipped in presets()])
def test_a_preset_is_a_scenario_without_fault(name):
    """Every preset loads without a warning within its limits, suits its format, and is written back whole."""
    source = find(name)
    document = draft(source)
    scenario = document.scenario()

    assert source.text.startswith("# ")
    assert source.text.partition("\n")[0].endswith(".")
    assert scenario.title
    assert not document.warnings(scenario)
    assert not list(scenario.unfit_for([scenario.output.format]))
    assert not scenario.excess()
    assert loaded(provenance(scenario)).model_dump() == scenario.model_dump()
    assert provenance(loaded(provenance(scenario))) == provenance(scenario)


VALUES = {
    "title": st.text(max_size=5),
    "seed": st.integers(0, 2**63 - 1),
    "world.size": st.lists(st.floats(1, 1e6), min_size=2, max_size=2),
    "world.boundary": st.sampled_from(["torus", "open", {"kind": "soft", "margin": 3.5}]),
    "time.dt": st.floats(1e-6, 1e6),
    "flock.0.count": st.integers(1, 1000),
    "flock.0.perception.radius": st.one_of(st.floats(1e-6, 1e6), st.just(math.inf)),
    "flock.0.separation": st.builds(lambda weight: {"weight": weight}, st.floats(0.01, 9)),
    "flock.0.start": st.sampled_from(["ring", {"layout": "disc", "radius": 0.25}]),
    "style.trails": st.integers(0, 30),
    "output.fps": st.integers(1, 50),
}


@given(st.fixed_dictionaries({}, optional=VALUES))
def test_any_values_are_written_back(values):
    """Whatever is set, the text loads to the same scenario, and to itself."""
    scenario = load_scenario("quickstart", values)
    text = provenance(scenario)

    assert loaded(text).model_dump() == scenario.model_dump()
    assert provenance(loaded(text)) == text


def test_resolved_leaves_out_defaults():
    """Nothing is written of what was left alone but a comment on the theme; what tells the kind of a table is."""
    assert tomllib.loads(toml_of_non_defaults(loaded(""))) == {}
    assert tomllib.loads(toml_of_non_defaults(loaded("", "world.boundary=soft"))) == {
        "world": {"boundary": {"kind": "soft"}}
    }


WORLDS = [{"size": size, "boundary": kind} for size in ([90, 80], [90, 80, 70]) for kind in ("torus", "soft")]


@pytest.mark.parametrize("flocks", [1, 2])
@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_gives_what_a_scenario_leaves_open(theme, world, flocks):
    """Its defaults are in force, named in the text, and win over no key that is set, to its usual value or not."""
    flock = [{"name": name, "count": 9} for name in "ab"[:flocks]]
    scenario = load_scenario({"world": world, "flock": flock, "style": {"theme": theme}})
    text = toml_of_non_defaults(scenario)
    bare = Scenario.model_validate({"style": {"theme": theme}, "world": {"size": tuple(map(float, world["size"]))}})
    usual = {key: value_at(bare, key.split(".")) for key in scenario.theme_defaults}
    own = load_scenario(scenario, {key: value for key, value in usual.items() if value is not None})

    for key, value in scenario.theme_defaults.items():
        assert value_at(scenario, key.split(".")) == value
        assert f"{key} = " in text.partition("\n")[0]
        assert usual[key] is None or value_at(own, key.split(".")) == usual[key]
    for one in (scenario, own):
        assert load_scenario(one).model_dump() == one.model_dump()


def test_rules_of_a_program_are_no_package():
    """A clip with rules of a program lacks none of its packages for that, and those that it lacks are named."""
    numbers = versions().removeprefix("# ").strip()

    assert absent(f"# {numbers}, rules of a program: wind and rain\n") == ()
    assert absent(f"# {numbers}, flags 1.2, rules of a program: wind\n") == ("flags 1.2",)
