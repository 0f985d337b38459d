"""Document 000, the pygame lesson: the flock of its section "Flocking Implementation" and that of its exercise.

The lesson gives no loop over its boids: they take turns, as in the exercise (line 387). `clock.tick(60)` (378) is taken
at its word: a sixtieth of a second.
"""

import math

DT = 1 / 60


class Vector2D:  # 34
    def __init__(self, x=0, y=0):
        self.x = x  # 37
        self.y = y

    def add(self, other):
        return Vector2D(self.x + other.x, self.y + other.y)  # 41

    def subtract(self, other):
        return Vector2D(self.x - other.x, self.y - other.y)  # 44

    def multiply(self, scalar):
        return Vector2D(self.x * scalar, self.y * scalar)  # 47

    def divide(self, scalar):
        if scalar != 0:  # 50
            return Vector2D(self.x / scalar, self.y / scalar)
        return Vector2D(0, 0)

    def magnitude(self):
        return math.sqrt(self.x**2 + self.y**2)  # 55

    def normalize(self):
        mag = self.magnitude()  # 58
        if mag > 0:
            return self.divide(mag)
        return Vector2D(0, 0)

    def limit(self, max_val):
        if self.magnitude() > max_val:  # 64
            return self.normalize().multiply(max_val)
        return self

    def distance(self, other):
        return math.sqrt((self.x - other.x) ** 2 + (self.y - other.y) ** 2)  # 69

    def angle(self):
        return math.atan2(self.y, self.x)  # 72


class LessonBoid:  # 74
    def __init__(self, position, velocity):
        self.position = Vector2D(*position)
        self.velocity = Vector2D(*velocity)
        assert max(map(abs, velocity)) <= 1  # 78
        self.acceleration = Vector2D(0, 0)
        self.max_speed = 150  # 76
        self.max_force = 0.2
        self.vision_range = 50  # 86
        self.vision_angle = math.radians(270)
        self.separation_weight = 1.5  # 90
        self.alignment_weight = 1.0
        self.cohesion_weight = 1.0

    def flock(self, boids):
        neighbors = self.get_neighbors(boids)  # 100
        sep = self.separation(neighbors)
        align = self.alignment(neighbors)
        coh = self.cohesion(neighbors)
        sep = sep.multiply(self.separation_weight)  # 108
        align = align.multiply(self.alignment_weight)
        coh = coh.multiply(self.cohesion_weight)
        self.acceleration = self.acceleration.add(sep)  # 113
        self.acceleration = self.acceleration.add(align)
        self.acceleration = self.acceleration.add(coh)

    def get_neighbors(self, boids):
        neighbors = []  # 119
        for other in boids:
            if other == self:
                continue
            distance = self.position.distance(other.position)  # 125
            if distance < self.vision_range and self.can_see(other):
                neighbors.append(other)
        return neighbors

    def can_see(self, other):
        to_other = other.position.subtract(self.position)  # 136
        angle_to_other = to_other.angle()
        my_angle = self.velocity.angle()
        angle_diff = abs(angle_to_other - my_angle)  # 140
        if angle_diff > math.pi:
            angle_diff = 2 * math.pi - angle_diff
        return angle_diff < self.vision_angle / 2

    def separation(self, neighbors):
        desired_separation = 25  # 148
        steer = Vector2D(0, 0)
        count = 0
        for other in neighbors:
            distance = self.position.distance(other.position)
            if 0 < distance < desired_separation:  # 155
                diff = self.position.subtract(other.position)
                diff = diff.normalize()
                diff = diff.divide(distance)
                steer = steer.add(diff)
                count += 1
        if count > 0:  # 163
            steer = steer.divide(count)
            if steer.magnitude() > 0:
                steer = steer.normalize()
                steer = steer.multiply(self.max_speed)
                steer = steer.subtract(self.velocity)
                steer = steer.limit(self.max_force)
        return steer

    def alignment(self, neighbors):
        steer = Vector2D(0, 0)  # 177
        count = 0
        for other in neighbors:
            steer = steer.add(other.velocity)
            count += 1
        if count > 0:  # 184
            steer = steer.divide(count)
            steer = steer.normalize()
            steer = steer.multiply(self.max_speed)
            steer = steer.subtract(self.velocity)
            steer = steer.limit(self.max_force)
        return steer

    def cohesion(self, neighbors):
        steer = Vector2D(0, 0)  # 195
        count = 0
        for other in neighbors:
            steer = steer.add(other.position)
            count += 1
        if count > 0:  # 202
            steer = steer.divide(count)
            return self.seek(steer)
        return steer

    def seek(self, target):
        desired = target.subtract(self.position)  # 210
        desired = desired.normalize()
        desired = desired.multiply(self.max_speed)
        steer = desired.subtract(self.velocity)
        return steer.limit(self.max_force)

    def flee(self, target):
        desired = self.position.subtract(target)  # 221
        desired = desired.normalize()
        desired = desired.multiply(self.max_speed)
        steer = desired.subtract(self.velocity)
        return steer.limit(self.max_force)

    def update(self, dt):
        self.velocity = self.velocity.add(self.acceleration)  # 233
        self.velocity = self.velocity.limit(self.max_speed)
        self.position.x += self.velocity.x * dt  # 237
        self.position.y += self.velocity.y * dt
        self.acceleration = Vector2D(0, 0)

    def edges(self, width, height):
        if self.position.x < 0:  # 245
            self.position.x = width
        elif self.position.x > width:
            self.position.x = 0
        if self.position.y < 0:  # 250
            self.position.y = height
        elif self.position.y > height:
            self.position.y = 0


class Lesson:
    """The lesson's boids; it leaves the size of the screen open."""

    def __init__(self, positions, velocities, *, width, height):
        self.boids = [LessonBoid(*both) for both in zip(positions, velocities, strict=True)]
        self.size = (width, height)

    def tick(self):
        for boid in self.boids:
            boid.flock(self.boids)
            boid.update(DT)
            boid.edges(*self.size)

    @property
    def flock(self):
        return [[b.position.x, b.position.y] for b in self.boids], [[b.velocity.x, b.velocity.y] for b in self.boids]


W, H, PLAY_W = 1088, 480, 768  # 308
N, VISION_RANGE, VISION_ANGLE = 30, 50, math.radians(270)
MAX_SPEED, MAX_FORCE, DESIRED_SEP = 150, 0.2, 25


class V:  # 312
    def __init__(s, x=0, y=0):
        s.x = x
        s.y = y

    def add(s, o):
        return V(s.x + o.x, s.y + o.y)  # 316

    def sub(s, o):
        return V(s.x - o.x, s.y - o.y)

    def mul(s, k):
        return V(s.x * k, s.y * k)

    def div(s, k):
        return V(s.x / k, s.y / k) if k else V()

    def mag(s):
        return math.hypot(s.x, s.y)  # 320

    def norm(s):
        m = s.mag()
        return s.div(m) if m else V()

    def limit(s, m):
        return s.norm().mul(m) if s.mag() > m else s  # 325


def reynolds(desired, vel):
    return desired.norm().mul(MAX_SPEED).sub(vel).limit(MAX_FORCE)  # 328


class Boid:  # 330
    def __init__(s, position, velocity):
        s.p = V(*position)
        s.a = V()
        s.v = V(*velocity)
        assert math.isclose(s.v.mag(), 80)  # 335

    def can_see(s, o):
        d = o.p.sub(s.p)  # 339
        m = d.mag()
        if m == 0 or m >= VISION_RANGE:
            return False
        if s.v.mag() == 0:
            return True
        cos_a = (d.x * s.v.x + d.y * s.v.y) / (m * s.v.mag())
        return cos_a > math.cos(VISION_ANGLE / 2)  # 343

    def step(s, boids, ws, dt, more=()):
        ns = [o for o in boids if o is not s and s.can_see(o)]  # 346
        sep = V()
        n = 0
        for o in ns:
            d = s.p.sub(o.p)
            m = d.mag()
            if 0 < m < DESIRED_SEP:  # 350
                sep = sep.add(d.norm().div(m))
                n += 1
        sep = reynolds(sep.div(n), s.v) if n else V()
        if ns:
            avg_v = V()
            for o in ns:
                avg_v = avg_v.add(o.v)  # 355
            ali = reynolds(avg_v.div(len(ns)), s.v)
            cen = V()
            for o in ns:
                cen = cen.add(o.p)
            coh = reynolds(cen.div(len(ns)).sub(s.p), s.v)
        else:
            ali = coh = V()
        sep, ali, coh = sep.mul(ws[0]), ali.mul(ws[1]), coh.mul(ws[2])  # 362
        s.a = sep.add(ali).add(coh)
        for force in more:
            s.a = s.a.add(force(s))
        s.v = s.v.add(s.a).limit(MAX_SPEED)
        s.p = s.p.add(s.v.mul(dt))
        s.p.x %= PLAY_W  # 367
        s.p.y %= H


class Exercise:
    """The exercise; `more` are forces on a boid that are not in its code."""

    def __init__(self, positions, velocities, *, more=()):
        self.boids = [Boid(*both) for both in zip(positions, velocities, strict=True)]
        assert len(self.boids) == N
        self.on = [True, True, True]  # 374
        self.weights = [1.5, 1.0, 1.0]
        self.more = more

    def press(self, key):
        if key == "1":
            self.on[0] = not self.on[0]  # 382
        if key == "2":
            self.on[1] = not self.on[1]
        if key == "3":
            self.on[2] = not self.on[2]
        if key == "r":
            self.on = [True, True, True]

    def tick(self):
        ws = [self.weights[i] if self.on[i] else 0 for i in range(3)]  # 386
        for b in self.boids:
            b.step(self.boids, ws, DT, self.more)
            self.moved(b)

    def moved(self, b):
        """Nothing; a place for what is not in the exercise."""

    @property
    def flock(self):
        return [[b.p.x, b.p.y] for b in self.boids], [[b.v.x, b.v.y] for b in self.boids]


def attracted(x, y):
    """The click that attracts (19), by the lesson's `seek` (208-217)."""

    def seek(s):
        return reynolds(V(x, y).sub(s.p), s.v)

    return seek


def repelled(x, y):
    """The right click that repels (19), by the lesson's `flee` (219-228)."""

    def flee(s):
        return reynolds(s.p.sub(V(x, y)), s.v)

    return flee
