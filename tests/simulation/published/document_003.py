"""Document 003, the derivation: its three forces, from their formulas.

It has no numbers and no loop: weights, radius, maximum speed and world are open, and so is what a force does. Here all
boids move at once, the sum of the forces is added to the velocity, and the maximum speed (line 37) bounds it.
"""

import math


def hat(x, y):
    size = math.sqrt(x * x + y * y)
    return (x / size, y / size) if size else (0.0, 0.0)


class Derivation:
    def __init__(self, positions, velocities, *, world, radius, v_max, w_sep, w_align, w_coh):
        self.positions, self.velocities = positions, velocities
        self.world, self.radius, self.v_max = world, radius, v_max
        self.w_sep, self.w_align, self.w_coh = w_sep, w_align, w_coh

    def neighbors(self, i):
        """The set S (4): offsets p_j - p_i by the shortest way, and velocities, "within a certain radius" (2)."""
        found = []
        for j, (p, v) in enumerate(zip(self.positions, self.velocities, strict=True)):
            x, y = (
                math.remainder(other - own, size)
                for other, own, size in zip(p, self.positions[i], self.world, strict=True)
            )
            if j != i and math.sqrt(x * x + y * y) < self.radius:
                found.append((x, y, v))
        return found

    def force(self, i):
        neighbors, v_i = self.neighbors(i), self.velocities[i]
        fx = fy = 0.0
        for x, y, _ in neighbors:  # 20-24, summed over all (27)
            squared = x * x + y * y
            ux, uy = hat(-x, -y)  # 12
            fx += self.w_sep * ux / squared
            fy += self.w_sep * uy / squared
        if neighbors:
            mean_vx = sum(v[0] for _, _, v in neighbors) / len(neighbors)  # 42, 46
            mean_vy = sum(v[1] for _, _, v in neighbors) / len(neighbors)
            ux, uy = hat(mean_vx, mean_vy)  # 43
            fx += self.w_align * (self.v_max * ux - v_i[0])  # 44-46
            fy += self.w_align * (self.v_max * uy - v_i[1])
            cx = sum(x for x, _, _ in neighbors) / len(neighbors)  # 57-60: c - p_i
            cy = sum(y for _, y, _ in neighbors) / len(neighbors)
            ux, uy = hat(cx, cy)  # 61
            fx += self.w_coh * (self.v_max * ux - v_i[0])  # 62-64
            fy += self.w_coh * (self.v_max * uy - v_i[1])
        return fx, fy

    def tick(self):
        positions, velocities = [], []
        for i, (p, v) in enumerate(zip(self.positions, self.velocities, strict=True)):
            f = self.force(i)
            vx, vy = v[0] + f[0], v[1] + f[1]
            if math.sqrt(vx * vx + vy * vy) > self.v_max:
                ux, uy = hat(vx, vy)
                vx, vy = self.v_max * ux, self.v_max * uy
            positions.append([(p[0] + vx) % self.world[0], (p[1] + vy) % self.world[1]])
            velocities.append([vx, vy])
        self.positions, self.velocities = positions, velocities

    @property
    def flock(self):
        return self.positions, self.velocities
