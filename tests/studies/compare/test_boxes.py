"""Characters that the font lacks, in comparisons."""

from boidsgen import load_scenario
from boidsgen.studies.compare.comparison import Comparison, compare, compare_still
from boidsgen.studies.compare.layout import Headings

SMALL = {"time.frames": 2, "world.size": [64, 48], "flock.count": 4, "overlay.caption": "群 ü"}


def test_each_text_is_told_once(tmp_path):
    """Labels above the tiles and captions within them, each once, for clips and for pictures."""
    scenarios = [load_scenario("quickstart", SMALL)] * 2
    comparison = Comparison(scenarios, Headings("both", labels=["鳥", "b"]), 2)
    told = (
        "label: the font has no 鳥; a box stands in its place",
        "overlay.caption: the font has no 群; a box stands in its place",
    )

    assert compare(comparison, tmp_path / "a.gif").notices == told
    assert compare_still(comparison, tmp_path / "a.png") == told
