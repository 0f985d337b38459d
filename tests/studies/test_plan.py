import pytest

from boidsgen.errors import ScenarioError, UsageError
from boidsgen.scenario.sources import Source
from boidsgen.studies.axes import SweepAxis
from boidsgen.studies.plan import MAX_NAME_LENGTH, SweepOptions, plan_sweep, run_name, select_chunk, short_keys


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


def test_chunks_are_the_whole():
    """The chunks of a plan have each of its runs once; what is no chunk is refused."""
    plan = plan_sweep(Source("a.toml", "a", ""), [], SweepOptions(seeds=7))

    chunks = [select_chunk(plan, f"{number}/3").runs for number in (1, 2, 3)]

    assert sorted(run.name for runs in chunks for run in runs) == sorted(run.name for run in plan.runs)
    assert [len(runs) for runs in chunks] == [3, 2, 2]
    for text in ("0/3", "4/3", "1", "a/b", "-1/3", "1/0"):
        with pytest.raises(UsageError, match="must look like 3/10"):
            select_chunk(plan, text)
    with pytest.raises(UsageError, match="there are only 7 runs"):
        select_chunk(plan, "8/9")


def test_zip_may_be_a_list():
    """Keys in the list go together, the others are crossed with them; one that is not varied is refused."""
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
    with pytest.raises(UsageError, match=r"sweep.zip: 'flock.count' is not varied"):
        plan_sweep(Source("a.toml", "a", '[sweep]\nseeds = 2\nzip = ["flock.count", "seed"]'), [], SweepOptions())


def test_nothing_left_to_measure_is_refused():
    """Measuring that begins after the last frame is a mistake of the sweep, not an empty table."""
    late = Source("a.toml", "a", "[time]\nframes = 5\n[measure]\nfrom = 5")

    with pytest.raises(
        UsageError, match=r"measure.from: nothing is left to measure from frame 5 on; the last one is 4"
    ):
        plan_sweep(late, [], SweepOptions(seeds=2))


def test_a_key_that_must_be_given_may_be_varied():
    """What a scenario lacks and the sweep gives is no mistake; what it lacks otherwise still is."""
    source = Source("a.toml", "a", '[flock]\nstart = { layout = "word" }\n')
    words = SweepOptions(axes=(SweepAxis("flock.start.word", ("A", "B"), "--vary flock.start.word="),))

    plan = plan_sweep(source, [], words)

    assert [plan.scenario(run).flock[0].start.word for run in plan.runs] == ["A", "B"]
    with pytest.raises(ScenarioError) as caught:
        plan_sweep(Source("a.toml", "a", f"{source.text}x = 1\n"), [], words)
    assert [line.partition(":")[2][:12] for line in caught.value.mistakes] == ["3: flock.x: "]
