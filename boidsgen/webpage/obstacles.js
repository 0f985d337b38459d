/**
 * Obstacles, as in obstacles.py: the distance from a surface and the outward direction there, the push that follows from
 * it, and what keeps animals out.
 *
 * @module
 */

import { clip, length, SHORTEST } from "./arithmetic.js";

/** @import { Table } from "./types.js" */
/** @import { World } from "./world.js" */

const MAX_PUSH = 20;
const NEWTON_STEPS = 16;
const MIN_ASIDE = 1e-12;

/** The last answer of `surface`: the distance, negative inside, and the outward direction. */
export const hit = { gap: 0, outward: [0, 0, 0] };

/** @type {{[kind: string]: (obstacle: Table, place: number[], world: World) => number}} */
const SURFACES = { box, circle, ellipse, polygon, segment };

/**
 * Writes to `hit`; gives the distance.
 * @param {Table} obstacle @param {Float64Array | number[]} position @param {number} k of the first component
 * @param {World} world
 */
export function surface(obstacle, position, k, world) {
  hit.gap = SURFACES[obstacle.kind](obstacle, [position[k], position[k + 1], position[k + 2]], world);
  return hit.gap;
}

/** A vector with three components. @param {number[]} vector */
const spatial = (vector) => (vector.length === 3 ? vector : [vector[0], vector[1], 0]);

/** The offset of a place from a point by the shortest way. @param {number[]} place @param {number[]} point @param {World} world */
const offsetFrom = (place, point, world) =>
  spatial(point).map((coordinate, axis) => world.shortest(place[axis] - coordinate, axis));

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Away from a center; who is exactly there leaves along the first axis. @param {number[]} offset @param {number} distance */
function outwardFrom(offset, distance) {
  const factor = 1 / Math.max(distance, SHORTEST);
  hit.outward = distance === 0 ? [1, 0, 0] : offset.map((along) => along * factor);
}

/** @param {Table} obstacle @param {number[]} place @param {World} world */
function box(obstacle, place, world) {
  const offset = offsetFrom(place, obstacle.center, world);
  const beyond = offset.slice(0, world.dimension).map((along, axis) => Math.abs(along) - obstacle.size[axis] / 2);
  const side = offset.map((along) => (along < 0 ? -1 : 1));
  const outside = spatial(beyond.map((along) => Math.max(along, 0)));
  const distance = length(outside[0], outside[1], outside[2]);
  if (distance > 0) {
    outwardFrom(
      outside.map((along, axis) => along * side[axis]),
      distance,
    );
    return distance;
  }
  // Inside, the way out leads through the nearest face.
  const most = Math.max(...beyond);
  const face = beyond.indexOf(most);
  hit.outward = side.map((way, axis) => (axis === face ? way : 0));
  return most;
}

/** @param {Table} obstacle @param {number[]} place @param {World} world */
function circle(obstacle, place, world) {
  const offset = offsetFrom(place, obstacle.center, world);
  const distance = length(offset[0], offset[1], offset[2]);
  outwardFrom(offset, distance);
  return distance - obstacle.radius;
}

/** @param {Table} obstacle @param {number[]} place @param {World} world */
function segment(obstacle, place, world) {
  const offset = offsetFrom(place, obstacle.start, world);
  const [start, end] = [spatial(obstacle.start), spatial(obstacle.end)];
  const along = end.map((coordinate, axis) => coordinate - start[axis]);
  const squared = dot(along, along);
  const part = squared ? clip(dot(offset, along) / squared, 0, 1) : 0;
  const across = offset.map((way, axis) => way - part * along[axis]);
  const distance = length(across[0], across[1], across[2]);
  outwardFrom(across, distance);
  return distance - obstacle.radius;
}

/** @param {Table} obstacle @param {number[]} place @param {World} world */
function polygon(obstacle, place, world) {
  /** @type {number[][]} */
  const corners = obstacle.points;
  const middle = [0, 1].map((axis) => {
    const along = corners.map((corner) => corner[axis]);
    return (Math.min(...along) + Math.max(...along)) / 2;
  });
  const [x, y] = middle.map((coordinate, axis) => coordinate + world.shortest(place[axis] - coordinate, axis));
  let nearest = { distance: Infinity, across: [0, 0, 0] };
  let inside = false;
  corners.forEach((corner, number) => {
    const next = corners[(number + 1) % corners.length];
    const side = [next[0] - corner[0], next[1] - corner[1]];
    const offset = [x - corner[0], y - corner[1]];
    const squared = Math.max(side[0] * side[0] + side[1] * side[1], 2.2250738585072014e-308);
    const part = clip((offset[0] * side[0] + offset[1] * side[1]) / squared, 0, 1);
    const across = [offset[0] - part * side[0], offset[1] - part * side[1], 0];
    const distance = length(across[0], across[1], 0);
    if (distance < nearest.distance) nearest = { distance, across };
    // Inside by the even-odd rule for a ray to the right.
    const at = corner[0] + ((y - corner[1]) / (side[1] === 0 ? 1 : side[1])) * side[0];
    if (y >= corner[1] !== y >= next[1] && x < at) inside = !inside;
  });
  const sign = inside ? -1 : 1;
  outwardFrom(
    nearest.across.map((along) => sign * along),
    nearest.distance,
  );
  return sign * nearest.distance;
}

/** @param {Table} obstacle @param {number[]} place @param {World} world */
function ellipse(obstacle, place, world) {
  /** @type {number[]} */
  const radii = obstacle.radii;
  const offset = offsetFrom(place, obstacle.center, world).slice(0, world.dimension);
  const away = offset.map(Math.abs);
  const nearest = nearestOnEllipse(away, radii);
  const inside = away.reduce((total, along, axis) => total + square(along / radii[axis]), 0) < 1;
  const gap = away.map((along, axis) => along - nearest[axis]);
  const normal = nearest.map((along, axis) => ((offset[axis] < 0 ? -1 : 1) * along) / (radii[axis] * radii[axis]));
  hit.outward = spatial(unit(normal));
  return (inside ? -1 : 1) * size(gap);
}

/** @param {number} value */
const square = (value) => value * value;

/** @param {number[]} vector in two or three dimensions. */
const size = (vector) => length(vector[0], vector[1], vector[2] ?? 0);

/** @param {number[]} vector */
function unit(vector) {
  const factor = 1 / Math.max(size(vector), SHORTEST);
  return vector.map((along) => along * factor);
}

/** The nearest point of an ellipse round the origin, by Newton's method. @param {number[]} place @param {number[]} radii */
function nearestOnEllipse(place, radii) {
  const smallest = Math.min(...radii);
  const ratio = radii.map((radius) => square(radius / smallest));
  const stretched = place.map((along, a) => (Math.max(along, MIN_ASIDE * radii[a]) / radii[a]) * ratio[a]);
  let root = Math.max(...stretched.map((along, a) => (ratio[a] === 1 ? along : 0)));
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const part = stretched.map((along, a) => along / (root + (ratio[a] - 1)));
    const reached = size(part);
    const slope = part.reduce((total, along, a) => total + (along * along) / (root + (ratio[a] - 1)), 0);
    root += (Math.max(reached - 1, 0) * (reached * reached)) / slope;
  }
  return unit(stretched.map((along, a) => along / (root + (ratio[a] - 1)))).map((along, a) => radii[a] * along);
}

/** How far from its surface an obstacle is felt. @param {Table} obstacle @param {World} world */
function reach(obstacle, world) {
  return obstacle.margin ?? (obstacle.kind === "circle" ? obstacle.radius / 2 : 0.1 * world.smallest);
}

/** @param {Table} obstacle @param {number} gap @param {number} margin */
function strength(obstacle, gap, margin) {
  if (obstacle.kind === "circle") {
    const distance = gap + obstacle.radius;
    return clip(distance > 0 ? (margin - gap) / distance : MAX_PUSH, 0, MAX_PUSH);
  }
  return gap < margin ? Math.min(gap > 0 ? (margin - gap) / gap : MAX_PUSH, MAX_PUSH) : 0;
}

/** The steering away from an obstacle, weight included. @param {Table} obstacle @param {Float64Array} position @param {World} world */
export function push(obstacle, position, world) {
  const pushes = new Float64Array(position.length);
  const margin = reach(obstacle, world);
  for (let k = 0; k < position.length; k += 3) {
    const factor = obstacle.weight * strength(obstacle, surface(obstacle, position, k, world), margin);
    for (let a = 0; a < 3; a++) pushes[k + a] = hit.outward[a] * factor;
  }
  return pushes;
}

/**
 * Puts some of the animals back on the surfaces of solid obstacles, in place.
 * @param {Table[]} obstacles @param {Float64Array} position @param {Float64Array} velocity @param {World} world
 * @param {number} first @param {number} last
 */
export function keepOut(obstacles, position, velocity, world, first, last) {
  for (const obstacle of obstacles) {
    for (let k = 3 * first; obstacle.solid && k < 3 * last; k += 3) {
      const gap = surface(obstacle, position, k, world);
      if (!(gap < 0)) continue;
      const { outward } = hit;
      const into = velocity[k] * outward[0] + velocity[k + 1] * outward[1] + velocity[k + 2] * outward[2];
      const inward = Math.min(into, 0);
      for (let a = 0; a < 3; a++) {
        position[k + a] += outward[a] * -gap;
        velocity[k + a] -= outward[a] * inward;
      }
    }
  }
}
