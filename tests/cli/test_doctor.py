import json
import os
import re
import sys
from pathlib import Path

import pytest

EVERYTHING = {
    *(
        "python",
        "system",
        "cores",
        "boidsgen",
        "numpy",
        "pillow",
        "imageio",
        "imageio-ffmpeg",
        "fonttools",
        "pydantic",
        "typer",
    ),
    *("numba", "matplotlib", "distributed", "engines", "compiled code", "formats", "ffmpeg", "fonts", "terminal"),
    *("pandas", "xarray", "packages"),
    "outputs",
}


def test_doctor(boidsgen):
    """Every finding has a line, and the place of outputs is told without being made."""
    ran = boidsgen("doctor")
    found = [re.split(r"\s\s+", line)[0] for line in ran.paths]

    assert (ran.code, ran.err) == (0, "")
    assert set(found) == EVERYTHING
    assert not Path("outputs").exists()


def test_doctor_for_programs(boidsgen):
    """One object with the same findings."""
    found = json.loads(boidsgen("doctor", "--json").out)

    assert set(found) == EVERYTHING
    assert sys.executable in found["python"]
    assert "SourceSansPro" in found["fonts"]
    assert re.fullmatch(r"[1-9]\d* usable of [1-9]\d*", found["cores"])


def test_doctor_without_ffmpeg(boidsgen, monkeypatch):
    """A missing encoder is a finding, not a failure."""
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", os.devnull)
    ran = boidsgen("doctor")

    assert ran.code == 0
    assert "missing, so no mp4" in ran.out


def test_doctor_tells_where_compiled_code_is_kept(boidsgen, monkeypatch, tmp_path):
    """The place is numba's own, and that there is none is told too."""
    config = pytest.importorskip("numba.core.config")
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    kept = json.loads(boidsgen("doctor", "--json").out)["compiled code"]
    monkeypatch.setattr("numba.core.caching.CompileResultCacheImpl._locator_classes", [])
    lost = json.loads(boidsgen("doctor", "--json").out)["compiled code"]

    assert kept.startswith(str(tmp_path / "cache"))
    assert kept.endswith(", writable")
    assert lost.startswith("cannot be kept anywhere")
