"""Document 004: the rules of its text, in C++, and its p5.js sketch, from the build-up to the full source code.

`createVector` and `p5.Vector` are p5.js's: a vector of length zero stays as it is under `setMag`, and so does one that
is divided by zero, with a warning.
"""

import math


class Vector:
    """What the sketch uses of p5.Vector, in place as there."""

    def __init__(self, x=0.0, y=0.0):
        self.x = x
        self.y = y

    def add(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def sub(self, other):
        self.x -= other.x
        self.y -= other.y
        return self

    def mult(self, n):
        self.x *= n
        self.y *= n
        return self

    def div(self, n):
        if n == 0:  # "p5.Vector.prototype.div: divide by 0"
            return self
        self.x /= n
        self.y /= n
        return self

    def mag(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def normalize(self):
        size = self.mag()
        if size != 0:
            self.mult(1 / size)
        return self

    def setMag(self, n):
        return self.normalize().mult(n)

    def limit(self, most):
        squared = self.x * self.x + self.y * self.y
        if squared > most * most:
            self.div(math.sqrt(squared)).mult(most)
        return self

    def set(self, x, y):
        self.x = x
        self.y = y


def dist(x1, y1, x2, y2):
    return math.hypot(x2 - x1, y2 - y1)


width, height = 640, 360  # 261, 797


class Boid:  # 639; the build-up's (213) has fewer lines, which `Stage` says
    cohesionRadius = 100  # 687

    def __init__(self, position, velocity):
        self.position = Vector(*position)
        self.velocity = Vector(*velocity)
        self.acceleration = Vector()
        self.maxForce = 0.2  # 647
        self.maxSpeed = 2

    def edges(self):
        if self.position.x > width:  # 653
            self.position.x = 0
        elif self.position.x < 0:
            self.position.x = width
        if self.position.y > height:
            self.position.y = 0
        elif self.position.y < 0:
            self.position.y = height

    def align(self, boids):
        perceptionRadius = 50  # 666
        steering = Vector()
        total = 0
        for other in boids:
            d = dist(self.position.x, self.position.y, other.position.x, other.position.y)
            if other is not self and d < perceptionRadius:  # 671
                steering.add(other.velocity)
                total += 1
        if total > 0:  # 677
            steering.div(total)
            steering.setMag(self.maxSpeed)
            steering.sub(self.velocity)
            steering.limit(self.maxForce)
        return steering

    def cohesion(self, boids):
        perceptionRadius = self.cohesionRadius  # 687
        steering = Vector()
        total = 0
        for other in boids:
            d = dist(self.position.x, self.position.y, other.position.x, other.position.y)
            if other is not self and d < perceptionRadius:  # 692
                steering.add(other.position)
                total += 1
        if total > 0:  # 698
            steering.div(total)
            steering.sub(self.position)
            steering.setMag(self.maxSpeed)
            steering.sub(self.velocity)
            steering.limit(self.maxForce)
        return steering

    def separation(self, boids):
        perceptionRadius = 50  # 710
        steering = Vector()
        total = 0
        for other in boids:
            d = dist(self.position.x, self.position.y, other.position.x, other.position.y)
            if other is not self and d < perceptionRadius:  # 715
                diff = Vector(self.position.x - other.position.x, self.position.y - other.position.y)
                diff.div(d)
                steering.add(diff)
                total += 1
        if total > 0:  # 723
            steering.div(total)
            steering.setMag(self.maxSpeed)
            steering.sub(self.velocity)
            steering.limit(self.maxForce)
        return steering

    def flock(self, boids, sliders=(1, 1, 1)):
        alignment = self.align(boids)  # 733
        cohesion = self.cohesion(boids)
        separation = self.separation(boids)
        alignment.mult(sliders[0])  # 738
        cohesion.mult(sliders[1])
        separation.mult(sliders[2])
        self.acceleration.add(alignment)  # 743
        self.acceleration.add(cohesion)
        self.acceleration.add(separation)

    def update(self):
        self.position.add(self.velocity)  # 749
        self.velocity.add(self.acceleration)
        self.velocity.limit(self.maxSpeed)
        self.acceleration.set(0, 0)  # 753


class Sketch:
    """The full source code, its sliders at 1 (798-800)."""

    boid = Boid

    def __init__(self, positions, velocities):
        self.boids = [self.boid(*both) for both in zip(positions, velocities, strict=True)]
        assert len(self.boids) == 100  # 262, 801
        self.check()

    def check(self):
        assert all(0 <= b.position.x <= width and 0 <= b.position.y <= height for b in self.boids)  # 643
        assert all(0.5 - 1e-12 <= b.velocity.mag() <= 2 + 1e-12 for b in self.boids)  # 645

    def tick(self):
        for boid in self.boids:  # 809
            boid.edges()
            boid.flock(self.boids)
            boid.update()

    @property
    def flock(self):
        return [[b.position.x, b.position.y] for b in self.boids], [[b.velocity.x, b.velocity.y] for b in self.boids]


class Stage(Sketch):
    """The sketch while it is built up, from the middle (217-219), with some of its rules."""

    rules = ()

    class boid(Boid):
        cohesionRadius = 50  # 401

        def flock(self, boids, rules):
            """One rule is the acceleration, as alignment is (337)."""
            self.acceleration = Vector()
            for rule in rules:
                self.acceleration.add(getattr(self, rule)(boids))

        def update(self):
            self.position.add(self.velocity)  # 224
            self.velocity.add(self.acceleration)

    def check(self):
        assert all((b.position.x, b.position.y) == (width / 2, height / 2) for b in self.boids)  # 217
        assert all(0.5 - 1e-12 <= b.velocity.mag() <= 1.5 + 1e-12 for b in self.boids)  # 219

    def tick(self):
        for boid in self.boids:  # 270; edges come with alignment (359), and nobody gets so far without
            boid.edges()
            boid.flock(self.boids, self.rules)
            boid.update()


class Drift(Stage):
    """Without rules (267-274)."""


class Alignment(Stage):
    """`align` alone (335-339)."""

    rules = ("align",)


class Cohesion(Stage):
    """`cohesion` alone."""

    rules = ("cohesion",)


class AlignmentAndCohesion(Stage):
    """Both rules (439-446), with the acceleration set back, which the text does at the end only (753)."""

    rules = ("align", "cohesion")


class Separation(Stage):
    """`separation` alone, "the resulting effect of the separation rule" (505)."""

    rules = ("separation",)


class NeverReset(Stage):
    """Both rules as they are first put together (439-446): added to an acceleration that nothing sets back.

    `reset` sets it back from then on, as the full source code does (753).
    """

    reset = False

    class boid(Stage.boid):
        def flock(self, boids):
            alignment = self.align(boids)  # 440
            cohesion = self.cohesion(boids)
            self.acceleration.add(alignment)  # 444
            self.acceleration.add(cohesion)

    def tick(self):
        for boid in self.boids:
            boid.edges()
            if self.reset:
                boid.acceleration.set(0, 0)
            boid.flock(self.boids)
            boid.update()


def plus(a, b):
    return (a[0] + b[0], a[1] + b[1])


def minus(a, b):
    return (a[0] - b[0], a[1] - b[1])


def times(a, factor):
    return (a[0] * factor, a[1] * factor)


def length(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1])


class Fragments:
    """The rules of the text (45-60, 93-117, 150-174), in double precision.

    It has no numbers and no loop: distances, weights, maximum speed and world are open. Here all boids move at once,
    the weighted sum is added to the velocity, and the maximum speed bounds it. Offsets take the shortest way round.
    """

    def __init__(self, positions, velocities, *, world, separation_distance, neighbor_distance, max_speed, weights):
        self.positions, self.velocities = positions, velocities
        self.world, self.max_speed, self.weights = world, max_speed, weights
        self.separation_distance, self.neighbor_distance = separation_distance, neighbor_distance

    def seen_from(self, position):
        """Every boid (49, 99, 156): where it is on the shortest way, and its velocity."""
        for p, v in zip(self.positions, self.velocities, strict=True):
            yield tuple(o + math.remainder(x - o, s) for x, o, s in zip(p, position, self.world, strict=True)), v

    def separation(self, position):
        separation = (0.0, 0.0)  # 48
        for b_position, _ in self.seen_from(position):
            distance = length(minus(b_position, position))
            if distance > 0 and distance < self.separation_distance:  # 53
                diff = minus(position, b_position)
                separation = plus(separation, times(diff, 1.0 / distance))
        return separation

    def alignment(self, position, velocity):
        avg_velocity = (0.0, 0.0)  # 96
        total_neighbors = 0
        for b_position, b_velocity in self.seen_from(position):
            distance = length(minus(b_position, position))
            if distance > 0 and distance < self.neighbor_distance:  # 103
                avg_velocity = plus(avg_velocity, b_velocity)
                total_neighbors += 1
        if total_neighbors > 0:
            avg_velocity = times(avg_velocity, 1.0 / total_neighbors)  # 112
            return minus(avg_velocity, velocity)
        return (0.0, 0.0)

    def cohesion(self, position):
        center_of_mass = (0.0, 0.0)  # 153
        total_neighbors = 0
        for b_position, _ in self.seen_from(position):
            distance = length(minus(b_position, position))
            if distance > 0 and distance < self.neighbor_distance:  # 160
                center_of_mass = plus(center_of_mass, b_position)
                total_neighbors += 1
        if total_neighbors > 0:
            center_of_mass = times(center_of_mass, 1.0 / total_neighbors)  # 169
            return minus(center_of_mass, position)
        return (0.0, 0.0)

    def tick(self):
        moved = []
        for position, velocity in zip(self.positions, self.velocities, strict=True):
            rules = self.separation(position), self.alignment(position, velocity), self.cohesion(position)
            for rule, weight in zip(rules, self.weights, strict=True):
                velocity = plus(velocity, times(rule, weight))
            if length(velocity) > self.max_speed:
                velocity = times(velocity, self.max_speed / length(velocity))
            moved.append(([x % s for x, s in zip(plus(position, velocity), self.world, strict=True)], velocity))
        self.positions, self.velocities = map(list, zip(*moved, strict=True))

    @property
    def flock(self):
        return self.positions, self.velocities
