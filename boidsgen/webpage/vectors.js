/**
 * Vectors of three components, the last of which is 0 in the plane; a single one is never changed.
 *
 * @module
 */

/** @typedef {number[]} Vec */
/** @typedef {Float64Array} Vectors  Of several animals, one after the other. */

/** Shorter than any length but zero, as in geometry.py. */
export const SHORTEST = 1e-162;

/** As fast as other vectors: engines keep arrays of whole numbers in another way. @type {Vec} */
export const ZERO = [0.5, 0.5, 0.5].fill(0);

/** @param {Vectors} vectors @param {number} number @returns {Vec} */
export const at = (vectors, number) => [vectors[3 * number], vectors[3 * number + 1], vectors[3 * number + 2]];

/** @param {Vectors} vectors @param {number} number @param {Vec} vector */
export function put(vectors, number, vector) {
  vectors[3 * number] = vector[0];
  vectors[3 * number + 1] = vector[1];
  vectors[3 * number + 2] = vector[2];
}

/** @param {Vec[]} all @returns {Vectors} */
export const joined = (all) => Float64Array.from(all.flat());

/** The sum of a vector and another times a factor. @param {Vec} a @param {Vec} b @param {number} factor */
export const plus = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];

/** @param {Vec} a @param {number} factor */
export const times = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];

/** @param {Vec} a @param {Vec} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {Vec} a */
export const size = (a) => Math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);

/** A vector brought to another length; zero where it is zero. @param {Vec} a @param {number} wanted */
export const scaled = (a, wanted) => times(a, wanted / Math.max(size(a), SHORTEST));

/** @param {Vec} a */
export const unit = (a) => scaled(a, 1);

/** @param {Vec} a @param {number} most */
export const limited = (a, most) =>
  most === Infinity ? a : times(a, most / Math.max(size(a), Math.max(most, SHORTEST)));
