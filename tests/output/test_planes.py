import numpy as np
import pytest

from boidsgen.drawing.frame import Frame
from boidsgen.output import outputs
from boidsgen.output.outputs import Digest
from boidsgen.output.planes import Planes
from boidsgen.simulation import ENGINES

SIZES = [(2, 2), (16, 10), (34, 26)]


def taken_apart(planes, size):
    width, height = size
    pixels = width * height
    brightness, blue, red = np.split(np.frombuffer(planes, np.uint8), [pixels, pixels * 5 // 4])
    return brightness.reshape(height, width), *(color.reshape(height // 2, width // 2) for color in (blue, red))


def bt709(red, green, blue):
    """Recommendation ITU-R BT.709, limited range, one color: brightness, blue and red difference."""
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return (
        16 + 219 * light / 255,
        128 + 224 * (blue - light) / 1.8556 / 255,
        128 + 224 * (red - light) / 1.5748 / 255,
    )


@pytest.mark.parametrize("size", SIZES)
def test_planes_are_those_of_the_recommendation(frames, size):
    """Every pixel has the brightness of BT.709, and every two by two pixels the mean of their colors."""
    planes = Planes(size)
    for frame in frames(4, size, colors=255):
        brightness, blue, red = taken_apart(planes.of(frame), size)
        for row in range(0, size[1], 2):
            for column in range(0, size[0], 2):
                four = [(row + down, column + right) for down in (0, 1) for right in (0, 1)]
                exact = [bt709(*frame.palette[frame.index[place]].astype(float)) for place in four]
                for place, (light, _, _) in zip(four, exact, strict=True):
                    assert abs(brightness[place] - light) <= 0.5
                assert abs(blue[row // 2, column // 2] - sum(each[1] for each in exact) / 4) <= 0.55
                assert abs(red[row // 2, column // 2] - sum(each[2] for each in exact) / 4) <= 0.55


@pytest.mark.parametrize("size", SIZES)
def test_entries_of_two_bytes_give_the_same_planes(frames, size):
    """More than 255 colors are stored in two bytes, and make no difference."""
    narrow, wide = Planes(size), Planes(size)
    for frame in frames(4, size, colors=255):
        many = Frame(frame.index.astype(np.uint16), frame.palette)

        assert wide.of(many) == narrow.of(frame)


def test_what_came_before_does_not_show(frames):
    """A frame gives the same planes as the first of a clip and as its last."""
    pictures = frames(6, (34, 26))
    grown = Planes((34, 26))

    for picture in [*pictures, pictures[0], Frame(np.zeros_like(pictures[0].index), pictures[0].palette)]:
        assert grown.of(picture) == Planes((34, 26)).of(picture)


def test_what_is_drawn_later_does_not_matter(frames):
    """A picture may be drawn over once its planes are made."""
    first, second = frames(2, (16, 10))
    planes = Planes((16, 10))
    planes.of(first)
    first.index[:] = second.index

    assert planes.of(second) == Planes((16, 10)).of(second)


@pytest.mark.parametrize("size", SIZES[1:])
def test_ffmpeg_agrees(frames, ffmpeg, size, tmp_path):
    """ffmpeg, asked to average, comes to the same planes but for its rounding."""
    frame = frames(1, size, colors=255)[0]
    (tmp_path / "picture.raw").write_bytes(frame.palette[frame.index].tobytes())
    raw = ("-f", "rawvideo", "-video_size", f"{size[0]}x{size[1]}")
    scale = "scale=out_color_matrix=bt709:out_range=tv:flags=area+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact"

    theirs = ffmpeg(
        *raw, "-pix_fmt", "rgb24", "-i", tmp_path / "picture.raw", "-vf", scale, *raw[:2], "-pix_fmt", "yuv420p", "-"
    )

    ours = np.frombuffer(Planes(size).of(frame), np.uint8).astype(int)
    assert abs(ours - np.frombuffer(theirs, np.uint8)).max() <= 2


@pytest.mark.skipif(len(ENGINES) < 2, reason="numba is not installed")
@pytest.mark.parametrize("size", [*SIZES, (14, 6)])
def test_compiled_code_gives_the_same_planes_and_the_same_digest(monkeypatch, frames, size):
    """Frame by frame, to the last bit, also where the last word of a picture is filled up."""
    from boidsgen.drawing import compiled, compiled_frames, quickness

    compiled.compile_all()
    seen = []
    for code in (None, compiled_frames):
        for asked in (outputs, quickness):
            monkeypatch.setattr(asked, "compiled_frames", lambda code=code: code)
        made, palette = Planes(size), np.random.default_rng(2).integers(0, 256, (700, 3)).astype(np.uint8)
        digest = Digest(size, palette)
        for number, frame in enumerate(frames(5, size, colors=255)):
            wide = Frame(frame.index + np.uint16(number % 3 * 200), palette)
            digest.add(wide)
            seen.append((made.of(wide), str(digest)))

    assert seen[:5] == seen[5:]
    assert len(set(seen)) == 5
