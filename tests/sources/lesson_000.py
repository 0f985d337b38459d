"""Document 000, the pygame lesson and its exercise: boids that steer, moved one after the other.

Each boid looks around, steers and moves before the next one looks: later boids see earlier ones where they already
are. Accelerations are per tick, positions move by the velocity times the time of a tick. The lesson prints no main
loop; it is run here in the order of its exercise, which does.
"""

import numpy as np

from tests.sources.vectors import drawn, headings, length, limited, masked_mean, masked_sum, unit

SIZE = np.array([768.0, 480.0])
VISION, HALF_ANGLE, CLOSE = 50, np.radians(135), 25
MAX_SPEED, MAX_FORCE = 150, 0.2
WEIGHTS = (1.5, 1.0, 1.0)
TICK = 1 / 60


def visible(position, velocity, boid):
    """Offsets from the boid to all, their lengths, and which of them it sees, shapes (runs, n[, 2])."""
    to = position - position[:, boid, None]
    apart = length(to)
    heading = unit(velocity[:, boid])
    ahead = (unit(to) * heading[:, None]).sum(axis=-1)
    all_round = (length(heading) == 0)[:, None]
    seen = (apart > 0) & (apart < VISION) & (all_round | (ahead > np.cos(HALF_ANGLE)))
    return to, apart, seen


def steered(wish, velocity):
    """lim(MAX_SPEED · unit(wish) - v, MAX_FORCE); a wish of zero brakes."""
    return limited(unit(wish) * MAX_SPEED - velocity, MAX_FORCE)


def forces(position, velocity, boid):
    """Separation, alignment, cohesion of one boid, shape (runs, 2) each; zero for a rule without neighbors."""
    to, apart, seen = visible(position, velocity, boid)
    close = seen & (apart < CLOSE)
    pushes = -unit(to) / np.where(close, apart, 1)[..., None]
    own, social, crowded = velocity[:, boid], seen.any(axis=-1)[:, None], close.any(axis=-1)[:, None]
    mean_push = masked_sum(pushes, close) / np.maximum(close.sum(axis=-1), 1)[:, None]
    return (
        steered(mean_push, own) * crowded,
        steered(masked_mean(velocity, seen), own) * social,
        steered(masked_mean(to, seen), own) * social,
    )


def modulo(place):
    """Edges of the exercise."""
    return place % SIZE


def teleport(place):
    """Edges of the lesson: who leaves is put exactly on the opposite edge."""
    return np.where(place < 0, SIZE, np.where(place > SIZE, 0.0, place))


def exercise_start(random):
    """Thirty boids anywhere, 80 pixels a second in random directions."""
    return random.random((30, 2)) * SIZE, headings(random, 30, 80)


def lesson_start(random):
    """Thirty boids anywhere, nearly at rest: each component within ±1 pixel a second."""
    return random.random((30, 2)) * SIZE, random.uniform(-1, 1, (30, 2))


def flock(seeds, frames, start=exercise_start, edges=modulo, weights=WEIGHTS, tick=TICK, extra=None):
    """The loop: one tick a frame. `extra(position, velocity)` is one more steering, (runs, 2) each in and out."""
    position, velocity = drawn(seeds, start)
    for _ in range(frames):
        yield position.copy(), velocity.copy()
        for boid in range(position.shape[1]):
            drive = sum(w * force for w, force in zip(weights, forces(position, velocity, boid), strict=True))
            if extra is not None:
                drive = drive + extra(position[:, boid], velocity[:, boid])
            velocity[:, boid] = limited(velocity[:, boid] + drive, MAX_SPEED)
            position[:, boid] = edges(position[:, boid] + velocity[:, boid] * tick)


def lesson(seeds, frames, weights=WEIGHTS):
    """The lesson's boids: nearly at rest at the start, put on the opposite edge."""
    return flock(seeds, frames, start=lesson_start, edges=teleport, weights=weights)


def mouse(point, sign):
    """The lesson's `seek` (sign 1) or `flee` (sign -1) of a point, as a click on the canvas asks for."""

    def steering(place, velocity):
        return steered(sign * (np.asarray(point) - place), velocity)

    return steering
