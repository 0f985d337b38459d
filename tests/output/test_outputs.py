import numpy as np
import pytest

from boidsgen.errors import UsageError
from boidsgen.output.base import Clip
from boidsgen.output.formats import WRITERS
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
from tests.systems import WINDOWS, link


def test_one_render_writes_several_files(frames, write, tmp_path):
    """All outputs hold all frames, and the digest does not depend on which they are."""
    pictures = frames(4, (8, 8))
    everything = [(tmp_path / f"a.{name}", name) for name in WRITERS]

    together = write(everything, pictures)
    alone = write([(tmp_path / "b.gif", "gif")], pictures)

    assert [WRITERS[name].count(path) for path, name in everything] == [4] * len(everything)
    assert together.digest == alone.digest


def test_one_file_is_not_written_twice(frames, write, tmp_path):
    """Two names of one file are a mistake."""
    link(tmp_path / "link.gif", "a.gif")

    with pytest.raises(UsageError, match="named twice"):
        write([(tmp_path / "a.gif", "gif"), (tmp_path / "link.gif", "gif")], frames(2, (8, 8)))


@pytest.mark.skipif(not WINDOWS, reason="elsewhere they may be two files")
def test_names_that_differ_in_capitals_are_one_file(frames, write, tmp_path):
    """Neither is there yet, so only the system's rule tells."""
    with pytest.raises(UsageError, match="named twice"):
        write([(tmp_path / "a.gif", "gif"), (tmp_path / "A.GIF", "gif")], frames(2, (8, 8)))


def test_the_digest_sees_every_difference(frames, write, tmp_path):
    """Another size, palette, order, frame or last pixel is another digest, and so is a frame that stays longer."""
    pictures = frames(3, (9, 6))
    turned = [type(picture)(picture.index.reshape(9, 6), picture.palette) for picture in pictures]
    recolored = [type(picture)(picture.index, picture.palette[::-1]) for picture in pictures]
    corner = type(pictures[2])(pictures[2].index.copy(), pictures[2].palette)
    corner.index[-1, -1] ^= 1
    longer = [pictures[0], *pictures]
    clips = [pictures, turned, recolored, pictures[::-1], pictures[:2], [*pictures[:2], corner], longer]

    digests = {write([(tmp_path / "a.gif", "gif")], clip).digest for clip in clips}

    assert len(digests) == len(clips)


def test_many_colors_go_into_every_format(frames, write, tmp_path):
    """Frames with two bytes a pixel come back exactly from PNG, are counted in all, and differ in the digest."""
    kind = type(frames(1, (8, 8))[0])
    palette = np.random.default_rng(4).integers(0, 256, (4000, 3)).astype(np.uint8)
    index = np.arange(48 * 64, dtype=np.uint16).reshape(48, 64)
    pictures = [kind(np.roll(index, step, axis=1), palette) for step in range(3)]
    everything = [(tmp_path / f"a.{name}", name) for name in WRITERS]
    written = write(everything, pictures)
    corner = kind(pictures[2].index.copy(), palette)
    corner.index[-1, -1] += 256

    assert [WRITERS[name].count(path) for path, name in everything] == [3] * len(everything)
    shown = WRITERS["png"].pictures(tmp_path / "a.png")
    for picture, drawn in zip(shown, pictures, strict=True):
        np.testing.assert_array_equal(picture, palette[drawn.index])
    assert write([(tmp_path / "b.gif", "gif")], [*pictures[:2], corner]).digest != written.digest


def test_the_wrong_number_of_frames_is_a_bug(frames, tmp_path):
    """A clip that is shorter than announced is not published."""
    target = [Target(str(tmp_path / "a.gif"), "gif")]

    with (
        pytest.raises(ValueError, match="1 frames were written of 2"),
        open_outputs(target, Clip((8, 8), 25, 2)) as outputs,
    ):
        outputs.write(frames(1, (8, 8))[0])

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["shape", "palette"])
def test_a_frame_that_does_not_fit_is_a_bug(wrong, frames, tmp_path):
    """All frames of a clip have one size and one palette."""
    first = frames(1, (8, 8))[0]
    other = frames(1, (6, 8))[0] if wrong == "shape" else type(first)(first.index, first.palette[::-1].copy())
    target = [Target(str(tmp_path / "a.gif"), "gif")]

    with (  # noqa: PT012  the second frame is the wrong one
        pytest.raises(ValueError, match=wrong),
        open_outputs(target, Clip((8, 8), 25)) as outputs,
    ):
        outputs.write(first)
        outputs.write(other)
