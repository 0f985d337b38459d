"""What `check` says a run takes, and what it takes: random scenarios, drawn and encoded."""

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from boidsgen.pipeline import render
from boidsgen.scenario.cost import seconds
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source
from boidsgen.scenario.work import SECONDS, work
from tests.benchmarks.table import Row

NUMBER = 200
FACTOR = 2.0
LEAST, MOST = 0.4, 4.0
"""Seconds of the runs that are tried: shorter ones are told as 0 s, longer ones would take all day."""


def scenarios(number: int) -> Iterator[Scenario]:
    """Random scenarios whose estimate lies within the bounds."""
    chance = random.Random(1)  # noqa: S311  no secret
    while number:
        scenario = draft(Source("random", "random", _text(chance))).scenario()
        if LEAST <= seconds(scenario) <= MOST:
            number -= 1
            yield scenario


def taken(scenario: Scenario) -> float:
    """Seconds of processor time that the run takes."""
    with tempfile.TemporaryDirectory() as directory:
        began = time.process_time()
        render(scenario, Path(directory) / "run.gif", engine="numpy")
        return time.process_time() - began


def fitted(amounts: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The factors, none below a tenth of the present ones, whose relative errors are least in the mean of squares."""
    present = np.array(list(SECONDS.values()))
    scaled = amounts * present / found[:, None]
    factor = np.ones(len(present))
    rate = 1.0 / np.linalg.norm(scaled, 2) ** 2
    for _ in range(20_000):
        factor = np.maximum(factor - rate * scaled.T @ (scaled @ factor - 1), 0.1)
    return factor * present


def rows() -> Iterator[Row]:
    """How far the estimates are off, and the factors that would fit best."""
    chosen = list(scenarios(NUMBER))
    found = np.array([taken(scenario) for scenario in chosen])
    told = np.array([seconds(scenario) for scenario in chosen])
    off = np.maximum(found / told, told / found)
    yield Row(
        "estimate",
        f"{NUMBER} scenarios",
        f"{(off <= FACTOR).sum()} within a factor of {FACTOR:g}; worst {off.max():.1f}",
    )
    best = fitted(np.array([list(work(scenario).values()) for scenario in chosen]), found)
    for kind, factor in zip(SECONDS, best, strict=True):
        yield Row("estimate", f"seconds of {kind}", f"{SECONDS[kind]:.2g}, best {factor:.2g}")


def _text(chance: random.Random) -> str:
    flocks = "".join(_flock(chance) for _ in range(chance.choice((1, 1, 1, 2, 3, 12))))
    size = chance.choice(((160, 120), (320, 240), (640, 360), (1280, 720)))
    obstacles = "".join(
        f'[[obstacles]]\nkind = "circle"\ncenter = [{chance.uniform(0, 300):.1f}, 50]\nradius = 9\n'
        for _ in range(chance.choice((0, 0, 0, 3, 100)))
    )
    events = "".join(
        f"[[events]]\nat = {at}\nover = {chance.choice((0, 5))}\n"
        f'set = {{ "flock.0.max_speed" = {chance.uniform(3, 6):.1f} }}\n'
        for at in range(chance.choice((0, 0, 3, 40)))
    )
    hud = chance.choice(("", "[overlay]\nhud = true\n"))
    return (
        f"seed = {chance.randrange(1000)}\n[world]\nsize = [{chance.choice((200, 400, 900))}, 400]\n"
        f"[time]\nframes = {chance.choice((10, 50, 150, 400))}\nsteps_per_frame = {chance.choice((1, 1, 3))}\n"
        f"[output]\nsize = {list(size)}\n[style]\ntrails = {chance.choice((0, 0, 15))}\n"
        f"{hud}{flocks}{obstacles}{events}"
    )


def _flock(chance: random.Random) -> str:
    layout = chance.choice(("uniform", "uniform", "center", "disc", "ring", "grid"))
    return (
        f'[[flock]]\nname = "f{chance.randrange(10**6)}"\ncount = {chance.choice((1, 20, 100, 400, 1500))}\n'
        f'start = "{layout}"\n[flock.perception]\nradius = {chance.choice((20, 50, 100))}\n'
    )
