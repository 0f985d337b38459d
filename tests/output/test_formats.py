"""Guarantees of every format of clips; a new one is tested by being registered."""

import hashlib
from contextlib import suppress
from io import BytesIO

import imageio.v3
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from boidsgen.drawing.frame import Frame
from boidsgen.errors import ScenarioError
from boidsgen.output.formats import WRITERS, Output, origin, refusals
from boidsgen.output.pictures import Clip

LOSSY = {name for name, writer in WRITERS.items() if not writer.exact}
CLIPS = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def first_file(path):
    return min(path.iterdir()) if path.is_dir() else path


@CLIPS
@given(
    size=st.sampled_from([(1, 1), (2, 2), (3, 5), (500, 1), (101, 30), (64, 48)]),
    number=st.integers(1, 5),
    colors=st.sampled_from([1, 2, 16, 255]),
    fps=st.sampled_from([0.5, 10, 24, 29.97, 50]),
    quality=st.sampled_from(["draft", "standard", "high"]),
    still=st.booleans(),
)
def test_keeps_frames_size_and_duration(
    kind, frames, write, decode, path_of, size, number, colors, fps, quality, still
):
    """As many frames come back as went in, exactly where the format is exact; or the size is refused beforehand."""
    pictures = frames(number, size, colors)
    pictures = pictures[:1] * number if still else pictures
    path = path_of(kind, f"{size}")
    if refusals(kind, size, fps):
        with pytest.raises(ScenarioError, match=r"^output\.size: "):
            write([(path, kind)], pictures)
        assert not path.exists()
        return

    write([(path, kind)], pictures, fps, quality=quality)

    decoded, wanted = decode(path, size), np.stack([one.palette[one.index] for one in pictures])
    assert decoded.shape == wanted.shape
    assert kind in LOSSY or quality == "draft" or np.array_equal(decoded, wanted)
    assert abs(np.array([*WRITERS[kind].pictures(path)]).astype(int) - decoded).max() <= (3 if kind in LOSSY else 0)
    assert WRITERS[kind].count(path) == number


@pytest.mark.parametrize(("colors", "entry"), [(255, np.uint8), (700, np.uint16)])
def test_keeps_colors_of_even_areas(kind, colors, entry, write, decode, path_of):
    """In areas that halved color resolution does not blur, colors are near in lossy formats too, also many colors."""
    random = np.random.default_rng(3)
    palette = random.integers(0, 256, (colors, 3)).astype(np.uint8)
    cells = [random.integers(0, colors, (12, 20)) for _ in range(4)]
    pictures = [Frame(np.kron(cell, np.ones((16, 16))).astype(entry), palette) for cell in cells]

    write([(path_of(kind), kind)], pictures, quality="high")

    wanted = np.stack([picture.palette[picture.index] for picture in pictures])
    error = np.abs(decode(path_of(kind), (320, 192)).astype(int) - wanted)[:, 8::16, 8::16]
    if kind == "gif" and colors > 255:
        assert error.mean() < 60
    else:
        assert error.max() <= (12 if kind in LOSSY else 0)


def test_writes_equal_bytes_for_equal_frames(kind, frames, write, path_of):
    """The same frames give the same bytes, even if each is drawn over as soon as it is written."""
    pictures = frames(8, (64, 48))
    canvas = pictures[0].index.copy()

    class Reused(list):
        def __iter__(self):
            for picture in pictures:
                np.copyto(canvas, picture.index)
                yield Frame(canvas, picture.palette)

    contents = []
    for stem, clip in (("fresh", pictures), ("reused", Reused(pictures))):
        path = path_of(kind, stem)
        write([(path, kind)], clip, provenance="seed = 7")
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        contents.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])

    assert contents[0] == contents[1]


TEXTS = [
    "x",
    'title = "Ü; #1 = \\x ©cmt"\n\n[a]\n# b\n',
    "a\r\nb",
    *(("ü = [1]\n" * 60_000)[:length] for length in (254, 255, 256, 360_000)),
]


@pytest.mark.parametrize("text", TEXTS, ids=len)
def test_a_text_of_any_length_comes_back(kind, text, frames, write, path_of):
    """To the letter, whatever is in it, and however a format divides it."""
    write([(path_of(kind), kind)], frames(2, (64, 48)), provenance=text)
    content = first_file(path_of(kind)).read_bytes()

    assert origin(BytesIO(content), "").removeprefix("# frame 0\n") == text
    if kind == "gif":
        with Image.open(path_of(kind)) as image:
            assert image.info["comment"].decode() == text


@pytest.mark.parametrize("kind", sorted(LOSSY))
def test_a_damaged_film_is_not_complete(kind, frames, write, path_of):
    """Wherever a film is cut off, or its pictures are gone, fewer frames are counted, or the damage is an error."""
    path = path_of(kind)
    write([(path, kind)], frames(5, (64, 48), 255))
    content = path.read_bytes()
    begin = content.index(b"\x1f\x43\xb6\x75" if kind == "webm" else b"mdat") + 12
    cut = [content[:length] for length in (0, 3, len(content) // 3, len(content) * 2 // 3, len(content) - 1)]
    for data in (*cut, content[:begin] + bytes(40) + content[begin + 40 :]):
        path.write_bytes(data)
        with suppress(ValueError, OSError):
            assert WRITERS[kind].count(path) < 5


def test_every_frame_is_a_pillow_image_in_an_imageio_writer(kind, frames, write, path_of, monkeypatch):
    """Frames go as Pillow images into a plugin that imageio opened, on a file that has not got its name yet."""
    opened, written = [], []
    imopen, append = imageio.v3.imopen, WRITERS[kind].write

    def spy(uri, mode, **options):
        opened.append((mode, options["plugin"], path_of(kind).exists()))
        return imopen(uri, mode, **options)

    monkeypatch.setattr(imageio.v3, "imopen", spy)
    monkeypatch.setattr(WRITERS[kind], "write", lambda self, image: [written.append(image), append(self, image)][1])
    write([(path_of(kind), kind)], frames(2, (8, 8)))

    assert opened == [("w", WRITERS[kind], False)]
    assert all(isinstance(image, Image.Image) for image in written)
    mode = {"mp4": ("L", (8, 12)), "webm": ("L", (8, 12)), "mov": ("RGB", (8, 8))}.get(kind, ("P", (8, 8)))
    assert [(image.mode, image.size) for image in written] == [mode] * 2


@pytest.mark.parametrize("fps", [0.01, 10, 12, 15, 24, 25, 29.97, 30, 33, 50])
@pytest.mark.parametrize("size", ["square", "vertical"])
def test_usual_rates_and_named_sizes_suit_every_format(size, fps):
    """No format refuses them."""
    output = Output(size=size, fps=fps)

    assert [refusals(kind, output.size, output.fps) for kind in WRITERS] == [[] for _ in WRITERS]
    assert Output.model_validate(output.model_dump()) == output


@pytest.mark.parametrize("fps", [0.01, 0.5, 7, 25, 29.97, 33.333, 59.94, 119.88, 999.5])
def test_the_exact_rate_is_near(fps):
    """The fraction that stands for a rate is off by less than a frame per hour."""
    assert abs(float(Clip((2, 2), fps).rate) / fps - 1) < 5e-6
