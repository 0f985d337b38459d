import hashlib
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from boidsgen.output import gif
from boidsgen.output.formats import refusals
from boidsgen.output.gif import changed


def delays(path):
    """The time each frame stays, in milliseconds, by Pillow."""
    with Image.open(path) as image:
        return [(image.seek(number), image.info["duration"])[1] for number in range(image.n_frames)]


def pixels(path):
    """Every frame in RGB, by Pillow."""
    with Image.open(path) as image:
        return [(image.seek(number), np.asarray(image.convert("RGB")))[1] for number in range(image.n_frames)]


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (5000, 1), (401, 301)], ids=str)
@pytest.mark.parametrize("colors", [2, 255])
def test_every_pixel_is_exact(size, colors, frames, write, decode, tmp_path):
    """Pillow and ffmpeg see in every frame exactly the pixels that were drawn."""
    pictures = [picture for picture in frames(4, size, colors) for _ in range(2)]
    path = tmp_path / "flock.gif"

    write([(path, "gif")], pictures)

    wanted = [picture.palette[picture.index] for picture in pictures]
    assert np.array_equal(pixels(path), wanted)
    assert np.array_equal(decode(path, size), wanted)


def test_files_in_memory_change_no_byte(frames, write, tmp_path, monkeypatch):
    """Where there are none, pictures are encoded without them, to the same file."""
    pictures = frames(3, (300, 200))
    write([(tmp_path / "with.gif", "gif")], pictures)
    monkeypatch.setattr(gif.system, "memory_file", lambda: None)
    write([(tmp_path / "without.gif", "gif")], pictures)

    assert (tmp_path / "with.gif").read_bytes() == (tmp_path / "without.gif").read_bytes()


@pytest.mark.parametrize("fps", [0.5, 10, 12, 15, 24, 25, 29.97, 30, 33, 50])
def test_lasts_as_long_as_it_should(fps, frames, write, tmp_path):
    """However the rate divides a second, the clip's end is off by no more than the unit of delays allows."""
    pictures = frames(40, (8, 8))
    path = tmp_path / "flock.gif"

    write([(path, "gif")], pictures, fps=fps)

    assert len(delays(path)) == 40
    assert abs(sum(delays(path)) - 40_000 / fps) <= 5


def test_a_standstill_cannot_overflow(frames, write, tmp_path):
    """The slowest rate still fits the sixteen bits of a delay."""
    write([(tmp_path / "flock.gif", "gif")], frames(1, (8, 8)) * 3, fps=0.01)

    assert delays(tmp_path / "flock.gif") == [100_000] * 3


@pytest.mark.parametrize(("loop", "told"), [(0, 0), (1, None), (2, 1), (65536, 65535)])
def test_plays_as_often_as_asked(loop, told, frames, write, tmp_path):
    """The file tells how often to play again: for ever, never, or one time less than it plays."""
    write([(tmp_path / "flock.gif", "gif")], frames(2, (8, 8)), loop=loop)

    with Image.open(tmp_path / "flock.gif") as image:
        assert image.info.get("loop") == told


@pytest.mark.parametrize("length", [1, 254, 255, 256, 100_000])
def test_carries_a_text_of_any_length(length, frames, write, tmp_path):
    """The provenance comes back whole, whatever the size of the blocks it is cut into."""
    text = ("ü = [1]\n" * length)[:length]

    write([(tmp_path / "flock.gif", "gif")], frames(2, (8, 8)), provenance=text)

    with Image.open(tmp_path / "flock.gif") as image:
        assert image.info["comment"].decode() == text


def test_carries_no_empty_text(frames, write, tmp_path):
    """Without provenance there is no comment."""
    write([(tmp_path / "flock.gif", "gif")], frames(2, (8, 8)))

    assert b"!\xfe" not in (tmp_path / "flock.gif").read_bytes()


@pytest.mark.parametrize("spot", [(0, 0), (4, 6), (2, 3)])
def test_changed_is_the_smallest_box(spot):
    """One pixel that changed is a box of one pixel."""
    before = np.zeros((5, 7), np.uint8)
    after = before.copy()
    after[spot] = 1

    assert changed(Image.fromarray(before), Image.fromarray(after)) == (spot[1], spot[0], spot[1] + 1, spot[0] + 1)


def test_changed_is_never_empty():
    """Equal frames give a box of one pixel, since a frame without a block would not be one."""
    image = Image.new("P", (7, 5))

    assert changed(image, image) == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("size", "fps", "key"),
    [((65536, 10), 25, "size"), ((10, 10), 50.1, "fps"), ((10, 10), 60, "fps")],
)
def test_refuses_what_players_cannot_show(size, fps, key):
    """Limits of the format are told as mistakes of a key."""
    assert [refused for refused, _ in refusals("gif", size, fps)] == [key]


def test_bytes_are_pinned(frames, write, tmp_path):
    """These bytes change only on purpose; Pillow's function behind them is labelled legacy, and may."""
    write([(tmp_path / "flock.gif", "gif")], frames(3, (16, 12)), provenance="seed = 7")

    assert (
        hashlib.sha256((tmp_path / "flock.gif").read_bytes()).hexdigest()
        == "a2e2a18eda7cbe0eab11dbd8732df72b4136b6cc7f883a4374222acef2f5e69e"
    )


def test_what_stays_on_a_ground_of_many_colors_is_not_written_again(frames, write, decode, tmp_path, monkeypatch):
    """Something small that flies far over noise: every pixel is exact, in a third of the bytes or fewer."""
    (ground,) = frames(1, (120, 90), 255)
    pictures = [replace(ground, index=ground.index.copy()) for _ in range(6)]
    for number, picture in enumerate(pictures):
        picture.index[5:9, 9 * number : 9 * number + 5] = picture.index[80:84, 110 - 9 * number] = number
    wanted = [picture.palette[picture.index] for picture in pictures]
    marked, plain = tmp_path / "marked.gif", tmp_path / "plain.gif"

    write([(marked, "gif")], pictures)
    monkeypatch.setattr(gif, "UNEVEN", 1.0)
    write([(plain, "gif")], pictures)

    assert marked.stat().st_size < plain.stat().st_size / 3
    for path in (marked, plain):
        assert np.array_equal(pixels(path), wanted)
        assert np.array_equal(decode(path, (120, 90)), wanted)


def test_what_stays_on_a_plain_ground_is_written(frames, write, tmp_path):
    """Marks would make such pictures larger: none has a transparent entry."""
    (ground,) = frames(1, (120, 90), 2)
    pictures = [replace(ground, index=np.zeros_like(ground.index)) for _ in range(4)]
    for number, picture in enumerate(pictures):
        picture.index[10 * number : 10 * number + 30, 20 * number : 20 * number + 30] = 1

    write([(tmp_path / "flock.gif", "gif")], pictures)

    with Image.open(tmp_path / "flock.gif") as image:
        for number in range(image.n_frames):
            image.seek(number)
            assert "transparency" not in image.info
