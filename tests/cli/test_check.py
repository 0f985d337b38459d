"""Commands that only report: check and doctor."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.systems import native


def test_check_reports_what_will_be_rendered(boidsgen):
    """A valid scenario is described, with its cost."""
    ran = boidsgen("check", "small.toml", "--set", "output.fps=10")

    assert (ran.code, ran.err) == (0, "")
    assert ran.paths == [
        "small.toml: a valid scenario",
        "  picture     64 x 48 pixels, gif",
        "  clip        3 frames, 0.3 s at 10 frames a second",
        "  simulation  5 animals, 2 steps, about 50 neighbor visits",
        "  time        roughly 0 s",
        f"  output      {native('outputs/small.gif')}",
    ]
    assert not Path("outputs").exists()


FINDINGS = {
    *("python", "system", "cores", "boidsgen", "numpy", "pillow", "imageio", "imageio-ffmpeg", "fonttools"),
    *("pydantic", "typer", "numba", "matplotlib", "distributed", "pandas", "xarray", "packages", "engines"),
    *("compiled code", "formats", "ffmpeg", "fonts", "terminal", "outputs", "leftovers"),
}


def test_doctor(boidsgen):
    """Every finding has a line, and the same object has them all; nothing is made."""
    ran = boidsgen("doctor")
    found = json.loads(boidsgen("doctor", "--json").out)

    assert (ran.code, ran.err) == (0, "")
    assert {re.split(r"\s\s+", line)[0] for line in ran.paths} == set(found) == FINDINGS
    assert sys.executable in found["python"]
    assert "SourceSansPro" in found["fonts"]
    assert re.fullmatch(r"[1-9]\d* usable of [1-9]\d*", found["cores"])
    assert not Path("outputs").exists()


def test_doctor_without_ffmpeg(boidsgen, monkeypatch):
    """A missing encoder is a finding, not a failure."""
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", os.devnull)
    ran = boidsgen("doctor")

    assert (ran.code, "missing, so no mp4" in ran.out) == (0, True)


def test_doctor_shows_the_cache(boidsgen, monkeypatch, tmp_path):
    """The folder of compiled code is numba's own; where there is none, that is shown too."""
    config = pytest.importorskip("numba.core.config")
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    kept = json.loads(boidsgen("doctor", "--json").out)["compiled code"]
    monkeypatch.setattr("numba.core.caching.CompileResultCacheImpl._locator_classes", [])
    lost = json.loads(boidsgen("doctor", "--json").out)["compiled code"]

    assert kept.startswith(str(tmp_path / "cache"))
    assert kept.endswith(", writable")
    assert lost.startswith("cannot be cached")
