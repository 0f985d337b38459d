"""What was made is made again, equal frame by frame, from what it carries."""

from functools import partial

import pytest
from PIL import Image

import boidsgen
from boidsgen import render, still
from boidsgen.comparison import Comparison, compare, compare_still
from boidsgen.drawing.contact_sheet import Headings
from boidsgen.errors import ReplayError, ScenarioError, UsageError
from boidsgen.output.figures import FIGURES
from boidsgen.replays import original, replay_file
from boidsgen.scenario.scenario import Scenario


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, "seed": 3, **document}
    return Scenario.model_validate(table)


MADE = {
    **{f"flock.{kind}": render for kind in ("gif", "mp4", "webp", "webm")},
    **{f"flock.{kind}": partial(still, at=2) for kind in ("png", *FIGURES)},
    **{f"strip.{kind}": partial(still, at=[0, 2, 3]) for kind in ("png", *FIGURES)},
}
"""Kinds of outputs, each with what makes it."""


@pytest.mark.parametrize("name", MADE)
def test_outputs_come_back_byte_by_byte(name, tmp_path):
    """A replay with the same versions is the same file, of a clip, of a frame, and of a strip."""
    MADE[name](small(style={"trails": 2}, title='He said "hi" \\ ümlaut'), tmp_path / name)

    replay_file(original(tmp_path / name), str(tmp_path / f"again-{name}"))

    assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_a_frame_of_a_folder_comes_back(tmp_path):
    """It tells which frame it is."""
    render(small(output={"format": "png"}), f"{tmp_path / 'frames'}/")
    frame = tmp_path / "frames" / "frame_0003.png"
    replay_file(original(frame), str(tmp_path / "third.png"))

    assert (tmp_path / "third.png").read_bytes() == frame.read_bytes()


@pytest.mark.parametrize("kind", FIGURES)
def test_an_altered_figure_is_told(kind, tmp_path):
    """One more line is an error."""
    path = tmp_path / f"flock.{kind}"
    still(small(), path)
    path.write_bytes(path.read_bytes() + b"\n")

    with pytest.raises(ReplayError, match="it has been altered since"):
        replay_file(original(path), str(tmp_path / f"again.{kind}"))


def test_grids_come_back_byte_by_byte(tmp_path):
    """A comparison carries all of its scenarios and its headings."""
    headings = Headings("T", labels=("a", "", "c = [1, 2]"))
    comparison = Comparison([small(), small(seed=2), small(seed=9)], headings, columns=2, measure="rotation")
    compare(comparison, tmp_path / "grid.gif")
    compare_still(comparison, tmp_path / "grid.png", at=1)

    replay_file(original(tmp_path / "grid.gif"), str(tmp_path / "again.gif"))
    replay_file(original(tmp_path / "grid.png"), str(tmp_path / "again.png"))

    for ending in ("gif", "png"):
        assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"grid.{ending}").read_bytes()


@pytest.mark.parametrize(
    ("version", "why"),
    [(None, "it has been altered since"), ("0.0.1", r"made by boidsgen 0\.0\.1, .*, while this is boidsgen")],
)
def test_a_difference_is_told(version, why, tmp_path, monkeypatch):
    """When frames differ, the replay says from which one on, names versions that differ too, and stays."""
    with monkeypatch.context() as patch:
        patch.setattr("boidsgen.scenario.scenario.__version__", version or boidsgen.__version__)
        render(small(), tmp_path / "flock.gif")
    content = (tmp_path / "flock.gif").read_bytes()
    (tmp_path / "flock.gif").write_bytes(content.replace(b"seed = 3", b"seed = 4"))

    with pytest.raises(ReplayError, match=rf"differs from .* from frame 0 on: {why}"):
        replay_file(original(tmp_path / "flock.gif"), str(tmp_path / "again.gif"))
    assert (tmp_path / "again.gif").exists()


@pytest.mark.parametrize(
    "text",
    [
        "scenarios = [3]\n",
        "columns = 1\nscenarios = [\n",
        'columns = 0\nscenarios = [""]\n',
        "columns = 1\nscenarios = [" + "[" * 5000 + "]" * 5000 + "]\n",
    ],
)
def test_damaged_grids_are_told(text, tmp_path):
    """Whatever stands where a grid should, there is one clear line; a scenario or a folder is no output of a run."""
    picture = Image.new("P", (8, 8))
    picture.save(tmp_path / "grid.gif", comment=text.encode())

    with pytest.raises(ScenarioError, match=r"grid\.gif.*: is damaged: its embedded scenario cannot be read|not TOML"):
        original(tmp_path / "grid.gif")
    (tmp_path / "my.toml").write_text("")
    with pytest.raises(UsageError, match="boidsgen render"):
        original(tmp_path / "my.toml")
    with pytest.raises(IsADirectoryError):
        original(tmp_path)
