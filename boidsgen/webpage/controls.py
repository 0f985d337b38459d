"""Controls of pages: sliders, keys, clicks, and what a lesson asks its readers to do with them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import floor, inf, isfinite, log10
from typing import Any

from boidsgen.errors import ScenarioError
from boidsgen.scenario.consistency import shows_focus
from boidsgen.scenario.lessons import BRACES, Tree, Try, number_at, parse_condition, variables
from boidsgen.scenario.scenario import Click, Scenario, SliderRange
from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.setup import Flock, Predators
from boidsgen.tables import Table, keys_of
from boidsgen.webpage.document import PLACED, numbered, numbered_groups

SLIDER_STEPS = 100  # About how many steps a slider has
SLIDER_ROOM = 2.5  # Ratio of the highest value of a slider to that of the scenario
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


def sliders(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """The sliders of a scenario: those that it names, or else those of the rules that are on."""
    chosen = scenario.page.controls
    yield from sliders_of(scenario, _usual(scenario) if chosen is None else chosen)


def sliders_of(scenario: Scenario, chosen: Iterable[str | SliderRange]) -> Iterator[dict[str, Any]]:
    """The sliders of these keys, where their values are finite numbers."""
    for one in chosen:
        key = numbered(one if isinstance(one, str) else one.key)
        name, number, *rest = key.split(".")
        group: Flock | Predators = getattr(scenario, name)[int(number)]
        shown = [abs(act.value) for step in scenario.page.try_ for act in step.show if numbered(act.key) == key]
        made = _slider(key, group, rest, max(shown, default=0.0))
        if made and name == "flock" and rest == ["count"] and shows_focus(scenario):
            # The boid that overlays are about has to stay, and keep its number.
            stay = scenario.overlay.focus + 1 - sum(flock.count for flock in scenario.flock[: int(number)])
            made = made | {"low": max(made["low"], stay)} if stay <= group.count else {}
        if made:
            yield made if isinstance(one, str) else made | {"low": one.min, "high": one.max, "step": one.step}


BOIDS_GO = "Click the picture: boids go there. Drag the point, or click it to remove it."
BOIDS_LEAVE = "Click the picture: boids keep away. Drag the point, or click it to remove it."
RIGHT_CLICKS = "Right click: boids go there.", "Right click: boids keep away."
PREDATOR_COMES = (
    "Click or drag in the picture to add a predator. Click it to remove it. Click a boid to see what it perceives."
)


def tools(scenario: Scenario) -> dict[str, dict[str, Any]]:
    """The effects of a click with each tool, or of a right click with any.

    Each has the key of a place, others that are set beside it, and a hint to readers.
    """
    page, side = scenario.page, min(scenario.world.size)
    predator, attractor = f"predators.{len(scenario.predators)}", f"attractors.{len(scenario.attractors)}"

    def pull(click: Click, hints: tuple[str, str] = (BOIDS_GO, BOIDS_LEAVE)) -> dict[str, Any]:
        there = [(f"{attractor}.radius", click.radius), (f"{attractor}.weight", click.weight)]
        return {"place": f"{attractor}.point", "there": there, "hint": hints[click.weight < 0]}

    found = {"click": pull(page.click)} if page.click else {}
    found["predator"] = {
        "place": f"{predator}.path.center",
        "there": [(f"{predator}.count", 1)],
        "hint": PREDATOR_COMES,
    }
    if not page.click:
        found |= {"attract": pull(Click(radius=side)), "repel": pull(Click(weight=-4.0, radius=side / 4))}
    return found | ({"right click": pull(page.right_click, RIGHT_CLICKS)} if page.right_click else {})


def shortcuts(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """The keys of a scenario, and what the page says about them: a phrase with its values."""
    said = {"reset": "reset these rules", "spawn": "Add boids: {count}"}
    switched = {key: numbered(does).split(".") for key, does in scenario.page.keys.items() if does not in said}
    several = len({(name, number) for name, number, *_ in switched.values()}) > 1
    for key, does in scenario.page.keys.items():
        label, values = said.get(does, ""), {"count": f"{scenario.page.spawn}"}
        if key in switched:
            name, number, *rest = switched[key]
            label = "{rule} of {group} on or off" if several else "{rule} on or off"
            group = getattr(scenario, name)[int(number)].name
            values = {"rule": " ".join(rest[:-1]).replace("_", " "), "group": group}
        yield {"key": key, "does": does if does in said else numbered(does), "label": label, "values": values}


def _usual(scenario: Scenario) -> Iterator[str]:
    changed = {key for event in scenario.events for key in event.set}
    for prefix, table in numbered_groups(scenario):
        if isinstance(table, Predators) and table.carried:  # nothing else moves them
            continue
        # Reynolds' rules first, in the order in which they are taught; all others as they are.
        taught = {name: table.tables[name] for name in REYNOLDS if name in table.tables}
        for name, rule in {**taught, **table.tables}.items():
            weight = getattr(rule, "weight", None)
            if weight is None or getattr(table, name) is None or (name == "flee" and not scenario.predators):
                continue
            moved = any(f"{name}.weight" in key for key in changed)
            if weight or moved or (isinstance(table, Flock) and name in REYNOLDS):
                yield from (f"{prefix}.{name}.{key}" for key in ("weight", "radius") if hasattr(rule, key))
        placed = isinstance(table.start, PLACED) and isinstance(table, Flock)
        fixed = any("_speed" in key for key in changed)  # by events, which the other speed must not cross
        shown = (key for key in MOTION if (placed or key != "count") and not (fixed and "_speed" in key))
        yield from (f"{prefix}.{key}" for key in shown)


def _slider(key: str, group: Flock | Predators, rest: list[str], least: float) -> dict[str, Any]:
    """A slider up to this value at least, none where it is no number; `rule` is empty for keys of the group itself."""
    table: Table = group
    for name in rest[:-1]:
        table = getattr(table, name)
    value = getattr(table, rest[-1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return {}
    bounds = keys_of(type(table))[rest[-1]].bounds
    high = bounds.get("le", inf)
    if high == inf:
        usual = 3.0 if rest[0] in REYNOLDS and rest[-1] == "weight" else 0.0
        high = _rounded(max(SLIDER_ROOM * abs(value), usual, least) or 1.0)
    step = 1 if isinstance(value, int) and rest[-1] in {"count", "neighbors"} else _rounded(high / SLIDER_STEPS / 2)
    high = min(high, bounds.get("lt", inf) - step)
    low = max(bounds.get("ge", -inf), bounds.get("gt", -inf) + step, 0.0 if value >= 0 else -high)
    rule, label = labels(rest)
    about = {"key": key, "label": label, "group": group.name, "rule": rule}
    return about | {"low": low, "high": high, "step": step}


def labels(rest: Sequence[str]) -> tuple[str, str]:
    """The rule to which a key of a group belongs, if any, and the label of the key."""
    rule = rest[0] if len(rest) == 2 and rest[0] != "perception" else ""
    return rule, rest[-1].replace("_", " ") if rule else MOTION.get(".".join(rest), " ".join(rest).replace("_", " "))


def _rounded(value: float) -> float:
    """The next round number above: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(value))
    return float(f"{next(power * part for part in (1, 2, 5, 10) if power * part >= value * (1 - 1e-9)):.12g}")


# Lessons

SHOWN_BY = {
    "separation": "nearest_neighbor_distance",
    "cohesion": "dispersion",
    "alignment": "polarization",
}
"""The measure in which one sees what a rule does."""


def telling(scenario: Scenario, step: Try | None = None) -> str:
    """The measure that shows what a scenario is about, or a step of its lesson: by its condition, else by its rules."""
    if scenario.overlay.chart:
        return str(scenario.overlay.chart)
    keys = step.keys if step else ()
    asked = [*variables(parse_condition(step.until, scenario))] if step else []
    if watched := [name for name in asked if name in MEASURES]:
        return watched[0]
    if found := [measure for rule, measure in SHOWN_BY.items() if any(f".{rule}." in key for key in keys)]:
        return found[0]
    aligned = any(flock.tables.get("zones") or flock.alignment.weight for flock in scenario.flock)
    aligned |= any(".alignment." in key for event in scenario.events for key in event.set)
    return "polarization" if aligned else "nearest_neighbor_distance"


def lesson(scenario: Scenario, movable: Collection[str]) -> dict[str, Any] | None:
    """The lesson of a page, if any: numbers of tables in all keys, and sliders for those of `movable` that it names."""
    page = scenario.page
    if not (page.question or page.words or page.try_):
        return None

    asked = {numbered(key): f"page.try.{number}" for number, step in enumerate(page.try_) for key in step.keys}
    asked |= {numbered(act.key): f"page.try.{n}.show" for n, step in enumerate(page.try_) for act in step.show}
    for key, place in asked.items():
        if movable and key not in movable:
            raise ScenarioError([f"{place}: a page cannot change {key} of this scenario; take another key"])
    named = [found[1].partition(":")[0] for found in BRACES.finditer(page.words or "")]
    dragged = [numbered(name) for name in named if number_at(scenario, name) is not None]
    named_here = [key for key in dict.fromkeys((*asked, *dragged)) if key in movable]
    return {
        "question": page.question or "",
        "words": with_numbered(page.words or ""),
        "controls": [*sliders_of(scenario, named_here)],
        "attempts": [{"first": one.first, "last": one.last, "shown": one.shown} for one in page.attempts],
        "steps": [
            {
                "do": step.do,
                "predict": step.predict,
                "answer": step.answer or "",
                "then": step.then or "",
                "hint": step.hint or "",
                "keys": [*map(numbered, step.keys)],
                "until": _numbered_tree(parse_condition(step.until, scenario)),
                "show": [{"at": act.at, "key": numbered(act.key), "value": act.value} for act in step.show],
                "measure": telling(scenario, step),
            }
            for step in page.try_
            if movable
        ],
    }


def with_numbered(words: str) -> str:
    """Words whose keys in braces have the numbers of their tables."""
    return BRACES.sub(lambda found: f"{{{numbered(found[1])}}}", words)


def _numbered_tree(tree: Tree) -> Tree:
    """A condition whose keys have the numbers of their tables."""
    sides = (_numbered_tree(one) if isinstance(one, list) else one for one in tree)
    return [numbered(one) if isinstance(one, str) else one for one in sides]
