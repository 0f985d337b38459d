"""Pictures without ground: every format keeps what is transparent, or refuses in one line."""

import numpy as np
import pytest
from PIL import Image, ImageSequence

from boidsgen import load_scenario, render
from boidsgen.errors import ScenarioError, UsageError
from boidsgen.output.formats import WRITERS
from boidsgen.output.targets import Target
from boidsgen.pipeline import still
from boidsgen.studies.compare import strip

WITHOUT_GROUND = {"style.transparent": True, "time.frames": 4, "world.size": [64, 48], "flock.count": 12}
CLEAR = [name for name, writer in WRITERS.items() if writer.transparent]


def read(path, ffmpeg):
    """Red, green, blue and opacity of every picture, (frames, height, width, 4)."""
    if path.suffix == ".webm":  # ffmpeg's own decoder leaves the plane of transparency out
        raw = ffmpeg("-c:v", "libvpx-vp9", "-i", path, "-pix_fmt", "rgba", "-f", "rawvideo", "-")
        return np.frombuffer(raw, np.uint8).reshape(-1, 48, 64, 4)
    pictures = sorted(path.iterdir()) if path.is_dir() else [path]
    return np.array([frame for picture in pictures for frame in _frames(picture)])


def _frames(path):
    with Image.open(path) as image:
        return [np.asarray(frame.convert("RGBA")) for frame in ImageSequence.Iterator(image)]


@pytest.mark.parametrize("kind", CLEAR)
def test_what_is_empty_is_transparent(kind, tmp_path, ffmpeg):
    """Most of each picture can be seen through, every boid cannot, and nothing stays of the picture before."""
    path = tmp_path / ("frames" if kind == "png" else f"a.{kind}")
    render(load_scenario("quickstart", WITHOUT_GROUND), Target(str(path), kind))
    still(load_scenario("quickstart", WITHOUT_GROUND), tmp_path / "last.png")

    opacity = read(path, ffmpeg)[..., 3].astype(int)
    wanted = read(tmp_path / "last.png", ffmpeg)[0, ..., 3].astype(int)

    assert len(opacity) == 4
    assert (opacity == 0).mean() > 0.5
    assert (opacity > 200).any(axis=(1, 2)).all()
    if kind == "gif":
        np.testing.assert_array_equal(opacity[-1] > 0, wanted > 0)
    else:
        assert abs(opacity[-1] - wanted).mean() < (4 if kind == "webm" else 1e-9)


def test_inks_are_not_mixed_with_the_ground(tmp_path, ffmpeg):
    """What is partly transparent has its own color, so that no rim is seen on another ground."""
    scenario = load_scenario("quickstart", WITHOUT_GROUND)
    still(scenario, tmp_path / "a.png")

    picture = read(tmp_path / "a.png", ffmpeg)[0].reshape(-1, 4)
    partly = picture[(picture[:, 3] > 0) & (picture[:, 3] < 255)]
    whole = {tuple(color) for color in picture[picture[:, 3] == 255][:, :3].tolist()}

    assert len(partly) > 0
    assert {tuple(color) for color in partly[:, :3].tolist()} <= whole


@pytest.mark.parametrize("name", ["a.svg", "a.pdf"])
def test_figures_lack_their_ground(name, tmp_path):
    """A figure is smaller by the rectangle that would be its ground, and by nothing else that is drawn."""
    given = WITHOUT_GROUND | {"title": ""}
    still(load_scenario("quickstart", given), tmp_path / name)
    still(load_scenario("quickstart", given | {"style.transparent": False}), tmp_path / f"ground-{name}")

    content = [(tmp_path / file).read_bytes() for file in (name, f"ground-{name}")]

    if name == "a.svg":
        assert [b"<rect" in figure for figure in content] == [False, True]
        assert content[0].rpartition(b"</mask>")[2].count(b"<path") == content[1].count(b"<path")
    assert content[0] != content[1]


@pytest.mark.parametrize("kind", sorted(set(WRITERS) - set(CLEAR)))
def test_other_formats_refuse(kind, tmp_path):
    """A format that always has a ground says so, and what would be right, before anything is written."""
    with pytest.raises(ScenarioError, match=rf"^style.transparent: an {kind} always has a ground; use gif, webp"):
        render(load_scenario("quickstart", WITHOUT_GROUND), tmp_path / f"a.{kind}")

    assert list(tmp_path.iterdir()) == []


def test_light_needs_a_ground():
    """A lit theme is refused with the themes that would do."""
    with pytest.raises(ScenarioError, match="theme deep is light on a ground; take one of chalk"):
        load_scenario("trefoil", {"style.transparent": True})


def test_pages_have_a_ground(tmp_path):
    """A film strip, which is a page, refuses in one line."""
    with pytest.raises(UsageError, match="a film strip has a ground"):
        strip(load_scenario("quickstart", WITHOUT_GROUND), tmp_path / "a.png", at=[0, 2])
