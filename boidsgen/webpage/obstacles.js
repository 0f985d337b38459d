/**
 * Obstacles, as in obstacles.py: the distance from a surface and the outward direction there, the push that follows from
 * it, and what keeps animals out.
 *
 * @module
 */

import { clip } from "./arithmetic.js";
import { dot, plus, size, times, unit } from "./vectors.js";

/** @import { Vec } from "./vectors.js" */
/** @import { Table } from "./types.js" */
/** @import { World } from "./world.js" */
/** @typedef {[number, Vec]} Hit  The distance, negative inside, and the outward direction. */

const MAX_PUSH = 20;

/** Who is exactly in a center leaves along the first axis. @param {Vec} offset */
const outwardFrom = (offset) => (size(offset) === 0 ? [1, 0, 0] : unit(offset));

/** The offset from the nearest point between two ends. @param {Vec} offset from the first end @param {Vec} along @param {number} squared */
const across = (offset, along, squared) => plus(offset, along, squared ? -clip(dot(offset, along) / squared, 0, 1) : 0);

/** @type {{[kind: string]: (obstacle: Table, place: Vec, world: World) => Hit}} */
const SURFACES = {
  circle({ center, radius }, place, world) {
    const offset = world.offset(world.place(center), place);
    return [size(offset) - radius, outwardFrom(offset)];
  },
  box({ center, size: sides }, place, world) {
    const offset = world.offset(world.place(center), place);
    const beyond = offset.map((along, a) => (a < world.dimension ? Math.abs(along) - sides[a] / 2 : -Infinity));
    const outside = beyond.map((along) => Math.max(along, 0));
    const side = offset.map((along) => (along < 0 ? -1 : 1));
    const distance = size(outside);
    if (distance > 0) return [distance, outwardFrom(outside.map((along, a) => along * side[a]))];
    // Inside, the way out leads through the nearest face.
    const most = Math.max(...beyond);
    return [most, side.map((way, a) => (a === beyond.indexOf(most) ? way : 0))];
  },
  segment({ start, end, radius }, place, world) {
    const [from, to] = [world.place(start), world.place(end)];
    const along = plus(to, from, -1);
    const offset = across(world.offset(from, place), along, dot(along, along));
    return [size(offset) - radius, outwardFrom(offset)];
  },
  polygon({ points }, place, world) {
    /** @type {Vec[]} */
    const corners = points.map((/** @type {number[]} */ point) => world.place(point));
    const middle = [0, 1, 2].map((a) => {
      const along = corners.map((corner) => corner[a]);
      return (Math.min(...along) + Math.max(...along)) / 2;
    });
    const here = plus(middle, world.offset(middle, place));
    let [distance, offset, inside] = [Infinity, here, false];
    corners.forEach((corner, number) => {
      const next = corners[(number + 1) % corners.length];
      const side = plus(next, corner, -1);
      const away = across(plus(here, corner, -1), side, Math.max(dot(side, side), 2.2250738585072014e-308));
      if (size(away) < distance) [distance, offset] = [size(away), away];
      // Inside by the even-odd rule for a ray to the right.
      const at = corner[0] + ((here[1] - corner[1]) / (side[1] || 1)) * side[0];
      if (here[1] >= corner[1] !== here[1] >= next[1] && here[0] < at) inside = !inside;
    });
    const sign = inside ? -1 : 1;
    return [sign * distance, outwardFrom(times(offset, sign))];
  },
};

/** @param {Table} obstacle @param {Vec} place @param {World} world */
export const surface = (obstacle, place, world) => SURFACES[obstacle.kind](obstacle, place, world);

/** The steering away from an obstacle, weight included. @param {Table} obstacle @param {Vec} place @param {World} world */
export function push(obstacle, place, world) {
  const { kind, radius, weight } = obstacle;
  const [gap, outward] = surface(obstacle, place, world);
  const margin = obstacle.margin ?? (kind === "circle" ? radius / 2 : 0.1 * world.smallest);
  const distance = kind === "circle" ? gap + radius : gap;
  const strength = clip(distance > 0 ? (margin - gap) / distance : MAX_PUSH, 0, MAX_PUSH);
  return times(outward, weight * strength);
}

/** Place and velocity outside of solid obstacles. @param {Table[]} obstacles @param {Vec} place @param {Vec} velocity @param {World} world @returns {[Vec, Vec]} */
export function keepOut(obstacles, place, velocity, world) {
  for (const obstacle of obstacles) {
    const [gap, outward] = obstacle.solid ? surface(obstacle, place, world) : [0, place];
    if (!(gap < 0)) continue;
    place = plus(place, outward, -gap);
    velocity = plus(velocity, outward, -Math.min(dot(velocity, outward), 0));
  }
  return [place, velocity];
}
