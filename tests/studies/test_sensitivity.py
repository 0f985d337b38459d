"""Sensitivity indices of a function whose indices are known, and of runs."""

import csv
from pathlib import Path

import numpy as np
import pytest

from boidsgen.studies.design import indices

A, B = 7.0, 0.1
VARIANCE = A**2 / 8 + B * np.pi**4 / 5 + B**2 * np.pi**8 / 18 + 0.5
FIRST = np.array([0.5 * (1 + B * np.pi**4 / 5) ** 2, A**2 / 8, 0]) / VARIANCE
TOTAL = FIRST + np.array([1, 0, 1]) * 8 * B**2 * np.pi**8 / 225 / VARIANCE
"""Of the function of T. Ishigami and T. Homma, An importance quantification technique in uncertainty analysis, 1990."""


def _ishigami(blocks, noise, seeds, seed):
    """Values at the points of independent blocks, each with the noise of so many seeds, (blocks, 5, seeds)."""
    random = np.random.default_rng(seed)
    both = random.uniform(-np.pi, np.pi, (blocks, 2, 3))
    mixed = np.where(np.eye(3, dtype=bool), both[:, 1:], both[:, :1])
    x = np.concatenate([both[:, :1], mixed, both[:, 1:]], axis=1)
    exact = np.sin(x[..., 0]) + A * np.sin(x[..., 1]) ** 2 + B * x[..., 2] ** 4 * np.sin(x[..., 0])
    return exact[..., None] + noise * random.standard_normal((blocks, 5, seeds))


@pytest.mark.parametrize("noise", [*(pytest.param(one, marks=pytest.mark.slow) for one in (0.0, 2.0)), 4.0])
def test_intervals_contain_the_exact_indices(noise):
    """Whatever the noise, each interval has the exact index in at least 9 of 10 of forty repetitions."""
    inside = np.zeros(6)
    for seed in range(40):
        found = indices("y", _ishigami(128, noise, 2, seed))
        inside += [
            one.low <= exact <= one.high
            for one, exact in zip([*found.first, *found.total], [*FIRST, *TOTAL], strict=True)
        ]

    assert inside.min() >= 36


def test_noise_is_apart():
    """Noise changes its own share and no index: without taking it off, the totals would grow by a half."""
    found = indices("y", _ishigami(4000, 4.0, 2, 1))

    assert [one.value for one in found.total] == pytest.approx(TOTAL, abs=0.06)
    assert [one.value for one in found.first] == pytest.approx(FIRST, abs=0.08)
    assert found.noise == pytest.approx(16 / (16 + VARIANCE), abs=0.03)


def test_noise_alone_has_no_indices():
    """Where nothing but noise varies there is nothing to divide."""
    assert indices("y", np.random.default_rng(1).standard_normal((64, 5, 2))) is None


def test_a_table_and_a_figure(boidsgen):
    """A sweep with the design has indices of its measures, as a table and as a figure."""
    pytest.importorskip("scipy", reason="needs scipy: pip install 'boidsgen[study]'")
    pytest.importorskip("matplotlib")
    keys = ["--vary", "flock.max_speed=1:4", "--vary", "flock.count=5:9"]
    boidsgen("sweep", "quickstart", "--frames", 2, "--design", "saltelli", "--runs", 64, "--seeds", 2, *keys, "--measures-only", "-o", "runs")  # fmt: skip  # noqa: E501

    told = boidsgen("sensitivity", "runs", "--measure", "mean_speed", "-o", "indices.csv", "-o", "indices.svg")

    assert told.out.split() == ["indices.csv", "indices.svg"]
    speed, count = csv.DictReader(Path("indices.csv").read_text().splitlines())
    assert float(speed["total_low"]) > float(count["total_high"])
    assert Path("indices.svg").stat().st_size
