import os
import re
from pathlib import Path


def test_doctor(boidsgen):
    """Every finding has a line, and the place of outputs is told without being made."""
    ran = boidsgen("doctor")
    found = [re.split(r"\s+", line)[0] for line in ran.paths]

    assert (ran.code, ran.err) == (0, "")
    assert {"python", "boidsgen", "numpy", "engines", "ffmpeg", "outputs"} <= set(found)
    assert not Path("outputs").exists()


def test_doctor_without_ffmpeg(boidsgen, monkeypatch):
    """A missing encoder is a finding, not a failure."""
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", os.devnull)
    ran = boidsgen("doctor")

    assert ran.code == 0
    assert "missing, so no mp4" in ran.out
