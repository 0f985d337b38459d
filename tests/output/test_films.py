"""MP4 and WebM: planes, rate, metadata and encoders that fail."""

import threading
from fractions import Fraction

import imageio_ffmpeg
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.drawing.frame import Frame
from boidsgen.errors import StorageError
from boidsgen.output.formats import WRITERS, origin
from boidsgen.output.video import Yuv420

FILMS = [name for name, writer in WRITERS.items() if writer.needs_ffmpeg]


def bt709(red, green, blue):
    """Recommendation ITU-R BT.709, limited range: brightness, blue and red difference."""
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    blue, red = (blue - light) / 1.8556, (red - light) / 1.5748
    return 16 + 219 * light / 255, 128 + 224 * blue / 255, 128 + 224 * red / 255


@given(
    size=st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda half: (2 * half[0], 2 * half[1])),
    wide=st.booleans(),
    seed=st.integers(0, 99),
)
def test_planes_are_those_of_the_recommendation(size, wide, seed):
    """In every frame, each pixel has the brightness of BT.709 and each block of four the mean of their colors."""
    random, planes, (width, height) = np.random.default_rng(seed), Yuv420(size), size
    colors = 700 if wide else 255
    palette = random.integers(0, 256, (colors, 3)).astype(np.uint8)
    index = random.integers(0, colors, size[::-1]).astype(np.uint16 if wide else np.uint8)
    for _ in range(3):
        found = planes.of(Frame(index, palette)).reshape(-1).astype(float)
        exact = bt709(*np.moveaxis(palette[index].astype(float), -1, 0))
        mean = [plane.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3)).reshape(-1) for plane in exact]
        brightness, blue, red = np.split(found, [width * height, width * height * 5 // 4])
        assert abs(brightness - exact[0].reshape(-1)).max() <= 0.5 + 1e-9
        assert abs(blue - mean[1]).max() < 0.6
        assert abs(red - mean[2]).max() < 0.6
        index[random.integers(0, height), random.integers(0, width)] = random.integers(0, colors)  # drawn over


@pytest.mark.parametrize(("fps", "rate"), [(10, "10"), (23.976, "24000/1001"), (29.97, "30000/1001"), (12.5, "25/2")])
def test_the_rate_is_an_exact_fraction(fps, rate, frames, write, ffmpeg, tmp_path):
    """Frames of an MP4 follow each other at the rate without a gap."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(7, (64, 48)), fps=fps)

    lines = ffmpeg("-i", tmp_path / "flock.mp4", "-f", "framecrc", "-").decode().splitlines()
    assert f"#tb 0: {Fraction(1) / Fraction(rate)}" in lines
    assert [int(line.split(",")[2]) for line in lines if not line.startswith("#")] == list(range(7))


def test_an_mp4_plays_everywhere(frames, write, tmp_path):
    """Pixels and colors are what every player understands, tagged so, with the index in front."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(3, (64, 48)))

    content = (tmp_path / "flock.mp4").read_bytes()
    assert imageio_ffmpeg.count_frames_and_secs(tmp_path / "flock.mp4") == (3, 0.12)
    assert b"colrnclx\0\1\0\1\0\1\0" in content
    assert content.index(b"moov") < content.index(b"mdat")


@pytest.mark.parametrize("kind", FILMS)
@pytest.mark.parametrize("text", ["x", 'title = "Ü; #1 = \\x ©cmt"\n\n[a]\n# b\n', "a\r\nb", "x = 1\n" * 60_000])
def test_a_text_of_any_length_comes_back(kind, text, frames, write, path_of):
    """To the letter, whatever is in it."""
    write([(path_of(kind), kind)], frames(2, (64, 48)), provenance=text)

    assert origin(path_of(kind), "") == text


@pytest.mark.parametrize("kind", FILMS)
def test_damaged_pictures_are_found(kind, frames, write, path_of):
    """A finished film whose pictures cannot be decoded is an error that gives ffmpeg's reason."""
    write([(path_of(kind), kind)], frames(1, (64, 48), 255))
    content = bytearray(path_of(kind).read_bytes())
    begin = content.index(b"mdat" if kind == "mp4" else b"\x1f\x43\xb6\x75") + 12
    content[begin : begin + 40] = bytes(40)
    path_of(kind).write_bytes(content)

    with pytest.raises(ValueError, match=r"."):
        assert WRITERS[kind].count(path_of(kind)) == 1


def test_without_threads_there_is_no_child(frames, write, tmp_path, monkeypatch):
    """If the system allows no thread, one line says so, and ffmpeg has ended."""

    def refused(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)

    with pytest.raises(StorageError, match="can't start new thread"):
        write([(tmp_path / "flock.mp4", "mp4")], frames(2, (64, 48)))
