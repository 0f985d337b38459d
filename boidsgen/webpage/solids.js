/** Solid bodies of space, as obstacles.py has them: what they hide is behind them. */

/** @import { Table } from "./types.js" */

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, along, k) => sum + along * b[k], 0);
/** @param {number[]} a @param {number[]} b */
const between = (a, b) => b.map((along, k) => along - a[k]);
/** @param {number[]} a */
const size = (a) => Math.sqrt(dot(a, a));

/**
 * Distances from surfaces, negative inside.
 * @type {{[kind: string]: (body: Table, place: number[]) => number}}
 */
const GAPS = {
  circle: ({ center, radius }, place) => size(between(center, place)) - radius,
  box({ center, size: sides }, place) {
    const beyond = between(center, place).map((along, a) => Math.abs(along) - sides[a] / 2);
    return size(beyond.map((along) => Math.max(along, 0))) || Math.max(...beyond);
  },
  // Exact on the surface and about right elsewhere, which is enough for what is in front and what behind.
  ellipse: ({ center, radii }, place) =>
    (size(between(center, place).map((along, a) => along / radii[a])) - 1) * Math.min(...radii),
  segment({ start, end, radius }, place) {
    const [along, offset] = [between(start, end), between(start, place)];
    const share = dot(along, along) ? Math.min(Math.max(dot(offset, along) / dot(along, along), 0), 1) : 0;
    return size(offset.map((way, a) => way - share * along[a])) - radius;
  },
};

/**
 * True for a place in a body, or on the far side of it: on the way to the eye it comes nearer.
 * @param {Table} body
 * @param {number[]} place
 * @param {number[]} eye
 */
export function hides(body, place, eye) {
  const gap = GAPS[body.kind](body, place);
  const nearer = place.map((along, k) => along + 1e-6 * eye[k]);
  return gap < -1e-6 || GAPS[body.kind](body, nearer) < gap;
}
