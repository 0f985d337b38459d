"""Document 001, matplotlib in 3D: four hundred boids without inertia and five predators on a field of knots.

Predators move first, then each boid in its turn: the center of mass and the mean velocity are taken anew for each,
over boids of which the earlier ones have already moved. Frames are as drawn, which is after the step.
"""

import numpy as np

from tests.sources.vectors import drawn, length, limited, masked_sum, unit

BOIDS, PREDATORS = 400, 5
MIDDLE = np.array([50.0, 50.0, 50.0])
SEPARATION_RADIUS, SIGHT, MAX_SPEED = 7, 10, 1.0
CENTER_OF_MASS, SEPARATION, ALIGNMENT, AVOID, CENTER, KNOT = 0.03, 1.0, 0.125, 1.0, 0.02, 2.0
VIDEO_STEPS, LISTED_STEPS = 960, 10

REFRESH = 5
"""Steps after which it is found out anew who can have no neighbor; in one step nobody moves further than 1."""


def knot(step, steps):
    """The trefoil's vector for each predator, shape (predators, 3): two rounds in a run, an eighth of a turn apart."""
    t = step / steps * 4 * np.pi + np.arange(PREDATORS) * np.pi / 4
    around = 2 + np.cos(3 * t)
    return np.stack((around * np.cos(2 * t), around * np.sin(2 * t), np.sin(3 * t)), axis=-1)


def beginning(count):
    """A function that draws boids all over the box and predators around its middle; all are at rest."""

    def draw(random):
        return random.uniform(0, 100, (count, 3)), random.uniform(45, 55, (PREDATORS, 3))

    return draw


def hunted(predator, position, attack):
    """Predators' way toward all boids within sight, each counting alike, shape (runs, predators, 3)."""
    if attack == 0:
        return 0.0
    toward = position[:, None] - predator[:, :, None]
    return attack * masked_sum(unit(toward), length(toward) < SIGHT)


def avoided_everywhere(away):
    """The printed fear: no range, and harder the further away."""
    return AVOID * away.sum(axis=1)


def avoided_near(away, radius=22, strength=25):
    """Our correction: only within a radius, and 1/d."""
    apart = length(away)
    return masked_sum(unit(away) * strength / np.maximum(apart, 1e-9)[..., None], apart < radius)


def flock(seeds, steps=VIDEO_STEPS, count=BOIDS, attack=0, avoid=avoided_everywhere, drawn_steps=None):
    """The loop: position and velocity of boids and position of predators after each of `drawn_steps` of `steps`."""
    position, predator = drawn(seeds, beginning(count))
    velocity = np.zeros_like(position)
    for step in range(drawn_steps or steps):
        way = hunted(predator, position, attack) + KNOT * knot(step, steps)
        predator = predator + limited(way, MAX_SPEED)
        everyone, flights = position.sum(axis=1), velocity.sum(axis=1)
        if step % REFRESH == 0:
            lonely = nobody_near(position)
        for boid in range(count):
            place, flight = position[:, boid].copy(), velocity[:, boid].copy()
            new = (everyone / count - place) * CENTER_OF_MASS + (flights / count - flight) * ALIGNMENT
            new += (MIDDLE - place) * CENTER
            if not lonely[boid]:
                new += SEPARATION * crowded(position, place)
            new = limited(new + avoid(place[:, None] - predator), MAX_SPEED)
            position[:, boid], velocity[:, boid] = place + new, new
            everyone, flights = everyone + new, flights + new - flight
        yield position.copy(), velocity.copy(), predator


def nobody_near(position):
    """Which boids have nobody near enough, in any run, to come within the separation radius before the next look."""
    reach = SEPARATION_RADIUS + 2 * MAX_SPEED * REFRESH
    return [
        (length(position - position[:, boid, None]) < reach).sum() == len(position) for boid in range(position.shape[1])
    ]


def crowded(position, place):
    """Sum of unit(p - pj)/d over boids nearer than the radius, shape (runs, 3)."""
    away = place[:, None] - position
    squared = np.einsum("...k,...k", away, away)
    close = (squared > 0) & (squared < SEPARATION_RADIUS**2)
    return np.einsum("rnk,rn->rk", away, np.divide(1.0, squared, out=np.zeros_like(squared), where=close))
