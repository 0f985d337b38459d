import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from boidsgen import system
from boidsgen.errors import OutputExistsError, StorageError, UsageError
from boidsgen.output import parts
from boidsgen.output import places as publication
from boidsgen.output.base import Clip
from boidsgen.output.formats import WRITERS
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
from tests.systems import IS_ROOT, WINDOWS, link, posix

FILES = [name for name, writer in WRITERS.items() if writer.makes != "folder"]
NAMES = ["-x", "a:b", "out%03d", "two words", "new\nline", "vögel-鳥", "http:x", "pipe:1", "x" * 240]
NAMES = [name for name in NAMES if system.name_refusal(name) is None]


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("upper", [False, True])
def test_exactly_the_named_file_appears(kind, name, upper, frames, write, tmp_path, monkeypatch):
    """No name is taken for an option, a protocol or a pattern."""
    monkeypatch.chdir(tmp_path)
    if reason := system.name_refusal(name):
        pytest.skip(reason)
    extension = WRITERS[kind].extensions[0]
    name += extension.upper() if upper else extension

    write([(name, kind)], frames(2, (8, 8)))

    assert os.listdir(tmp_path) == [name]  # noqa: PTH208  names as the system has them


@pytest.mark.parametrize("kind", FILES)
def test_a_link_stays_and_its_target_is_replaced(kind, frames, write, tmp_path):
    """Writing through a symbolic link writes the file it points to."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"old")
    link(tmp_path / "link", Path("real") / "file")

    write([(tmp_path / "link", kind)], frames(2, (8, 8)))

    assert (tmp_path / "link").is_symlink()
    assert WRITERS[kind].count(tmp_path / "real" / "file") == 2


@posix
def test_the_umask_decides_the_mode(frames, write, tmp_path):
    """A new file has the permissions any new file of this user has."""
    before = os.umask(0o027)
    try:
        write([(tmp_path / "a.gif", "gif"), (tmp_path / "frames", "png")], frames(2, (8, 8)))
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "a.gif").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "frames").stat().st_mode) == 0o750


@pytest.mark.parametrize("kind", FILES)
def test_a_directory_is_not_a_file(kind, frames, write, tmp_path):
    """A directory in the place of the file is told before the first frame."""
    with pytest.raises(StorageError, match="is a directory; name a file in it"):
        write([(tmp_path, kind)], frames(2, (8, 8)))


@pytest.mark.parametrize("kind", WRITERS)
def test_a_name_can_be_too_long(kind, frames, write, tmp_path):
    """A name the file system cannot hold is told before the first frame."""
    with pytest.raises((StorageError, UsageError), match=r"File name too long|at most 255 letters"):
        write([(tmp_path / ("x" * 300), kind)], frames(2, (8, 8)))


@posix
@pytest.mark.skipif(IS_ROOT, reason="root may write anywhere")
@pytest.mark.parametrize("kind", WRITERS)
def test_a_directory_may_be_closed(kind, frames, write, tmp_path):
    """A directory without write permission is told before the first frame."""
    (tmp_path / "closed").mkdir(mode=0o555)

    with pytest.raises(StorageError, match=r"cannot write in .*: Permission denied"):
        write([(tmp_path / "closed" / "a", kind)], frames(2, (8, 8)))


@pytest.mark.parametrize("kind", FILES)
def test_no_clobber_keeps_what_exists(kind, frames, write, tmp_path):
    """An existing file stays, and is told before the first frame."""
    (tmp_path / "a").write_bytes(b"old")

    with pytest.raises(OutputExistsError, match="exists already"):
        write([(tmp_path / "a", kind)], frames(2, (8, 8)), no_clobber=True)

    assert (tmp_path / "a").read_bytes() == b"old"


@pytest.mark.parametrize("links", [True, False])
def test_no_clobber_keeps_what_appears_meanwhile(links, frames, write, tmp_path, monkeypatch):
    """Also a file that somebody else makes during the render stays, with and without hard links."""

    class Meanwhile(list):
        def __iter__(self):
            (tmp_path / "a.gif").write_bytes(b"theirs")
            return super().__iter__()

    def refused(*_):
        raise PermissionError

    if not links:
        monkeypatch.setattr(os, "link", refused)
    with pytest.raises(OutputExistsError):
        write([(tmp_path / "a.gif", "gif")], Meanwhile(frames(2, (8, 8))), no_clobber=True)

    assert (tmp_path / "a.gif").read_bytes() == b"theirs"


@pytest.mark.parametrize("kind", WRITERS)
def test_no_clobber_writes_what_is_new(kind, frames, write, path_of):
    """A new file is written."""
    write([(path_of(kind), kind)], frames(2, (8, 8)), no_clobber=True)

    assert WRITERS[kind].count(path_of(kind)) == 2


@posix
@pytest.mark.parametrize("kind", FILES)
def test_a_named_pipe_is_streamed_into(kind, frames, write, tmp_path):
    """What reads from a pipe gets the whole file, and the pipe stays a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()

    write([(pipe, kind)], frames(3, (8, 8)), no_clobber=True)

    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "copy").write_bytes(received[0])
    assert WRITERS[kind].count(tmp_path / "copy") == 3


@pytest.mark.parametrize("kind", FILES)
def test_a_device_stays_a_device(kind, frames, write):
    """/dev/null takes everything and is not replaced."""
    write([("/dev/null", kind)], frames(3, (8, 8)))

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_gets_the_file(kind, name, frames, write, tmp_path, capfdbinary):
    """Standard output gets the whole file and nothing else."""
    write([(name, kind)], frames(3, (8, 8)))

    (tmp_path / "copy").write_bytes(capfdbinary.readouterr().out)
    assert WRITERS[kind].count(tmp_path / "copy") == 3


def test_redirected_standard_output_is_appended_to(tmp_path):
    """`>> file` appends: the file behind standard output is neither opened anew nor replaced."""
    script = """
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.output.outputs import write_still
write_still("/dev/stdout", Frame(np.zeros((4, 4), np.uint8), np.zeros((1, 3), np.uint8)))
"""
    (tmp_path / "file").write_bytes(b"before")
    with (tmp_path / "file").open("ab") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, check=True)

    assert (tmp_path / "file").read_bytes().startswith(b"before\x89PNG")


def test_a_terminal_gets_no_pictures(frames, write, monkeypatch):
    """Bytes are not poured over a terminal."""
    monkeypatch.setattr(os, "isatty", lambda _: True)

    with pytest.raises(UsageError, match="standard output: is a terminal"):
        write([("-", "gif")], frames(2, (8, 8)))


def test_a_socket_is_refused(frames, write, tmp_path, monkeypatch):
    """What is neither a file nor a pipe is told, not replaced."""
    monkeypatch.setattr(publication, "_mode", lambda _: stat.S_IFSOCK)

    with pytest.raises(StorageError, match="is neither a file nor a pipe"):
        write([(tmp_path / "socket", "gif")], frames(2, (8, 8)))


def test_parts_of_dead_processes_are_removed_with_a_notice(frames, write, tmp_path):
    """What a killed render left behind goes away, and the user is told."""
    (tmp_path / ".boidsgen-1-abc.part").write_bytes(b"half")
    (tmp_path / ".boidsgen-1-def.part").mkdir()
    (tmp_path / ".boidsgen-1-def.part" / "frame_0001.png").write_bytes(b"half")

    outputs = write([(tmp_path / "a.gif", "gif")], frames(2, (8, 8)))

    assert len(outputs.notices) == 2
    assert all("left behind" in notice for notice in outputs.notices)
    assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]


@pytest.mark.parametrize("make", [parts.new_file, parts.new_folder])
def test_parts_of_living_processes_stay(make, frames, write, tmp_path):
    """What another render is writing is left alone."""
    other = make(tmp_path)

    outputs = write([(tmp_path / "a.gif", "gif")], frames(2, (8, 8)))

    assert outputs.notices == ()
    assert other.path.exists()
    other.remove()


def test_a_part_removed_by_somebody_tidying_up_is_made_again(tmp_path, monkeypatch):
    """Between creating and claiming a part nobody can make it disappear unnoticed."""
    taken = []
    claim = system.claim

    def late(path):
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
            return None
        return claim(path)

    monkeypatch.setattr(system, "claim", late)
    part = parts.new_file(tmp_path)

    assert part.path != taken[0]
    assert part.path.exists()
    part.remove()


def test_two_renders_of_one_file_both_succeed(frames, tmp_path):
    """Whoever ends last wins, with a complete file."""
    pictures = frames(4, (8, 8))
    target = [Target(str(tmp_path / "a.gif"), "gif")]
    with open_outputs(target, Clip((8, 8), 25)) as first, open_outputs(target, Clip((8, 8), 25)) as second:
        for picture in pictures:
            first.write(picture)
            second.write(picture)
        first.write(pictures[0])

    assert WRITERS["gif"].count(tmp_path / "a.gif") == 5


def test_one_render_writes_several_files(frames, write, tmp_path):
    """All outputs hold all frames, and the digest does not depend on which they are."""
    pictures = frames(4, (8, 8))
    everything = [(tmp_path / f"a.{name}", name) for name in WRITERS]

    together = write(everything, pictures)
    alone = write([(tmp_path / "b.gif", "gif")], pictures)

    assert [WRITERS[name].count(path) for path, name in everything] == [4] * len(everything)
    assert together.digest == alone.digest


@posix
def test_several_files_fail_together(frames, write, tmp_path):
    """When one output fails none is published."""
    with pytest.raises(StorageError, match=r"^/dev/full: No space left on device"):
        write([(tmp_path / "a.gif", "gif"), ("/dev/full", "gif")], frames(9, (64, 48)))

    assert list(tmp_path.iterdir()) == []


def test_several_files_fail_together_with_a_pipe(frames, write, tmp_path):
    """Nor is any when nobody reads one of them any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        with pytest.raises(StorageError, match=rf"^/dev/fd/{writer}: Broken pipe"):
            write([(tmp_path / "a.gif", "gif"), (f"/dev/fd/{writer}", "gif")], frames(9, (64, 48)))
    finally:
        os.close(writer)

    assert list(tmp_path.iterdir()) == []


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


def test_a_gif_is_readable_from_a_stream(frames, write, capfdbinary, tmp_path):
    """A streamed GIF equals one in a file."""
    pictures = frames(3, (8, 8))
    write([(tmp_path / "a.gif", "gif")], pictures)
    write([("-", "gif")], pictures)

    assert capfdbinary.readouterr().out == (tmp_path / "a.gif").read_bytes()
    with Image.open(tmp_path / "a.gif") as image:
        assert np.asarray(image.convert("RGB")).shape == (8, 8, 3)
