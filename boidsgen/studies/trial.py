"""Trial: how long a run will take, and how large its clip will be, found by doing its beginning.

What a step and a frame take depends on the machine, on how crowded the flock is, on what is drawn and on the encoder;
a formula with one number for each was off by a factor of four. So the first frames are simulated, drawn and encoded
twice, some more of them the second time: the difference is what a frame takes, all that happens beside included, and
the rest what it takes to begin. Steps before the first frame are timed apart, since nothing of them is drawn.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from boidsgen.errors import BoidsgenError
from boidsgen.output.targets import Target
from boidsgen.pipeline import render
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.run import announcement, engine_name

LONGEST = 5.0
"""Seconds, by the formula, that a trial may take."""

WANTED, FEWEST, MOST = 0.5, 6, 60
"""Seconds that the additional frames of a trial should take, by the formula, and their bounds."""

BEGINNING = 2
"""Frames of the first, shorter part of a trial: the second one shows what only the first has to make."""


class Forecast(NamedTuple):
    """What is expected of a run.

    Attributes:
        seconds: that it will take.
        size: of its clip, in bytes.
    """

    seconds: float
    size: float


class Sample(NamedTuple):
    """What some frames took.

    Attributes:
        seconds: for all of them.
        size: in bytes.
    """

    seconds: float
    size: int


def forecast(scenario: Scenario, output_format: str, formula: float) -> Forecast | None:
    """What is expected of a run; None where even its beginning takes long, or cannot be made, or is made to fit.

    Args:
        scenario: of the run.
        output_format: of its clip.
        formula: seconds that it takes by `scenario.estimate.seconds`.
    """
    frames = scenario.time.frames
    wanted = min(MOST, max(FEWEST, round(WANTED * frames / formula)))
    if scenario.output.max_bytes or frames < 4 * wanted or formula / frames * wanted > LONGEST:
        return None
    engine = "numpy" if announcement(scenario, "auto") else engine_name("auto", scenario)
    try:
        with TemporaryDirectory() as folder:
            target = Target(str(Path(folder) / "trial"), output_format)
            _rendering(_beginning(scenario, 1), target, engine)  # what is imported, loaded and drawn once for all
            little = _rendering(_beginning(scenario, BEGINNING), target, engine)
            more = _rendering(_beginning(scenario, BEGINNING + wanted), target, engine)
    except (BoidsgenError, MemoryError, OSError):  # the run itself will tell
        return None
    warming = scenario.time.warmup * _step(scenario, engine) if scenario.time.warmup else 0.0
    further = (frames - BEGINNING) / wanted
    return Forecast(
        warming + little.seconds + further * max(more.seconds - little.seconds, 0.0),
        little.size + (scenario.clip_frames - BEGINNING) / wanted * max(more.size - little.size, 0),
    )


def _rendering(scenario: Scenario, target: Target, engine: str) -> Sample:
    """What it takes."""
    seconds = render(scenario, target, engine=engine).seconds
    made = Path(target.path)
    return Sample(seconds, sum(one.stat().st_size for one in (made.iterdir() if made.is_dir() else [made])))


def _step(scenario: Scenario, engine: str) -> float:
    """Seconds of a step."""
    states = simulate(_beginning(scenario, FEWEST + 1), engine)
    next(states)
    began = time.perf_counter()
    for _ in states:
        pass
    return (time.perf_counter() - began) / FEWEST / scenario.time.steps_per_frame


def _beginning(scenario: Scenario, frames: int) -> Scenario:
    """The scenario with so many frames, the first one at once."""
    clock = scenario.time.model_copy(update={"frames": frames, "warmup": 0})
    return scenario.model_copy(update={"time": clock, "output": scenario.output.model_copy(update={"loop_seam": 0})})
