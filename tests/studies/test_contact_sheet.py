"""Contact sheets: their layout and colors, and the arrangement of the runs of a sweep."""

import numpy as np
import pytest
from PIL import Image

from boidsgen.scenario.sources import Source
from boidsgen.studies.contact_sheet import Headings, automatic_columns, lay_out, shared_palette
from boidsgen.studies.plan import SweepAxis, SweepOptions, plan_sweep
from boidsgen.studies.summary import arrange_runs, is_current, write_contact_sheet


@pytest.mark.parametrize(
    ("count", "cell", "columns"),
    [(1, (400, 400), 1), (3, (400, 400), 3), (4, (400, 400), 2), (6, (400, 400), 3), (4, (640, 360), 2)],
)
def test_grids_suit_a_screen(count, cell, columns):
    """A grid has few holes and is about as wide as a screen."""
    assert automatic_columns(count, cell) == columns


def test_nothing_overlaps_and_nothing_is_cut_off():
    """Tiles do not touch each other, all lie within the picture, and so does all writing."""
    headings = Headings("A title", columns=("short", "a heading of more than one line"), rows=("first", "second row"))
    layout = lay_out([(80, 60), (70, 50), (80, 60)], headings, columns=2)
    covered = np.zeros(layout.size[::-1], int)

    for (left, top), (width, height) in zip(layout.corners, layout.tiles, strict=True):
        assert min(left, top) >= 1
        covered[top - 1 : top + height + 1, left - 1 : left + width + 1] += 1
    assert covered.max() == 1
    assert covered.sum() == sum((width + 2) * (height + 2) for width, height in layout.tiles)
    for text in layout.texts:
        assert 0 <= text.xy[0] <= layout.size[0]
        assert 0 <= text.xy[1] <= layout.size[1]


def test_few_colors_are_all_kept():
    """As long as there is room, no color changes."""
    random = np.random.default_rng(1)
    palettes = [random.integers(0, 256, (number, 3)).astype(np.uint8) for number in (100, 80, 60)]

    palette, entries = shared_palette(palettes)

    assert len(palette) <= 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry], before)


def test_many_colors_move_little():
    """Beyond 255 colors backgrounds stay exact, and no step of a ramp moves by more than about one step."""
    inks = np.random.default_rng(2).integers(0, 256, (5, 12, 3))
    levels = np.linspace(0, 1, 22)[:, None, None]
    palettes = [
        (levels * ink + (1 - levels) * 10 * number).round().reshape(-1, 3).astype(np.uint8)[11:]
        for number, ink in enumerate(inks)
    ]

    palette, entries = shared_palette(palettes)

    assert len(palette) == 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry[0]], before[0])
        assert np.abs(palette[entry].astype(int) - before).max() < 32


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
