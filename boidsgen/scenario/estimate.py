"""Estimate: the amount of work in a scenario, known before anything is allocated.

`cost(scenario)` has an amount for each key of `[limits]` except `runs`, which is about sweeps; `refuse_excess` stops a
run that a typing error has made a thousand times too large, and `seconds` estimates its time. `best_reduction` fits a
clip to `output.max_bytes`: the rate is lowered by leaving out frames, so that the clip lasts as long as before and the
run is the same. Nothing is guessed there: the size of a GIF depends on every pixel, and bisection takes six clips at
most.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from boidsgen.errors import LimitError
from boidsgen.scenario.annotations import MAX_INTEGER
from boidsgen.simulation.engines import animals, groups_of, visits

if TYPE_CHECKING:
    from boidsgen.scenario.scenario import Scenario


def cost(scenario: "Scenario") -> dict[str, int]:
    """The amount of everything that has a limit, by the names of the limits."""
    width, height = scenario.picture_size
    return {
        "boids": animals(scenario),
        "frames": scenario.time.frames,
        "steps": scenario.steps,
        "pixels": width * height,
        "total_pixels": width * height * scenario.time.frames,
        "neighbor_visits": neighbor_visits(scenario),
    }


def neighbor_visits(scenario: "Scenario") -> int:
    """Neighbors looked at in the whole run; boids with sequential updates look at everyone of their kind."""
    return visits(scenario) + scenario.steps * sum(turns * turns for turns in scenario.most_turns)


def seconds(scenario: "Scenario") -> float:
    """Time of the run on one core of an ordinary machine, with the numpy engine, roughly.

    The coefficients were fitted to measured runs of random scenarios.
    """
    width, height = scenario.picture_size
    steps, frames, boids = scenario.steps, scenario.time.frames, animals(scenario)
    groups, obstacles = len(groups_of(scenario)), len(scenario.obstacles)
    measures = {name for layer in scenario.layers for name in layer.measures()}
    spread = max(boids - 1, 0) / (boids + 1)  # mean extent of the boids, as a fraction of the picture's side
    return (
        1.4e-2
        + frames * 8.3e-4
        + frames * width * height * (2.8e-9 + 3.2e-9 * spread**2)
        + frames * boids * (2e-6 * len(measures) + 2.2e-7 * scenario.style.trails)
        + boids * (steps + frames) * 3.4e-6
        + steps * groups * (9.5e-4 + 2.6e-4 * (groups - 1))
        + steps * obstacles * (8.9e-5 * groups + 4e-8 * boids)
        + steps * sum(scenario.most_turns) * 3e-4
        + neighbor_visits(scenario) * 5.8e-8
    )


def excess(scenario: "Scenario") -> list[str]:
    """A line about each amount beyond its limit: the estimate, the limit, and the key that raises it."""
    limits, lines = dict(scenario.limits), []
    for name, amount in cost(scenario).items():
        what = name.replace("_", " ")
        if amount > MAX_INTEGER:
            power = int(math.log10(amount))
            lines.append(f"about 10^{power} {what} wanted, {limits[name]:,} allowed; no limit can allow that")
        elif amount > limits[name]:
            raised = f"--set limits.{name}={amount} allows it"
            lines.append(f"{amount:,} {what} wanted, {limits[name]:,} allowed; {raised}")
    return lines


def refuse_excess(scenario: "Scenario", label: str = "") -> None:
    """Raise LimitError for a scenario beyond its limits, with its label where there may be several."""
    if lines := excess(scenario):
        raise LimitError("\n".join(f"{label}: {line}" if label else line for line in lines))


SHARES = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25)
"""Factors of width and height."""
RATES = (1, 2, 3)
"""One of this many frames may be kept."""
MIN_FPS = 8.0
"""Frames a second below which motion is no longer smooth."""
MIN_SIDE = 48
"""Pixels of a side below which boids are no longer distinguishable."""


class Reduction(NamedTuple):
    """The size and rate of a reduced clip.

    Attributes:
        size: width and height in pixels.
        every: one of this many frames is kept, the first among them.
    """

    size: tuple[int, int]
    every: int = 1

    def kept(self, frames: int) -> int:
        """The number of frames that are kept of this many."""
        return -(-frames // self.every)


def reductions_of(size: tuple[int, int], fps: float) -> list[Reduction]:
    """The reductions of a clip of this size and rate, the best one first, which is the clip as it is.

    A better reduction has a longer side times more frames a second, which decides the bytes, too; of equal ones the one
    with more frames is better.
    """
    sizes = [(max(1, round(size[0] * share)), max(1, round(size[1] * share))) for share in SHARES]
    rates = [every for every in RATES if every == 1 or fps / every >= MIN_FPS]
    found = [Reduction(one, every) for one in sizes for every in rates if one == size or min(one) >= MIN_SIDE]
    return sorted(found, key=lambda one: (-one.size[0] / one.every, one.every))


def best_reduction(scenario: "Scenario", bytes_of: Callable[[Reduction], int], label: str = "") -> Reduction:
    """The best reduction of a scenario's clip that fits.

    Args:
        scenario: of the clip.
        bytes_of: makes a reduced clip, and returns its size.
        label: its name in messages, where there may be several.

    Raises:
        LimitError: when none fits.
    """
    allowed = scenario.output.max_bytes
    found = reductions_of(scenario.picture_size, scenario.output.fps)
    if allowed is None or bytes_of(found[0]) <= allowed:
        return found[0]
    low, high = 1, len(found)
    least = 0
    while low < high:
        middle = (low + high) // 2
        size = bytes_of(found[middle])
        low, high, least = (low, middle, least) if size <= allowed else (middle + 1, high, size)
    if low < len(found):
        return found[low]
    width, height = found[-1].size
    named = f"{label}: " if label else ""
    raise LimitError(
        f"{named}output.max_bytes: {allowed:,} is too small: with {width} x {height} pixels and "
        f"{scenario.output.fps / found[-1].every:g} frames a second the gif still has {least:,}; make the clip shorter"
    )
