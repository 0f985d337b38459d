import json
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
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


def test_film_strip(boidsgen):
    """Several frames stand side by side as they are in the clip, each under its number, and come back by a replay."""
    ran = boidsgen("still", "small.toml", "--at", "0,2", "-o", "strip.png", "--set", "style.trails=2")
    boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", "--set", "style.trails=2")
    again = boidsgen("replay", "strip.png", "-o", "again.png")

    assert (ran.code, ran.paths, again.code) == (0, ["strip.png"], 0)
    assert Path("again.png").read_bytes() == Path("strip.png").read_bytes()
    with Image.open("strip.png") as strip:
        sheet = np.asarray(strip.convert("RGB"))
    for name in ("frame_0001.png", "frame_0003.png"):
        with Image.open(Path("frames", name)) as image:
            assert _stands_in(np.asarray(image.convert("RGB")), sheet)


def _stands_in(picture, sheet):
    rows, columns = picture.shape[:2]
    windows = sliding_window_view(sheet, picture.shape)[:, :, 0]
    assert windows.shape[0] >= 1 + sheet.shape[0] - rows
    assert windows.shape[1] >= 1 + sheet.shape[1] - columns
    return any((window == picture).all() for row in windows for window in row)


@pytest.mark.parametrize(
    ("at", "line"),
    [
        ("2,0", "boidsgen: --at 2,0: the numbers of a film strip must ascend, each once"),
        ("0,0", "boidsgen: --at 0,0: the numbers of a film strip must ascend, each once"),
        ("0,3", "boidsgen: there is no frame 3; the scenario has 3, numbered 0 to 2"),
        ("0,", "boidsgen: --at : must be the number of a frame, counted from 0, or last"),
    ],
)
def test_film_strip_that_cannot_be(boidsgen, at, line):
    """Frames that there are not, or in no order, are told before anything is drawn."""
    ran = boidsgen("still", "small.toml", "--at", at, "-o", "strip.png")

    assert (ran.code, ran.err.splitlines()) == (2, [line])
    assert not Path("strip.png").exists()


def test_options_of_its_siblings(boidsgen):
    """--seed, --size, --frames and --engine mean what they mean to render; --json says what was drawn."""
    options = ("--seed", 9, "--size", "80x60", "--frames", 2, "--engine", "numpy")
    ran = boidsgen("still", "small.toml", *options, "--json", "-o", "still.png")
    boidsgen("render", "small.toml", *options, "--format", "png", "-o", "frames/")

    told = json.loads(ran.out)
    assert {key: told[key] for key in ("path", "at", "seed", "engine")} == {
        "path": "still.png",
        "at": [1],
        "seed": 9,
        "engine": "numpy",
    }
    assert _pixels("still.png") == _pixels("frames/frame_0002.png")


@pytest.mark.parametrize("command", ["render", "still"])
def test_makes_the_directory_that_is_named(boidsgen, command):
    """A name that ends with a slash is a directory, and is made."""
    ran = boidsgen(command, "small.toml", "-o", "deep/new/")

    ending = ".gif" if command == "render" else ".png"
    assert (ran.code, ran.paths) == (0, [native(f"deep/new/small{ending}")])


def test_a_folder_of_pictures_is_still_published_whole(boidsgen):
    """Where the folder itself is the output, it does not count as there before it is complete."""
    ran = boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", "--no-clobber")

    assert (ran.code, len(list(Path("frames").iterdir()))) == (0, 3)


def _pixels(path):
    with Image.open(path) as picture:
        return picture.convert("RGB").tobytes()
