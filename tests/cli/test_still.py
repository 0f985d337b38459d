from pathlib import Path

from PIL import Image

from tests.systems import native


def test_still(boidsgen):
    """A still is the frame of that number, the last by default, and equals the frame in the clip."""
    first = boidsgen("still", "small.toml", "--at", 0, "-o", "first.png")
    last = boidsgen("still", "small.toml")
    boidsgen("render", "small.toml", "--format", "png", "-o", "frames/")

    assert (first.paths, last.paths) == (["first.png"], [native("outputs/small.png")])
    frames = sorted(Path("frames").iterdir())
    assert _pixels("first.png") == _pixels(frames[0])
    assert _pixels("outputs/small.png") == _pixels(frames[-1]) != _pixels(frames[0])


def test_still_with_trails(boidsgen):
    """A still remembers the frames before, as the clip does."""
    trails = ("--set", "style.trails=2", "--set", "time.frames=6")
    boidsgen("still", "small.toml", *trails, "-o", "still.png")
    boidsgen("render", "small.toml", *trails, "--format", "png", "-o", "frames/")

    assert _pixels("still.png") == _pixels(max(Path("frames").iterdir()))


def _pixels(path):
    with Image.open(path) as picture:
        return picture.convert("RGB").tobytes()
