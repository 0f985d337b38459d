import re

import pytest

import boidsgen
from boidsgen.errors import LimitError, ScenarioError
from boidsgen.scenario.cost import cost, excess, refuse_excess, seconds
from boidsgen.scenario.loading import draft, load_scenario
from boidsgen.scenario.overrides import from_text
from boidsgen.scenario.provenance import resolved
from boidsgen.scenario.scenario import Limits, Scenario
from boidsgen.scenario.sources import Source, preset, presets
from boidsgen.scenario.template import template

PRESETS = [shipped.name for shipped in presets()]


def loaded(text, *settings):
    """The scenario of a text with overrides."""
    return draft(Source("test.toml", "test", text), [from_text(setting) for setting in settings]).scenario()


SIZES = [
    ([], (400, 400)),
    (["world.size=[640.4, 0.3]"], (640, 1)),
    (["world.size=[640, 360]", "output.size=[64, 48]"], (64, 48)),
    (["world.size=[100, 100, 100]"], (1280, 720)),
    (["world.size=[100, 100, 100]", "output.size=[64, 48]"], (64, 48)),
]


@pytest.mark.parametrize(("settings", "size"), SIZES)
def test_picture_size(settings, size):
    """A flat world has one pixel per unit unless the output table says otherwise; a deep one has a size of its own."""
    assert loaded("", *settings).picture_size == size


def test_steps_and_duration():
    """The first frame comes right after the warm-up."""
    scenario = loaded("", "time.frames=10", "time.steps_per_frame=3", "time.warmup=5", "output.fps=20")

    assert (scenario.steps, scenario.duration) == (32, 0.5)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_load(name):
    """Every shipped scenario loads, says in its first line what it shows, and suits its format and the limits."""
    scenario = load_scenario(name)

    assert preset(name).title
    assert not list(scenario.unfit_for([scenario.output.format]))
    assert not excess(scenario)


@pytest.mark.parametrize(
    "text", [*(preset(name).text for name in PRESETS), "", template()], ids=[*PRESETS, "empty", "starter"]
)
def test_resolved_text_loads_to_the_same_scenario(text):
    """What is written into outputs is the scenario, whole."""
    scenario = loaded(text, "title='say \"so\"'", "flock.0.count=7")

    assert loaded(resolved(scenario)).model_dump() == scenario.model_dump()


def test_resolved_leaves_out_defaults():
    """Nothing is written of what was left alone; what tells the kind of a table is."""
    assert resolved(Scenario()) == ""
    assert resolved(loaded("", "world.boundary=soft")) == 'world = { boundary = { kind = "soft" } }\n'


def test_formats_are_judged_with_the_line():
    """What a format cannot do is told like any other mistake."""
    document = draft(Source("test.toml", "test", "[output]\nsize = [63, 64]\nfps = 60"))
    with pytest.raises(ScenarioError) as caught:
        document.refuse(document.scenario().unfit_for(["gif", "mp4", "gif"]))

    assert [line.partition(": ")[0] for line in caught.value.mistakes] == ["test.toml:2", "test.toml:3"]


LARGE = [
    ("flock.count=2000001", "boids", "2,000,001 boids wanted, 2,000,000 allowed; --set limits.boids=2000001 allows it"),
    (
        "time.frames=100000000",
        "frames",
        "100,000,000 frames wanted, 1,000,000 allowed; --set limits.frames=100000000 allows it",
    ),
    (
        "output.size=[10000, 10000]",
        "pixels",
        "100,000,000 pixels wanted, 64,000,000 allowed; --set limits.pixels=100000000 allows it",
    ),
]


@pytest.mark.parametrize(("setting", "limit", "line"), LARGE)
def test_limits(setting, limit, line):
    """A scenario that asks for too much says how much, what is allowed, and the key that allows it."""
    scenario = loaded("", setting)
    with pytest.raises(LimitError) as caught:
        refuse_excess(scenario)

    assert line in str(caught.value).splitlines()
    raised = loaded("", setting, f"limits.{limit}={cost(scenario)[limit]}")
    assert not any(f"limits.{limit}" in line for line in excess(raised))


def test_every_estimate_has_a_limit():
    """What one scenario asks for is held against a limit; the one limit besides counts the runs of a sweep."""
    assert [*cost(Scenario()), "runs"] == list(Limits.model_fields)


HUGE = [
    "world.size=[1e300, 1e-300]",
    "flock.count=1000000000",
    "flock.perception.radius=inf",
    "flock.count=0",
    "time.frames=1",
]


@pytest.mark.parametrize("setting", HUGE)
def test_estimates_are_finite(setting):
    """No valid scenario breaks the estimate itself."""
    scenario = loaded("", setting)
    sure = {name: amount for name, amount in cost(scenario).items() if "pixels" not in name}

    assert all(amount >= 0 for amount in sure.values())
    assert 0 <= seconds(loaded("", "flock.count=0")) <= seconds(Scenario()) < seconds(loaded("", "flock.count=1000"))


def test_starter_is_the_default_scenario():
    """The starter loads, and changes nothing."""
    assert loaded(template()).model_dump() == Scenario().model_dump()


def _commented_out():
    """The lines of each commented-out table, and each commented-out key of a table that is there."""
    blocks, hidden = [], False
    for number, line in enumerate(template().splitlines()):
        header = re.match(r"#?\[", line)
        if header:
            hidden = line.startswith("#")
        if line.startswith("#") and not line.startswith("# "):
            if hidden and not header:
                blocks[-1].append(number)
            else:
                blocks.append([number])
    return blocks


@pytest.mark.parametrize("block", _commented_out(), ids=lambda block: template().splitlines()[block[0]])
def test_starter_loads_with_anything_uncommented(block):
    """Whatever is taken from behind its # is valid."""
    lines = template().splitlines()
    changed = [line[1:] if number in block else line for number, line in enumerate(lines)]

    assert loaded("\n".join(changed)).model_dump() != {}


def test_import_is_cheap_and_names_are_there():
    """Every name that the package exports can be had, and no other."""
    assert all(getattr(boidsgen, name) for name in boidsgen.__all__)
    assert set(boidsgen.__all__) <= set(dir(boidsgen))
    with pytest.raises(AttributeError, match="no attribute 'sweep'"):
        boidsgen.sweep  # noqa: B018


def test_overrides_from_python():
    """A dotted key is set before the scenario is checked."""
    scenario = load_scenario("quickstart", overrides={"flock.count": 80, "world.size": [100, 100]})

    assert (scenario.flock[0].count, scenario.world.size) == (80, (100.0, 100.0))


def test_unknown_preset():
    """A preset that is not there says what is like it."""
    with pytest.raises(boidsgen.StorageError, match="did you mean 'quickstart'"):
        preset("quickstat")


def test_event_mistakes_have_lines():
    """A key that an event cannot set is found on loading."""
    with pytest.raises(ScenarioError) as caught:
        loaded('[[events]]\nat = 3\nset = { "seed" = 3 }')

    assert caught.value.mistakes[0].startswith("test.toml:3: events.set.seed: ")
