"""The system broken on purpose: old content or complete new file, no temporary, no child, one line of reason."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from boidsgen.errors import EncoderError, Interrupted, StorageError
from boidsgen.output import video as ffmpeg_module
from boidsgen.output.base import Clip
from boidsgen.output.formats import WRITERS
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
from tests.fakes import program
from tests.systems import WINDOWS, posix, posix_module

fcntl = posix_module("fcntl")

pytestmark = pytest.mark.faults

KILLED = 9
"""The signal that nobody hears; on Windows an exit code like any other."""

FAKES = {
    "exits at once": ("sys.exit(3)", "failed with exit code 3: it gave no reason"),
    "exits at once with a reason": ("complain(b'[x @ 0x1] [y @ 0x2] no way', 1)", "failed with exit code 1: no way"),
    "reads all and fails": ("read(); complain(b'broken', 1)", "failed with exit code 1: broken"),
    "has no x264": (
        "read(); complain(b\"[v] Unknown encoder 'libx264'\", 8)",
        "Unknown encoder 'libx264'; IMAGEIO_FFMPEG_EXE names it",
    ),
    "says the disk is full": ("read(); sys.exit(228)", "No space left on device"),
    "succeeds with nothing": ("read()", "holds 0 of 40 frames"),
    "succeeds with ten bytes": (
        "read(); sys.argv[-1] == '-' or open(sys.argv[-1].removeprefix('file:'), 'wb').write(b'0123456789')",
        "holds 0 of 40",
    ),
    "succeeds without reading": ("", ""),  # all frames may have gone into the pipe by then
    "floods its error stream": ("read(); complain(200_000 * b'complaint\\n', 1)", "exit code 1: complaint"),
    "says nothing readable": ("read(); complain(b'\\377\\376', 1)", "exit code 1: \ufffd\ufffd"),
    "hangs without reading": ("time.sleep(1000)", "hangs"),
    "hangs after reading": ("read(); time.sleep(1000)", "hangs"),
    "stops reading but stays": ("os.close(0); time.sleep(1000)", "hangs"),
    "kills itself": ("os.kill(os.getpid(), 11)", "failed with exit code 11" if WINDOWS else "was ended by SIGSEGV"),
}
PATIENCE = 15 if WINDOWS else 0.5
"""Seconds without a sign of life; there Python itself takes some time to start."""


@pytest.fixture
def target(tmp_path):
    """An mp4 with an older file in its place."""
    (tmp_path / "flock.mp4").write_bytes(b"old")
    yield [(tmp_path / "flock.mp4", "mp4")]

    assert (tmp_path / "flock.mp4").read_bytes() == b"old"


@pytest.mark.parametrize("fault", FAKES)
def test_an_encoder_that_fails_is_not_believed(fault, frames, write, target, tmp_path_factory, monkeypatch):
    """However ffmpeg fails, the old file stays and one line says why."""
    script, reason = FAKES[fault]
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program(tmp_path_factory.mktemp("fake"), script)))
    monkeypatch.setattr(ffmpeg_module, "PATIENCE", PATIENCE)

    with pytest.raises((EncoderError, StorageError)) as caught:
        write(target, frames(40, (320, 240)))

    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"{target[0][0]}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", ["missing", "not executable", "no program"])
def test_an_encoder_that_cannot_start_is_told(fault, frames, write, target, tmp_path_factory, monkeypatch):
    """Where an ffmpeg that was chosen cannot be started, the message says who chose it, and what to do."""
    fake = tmp_path_factory.mktemp("fake") / "ffmpeg"
    if fault != "missing":
        fake.write_bytes(b"\0\0\0\0")
    if fault == "no program":
        fake.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(fake))

    with pytest.raises(EncoderError, match=r"cannot start ffmpeg .*; IMAGEIO_FFMPEG_EXE names it"):
        write(target, frames(2, (64, 48)))
    with pytest.raises(EncoderError, match=r"cannot run ffmpeg .*; IMAGEIO_FFMPEG_EXE names it"):
        ffmpeg_module.installed()


@pytest.mark.parametrize("fault", ["no package", "no binary"])
def test_no_encoder_at_all_is_told(fault, frames, write, target, tmp_path, monkeypatch):
    """Without imageio-ffmpeg, or without its binary, MP4 says how to get it and GIF works."""
    package = None if fault == "no package" else type("package", (), {"get_ffmpeg_exe": staticmethod(no_binary)})
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", package)

    with pytest.raises(EncoderError, match="there is no ffmpeg; install it with 'pip install imageio-ffmpeg'"):
        write(target, frames(2, (64, 48)))
    write([(tmp_path / "a.gif", "gif")], frames(2, (64, 48)))


def no_binary():
    raise RuntimeError


def encoder(outputs):
    """The encoder of the only output."""
    return outputs._unfinished[0]._writer._encoder


@pytest.mark.parametrize("moment", [0, 1, 20, 39, 40])
def test_an_encoder_that_is_killed_is_told(moment, frames, target):
    """Whenever ffmpeg is killed, the old file stays and the signal is named, where there is one."""
    targets = [Target(str(path), kind) for path, kind in target]

    with (  # noqa: PT012  the error may come at any later frame, or at the end
        pytest.raises(EncoderError, match=f"exit code {KILLED}" if WINDOWS else "ffmpeg was ended by SIGKILL"),
        open_outputs(targets, Clip((320, 240), 25)) as outputs,
    ):
        for number, picture in enumerate(frames(40, (320, 240))):
            if number == moment:
                os.kill(encoder(outputs)._process.pid, KILLED)
            outputs.write(picture)
        if moment == 40:
            os.kill(encoder(outputs)._process.pid, KILLED)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted(15), MemoryError(), ValueError("x")], ids=repr)
@pytest.mark.parametrize("moment", [0, 3, 30])
def test_an_interruption_leaves_nothing(error, moment, frames, target):
    """Whatever stops a render, ffmpeg is gone with it."""
    targets = [Target(str(path), kind) for path, kind in target]

    with (  # noqa: PT012  the point is when it is raised
        pytest.raises(type(error)),
        open_outputs(targets, Clip((320, 240), 25)) as outputs,
    ):
        for picture in frames(moment, (320, 240)):
            outputs.write(picture)
        raise error


def test_a_thread_that_begins_late_says_nothing(frames, write, target, monkeypatch):
    """Interrupted while its thread starts, the encoder is gone when the thread begins, which then ends in peace."""
    late = []

    class Late(threading.Thread):
        def start(self):
            late.append(self)
            raise Interrupted(signal.SIGTERM)

    monkeypatch.setattr(ffmpeg_module.threading, "Thread", Late)
    with pytest.raises(Interrupted):
        write(target, frames(2, (64, 48)))

    for thread in late:
        thread.run()
    assert late


@posix
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("limit", [10, 100, 5000])
def test_a_full_disk_is_told(kind, limit, path_of):
    """At whatever byte the disk is full, nothing is published and the reason is the system's."""
    script = f"""
import resource, sys
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.errors import StorageError
from boidsgen.output.base import Clip
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
random = np.random.default_rng(1)
palette = random.integers(0, 256, (255, 3)).astype(np.uint8)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    with open_outputs([Target({str(path_of(kind))!r}, {kind!r})], Clip((128, 96), 25)) as outputs:
        for _ in range(12):
            outputs.write(Frame(random.integers(0, 255, (96, 128)).astype(np.uint8), palette))
except StorageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.startswith(f"{path_of(kind)}: File too large")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert not path_of(kind).exists()


@posix
@pytest.mark.parametrize("kind", [name for name, writer in WRITERS.items() if writer.makes != "folder"])
@pytest.mark.parametrize("size", [(2, 2), (320, 240)])
def test_a_full_device_is_told(kind, size, frames, write):
    """Bytes that a stream cannot take are an error, even the last ones."""
    with pytest.raises(StorageError, match=r"^/dev/full: No space left on device"):
        write([("/dev/full", kind)], frames(5, size))


@pytest.mark.parametrize("kind", ["gif", "mp4"])
def test_a_reader_that_leaves_is_told(kind, frames, write):
    """A pipe that nobody reads any more ends the render with a reason."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        with pytest.raises(StorageError, match=r"Broken pipe"):
            write([(f"/dev/fd/{writer}", kind)], frames(5, (64, 48)))
    finally:
        os.close(writer)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("call", ["fsync", "replace", "rename", "open", "mkdir"])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()], ids=["EIO", "Ctrl-C"])
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
            with suppress(StorageError, EncoderError, KeyboardInterrupt):
                write([(path_of(kind), kind)], frames(5, (16, 16)))
        assert WRITERS[kind].count(path_of(kind)) in {3, 5}
        if not failing.done:
            break
    assert WRITERS[kind].count(path_of(kind)) == 5


def wait_for_everybody(directory):
    """Wait until nobody holds a part: an orphaned ffmpeg reads to the end of its input first, but on Windows."""
    for part in directory.glob(".boidsgen-*") if fcntl else ():
        descriptor = os.open(part, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.close(descriptor)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_render_that_was_killed_leaves_nothing_for_long(kind, frames, write, path_of):
    """After SIGKILL the old output stands, and the next render removes what was left and says so."""
    write([(path_of(kind), kind)], frames(3, (64, 48)))
    script = f"""
import os
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.output.base import Clip
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
with open_outputs([Target({str(path_of(kind))!r}, {kind!r})], Clip((64, 48), 25)) as outputs:
    for _ in range(5):
        outputs.write(Frame(np.zeros((48, 64), np.uint8), np.zeros((1, 3), np.uint8)))
    os.kill(os.getpid(), {KILLED})
"""
    killed = subprocess.run([sys.executable, "-c", script], check=False)
    assert killed.returncode in {KILLED, -KILLED}
    assert WRITERS[kind].count(path_of(kind)) == 3
    wait_for_everybody(path_of(kind).parent)

    left = len([*path_of(kind).parent.glob(".boidsgen-*")])
    outputs = write([(path_of(kind), kind)], frames(4, (64, 48)))

    assert left == (2 if WINDOWS and kind in {"mp4", "webm"} else 1)  # there the text for ffmpeg is a file as well
    assert len(outputs.notices) == left
    assert WRITERS[kind].count(path_of(kind)) == 4
