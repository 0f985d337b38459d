"""Flocking in plain loops, written from the formulas: the oracle for everything that the simulation does faster."""

import math


def shortest(offset, periods):
    """The offset by the shortest way round."""
    return [o - p * round(o / p) if p else o for o, p in zip(offset, periods, strict=True)]


def norm(vector):
    """Euclidean length."""
    return math.sqrt(sum(c * c for c in vector))


def sees(velocity, offset, field_of_view):
    """True if a boid with this velocity has the offset within its total field of view, in degrees."""
    if field_of_view >= 360 or norm(velocity) == 0:
        return True
    cosine = sum(v * o for v, o in zip(velocity, offset, strict=True)) / (norm(velocity) * norm(offset))
    return cosine > math.cos(math.radians(field_of_view / 2))


def neighbors(position, velocity, sources, radius, field_of_view, periods, all_round=0.0):
    """Pairs (number, offset) of the sources that one boid perceives, at any angle those nearer than `all_round`."""
    offsets = [(j, shortest([s - p for s, p in zip(q, position, strict=True)], periods)) for j, q in enumerate(sources)]
    near = [(j, o) for j, o in offsets if 0 < norm(o) < radius]
    return [(j, o) for j, o in near if norm(o) < all_round or sees(velocity, o, field_of_view)]


FALLOFF = {
    "constant": lambda _: 1.0,
    "inverse": lambda r: 1 / r,
    "inverse_square": lambda r: 1 / r**2,
    "linear": lambda r: r,
}


def falloff(kind, r, length, exponent):
    """The size of what a neighbor at this distance counts, by falloffs that have numbers and those that have none."""
    if kind == "exponential":
        return math.exp(-r / length)
    if kind == "power":
        return 1 / (length**2 + r**2) ** exponent
    return r / (length**4 + r**4) if kind == "quartic" else FALLOFF[kind](r)


def total(near, quantity, source_velocity, dimension):
    """The sum that a request asks for over one boid's neighbors."""
    sums = [0.0] * dimension
    for j, offset in near:
        if quantity == "velocity":
            term = source_velocity[j]
        elif quantity == "offset":
            term = offset
        else:
            term = [o / norm(offset) * FALLOFF[quantity](norm(offset)) for o in offset]
        sums = [s + t for s, t in zip(sums, term, strict=True)]
    return sums


def reynolds(raw, velocity, max_speed, max_force):
    """lim(max_speed · unit(raw) - velocity, max_force), zero for a zero vector."""
    if norm(raw) == 0:
        return [0.0] * len(raw)
    steer = [max_speed * r / norm(raw) - v for r, v in zip(raw, velocity, strict=True)]
    return limit(steer, max_force)


def limit(vector, most):
    """The vector, shortened to `most` if it is longer."""
    size = norm(vector)
    return [c * most / size for c in vector] if size > most else list(vector)


def unit(vector):
    """The vector brought to length 1; zero for a zero vector."""
    return [c / norm(vector) if norm(vector) else 0.0 for c in vector]


def turn(velocity, wanted, most):
    """The change that turns a flat velocity toward a direction, by at most so many degrees."""
    if norm(wanted) == 0 or norm(velocity) == 0:
        return [0.0] * len(velocity)
    angle = math.degrees(math.atan2(wanted[1], wanted[0]) - math.atan2(velocity[1], velocity[0]))
    angle = (angle + 180) % 360 - 180
    angle = math.radians(min(max(angle, -most), most))
    x, y = velocity
    turned = [x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)]
    return [t - v for t, v in zip(turned, velocity, strict=True)]
