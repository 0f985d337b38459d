"""What the scenarios in `drawn.json` have, and more of them for what occurs too seldom.

`lacking` names each feature of `required`, which goes by the tables themselves, that occurs less than `LEAST` times: a
new rule, key, boundary, obstacle or start is missing. `write` draws scenarios that have it; the rest stays as it is.
"""

import json
import re
from collections import Counter
from functools import cache
from typing import Literal, get_args, get_origin

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from boidsgen import load_scenario
from boidsgen.errors import BoidsgenError
from boidsgen.simulation.obstacles import OBSTACLES
from boidsgen.simulation.paths import CURVES
from boidsgen.simulation.rules.rule import rules_in
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import OWN_RULES, Flock, Predators
from boidsgen.simulation.starts import STARTS
from boidsgen.simulation.world import BOUNDARIES, Teleport
from tests.generating import CHANGES, simulated
from tests.states.digests import DRAWN, drawn

LEAST = 8  # Occurrences of each feature
EXAMPLES = 12  # That Hypothesis gives for one seed
SEEDS = 2000  # That are tried, at most
INFINITE = float("inf")
TRUTH = (True, False)
KEYS = {"drift": "acts_on", "turns": "update", "everyone": "radius", "reynolds": "steering", "direct": "steering"}
"""Keys that a scenario needs for what a feature is called, where they differ."""


def options_of(kind):
    """Values of a type that has few."""
    if kind is bool:
        return TRUTH
    return get_args(kind) if get_origin(kind) is Literal else ()


def choices(field):
    """Values to choose from for a key; none where it holds anything else."""
    kinds = (field.annotation, *get_args(field.annotation))
    return tuple(option for kind in kinds for option in options_of(kind))


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
    return found


def coverage(documents):
    """How often each feature occurs."""
    return Counter(one for document in documents for one in found_by(document))


def too_few(counts):
    """The features that occur too seldom, with how often they do."""
    return {one: counts[one] for one in sorted(required()) if counts[one] < LEAST}


def lacking(documents):
    """Those of these scenarios."""
    return too_few(coverage(documents))


def filled(documents):
    """The scenarios by name, with others in which there is what they lack."""
    counts, documents = coverage(documents.values()), dict(documents)
    for turn in range(SEEDS):
        missing = too_few(counts)
        if not missing:
            return documents
        words = re.findall(r"\w+", [*missing][turn % len(missing)])
        tried = examples(simulated({KEYS.get(word, word) for word in words}), turn)
        best = max(tried, key=lambda one: len(found_by(one) & {*missing}))
        if found_by(best) & {*missing} and runs(best):
            documents[f"drawn-{len(documents):03}"] = best
            counts.update(found_by(best))
    raise RuntimeError(f"chance does not give {missing}")


def write():
    """Draw scenarios for what is lacking, and store them."""
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(one)}" for name, one in filled(drawn()).items())
    DRAWN.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8", newline="\n")
