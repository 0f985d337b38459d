import json

import pytest

from boidsgen.studies.sweep.manifest import LINES, Manifest
from boidsgen.studies.sweep.rows import SEAL, line_of, row_of

ROW = {
    "run": "a",
    "status": "done",
    "seed": 3,
    "frames": 9,
    "mean": {"polarization": 0.5},
    "final": {"polarization": None},
    "parameters": {"flock.count": 3},
}
WRONG = [
    ("mean", {"polarization": float("nan")}),
    ("mean", "abc"),
    ("mean", {"polarization": "abc"}),
    ("final", [1]),
    ("parameters", None),
    ("path", "x.gif"),
    ("seed", -1),
    ("frames", 1e9),
    ("status", "fine"),
    ("reason", "\ud800"),
]


def sealed(row):
    """A line with the right seal, whatever is in it."""
    text = json.dumps(row, sort_keys=True)
    try:
        seal = json.loads(line_of(row))[SEAL]
    except ValueError:
        seal = ""
    return json.dumps({**json.loads(text), SEAL: seal}).encode()


def test_a_row_comes_back():
    """What is written is read, without its seal."""
    assert row_of(line_of(ROW)) == ROW


@pytest.mark.parametrize(("name", "entry"), WRONG)
def test_entries_of_another_kind(name, entry):
    """A15: a row with an entry that cannot be is none, even if it is sealed."""
    assert row_of(sealed({**ROW, name: entry})) is None


@pytest.mark.parametrize(("name", "entry"), [("seed", 4), ("frames", 8), ("mean", {"polarization": 0.6})])
def test_edited_entries(name, entry):
    """A15: a row that was edited is none."""
    edited = json.loads(line_of(ROW)) | {name: entry}

    assert row_of(json.dumps(edited).encode()) is None


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"run": ' + b"9" * 5000 + b"}", b"\xff", b"null", b"[]", b" " * 2_000_000]
)
def test_lines_that_are_no_rows(line):
    """A15: whatever stands in a line, it is a row or nothing."""
    assert row_of(line) is None


def test_damaged_lines_are_named(tmp_path):
    """A15: whoever opens a manifest learns which lines cannot be believed."""
    (tmp_path / LINES).write_bytes(line_of(ROW) + b"{}\n\n" + line_of({**ROW, "run": "b"}) + b"[")
    with Manifest(tmp_path) as manifest:
        assert manifest.damaged == [2, 5]
        assert manifest.row("b") is not None
