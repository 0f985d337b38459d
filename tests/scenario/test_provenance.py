import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen import load_scenario
from boidsgen.scenario.estimate import excess
from boidsgen.scenario.loading import draft
from boidsgen.scenario.provenance import absent, provenance, resolved, versions
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import find, presets
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
    assert not excess(scenario)
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
    """Nothing is written of what was left alone; what tells the kind of a table is."""
    assert resolved(Scenario()) == ""
    assert resolved(loaded("", "world.boundary=soft")) == 'world = { boundary = { kind = "soft" } }\n'


def test_rules_of_a_program_are_no_package():
    """A clip with rules of a program lacks none of its packages for that, and those that it lacks are named."""
    numbers = versions().removeprefix("# ").strip()

    assert absent(f"# {numbers}, rules of a program: wind and rain\n") == ()
    assert absent(f"# {numbers}, flags 1.2, rules of a program: wind\n") == ("flags 1.2",)
