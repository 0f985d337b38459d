"""The published models as plain loops over pairs, written from the publications alone; numba compiles them."""

import numpy as np

try:
    from numba import njit

    ENGINE = "numba"
except ImportError:  # the same numbers, slower
    ENGINE = "numpy"

    def njit(loop):
        """The loop as it is."""
        return loop


@njit
def heading_sums(position, angle, side, nearest):
    """Sums of cosines and sines of all within 1, or of the nearest so many, and their number, oneself included."""
    count = len(position)
    sums, squared = np.zeros((3, count)), np.empty(count)
    for i in range(count):
        for j in range(count):
            x, y = abs(position[i, 0] - position[j, 0]), abs(position[i, 1] - position[j, 1])
            squared[j] = min(x, side - x) ** 2 + min(y, side - y) ** 2
        limit = np.sort(squared)[nearest] if nearest else 1.0
        for j in range(count):
            if squared[j] <= limit:
                sums[0, i] += np.cos(angle[j])
                sums[1, i] += np.sin(angle[j])
                sums[2, i] += 1
    return sums


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


@njit
def length(vector):
    """Euclidean length."""
    return np.sqrt((vector * vector).sum())


@njit
def zone_step(position, heading, widths, balanced, aside, error):
    """New headings of the model of Couzin et al. 2002, shape (n, 3): equations 1 to 3, error and turn, at τ = 0.1 s.

    The outer edges of the three zones are `widths`; `aside` are random vectors that say in which plane the random turn
    of angle `error` goes. Balanced, the directions of the two outer zones count the same, however many are in each.
    """
    new = np.empty_like(heading)
    away, along, toward, offset = np.empty((4, 3))
    sight, largest = np.cos(np.radians(135.0)), np.radians(40.0) * 0.1
    for i in range(len(position)):
        away[:], along[:], toward[:] = 0.0, 0.0, 0.0
        for j in range(len(position)):
            far = ahead = 0.0
            for k in range(3):
                offset[k] = position[j, k] - position[i, k]
                far += offset[k] ** 2
                ahead += offset[k] * heading[i, k]
            far = np.sqrt(far)
            for k in range(3):
                if j != i and far < widths[0]:
                    away[k] -= offset[k] / far
                elif j != i and ahead > far * sight and far < widths[1]:
                    along[k] += heading[j, k]
                elif j != i and ahead > far * sight and far < widths[2]:
                    toward[k] += offset[k] / far
        if balanced:
            along /= max(length(along), 1e-300)
            toward /= max(length(toward), 1e-300)
        wanted = away if length(away) > 0 else along + toward
        wanted = wanted / length(wanted) if length(wanted) > 0 else heading[i]
        across = aside[i] - (aside[i] * wanted).sum() * wanted
        wanted = np.cos(error[i]) * wanted + np.sin(error[i]) * across / length(across)
        cosine = (wanted * heading[i]).sum()
        if cosine < np.cos(largest):
            across = wanted - cosine * heading[i]
            wanted = np.cos(largest) * heading[i] + np.sin(largest) * across / length(across)
        new[i] = wanted
    return new


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
            found.append([length(heading.mean(axis=0)), length(turning.mean(axis=0))])
    return np.array(found).T
