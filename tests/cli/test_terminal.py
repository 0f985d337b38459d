import io
import json
import os
import re
from pathlib import Path

import pytest

from boidsgen.cli.main import Reporter, progress_bar, run


def test_notices_and_paths(capsys):
    """Notices go to standard error, each once, and paths to standard output; `-` has no name."""
    Reporter(quiet=False).finish(["a.gif", "-", "b.mp4"], ["tidied up", "tidied up"])

    assert capsys.readouterr() == ("a.gif\nb.mp4\n", "boidsgen: tidied up\n")


def test_open_shows_every_result(boidsgen, monkeypatch):
    """Results are opened, and still named; a system without a program for them is no failure."""
    shown = []
    monkeypatch.setattr("webbrowser.open", lambda address: shown.append(address) or address.endswith(".png"))
    picture = boidsgen("still", "small.toml", "-o", "a b.png", "--open")
    clip = boidsgen("render", "small.toml", "-o", "a.gif", "--open")

    assert shown == [Path(name).absolute().as_uri() for name in ("a b.png", "a.gif")]
    assert (picture.code, picture.paths, picture.err) == (0, ["a b.png"], "")
    assert (clip.code, clip.err) == (0, "boidsgen: --open: this system has no program to open a.gif with\n")


class Terminal(io.TextIOWrapper):
    """A terminal of a certain encoding, as a stream."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding, "backslashreplace")

    def isatty(self):
        """Rich draws for terminals only."""
        return True


NAMES = ["[output]", "a very long name " * 12, "鳥の群れ" * 25, "two\nlines\r\x1b[2J\t", "Vögel Стая " * 5, "\udcff"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp437"])
@pytest.mark.parametrize("width", [20, 80, 200])
def test_bar_takes_any_name(name, encoding, width, monkeypatch):
    """Names are no markup, move no cursor, and fit every width; at the end nothing stays but an empty line."""
    terminal = Terminal(encoding)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(name, 600) as show:
        show(250)
    terminal.flush()
    text = terminal.buffer.getvalue().decode(encoding)
    lines = [line for line in re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text).split("\r") if line.strip()]

    assert "\x1b[2J" not in text
    assert lines
    assert text.endswith("\x1b[2K")
    if width == 200 and name == "[output]":
        assert "[output]" in lines[-1]
        assert "250/600 frames" in lines[-1]


def test_bar_of_a_terminal_that_is_gone(monkeypatch):
    """The work goes on without it."""

    class Gone(Terminal):
        def write(self, _):
            raise OSError(5, "Input/output error")

        def fileno(self):
            return os.open(os.devnull, os.O_WRONLY)

    monkeypatch.setattr("sys.stderr", Gone("utf-8"))
    with progress_bar("flock", 3) as show:
        show(1)


@pytest.mark.parametrize("letter", ["\x1b", "\r", "\x7f", "\x9b", "\u202e"], ids=ascii)
def test_no_text_commands_a_terminal(letter, tmp_path, monkeypatch, capsys):
    """A title, a name and an encoder may hold anything: lines have it escaped, in JSON so that it is read back."""
    monkeypatch.chdir(tmp_path)
    title = f"a{letter}]0;owned"
    written = json.dumps(title).replace("\x7f", "\\u007f")
    Path("s.toml").write_text(f"title = {written}\nworld.size = [64, 48]\ntime.frames = 1\n", "utf-8")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", title)
    said = []
    for line in ("render s.toml -o s.gif", "check s.toml", "render s.toml -o s.mp4", "render s.toml -o s.mp4 --json"):
        run(line.split())
        said += [*capsys.readouterr()]

    assert letter not in "".join(said)
    assert f"\\u{ord(letter):04x}]0;owned" in said[5]
    assert title in json.loads(said[7].splitlines()[-1])["error"]
