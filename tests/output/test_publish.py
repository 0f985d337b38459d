"""Promises 1 and 2: old or complete new output, nothing temporary left, nothing foreign replaced, no input lost.

tests/promises holds most of them through the command line; here is the rest, close to the code.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from boidsgen import system
from boidsgen.errors import EncoderError, Interrupted, LimitError, OutputExistsError, StorageError, UsageError
from boidsgen.output import publish
from boidsgen.output.base import Clip
from boidsgen.output.formats import WRITERS
from boidsgen.output.outputs import open_outputs
from boidsgen.output.publish import guard_inputs, leftovers, open_file, refuse_input, remember_input
from boidsgen.output.targets import Target
from tests.promises.setting import FULL
from tests.systems import link, posix

pytestmark = pytest.mark.faults

KINDS = [*WRITERS] if FULL else ["gif", "png"]
"""A file and a folder; in full every format."""
FILES = [name for name, writer in WRITERS.items() if writer.makes != "folder"]


class Meanwhile(list):
    """Frames; something happens before the first of them is written."""

    def __iter__(self):
        self.happens()
        return super().__iter__()


def names_in(folder):
    """What is in a folder, in order."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        (".", "gif", r"is a directory; name a file in it"),
        ("missing/a.gif", "gif", r"there is no directory .*missing; create it first"),
        ("missing/frames", "png", r"there is no directory .*missing; create it first"),
        ("x" * 300, "gif", r"File name too long|at most 255 letters"),
        ("", "gif", "an output without a name"),
        ("file", "png", "is not a directory; pictures go into one"),
        (".", "png", "is the current directory"),
        ("-", "png", "pictures cannot be streamed"),
    ],
)
def test_an_impossible_output_is_refused_before_the_first_frame(name, kind, reason, tmp_path, monkeypatch):
    """One line with the reason, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()

    with (
        pytest.raises((StorageError, UsageError), match=reason),
        open_outputs([Target(name, kind)], Clip((8, 8), 25)),
    ):
        raise AssertionError

    assert names_in(tmp_path) == ["file"]


@pytest.mark.parametrize("kind", ["gif", "png"])
def test_no_clobber_keeps_what_appears_meanwhile(kind, frames, write, path_of):
    """An output of somebody else that appears during the render stays; a new name is written."""
    path, pictures = path_of(kind), Meanwhile(frames(2, (8, 8)))
    write([(path_of(kind, "new"), kind)], [*frames(2, (8, 8))], no_clobber=True)
    theirs = path / "theirs" if kind == "png" else path
    pictures.happens = lambda: (theirs.parent.mkdir(exist_ok=True), theirs.write_bytes(b"theirs"))
    with pytest.raises(OutputExistsError, match="exists already"):
        write([(path, kind)], pictures, no_clobber=True)

    assert theirs.read_bytes() == b"theirs"
    assert WRITERS[kind].count(path_of(kind, "new")) == 2


@pytest.mark.parametrize("meanwhile", [False, True])
@pytest.mark.parametrize("name", ["frame_0009.png", "notes.txt"])
def test_a_folder_with_foreign_files_is_refused(name, meanwhile, frames, write, tmp_path):
    """A folder is replaced only if boidsgen wrote every file in it; one that is refused stays as it is."""
    folder, pictures = tmp_path / "frames", Meanwhile(frames(2, (8, 8)))
    write([(folder, "png")], [*frames(2, (8, 8))])
    pictures.happens = lambda: (folder / name).write_bytes(b"theirs")
    if not meanwhile:
        pictures.happens()
    with pytest.raises(StorageError, match=rf"holds other things than frames \({name}\)"):
        write([(folder, "png")], pictures)

    assert names_in(folder) == sorted(["frame_0001.png", "frame_0002.png", name])


def test_an_output_that_is_an_input_is_refused(tmp_path):
    """By whatever name, and so is the folder that an input is in; outside of the block nothing is remembered."""
    path = tmp_path / "a.toml"
    path.touch()
    link(tmp_path / "link", path)

    with guard_inputs():
        remember_input(path)
        remember_input(tmp_path / "missing")
        refuse_input(str(tmp_path / "other"))
        for name in (path, tmp_path / "link", tmp_path / "." / "a.toml", tmp_path):
            with pytest.raises(UsageError, match="is already what is read"):
                refuse_input(str(name))
        with pytest.raises(UsageError), open_file(str(path)):
            pass
    refuse_input(str(path))


@posix
@pytest.mark.parametrize("kind", FILES)
def test_devices_are_written_to(kind, frames, write, tmp_path):
    """/dev/null takes everything; a full device is reported even for the last bytes, and no other output appears."""
    write([("/dev/null", kind)], frames(3, (8, 8)))
    with pytest.raises(StorageError, match=r"^/dev/full: No space left on device"):
        write([(tmp_path / "a.gif", "gif"), ("/dev/full", kind)], frames(3, (8, 8)))

    assert names_in(tmp_path) == []


@pytest.mark.parametrize(("kind", "name"), [*zip(FILES, ["-", "/dev/stdout", "/dev/fd/1", "-"], strict=True)])
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


ERRORS = [OSError(5, "Input/output error"), OSError(12, "no memory"), KeyboardInterrupt(), MemoryError()]
CALLS = ["fsync", "replace", "open", "mkdir"]
FAULTS = (
    [*product(CALLS, ERRORS)] if FULL else [*zip(CALLS, ERRORS, strict=True), *zip(CALLS[::-1], ERRORS, strict=True)]
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("call", "error"), FAULTS, ids=str)
def test_each_call_may_fail(kind, call, error, frames, write, path_of, monkeypatch):
    """Fail the first, second, third … call of one kind until all succeed: old or complete new content every time."""
    write([(path_of(kind), kind)], frames(3, (16, 16)))
    real = getattr(os, call)
    for number in range(20):
        calls = iter(range(number))

        def failing(*arguments, calls=calls, **options):
            if next(calls, None) is None and not failing.done:
                failing.done = True
                raise error
            return real(*arguments, **options)

        failing.done = False
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            with suppress(StorageError, LimitError, EncoderError, KeyboardInterrupt, MemoryError):
                write([(path_of(kind), kind)], frames(5, (16, 16)))
        assert WRITERS[kind].count(path_of(kind)) in {3, 5}
        assert leftovers(path_of(kind).parent) == []
        if not failing.done:
            break
    assert WRITERS[kind].count(path_of(kind)) == 5


def test_a_folder_that_cannot_be_replaced_comes_back(frames, write, tmp_path, monkeypatch):
    """If the second of the two renames fails, the first is undone."""
    folder = tmp_path / "frames"
    write([(folder, "png")], frames(3, (8, 8)))
    real = system.replace

    def failing(temporary, final):
        if final == folder:
            raise OSError(5, "Input/output error")
        real(temporary, final)

    monkeypatch.setattr(system, "replace", failing)
    with pytest.raises(StorageError, match=r"Input/output error"):
        write([(folder, "png")], frames(5, (8, 8)))

    assert WRITERS["png"].count(folder) == 3
    assert names_in(tmp_path) == ["frames"]


def test_an_earlier_folder_that_stays_is_named(frames, write, tmp_path, monkeypatch):
    """The new frames are in place, and the message says where the earlier ones are."""
    folder = tmp_path / "frames"
    write([(folder, "png")], frames(3, (8, 8)))

    def refused(_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rmdir", refused)
        with pytest.raises(StorageError, match=r"is complete, but the earlier one stays as .*Permission denied"):
            write([(folder, "png")], frames(2, (8, 8)))

    assert WRITERS["png"].count(folder) == 2
    assert len(leftovers(tmp_path)) == 1
    publish.remove_temporaries()


LONG = ["quickstart", "--size", "64x64", "--set", "limits.frames=1000000", "--frames", "100000"]


@posix
@pytest.mark.parametrize(
    ("number", "pause"), [(signal.SIGINT, 0.0), (signal.SIGTERM, 0.05), (getattr(signal, "SIGHUP", 1), 0.1)]
)
def test_a_signal_leaves_nothing(number, pause, tmp_path):
    """SIGINT, SIGTERM and SIGHUP, from the first temporary file on: documented exit code, old file, nothing else."""
    (tmp_path / "a.gif").write_bytes(b"old")
    outputs = [f"-o{tmp_path / name}" for name in ("a.gif", "b.mp4")]
    before = signal.signal(number, signal.default_int_handler)  # what we ignore, children ignore too
    process = subprocess.Popen([sys.executable, "-m", "boidsgen", "render", *LONG, *outputs], stderr=subprocess.PIPE)
    signal.signal(number, before)
    while process.poll() is None and not leftovers(tmp_path):
        time.sleep(0.002)
    time.sleep(pause)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)

    assert process.returncode == 128 + number
    assert complaint.decode().splitlines()[-1] == f"boidsgen: stopped by {signal.Signals(number).name}"
    assert names_in(tmp_path) == ["a.gif"]
    assert (tmp_path / "a.gif").read_bytes() == b"old"


@posix
@pytest.mark.parametrize("call", ["touch", "mkdir", "replace", "unlink"])
@pytest.mark.parametrize("after", [False, True])
def test_a_signal_at_a_critical_call_leaves_nothing(call, after, frames, write, tmp_path, monkeypatch):
    """Right before and right after a file is made, renamed or removed: complete outputs or none, nothing temporary."""
    real = getattr(Path, call)

    def interrupted(path, *arguments, **options):
        if not after:
            signal.raise_signal(signal.SIGTERM)
        made = real(path, *arguments, **options)
        if after:
            signal.raise_signal(signal.SIGTERM)
        return made

    def stop(number, _):
        raise Interrupted(number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        for name, kind in (("a.gif", "gif"), ("frames", "png")):
            with monkeypatch.context() as patched, suppress(Interrupted):
                patched.setattr(Path, call, interrupted)
                write([(tmp_path / name, kind)], frames(3, (8, 8)))
            signal.signal(signal.SIGTERM, stop)
            publish.remove_temporaries()  # as the command line does in the end
            assert leftovers(tmp_path) == []
            assert not (tmp_path / name).exists() or WRITERS[kind].count(tmp_path / name) == 3
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_leaves_the_old_output_and_a_telling_name(kind, frames, write, path_of):
    """After SIGKILL the old output stands; the temporary file is named after it, and `leftovers` finds it."""
    write([(path_of(kind), kind)], frames(3, (64, 48)))
    script = f"""
import os
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.output.base import Clip
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
with open_outputs([Target({str(path_of(kind))!r}, {kind!r})], Clip((64, 48), 25)) as outputs:
    outputs.write(Frame(np.zeros((48, 64), np.uint8), np.zeros((1, 3), np.uint8)))
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode in {9, -9}
    (left,) = leftovers(path_of(kind).parent)

    assert WRITERS[kind].count(path_of(kind)) == 3
    assert left.name.startswith(f".boidsgen-{path_of(kind).name}-")
    shutil.rmtree(left) if left.is_dir() else left.unlink()
