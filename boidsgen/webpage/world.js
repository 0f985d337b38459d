/**
 * The world and its boundary conditions, as in world.py.
 *
 * @module
 */

import { mod, rint } from "./arithmetic.js";
import { plus } from "./vectors.js";

/** @import { Vec } from "./vectors.js" */
/** @import { Table } from "./types.js" */
/** @typedef {(along: number, pace: number, size: number, boundary: Table) => [number, number]} Edge */

/** @param {number} along @param {number} period 0 = none. */
const nearest = (along, period) => (period > 0 ? along - period * rint(along / period) : along);

/** @type {Edge} */
const wrap = (along, pace, size) => [mod(along, size) % size, pace];

/** Place and velocity along one axis beyond an edge. @type {{[kind: string]: Edge}} */
const EDGES = {
  torus: wrap,
  wrap,
  teleport: (along, pace, size) => [along < 0 ? size : along > size ? 0 : along, pace],
  reflect(along, pace, size, { restitution }) {
    const folded = mod(along, 2 * size);
    const bounced = Math.abs(Math.floor(along / size));
    return [Math.min(folded, 2 * size - folded), (bounced % 2 ? -pace : pace) * wholePower(restitution, bounced)];
  },
};

/** The base multiplied with itself so many times, by squaring. @param {number} base @param {number} exponent */
function wholePower(base, exponent) {
  let [power, square] = [1, base];
  for (let left = Math.min(exponent, 2 ** 62); left > 0; left = Math.floor(left / 2), square *= square)
    if (left % 2) power *= square;
  return power;
}

/** A box from the origin to its size. */
export class World {
  /** @param {{size: number[], boundary: Table}} table */
  constructor({ size, boundary }) {
    this.dimension = size.length;
    this.size = [...size, 0].slice(0, 3);
    this.smallest = Math.min(...size);
    this.boundary = boundary;
    /** After what distance each axis repeats, 0 where it does not. */
    this.periods = boundary.kind === "torus" ? this.size : [0, 0, 0];
  }

  /** An offset by the shortest way. @param {Vec} offset */
  shortest(offset) {
    const { periods } = this;
    return [nearest(offset[0], periods[0]), nearest(offset[1], periods[1]), nearest(offset[2], periods[2])];
  }

  /** The offset between two places by the shortest way. @param {Vec} from @param {Vec} to */
  offset(from, to) {
    return this.shortest(plus(to, from, -1));
  }

  /** A point, or the middle of the world. @param {number[] | null} point @returns {Vec} */
  place(point) {
    return point === null ? this.size.map((side) => side / 2) : [...point, 0].slice(0, 3);
  }

  /** Steering away from the edges, where they are soft. @param {Vec} position */
  push(position) {
    const { margin, strength } = this.boundary;
    return position.map((along, a) => {
      const [low, high] = [Math.max(1 - along / margin, 0), Math.max(1 - (this.size[a] - along) / margin, 0)];
      return a < this.dimension ? strength * (low - high) : 0;
    });
  }

  /** @param {Vec} place */
  contains([x, y, z]) {
    const [width, height, depth] = this.size;
    return x >= 0 && x < width && y >= 0 && y < height && (this.dimension === 2 || (z >= 0 && z < depth));
  }

  /** Place and velocity after applying the boundary condition. @param {Vec} place @param {Vec} velocity @returns {[Vec, Vec]} */
  confine(place, velocity) {
    const edge = EDGES[this.boundary.kind];
    if (edge === undefined || this.contains(place)) return [place, velocity];
    const both = place.map((along, a) =>
      a < this.dimension ? edge(along, velocity[a], this.size[a], this.boundary) : [along, velocity[a]],
    );
    return [both.map(([along]) => along), both.map(([, pace]) => pace)];
  }
}
