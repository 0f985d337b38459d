"""The planes that encoders of films take."""

import numpy as np
import pytest

from boidsgen.drawing.frame import Frame
from boidsgen.output.yuv420 import Yuv420

SIZES = [(2, 2), (16, 10), (34, 26)]


def bt709(red, green, blue):
    """Recommendation ITU-R BT.709, limited range, one color: brightness, blue and red difference."""
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return (
        16 + 219 * light / 255,
        128 + 224 * (blue - light) / 1.8556 / 255,
        128 + 224 * (red - light) / 1.5748 / 255,
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_planes_are_those_of_the_recommendation(frames, size, kind):
    """Every pixel has the brightness of BT.709 and every block of four the mean of their colors, in every frame."""
    planes, (width, height) = Yuv420(size), size
    for frame in frames(4, size, colors=255):
        found = planes.of(Frame(frame.index.astype(kind), frame.palette)).reshape(-1).astype(float)
        brightness, blue, red = np.split(found, [width * height, width * height * 5 // 4])
        exact = bt709(*np.moveaxis(frame.palette[frame.index].astype(float), -1, 0))
        mean = [plane.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3)).reshape(-1) for plane in exact]
        assert abs(brightness - exact[0].reshape(-1)).max() <= 0.5 + 1e-9
        assert abs(blue - mean[1]).max() < 0.6
        assert abs(red - mean[2]).max() < 0.6


def test_only_the_frame_matters(frames):
    """Neither the frames before nor what is drawn into the array later changes the planes of a frame."""
    first, second = frames(2, (16, 10))
    planes = Yuv420((16, 10))
    planes.of(first)
    first.index[:] = second.index

    assert np.array_equal(planes.of(second), Yuv420((16, 10)).of(second))


@pytest.mark.parametrize("size", SIZES[1:])
def test_ffmpeg_agrees(frames, ffmpeg, size, tmp_path):
    """Ffmpeg's own conversion, asked to average, differs by its rounding alone."""
    frame = frames(1, size, colors=255)[0]
    (tmp_path / "picture.raw").write_bytes(frame.palette[frame.index].tobytes())
    raw = ("-f", "rawvideo", "-video_size", f"{size[0]}x{size[1]}")
    scale = "scale=out_color_matrix=bt709:out_range=tv:flags=area+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact"

    theirs = ffmpeg(
        *raw, "-pix_fmt", "rgb24", "-i", tmp_path / "picture.raw", "-vf", scale, *raw[:2], "-pix_fmt", "yuv420p", "-"
    )

    assert abs(Yuv420(size).of(frame).reshape(-1).astype(int) - np.frombuffer(theirs, np.uint8)).max() <= 2
