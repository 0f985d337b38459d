"""Document 001, the trefoil: `mainloop` of its listing (166-245).

Lists stand for numpy's arrays, `norm` and `dist` for `numpy.linalg.norm`. The listing multiplies its random rule
by 0; it is left out.
"""

import math
from math import dist

Dimensions = 3  # 39
MinSeparation = 7
PredatorSight = 10  # 45
WeightCenterOfMassP = 0.00
WeightKnot = 2  # 49
WeightCenterOfMass = 0.03  # 52
WeightSeparation = 1
WeightAlignment = 0.125
WeightAvoidPredator = 1
MaxVelocityP = 1  # 59
MaxVelocity = 1
center = [50.0, 50.0, 50.0]


def plus(a, b):
    return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]


def minus(a, b):
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def times(a, factor):
    return [a[0] * factor, a[1] * factor, a[2] * factor]


def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def zeros():
    return [0.0, 0.0, 0.0]


class boid:  # 64
    def __init__(self, index, pos, vel):
        self.index = index
        self.pos = pos
        self.vel = vel

    def limitvelocity(self, maxvel):
        if norm(self.vel) > maxvel:  # 75
            self.vel = times(self.vel, 1 / norm(self.vel) * maxvel)


def normalize(vector):
    return times(vector, 1 / norm(vector))  # 80


def centerofpos(flock):
    com = zeros()
    for dim in range(Dimensions):  # 86
        com[dim] = sum([boid.pos[dim] for boid in flock])
        com[dim] = com[dim] / len(flock)
    return com


def centerofvel(flock):
    cov = zeros()
    for dim in range(Dimensions):  # 95
        cov[dim] = sum([boid.vel[dim] for boid in flock])
        cov[dim] = cov[dim] / len(flock)
    return cov


class Trefoil:
    """The listing's boids and predators.

    The text has 960 steps (17) and 10 (42), an attack of 0 and 2 (47), a pull to the center of 0.02 and 0.03 (57).
    `avoid(difference, distance)` stands for the listing's fear, whose correction is not the text's.
    """

    def __init__(self, positions, velocities, predators, *, timesteps=960, attack=0, pull=0.02, avoid=None):
        self.flock_ = [boid(*one) for one in zip(range(len(positions)), positions, velocities, strict=False)]
        self.predators_ = [boid(count, pos, zeros()) for count, pos in enumerate(predators)]
        assert all(0 <= x < 100 for b in self.flock_ for x in b.pos)  # 69
        assert all(b.vel == zeros() for b in self.flock_)  # 70
        assert all(45 <= x < 55 for p in self.predators_ for x in p.pos)  # 256
        assert (len(self.flock_), len(self.predators_)) == (400, 5)  # 37, 38
        self.timesteps, self.WeightAttackBoid, self.WeightCenter, self.avoid = timesteps, attack, pull, avoid
        self.timestep = 0

    def tick(self):
        self.mainloop(self.timestep)
        self.timestep += 1

    def mainloop(self, timestep):
        flock, predators = self.flock_, self.predators_
        for predator in predators:  # 171
            prule1 = times(minus(centerofpos(flock), predator.pos), WeightCenterOfMassP)
            prule2 = zeros()
            prule3 = zeros()
            for boid in flock:  # 182
                difference = minus(predator.pos, boid.pos)
                distance = norm(difference)
                if distance < PredatorSight:
                    prule3 = minus(prule3, normalize(difference))
            prule3 = times(prule3, self.WeightAttackBoid)  # 187
            prule4 = zeros()
            t = (timestep / float(self.timesteps)) * 4 * math.pi + predator.index * (math.pi / 4.0)
            prule4[0] = (2.0 + math.cos(3.0 * t)) * math.cos(2.0 * t)  # 194
            prule4[1] = (2.0 + math.cos(3.0 * t)) * math.sin(2.0 * t)
            prule4[2] = math.sin(3 * t)
            prule4 = times(prule4, WeightKnot)
            predator.vel = plus(plus(plus(prule1, prule2), prule3), prule4)  # 202
            predator.limitvelocity(MaxVelocityP)
            predator.pos = plus(predator.pos, predator.vel)

        for boid in flock:  # 206
            rule1 = times(minus(centerofpos(flock), boid.pos), WeightCenterOfMass)
            rule2 = zeros()
            for boid2 in flock:  # 214
                distance = dist(boid2.pos, boid.pos)
                if distance < MinSeparation and boid2 != boid:
                    difference = minus(boid2.pos, boid.pos)
                    rule2 = minus(rule2, times(normalize(difference), 1 / distance))
            rule2 = times(rule2, WeightSeparation)
            rule3 = times(minus(centerofvel(flock), boid.vel), WeightAlignment)  # 223
            rule4 = times(minus(center, boid.pos), self.WeightCenter)
            rule6 = zeros()  # 234
            for predator in predators:
                difference = minus(predator.pos, boid.pos)
                distance = norm(difference)
                if self.avoid:
                    rule6 = plus(rule6, self.avoid(difference, distance))
                else:
                    rule6 = times(minus(rule6, difference), WeightAvoidPredator)  # 238
            boid.vel = plus(plus(plus(plus(rule1, rule2), rule3), rule4), rule6)  # 243
            boid.limitvelocity(MaxVelocity)
            boid.pos = plus(boid.pos, boid.vel)

    @property
    def flock(self):
        return [b.pos for b in self.flock_], [b.vel for b in self.flock_]

    @property
    def predators(self):
        return [p.pos for p in self.predators_]
