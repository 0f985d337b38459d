"""More attacks: files given to commands that read them, and what is said of them."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from boidsgen.cli.main import run
from boidsgen.studies.sweep.rows import line_of
from tests.faults.setting import leftovers
from tests.systems import posix

pytestmark = pytest.mark.faults

ROW = {
    "run": "a",
    "status": "done",
    "scenario": "5",
    "mean": {"polarization": 0.5},
    "final": {"polarization": 0.5},
    "parameters": {"flock.count": 3},
}


def manifest(*lines):
    """The lines as the manifest of a sweep in the directory s."""
    Path("s").mkdir()
    Path("s", "manifest.jsonl").write_bytes(b"".join(lines))


def plotted(source, capsys):
    """The exit code of `plot`, and the lines on standard error."""
    code = run(["plot", source, "-o", "p.svg"])
    return code, capsys.readouterr().err.splitlines()


@posix
@pytest.mark.parametrize("inside", [False, True])
def test_a_figure_of_a_pipe(here, capsys, inside):
    """B01: nobody waits at a pipe that is given as a manifest."""
    pipe = here / "manifest.jsonl"
    os.mkfifo(pipe)

    code, lines = plotted(str(here if inside else pipe), capsys)

    assert (code, len(lines)) == (5, 1)
    assert "is not a file" in lines[0]


@posix
def test_a_figure_of_a_device(here, capsys):
    """B02: a device that goes on for ever is not read."""
    code, lines = plotted("/dev/zero", capsys)

    assert (code, len(lines)) == (5, 1)
    assert not leftovers(here)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "entry"),
    [("scenario", []), ("mean", {"polarization": "abc"}), ("mean", {"polarization": 0.9}), ("status", ["done"])],
)
def test_a_figure_of_edited_rows(capsys, name, entry):
    """B03: a row that was edited is no row for a figure, and its line is named."""
    edited = json.dumps({**json.loads(line_of({**ROW, "run": "b"})), name: entry}).encode() + b"\n"
    manifest(line_of(ROW), edited, b"[" * 100_000 + b"\n")

    code, lines = plotted("s", capsys)

    assert code == 0
    assert len(lines) == 1
    assert "damaged or edited in line 2, 3" in lines[0]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("table", [b"run\n\xff\n", b"run\n" + b"x" * 200_000 + b"\n"])
def test_a_figure_beside_a_damaged_table(capsys, table):
    """B04: the table beside a manifest is no text, or no table: one line."""
    manifest(line_of(ROW))
    Path("s", "manifest.csv").write_bytes(table)

    code, lines = plotted("s", capsys)

    assert (code, len(lines)) == (3, 1)
    assert "manifest.csv: is damaged" in lines[0]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("size", [1e60, 1e120])
def test_measures_of_a_run_far_away(size):
    """B05: positions of a saved run that are far outside a world that goes round are measured."""
    assert run(["simulate", "small.toml", "-o", "s.npz", "-q"]) == 0
    with np.load("s.npz") as saved:
        arrays = dict(saved)
    arrays["flock.0.position"] = arrays["flock.0.position"] * size
    np.savez("far.npz", **arrays)

    assert run(["measure", "far.npz", "-o", "m.csv", "-q"]) == 0


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("made", "renamed"), [("s.png", "t.gif"), ("s.mp4", "t.gif")])
def test_a_replay_goes_by_the_content(capsys, made, renamed):
    """B06: a clip or picture under the name of another kind was not altered, and nobody says so."""
    command = "still" if made.endswith("png") else "render"
    assert run([command, "small.toml", "-o", made, "-q"]) == 0
    Path(made).rename(renamed)

    assert run(["replay", renamed, "-o", "u.gif", "-q"]) == 0
    assert "altered" not in capsys.readouterr().err


def test_a_figure_against_nothing(here, capsys):
    """B07: a figure against a key, of a sweep that varies none, is refused before the first run."""
    code = run(["sweep", "small.toml", "--seeds", "2", "--measures-only", "--plot", "p.svg", "-o", "d"])
    lines = capsys.readouterr().err.splitlines()

    assert (code, len(lines)) == (2, 1)
    assert "--vary names none" in lines[0]
    assert not (here / "d").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("cell", ["1_0", "\u0661", "0x1", "1e999"])
def test_cells_are_numbers_as_tables_have_them(cell, capsys):
    """B08: what only Python reads as a number is none in a table of places; the cell is named."""
    Path("p.csv").write_text(f"x,y\n{cell},2\n", encoding="utf-8")
    code = run(["check", "small.toml", "--set", 'flock={count = 1, start = {layout = "points", csv = "p.csv"}}'])
    lines = capsys.readouterr().err.splitlines()

    assert (code, len(lines)) == (3, 1)
    assert "p.csv:2: column 1 (x): must be a finite number, not" in lines[0]


@pytest.mark.parametrize("key", ["", " ", "\n", "flock\n.count\x1b[31m"])
def test_a_key_that_nobody_sees(key, capsys):
    """B09: a key of nothing, or of signs that do not show, is told as it was written, in one line."""
    code = run(["explain", key])
    lines = capsys.readouterr().err.splitlines()

    assert (code, len(lines)) == (2, 1)
    assert lines[0].startswith('boidsgen: "')
    assert lines[0].isprintable()


NAMELESS = [
    ["render", "small.toml", "-o", ""],
    ["still", "small.toml", "-o", ""],
    ["simulate", "small.toml", "-o", ""],
    ["measure", "small.toml", "-o", ""],
    ["sweep", "small.toml", "--seeds", "2", "-o", ""],
    ["compare", "small.toml", "--with", "flock.count=3", "-o", ""],
    ["new", ""],
    ["render", ""],
]


@pytest.mark.parametrize("command", NAMELESS, ids=lambda command: " ".join(command[:1] + command[-2:]))
def test_an_empty_name(command, here, capsys):
    """B36: an empty name, as an unset variable of a script leaves it, is none; nothing is written anywhere."""
    before = set(here.iterdir())

    code, lines = run(command), capsys.readouterr().err.splitlines()

    assert (code, len(lines)) == (2, 1)
    assert "without a name" in lines[0]
    assert set(here.iterdir()) == before


UNFIT = {"": "is empty", "http://x.org/a.toml": '"http://x.org/a.toml"', "a" * 10_000: "aaa…: neither"}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("base", UNFIT, ids=lambda base: base[:10])
def test_what_nobody_can_extend(base, capsys):
    """B37: what is extended and cannot be is a mistake in the file, with its line, in words that are short."""
    Path("e.toml").write_text(f'seed = 1\nextends = "{base}"\n')

    code, lines = run(["check", "e.toml"]), capsys.readouterr().err.splitlines()

    assert (code, len(lines)) == (3, 1)
    assert lines[0].startswith("e.toml:2: extends: ")
    assert UNFIT[base] in lines[0]
    assert len(lines[0]) < 500


@posix
@pytest.mark.parametrize("program", ["/nonexistent", "/bin/cat", "/bin/true"])
def test_an_encoder_that_is_none(program, here, capsys, monkeypatch):
    """B38: where a variable names another ffmpeg, its name is in the message."""
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", program)

    code, lines = run(["render", "small.toml", "-o", "a.mp4"]), capsys.readouterr().err.splitlines()

    assert (code, len(lines)) == (6, 1)
    assert "IMAGEIO_FFMPEG_EXE" in lines[0]
    assert program in lines[0]
    assert not leftovers(here)


@pytest.mark.usefixtures("here")
def test_the_template_is_beyond_doubt():
    """B39: what `new` writes has nothing in it that `check --strict` objects to."""
    assert run(["new", "mine.toml"]) == 0

    assert run(["check", "--strict", "mine.toml"]) == 0
