"""What a preset says about a key of a claim: most are keys of the scenario, some mean more than one of them."""

from dataclasses import dataclass

from boidsgen.drawing.overlays.readings import USUAL
from boidsgen.tables import Table, value_at


@dataclass(frozen=True)
class Found:
    """What a preset has, as text, and the verdict."""

    shown: str
    verdict: str


def setting(scenario, key, value):
    """What a preset has for the key of a claim, and whether it is what the document has."""
    if key == "overlay.hud":
        return _hud(scenario, *value)
    for asked, tell in TOLD.items():
        if asked in (key, (key, value)):
            shown, right = tell(scenario)
            return Found(shown, "agrees" if right else "differs")
    try:
        found = value_at(scenario, _numbered(scenario, key))
    except KeyError as error:
        return Found("", f"open: {error.args[0]}")
    if same(found, value):
        return Found(_shown(found), "agrees")
    if found is None and key.startswith("style."):
        return Found("", "open: the preset has the colors of its theme")
    return Found(_shown(found), "differs")


def same(found, value):
    """Whether two values are the same, whatever their kind of number or list; a table stands for its kind."""
    if isinstance(value, tuple) and isinstance(found, tuple | list):
        return len(value) == len(found) and all(map(same, found, value))
    if isinstance(value, float) or (isinstance(value, int) and isinstance(found, float)):
        return found == value or abs(found - value) <= 1e-9 * abs(value)
    return _shown(found) == value if isinstance(found, Table) else found == value


def _numbered(scenario, key):
    """The parts of a key, with the number 0 where a scenario has several tables and the claim is about them all."""
    first, *rest = key.split(".")
    several = isinstance(getattr(scenario, first, None), tuple) and not (rest and rest[0].isdecimal())
    return (first, "0", *rest) if several else (first, *rest)


def _shown(found):
    return found.kind if isinstance(found, Table) and hasattr(found, "kind") else str(found)


def _seconds(scenario):
    seconds = scenario.time.frames / scenario.output.fps
    return f"{seconds:g}", seconds == 10


def _velocity_box(scenario):
    box = scenario.flock[0].start.velocity
    return f"flock.start.velocity = {box}", box == (-1, 1)


def _predators_box(scenario):
    start = scenario.predators[0].start
    return f"{start.layout}, size {getattr(start, 'size', None)}", (start.layout, start.size) == ("box", (10, 10, 10))


def _first_event(scenario):
    change = dict(scenario.events[0].set)
    if "flock.count" in change:
        return f"flock.count = {change['flock.count']}", change["flock.count"] > scenario.flock[0].count
    return str(change), change == {"flock.separation.weight": 0.0}


def _captions(scenario):
    captions = [event.caption for event in scenario.events]
    return f"{len(captions)} captions", all(captions)


def _all_on(scenario):
    weights = dict(scenario.events[3].set)
    rules = {"separation": 1.5, "alignment": 1.0, "cohesion": 1.0}
    return str(weights), weights == {f"flock.{rule}.weight": weight for rule, weight in rules.items()}


def _half_radius(scenario):
    disc = scenario.obstacles[0]
    return f"{disc.margin:g} of {disc.radius:g}", disc.margin == disc.radius / 2


def _weight_of(rule, right):
    def tell(scenario):
        weight = getattr(scenario.flock[0], rule).weight
        return f"{weight:g}", right(weight)

    return tell


def _some_obstacles(scenario):
    return f"{len(scenario.obstacles)}", len(scenario.obstacles) > 0


def _panel(scenario):
    return f"the panel: overlay.forces = {scenario.overlay.forces}", scenario.overlay.forces == "panel"


def _hud(scenario, wanted):
    measures = USUAL if scenario.overlay.hud is True else scenario.overlay.hud or ()
    there = ("frame", "time", "boids", *measures)
    return Found(", ".join(there), "agrees" if wanted in there else f"open: the line of numbers does not show {wanted}")


def _no_table(name):
    def tell(scenario):
        table = getattr(scenario.predators[0], name)
        return "no such table" if table is None else f"weight {table.weight:g}", table is None

    return tell


TOLD = {
    "time.seconds": _seconds,
    ("flock.start.speed", "a square of ±1"): _velocity_box,
    ("predators.0.start", "a box of ±5"): _predators_box,
    "overlay.caption": _captions,
    "events.0.set": _first_event,
    "events.3.set": _all_on,
    ("obstacles.0.margin", "radius / 2"): _half_radius,
    ("flock.alignment.weight", "below 1"): _weight_of("alignment", lambda weight: weight < 1),
    ("flock.cohesion.weight", "above 1"): _weight_of("cohesion", lambda weight: weight > 1),
    ("obstacles", "some"): _some_obstacles,
    "overlay.legend": _panel,
    "predators.0.hunt": _no_table("hunt"),
    "predators.0.noise": _no_table("noise"),
}
"""Claims that mean more than the value of a key, by the key, or by key and value: what the preset has, and if right."""
