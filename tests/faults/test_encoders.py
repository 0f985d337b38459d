"""Encoders that lie, die or never answer, through the command line."""

import os
import signal
from importlib import import_module

import pytest

from tests.faults.setting import PRODUCTS, content
from tests.systems import posix

pytestmark = pytest.mark.faults

FRAMES = 40
BYTES_OF_A_FRAME = 64 * 48 * 3 // 2
MP4 = PRODUCTS["mp4"]
OUTPUT = 'for last; do :; done; last="${last#file:}"; '
PLACE = 'seek=$(($(grep -obam1 mdat "$last" | head -1 | cut -d: -f1) + 740))'
DAMAGE = f'printf %20s | dd of="$last" bs=1 {PLACE} conv=notrunc status=none'
FAKES = {
    "exits at once": ("exit 3", 6, "ffmpeg failed with exit code 3: it gave no reason"),
    "exits when all is read": ("cat >/dev/null; echo broken >&2; exit 1", 6, "exit code 1: broken"),
    "succeeds at once": ("exit 0", 6, "ffmpeg stopped before the last frame"),
    "succeeds without writing": ("cat >/dev/null", 6, "the finished mp4 holds 0 of 40 frames"),
    "writes ten bytes": (f'{OUTPUT}cat >/dev/null; printf 0123456789 >"$last"', 6, "holds 0 of 40 frames"),
    "floods standard error": ("yes complaint | head -c 1000000 >&2; cat >/dev/null; exit 1", 6, "code 1: complaint"),
    "hangs": ("exec tail -f /dev/null", 6, "ffmpeg hangs"),
    "hangs at the end": ("cat >/dev/null; exec tail -f /dev/null", 6, "ffmpeg hangs"),
    "has no x264": ("cat >/dev/null; echo \"Unknown encoder 'libx264'\" >&2; exit 8", 6, "Unknown encoder 'libx264'"),
    "finds the disk full": ("cat >/dev/null; exit 228", 5, "No space left on device (ffmpeg)"),
    "leaves frames out": (
        f'head -c {7 * BYTES_OF_A_FRAME} | "$FFMPEG" "$@"; code=$?; cat >/dev/null; exit $code',
        6,
        "the finished mp4 holds 7 of 40 frames",
    ),
    "damages the first picture": (
        f'{OUTPUT}"$FFMPEG" "$@" || exit $?; [ "$last" = - ] || {DAMAGE}',
        6,
        "the finished mp4 cannot be decoded: ",
    ),
    **{
        f"dies at frame {number}": (
            f"head -c {number * BYTES_OF_A_FRAME} >/dev/null; kill -9 $$",
            6,
            "ffmpeg was ended by SIGKILL",
        )
        for number in (0, 1, 20, FRAMES)
    },
}


@pytest.fixture
def fake(tmp_path_factory, monkeypatch):
    """Puts a shell script in the place of ffmpeg; what takes half a second without a sign of life counts as hung."""
    real = import_module("imageio_ffmpeg").get_ffmpeg_exe()

    def put(script):
        path = tmp_path_factory.mktemp("fake") / "ffmpeg"
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("FFMPEG", real)
        monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(path))
        monkeypatch.setattr(import_module("boidsgen.writers.ffmpeg"), "PATIENCE", 0.5)

    return put


@posix
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
    fake("exit 1")
    for product in ("gif", "png", "still"):
        assert boidsgen(*PRODUCTS[product].arguments).code == 0
    assert "missing, so no mp4" in boidsgen("doctor").out
    assert (here / "flock.gif").exists()


def test_all_outputs_or_none(fake, boidsgen, here):
    """T17: when one of several outputs fails, none of them is replaced."""
    for product in PRODUCTS.values():
        product.put_old(here)
    before = content(here)
    fake("cat >/dev/null; exit 1")
    ran = boidsgen("render", "small.toml", "-o", "flock.gif", "-o", "flock.mp4")

    assert (ran.code, len(ran.lines)) == (6, 1)
    assert content(here) == before


@posix
def test_no_signal_reaches_the_encoder(fake, boidsgen, here):
    """T30: ffmpeg is in a process group of its own, since it would answer Ctrl-C with a shorter film."""
    fake(f'{OUTPUT}ps -o pgid= -p $$ > "$PWD/group"; exec "$FFMPEG" "$@"')
    assert boidsgen(*MP4.arguments).code == 0
    group = int((here / "group").read_text())

    assert group != os.getpgrp()
    with pytest.raises(ProcessLookupError):
        os.killpg(group, signal.SIGCONT)
