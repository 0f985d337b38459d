"""`sweep --crate`: the directory, read back by the library of RO-Crates."""

import hashlib
import sys
from pathlib import Path
from urllib.parse import unquote

CALL = ("sweep", "quickstart", "--vary", "flock.count=5,6", "--frames", "2", "--jobs", "1", "-o", "runs", "--crate")


def test_a_crate_describes_every_file(boidsgen):
    """All files are there with their checksums, and no other; one action made them, by the versions of the manifest."""
    more = ("--format", "png", "--series", "csv")
    assert boidsgen(*CALL, *more).code == 0
    assert boidsgen(*CALL, *more).code == 0  # again, over its own file
    from rocrate.rocrate import ROCrate

    crate = ROCrate("runs")
    described = {unquote(one.id).rstrip("/"): one for one in crate.data_entities}
    there = {path.name for path in Path("runs").iterdir() if not path.name.startswith(".")}
    assert described.keys() == there - {"ro-crate-metadata.json"}
    for name, one in described.items():
        if (path := Path("runs", name)).is_file():
            assert one["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
            assert one["contentSize"] == str(path.stat().st_size)
    action = crate.root_dataset["mentions"]
    assert action["object"].id == "study.toml"
    assert {unquote(one.id).rstrip("/") for one in action["result"]} == described.keys() - {"study.toml"}
    versions = ", ".join(f"{one['name']} {one['version']}" for one in action["instrument"])
    assert f'"versions": "{versions}"' in Path("runs", "manifest.jsonl").read_text("utf-8")


def test_foreign_metadata_are_kept(boidsgen):
    """A crate that boidsgen did not write is refused before any run."""
    Path("runs").mkdir()
    Path("runs", "ro-crate-metadata.json").write_text("{}")
    ran = boidsgen(*CALL)

    assert ran.code == 5
    assert "ro-crate-metadata.json" in ran.lines[0]
    assert Path("runs", "ro-crate-metadata.json").read_text() == "{}"
    assert not Path("runs", "manifest.csv").exists()


def test_needs_the_library(boidsgen, monkeypatch):
    """Without it there is one line with the command that installs it, before any run."""
    monkeypatch.setitem(sys.modules, "rocrate.rocrate", None)
    ran = boidsgen(*CALL)

    assert ran.lines == [
        "boidsgen: --crate needs rocrate.rocrate, which is not installed: pip install 'boidsgen[crate]'"
    ]
    assert not Path("runs").exists()
