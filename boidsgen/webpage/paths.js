/**
 * Paths that carry or drive predators and attractors, as in paths.py.
 *
 * @module
 */

import { cosine, mod, radians, sine } from "./arithmetic.js";
import { before } from "./neighbors.js";

/** @import { Table } from "./types.js" */
/** @import { World } from "./world.js" */

/**
 * The points of a closed curve for each of so many animals, three components each.
 * @param {Table} curve @param {number} time @param {number} count @param {number} dimension
 */
export function current(curve, time, count, dimension) {
  const points = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * time) / curve.period + i * radians(curve.phase);
    const point = curve.kind === "circle" ? [cosine(angle), sine(angle), 0] : trefoil(angle);
    points.set(point.slice(0, dimension), 3 * i);
  }
  return points;
}

/** @param {number} angle */
function trefoil(angle) {
  const ring = 2 + cosine(3 * angle);
  return [ring * cosine(2 * angle), ring * sine(2 * angle), sine(3 * angle)];
}

/**
 * The positions to which a path leads at a time, three components each.
 * @param {Table} path @param {number} time @param {number} count @param {World} world
 */
export function placesOn(path, time, count, world) {
  if (path.kind === "waypoints") return waypoint(path, time);
  const center = world.place(path.center);
  const scale = (path.scale ?? 0.4 * world.smallest) / (path.kind === "trefoil" ? 3 : 1);
  return current(path, time, count, world.dimension).map((along, k) => center[k % 3] + scale * along);
}

/** @param {Table} path @param {number} time */
function waypoint({ points, times, repeat }, time) {
  const last = times[times.length - 1];
  const now = repeat ? mod(time, last) : Math.min(time, last);
  const leg = Math.min(Math.max(1, before(times, now, true)), times.length - 1);
  const part = Math.max(now - times[leg - 1], 0) / (times[leg] - times[leg - 1]);
  const [here, there] = [points[leg - 1], points[leg]];
  return Float64Array.from([0, 1, 2], (a) => (a < here.length ? here[a] + (there[a] - here[a]) * part : 0));
}
