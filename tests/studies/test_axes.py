from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.errors import UsageError
from boidsgen.studies.axes import SweepAxis, count_points, cross_axes, parse_axis, parse_values, spawn_seeds


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
    found = tuple(parse_values(text))

    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


DECIMALS = st.decimals(-1000, 1000, places=3)


@given(DECIMALS, DECIMALS, st.integers(2, 40))
def test_ranges_are_evenly_spaced(start, stop, number):
    """A range has the number of values that it names, each the float nearest to the exact one."""
    if start == stop:
        return
    values = parse_values(f"{start}:{stop}:{number}")
    exact = [Fraction(start) + Fraction(stop - start) * step / (number - 1) for step in range(number)]

    assert list(values) == [float(value) for value in exact]
    assert len(values) == number


@pytest.mark.parametrize("text", ["", "1,,2", "0:1:0", "0:1:0.1", "1:5:1", "1:1:3", "0:1:9999999", "0:1e999:3", "3:9"])
def test_values_that_are_none(text):
    """An error in values is a usage error that repeats the option."""
    with pytest.raises(UsageError) as raised:
        parse_axis(f"flock.count={text}")

    assert str(raised.value).startswith(f"--vary flock.count={text}: ")


@pytest.mark.parametrize("text", ["flock.count", "=1,2", ""])
def test_what_is_no_axis(text):
    """An axis needs a key and values."""
    with pytest.raises(UsageError, match="must look like KEY=V1,V2,V3 or KEY=START:STOP:COUNT"):
        parse_axis(text)


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_points(lengths, data):
    """Points are all combinations, the last key fastest; paired keys count as one wherever they stand."""
    axes = [SweepAxis(str(number), tuple(range(length)), "") for number, length in enumerate(lengths)]
    crossed = list(cross_axes(axes, ()))
    assert crossed == list(product(*(axis.values for axis in axes)))
    assert len(crossed) == count_points(axes, ())
    chosen = data.draw(st.sets(st.sampled_from(axes))) if axes else set()
    paired = {axis.key for axis in chosen if len(axis.values) == max(len(one.values) for one in chosen)}
    points = list(cross_axes(axes, paired))

    together = [number for number, axis in enumerate(axes) if axis.key in paired]
    assert len(points) == count_points(axes, paired)
    assert {*points} == {point for point in crossed if len({point[number] for number in together}) <= 1}


def test_pairing_needs_equally_many():
    """Pairs cannot be made of two and one."""
    with pytest.raises(UsageError, match="pairing values needs equally many of each: a has 2, b has 1"):
        list(cross_axes([SweepAxis("a", (1, 2), ""), SweepAxis("b", (3,), "")], ("a", "b")))


def test_seeds():
    """Seeds differ from each other and from their origin, stay when more are wanted, and fit a spreadsheet."""
    seeds = spawn_seeds(4, 1000)

    assert len({4, *seeds}) == 1001
    assert seeds[:10] == spawn_seeds(4, 10)
    assert not set(seeds) & set(spawn_seeds(5, 1000))
    assert max(seeds) < 10**15
