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
from boidsgen.studies.compare.layout import Headings


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, **document}
    return Scenario.model_validate(table)


def pictures(scenario):
    draw = Renderer(scenario.model_copy(update={"title": ""}), scenario.picture_size)
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


def test_a_preset_is_compared(tmp_path):
    """The digest of a comparison of one is not that of the scenario alone, since a frame stands around it."""
    scenario = load_scenario("quickstart", {"time.frames": 2, "output.size": (64, 64)})

    alone = render(scenario, tmp_path / "alone.gif")
    framed = compare(Comparison([scenario], Headings()), tmp_path / "framed.gif")

    assert alone.digest != framed.digest
    assert framed.seed == scenario.seed
