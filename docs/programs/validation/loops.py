"""The published models over all pairs, written in numpy from the publications alone."""

import numpy as np


def heading_sums(position, angle, side, nearest):
    """Sums of cosines and sines of all within 1, or of the nearest so many, and their number, oneself included."""
    apart = np.abs(position[:, None] - position[None])
    squared = (np.minimum(apart, side - apart) ** 2).sum(axis=2)
    near = squared <= (np.sort(squared, axis=1)[:, nearest, None] if nearest else 1.0)
    return near @ np.cos(angle), near @ np.sin(angle), near.sum(axis=1)


def aligning(seed, steps, first, *, count, side, eta, speed, vectorial=False, nearest=0):
    """Order parameter of each step from `first` on, by the model of 1995 or, vectorial, of 2004.

    `nearest` replaces the radius of 1 by so many nearest neighbors.
    """
    random = np.random.default_rng(seed)
    position, angle = random.random((count, 2)) * side, random.uniform(-np.pi, np.pi, count)
    order = []
    for step in range(steps):
        along, across, number = heading_sums(position, angle, side, nearest)
        old = angle
        if vectorial:
            push = random.uniform(-np.pi, np.pi, count)
            angle = np.arctan2(across + eta * number * np.sin(push), along + eta * number * np.cos(push))
        else:
            angle = np.arctan2(across, along) + random.uniform(-eta / 2, eta / 2, count)
        flown = angle if vectorial else old
        position = (position + speed * np.stack((np.cos(flown), np.sin(flown)), axis=1)) % side
        if step >= first:
            order.append(np.hypot(np.cos(angle).mean(), np.sin(angle).mean()))
    return np.array(order)


def length(vectors):
    """Euclidean lengths, of the last axis, which is kept."""
    return np.sqrt((vectors**2).sum(axis=-1, keepdims=True))


def unit(vectors):
    """Directions, zero where there is none."""
    return vectors / np.maximum(length(vectors), 1e-300)


def zone_step(position, heading, widths, balanced, aside, error):
    """New headings of the model of Couzin et al. 2002, shape (n, 3): equations 1 to 3, error and turn, at τ = 0.1 s.

    The outer edges of the three zones are `widths`; `aside` are random vectors that say in which plane the random turn
    of angle `error` goes. Balanced, the directions of the two outer zones count the same, however many are in each.
    """
    offset = position[None] - position[:, None]
    far, ahead = length(offset)[..., 0], (offset * heading[:, None]).sum(axis=2)
    others, largest = ~np.eye(len(position), dtype=bool), np.radians(40.0) * 0.1
    inner = others & (far < widths[0])
    seen = others & ~inner & (ahead > far * np.cos(np.radians(135.0)))
    along = (seen & (far < widths[1])) @ heading
    away = -(unit(offset) * inner[..., None]).sum(axis=1)
    toward = (unit(offset) * (seen & (far >= widths[1]) & (far < widths[2]))[..., None]).sum(axis=1)
    if balanced:
        along, toward = unit(along), unit(toward)
    wanted = unit(np.where(length(away) > 0, away, along + toward))
    wanted = np.where(length(wanted) > 0, wanted, heading)
    across = unit(aside - (aside * wanted).sum(axis=1, keepdims=True) * wanted)
    wanted = np.cos(error)[:, None] * wanted + np.sin(error)[:, None] * across
    cosine = (wanted * heading).sum(axis=1, keepdims=True)
    turned = np.cos(largest) * heading + np.sin(largest) * unit(wanted - cosine * heading)
    return np.where(cosine < np.cos(largest), turned, wanted)


def zones(seed, steps, first, *, orientation, balanced=False, count=100):
    """Polarization and rotation of each step from `first` on, shape (2, steps - first).

    `orientation` is the width of that zone, or a function that gives it for each step.
    """
    random = np.random.default_rng(seed)
    position, heading = random.normal(size=(2, count, 3))
    position *= (6.0 * random.random(count) ** (1 / 3) / np.sqrt((position**2).sum(axis=1)))[:, None]
    heading /= np.sqrt((heading**2).sum(axis=1))[:, None]
    found = []
    for step in range(steps):
        width = orientation(step) if callable(orientation) else orientation
        edges = np.array([1.0, 1.0 + width, 1.0 + width + 14.0])
        aside, error = random.normal(size=(count, 3)), random.normal(0.0, 0.05, count)
        heading = zone_step(position, heading, edges, balanced, aside, error)
        position += 3.0 * 0.1 * heading
        if step >= first:
            out = position - position.mean(axis=0)
            turning = np.cross(out, heading) / np.sqrt((out**2).sum(axis=1))[:, None]
            found.append([length(heading.mean(axis=0))[0], length(turning.mean(axis=0))[0]])
    return np.array(found).T


def directional_delay(one, other, longest):
    """Delay of the second animal behind the first, and their correlation there, by Nagy et al. 2010; nan = unseen."""
    found = {}
    for delay in range(-longest, longest + 1):
        products = []
        for time in range(len(one)):
            if 0 <= time + delay < len(other):
                product = sum(a * b for a, b in zip(one[time], other[time + delay], strict=True))
                products += [] if np.isnan(product) else [product]
        found[delay] = sum(products) / len(products)
    best = max(found, key=found.get)
    return best, found[best]
