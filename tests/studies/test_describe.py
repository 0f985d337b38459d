import re
from collections import Counter

import pytest

from boidsgen import __version__, describe, sweep
from boidsgen.scenario.layers import Override
from boidsgen.scenario.sources import Source
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.reports import study_text

SMALL = """\
seed = 3
title = "A & B"
measure.names = ["polarization", "groups"]
[world]
size = [48, 32]
[time]
frames = 40
dt = 0.5
[flock]
name = "fish_1"
count = 5
perception = { radius = 7, field_of_view = 270 }
cohesion.weight = 0
[[events]]
at = 3
set = { "flock.separation.weight" = 4 }
"""
VARY = (SweepAxis("flock.count", (2, 3), ""), SweepAxis("flock.alignment.weight", (0.5, 1.0), ""))
OPTIONS = {
    "crossed": SweepOptions(VARY, 2),
    "paired": SweepOptions(VARY, zipped=True),
    "seeds": SweepOptions((), 3),
    "until": SweepOptions(VARY, 9, drawn=False, until={"error.groups": 0.25}),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("independent", [False, True])
def test_the_scenario_of_a_study(options, independent):
    """The file in the directory of a study has everything that makes its runs."""
    fixed = [Override("sweep.independent", independent, ""), Override("flock.max_speed", 3.5, "")]
    plan = plan_sweep(Source("small.toml", "small", SMALL), fixed, options)
    again = plan_sweep(Source("study.toml", "study", study_text(plan)), [], SweepOptions(drawn=options.drawn))

    assert again.runs == plan.runs
    assert again.until == plan.until


def test_the_methods_of_a_study(tmp_path):
    """Model, parameters, seeds, estimators and versions stand there, what was varied without a value of its own."""
    until = {"error.groups": 1e-9, "error.polarization": 1.0}
    vary = {"flock.alignment.weight": [0, 0.5, 1], "flock.count": [2, 3]}
    table = sweep(SMALL, vary, seeds=9, until=until, jobs=1, directory=tmp_path)
    seeds = Counter(zip(table["flock.alignment.weight"], table["flock.count"], strict=True)).values()
    text = describe(tmp_path)

    for said in (
        "varied fish_1 moved in a world of 48 × 32 units with torus boundaries",
        "alignment (weight varied; Reynolds 1987)",
        "separation (weight varied; Reynolds 1987)",
        "within 7 units and a field of view of 270°",
        "An event at frame 3 set flock.separation.weight to 4",
        "The time step was 0.5",
        "We varied alignment weight (0, 0.5, 1) and count (2, 3), in all combinations",
        f"Each had {' to '.join(map(str, sorted({*seeds})))} independent seeds, spawned from 3",
        "from 8 up to 9, until the standard error over them was at most 1e-09 for groups and 1 for polarization",
        "We measured groups and polarization in every frame from frame 0 on, 40 values a run",
        "Flyvbjerg and Petersen 1989",
        f"boidsgen {__version__}, numpy ",
        f"Cite as: boidsgen developers: boidsgen, version {__version__}",
    ):
        assert said in text
    assert "cohesion" not in text
    assert "flee" not in text


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        (None, "Each had one seed, spawned from 3 by NumPy's SeedSequence, another for each point"),
        (2, "Each had 2 independent seeds, spawned from 3 by NumPy's SeedSequence, another for each point"),
    ],
)
def test_a_design_is_described_as_points(tmp_path, seeds, told):
    """A sweep over a design says how many points there are, and that each has seeds of its own, however many."""
    ranges = {"flock.alignment.weight": "0:2", "flock.max_speed": "1:4"}
    sweep(SMALL, ranges, design="lhs", runs=4, seeds=seeds, jobs=1, directory=tmp_path)
    text = describe(tmp_path)

    assert ", paired, at 4 points." in text
    assert told in text


def test_latex(tmp_path):
    """In LaTeX nothing is left that it would take for a command, and the work can be cited."""
    sweep(SMALL, {"flock.count": [2, 3]}, measure__names=["polarization"], jobs=1, directory=tmp_path)
    text, _, bibtex = describe(tmp_path, latex=True).rpartition("\n")

    assert not re.search(r"(?<!\\)[&%#_{}~^×°]", re.sub(r"\$[^$]*\$", "", text))
    assert r"fish\_1" in text
    assert bibtex.startswith("% @software{boidsgen, ")
