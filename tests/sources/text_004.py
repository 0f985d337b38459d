"""Document 004: the rules of the C++ fragments, the p5.js flock as it is built up, and the final one.

In p5.js boids take their turn one after the other: edge, rules, drawing, then the old velocity moves the boid and the
rules change the velocity. What is yielded is what was drawn. A vector of zero has no direction there either, so a wish
of zero brakes: right after a start in one place everybody's cohesion does. Dividing by a distance of zero leaves the
vector as it is. The stages of the build-up name neither largest force nor largest speed: the final ones stand in.
"""

from dataclasses import dataclass

import numpy as np

from tests.sources.vectors import drawn, headings, length, limited, masked_mean, masked_sum, unit, wrapped

SIZE = np.array([640.0, 360.0])
COUNT, MAX_FORCE, MAX_SPEED = 100, 0.2, 2


@dataclass(frozen=True)
class Sketch:
    """One state of the sketch: which rules, seen how far, and what `update` does."""

    alignment: float = 1.0
    cohesion: float = 1.0
    separation: float = 1.0
    radii: tuple = (50, 100, 50)
    """Of alignment, cohesion, separation."""
    edges: bool = True
    limited: bool = True
    """Whether the speed is cut to MAX_SPEED."""
    kept: bool = False
    """Whether the acceleration is never set back to zero, as in the stage that first adds two rules."""
    centered: bool = False
    """Whether all start in the middle at 0.5 to 1.5, or anywhere at 0.5 to 2."""


FINAL = Sketch()
WALK = (50, 50, 50)
DRIFT = Sketch(0, 0, 0, WALK, edges=False, limited=False, centered=True)
ALIGNMENT = Sketch(1, 0, 0, WALK, limited=False, centered=True)
COHESION = Sketch(0, 1, 0, WALK, limited=False, centered=True)
BOTH = Sketch(1, 1, 0, WALK, limited=False, centered=True)
BOTH_KEPT = Sketch(1, 1, 0, WALK, limited=False, kept=True, centered=True)
SEPARATION = Sketch(0, 0, 1, WALK, limited=False, centered=True)


def beginning(sketch):
    """A function that draws positions and velocities for one run."""

    def draw(random):
        fastest = 1.5 if sketch.centered else 2
        places = np.tile(SIZE / 2, (COUNT, 1)) if sketch.centered else random.random((COUNT, 2)) * SIZE
        return places, headings(random, COUNT, random.uniform(0.5, fastest, COUNT))

    return draw


def teleport(place):
    """Who leaves is put exactly on the opposite edge."""
    return np.where(place > SIZE, 0.0, np.where(place < 0, SIZE, place))


def steered(wish, velocity, social):
    """lim(MAX_SPEED · unit(wish) - v, MAX_FORCE) where there are neighbors."""
    return limited(unit(wish) * MAX_SPEED - velocity, MAX_FORCE) * social[:, None]


def acceleration(sketch, position, velocity, boid):
    """Sum of the weighted rules of one boid, shape (runs, 2)."""
    to = position - position[:, boid, None]
    apart = length(to)
    aligned, gathered, parted = (apart < radius for radius in sketch.radii)
    for seen in (aligned, gathered, parted):
        seen[:, boid] = False
    own, total = velocity[:, boid], np.zeros_like(velocity[:, boid])
    if sketch.alignment:
        total += sketch.alignment * steered(masked_mean(velocity, aligned), own, aligned.any(axis=1))
    if sketch.cohesion:
        total += sketch.cohesion * steered(masked_mean(to, gathered), own, gathered.any(axis=1))
    if sketch.separation:
        total += sketch.separation * steered(masked_mean(-unit(to), parted), own, parted.any(axis=1))
    return total


def flock(seeds, sketch=FINAL, frames=300):
    """The sketch's `draw`, frame by frame."""
    position, velocity = drawn(seeds, beginning(sketch))
    change = np.zeros_like(velocity)
    for _ in range(frames):
        shown, flown = position.copy(), velocity.copy()
        for boid in range(COUNT):
            if sketch.edges:
                position[:, boid] = teleport(position[:, boid])
            rules = acceleration(sketch, position, velocity, boid)
            change[:, boid] = rules + change[:, boid] if sketch.kept else rules
            shown[:, boid], flown[:, boid] = position[:, boid], velocity[:, boid]
            position[:, boid] += velocity[:, boid]
            velocity[:, boid] += change[:, boid]
            if sketch.limited:
                velocity[:, boid] = limited(velocity[:, boid], MAX_SPEED)
        yield shown, flown


@dataclass(frozen=True)
class Numbers:
    """What the C++ fragments leave open; as the preset has it."""

    separation_distance: float = 22.0
    neighbor_distance: float = 50.0
    weights: tuple = (0.06, 0.08, 0.002)


def fragments(seeds, frames=250, numbers=None):
    """The C++ rules added to the velocity: unit vectors away, mean velocity minus own, mean position minus own."""
    numbers = numbers or Numbers()
    position, velocity = drawn(seeds, beginning(FINAL))
    for _ in range(frames):
        yield position.copy(), velocity.copy()
        toward = wrapped(position[:, None] - position[:, :, None], SIZE)
        apart = length(toward)
        near = (apart > 0) & (apart < numbers.neighbor_distance)
        mean_velocity = masked_mean(np.broadcast_to(velocity[:, None], toward.shape), near)
        separation = masked_sum(-unit(toward), (apart > 0) & (apart < numbers.separation_distance))
        alignment = (mean_velocity - velocity) * near.any(axis=-1)[..., None]
        drive = (separation, alignment, masked_mean(toward, near))
        velocity = velocity + sum(w * rule for w, rule in zip(numbers.weights, drive, strict=True))
        velocity = limited(velocity, MAX_SPEED)
        position = (position + velocity) % SIZE
