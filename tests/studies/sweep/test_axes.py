import pytest

from boidsgen.errors import UsageError
from boidsgen.studies.sweep.axes import Axis, axis_from_text, combined, count, paired, spawned, values_from


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2,3", (1, 2, 3)),
        (" 0.5 , 1e2,inf", (0.5, 100.0, float("inf"))),
        ("torus, reflect", ("torus", "reflect")),
        ('"a,b",c', ("a,b", "c")),
        ("[1, 2],[3, 4]", ([1, 2], [3, 4])),
        ('{ kind = "soft", margin = 4 }, torus', ({"kind": "soft", "margin": 4}, "torus")),
        ("true,false", (True, False)),
        ("7", (7,)),
        ("0:1:5", (0, 0.25, 0.5, 0.75, 1)),
        ("0:1:11", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        ("50:200:4", (50, 100, 150, 200)),
        ("2.0:1.0:3", (2.0, 1.5, 1.0)),
        ("-1e-2:1e-2:3", (-0.01, 0.0, 0.01)),
        ("10:20:30"[:5] + ":2", (10, 20)),
        ("3:3:1", (3,)),
    ],
)
def test_values(text, values):
    """Lists are read as TOML, words need no quotes, ranges are exact in decimals and whole where all is whole."""
    found = values_from(text)

    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a value is missing"),
        ("1,,2", "a value is missing"),
        ("0:1:0", "an empty range; COUNT must be at least 1"),
        ("0:1:0.1", "COUNT must be a whole number, how many values, not 0.1; it is not the step between them"),
        ("1:5:1", "1 values do not lead from 1 to 5"),
        ("1:1:3", "3 values do not lead from 1 to 1"),
        ("0:1:9999999", "a range may have 1,000,000 values at most"),
        ("0:1e999:3", "the range leaves the numbers a computer knows"),
    ],
)
def test_values_that_are_none(text, reason):
    """Each slip has its reason."""
    with pytest.raises(UsageError) as raised:
        axis_from_text(f"flock.count={text}")

    assert str(raised.value).startswith(f"--vary flock.count={text}: {reason}")


@pytest.mark.parametrize("text", ["flock.count", "=1,2", ""])
def test_what_is_no_axis(text):
    """An axis needs a key and values."""
    with pytest.raises(UsageError, match="must look like KEY=V1,V2,V3 or KEY=START:STOP:COUNT"):
        axis_from_text(text)


def test_crossing_and_pairing():
    """Crossing combines everything, the last key fastest; pairing takes first with first."""
    axes = [Axis("a", (1, 2), ""), Axis("b", (3, 4), "")]

    assert list(combined(axes, ())) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert list(paired(axes)) == [(1, 3), (2, 4)]
    assert list(combined([], ())) == list(paired([])) == [()]


def test_pairing_needs_equally_many():
    """Pairs cannot be made of two and one."""
    with pytest.raises(UsageError, match="pairing values needs equally many of each: a has 2, b has 1"):
        paired([Axis("a", (1, 2), ""), Axis("b", (3,), "")])


def test_seeds():
    """Seeds differ from each other and from their origin, stay when more are wanted, and fit a spreadsheet."""
    seeds = spawned(4, 1000)

    assert len({4, *seeds}) == 1001
    assert seeds[:10] == spawned(4, 10)
    assert not set(seeds) & set(spawned(5, 1000))
    assert max(seeds) < 10**15


def test_some_keys_go_together():
    """Keys that are paired count as one, wherever they stand; the others are crossed with them."""
    axes = [Axis("count", (1, 2), ""), Axis("noise", ("a", "b", "c"), ""), Axis("size", (10, 20), "")]

    points = list(combined(axes, ("count", "size")))

    assert points == [(many, noise, 10 * many) for many in (1, 2) for noise in "abc"]
    assert len(points) == count(axes, ("count", "size"))
    assert len(list(combined(axes, ()))) == count(axes, ()) == 12
