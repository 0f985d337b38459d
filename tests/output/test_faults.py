"""Encoders that fail in every way: the old file stays, no child and no temporary does, one line has the reason."""

import os
import signal
import sys
import threading

import pytest

from boidsgen.errors import EncoderError, Interrupted, StorageError
from boidsgen.output import ffmpeg as ffmpeg_module
from boidsgen.output.base import Clip
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
from tests.fakes import program
from tests.systems import WINDOWS

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
    """If an ffmpeg that was chosen cannot be started, the message says who chose it, and what to do."""
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
    return outputs._pending[0]._writer._encoder


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
