"""Scenarios side by side: pixels, palettes, layout and steps."""

import numpy as np
import pytest
from PIL import Image, ImageSequence

from boidsgen import load_scenario
from boidsgen.comparison import (
    Comparison,
    ablate,
    compare,
    compare_still,
    comparison_frames,
    comparison_of,
    untitled,
)
from boidsgen.drawing.contact_sheet import Headings
from boidsgen.drawing.renderer import Renderer
from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import find
from boidsgen.simulation.run import simulate
from boidsgen.variants import translated


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, **document}
    return Scenario.model_validate(table)


def pictures(scenario, size=None):
    draw = Renderer(untitled(scenario), size or untitled(scenario).picture_size)
    return [draw.palette[draw(state).index] for state in simulate(scenario)]


def tile(picture, comparison, number):
    left, top = comparison.layout.corners[number]
    width, height = comparison.layout.tiles[number]
    return picture[top : top + height, left : left + width]


def test_tiles_are_the_single_pictures():
    """Every tile has the very colors of the scenario rendered alone in every frame; a shorter one stays on its last."""
    scenarios = [small(seed=1), small(style={"theme": "paper"}), small(world={"size": (40.0, 50.0)})]
    comparison = Comparison([*scenarios, small(seed=1, time={"frames": 2})], Headings("title", labels="abcd"))
    sizes = comparison.layout.tiles
    alone = [pictures(one, size) for one, size in zip(comparison.scenarios, sizes, strict=True)]
    frames = list(comparison_frames(comparison))

    assert len(frames) == 4
    for number, frame in enumerate(frames):
        for which, expected in enumerate(alone):
            shown = tile(frame.palette[frame.index], comparison, which)
            assert np.array_equal(shown, expected[min(number, len(expected) - 1)])


def test_cells_have_the_size_of_the_first():
    """Whatever the others' sizes, each is drawn as large as it fits into a cell, in its own shape."""
    sizes = [(64, 48), (1280, 720), (30, 60), (64, 48)]
    scenarios = [small(output={"size": size}) for size in sizes]

    layout = Comparison(scenarios, Headings(), columns=2).layout

    assert layout.tiles == [(64, 48), (64, 36), (24, 48), (64, 48)]
    assert layout.size == Comparison([scenarios[0]] * 4, Headings(), columns=2).layout.size


def test_a_measure_stands_below_each():
    """The value of the frame that is shown, in the room below each tile; that of a chart without being asked for."""
    scenarios = [small(seed=1), small(seed=2)]
    plain, asked = (Comparison(scenarios, Headings(), 2, measure) for measure in (None, "polarization"))
    charted = Comparison([small(seed=1, overlay={"chart": "mean_speed"})], Headings())

    shown = [frame.palette[frame.index] for frame in comparison_frames(asked)]
    below = [[_room(frame, asked, which) for which in (0, 1)] for frame in shown]

    assert asked.layout.size[1] > plain.layout.size[1]
    assert (plain.noted, charted.noted) == (None, "mean_speed")
    assert all(len(np.unique(room.reshape(-1, 3), axis=0)) > 2 for frame in below for room in frame)
    assert not np.array_equal(below[0][0], below[0][1])
    assert not np.array_equal(below[0][0], below[3][0])
    for number, frame in enumerate(comparison_frames(plain)):
        for which in (0, 1):
            assert np.array_equal(tile(shown[number], asked, which), tile(frame.palette[frame.index], plain, which))


def _room(picture, comparison, number):
    left, top, width, height = comparison.layout.notes[number]
    assert top + height <= comparison.layout.size[1]
    return picture[top : top + height, left : left + width]


def test_a_still_is_a_frame_of_the_clip(tmp_path):
    """The picture of frame 2 is the third picture of the clip, trails included."""
    scenario = small(seed=1, style={"trails": 2})
    comparison = Comparison([scenario, small(seed=2)], Headings(labels=("a", "b")))
    compare(comparison, tmp_path / "grid.gif")

    compare_still(comparison, tmp_path / "grid.png", at=2)

    assert all(side % 2 == 0 for side in comparison.layout.size)
    with Image.open(tmp_path / "grid.gif") as clip, Image.open(tmp_path / "grid.png") as picture:
        third = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(clip)][2]
        assert np.array_equal(np.asarray(picture.convert("RGB")), third)


def test_ablation_takes_one_rule_at_a_time():
    """The whole flock comes first, then the same without each rule that is on in any flock; all start alike."""
    flocks = ablate(small(seed=5, predators={"count": 1}, flock={"count": 9, "cohesion": {"weight": 0.0}}))
    several = ablate(small(flock=({"name": "a"}, {"name": "b", "alignment": {"weight": 0.0}})))

    assert list(flocks) == ["all rules", "no separation", "no alignment", "no flee"]
    assert list(several) == ["all rules", "no separation", "no alignment", "no cohesion"]
    starts = [next(simulate(scenario)).flocks[0].position.tolist() for scenario in flocks.values()]
    assert all(start == starts[0] for start in starts)
    assert "separation" not in flocks["no separation"].flock[0].rules
    assert "alignment" in flocks["no separation"].flock[0].rules
    assert all("cohesion" not in flock.rules for flock in several["no cohesion"].flock)

    off = {name: {"weight": 0.0} for name in ("separation", "alignment", "cohesion")}
    with pytest.raises(UsageError, match="no rule"):
        ablate(small(flock=off))


def test_ablation_holds_for_the_whole_run():
    """A rule that an event switches on is among the rules, and once taken away no event brings it back."""
    events = (
        {"at": 1, "set": {"flock.separation.weight": 2.0}, "caption": "now"},
        {"at": 2, "over": 1, "set": {"flock.0.alignment.weight": 0.5, "flock.separation.radius": 9.0}},
    )
    off = {"separation": {"weight": 0.0}, "alignment": {"weight": 0.0}}
    flocks = ablate(small(flock=off, events=events))

    assert list(flocks) == ["all rules", "no separation", "no alignment", "no cohesion"]
    last = {label: list(simulate(scenario))[-1].setup.flock[0] for label, scenario in flocks.items()}
    assert {"alignment", "cohesion", "separation"} <= set(last["all rules"].rules)
    for name in ("separation", "alignment", "cohesion"):
        assert name not in last[f"no {name}"].rules
    assert last["no separation"].separation.radius == 9.0
    assert flocks["no separation"].caption(1) == "now"


TINY = {"time.frames": 2, "world.size": [64, 48], "flock.count": 4, "overlay.caption": "群 ü"}


def test_missing_glyphs_are_reported_once(tmp_path):
    """Labels above the tiles and captions within them, each once, for clips and for pictures."""
    scenarios = [load_scenario("quickstart", TINY)] * 2
    comparison = Comparison(scenarios, Headings("both", labels=["鳥", "b"]), 2)
    notices = (
        "label: the font has no 鳥; shown as a box",
        "overlay.caption: the font has no 群; shown as a box",
    )

    assert compare(comparison, tmp_path / "a.gif").notices == notices
    assert compare_still(comparison, tmp_path / "a.png") == notices


def test_labels_of_variants_are_words_in_every_language_of_pages():
    """Rules that are off, numbers of keys, and what is not changed."""
    variants = ["", "flock.cohesion.weight=0", "flock.max_speed=1.5 flock.alignment.weight=2"]
    comparison = comparison_of([find("quickstart")], [], variants)

    assert comparison.question == "What does each change do?"
    assert comparison.headings.labels == ["as given", "cohesion off", "max speed 1.5, alignment 2"]
    assert [translated(label)["de"][label] for label in comparison.headings.labels] == [
        "wie gegeben",
        "Kohäsion aus",
        "Höchsttempo 1,5, Ausrichtung 2",
    ]
    assert comparison_of([find("quickstart")], [], variants, labels=["a", "b", "c"]).question == ""


def test_a_page_of_variants_begins_with_the_measure_that_tells_them_apart(tmp_path):
    """Without alignment, headings differ, not distances; a measure that is chosen stays."""
    variants = ["", "flock.alignment.weight=0"]
    for measure in (None, "dispersion"):
        comparison = comparison_of([find("quickstart")], [], variants, measure=measure)
        compare(comparison, tmp_path / "two.html")
        assert f'"measure":"{measure or "polarization"}"' in (tmp_path / "two.html").read_text("utf-8")
        (tmp_path / "two.html").unlink()
