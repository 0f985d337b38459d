import io

import numpy as np
import pytest
from PIL import Image

from boidsgen.drawing.frame import Frame
from boidsgen.errors import OutputExistsError, StorageError, UsageError
from boidsgen.output.outputs import write_still


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


def test_digits_suffice_for_the_last_frame(frames, write, tmp_path):
    """Names sort like frames, also beyond 9999."""
    write([(tmp_path / "frames", "png")], frames(1, (1, 1)) * 10_000)

    names = sorted(path.name for path in (tmp_path / "frames").iterdir())
    assert (names[0], names[-1]) == ("frame_00001.png", "frame_10000.png")


def test_other_peoples_files_are_safe(frames, write, tmp_path):
    """A folder with anything else in it is left alone."""
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "notes.txt").write_text("mine")

    with pytest.raises(StorageError, match=r"holds other things than frames \(notes\.txt\)"):
        write([(tmp_path / "frames", "png")], frames(2, (8, 8)))

    assert [path.name for path in (tmp_path / "frames").iterdir()] == ["notes.txt"]


def test_files_that_appear_meanwhile_are_safe(frames, write, tmp_path):
    """A folder that fills with something else during the render is left alone."""
    pictures = frames(2, (8, 8))

    class Meanwhile(list):
        def __iter__(self):
            (tmp_path / "frames").mkdir()
            (tmp_path / "frames" / "notes.txt").write_text("mine")
            return super().__iter__()

    with pytest.raises(StorageError, match="holds other things"):
        write([(tmp_path / "frames", "png")], Meanwhile(pictures))

    assert [path.name for path in (tmp_path / "frames").iterdir()] == ["notes.txt"]


def test_an_empty_folder_is_filled(frames, write, tmp_path):
    """A folder that somebody made for the frames is used, also under no_clobber."""
    (tmp_path / "frames").mkdir()

    write([(tmp_path / "frames", "png")], frames(2, (8, 8)), no_clobber=True)

    assert len(list((tmp_path / "frames").iterdir())) == 2


def test_former_frames_are_kept_on_demand(frames, write, tmp_path):
    """Under no_clobber a folder with frames is not replaced."""
    write([(tmp_path / "frames", "png")], frames(3, (8, 8)))

    with pytest.raises(OutputExistsError):
        write([(tmp_path / "frames", "png")], frames(2, (8, 8)), no_clobber=True)

    assert len(list((tmp_path / "frames").iterdir())) == 3


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_frames_cannot_be_streamed(name, frames, write):
    """Many files do not go into one pipe."""
    with pytest.raises(UsageError, match="cannot be streamed"):
        write([(name, "png")], frames(2, (8, 8)))


def test_frames_do_not_replace_a_file(frames, write, tmp_path):
    """A file in the place of the folder is told, not deleted."""
    (tmp_path / "frames").write_text("mine")

    with pytest.raises(StorageError, match="is not a directory"):
        write([(tmp_path / "frames", "png")], frames(2, (8, 8)))

    assert (tmp_path / "frames").read_text() == "mine"


def test_a_still_is_the_frame(frames, tmp_path):
    """One picture comes back pixel by pixel, with its provenance."""
    (picture,) = frames(1, (31, 17))

    notices = write_still(str(tmp_path / "still.png"), picture, provenance="seed = 7")

    assert notices == ()
    with Image.open(tmp_path / "still.png") as image:
        assert image.text == {"Comment": "seed = 7"}
        assert np.array_equal(np.asarray(image.convert("RGB")), picture.palette[picture.index])


def test_a_still_is_written_whole_or_not_at_all(frames, tmp_path):
    """When encoding fails the old picture stays."""
    (tmp_path / "still.png").write_bytes(b"old")
    broken = Frame(np.zeros((0, 0), np.uint8), frames(1, (1, 1))[0].palette)

    with pytest.raises((ValueError, SystemError)):
        write_still(str(tmp_path / "still.png"), broken)

    assert (tmp_path / "still.png").read_bytes() == b"old"


def test_a_still_respects_no_clobber(frames, tmp_path):
    """An existing picture stays on demand."""
    (tmp_path / "still.png").write_bytes(b"old")

    with pytest.raises(OutputExistsError):
        write_still(str(tmp_path / "still.png"), frames(1, (8, 8))[0], no_clobber=True)

    assert (tmp_path / "still.png").read_bytes() == b"old"


def test_a_still_streams(frames, capfdbinary):
    """Standard output gets the picture and nothing else."""
    write_still("-", frames(1, (8, 8))[0])

    with Image.open(io.BytesIO(capfdbinary.readouterr().out)) as image:
        assert image.size == (8, 8)
