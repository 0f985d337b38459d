"""Values of a preset at the keys of claims, defaults included; `DERIVED` has names for what takes several keys."""

import math
from functools import cache, partial
from itertools import islice

from boidsgen import load_scenario, simulate
from boidsgen.drawing.overlays.focus import ForcesBeside
from boidsgen.drawing.overlays.readings import DEFAULT_MEASUREMENTS
from boidsgen.drawing.text import letter_height

FIRST = ("flock", "predators", "obstacles", "attractors")
"""Lists of tables of which a key without a number means the first."""


scenario = cache(load_scenario)


def value_of(preset, key):
    """The value at a key; a boundary goes by its name."""
    scene = scenario(preset)
    value = DERIVED[key](scene) if key in DERIVED else walked(scene, completed(key))
    return getattr(value, "kind", value)


def completed(key):
    """The parts of a key, with the number of the first table where it names none."""
    names = key.split(".")
    if names[0] in FIRST and len(names) > 1 and not names[1].isdigit():
        return [names[0], "0", *names[1:]]
    return names


def walked(table, names):
    """The value at the end of the names; a rule that is not there has weight zero."""
    for name in names:
        if table is None and name == "weight":
            return 0.0
        table = table[int(name)] if name.isdigit() else getattr(table, name)
    return table


def numbers_shown(scene):
    """Contents of the HUD: frame and time always, then the numbers that are named."""
    hud = scene.overlay.hud
    if hud is False:
        return ()
    return ("frame", "time", *(DEFAULT_MEASUREMENTS if hud is True else hud))


def growth(scene):
    """Largest number of boids over that in the first frame."""
    counts = [sum(len(flock.position) for flock in state.flocks) for state in islice(simulate(scene), 0, None, 10)]
    return max(counts) / max(counts[0], 1)


def dot_in_the_panel(scene):
    """Radius of the dot in which the arrows begin, in pixels."""
    return ForcesBeside.dot * letter_height(scene.picture_size)


def weight_over_all(rule, scene):
    """The weight of a rule about the mean over everyone, when the boid itself counts.

    Over n boids the mean without oneself is n/(n - 1) times as far away.
    """
    flock = scene.flock[0]
    table = getattr(flock, rule)
    return table.weight * (1 if table.include_self else flock.count / (flock.count - 1))


def radius(rule, scene):
    """Radius of a rule of the first flock."""
    flock = scene.flock[0]
    own = getattr(flock, rule).radius
    return flock.perception.radius if own is None else own


def steering(rule, scene):
    """The form of a rule of the first flock."""
    flock = scene.flock[0]
    return flock.steering_of(getattr(flock, rule))


def set_by_events(scene):
    """Keys with the numbers that events give them."""
    return tuple(f"{key} = {value:g}" for event in scene.events for key, value in event.set.items())


DERIVED = {
    "set by events": set_by_events,
    "numbers shown": numbers_shown,
    "boids, most over first frame": growth,
    "radius of the dot in the panel": dot_in_the_panel,
    "margin over radius": lambda scene: scene.obstacles[0].margin / scene.obstacles[0].radius,
    **{f"weight over all, {rule}": partial(weight_over_all, rule) for rule in ("alignment", "cohesion")},
    **{f"flock.{rule}.radius": partial(radius, rule) for rule in ("separation", "alignment", "cohesion")},
    **{f"flock.{rule}.steering": partial(steering, rule) for rule in ("separation", "alignment", "cohesion")},
}


def equal(value, wanted):
    """True if a value is the expected one; numbers may differ by rounding."""
    if hasattr(wanted, "fits"):
        return wanted.fits(value)
    if isinstance(wanted, tuple):
        return isinstance(value, tuple) and len(value) == len(wanted) and all(map(equal, value, wanted))
    if isinstance(wanted, float | int) and isinstance(value, float | int):
        return isinstance(wanted, bool) == isinstance(value, bool) and math.isclose(value, wanted, rel_tol=1e-9)
    return value == wanted
