"""Document 002, numpy and Pillow: the quick start as it stands, and the full flock as far as its fragments say it.

The quick start is complete: the pull moves the position and leaves the velocity as it is. Of the full flock the
document gives the rules, the weights, the radius, the largest speed, the count, the canvas and the frames; it demands
a bound on the force (its first pitfall) and neighbors that are seen across the edge (its last), but does not say how
large the bound is nor on what it acts. `Reading` lists what can be meant; an earlier public edition of the same lesson
adds up all weighted rules and bounds the sum by 0.3, takes half of the perception radius for the personal space, and
starts at 1 to 3 pixels a frame in random directions. That is the reading `EDITION`.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tests.sources.vectors import drawn, headings, length, limited, masked_mean, masked_sum, unit, wrapped

SIZE = np.array([400.0, 400.0])
PERCEPTION = 50
MAX_SPEED = 4

CANONICAL = (1.5, 1.0, 1.0)
SEPARATION = (3.0, 0.5, 0.5)
ALIGNMENT = (0.5, 3.0, 0.5)
COHESION = (0.5, 0.5, 3.0)


def quick_start(seeds, frames=150):
    """Thirty points: a hundredth of the way to the mean, half of a velocity that never changes, modulo 400."""
    position, velocity = drawn(seeds, lambda random: (random.random((30, 2)) * 400, (random.random((30, 2)) - 0.5) * 4))
    for _ in range(frames):
        yield position.copy(), velocity.copy()
        center = position.mean(axis=1, keepdims=True)
        position += (center - position) * 0.01 + velocity * 0.5
        position %= 400


@dataclass(frozen=True)
class Reading:
    """One way to read the fragments of the full flock."""

    bound: Literal["none", "each", "weighted", "sum"] = "sum"
    """What the largest force bounds: nothing, each rule before or after its weight, or the sum of all."""
    largest: float = 0.3
    """The largest force, in pixels per frame and frame."""
    personal_space: float = 25.0
    """Distance below which separation acts."""
    push: Literal["unit", "inverse", "slip"] = "unit"
    """away/d as in the fragment, away/d² as in its comment, or away/d with the sign of the earlier edition."""
    start: Literal["edition", "quick"] = "edition"
    """Speeds of 1 to 3 in random directions, or the quick start's box of ±2."""
    form: Literal["raw", "steering"] = "raw"
    """The fragments' vectors as they are, or each as Reynolds' MAX_SPEED · unit(vector) - velocity."""
    slowest: float = 0.0
    """Speed below which nobody falls; the document has none."""


EDITION = Reading()
LIVELY = Reading(bound="each", largest=0.1, slowest=2.0)
"""The reading under which the retunings look as the text says they do."""


def beginning(reading, count):
    """A function that draws positions and velocities for one run."""

    def draw(random):
        places = random.random((count, 2)) * SIZE
        if reading.start == "quick":
            return places, (random.random((count, 2)) - 0.5) * 4
        return places, headings(random, count, random.random(count) * 2 + 1)

    return draw


def separation(reading, toward, apart):
    """Sum of the pushes of all boids within the personal space."""
    close = (apart > 0) & (apart < reading.personal_space)
    away = -unit(toward)
    if reading.push == "inverse":
        away = away / np.where(close, apart, 1.0)[..., None]
    return masked_sum(-away if reading.push == "slip" else away, close)


def rules(reading, position, velocity, size=SIZE):
    """Separation, alignment, cohesion, as the fragments have them, shape (runs, n, 2) each."""
    toward = wrapped(position[:, None, :, :] - position[:, :, None, :], size)
    apart = length(toward)
    near = (apart > 0) & (apart < PERCEPTION)
    social = near.any(axis=-1)[..., None]
    mean_velocity = masked_mean(np.broadcast_to(velocity[:, None], toward.shape), near)
    pushed, center = separation(reading, toward, apart), masked_mean(toward, near)
    if reading.form == "steering":
        return tuple(steered(wish, velocity) for wish in (pushed, mean_velocity, center))
    return pushed, (mean_velocity - velocity) * social, center


def steered(wish, velocity):
    """Reynolds' steering: as fast as possible that way, minus the velocity; nothing where there is no wish."""
    return (MAX_SPEED * unit(wish) - velocity) * (length(wish) > 0)[..., None]


def combined(reading, weights, parts):
    """The sum of the weighted rules, bounded where this reading bounds."""
    if reading.bound == "each":
        parts = [limited(part, reading.largest) for part in parts]
    parts = [weight * part for weight, part in zip(weights, parts, strict=True)]
    if reading.bound == "weighted":
        parts = [limited(part, reading.largest) for part in parts]
    total = sum(parts)
    return limited(total, reading.largest) if reading.bound == "sum" else total


def bounded(reading, velocity):
    """The velocity, at most MAX_SPEED long and, where the reading says so, not shorter than its slowest."""
    size = length(velocity)[..., None]
    raised = unit(velocity) * np.maximum(size, reading.slowest)
    return limited(raised, MAX_SPEED)


def flock(seeds, weights=CANONICAL, reading=EDITION, frames=200, count=50, extra=None, start=None):
    """Fifty boids on a torus of 400 by 400: all see the same frame, then all move.

    `extra(position, velocity)` is one more force, inside the bound on the sum as in the exercise; `start` replaces the
    usual beginning by one of the same form.
    """
    position, velocity = drawn(seeds, start or beginning(reading, count))
    for _ in range(frames):
        yield position.copy(), velocity.copy()
        parts, factors = rules(reading, position, velocity), weights
        if extra is not None:
            parts, factors = (*parts, extra(position, velocity)), (*weights, 1.0)
        velocity = bounded(reading, velocity + combined(reading, factors, parts))
        position = (position + velocity) % SIZE
