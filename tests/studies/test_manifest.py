import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boidsgen.errors import StorageError
from boidsgen.studies.manifest import (
    LINES,
    SPREADSHEET,
    Manifest,
    hash_output,
    is_done,
    row_from_line,
    row_to_line,
)
from tests.systems import refusal


def _row(run, **entries):
    return {"run": run, "status": "done", "file": f"{run}.gif", "seed": 1, **entries}


def _lines(directory):
    return [json.loads(line) for line in (directory / LINES).read_text().splitlines()]


def _table(directory):
    with (directory / SPREADSHEET).open(newline="") as file:
        return list(csv.DictReader(file))


def test_entries_of_another_type():
    """A row with an entry that cannot be is none, nor is a line too deep or long; the checksum of 0.1 is ignored."""
    wrong = {"mean": {"polarization": "abc"}, "final": [1], "parameters": None, "path": "x.gif", "seed": -1}
    for name, entry in {**wrong, "frames": 1e9, "status": "fine", "run": 3}.items():
        assert row_from_line(row_to_line(_row("a") | {name: entry})) is None
    for line in (b"[" * 100_000, b'{"run": ' + b"9" * 5000 + b"}", b" " * 2_000_000, b'{"mean": NaN}'):
        assert row_from_line(line) is None
    assert row_from_line(row_to_line({**_row("a"), "seal": "0123456789abcdef"})) == _row("a")


@given(
    st.binary() | st.text().map(str.encode) | st.recursive(st.none(), st.lists).map(lambda x: json.dumps(x).encode())
)
def test_any_line_is_a_row_or_none(line):
    """Reading a line never raises."""
    assert row_from_line(line) is None


@pytest.mark.parametrize("damage", [b"\xff\xfe", b'{"run": "a", "sta', b"[1, 2]\n", b"\0" * 50])
def test_damage_costs_its_own_line(tmp_path, damage):
    """Other rows stay, the next row begins a line of its own, and the damaged line is named."""
    with Manifest(tmp_path) as manifest:
        manifest.add(_row("a"))
    with (tmp_path / LINES).open("ab") as file:
        file.write(damage)
    with Manifest(tmp_path) as manifest:
        manifest.add(_row("b"))

    with Manifest(tmp_path) as manifest:
        assert (manifest.row("a"), manifest.row("b"), manifest.damaged) == (_row("a"), _row("b"), [2])


def test_publishing(tmp_path):
    """Both files have a line a run in the order of the sweep; earlier sweeps and rows of waiting runs stay."""
    with Manifest(tmp_path) as manifest:
        for run in ("old", "b", "a", "b"):
            manifest.add(_row(run))
        manifest.publish([_row("a"), _row("b", status="waiting"), _row("c", status="waiting")], [], [])

    assert [(row["run"], row["status"]) for row in _lines(tmp_path)] == [
        *(("a", "done"), ("b", "done"), ("c", "waiting"), ("old", "done"))
    ]
    assert [row["status"] for row in _table(tmp_path)] == ["done", "waiting", "waiting"]


def test_the_spreadsheet_is_flat(tmp_path):
    """Parameters and measures have columns of their own; text is as it is and lists are TOML."""
    row = _row("a", parameters={"flock.count": 3, "seed": 1, "title": 'x,"y"', "world.size": [4, 5]})
    row |= {"final": {"polarization": 0.5}, "mean": {"polarization": 0.25}, "reason": "line\nline"}
    with Manifest(tmp_path) as manifest:
        manifest.publish([row], list(row["parameters"]), ["polarization", "rotation"])

    [found] = _table(tmp_path)
    assert (found["flock.count"], found["seed"], found["title"], found["world.size"]) == ("3", "1", 'x,"y"', "[4, 5]")
    assert (found["final.polarization"], found["mean.polarization"], found["mean.rotation"]) == ("0.5", "0.25", "")
    assert (found["reason"], found["digest"]) == ("line\nline", "")


def test_a_manifest_that_cannot_be_opened(tmp_path):
    """An obstacle is reported as an error of the disk."""
    (tmp_path / LINES).mkdir()
    reason = refusal((tmp_path / LINES).read_bytes)

    with pytest.raises(StorageError, match=rf"manifest\.jsonl: {reason}"):
        Manifest(tmp_path)


def test_a_run_is_done_only_if_everything_matches(tmp_path):
    """Scenario, versions, size, content, names must be as the row says; a run that was only measured has no output."""
    (tmp_path / "a.gif").write_bytes(b"GIF")
    expected = {"run": "a", "file": "a.gif", "scenario": "1", "versions": "2"}
    row = {**expected, "status": "done", **hash_output(tmp_path / "a.gif")}

    assert is_done(row, expected, tmp_path)
    assert not is_done(None, expected, tmp_path)
    for name in row:
        assert not is_done({**row, name: "other"}, expected, tmp_path)
    (tmp_path / "a.gif").write_bytes(b"GIV")
    assert not is_done(row, expected, tmp_path)
    (tmp_path / "a.gif").unlink()
    assert not is_done(row, expected, tmp_path)
    (tmp_path / "b").write_bytes(b"b")
    folder = hash_output(tmp_path)
    (tmp_path / "b").rename(tmp_path / "c")
    assert (folder["bytes"], folder == hash_output(tmp_path)) == (1, False)
    measured = {**expected, "file": ""}
    assert is_done({**measured, "status": "done"}, measured, tmp_path)
