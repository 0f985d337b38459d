"""Cost: how much work a scenario asks for, and what of it goes beyond its limits.

`cost(scenario)` has an entry for each key of `[limits]`, except `runs`, which is about sweeps. Everything is estimated
from the keys before anything is allocated; `refuse_excess(scenario)` stops a run that a typing slip made a thousand
times too large.
"""

import math

from boidsgen.errors import LimitError
from boidsgen.scenario.grammar import MAX_INTEGER
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.neighbors import unbounded
from boidsgen.simulation.steering import SteeredGroup

SECONDS_PER_FRAME, SECONDS_PER_PIXEL = 1e-3, 2e-8
SECONDS_PER_STEP, SECONDS_PER_BOID, SECONDS_PER_NEIGHBOR = 3e-4, 1e-6, 3e-7
"""Measured on one core of an ordinary machine, with the engine that needs no compiler."""


def cost(scenario: Scenario) -> dict[str, int]:
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


def animals(scenario: Scenario) -> int:
    """Boids and predators together."""
    return sum(_sizes(scenario))


def neighbor_visits(scenario: Scenario) -> int:
    """Neighbors looked at in the whole run if the boids stay evenly spread; at least one per boid and step."""
    total = animals(scenario)
    shares = [_share_in_reach(scenario, group) for group in _groups(scenario)]
    seen = sum(size * max(1.0, total * share) for size, share in zip(_sizes(scenario), shares, strict=True))
    return math.ceil(scenario.steps * seen)


def seconds(scenario: Scenario) -> float:
    """How long the run will take, roughly: measured on one core of an ordinary machine."""
    width, height = scenario.picture_size
    drawing = scenario.time.frames * (SECONDS_PER_FRAME + width * height * SECONDS_PER_PIXEL)
    boids = animals(scenario) * (scenario.steps + scenario.time.frames) * SECONDS_PER_BOID
    return drawing + scenario.steps * SECONDS_PER_STEP + boids + neighbor_visits(scenario) * SECONDS_PER_NEIGHBOR


def excess(scenario: Scenario) -> list[str]:
    """What goes beyond the limits, a line each: the estimate, the limit and the key that raises it."""
    limits = scenario.limits.model_dump()
    return [_line(name, amount, limits[name]) for name, amount in cost(scenario).items() if amount > limits[name]]


def _line(name: str, amount: int, limit: int) -> str:
    what = name.replace("_", " ")
    if amount > MAX_INTEGER:
        return f"about 10^{int(math.log10(amount))} {what} wanted, {limit:,} allowed; no limit can allow that"
    return f"{amount:,} {what} wanted, {limit:,} allowed; --set limits.{name}={amount} allows it"


def refuse_excess(scenario: Scenario, label: str = "") -> None:
    """Stop before anything is allocated.

    Args:
        scenario: that is to be run.
        label: how messages name it, where there may be several.

    Raises:
        LimitError: when the scenario goes beyond its limits.
    """
    provenance(scenario)  # what could not be read again must not be written
    if lines := excess(scenario):
        raise LimitError("\n".join(f"{label}: {line}" if label else line for line in lines))


def _sizes(scenario: Scenario) -> tuple[int, ...]:
    """The most animals that there are of each group."""
    return (*scenario.most_boids, *(group.count for group in scenario.predators))


def _groups(scenario: Scenario) -> tuple[SteeredGroup, ...]:
    return (*scenario.flock, *scenario.predators)


def _share_in_reach(scenario: Scenario, group: SteeredGroup) -> float:
    """The part of the world, as a box, that the farthest-reaching rule looks through; sums over everyone are free."""
    requests = (*group.own_requests, *group.other_requests)
    reach = max((request.radius for request in requests if not unbounded.is_about_everyone(request)), default=0.0)
    return math.prod(min(1.0, 2 * reach / side) for side in scenario.world.size)
