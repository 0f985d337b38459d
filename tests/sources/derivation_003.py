"""Document 003: three forces by formula. It gives no number, no loop, no edge: those are the preset's, as arguments."""

from dataclasses import dataclass

import numpy as np

from tests.sources.vectors import drawn, headings, length, limited, masked_mean, masked_sum, unit, wrapped


@dataclass(frozen=True)
class Numbers:
    """What the document leaves open."""

    size: tuple = (480.0, 360.0)
    count: int = 80
    radius: float = 45.0
    max_speed: float = 3.0
    weights: tuple = (25.0, 0.08, 0.04)


def forces(position, velocity, numbers):
    """Separation w·sum unit/d², alignment and cohesion w·(vmax·unit - v), shape (runs, n, 2) each."""
    toward = wrapped(position[:, None] - position[:, :, None], np.array(numbers.size))
    apart = length(toward)
    near = (apart > 0) & (apart < numbers.radius)
    social = near.any(axis=-1)[..., None]
    inverse_square = np.divide(1.0, apart**2, out=np.zeros_like(apart), where=near)
    mean_velocity = masked_mean(np.broadcast_to(velocity[:, None], toward.shape), near)
    separation, alignment, cohesion = numbers.weights
    return (
        separation * masked_sum(-unit(toward) * inverse_square[..., None], near),
        alignment * (numbers.max_speed * unit(mean_velocity) - velocity) * social,
        cohesion * (numbers.max_speed * unit(masked_mean(toward, near)) - velocity) * social,
    )


def flock(seeds, frames=250, numbers=None):
    """All see the same frame, then all move by the new velocity, on a torus."""
    numbers = numbers or Numbers()
    size = np.array(numbers.size)

    def start(random):
        speeds = random.uniform(0, numbers.max_speed, numbers.count)
        return random.random((numbers.count, 2)) * size, headings(random, numbers.count, speeds)

    position, velocity = drawn(seeds, start)
    for _ in range(frames):
        yield position.copy(), velocity.copy()
        velocity = limited(velocity + sum(forces(position, velocity, numbers)), numbers.max_speed)
        position = (position + velocity) % size
