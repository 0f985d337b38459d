"""Every run of a document's own loop that is measured, by name: the loop, what is measured, how many frames.

A case gives `run(seeds, frames)`: each measure by its name, one value for each seed. `frames` is the document's own
number, or long enough to see what it claims; `short` is for the short form.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests.sources import derivation_003, lesson_000, measures, rules_002, text_004, trefoil_001
from tests.sources.staged_002 import edge_and_interior, meeting, obstacle, predator, softened
from tests.sources.summary import recorded, summarized

OPEN_PLANE = (np.inf, np.inf)


@dataclass(frozen=True)
class Case:
    """One loop with its measures."""

    name: str
    frames: int
    short: int
    run: Callable


@dataclass(frozen=True)
class Plain:
    """A case's `run`: all measures over the last `span` frames, and distances from the center in the frames `at`."""

    loop: Callable
    size: tuple
    near: float = 50.0
    span: int = 50
    at: tuple = ()

    def __call__(self, seeds, frames):
        """All measures of the document's own loop."""
        return self.measured(*recorded(self.loop(seeds, frames=frames)))

    def measured(self, positions, velocities):
        """The measures of a run, shape (frames, runs, n, d) each."""
        found = summarized(positions, velocities, self.size, self.near, span=min(self.span, len(positions)))
        for frame in self.at:
            if frame < len(positions):
                found[f"from center at {frame}"] = measures.from_center(positions[frame])
        found["groups at 0"] = measures.groups(positions[0], np.asarray(self.size), self.near)
        return found


DRAWN_STEPS = (1, 10, 50, 100, 240, 480, 960)
"""Steps of document 001 that are measured."""


def flight(**options):
    """A case's `run` for document 001: where the flock is after some steps, and how near predators come."""

    def run(seeds, frames):
        found = {}
        steps = options.get("steps", trefoil_001.VIDEO_STEPS)
        loop = trefoil_001.flock(seeds, **options, drawn_steps=min(frames, steps))
        for step, (position, velocity, hunters) in enumerate(loop, start=1):
            if step in DRAWN_STEPS:
                found |= flight_measures(step, position, velocity, hunters)
        return found

    return run


def flight_measures(step, position, velocity, hunters):
    """The measures of one step of document 001, named with the step."""
    center = position.mean(axis=1)
    apart = measures.length(position[:, :, None] - hunters[:, None])
    return {
        f"from middle at {step}": measures.from_point(position, trefoil_001.MIDDLE),
        f"from center at {step}": measures.from_center(position),
        f"drift of center at {step}": measures.length(center - trefoil_001.MIDDLE),
        f"polarization at {step}": measures.polarization(velocity),
        f"speed at {step}": measures.speed(velocity),
        f"nearest predator at {step}": apart.min(axis=(1, 2)),
        f"predators from middle at {step}": measures.from_point(hunters, trefoil_001.MIDDLE),
    }


def knot_extent(seeds, frames):
    """How large the predators' route is: sides of its bounding box, for a run of so many steps."""
    start = np.full((trefoil_001.PREDATORS, 3), 50.0)
    ways = [trefoil_001.limited(trefoil_001.KNOT * trefoil_001.knot(k, frames), 1.0) for k in range(frames)]
    places = start + np.cumsum(ways, axis=0)
    return extents(np.repeat(places[:, None], len(seeds), axis=1))


def extents(hunters):
    """Sides of the bounding box of the first predator's way, for hunters of shape (frames, runs, n, 3)."""
    sides = np.ptp(hunters[:, :, 0], axis=0)
    return {f"extent {axis}": sides[:, number] for number, axis in enumerate("xyz")}


def lesson(frames, weights=lesson_000.WEIGHTS, loop=lesson_000.flock, **options):
    """A case of document 000."""
    return Plain(partial(loop, weights=weights, **options), OPEN_PLANE, at=(0, 600, frames - 1))


def flock_002(weights=rules_002.CANONICAL, reading=rules_002.EDITION, **options):
    """A case of document 002's full flock."""
    return Plain(partial(rules_002.flock, weights=weights, reading=reading, **options), rules_002.SIZE, at=(0, 199))


def sketch(which):
    """A case of document 004's sketch."""
    return Plain(partial(text_004.flock, sketch=which), OPEN_PLANE, at=(0, 30, 60, 119, 299))


RETUNINGS = {
    "canonical": rules_002.CANONICAL,
    "separation": rules_002.SEPARATION,
    "alignment": rules_002.ALIGNMENT,
    "cohesion": rules_002.COHESION,
    "alignment alone": (0.0, 1.0, 0.0),
    "cohesion alone": (0.0, 0.0, 1.0),
    "without separation": (0.0, 1.0, 1.0),
    "without alignment": (1.5, 0.0, 1.0),
    "without cohesion": (1.5, 1.0, 0.0),
}

SKETCHES = {
    "drift": text_004.DRIFT,
    "alignment": text_004.ALIGNMENT,
    "cohesion": text_004.COHESION,
    "both": text_004.BOTH,
    "both, never reset": text_004.BOTH_KEPT,
    "separation": text_004.SEPARATION,
}

CASES = [
    Case(
        "000 lesson",
        900,
        90,
        lesson(900, loop=lesson_000.flock, start=lesson_000.lesson_start, edges=lesson_000.teleport),
    ),
    Case("000 exercise", 900, 90, lesson(900)),
    Case("000 without separation", 1800, 90, lesson(1800, (0.0, 1.0, 1.0))),
    Case("000 without alignment", 900, 90, lesson(900, (1.5, 0.0, 1.0))),
    Case("000 without cohesion", 900, 90, lesson(900, (1.5, 1.0, 0.0))),
    Case("000 attract", 450, 90, lesson(450, extra=lesson_000.mouse((384, 240), 1))),
    Case("000 repel", 450, 90, lesson(450, extra=lesson_000.mouse((384, 240), -1))),
    Case("001 published", 960, 10, flight()),
    Case("001 as listed", 10, 10, flight(steps=trefoil_001.LISTED_STEPS)),
    Case("001 fear within 22", 100, 10, flight(avoid=trefoil_001.avoided_near)),
    Case("001 hunt, fear within 22", 100, 10, flight(avoid=trefoil_001.avoided_near, attack=2)),
    Case("001 knot of 960", 960, 960, knot_extent),
    Case("001 knot of 240", 240, 240, knot_extent),
    Case("001 knot of 10", 10, 10, knot_extent),
    Case("002 quick start", 150, 150, Plain(rules_002.quick_start, OPEN_PLANE, at=(0, 49, 99, 149))),
    *(Case(f"002 {name}, edition", 200, 40, flock_002(weights)) for name, weights in list(RETUNINGS.items())[:4]),
    *(
        Case(f"002 {name}, lively", 200, 40, flock_002(weights, rules_002.LIVELY))
        for name, weights in RETUNINGS.items()
    ),
    Case("002 canonical, unbounded", 200, 40, flock_002(reading=rules_002.Reading(bound="none"))),
    Case("002 canonical, slip", 200, 40, flock_002(reading=rules_002.Reading(push="slip"))),
    Case("002 obstacle", 200, 40, obstacle),
    Case("002 predator", 300, 40, predator),
    Case("002 soft edges", 200, 40, softened),
    Case("002 meeting alike", 150, 40, meeting(20)),
    Case("002 meeting across", 150, 40, meeting(90)),
    Case("002 meeting head-on", 150, 40, meeting(180)),
    Case("002 edge and interior", 200, 40, edge_and_interior),
    Case("003 derivation", 250, 30, Plain(derivation_003.flock, (480, 360), near=45)),
    Case("004 fragments", 250, 30, Plain(text_004.fragments, text_004.SIZE)),
    Case("004 final", 300, 15, sketch(text_004.FINAL)),
    *(Case(f"004 {name}", 120, 15, sketch(which)) for name, which in SKETCHES.items()),
]
