"""Axes, points, and the plan of all runs."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boidsgen.errors import ScenarioError
from boidsgen.measuring import spawn_seeds
from boidsgen.scenario.sources import Source
from boidsgen.studies.plan import (
    MAX_NAME_LENGTH,
    SweepAxis,
    SweepOptions,
    cross_axes,
    parse_values,
    plan_sweep,
    run_name,
    short_keys,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (" 0.5 , 1e2,inf", (0.5, 100.0, float("inf"))),
        ("torus, reflect", ("torus", "reflect")),
        ('"a,b",c', ("a,b", "c")),
        ("[1, 2],[3, 4]", ([1, 2], [3, 4])),
        ('{ kind = "soft", margin = 4 }, torus', ({"kind": "soft", "margin": 4}, "torus")),
        ("true,7", (True, 7)),
        ("0:1:11", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        ("50:200:4", (50, 100, 150, 200)),
        ("2.0:1.0:3", (2.0, 1.5, 1.0)),
        ("-1e-2:1e-2:3", (-0.01, 0.0, 0.01)),
        ("3:3:1", (3,)),
    ],
)
def test_values(text, values):
    """Lists are read as TOML and words need no quotes; ranges are exact in decimals, and integers where they can be."""
    found = parse_values(text)

    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


DECIMALS = st.decimals(-1000, 1000, places=3)


@given(DECIMALS, DECIMALS, st.integers(2, 40))
def test_ranges_are_evenly_spaced(start, stop, number):
    """A range has the number of values that it names, each the float nearest to the exact one."""
    if start == stop:
        return
    exact = [Fraction(start) + Fraction(stop - start) * step / (number - 1) for step in range(number)]

    assert parse_values(f"{start}:{stop}:{number}") == tuple(map(float, exact))


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_points(lengths, data):
    """Points are all combinations, the last key fastest; paired keys count as one wherever they stand."""
    axes = [SweepAxis(str(number), tuple(range(length)), "") for number, length in enumerate(lengths)]
    crossed = list(cross_axes(axes, ()))
    assert crossed == list(product(*(axis.values for axis in axes)))
    chosen = data.draw(st.sets(st.sampled_from(axes))) if axes else set()
    paired = {axis.key for axis in chosen if len(axis.values) == max(len(one.values) for one in chosen)}
    points = list(cross_axes(axes, paired))

    together = [number for number, axis in enumerate(axes) if axis.key in paired]
    assert len({*points}) == len(points)
    assert {*points} == {point for point in crossed if len({point[number] for number in together}) <= 1}


def test_seeds():
    """Seeds differ from each other and from their origin, stay when more are wanted, and fit a spreadsheet."""
    seeds = spawn_seeds(4, 1000)

    assert len({4, *seeds}) == 1001
    assert seeds[:10] == spawn_seeds(4, 10)
    assert not set(seeds) & set(spawn_seeds(5, 1000))
    assert max(seeds) < 10**15


def test_short_keys():
    """A key goes without its first name, unless that leaves it like another."""
    assert short_keys(["flock.separation.weight", "flock.count", "title"]) == {
        "flock.separation.weight": "separation.weight",
        "flock.count": "count",
        "title": "title",
    }
    alike = ["flock.noise.weight", "predators.noise.weight"]
    assert list(short_keys(alike).values()) == alike
    assert list(short_keys(["count", "flock.count"]).values()) == ["count", "flock.count"]


@given(st.lists(st.text(max_size=200), unique=True))
@example(["../../etc/passwd", "/", "a/b", "a b", "a-b", "A-b", "a\0b", "x" * 500, "..", 'q"\n', [1, [2]], ""])
def test_names_are_safe_and_unique(values):
    """Whatever the values, a name is one plain part of a path, not too long, and no other's; order does not count."""
    names = [run_name({"flock.name": value}, None) for value in values]

    assert len({*names}) == len(names)
    for name in names:
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789.=_+-")
        assert name.startswith("name=")
        assert len(name) <= MAX_NAME_LENGTH + 11
    assert run_name({"b.x": 1, "a.y": 0.5}, 3) == run_name({"a.y": 0.5, "b.x": 1}, 3) == "y=0.5_x=1_seed=3"


def test_zip_may_be_a_list():
    """Keys in the list go together, the others are crossed with them."""
    text = """
    [sweep]
    zip = ["flock.count", "world.size"]
    [sweep.vary]
    "flock.count" = [10, 40]
    "flock.max_speed" = [1.0, 2.0]
    "world.size" = [[10, 10], [20, 20]]
    """

    plan = plan_sweep(Source("a.toml", "a", text), [], SweepOptions())

    assert [run.values for run in plan.runs] == [
        (count, speed, (side, side)) for count, side in ((10, 10), (40, 20)) for speed in (1.0, 2.0)
    ]


def test_a_key_that_must_be_given_may_be_varied():
    """What a scenario lacks and the sweep gives is no error; what it lacks otherwise still is."""
    source = Source("a.toml", "a", '[flock]\nstart = { layout = "word" }\n')
    words = SweepOptions(axes=(SweepAxis("flock.start.word", ("A", "B"), "--vary flock.start.word="),))

    plan = plan_sweep(source, [], words)

    assert [plan.scenario(run).flock[0].start.word for run in plan.runs] == ["A", "B"]
    with pytest.raises(ScenarioError) as caught:
        plan_sweep(Source("a.toml", "a", f"{source.text}x = 1\n"), [], words)
    assert [line.partition(":")[2][:12] for line in caught.value.errors] == ["3: flock.x: "]


def test_combinations_have_seeds_of_their_own_on_demand():
    """Without the key all combinations share their seeds; with it no two do, and more values leave them."""

    def seeds(values, independent):
        options = SweepOptions((SweepAxis("flock.count", values, ""),), 3)
        text = f"extends = 'quickstart'\nsweep.independent = {independent}\n"
        return {run.name: run.seed for run in plan_sweep(Source("my", "my", text), [], options).runs}

    assert len(set(seeds((5, 6), "false").values())) == 3
    alone, more = seeds((5, 6), "true"), seeds((5, 6, 7), "true")
    assert len(set(more.values())) == 9
    assert alone.items() <= more.items()
