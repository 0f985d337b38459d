from pathlib import Path

import pytest

from tests.systems import native


def test_measure_writes_a_table(boidsgen):
    """One row a frame and seed; without -o the table has the usual place."""
    assert boidsgen("measure", "small.toml", "--seeds", 2, "-o", "s.csv", "-o", "s.jsonl").paths == ["s.csv", "s.jsonl"]
    assert boidsgen("measure", "small.toml").paths == [native("outputs/small.csv")]

    assert len(Path("s.csv").read_text().splitlines()) == 1 + 2 * 3


def test_measure_streams_and_plots(boidsgen):
    """Standard output may get the table itself; a figure comes with it or alone."""
    pytest.importorskip("matplotlib")
    ran = boidsgen("measure", "small.toml", "-o", "-", "--format", "csv", "--plot", "fig.svg")
    alone = boidsgen("measure", "small.toml", "--plot", "fig.png")

    assert ran.out.startswith("seed,frame,time,")
    assert ran.paths[-1] == "fig.svg"
    assert alone.paths == ["fig.png"]
    assert boidsgen("new", "again.toml", "--from", "fig.png").code == 0
