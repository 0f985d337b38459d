import pytest
from PIL import Image

from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.studies.compare.layout import Headings
from boidsgen.studies.sweep.axes import Axis
from boidsgen.studies.sweep.plan import SweepOptions, plan_sweep
from boidsgen.studies.sweep.sheet import MAX_RUNS, arranged, write_sheet


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, **document}
    return Scenario.model_validate(table)


@pytest.mark.parametrize("name", ["sheet.png", "sheet.gif"])
def test_a_sheet_fits_a_screen(name, tmp_path):
    """However large its scenarios, a sheet is one picture that can be looked at."""
    scenarios = [small(seed=seed, output={"size": (640, 480)}, time={"frames": 2}) for seed in range(12)]
    headings = Headings("A sheet", columns=("1", "2", "3", "4"), rows=("x", "y", "z"))

    write_sheet([*scenarios[:-1], None], tmp_path / name, headings)

    with Image.open(tmp_path / name) as image:
        assert 1200 < image.size[0] < 2000
        assert image.size[1] < 1600


def test_a_sheet_has_room_for_so_many(tmp_path):
    """More runs than can be seen are refused, and so is none."""
    with pytest.raises(UsageError, match="1 to 64 runs"):
        write_sheet([small()] * (MAX_RUNS + 1), tmp_path / "sheet.png", Headings())
    with pytest.raises(UsageError, match="1 to 64 runs"):
        write_sheet([None], tmp_path / "sheet.png", Headings())


def laid_out(keys, **options):
    """The columns, rows and labels of a plan over these keys, and the runs row by row."""
    axes = tuple(Axis(key, values, "") for key, values in keys.items())
    plan = plan_sweep(Source("a.toml", "a", "[time]\nframes = 2"), [], SweepOptions(axes, **options))
    runs, headings = arranged(plan)
    return headings, [(*run.values, run.number) for run in runs]


def test_two_keys_are_two_axes():
    """One key goes down, the other across, each value once."""
    headings, runs = laid_out({"flock.count": (10, 20), "flock.max_speed": (1.0, 2.0, 3.0)})

    assert headings.rows == ["count 10", "count 20"]
    assert headings.columns == ["max_speed 1.0", "max_speed 2.0", "max_speed 3.0"]
    assert runs == [(count, speed, None) for count in (10, 20) for speed in (1.0, 2.0, 3.0)]


def test_seeds_stand_beside_each_other():
    """With two keys the seeds, by their numbers, go where there are fewer values."""
    headings, runs = laid_out({"flock.count": (10, 20), "flock.max_speed": (1.0, 2.0, 3.0)}, seeds=2)

    assert headings.rows == ["count 10, seed 1", "count 10, seed 2", "count 20, seed 1", "count 20, seed 2"]
    assert headings.columns == ["max_speed 1.0", "max_speed 2.0", "max_speed 3.0"]
    assert runs == [(count, speed, seed) for count in (10, 20) for seed in (1, 2) for speed in (1.0, 2.0, 3.0)]
    headings, runs = laid_out({"flock.count": (10, 20, 30), "flock.max_speed": (1.0, 2.0)}, seeds=2)
    assert headings.columns[:2] == ["max_speed 1.0, seed 1", "max_speed 1.0, seed 2"]
    assert runs == [(count, speed, seed) for count in (10, 20, 30) for speed in (1.0, 2.0) for seed in (1, 2)]


def test_one_thing_that_changes_needs_no_grid():
    """One key, seeds alone, or keys that are paired: every run has its own label; one key with seeds is a grid."""
    assert laid_out({"flock.count": (10, 20)})[0].labels == ["count 10", "count 20"]
    assert laid_out({}, seeds=2)[0].labels == ["seed 1", "seed 2"]
    paired, _ = laid_out({"flock.count": (10, 20), "flock.max_speed": (1.0, 2.0)}, zipped=True)
    assert paired.labels == ["count 10, max_speed 1.0", "count 20, max_speed 2.0"]
    grid, _ = laid_out({"flock.count": (10, 20)}, seeds=3)
    assert (grid.rows, grid.columns) == (["count 10", "count 20"], ["seed 1", "seed 2", "seed 3"])
