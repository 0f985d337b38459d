"""Prediction: where another animal will be when one could meet it."""

import numpy as np

from boidsgen.simulation.geometry import Array, length


def ahead(offset: Array, velocity: Array, other_velocity: Array, lead: float) -> Array:
    """The offsets to where others will be after T = min(lead, r/(|v| + |w|)), shape (n, d).

    Here r is how far away the other now is, v one's own velocity and w the other's: T is about the time they would
    need to meet. Source: C. Reynolds, Steering Behaviors for Autonomous Characters, GDC 1999 (pursuit).
    """
    speed = length(velocity) + length(other_velocity)
    distance = length(offset)
    meeting = np.divide(distance, speed, out=np.full_like(distance, lead), where=speed > 0)
    return offset + other_velocity * np.minimum(meeting, lead)[:, None]
