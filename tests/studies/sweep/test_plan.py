import pytest

from boidsgen.studies.sweep.plan import MAX_NAME_LENGTH, run_name, short_keys


def test_short_keys():
    """A key goes without its first name, unless that leaves it like another."""
    assert short_keys(["flock.separation.weight", "flock.count", "title"]) == {
        "flock.separation.weight": "separation.weight",
        "flock.count": "count",
        "title": "title",
    }
    assert list(short_keys(["flock.noise.weight", "predators.noise.weight"]).values()) == [
        "flock.noise.weight",
        "predators.noise.weight",
    ]
    assert list(short_keys(["count", "flock.count"]).values()) == ["count", "flock.count"]


def test_names_do_not_depend_on_order():
    """However keys are ordered, a run is called the same."""
    assert run_name({"b.x": 1, "a.y": 0.5}, 3) == run_name({"a.y": 0.5, "b.x": 1}, 3) == "y=0.5_x=1_seed=3"


@pytest.mark.parametrize(
    "value", ["../../etc/passwd", "/", "a\0b", "x" * 500, "Night", "ß", "..", 'q"\n', [1, [2]], ""]
)
def test_names_are_safe(value):
    """Whatever the value, the name is one plain part of a path, and not too long."""
    name = run_name({"flock.name": value}, None)

    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789.=_+-")
    assert name.startswith("name=")
    assert len(name) <= MAX_NAME_LENGTH + 11


def test_names_are_unique_where_letters_are_not_safe():
    """Values that look alike in safe letters have different names."""
    values = ["a/b", "a b", "a-b", "A-b", "a\0b"]

    assert len({run_name({"k": value}, None).lower() for value in values}) == len(values)
