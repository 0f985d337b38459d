/** Solid bodies of space, as obstacles.py has them: what they hide is behind them. */

/** @import { Table } from "./types.js" */
/** @typedef {[number, number[]]} Hit  The distance from a surface, negative inside, and the outward direction. */

/** @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce((sum, along, k) => sum + along * b[k], 0);
/** @param {number[]} a @param {number[]} b */
const between = (a, b) => b.map((along, k) => along - a[k]);
/** @param {number[]} a */
const size = (a) => Math.sqrt(dot(a, a));
/** @param {number[]} a */
const unit = (a) => a.map((along, k) => (size(a) === 0 ? (k === 0 ? 1 : 0) : along / size(a)));

/** @type {{[kind: string]: (body: Table, place: number[]) => Hit}} */
const SURFACES = {
  circle({ center, radius }, place) {
    const offset = between(center, place);
    return [size(offset) - radius, unit(offset)];
  },
  box({ center, size: sides }, place) {
    const offset = between(center, place);
    const beyond = offset.map((along, a) => Math.abs(along) - sides[a] / 2);
    const outside = beyond.map((along) => Math.max(along, 0));
    const side = offset.map((along) => (along < 0 ? -1 : 1));
    if (size(outside) > 0) return [size(outside), unit(outside.map((along, a) => along * side[a]))];
    // Inside, the way out leads through the nearest face.
    const most = Math.max(...beyond);
    return [most, side.map((way, a) => (a === beyond.indexOf(most) ? way : 0))];
  },
  ellipse({ center, radii }, place) {
    // Exact on the surface and about right elsewhere, which is enough for what is in front and what behind.
    const offset = between(center, place);
    const scaled = offset.map((along, a) => along / radii[a]);
    return [(size(scaled) - 1) * Math.min(...radii), unit(scaled.map((along, a) => along / radii[a]))];
  },
  segment({ start, end, radius }, place) {
    const along = between(start, end);
    const offset = between(start, place);
    const share = dot(along, along) ? Math.min(Math.max(dot(offset, along) / dot(along, along), 0), 1) : 0;
    const across = offset.map((way, a) => way - share * along[a]);
    return [size(across) - radius, unit(across)];
  },
};

/** @param {Table} body @param {number[]} place @returns {Hit} */
export const surface = (body, place) => SURFACES[body.kind](body, place);
