"""A run in numbers: every measure over the last frames of a run, one value a run; and medians with their spread."""

from itertools import pairwise

import numpy as np

from tests.sources import measures

EVERY = 5
"""Of the last frames each fifth is measured; what is about time (turns, swings) sees them all."""


def recorded(frames):
    """All frames of a loop, as two arrays of shape (frames, runs, n, d)."""
    positions, velocities = zip(*frames, strict=True)
    return np.stack(positions), np.stack(velocities)


def summarized(positions, velocities, size=(np.inf, np.inf), near=50.0, span=50):
    """Each measure's mean over the last `span` frames, one value for each run."""
    size = np.asarray(size)
    positions, velocities = positions[-span:], velocities[-span:]
    means: dict[str, list] = {}
    for place, flight in zip(positions[::EVERY], velocities[::EVERY], strict=True):
        for name, value in at_instant(place, flight, size, near).items():
            means.setdefault(name, []).append(value)
    return {name: np.nanmean(values, axis=0) for name, values in means.items()} | over_time(
        positions, velocities, size, near
    )


def at_instant(place, flight, size, near):
    """The measures of one frame."""
    found = {
        "polarization": measures.polarization(flight),
        "local polarization": measures.local_polarization(place, flight, size, near),
        "groups": measures.groups(place, size, near),
        "groups of five": measures.groups(place, size, near, least=5),
        "largest group": measures.largest_group(place, size, near),
        "spacing": measures.spacing(place, size),
        "from center": measures.from_center(place),
        "speed": measures.speed(flight),
    }
    names = ("elongation", "along flight", "gyration")
    return found | dict(zip(names, measures.group_shapes(place, flight, size, near), strict=True))


def over_time(positions, velocities, size, near):
    """The measures of a span of frames."""
    distance = np.stack([measures.length(measures.to_neighbors(place, size, near)) for place in positions])
    turns = [measures.turn(*pair) for pair in pairwise(velocities)]
    return {
        "turn": np.mean(turns, axis=0),
        "swings": measures.swings(distance),
        "swing depth": measures.swing_depth(distance),
    }


def spread(values):
    """Median and quartiles over the runs."""
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75))
    return {"median": round(float(middle), 4), "low": round(float(low), 4), "high": round(float(high), 4)}
