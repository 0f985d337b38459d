from fractions import Fraction

import pytest

from boidsgen.output.base import Clip
from boidsgen.output.formats import refusals
from boidsgen.output.video import installed


@pytest.mark.parametrize(
    ("fps", "rate"),
    [
        (10, "10/1"),
        (24, "24/1"),
        (23.976, "24000/1001"),
        (29.97, "30000/1001"),
        (33, "33/1"),
        (59.94, "60000/1001"),
        (12.5, "25/2"),
    ],
)
def test_rate_is_an_exact_fraction(fps, rate, frames, write, ffmpeg, tmp_path):
    """The rate in the file is the fraction that was meant, and frames follow each other at it without a gap."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(7, (64, 48)), fps=fps)

    lines = ffmpeg("-i", tmp_path / "flock.mp4", "-f", "framecrc", "-").decode().splitlines()
    times = [int(line.split(",")[2]) for line in lines if not line.startswith("#")]
    assert f"#tb 0: {Fraction(1) / Fraction(rate)}" in lines
    assert times == list(range(7))


@pytest.mark.parametrize("fps", [0.01, 0.5, 7, 25, 30, 33.333, 119.88, 999.5])
def test_rate_is_close_to_what_was_asked(fps):
    """Whatever fraction stands for a rate, an hour is off by less than a frame."""
    assert abs(float(Clip((2, 2), fps).rate) / fps - 1) < 5e-6


def test_plays_everywhere(frames, write, ffmpeg, tmp_path):
    """Pixels, range and colors are what every player understands, and are tagged so."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(3, (64, 48)))

    shown = ffmpeg("-i", tmp_path / "flock.mp4", "-vf", "showinfo", "-f", "null", "-", "-v", "error")
    content = (tmp_path / "flock.mp4").read_bytes()
    assert shown == b""
    assert b"colrnclx\0\1\0\1\0\1\0" in content
    assert content.index(b"moov") < content.index(b"mdat")


@pytest.mark.parametrize("text", ["seed = 7", 'title = "Ü; #1 = \\x"\n\n[a]\n# b\n', "a\r\nb", "x = 1\n" * 60_000])
def test_carries_a_text_of_any_length(text, frames, write, tmp_path):
    """The provenance stands in the file to the letter, however long: no argument of a command carries it."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(2, (64, 48)), provenance=text)

    assert text.encode() in (tmp_path / "flock.mp4").read_bytes()


@pytest.mark.parametrize("quality", ["draft", "standard", "high"])
def test_better_quality_is_another_file(quality, frames, write, decode, tmp_path):
    """Every quality gives a whole film."""
    write([(tmp_path / "flock.mp4", "mp4")], frames(5, (64, 48)), quality=quality)

    assert len(decode(tmp_path / "flock.mp4", (64, 48))) == 5


@pytest.mark.parametrize(
    ("size", "nearest"), [((65, 63), "[66, 64]"), ((1, 2), "[2, 2]"), ((16386, 2), "16384 pixels wide")]
)
def test_refuses_sizes_it_cannot_encode(size, nearest):
    """A size that x264 refuses is told beforehand, with one that would do."""
    ((key, reason),) = refusals("mp4", size, 25)

    assert key == "size"
    assert nearest in reason


def test_the_installed_ffmpeg_can_do_it():
    """What `doctor` reports is what is needed here."""
    assert installed().has_x264
    assert installed().version
