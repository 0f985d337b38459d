/**
 * Paths that carry or drive predators and attractors, as in paths.py.
 *
 * @module
 */

import { cosine, mod, radians, sine } from "./arithmetic.js";
import { plus, times } from "./vectors.js";

/** @import { Table } from "./types.js" */
/** @import { World } from "./world.js" */

/** The point of a closed curve for one of several animals. @param {Table} curve @param {number} time @param {number} number @param {number} dimension */
export function current({ kind, period, phase }, time, number, dimension) {
  const angle = (2 * Math.PI * time) / period + number * radians(phase);
  if (kind === "circle") return [cosine(angle), sine(angle), 0];
  const ring = 2 + cosine(3 * angle);
  return [ring * cosine(2 * angle), ring * sine(2 * angle), dimension === 3 ? sine(3 * angle) : 0];
}

/** Where a path leads one of several animals. @param {Table} path @param {number} time @param {number} number @param {World} world */
export function placeOn(path, time, number, world) {
  if (path.kind === "waypoints") return waypoint(path, time, world);
  const scale = (path.scale ?? 0.4 * world.smallest) / (path.kind === "trefoil" ? 3 : 1);
  return plus(world.place(path.center), times(current(path, time, number, world.dimension), scale));
}

/** @param {Table} path @param {number} time @param {World} world */
function waypoint({ points, times: when, repeat }, time, world) {
  const last = when[when.length - 1];
  const now = repeat ? mod(time, last) : Math.min(time, last);
  const passed = when.filter((/** @type {number} */ one) => one <= now).length;
  const leg = Math.min(Math.max(1, passed), when.length - 1);
  const [here, there] = [world.place(points[leg - 1]), world.place(points[leg])];
  return plus(here, plus(there, here, -1), Math.max(now - when[leg - 1], 0) / (when[leg] - when[leg - 1]));
}
