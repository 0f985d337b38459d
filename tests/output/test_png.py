"""Folders of PNG frames, and single pictures."""

import io

import numpy as np
import pytest
from PIL import Image

from boidsgen.drawing.frame import Frame
from boidsgen.errors import OutputExistsError, StorageError, UsageError
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


def test_digits_suffice_for_the_last_frame(frames, write, tmp_path):
    """Names sort like frames, also beyond 9999."""
    write([(tmp_path / "frames", "png")], frames(1, (1, 1)) * 10_000)

    names = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert (names[0], names[-1]) == ("frame_00001.png", "frame_10000.png")


@pytest.mark.parametrize("when", ["before", "meanwhile"])
@pytest.mark.parametrize("name", ["notes.txt", "frame_0001.png"])
def test_files_of_others_are_safe(when, name, frames, write, tmp_path):
    """A folder that holds anything but frames of ours, before the render or at its end, is left alone."""

    def fill():
        (tmp_path / "frames").mkdir()
        Image.new("P", (8, 8)).save(tmp_path / "frames" / name, "PNG")

    class Meanwhile(list):
        def __iter__(self):
            if when == "meanwhile":
                fill()
            return super().__iter__()

    if when == "before":
        fill()
    with pytest.raises(StorageError, match=rf"holds other things than frames \({name}\)"):
        write([(tmp_path / "frames", "png")], Meanwhile(frames(2, (8, 8))))

    assert [path.name for path in (tmp_path / "frames").iterdir()] == [name]


def test_an_empty_folder_is_filled_and_a_full_one_kept(frames, write, tmp_path):
    """Under no_clobber, frames go into an empty folder and never replace others."""
    (tmp_path / "frames").mkdir()
    write([(tmp_path / "frames", "png")], frames(3, (8, 8)), no_clobber=True)

    with pytest.raises(OutputExistsError):
        write([(tmp_path / "frames", "png")], frames(2, (8, 8)), no_clobber=True)

    assert len(list((tmp_path / "frames").iterdir())) == 3


def test_frames_need_a_folder(frames, write, tmp_path):
    """They go neither into a stream nor over a file."""
    (tmp_path / "frames").write_text("mine")

    for name in ("-", "/dev/stdout", "/dev/fd/1"):
        with pytest.raises(UsageError, match="cannot be streamed"):
            write([(name, "png")], frames(2, (8, 8)))
    with pytest.raises(StorageError, match="is not a directory"):
        write([(tmp_path / "frames", "png")], frames(2, (8, 8)))

    assert (tmp_path / "frames").read_text() == "mine"


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


def test_a_still_is_written_whole_or_not_at_all(frames, tmp_path):
    """If encoding fails the old picture stays, and under no_clobber."""
    (tmp_path / "still.png").write_bytes(b"old")
    (picture,) = frames(1, (8, 8))
    broken = Frame(np.zeros((0, 0), np.uint8), picture.palette)

    with pytest.raises((ValueError, SystemError)):
        write_still(str(tmp_path / "still.png"), broken)
    with pytest.raises(OutputExistsError):
        write_still(str(tmp_path / "still.png"), picture, no_clobber=True)

    assert (tmp_path / "still.png").read_bytes() == b"old"
