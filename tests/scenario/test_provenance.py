import pytest

from boidsgen.scenario.provenance import absent, resolved, versions
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import preset, presets
from boidsgen.scenario.template import template
from tests.scenario.loaded import loaded

PRESETS = [shipped.name for shipped in presets()]


@pytest.mark.parametrize(
    "text", [*(preset(name).text for name in PRESETS), "", template()], ids=[*PRESETS, "empty", "starter"]
)
def test_resolved_text_loads_to_the_same_scenario(text):
    """What is written into outputs is the scenario, whole."""
    scenario = loaded(text, "title='say \"so\"'", "flock.0.count=7", "overlay.focus=0")

    assert loaded(resolved(scenario)).model_dump() == scenario.model_dump()


def test_resolved_leaves_out_defaults():
    """Nothing is written of what was left alone; what tells the kind of a table is."""
    assert resolved(Scenario()) == ""
    assert resolved(loaded("", "world.boundary=soft")) == 'world = { boundary = { kind = "soft" } }\n'


def test_rules_of_a_program_are_no_package():
    """A clip with rules of a program lacks none of its packages for that, and those that it lacks are named."""
    numbers = versions().removeprefix("# ").strip()

    assert absent(f"# {numbers}, rules of a program: wind and rain\n") == ()
    assert absent(f"# {numbers}, flags 1.2, rules of a program: wind\n") == ("flags 1.2",)
