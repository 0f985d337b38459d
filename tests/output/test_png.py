"""Folders of PNG frames, and single pictures."""

import io

import numpy as np
from PIL import Image

from boidsgen.output.outputs import write_still
from boidsgen.output.png import Png


def test_frames_are_exact_and_numbered(frames, write, tmp_path):
    """Each frame is a palette picture with exactly the pixels drawn, numbered from 1."""
    pictures = frames(3, (31, 17), 255)

    write([(tmp_path / "frames", "png")], pictures, provenance="seed = 7 ü")

    names = ["frame_0001.png", "frame_0002.png", "frame_0003.png"]
    assert sorted(path.name for path in (tmp_path / "frames").iterdir()) == names
    for name, picture in zip(names, pictures, strict=True):
        with Image.open(tmp_path / "frames" / name) as image:
            assert image.mode == "P"
            assert image.text["Comment"] == "seed = 7 ü"
            assert np.array_equal(np.asarray(image.convert("RGB")), picture.palette[picture.index])
        assert Png.is_own(tmp_path / "frames" / name)
    assert not Png.is_own((tmp_path / "frames" / names[0]).rename(tmp_path / "frame_0007.png"))


def test_digits_suffice_for_the_last_frame(frames, write, tmp_path):
    """Names sort like frames, also beyond 9999."""
    write([(tmp_path / "frames", "png")], frames(1, (1, 1)) * 10_000)

    names = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert (names[0], names[-1]) == ("frame_00001.png", "frame_10000.png")


def test_a_picture_of_another_program_is_not_ours(tmp_path):
    """Whatever its name, a picture without our texts is not a frame of ours; nor is a frame under another number."""
    Image.new("P", (8, 8)).save(tmp_path / "frame_0001.png")
    (tmp_path / "frame_0002.png").write_bytes(b"no picture")

    assert not Png.is_own(tmp_path / "frame_0001.png")
    assert not Png.is_own(tmp_path / "frame_0002.png")


def test_a_still_is_the_frame(frames, tmp_path, capfdbinary):
    """One picture comes back pixel by pixel, with its provenance, from a file and from standard output."""
    (picture,) = frames(1, (31, 17))

    write_still(str(tmp_path / "still.png"), picture, provenance="seed = 7")
    write_still("-", picture)

    with Image.open(tmp_path / "still.png") as image:
        assert image.text == {"Comment": "seed = 7"}
        assert np.array_equal(np.asarray(image.convert("RGB")), picture.palette[picture.index])
    with Image.open(io.BytesIO(capfdbinary.readouterr().out)) as image:
        assert image.size == (31, 17)
