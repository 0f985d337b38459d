"""Designs: how they fill ranges, how they grow, and the sweeps over them."""

import json
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from boidsgen import sweep
from boidsgen.scenario.sources import Source, find
from boidsgen.studies.design import POINTS, parse_factor, plan_design, read_design
from boidsgen.studies.plan import SweepOptions

EXTRA = "needs scipy: pip install 'boidsgen[study]'"


@pytest.fixture(params=POINTS)
def points(request):
    """A function that makes points of a design."""
    if request.param in {"sobol", "saltelli"}:
        pytest.importorskip("scipy", reason=EXTRA)
    return POINTS[request.param]


def test_a_design_keeps_its_first_points(points):
    """Whatever the design, points lie in the unit cube, and more of them begin with the ones before."""
    every = points(125, 3, 7)

    assert every.shape == (125, 3)
    assert ((every >= 0) & (every < 1)).all()
    for number in (5, 35, 60, 120):
        assert np.array_equal(points(number, 3, 7), every[:number])
    assert not np.array_equal(points(125, 3, 8), every)


@pytest.mark.parametrize("number", [2, 8, 64, 5, 100])
def test_a_latin_hypercube_has_one_point_in_each_stratum(number):
    """At powers of two every stratum of every factor has one point; in between none of the finer ones has two."""
    strata = 1 << (number - 1).bit_length()

    for column in (POINTS["lhs"](number, 4, 1) * strata).astype(int).T:
        assert len({*column}) == number


def test_saltelli_blocks_share_coordinates():
    """In each block the point of a factor has its coordinate from the last point and the others from the first."""
    pytest.importorskip("scipy", reason=EXTRA)

    for first, *mixed, last in POINTS["saltelli"](40, 3, 1).reshape(8, 5, 3):
        for factor, point in enumerate(mixed):
            assert point[factor] == last[factor]
            assert np.array_equal(np.delete(point, factor), np.delete(first, factor))


def test_values_fill_their_range():
    """Equal parts of the coordinate are equal parts of a range, of its logarithm, or of the choices."""
    units = (np.arange(6000) + 0.5) / 6000
    even, logarithmic, choice = (parse_factor(text) for text in ("a=1:4", "a=log:0.1:1000", "a=x,y,true"))

    assert np.allclose([even.value(unit) for unit in units], 1 + 3 * units, rtol=1e-5)
    assert np.allclose(np.log10([logarithmic.value(unit) for unit in units]), 4 * units - 1, atol=1e-5)
    assert [choice.value(unit) for unit in units] == ["x"] * 2000 + ["y"] * 2000 + [True] * 2000


@pytest.mark.parametrize("design", ["lhs", "random"])
def test_a_sweep_over_a_design_grows(design):
    """More runs keep name, seed and scenario of those before, those that share all values included."""
    source = find("quickstart")
    made = read_design(design, ["flock.count=5:7", "world.boundary=torus,reflect"], source, [])

    few, many = (
        plan_design(source, [], made, made.points(number), SweepOptions(seeds=2, drawn=False)) for number in (9, 20)
    )

    assert many.runs[: len(few.runs)] == few.runs
    assert len({run.seed for run in many.runs}) == 40
    assert {run.values for run in many.runs} <= {(n, edge) for n in (5, 6, 7) for edge in ("torus", "reflect")}


def test_a_grid_has_all_combinations():
    """Ranges of a grid have equally many values, both ends among them; choices have all of theirs."""
    source = find("quickstart")
    made = read_design("grid", ["flock.count=5:11", "flock.max_speed=2:3", "world.boundary=torus,reflect"], source, [])

    plan = plan_design(source, [], made, made.points(18), SweepOptions(drawn=False))

    grid = {(n, v, edge) for n in (5, 8, 11) for v in (2.0, 2.5, 3.0) for edge in ("torus", "reflect")}
    assert {run.values for run in plan.runs} == grid


def test_the_table_of_the_scenario_does_not_count():
    """A design replaces the sweep of its scenario."""
    source = Source("a.toml", "a", "sweep.seeds = 3\nsweep.zip = true\n[sweep.vary]\nseed = [1, 2]\n")
    made = read_design("lhs", ["flock.max_speed=2:3"], source, [])

    plan = plan_design(source, [], made, made.points(4), SweepOptions(drawn=False))

    assert (plan.keys, len(plan.runs)) == (("flock.max_speed",), 4)


def test_a_second_call_does_the_further_runs(boidsgen):
    """What the first call did is kept, and study.toml makes the same runs again."""
    command = ["sweep", "quickstart", "--frames", "2", "--design", "lhs", "--vary", "flock.max_speed=2:4"]

    boidsgen(*command, "--runs", "3", "--measures-only", "-o", "runs")
    first = Path("runs/manifest.jsonl").read_text().splitlines()
    told = boidsgen(*command, "--runs", "6", "--measures-only", "-o", "runs")
    again = boidsgen("sweep", "runs/study.toml", "--measures-only", "--list")

    rows = [json.loads(line) for line in Path("runs/manifest.jsonl").read_text().splitlines()]
    assert [{**json.loads(line), "seeds": 1} for line in first] == rows[:3]
    assert "6 runs, 3 done now, 3 kept" in told.err
    assert [line.split()[0] for line in again.out.splitlines()] == [row["run"] for row in rows]


def test_python_has_designs_too():
    """Ranges as text, choices as a list; the records are those of the design."""
    table = sweep("quickstart", {"flock.max_speed": "2:4", "flock.count": [3, 4]}, design="random", runs=8, frames=2)

    assert len(table) == 8
    assert ((table["flock.max_speed"] >= 2) & (table["flock.max_speed"] <= 4)).all()
    assert {*table["flock.count"]} == {3, 4}


def test_a_normal_prior_is_that_distribution():
    """Even points of the unit cube have its quantiles, but for a thousandth on each side; of whole numbers, too."""
    one, units = parse_factor("a=normal:2:0.5"), (np.arange(4000) + 0.5) / 4000

    values = np.array([one.value(unit) for unit in units])

    wanted = 2 + 0.5 * np.array([NormalDist().inv_cdf(0.001 + 0.998 * unit) for unit in units])
    assert np.allclose(values, wanted, rtol=1e-5)
    assert (one.value(0.0), one.value(1.0)) == pytest.approx((2 - 1.5451, 2 + 1.5451), abs=1e-4)
    [count] = read_design("lhs", ["flock.count=normal:40:3.3"], find("quickstart"), []).factors
    counts = np.array([count.value(unit) for unit in units])
    assert {type(count.value(unit)) for unit in (0.0, 0.3, 1.0)} == {int}
    assert (counts.mean(), counts.std()) == pytest.approx((40, 3.3), rel=0.02)
