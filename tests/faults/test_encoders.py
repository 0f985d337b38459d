"""Encoders that lie, die or never answer, through the command line."""

import os
import signal
from importlib import import_module

import pytest

from tests.fakes import program
from tests.faults.setting import PRODUCTS, content
from tests.systems import WINDOWS, posix

pytestmark = pytest.mark.faults

FRAMES = 40
BYTES_OF_A_FRAME = 64 * 48 * 3 // 2
MP4 = PRODUCTS["mp4"]
FAKES = {
    "exits at once": ("sys.exit(3)", 6, ") failed with exit code 3: it gave no reason"),
    "exits when all is read": ("read(); complain(b'broken', 1)", 6, "exit code 1: broken"),
    "succeeds at once": ("", 6, ""),  # all frames may have gone into the pipe by then
    "succeeds without writing": ("read()", 6, "the finished mp4 holds 0 of 40 frames"),
    "writes ten bytes": (
        "read(); sys.argv[-1] == '-' or open(sys.argv[-1].removeprefix('file:'), 'wb').write(b'0123456789')",
        6,
        "holds 0 of 40 frames",
    ),
    "floods standard error": ("os.write(2, 100_000 * b'complaint\\n'); read(); sys.exit(1)", 6, "code 1: complaint"),
    "hangs": ("time.sleep(1000)", 6, "ffmpeg hangs"),
    "hangs at the end": ("read(); time.sleep(1000)", 6, "ffmpeg hangs"),
    "has no x264": ("read(); complain(b\"Unknown encoder 'libx264'\", 8)", 6, "Unknown encoder 'libx264'"),
    "finds the disk full": ("read(); sys.exit(228)", 5, "No space left on device (ffmpeg)"),
    "leaves frames out": (
        f"""
command = [os.environ["FFMPEG"], *sys.argv[1:]]
code = subprocess.run(command, input=read({7 * BYTES_OF_A_FRAME}), close_fds=False).returncode
read()
sys.exit(code)
""",
        6,
        "the finished mp4 holds 7 of 40 frames",
    ),
    **{
        f"damages the {which} picture": (
            f"""
code = subprocess.run([os.environ["FFMPEG"], *sys.argv[1:]], close_fds=False).returncode
if sys.argv[-1] != "-":
    with open(sys.argv[-1].removeprefix("file:"), "r+b") as file:
        data = file.read()
        file.seek({place})
        file.write(20 * b" ")
sys.exit(code)
""",
            6,
            "the finished mp4 cannot be decoded: ",
        )
        for which, place in (("first", "data.index(b'mdat') + 740"), ("last", "len(data) - 100"))
    },
    **{
        f"dies at frame {number}": (
            f"read({number * BYTES_OF_A_FRAME}); os.kill(os.getpid(), 9)",
            6,
            ") failed with exit code 9" if WINDOWS else "ffmpeg was ended by SIGKILL",
        )
        for number in (0, 1, 20, FRAMES)
    },
}
PATIENCE = 15 if WINDOWS else 0.5
"""Seconds without a sign of life after which it counts as hung; on Windows Python itself takes some time to start."""


@pytest.fixture
def fake(tmp_path_factory, monkeypatch):
    """Puts a program of ours in the place of ffmpeg, which is not waited for as long as usual."""
    real = import_module("imageio_ffmpeg").get_ffmpeg_exe()

    def put(script):
        path = program(tmp_path_factory.mktemp("fake"), script)
        monkeypatch.setenv("FFMPEG", real)
        monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(path))
        monkeypatch.setattr(import_module("boidsgen.output.video"), "PATIENCE", PATIENCE)

    return put


@pytest.mark.parametrize("fault", FAKES)
def test_an_encoder_is_not_believed(fault, fake, boidsgen, here):
    """T04, T05, T06, T08: however ffmpeg fails, the old film stays, and one line says why."""
    script, code, reason = FAKES[fault]
    MP4.put_old(here)
    before = content(here)
    fake(script)
    ran = boidsgen(*MP4.arguments, "--frames", FRAMES)

    assert (ran.code, ran.out, len(ran.lines)) == (code, "", 1)
    assert ran.err.startswith("boidsgen: flock.mp4: ")
    assert reason in ran.err
    assert len(ran.err) < 600
    assert content(here) == before


def test_a_gif_needs_no_encoder(fake, boidsgen, here):
    """T07: with an ffmpeg that does nothing, GIF and PNG are as ever, and doctor says what is missing."""
    fake("sys.exit(1)")
    for product in ("gif", "png", "still"):
        assert boidsgen(*PRODUCTS[product].arguments).code == 0
    assert "missing, so no mp4" in boidsgen("doctor").out
    assert (here / "flock.gif").exists()


def test_all_outputs_or_none(fake, boidsgen, here):
    """T17: when one of several outputs fails, none of them is replaced."""
    for product in PRODUCTS.values():
        product.put_old(here)
    before = content(here)
    fake("read(); sys.exit(1)")
    ran = boidsgen("render", "small.toml", "-o", "flock.gif", "-o", "flock.mp4")

    assert (ran.code, len(ran.lines)) == (6, 1)
    assert content(here) == before


@posix
def test_no_signal_reaches_the_encoder(fake, boidsgen, here):
    """T30: ffmpeg is in a process group of its own, since it would answer Ctrl-C with a shorter film."""
    fake("open('group', 'w').write(str(os.getpgrp())); os.execv(os.environ['FFMPEG'], ['ffmpeg', *sys.argv[1:]])")
    assert boidsgen(*MP4.arguments).code == 0
    group = int((here / "group").read_text())

    assert group != os.getpgrp()
    with pytest.raises(ProcessLookupError):
        os.killpg(group, signal.SIGCONT)
