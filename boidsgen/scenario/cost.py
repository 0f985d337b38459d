"""Cost: how much work a scenario asks for, and what of it goes beyond its limits.

`cost(scenario)` has an entry for each key of `[limits]`, except `runs`, which is about sweeps. Everything is estimated
from the keys before anything is allocated; `refuse_excess(scenario)` stops a run that a slip of the keyboard has made a
thousand times too large.
"""

import math

from boidsgen.errors import LimitError
from boidsgen.scenario.grammar import MAX_INTEGER
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.work import SECONDS, looks, work
from boidsgen.simulation.visits import animals, visits


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


def neighbor_visits(scenario: Scenario) -> int:
    """Neighbors looked at in the whole run, from the actual start until the boids are evenly spread."""
    return visits(scenario) + looks(scenario)


def seconds(scenario: Scenario) -> float:
    """How long the run will take, roughly: measured on one core of an ordinary machine."""
    return sum(SECONDS[kind] * amount for kind, amount in work(scenario).items())


def excess(scenario: Scenario) -> list[str]:
    """What goes beyond the limits, a line each: the estimate, the limit and the key that raises it."""
    limits = dict(scenario.limits)
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
