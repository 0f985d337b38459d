import pytest
from PIL import Image

from boidsgen.scenario.sources import Source
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.summary import arrange_runs, is_current, write_contact_sheet


def _plan(keys, text="[time]\nframes = 2", **options):
    axes = tuple(SweepAxis(key, values, "") for key, values in keys.items())
    return plan_sweep(Source("a.toml", "a", text), [], SweepOptions(axes, **options))


@pytest.mark.parametrize("name", ["sheet.png", "sheet.gif"])
def test_a_sheet_fits_a_screen(name, tmp_path):
    """However large its scenarios, a sheet is one picture of a screen's size, and it knows whether it is up to date."""
    text = "[world]\nsize = [64, 48]\n[time]\nframes = 2\n[flock]\ncount = 5\n[output]\nsize = [640, 480]\n"
    plan = _plan({"flock.count": (1, 2, 3), "flock.max_speed": (1.0, 2.0, 3.0, 4.0)}, text)
    failed = {plan.runs[-1].name}

    write_contact_sheet(plan, failed, tmp_path / name, engine="numpy")

    with Image.open(tmp_path / name) as image:
        assert 1200 < image.size[0] < 2000
        assert image.size[1] < 1600
    assert is_current(plan, failed, tmp_path / name)
    assert not is_current(plan, (), tmp_path / name)


def _arranged(keys, **options):
    """The headings of a plan over these keys, and its runs row by row."""
    runs, headings = arrange_runs(_plan(keys, **options))
    return headings, [(*run.values, run.number) for run in runs]


def test_two_keys_are_two_axes():
    """One key goes down, the other across, each value once."""
    headings, runs = _arranged({"flock.count": (10, 20), "flock.max_speed": (1.0, 2.0, 3.0)})

    assert headings.rows == ["count 10", "count 20"]
    assert headings.columns == ["max_speed 1.0", "max_speed 2.0", "max_speed 3.0"]
    assert runs == [(count, speed, None) for count in (10, 20) for speed in (1.0, 2.0, 3.0)]


def test_seeds_stand_beside_each_other():
    """With two keys the seeds, by their numbers, go where there are fewer values."""
    headings, runs = _arranged({"flock.count": (10, 20), "flock.max_speed": (1.0, 2.0, 3.0)}, seeds=2)
    assert headings.rows == ["count 10, seed 1", "count 10, seed 2", "count 20, seed 1", "count 20, seed 2"]
    assert headings.columns == ["max_speed 1.0", "max_speed 2.0", "max_speed 3.0"]
    assert runs == [(count, speed, seed) for count in (10, 20) for seed in (1, 2) for speed in (1.0, 2.0, 3.0)]
    headings, runs = _arranged({"flock.count": (10, 20, 30), "flock.max_speed": (1.0, 2.0)}, seeds=2)
    assert headings.columns[:2] == ["max_speed 1.0, seed 1", "max_speed 1.0, seed 2"]
    assert runs == [(count, speed, seed) for count in (10, 20, 30) for speed in (1.0, 2.0) for seed in (1, 2)]


def test_one_thing_that_changes_needs_no_grid():
    """One key, seeds alone, or keys that are paired: every run has its own label; one key with seeds is a grid."""
    assert _arranged({"flock.count": (10, 20)})[0].labels == ["count 10", "count 20"]
    assert _arranged({}, seeds=2)[0].labels == ["seed 1", "seed 2"]
    paired, _ = _arranged({"flock.count": (10, 20), "flock.max_speed": (1.0, 2.0)}, zipped=True)
    assert paired.labels == ["count 10, max_speed 1.0", "count 20, max_speed 2.0"]
    grid, _ = _arranged({"flock.count": (10, 20)}, seeds=3)
    assert (grid.rows, grid.columns) == (["count 10", "count 20"], ["seed 1", "seed 2", "seed 3"])
