"""Scenarios by chance, for `drawn.json`: everything that an engine can be asked, often enough.

Hypothesis draws one scenario after the other from fixed seeds; some of what each has is set by its number, so that
everything occurs. `write` refuses a set in which a feature of `required` occurs less than `LEAST` times.
"""

import json
from collections import Counter
from functools import cache
from typing import Literal, get_args, get_origin

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from boidsgen import load_scenario
from boidsgen.errors import BoidsgenError
from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.paths import CURVES
from boidsgen.simulation.rules.rule import rules_in
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import OWN_RULES, Flock, Predators
from boidsgen.simulation.starts import STARTS
from boidsgen.simulation.world import BOUNDARIES, Teleport
from tests.states.digests import DRAWN

MANY = 200  # Scenarios
LEAST = 8  # Occurrences of each feature
EXAMPLES, SIMPLE = 8, 4  # Examples that Hypothesis gives for one seed; the first ones are the simplest
SEEDS = 20  # Seeds that are tried for one scenario, at most
INFINITE = float("inf")
EDGES = ("torus", "wrap", "reflect", "teleport", "soft", "open", "torus", "reflect")  # Boundaries, by turns
TRUTH = (True, False)
CHANGES = {
    "update": ("sequential", "synchronous"),
    "steering": ("direct", "reynolds"),
    "integrator": ("explicit", "semi_implicit"),
    "accumulate": TRUTH,
    "limit_speed": TRUTH,
}
"""Keys of a flock that events set at once."""


class Pick:
    """Choices by chance."""

    def __init__(self, draw):
        self._draw = draw

    def one(self, *options):
        """Draw one of some values."""
        return self._draw(st.sampled_from(options))

    def chance(self, percent):
        """Draw true in so many of a hundred cases."""
        return self._draw(st.integers(0, 99)) >= 100 - percent

    def either(self):
        """Draw true or false."""
        return self.one(*TRUTH)

    def whole(self, least, most):
        """Draw an integer."""
        return self._draw(st.integers(least, most))

    def between(self, least, most):
        """Draw a number of five digits at most, none of them likelier than another."""
        return float(f"{least + (most - least) * self._draw(st.integers(0, 4095)) / 4095:.5g}")

    def some(self, options, most):
        """Draw a few of some values."""
        return [*dict.fromkeys(self.one(*options) for _ in range(self.whole(0, most)))] if options else []

    def place(self, size, spare=0.1):
        """Draw a place in a world, or a little outside of it."""
        return [self.between(-spare * side, (1 + spare) * side) for side in size]


def options_of(kind):
    """Values of a type that has few."""
    if kind is bool:
        return TRUTH
    return get_args(kind) if get_origin(kind) is Literal else ()


def choices(field):
    """Values to choose from for a key; none where it holds anything else."""
    kinds = (field.annotation, *get_args(field.annotation))
    return tuple(option for kind in kinds for option in options_of(kind))


def value_of(pick, key, size):
    """A value for a key of a rule, of a curve or of an attractor."""
    side = min(size)
    near = {"repulsion": 0.15, "orientation": 0.2, "attraction": 0.5, "clearance": 0.1, "spacing": 0.2, "beyond": 0.4}
    bounds = {
        "lead": (0.0, 25.0),
        "rate": (0.005, 0.3),
        "turning_rate": (5.0, 120.0),
        "error": (0.0, 25.0),
        "blind_angle": (0.0, 220.0),
        "angle": (0.0, 180.0),
        "field_of_view": (40.0, 355.0),
        "period": (15.0, 90.0),
        "phase": (-90.0, 150.0),
        "scale": (0.0, 0.6 * side),
        "slowing": (0.1 * side, 0.8 * side),
        "behind": (0.05 * side, 0.4 * side),
        **{name: (0.02 * side, part * side) for name, part in near.items()},
    }
    if key in bounds:
        return pick.between(*bounds[key])
    kinds = {
        "point": lambda: pick.place(size),
        "center": lambda: pick.place(size),
        "points": lambda: [pick.place(size) for _ in range(pick.whole(2, 5))],
        "layout": lambda: layout_of_targets(pick, size),
        "weight": lambda: pick.one(pick.between(0.1, 2.0), pick.between(0.1, 2.0), pick.between(-1.0, 1.0), 1.0),
        "max_force": lambda: pick.one(pick.between(0.02, 0.8), pick.between(0.02, 0.8), INFINITE),
        "radius": lambda: pick.one(
            pick.between(0.1 * side, 0.7 * side), pick.between(0.2 * side, 2.5 * side), INFINITE
        ),
    }
    return kinds[key]()


def layout_of_targets(pick, size):
    """Targets of a flock, some points or the letters of a word."""
    points = [pick.place(size) for _ in range(pick.whole(1, 4))]
    return {"points": points} if pick.chance(50) else {"word": pick.one("A", "BOIDS", "O!")}


def rule_table(pick, rule, size, others):
    """A table of a rule, all of whose keys are left to chance."""
    context = {"dimension": len(size), "flocks": others}
    table = {}
    for key, field in rule.model_fields.items():
        if not (field.is_required() or pick.chance(50)) or key == "kind":
            continue
        if key in {"hunt", "flee", "ignore"}:
            table[key] = pick.some(others, 2)
        elif key == "flock":
            if others:
                table[key] = pick.one(*others)
        elif key == "acts_on":
            table[key] = pick.one("position", "position", "velocity")
        else:
            table[key] = pick.one(*choices(field)) if choices(field) else value_of(pick, key, size)
    if table.get("acts_on") == "position":
        table.pop("steering", None)
        table["weight"] = pick.between(-0.02, 0.08)
    if table.get("target", "nearest") != "nearest":
        table.pop("lead", None)
    if table.get("radius") == INFINITE and not fits(rule, table, context):  # some have no rule about everyone
        del table["radius"]
    return table


def fits(rule, table, context):
    """True if a rule accepts a table."""
    try:
        rule.model_validate(_tuples(table), context=context)
    except ValidationError:
        return False
    return True


def _tuples(value):
    """A value with its lists as tuples."""
    if isinstance(value, dict):
        return {key: _tuples(inner) for key, inner in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def start_table(pick, layout, size, count):
    """A start, and the number of animals that it gives; many of those given by points are in one place."""
    if layout == "points" and not 0 < count < 100:
        layout = "uniform"
    if layout == "points":
        count = min(count, 14)
    table = {"layout": layout, **needed_by(pick, layout, size, count)}
    if layout in {"box", "disc", "ring", "image", "word"} and pick.chance(40):
        table["center"] = pick.place(size, 0.0)
    if layout in {"disc", "ring"} and pick.chance(40):
        table["radius"] = pick.between(0.01 * min(size), 0.5 * min(size))
    if layout == "box" and pick.chance(60):
        table["size"] = [pick.between(0.1 * side, side) for side in size]
    return table | flight(pick), count


def needed_by(pick, layout, size, count):
    """Keys of a start that are its own."""
    if layout == "points":
        places = [pick.place(size, 0.0) for _ in range(-(-count // 2))]
        table = {"points": [places[number % len(places)] for number in range(count)]}
        if pick.chance(60):
            table["velocities"] = [[pick.one(0.0, -0.0, pick.between(-3, 3)) for _ in size] for _ in range(count)]
        return table
    if layout == "groups":
        first = pick.whole(0, count)
        kinds = pick.one("center", "disc", "ring"), pick.one("uniform", "grid", "box")
        groups = [{"layout": kind, **flight(pick)} for kind in kinds]
        return {"groups": groups, **({"counts": [first, count - first]} if pick.chance(50) else {})}
    if layout == "image":
        return {"rows": pick.one(["#..#", ".##.", "#..#"], ["##", "#."])}
    return {"word": pick.one("BOIDS", "i", "Ж8")} if layout == "word" else {}


def flight(pick):
    """Keys of a start about velocities."""
    kind = pick.whole(0, 6)
    slow, fast = sorted((pick.between(0.0, 4.0), pick.between(0.0, 4.0)))
    return {
        0: {"speed": [slow, fast]},
        1: {"heading": pick.between(-180.0, 180.0)},
        2: {"velocity": [-slow, fast]},
        3: {"speed": [0.0, 0.0]},
    }.get(kind, {})


def group_table(pick, kind, rules, size, others, count):
    """A flock, or a kind of predators, with tables of these rules."""
    side = min(size)
    table = {"count": count, "max_speed": pick.between(0.5, 6.0)}
    optional = {
        "min_speed": (40, lambda: pick.one(0.0, pick.between(0.0, table["max_speed"]))),
        "limit_speed": (15, lambda: False),
        "max_force": (50, lambda: pick.one(pick.between(0.05, 1.0), pick.between(0.05, 1.0), INFINITE)),
        "max_acceleration": (25, lambda: pick.between(0.05, 1.5)),
        "inertia": (35, lambda: pick.one(0.0, pick.between(0.1, 0.99), pick.between(0.1, 0.99))),
        "integrator": (35, lambda: "explicit"),
        "steering": (40, lambda: "direct"),
    }
    table |= {key: value() for key, (percent, value) in optional.items() if pick.chance(percent)}
    perception = {
        "radius": pick.one(pick.between(0.1 * side, 0.6 * side), pick.between(0.5 * side, 3 * side), INFINITE),
        **({"field_of_view": value_of(pick, "field_of_view", size)} if pick.chance(40) else {}),
        **({"neighbors": pick.one(1, 2, 3, 4, 7, 12)} if pick.chance(35) else {}),
    }
    if pick.chance(80):
        table["perception"] = perception
    if pick.chance(25):
        table["angular_noise"] = pick.one(pick.between(5.0, 90.0), 360.0)
        table["angular_noise_spread"] = pick.one("angle", "solid_angle")
    known = rules_in(kind)
    table |= {name: rule_table(pick, known[name], size, others) for name in rules}
    usual = (
        ["hunt.weight"] if kind is Predators else [f"{name}.weight" for name in OWN_RULES if rules_usual(kind, name)]
    )
    numbers = ["max_speed", *usual, *(f"{name}.weight" for name in rules)]
    if pick.chance(40):
        table["individual"] = [
            {
                "key": key,
                **({"sd": pick.between(0.01, 0.8)} if pick.chance(70) else {}),
                **({"share": pick.between(0.0, 1.0)} if pick.chance(50) else {}),
                **({"factors": [pick.between(0.0, 2.0) for _ in range(pick.whole(1, 3))]} if pick.chance(40) else {}),
            }
            for key in dict.fromkeys(pick.one(*numbers) for _ in range(pick.whole(1, 2)))
        ]
    return table


def rules_usual(kind, name):
    """True for a rule that a group has without a table of it."""
    return kind.model_fields[name].default is not None


def lifetime(pick, frames, percent):
    """Keys of something that is there for a time."""
    if not pick.chance(percent):
        return {}
    first = pick.whole(0, max(1, frames // 2))
    return {"from": first, **({"until": first + pick.whole(1, frames)} if pick.chance(50) else {})}


def obstacle_table(pick, kind, size):
    """An obstacle in a world of this size."""
    part = lambda least, most: pick.between(least * min(size), most * min(size))  # noqa: E731
    middle = pick.place(size, -0.15)
    shape = {
        "box": {"center": middle, "size": [part(0.05, 0.4) for _ in size]},
        "circle": {"center": middle, "radius": part(0.03, 0.2)},
        "ellipse": {"center": middle, "radii": [part(0.03, 0.3) for _ in size]},
        "polygon": {"points": [pick.place(size, 0.0) for _ in range(pick.whole(3, 6))]},
        "segment": {"start": pick.place(size), "end": pick.place(size), "radius": part(0.0, 0.08)},
    }
    return {
        "kind": kind,
        **shape[kind],
        "solid": pick.either(),
        **({"margin": part(0.02, 0.3)} if pick.chance(50) else {}),
        **({"weight": pick.between(-1.0, 4.0)} if pick.chance(50) else {}),
    }


def curve_table(pick, kind, size, mode=None):
    """A closed curve."""
    return {"kind": kind, **({"mode": mode} if mode else {}), **_some_of(pick, CURVES[kind], size, mode)}


def _some_of(pick, table, size, mode):
    keys = ("scale", "period", "phase", "center", *(("weight",) if mode == "velocity" else ()))
    return {key: value_of(pick, key, size) for key in keys if key in table.model_fields and pick.chance(60)}


def attractor_table(pick, kind, size):
    """An attractor at rest or on a path."""
    table = {key: value_of(pick, key, size) for key in ("weight", "radius") if pick.chance(60)}
    if kind == "point":
        return table | ({"point": pick.place(size)} if pick.chance(70) else {})
    if kind == "waypoints":
        points = [pick.place(size) for _ in range(pick.whole(2, 4))]
        times = [float(number * pick.whole(3, 9) + number) for number in range(len(points))]
        path = {"points": points, "times": sorted({*times}) if len({*times}) == len(times) else [*range(len(points))]}
        return table | {"path": {"kind": "waypoints", **path, "repeat": pick.either()}}
    return table | {"path": curve_table(pick, kind, size)}


def events(pick, document, rules):
    """Changes of a scenario on its way, one at a time and each possible after the ones before."""
    frames, size, accepted = document["time"]["frames"], document["world"]["size"], []
    for _ in range(pick.whole(1, 4)):
        over = pick.one(0, 0, pick.whole(2, 9))
        changes = dict([change(pick, document, rules, size, over)])
        event = {"at": pick.whole(1, max(1, frames - 3)), "set": changes, **({"over": over} if over else {})}
        if accepts({**document, "events": [*accepted, event]}):
            accepted.append(event)
    return accepted


def change(pick, document, rules, size, over):
    """A key and its new value."""
    kinds = ["number", "number", "number", "rule", "rule", "count", "count", *(() if over else ("word", "perception"))]
    around = ("predators", "obstacles", "obstacles", "predators", "predators", "attractors")
    kinds += [kind for kind in around if document.get(kind)]
    kind = pick.one(*kinds)
    flock = pick.whole(0, len(document["flock"]) - 1)
    if kind in document:
        return change_around(pick, kind, document[kind], size)
    key, value = {
        "rule": lambda: change_of_rule(pick, rules[flock], size),
        "number": lambda: change_of_number(pick, size),
        "word": lambda: change_of_word(pick),
        "perception": lambda: ("perception.neighbors", pick.whole(1, 6)),
        "count": lambda: ("count", pick.whole(0, 30)),
    }[kind]()
    return f"flock.{flock}.{key}", value


def change_of_rule(pick, rules, size):
    """A key of one of some rules and its new value."""
    name = pick.one("separation", "alignment", "cohesion", *rules)
    key = pick.one("weight", "weight", "radius") if name in {"separation", "alignment", "cohesion"} else "weight"
    value = value_of(pick, key, size)
    return f"{name}.{key}", value if value != INFINITE else 0.5


def change_of_number(pick, size):
    """A key of a flock that holds a number, and its new value."""
    key = pick.one("max_speed", "max_force", "inertia", "perception.radius", "perception.field_of_view")
    value = {"perception.radius": pick.between(1.0, min(size)), "perception.field_of_view": pick.between(40, 360)}
    return key, value.get(key, pick.between(0.05, 1.0))


def change_of_word(pick):
    """A key of a flock that holds one of few values, and its new one."""
    key = pick.one(*CHANGES)
    return key, pick.one(*CHANGES[key])


def change_around(pick, kind, tables, size):
    """A key of predators, obstacles or attractors, and its new value."""
    number = pick.whole(0, len(tables) - 1)
    if kind == "predators":
        key = pick.one("count", "max_speed")
        value = pick.whole(0, 4) if key == "count" else pick.between(0.5, 7.0)
    elif kind == "attractors":
        key, value = "weight", pick.between(-1.0, 2.0)
    elif "center" in tables[number] and pick.chance(60):
        key, value = "center", pick.place(size)
    else:
        key, value = "weight", pick.between(-1.0, 4.0)
    return f"{kind}.{number}.{key}", value


def accepts(document):
    """True if a document is a scenario."""
    try:
        load_scenario(document)
    except BoidsgenError:
        return False
    return True


@st.composite
def scenarios(draw, number):
    """The scenario of a number: what its number says, and all else by chance."""
    pick = Pick(draw)
    dimension = 2 if number % 5 < 3 else 3
    crowd = number % 25 == 7
    turns = number % 10 in {1, 4, 8} and not crowd
    sides = (8.0, 25.0) if number % 9 == 4 else (40.0, 180.0)  # a radius may be larger than a small world
    size = [pick.between(*sides) for _ in range(dimension)]
    document = {
        "seed": pick.whole(0, 2**31),
        "world": {"size": size, "boundary": boundary(pick, number, size, turns=turns)},
    }
    document["time"] = clock(pick, crowd=crowd, turns=turns)
    frames = document["time"]["frames"]

    flocks = 1 if crowd else pick.one(1, 2, 2, 3)
    if number % 7 == 2:
        flocks = max(2, flocks)
    names = ["boids", "others", "the third, 鳥"][:flocks]
    wanted = [[*OWN_RULES][(number + turn) % len(OWN_RULES)] for turn in (0, 5)]
    document["flock"], rules = [], []
    for at, name in enumerate(names):
        others = names[:at] + names[at + 1 :]
        known = [rule for rule in OWN_RULES if others or rule != "species"]
        chosen = [*dict.fromkeys([*(wanted if at == 0 else ()), *pick.some(known, 6)])]
        rules.append([rule for rule in chosen if rule in known])
        count = pick.whole(4, 20 if turns else 40 if at == 0 else 15)
        if at == 0:
            count = 150 if crowd else {3: 0, 11: 1, 17: 2}.get(number % 20, count)
        document["flock"].append(flock_table(pick, (number + at) % 11, rules[-1], size, others, count, turns=turns))
        document["flock"][-1] |= {"name": name, **lifetime(pick, frames, 12)}

    feared = {"flee", "evade"} & {*wanted}
    if feared or pick.chance(50):
        tables = pick.one(1, 1, 2, 3)
        document["predators"] = [predator_table(pick, number + at, size, frames, names) for at in range(tables)]
    if "avoid" in wanted or number % 3 == 1:
        kinds = [kind for kind in OBSTACLES if dimension == 2 or kind != "polygon"]
        first = number // 3 % len(kinds)
        document["obstacles"] = [
            obstacle_table(pick, kinds[(first + at) % len(kinds)], size) | lifetime(pick, frames, 25)
            for at in range(pick.one(1, 1, 2, 3))
        ]
    if number % 4 == 1:
        kinds = ["point", "waypoints", *CURVES]
        document["attractors"] = [
            attractor_table(pick, kinds[(number // 4 + at) % len(kinds)], size) | lifetime(pick, frames, 25)
            for at in range(pick.one(1, 2))
        ]
    if number % 2 == 0 and (found := events(pick, document, rules)):
        document["events"] = found
    return document


def boundary(pick, number, size, *, turns):
    """A boundary, one after the other."""
    kind = [*BOUNDARIES][number // 3 % len(BOUNDARIES)] if turns else EDGES[number % len(EDGES)]
    table = {"kind": kind}
    if kind == "teleport":
        table["applied"] = pick.one("before", "after")
    if kind == "reflect" and pick.chance(60):
        table["restitution"] = pick.between(0.3, 0.99)
    if kind == "soft":
        table |= {"margin": pick.between(0.05, 0.6) * min(size), "strength": pick.between(0.05, 1.5)}
    return table


def clock(pick, *, crowd, turns):
    """A clock of 12 to 40 steps."""
    steps = 12 if crowd else pick.whole(12, 20 if turns else 40)
    warmup = 0 if crowd else pick.one(0, 0, 0, pick.whole(1, 5))
    each = 1 if crowd else pick.one(1, 1, 1, 2, 3)
    return {
        "frames": 1 + max(2, (steps - warmup) // each),
        "warmup": warmup,
        "steps_per_frame": each,
        "dt": pick.one(1.0, 1.0, 0.5, 0.1, 0.01666, 2.5),
    }


def flock_table(pick, turn, rules, size, others, count, *, turns):
    """A flock, whose start goes by turns."""
    table = group_table(pick, Flock, rules, size, others, count)
    layout = pick.one(*STARTS) if turn else "points"
    table["start"], table["count"] = start_table(pick, layout, size, count)
    if turns and pick.chance(95):
        table["update"] = "sequential"
        table.pop("angular_noise", None)
    if pick.chance(22):
        table["accumulate"] = True
    return table


def predator_table(pick, number, size, frames, names):
    """Predators that hunt, flee, or follow a curve."""
    path = number % 5
    count = pick.one(0, 1, 1, 2, 3, 5)
    about = {"name": f"hunters {number % 7}", **lifetime(pick, frames, 25)}
    kind = [*CURVES][number // 5 % len(CURVES)]
    if path == 0:
        return {"count": count, "path": curve_table(pick, kind, size, "position"), **about}
    rules = [*OWN_RULES, "hunt", "hunt", "prey_center", "prey_center"]
    table = group_table(pick, Predators, pick.some(rules, 6), size, names, count)
    if path == 1:
        table["path"] = curve_table(pick, kind, size, "velocity")
        if "hunt" not in table:  # nobody hunts who is driven, unless told to
            differing = [one for one in table.get("individual", ()) if one["key"] != "hunt.weight"]
            table |= {"individual": differing}
    if pick.chance(50):
        table["start"], table["count"] = start_table(pick, pick.one(*STARTS), size, count)
    return table | about


def found_by(document):
    """Everything of interest that a scenario has."""
    setup = load_scenario(document)
    there, axes = set(), f"{setup.world.dimension}D"
    edge = setup.world.boundary
    there |= {axes, f"boundary {edge.kind}", f"boundary {edge.kind} {axes}"}
    there |= {f"boundary {edge.kind} {word}" for word in _words(edge)}
    there |= _of_clock(setup)
    for kind, groups, most in (
        ("flock", setup.flock, setup.most_boids),
        ("predators", setup.predators, setup.most_predators),
    ):
        for table, many in zip(groups, most, strict=True):
            there |= {f"{kind} {one}" for one in _of_group(table, many, setup)}
            there |= _of_lifetime(kind, table)
    there |= {f"{len(setup.flock)} flocks", f"{len(setup.predators)} kinds of predators"}
    for table in setup.obstacles:
        there |= {f"obstacle {table.kind} {axes}", f"obstacle {table.kind} solid={table.solid}"}
        there |= {f"obstacle {key}" for key in ("margin", "weight") if key in table.model_fields_set}
        there |= _of_lifetime("obstacle", table)
    for table in setup.attractors:
        path = table.path
        there.add(f"attractor {path.kind if path else 'point'}")
        there |= {f"attractor {word}" for word in (_words(path) if path else ()) if word.startswith("repeat")}
        there.add("attractor toward" if table.weight > 0 else "attractor away")
        there.add("attractor bounded" if table.radius < INFINITE else "attractor everywhere")
        there |= _of_lifetime("attractor", table)
    for event in setup.events:
        there |= {f"event {'eased' if event.over else 'at once'} {_about(key)}" for key in event.set}
    return there


def _about(key):
    """The part of a scenario that a key of an event is about."""
    table, *_, last = key.split(".")
    return f"{table} {last if last in ('count', *CHANGES) else 'number'}"


def _words(table):
    """Keys of a table that hold one of few values, with these."""
    return {f"{key}={getattr(table, key)}" for key, field in type(table).model_fields.items() if choices(field)}


def _of_clock(setup):
    clock = setup.time
    return {
        *(["warmup"] if clock.warmup else []),
        *(["several steps per frame"] if clock.steps_per_frame > 1 else []),
        *(["dt"] if clock.dt != 1 else []),
    }


def _of_lifetime(kind, table):
    return {*([f"{kind} appears"] if table.from_ else []), *([f"{kind} goes"] if table.until is not None else [])}


def _of_group(table, many, setup):
    """What a group has, with what its rules say; a word in front tells a flock whose boids move in turns."""
    there = {f"of {many}"} if many < 2 else {"of many"} if many > 100 else set()
    words = {word for word in _words(table) if not word.startswith("update")}
    there |= words
    seen, side = table.perception, min(setup.world.size)
    given = {
        "inertia 0": table.inertia == 0,
        "inertia below 1": 0 < table.inertia < 1,
        "min_speed 0": table.min_speed == 0,
        "min_speed": bool(table.min_speed),
        "max_force infinite": table.max_force == INFINITE,
        "max_acceleration": table.max_acceleration < INFINITE,
        f"angular noise {setup.world.dimension}D {table.angular_noise_spread}": table.angular_noise > 0,
        "field of view": seen.field_of_view < 360,
        "nearest": seen.neighbors is not None,
        "nearest of all": seen.neighbors is not None and seen.radius == INFINITE,
        "nearest in a field of view": seen.neighbors is not None and seen.field_of_view < 360,
        "radius infinite": seen.radius == INFINITE,
        "radius larger than the world": side < seen.radius < INFINITE,
        f"start {table.start.layout}": True,
        **{f"start {key}": getattr(table.start, key) is not None for key in ("speed", "heading", "velocity")},
        "in one place": table.start.layout in {"center", "points"} and many > 1,
    }
    there |= {what for what, holds in given.items() if holds}
    for one in table.individual:
        there |= {"individual speed" if one.key == "max_speed" else "individual weight"}
        there |= {f"individual {key}" for key in ("sd", "share", "factors") if key in one.model_fields_set}
    for name, rule in table.rules.items() if many else ():
        form = "drift" if rule.acts_on == "position" else table.steering_of(rule)
        there |= {f"rule {name}", f"rule {name} {form}"}
        if name == "path":
            there |= {f"path {rule.kind} {rule.mode}"}
            continue
        there |= {f"rule {name} {word}" for word in _words(rule) if not word.startswith(("steering", "acts_on"))}
        there |= {f"rule {name} with {key}" for key in rule.model_fields_set - {"acts_on"} if getattr(rule, key) != ()}
        there |= {f"rule {name} of everyone"} if getattr(rule, "radius", 0) == INFINITE else set()
    if getattr(table, "update", "") == "sequential":
        around = {f"boundary {setup.world.boundary.kind}", *(["events"] if setup.events else [])}
        around |= {f"obstacle solid={one.solid}" for one in setup.obstacles}
        around |= {"predators"} if setup.predators else set()
        around |= {"other flocks"} if len(setup.flock) > 1 else set()
        around |= {"teleport before"} if setup.world.boundary.before_turns else set()
        around |= {"drift"} if any(rule.acts_on == "position" for rule in table.rules.values()) else set()
        there |= {f"in turns: {one}" for one in there | around | {f"{setup.world.dimension}D"}}
    return there


@cache
def required():
    """Everything that must occur, as `found_by` calls it."""
    needed = {"2D", "3D", "warmup", "several steps per frame", "dt"}
    needed |= {f"boundary {kind} {axes}" for kind in BOUNDARIES for axes in ("2D", "3D")}
    needed |= {f"boundary teleport applied={word}" for word in choices(Teleport.model_fields["applied"])}
    needed |= {f"obstacle {kind} {axes}" for kind in OBSTACLES for axes in ("2D", "3D")} - {"obstacle polygon 3D"}
    needed |= {f"obstacle {kind} solid={solid}" for kind in OBSTACLES for solid in TRUTH}
    needed |= {"obstacle margin", "obstacle weight"}
    needed |= {f"attractor {kind}" for kind in ("point", "waypoints", *CURVES, "repeat=True", "repeat=False")}
    needed |= {f"attractor {how}" for how in ("toward", "away", "bounded", "everywhere")}
    needed |= {
        f"{what} {how}" for what in ("flock", "predators", "obstacle", "attractor") for how in ("appears", "goes")
    }
    needed |= {f"event {how} {of} number" for how in ("eased", "at once") for of in ("flock", "predators", "obstacles")}
    needed |= {f"event {how} {of} count" for how in ("eased", "at once") for of in ("flock", "predators")}
    needed |= {"1 flocks", "2 flocks", "3 flocks", "0 kinds of predators", "2 kinds of predators"}
    needed |= {f"flock of {number}" for number in (0, 1, "many")} | {"predators of 0", "predators of 1"}
    needed |= {f"predators path {kind} {mode}" for kind in CURVES for mode in ("position", "velocity")}
    for kind, table in (("flock", Flock), ("predators", Predators)):
        needed |= {f"{kind} {one}" for one in _required_of_group(table)}
    return needed


def _required_of_group(table):
    """What must occur in flocks, or in predators."""
    motion = {
        *("inertia 0", "inertia below 1", "min_speed 0", "min_speed", "max_force infinite", "max_acceleration"),
        *("field of view", "nearest", "radius infinite", "radius larger than the world", "in one place"),
        *("individual speed", "individual weight", "individual sd", "individual share", "individual factors"),
        *("integrator=explicit", "steering=direct", "steering=reynolds", "limit_speed=False", "start speed"),
    }
    rules = {name: rule for name, rule in rules_in(table).items() if name != "path"}
    needed = motion | {f"rule {name}" for name in rules}
    if table is Predators:
        return needed
    needed |= {f"angular noise {axes} {spread}" for axes in ("2D", "3D") for spread in ("angle", "solid_angle")}
    needed |= {"nearest of all", "nearest in a field of view", "accumulate=True", "start heading", "start velocity"}
    needed |= {f"start {layout}" for layout in STARTS}
    needed |= {
        f"in turns: {one}"
        for one in (
            *("2D", "3D", "accumulate=True", "integrator=explicit", "limit_speed=False", "steering=direct", "nearest"),
            *("field of view", "radius infinite", "individual speed", "individual weight", "inertia below 1", "drift"),
            *("events", "predators", "other flocks", "obstacle solid=True", "obstacle solid=False", "max_acceleration"),
            *(f"boundary {kind}" for kind in BOUNDARIES if kind != "teleport"),
            *(f"rule {name}" for name in OWN_RULES),
        )
    }
    for name, rule in rules.items():
        forms = {"reynolds", "direct", "drift"}
        needed |= {f"rule {name} {form}" for form in forms} | {f"rule {name} with max_force"}
        for key, field in rule.model_fields.items():
            if key in {"steering", "acts_on"}:
                continue
            needed |= {f"rule {name} {key}={word}" for word in choices(field)}
            needed |= {f"rule {name} with {key}"} if not choices(field) else set()
        if name in {"separation", "alignment", "cohesion", "flee", "evade", "species"}:
            needed |= {f"rule {name} of everyone"}
    return needed


def runs(document):
    """True if a scenario can be run, and nothing in it leaves the numbers."""
    try:
        setup = load_scenario(document)
        with np.errstate(all="raise", under="ignore"):
            return all(len(state.flocks) == len(setup.flock) for state in simulate(setup, "numpy"))
    except (BoidsgenError, FloatingPointError):
        return False


def drawn_as(number, counts):
    """The scenario of a number: of a few that are drawn, the one with most of what has seldom occurred before."""

    def gain(document):
        return sum(0.5 ** counts[one] for one in found_by(document) & required())

    for turn in range(SEEDS):
        if possible := [*filter(runs, examples(scenarios(number), MANY * turn + number))]:
            return max(possible, key=gain)
    raise RuntimeError(f"no scenario {number} can be run")


def examples(strategy, number):
    """Some examples of a strategy by a seed."""
    found = []

    @seed(number)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=[*HealthCheck],
    )
    @given(strategy)
    def collect(example):
        found.append(example)

    collect()
    return found[SIMPLE:]


def coverage(documents):
    """How often each feature occurs."""
    return Counter(one for document in documents for one in found_by(document))


def lacking(documents):
    """The features that occur too seldom, with how often they do."""
    counts = coverage(documents)
    return {one: counts[one] for one in sorted(required()) if counts[one] < LEAST}


def write():
    """Draw all scenarios and store them; AssertionError where something occurs too seldom."""
    drawn, counts = {}, Counter()
    for number in range(MANY):
        document = drawn[f"drawn-{number:03}"] = drawn_as(number, counts)
        counts.update(found_by(document))
    too_few = lacking(drawn.values())
    assert not too_few, too_few
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(document)}" for name, document in drawn.items())
    DRAWN.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8", newline="\n")
