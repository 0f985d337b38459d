"""Encoders that fail: the old file stays, and one line has the reason. tests/promises has more of them."""

import signal
import sys
import threading

import pytest

from boidsgen.errors import EncoderError, Interrupted, StorageError
from boidsgen.output import ffmpeg as ffmpeg_module
from tests.fakes import program
from tests.systems import WINDOWS

pytestmark = pytest.mark.faults

FAKES = {
    "gives no reason": ("sys.exit(3)", "failed with exit code 3: it gave no reason"),
    "gives a reason": ("complain(b'[x @ 0x1] [y @ 0x2] no way', 1)", "failed with exit code 1: no way"),
    "has no x264": (
        "read(); complain(b\"[v] Unknown encoder 'libx264'\", 8)",
        "Unknown encoder 'libx264'; IMAGEIO_FFMPEG_EXE names it",
    ),
    "says the disk is full": ("read(); sys.exit(228)", "No space left on device"),
    "succeeds with nothing": ("read()", "holds 0 of 40 frames"),
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
    """An mp4 with an older file in its place, which stays."""
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


def no_binary():
    raise RuntimeError


@pytest.mark.parametrize("package", [None, type("package", (), {"get_ffmpeg_exe": staticmethod(no_binary)})])
def test_no_encoder_at_all_is_told(package, frames, write, target, tmp_path, monkeypatch):
    """Without imageio-ffmpeg, or without its binary, MP4 says how to get it and GIF works."""
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", package)

    with pytest.raises(EncoderError, match="there is no ffmpeg; install it with 'pip install imageio-ffmpeg'"):
        write(target, frames(2, (64, 48)))
    write([(tmp_path / "a.gif", "gif")], frames(2, (64, 48)))


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
