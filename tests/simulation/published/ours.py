"""What presets add to the documents: the swarm of document 000's button, and the fear of 001 that keeps its flock.

The texts have words for these ("Predator/Prey", "Obstacle Avoidance") and no code.
"""

from tests.simulation.published.document_000 import DT, PLAY_W, Boid, Exercise, H, V


def near_fear(weight, radius):
    """For 001: away from a predator by weight/d, within a radius."""

    def avoid(difference, distance):
        return [-x * weight / distance**2 if distance < radius else 0.0 for x in difference]

    return avoid


class Disc:
    """A solid obstacle with document 002's push (97-101): 2.5 · (1.5 R - d)/d."""

    def __init__(self, x, y, radius):
        self.center, self.radius = V(x, y), radius

    def push(self, place):
        away = place.sub(self.center)
        return away.norm().mul(2.5 * max(1.5 * self.radius - away.mag(), 0) / away.mag())

    def keep_out(self, one):
        away = one.p.sub(self.center)
        if away.mag() < self.radius:
            out = away.norm()
            one.v = one.v.sub(out.mul(min(one.v.x * out.x + one.v.y * out.y, 0)))
            one.p = self.center.add(out.mul(self.radius))


class Hunter:
    """A predator that steers toward the nearest boid, at a constant speed."""

    def __init__(self, position, velocity, *, speed, max_force, disc):
        self.p, self.v = V(*position), V(*velocity)
        self.speed, self.max_force, self.disc = speed, max_force, disc

    def tick(self, boids):
        to = min((b.p.sub(self.p) for b in boids), key=V.mag)
        steering = to.norm().mul(self.speed).sub(self.v).limit(self.max_force)
        self.v = self.v.add(steering).add(self.disc.push(self.p)).norm().mul(self.speed)
        self.p = self.p.add(self.v.mul(DT))
        self.disc.keep_out(self)
        self.p = V(self.p.x % PLAY_W, self.p.y % H)


class Swarm(Exercise):
    """The exercise with a hunter, which boids within 80 flee by 2, a disc, and boids that are added."""

    def __init__(self, positions, velocities, hunter):
        disc = self.disc = Disc(560, 140, 40)
        self.hunter = Hunter(*hunter, speed=70, max_force=2, disc=disc)
        super().__init__(positions, velocities, more=(self.fear, lambda s: disc.push(s.p)))

    def fear(self, s):
        away = s.p.sub(self.hunter.p)
        return away.norm().mul(2) if away.mag() < 80 else V()

    def spawn(self, positions, velocities):
        self.boids += [Boid(*both) for both in zip(positions, velocities, strict=True)]

    def moved(self, b):
        self.disc.keep_out(b)  # far from the edges, where the modulo changes nothing

    def tick(self):
        self.hunter.tick(self.boids)
        super().tick()

    @property
    def predators(self):
        return [[self.hunter.p.x, self.hunter.p.y]]
