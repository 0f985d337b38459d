/**
 * The world and its boundary conditions, as in world.py. Vectors have three components; z is zero in the plane.
 *
 * @module
 */

import { mod, rint, wholePower } from "./arithmetic.js";

/** @import { Table } from "./types.js" */

/** A box from the origin to its size. */
export class World {
  /** @param {{size: number[], boundary: Table}} table */
  constructor(table) {
    this.dimension = table.size.length;
    this.size = [...table.size, 0].slice(0, 3);
    this.smallest = Math.min(...table.size);
    this.boundary = table.boundary;
    this.around = table.boundary.kind === "torus";
    /** After what distance each axis repeats, 0 where it does not. */
    this.periods = this.around ? this.size : [0, 0, 0];
  }

  /** A component of an offset by the shortest way. @param {number} along @param {number} axis */
  shortest(along, axis) {
    if (!this.around || axis >= this.dimension) return along;
    const size = this.size[axis];
    return along - size * rint(along / size);
  }

  /** A point, or the middle of the world. @param {number[] | null} point */
  place(point) {
    return point === null ? this.size.map((side) => side / 2) : [...point, 0].slice(0, 3);
  }

  /** The offsets from each of the animals to a point. @param {Float64Array} position @param {number[]} point */
  offsets(position, point) {
    const offset = new Float64Array(position.length);
    for (let k = 0; k < position.length; k++) offset[k] = this.shortest(point[k % 3] - position[k], k % 3);
    return offset;
  }

  /** Steering away from the edges, or null. @param {Float64Array} position */
  push(position) {
    if (this.boundary.kind !== "soft") return null;
    const { margin, strength } = this.boundary;
    const push = new Float64Array(position.length);
    for (let k = 0; k < position.length; k++) {
      if (k % 3 >= this.dimension) continue;
      const low = Math.max(1 - position[k] / margin, 0);
      const high = Math.max(1 - (this.size[k % 3] - position[k]) / margin, 0);
      push[k] = strength * (low - high);
    }
    return push;
  }

  /**
   * Applies the boundary condition to some of the animals, in place.
   * @param {Float64Array} position @param {Float64Array} velocity @param {number} first @param {number} last
   */
  confine(position, velocity, first, last) {
    const { kind, restitution } = this.boundary;
    if (kind === "open" || kind === "soft") return;
    for (let k = 3 * first; k < 3 * last; k++) {
      if (k % 3 >= this.dimension) continue;
      const size = this.size[k % 3];
      if (kind === "teleport") position[k] = position[k] < 0 ? size : position[k] > size ? 0 : position[k];
      else if (kind === "reflect") fold(position, velocity, k, size, restitution);
      else if (position[k] < 0 || position[k] >= size) {
        const inside = mod(position[k], size);
        position[k] = inside >= size ? 0 : inside;
      }
    }
  }
}

/**
 * @param {Float64Array} position @param {Float64Array} velocity @param {number} k @param {number} size
 * @param {number} restitution
 */
function fold(position, velocity, k, size, restitution) {
  const folded = mod(position[k], 2 * size);
  const bounced = Math.floor(position[k] / size);
  position[k] = Math.min(folded, 2 * size - folded);
  const turned = mod(bounced, 2) === 1 ? -velocity[k] : velocity[k];
  velocity[k] = turned * wholePower(restitution, Math.abs(bounced));
}
