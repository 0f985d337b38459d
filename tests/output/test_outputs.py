"""Outputs: their names and formats, places that cannot be written, and what becomes of them meanwhile."""

import os
import socket
import subprocess
import sys
from itertools import cycle

import numpy as np
import pytest

from boidsgen.errors import OutputExistsError, StorageError, UsageError
from boidsgen.output.formats import WRITERS, Target, default_target, target
from boidsgen.output.outputs import open_outputs
from boidsgen.output.pictures import Clip
from tests.systems import native, posix


@pytest.mark.parametrize(
    ("name", "explicit", "wanted"),
    [
        ("a.gif", None, Target("a.gif", "gif")),
        ("a.MP4", None, Target("a.MP4", "mp4")),
        ("-x.gif", "gif", Target("-x.gif", "gif")),
        pytest.param("a:b.mp4", None, Target("a:b.mp4", "mp4"), marks=posix),
        ("a.bin", "mp4", Target("a.bin", "mp4")),
        ("-", None, Target("-", "gif")),
        ("-", "mp4", Target("-", "mp4")),
        ("./-", "gif", Target("./-", "gif")),
        ("/dev/null", None, Target("/dev/null", "gif")),
        ("out/", None, Target(native("out/flock.gif"), "gif")),
        ("out/", "mp4", Target(native("out/flock.mp4"), "mp4")),
        ("out/", "png", Target("out/", "png")),
        ("frames", "png", Target("frames", "png")),
    ],
)
def test_a_name_tells_path_and_format(name, explicit, wanted):
    """Extension, --format and the scenario's format decide, in this order, and the path stays as written."""
    assert target(name, stem="flock", explicit=explicit) == wanted


def test_an_existing_directory_gets_a_file_inside(tmp_path):
    """A directory needs no slash behind it."""
    assert target(str(tmp_path), stem="flock", default="mp4") == Target(str(tmp_path / "flock.mp4"), "mp4")


@pytest.mark.parametrize(("kind", "path"), [("gif", "outputs/s.gif"), ("mp4", "outputs/s.mp4"), ("png", "outputs/s")])
def test_outputs_is_where_nameless_files_go(kind, path):
    """Without a name the file is called after the scenario."""
    assert default_target("s", kind) == Target(native(path), kind)


def test_the_digest_sees_every_difference(frames, write, tmp_path):
    """Another size, palette, order, frame or last pixel is another digest, and so is a frame that stays longer."""
    pictures = frames(3, (9, 6))
    turned = [type(picture)(picture.index.reshape(9, 6), picture.palette) for picture in pictures]
    recolored = [type(picture)(picture.index, picture.palette[::-1]) for picture in pictures]
    corner = type(pictures[2])(pictures[2].index.copy(), pictures[2].palette)
    corner.index[-1, -1] ^= 1
    longer = [pictures[0], *pictures]
    wide = [type(picture)(picture.index.astype(np.uint16), picture.palette) for picture in pictures]
    high = [type(picture)(picture.index + 256, np.tile(picture.palette, (17, 1))) for picture in wide]
    clips = [pictures, turned, recolored, pictures[::-1], pictures[:2], [*pictures[:2], corner], longer, high]

    digests = {write([(tmp_path / "a.gif", "gif")], clip).digest for clip in clips}

    assert len(digests) == len(clips)


@pytest.mark.parametrize("wrong", ["shape", "palette", "2 frames were written of 3"])
def test_frames_that_are_no_clip_are_a_bug(wrong, frames, tmp_path):
    """All frames of a clip have one size and one palette, and are as many as announced; else nothing is published."""
    first, smaller = frames(1, (8, 8))[0], frames(1, (6, 8))[0]
    other = {"shape": smaller, "palette": type(first)(first.index, first.palette[::-1].copy())}.get(wrong, first)
    target = [Target(str(tmp_path / "a.gif"), "gif")]

    with (  # noqa: PT012  the second frame is the wrong one
        pytest.raises(ValueError, match=wrong),
        open_outputs(target, Clip((8, 8), 25, 3)) as outputs,
    ):
        outputs.write(first)
        outputs.write(other)

    assert list(tmp_path.iterdir()) == []


pytestmark = pytest.mark.faults
FILES = [name for name, writer in WRITERS.items() if writer.makes != "folder"]


class Meanwhile(list):
    """Frames; something happens before the first of them is written."""

    def __iter__(self):
        self.happens()
        return super().__iter__()


def names_in(folder):
    """Names in a folder, in order."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", ["gif", "png"])
def test_no_clobber_keeps_what_appears_meanwhile(kind, frames, write, path_of):
    """An output of somebody else that appears during the render stays; a new name is written."""
    path, pictures = path_of(kind), Meanwhile(frames(2, (8, 8)))
    write([(path_of(kind, "new"), kind)], [*frames(2, (8, 8))], no_clobber=True)
    theirs = path / "theirs" if kind == "png" else path
    pictures.happens = lambda: (theirs.parent.mkdir(exist_ok=True), theirs.write_bytes(b"theirs"))
    with pytest.raises(OutputExistsError, match="already exists"):
        write([(path, kind)], pictures, no_clobber=True)

    assert theirs.read_bytes() == b"theirs"
    assert WRITERS[kind].count(path_of(kind, "new")) == 2


@pytest.mark.parametrize("name", ["frame_0009.png", "notes.txt"])
def test_a_folder_that_gets_foreign_files_meanwhile_is_refused(name, frames, write, tmp_path):
    """A folder is replaced only if boidsgen wrote every file in it; one that is refused stays as it is."""
    folder, pictures = tmp_path / "frames", Meanwhile(frames(2, (8, 8)))
    write([(folder, "png")], [*frames(2, (8, 8))])
    pictures.happens = lambda: (folder / name).write_bytes(b"theirs")
    with pytest.raises(StorageError, match=rf"contains other files than frames \({name}\)"):
        write([(folder, "png")], pictures)

    assert names_in(folder) == sorted(["frame_0001.png", "frame_0002.png", name])


@pytest.mark.parametrize(("kind", "name"), [*zip(FILES, cycle(["-", "/dev/stdout", "/dev/fd/1"]), strict=False)])
def test_standard_output_gets_the_file(kind, name, frames, write, tmp_path, capfdbinary):
    """Standard output gets the whole file and nothing else."""
    write([(name, kind)], frames(3, (8, 8)))
    (tmp_path / "copy").write_bytes(capfdbinary.readouterr().out)

    assert WRITERS[kind].count(tmp_path / "copy") == 3


def test_redirected_standard_output_is_appended_to(tmp_path):
    """`>> file` appends: the file behind standard output is neither opened again nor replaced."""
    script = "from boidsgen.output.publish import open_file\nwith open_file('/dev/stdout') as file: file.write(b'new')"
    (tmp_path / "file").write_bytes(b"before ")
    with (tmp_path / "file").open("ab") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, check=True)

    assert (tmp_path / "file").read_bytes() == b"before new"


def test_a_terminal_gets_no_pictures(frames, write, monkeypatch):
    """Bytes are not written to a terminal."""
    monkeypatch.setattr(os, "isatty", lambda _: True)

    with pytest.raises(UsageError, match="standard output: is a terminal"):
        write([("-", "gif")], frames(2, (8, 8)))


@posix
def test_a_socket_is_refused(frames, write, tmp_path, monkeypatch):
    """Anything but a file, a pipe or a device is refused, not replaced."""
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        with pytest.raises(StorageError, match="is neither a file nor a pipe"):
            write([("socket", "gif")], frames(2, (8, 8)))
