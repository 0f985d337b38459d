import csv
import json

import pytest

from boidsgen.errors import StorageError
from boidsgen.simulation.measures import USUAL_MEASURES
from boidsgen.studies.sweep.directory import fingerprint
from boidsgen.studies.sweep.manifest import LINES, SPREADSHEET, Manifest, holds, plain
from tests.systems import refusal


def _row(run, **entries):
    return {"run": run, "status": "done", "file": f"{run}.gif", "seed": 1, **entries}


def _lines(directory):
    return [json.loads(line) for line in (directory / LINES).read_text().splitlines()]


def _table(directory):
    with (directory / SPREADSHEET).open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_come_back(tmp_path):
    """What was added is there when the manifest is opened again, the latest of each run."""
    with Manifest(tmp_path) as manifest:
        manifest.add(_row("a", seconds=1))
        manifest.add(_row("b"))
        manifest.add(_row("a", seconds=2))

    with Manifest(tmp_path) as manifest:
        assert manifest.row("a") == _row("a", seconds=2)
        assert manifest.row("b") == _row("b")
        assert manifest.row("c") is None


@pytest.mark.parametrize(
    "damage",
    [b"\xff\xfe", b'{"run": "a", "sta', b"[1, 2]\n", b'{"run": 3, "status": "done"}\n', b"[" * 100_000, b"\0" * 50],
    ids=["no text", "cut off", "no row", "no name", "deep", "zeros"],
)
def test_damaged_lines_count_as_not_there(tmp_path, damage):
    """Damage costs the line that it is in and no other, and the next row begins a line of its own."""
    with Manifest(tmp_path) as manifest:
        manifest.add(_row("a"))
    with (tmp_path / LINES).open("ab") as file:
        file.write(damage)
    with Manifest(tmp_path) as manifest:
        manifest.add(_row("b"))

    with Manifest(tmp_path) as manifest:
        assert (manifest.row("a"), manifest.row("b")) == (_row("a"), _row("b"))


def test_publishing_puts_rows_in_order(tmp_path):
    """Both files have a line a run in the order of the sweep; runs of earlier sweeps stay in the first file only."""
    with Manifest(tmp_path) as manifest:
        for run in ("old", "b", "a", "b"):
            manifest.add(_row(run))
        manifest.publish(lambda: iter([_row("a"), _row("b")]), [])

    assert [row["run"] for row in _lines(tmp_path)] == ["a", "b", "old"]
    assert [row["run"] for row in _table(tmp_path)] == ["a", "b"]


def test_rows_that_came_after_publishing_are_not_published(tmp_path):
    """A stopped sweep lists runs as waiting; what the next one did until it was killed is put in order later."""
    waiting, done = [_row("a", status="waiting"), _row("b")], [_row("a"), _row("b")]
    with Manifest(tmp_path) as manifest:
        manifest.publish(lambda: waiting, ["seed"])
        assert manifest.published(["a", "b"], ["seed"], USUAL_MEASURES)
        manifest.add(_row("a"))
        assert not manifest.published(["a", "b"], ["seed"], USUAL_MEASURES)

    with Manifest(tmp_path) as manifest:
        assert not manifest.published(["a", "b"], ["seed"], USUAL_MEASURES)
        manifest.publish(lambda: done, ["seed"])
        assert manifest.published(["a", "b"], ["seed"], USUAL_MEASURES)

    assert [row["status"] for row in _table(tmp_path)] == ["done", "done"]
    assert len(_lines(tmp_path)) == 2


def test_a_run_that_waits_keeps_what_was_known(tmp_path):
    """A sweep that is stopped does not forget what an earlier one knew."""
    with Manifest(tmp_path) as manifest:
        manifest.add(_row("a", digest="f00"))
        manifest.publish(lambda: iter([_row("a", status="waiting"), _row("b", status="waiting")]), [])

    assert [(row["run"], row["status"]) for row in _lines(tmp_path)] == [("a", "done"), ("b", "waiting")]
    assert [row["status"] for row in _table(tmp_path)] == ["waiting", "waiting"]


def test_the_spreadsheet_is_flat(tmp_path):
    """Parameters and measures have columns of their own; text is as it is and lists are TOML."""
    row = _row("a", parameters={"flock.count": 3, "seed": 1, "title": 'x,"y"', "world.size": [4, 5]})
    with Manifest(tmp_path) as manifest:
        row |= {"final": {"polarization": 0.5}, "mean": {"polarization": 0.25}, "reason": "line\nline"}
        manifest.publish(lambda: iter([row]), list(row["parameters"]))

    [found] = _table(tmp_path)
    assert (found["flock.count"], found["seed"], found["title"], found["world.size"]) == ("3", "1", 'x,"y"', "[4, 5]")
    assert (found["final.polarization"], found["mean.polarization"], found["mean.rotation"]) == ("0.5", "0.25", "")
    assert (found["reason"], found["digest"]) == ("line\nline", "")


def test_a_manifest_that_cannot_be_opened(tmp_path):
    """What stands in the way is told as an error of the disk."""
    (tmp_path / LINES).mkdir()
    reason = refusal((tmp_path / LINES).read_bytes)

    with pytest.raises(StorageError, match=rf"manifest\.jsonl: {reason}"):
        Manifest(tmp_path)


def test_what_holds(tmp_path):
    """A row is believed only when scenario, versions, size and content are as it says."""
    (tmp_path / "a.gif").write_bytes(b"GIF")
    expected = {"run": "a", "file": "a.gif", "scenario": "1", "versions": "2"}
    row = {**expected, "status": "done", **fingerprint(tmp_path / "a.gif")}

    assert holds(row, expected, tmp_path)
    assert not holds(None, expected, tmp_path)
    for name in row:
        assert not holds({**row, name: "other"}, expected, tmp_path)
        assert not holds({key: value for key, value in row.items() if key != name}, expected, tmp_path)
    (tmp_path / "a.gif").write_bytes(b"GIV")
    assert not holds(row, expected, tmp_path)
    (tmp_path / "a.gif").unlink()
    assert not holds(row, expected, tmp_path)


def test_what_holds_without_output(tmp_path):
    """A run that was only measured has no output to look at."""
    expected = {"run": "a", "file": "", "scenario": "1", "versions": "2"}

    assert holds({**expected, "status": "done"}, expected, tmp_path)


def test_plain():
    """Infinity becomes text, wherever it stands; everything else stays."""
    assert plain({"a": float("inf"), "b": (1, float("-inf")), "c": "x", "d": None}) == {
        "a": "inf",
        "b": [1, "-inf"],
        "c": "x",
        "d": None,
    }
