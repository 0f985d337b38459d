"""The sliders of a page: keys that matter, and ranges that follow from their values and bounds."""

from collections.abc import Iterator
from math import floor, inf, isfinite, log10
from typing import Any, NamedTuple

from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.setup import Flock, Predators
from boidsgen.tables import Table
from boidsgen.webpage.document import PLACED, numbered

STEPS = 100  # About how many steps a slider has
ROOM = 2.5  # Ratio of the highest value of a slider to that of the scenario
MOTION = {
    "perception.radius": "perception",
    "perception.field_of_view": "field of view",
    "perception.neighbors": "nearest few",
    "max_speed": "max speed",
    "min_speed": "min speed",
    "max_force": "max force",
    "count": "boids",
}
"""Keys of a group that get sliders, with their labels."""
REYNOLDS = ("separation", "alignment", "cohesion")  # Rules that get sliders even if they are off


class Slider(NamedTuple):
    """A slider: `key` has the number of its table, `rule` is empty for keys of the group itself."""

    key: str
    label: str
    group: str
    rule: str
    low: float
    high: float
    step: float
    help: str


def sliders(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """The sliders of a scenario: those that it names, or else those of the rules that are on."""
    chosen = scenario.page.controls
    for key in _usual(scenario) if chosen is None else map(numbered, chosen):
        name, number, *rest = key.split(".")
        group: Flock | Predators = getattr(scenario, name)[int(number)]
        made = _slider(key, group, rest)
        if made is not None:
            yield made._asdict()


def _usual(scenario: Scenario) -> Iterator[str]:
    changed = {key for event in scenario.events for key in event.set}
    every: dict[str, tuple[Flock | Predators, ...]] = {"flock": scenario.flock, "predators": scenario.predators}
    for kind, tables in every.items():
        for number, table in enumerate(tables):
            if isinstance(table, Predators) and table.carried:  # nothing else moves them
                continue
            prefix = f"{kind}.{number}"
            hunted = bool(scenario.predators)
            for name, rule in sorted(table.tables.items(), key=lambda pair: _place(pair[0])):
                weight = getattr(rule, "weight", None)
                if weight is None or getattr(table, name) is None or (name == "flee" and not hunted):
                    continue
                moved = any(f"{name}.weight" in key for key in changed)
                if weight or moved or (kind == "flock" and name in REYNOLDS):
                    yield from (f"{prefix}.{name}.{key}" for key in ("weight", "radius") if hasattr(rule, key))
            placed = isinstance(table.start, PLACED) and kind == "flock"
            yield from (f"{prefix}.{key}" for key in MOTION if placed or key != "count")


def _place(rule: str) -> int:
    """Reynolds' rules first, in the order in which they are taught; all others as they are."""
    return REYNOLDS.index(rule) if rule in REYNOLDS else len(REYNOLDS)


def _slider(key: str, group: Flock | Predators, rest: list[str]) -> Slider | None:
    table: Table = group
    for name in rest[:-1]:
        table = getattr(table, name)
    value = getattr(table, rest[-1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    field = type(table).model_fields[rest[-1]]
    bounds = {name: getattr(one, name) for one in field.metadata for name in ("ge", "gt", "le") if hasattr(one, name)}
    high = bounds.get("le", inf)
    if high == inf:
        high = _rounded(max(ROOM * abs(value), 3.0 if rest[0] in REYNOLDS and rest[-1] == "weight" else 0.0) or 1.0)
    step = 1 if isinstance(value, int) and rest[-1] in {"count", "neighbors"} else _rounded(high / STEPS / 2)
    low = max(bounds.get("ge", -inf), bounds.get("gt", -inf) + step, 0.0 if value >= 0 else -high)
    rule = rest[0] if len(rest) == 2 and rest[0] != "perception" else ""
    label = rest[-1].replace("_", " ") if rule else MOTION.get(".".join(rest), " ".join(rest).replace("_", " "))
    return Slider(key, label, group.name, rule, low, high, step, field.description or "")


def _rounded(value: float) -> float:
    """The next round number above: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(value))
    return float(f"{next(power * part for part in (1, 2, 5, 10) if power * part >= value * (1 - 1e-9)):.12g}")
