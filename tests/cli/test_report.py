import io
import json
from pathlib import Path

import pytest

from boidsgen.cli.report import Reporter, failure
from boidsgen.simulation import compiling


@pytest.fixture
def said(capsys):
    """Both streams since the last call."""
    return capsys.readouterr


def test_notices_come_before_paths(said):
    """Notices go to standard error, paths to standard output, and an output on standard output has no name."""
    Reporter(quiet=False).finish(["a.gif", "-", "b.mp4"], ["tidied up"])

    assert said() == ("a.gif\nb.mp4\n", "boidsgen: tidied up\n")


def test_what_was_compiled_is_told_by_every_command(said, monkeypatch):
    """Once, whether the command has it in its own notices or not, and not again by the next one."""
    monkeypatch.setattr(compiling, "_told", {"numba: compiled beside": None})
    Reporter(quiet=False).finish(["a.csv"], ["numba: compiled beside"])
    Reporter(quiet=False).finish(["b.csv"])

    assert said() == ("a.csv\nb.csv\n", "boidsgen: numba: compiled beside\n")


def test_quiet_leaves_only_paths(said):
    """Nothing but results is told, and there is no bar."""
    reporter = Reporter(quiet=True)
    with reporter.progress("flock", 3) as progress:
        assert progress is None
    reporter.notice("slow")
    reporter.finish(["a.gif"], ["tidied up"])

    assert said() == ("a.gif\n", "")


def test_json_tells_entries(said):
    """With --json a result is an object, which begins with its path."""
    Reporter(quiet=False, as_json=True).finish(["a.gif"], entries={"frames": 3})

    out, err = said()
    assert (list(json.loads(out).items()), err) == ([("path", "a.gif"), ("frames", 3)], "")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"as_json": False}, "boidsgen: one\nboidsgen: two\n"),
        ({"as_json": False, "plain": True}, "one\ntwo\n"),
        ({"as_json": True}, '{"error": "one\\ntwo", "exit_code": 3}\n'),
    ],
)
def test_failure(options, expected, said):
    """A failure is lines or one record on standard error, and gives its code."""
    assert failure("one\ntwo", 3, **options) == 3
    assert said() == ("", expected)


def test_a_bar_on_a_terminal(monkeypatch):
    """Somebody who watches sees a bar, and nothing of it stays."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with Reporter(quiet=False).progress("flock", 3) as progress:
        progress(1)

    assert "flock [" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")


def test_open_shows_every_result(boidsgen, monkeypatch):
    """Results are handed to the system, and still named; where it has nothing to show them with, that is said."""
    shown = []
    monkeypatch.setattr("webbrowser.open", lambda address: shown.append(address) or address.endswith(".png"))
    picture = boidsgen("still", "small.toml", "-o", "a b.png", "--open")
    clip = boidsgen("render", "small.toml", "-o", "a.gif", "--open")

    assert shown == [Path(name).absolute().as_uri() for name in ("a b.png", "a.gif")]
    assert (picture.code, picture.paths, picture.err) == (0, ["a b.png"], "")
    assert (clip.code, clip.err) == (0, "boidsgen: --open: this system has nothing to show a.gif with\n")


@pytest.mark.parametrize("command", ["compare", "measure", "simulate"])
def test_siblings_tell_results_as_json(boidsgen, command):
    """An object a line with the path and what the command knows; never beside an output on the same stream."""
    name = {"compare": "a.gif", "measure": "a.csv", "simulate": "a.npz"}[command]
    ran = boidsgen(command, "small.toml", "-o", name, "--json")
    both = boidsgen(command, "small.toml", "-o", "-", "--json")

    assert json.loads(ran.out)["path"] == name
    assert json.loads(ran.out)["engine"] == "numpy"
    assert (both.code, both.out) == (2, "")
