"""Scenarios side by side: pixels, palettes, layout and steps."""

import numpy as np
import pytest
from PIL import Image, ImageSequence

from boidsgen import load_scenario, render
from boidsgen.drawing import Renderer
from boidsgen.errors import LimitError, UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import simulate
from boidsgen.studies.compare.comparison import Comparison, compare, compare_still, frames
from boidsgen.studies.compare.contact_sheet import together
from boidsgen.studies.compare.grids import ablated
from boidsgen.studies.compare.layout import Headings, Layout, automatic_columns
from boidsgen.studies.sweep.sheet import MAX_RUNS, write_sheet


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, **document}
    return Scenario.model_validate(table)


def pictures(scenario):
    draw = Renderer(scenario, scenario.model_copy(update={"title": ""}), scenario.picture_size)
    return [draw.palette[draw(state).index] for state in simulate(scenario)]


def tile(picture, comparison, number):
    left, top = comparison.layout.corners[number]
    width, height = comparison.layout.sizes[number]
    return picture[top : top + height, left : left + width]


def test_tiles_are_the_single_pictures():
    """Every tile has the very colors of the scenario rendered alone, in every frame, whatever its theme."""
    scenarios = [small(seed=1), small(seed=2, style={"theme": "paper"}), small(seed=3, world={"size": (40.0, 50.0)})]
    comparison = Comparison(scenarios, Headings("title", labels=("one", "two", "three")))
    alone = [pictures(scenario) for scenario in scenarios]

    for number, frame in enumerate(frames(comparison)):
        for which, expected in enumerate(alone):
            shown = tile(frame.palette[frame.index], comparison, which)
            assert np.array_equal(shown, expected[number])


def test_the_shorter_scenario_stays_on_its_last_frame():
    """A grid lasts as long as its longest scenario."""
    short, long = small(seed=1, time={"frames": 2}), small(seed=1, time={"frames": 4})
    comparison = Comparison([short, long], Headings())

    shown = [frame.palette[frame.index] for frame in frames(comparison)]

    assert len(shown) == 4
    assert np.array_equal(tile(shown[3], comparison, 0), pictures(short)[1])
    assert np.array_equal(tile(shown[3], comparison, 1), pictures(long)[3])


def test_an_empty_place_stays_empty():
    """What failed leaves a hole, and the others stay where they are."""
    comparison = Comparison([small(seed=1), None, small(seed=2)], Headings(), columns=3)

    (frame, *_) = frames(comparison)

    hole = tile(frame.index, comparison, 1)
    assert (hole == hole[0, 0]).all()
    assert np.array_equal(tile(frame.palette[frame.index], comparison, 2), pictures(small(seed=2))[0])


def test_one_palette_serves_all_frames(tmp_path):
    """A comparison is an ordinary clip: one palette, all frames, even sides."""
    comparison = Comparison([small(seed=1), small(seed=2)], Headings(labels=("a", "b")))

    report = compare(comparison, tmp_path / "grid.gif", tmp_path / "grid.mp4")

    assert report.frames == 4
    assert all(side % 2 == 0 for side in comparison.layout.size)
    with Image.open(tmp_path / "grid.gif") as image:
        assert image.size == comparison.layout.size
        assert image.n_frames == 4


def test_a_still_is_a_frame_of_the_clip(tmp_path):
    """The picture of frame 2 is the third picture of the clip, trails included."""
    scenario = small(seed=1, style={"trails": 2})
    comparison = Comparison([scenario, small(seed=2)], Headings(labels=("a", "b")))
    compare(comparison, tmp_path / "grid.gif")

    compare_still(comparison, tmp_path / "grid.png", at=2)

    with Image.open(tmp_path / "grid.gif") as clip, Image.open(tmp_path / "grid.png") as picture:
        third = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(clip)][2]
        assert np.array_equal(np.asarray(picture.convert("RGB")), third)


@pytest.mark.parametrize("at", [-1, 4])
def test_there_is_no_such_frame(at, tmp_path):
    """A frame beyond the longest scenario is refused before any work."""
    with pytest.raises(UsageError, match="there is no frame"):
        compare_still(Comparison([small()], Headings()), tmp_path / "grid.png", at=at)


def test_a_grid_has_limits_too(tmp_path):
    """The whole picture must stay within the limits, not only its tiles."""
    scenario = small(limits={"pixels": 64 * 48 + 1})

    with pytest.raises(LimitError, match="for the whole grid"):
        compare(Comparison([scenario, scenario], Headings()), tmp_path / "grid.gif")

    assert list(tmp_path.iterdir()) == []


def test_few_colors_are_all_kept():
    """As long as there is room, no color changes."""
    random = np.random.default_rng(1)
    palettes = [random.integers(0, 256, (number, 3)).astype(np.uint8) for number in (100, 80, 60)]

    palette, entries = together(palettes)

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

    palette, entries = together(palettes)

    assert len(palette) == 255
    for before, entry in zip(palettes, entries, strict=True):
        assert np.array_equal(palette[entry[0]], before[0])
        assert np.abs(palette[entry].astype(int) - before).max() < 32


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
    layout = Layout([(80, 60), (70, 50), (80, 60)], headings, columns=2)
    covered = np.zeros(layout.size[::-1], int)

    for (left, top), (width, height) in zip(layout.corners, layout.sizes, strict=True):
        assert min(left, top) >= 1
        covered[top - 1 : top + height + 1, left - 1 : left + width + 1] += 1
    assert covered.max() == 1
    assert covered.sum() == sum((width + 2) * (height + 2) for width, height in layout.sizes)
    for text in layout.texts:
        assert 0 <= text.xy[0] <= layout.size[0]
        assert 0 <= text.xy[1] <= layout.size[1]


def test_ablation_takes_one_rule_at_a_time():
    """The whole flock comes first, then the same without each rule that is on; all start alike."""
    flocks = ablated(small(seed=5, predators={"count": 1}, flock={"count": 9, "cohesion": {"weight": 0.0}}))

    assert list(flocks) == ["all rules", "no separation", "no alignment", "no flee"]
    starts = [next(simulate(scenario)) for scenario in flocks.values()]
    for start in starts[1:]:
        assert np.array_equal(start.flocks[0].position, starts[0].flocks[0].position)
        assert np.array_equal(start.flocks[0].velocity, starts[0].flocks[0].velocity)
    assert "separation" not in flocks["no separation"].flock[0].rules
    assert "alignment" in flocks["no separation"].flock[0].rules


def test_ablation_goes_through_all_flocks():
    """A rule is taken from every flock that has it; without predators, fleeing is none."""
    flocks = ablated(small(flock=({"name": "a"}, {"name": "b", "alignment": {"weight": 0.0}})))

    assert list(flocks) == ["all rules", "no separation", "no alignment", "no cohesion"]
    assert all("cohesion" not in flock.rules for flock in flocks["no cohesion"].flock)


def test_nothing_to_ablate():
    """A flock without rules is told."""
    off = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion")}

    with pytest.raises(UsageError, match="no rule"):
        ablated(small(flock=off))


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


def test_a_preset_is_compared(tmp_path):
    """The digest of a comparison of one is not that of the scenario alone, since a frame stands around it."""
    scenario = load_scenario("quickstart", {"time.frames": 2, "output.size": (64, 64)})

    alone = render(scenario, tmp_path / "alone.gif")
    framed = compare(Comparison([scenario], Headings()), tmp_path / "framed.gif")

    assert alone.digest != framed.digest
    assert framed.seed == scenario.seed
