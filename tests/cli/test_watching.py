import os
from pathlib import Path

import pytest

from boidsgen.cli import watching
from boidsgen.errors import Interrupted


class Waiting:
    """Stands in for the time between two looks: does one thing after another, then the user presses Ctrl-C."""

    def __init__(self, *actions):
        self._actions = iter(actions)

    def __call__(self, *_):
        """Let the next thing happen."""
        for action in self._actions:
            action()
            return
        raise Interrupted(2)


MOMENTS = iter(range(10**9, 10**11, 10**9))
"""Nanoseconds; clocks of file systems tick less often."""


def save(text, path="small.toml"):
    """Saves a file; the time of change is set, since two saves may come within one tick of the file system's clock."""

    def saving():
        Path(path).write_text(text)
        os.utime(path, ns=(next(MOMENTS),) * 2)

    return saving


GOOD, BAD = "time.frames = 2", "time.frames = 0"


def test_watch_renders_a_draft_again_after_every_change(boidsgen, monkeypatch):
    """A line for every change and none for none; mistakes are told and waited out; Ctrl-C ends it."""
    monkeypatch.setattr(watching.time, "sleep", Waiting(int, save(BAD), int, save(GOOD), int))
    ran = boidsgen("render", "small.toml", "--watch", "-o", "small.gif")

    assert (ran.code, ran.paths) == (130, ["small.gif", "small.gif"])
    assert ran.err == "small.toml:1: time.frames: must be at least 1, not 0\nboidsgen: stopped by SIGINT\n"


def test_watch_sees_files_that_a_scenario_names(tmp_path):
    """They are asked for again after each change; one that is missing for a moment is waited for."""
    first, second = tmp_path / "first", tmp_path / "second"
    save("1", first)(), save("1", second)()
    watched = iter([[first], [first, second], [first, second]])
    pause = Waiting(save("2", first), first.unlink, save("2", second), save("3", first))
    seen = watching.changes(lambda: next(watched), pause)

    next(seen)
    next(seen)
    assert first.read_text() == "2"
    next(seen)
    assert (first.exists(), second.read_text()) == (False, "2")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["quickstart"],
            "quickstart is no file that could change; `boidsgen new quickstart.toml --from quickstart` makes one",
        ),
        (["small.toml", "-o", "-"], "goes with neither --no-clobber nor standard streams"),
        (["small.toml", "--no-clobber"], "goes with neither --no-clobber nor standard streams"),
    ],
)
def test_watch_refuses_what_cannot_be_watched(boidsgen, arguments, told):
    """What never changes, or can be written only once, is no work for --watch."""
    ran = boidsgen("render", *arguments, "--watch")

    assert ran.code == 2
    assert told in ran.err


def test_watch_sees_a_base_that_comes_later(boidsgen, monkeypatch):
    """B29: what a scenario extends is watched before it is there, and one that goes for good is told."""
    save('extends = "base.toml"', "small.toml")()
    gone = [lambda: Path("base.toml").unlink(), *[int] * watching.GONE]
    monkeypatch.setattr(watching.time, "sleep", Waiting(int, save(GOOD, "base.toml"), int, *gone))
    ran = boidsgen("render", "small.toml", "--watch", "-o", "small.gif")

    missing = "small.toml:1: extends: base.toml: neither a file nor a shipped preset"
    assert (ran.code, ran.paths) == (130, ["small.gif"])
    assert ran.err.splitlines() == [missing, missing, "boidsgen: stopped by SIGINT"]


def test_watch_ends_where_no_file_can_help(boidsgen, monkeypatch):
    """B30: a command line that is wrong is told as without --watch."""
    monkeypatch.setattr(watching.time, "sleep", Waiting())
    ran = boidsgen("render", "small.toml", "--watch", "-o", "small.toml", "--format", "gif")

    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "quality"),
    [([], "draft"), (["--set", "output.quality=high"], "high"), (["--quality", "standard"], "standard")],
)
def test_watch_renders_a_draft_unless_told_otherwise(options, quality, boidsgen, monkeypatch):
    """What the user says of quality wins, however it is said."""
    monkeypatch.setattr(watching.time, "sleep", Waiting(int))
    boidsgen("render", "small.toml", "--watch", "-o", "watched.gif", *options)
    boidsgen("render", "small.toml", "-o", "once.gif", "--quality", quality)

    assert Path("watched.gif").read_bytes() == Path("once.gif").read_bytes()
