"""Calls as programs make them, which type checkers hold: `just types` lets mypy and pyright read this file."""

from collections.abc import Mapping
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import boidsgen
from boidsgen import Records, Report, Run, Scenario, State, Still, Webpage


def leftmost(state: State) -> float | None:
    """A measure of a program."""
    return float(state.flocks[0].position[:, 0].min())


def calls(scenario: Scenario, keys: Mapping[str, object]) -> None:
    """Every function, with keywords that have types, with keys, and with overrides."""
    assert_type(boidsgen.render(scenario, "a.gif", "b.mp4", frames=2, size=(64, 64), flock__count=3), Report)
    assert_type(boidsgen.still("quickstart", "a.png", at=[0, 1], frames=2, overrides=keys), Still)
    run = boidsgen.simulate({"flock": {"count": 3}}, frames=2, seed=7)
    assert_type(run, Run)
    assert_type([state.time for state in run], list[float])
    assert_type(boidsgen.record(scenario, "a.npz", every=2, seed=1), tuple[str, ...])
    assert_type(boidsgen.compare([scenario], "a.gif", quality="draft", fps=25), Report | Still)
    assert_type(boidsgen.page(scenario, frames=2), Webpage)
    table = boidsgen.measure(scenario, seeds=2, measures=[leftmost], measure__names=["groups"])
    assert_type(table, Records)
    assert_type(table["groups"], NDArray[Any])
    assert_type(table[0], Mapping[str, Any])
    assert_type(boidsgen.sweep(scenario, {"flock.count": np.arange(3)}, until={"error.groups": 0.1}, seeds=9), Records)
    assert_type(boidsgen.describe("runs", latex=True), str)
    boidsgen.plot("runs", "groups", only={"flock.count": 3}).set_title("groups")
    assert_type(boidsgen.tracks("a.csv", "a.npz", columns="frame,id,x,y", fps=30), tuple[str, ...])
