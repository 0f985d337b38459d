/**
 * Arithmetic with the same bits as numpy's and `exact.py`'s: additions, products, square roots and roundings only.
 *
 * Vectors have three components, the last of which is 0 in the plane; a single one is never changed.
 *
 * @module
 */

/** @typedef {number[]} Vec */
/** @typedef {Float64Array} Vectors  Of several animals, one after the other. */

/** Shorter than any length but zero, as in geometry.py. */
export const SHORTEST = 1e-162;
const WHOLE = 2 ** 51;
const ROUNDER = 1.5 * 2 ** 52;
const QUARTER_TURN = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
const FAR = 1e12;

/** Coefficients of every second term of Taylor's series, with alternating signs. @param {number} first @param {number} terms */
function taylor(first, terms) {
  let [factorial, term] = [1, 0];
  return Array.from({ length: terms }, (_, number) => {
    while (term < first + 2 * number) factorial *= ++term;
    return (-1) ** number / factorial;
  });
}

const SINE = taylor(1, 9);
const COSINE = taylor(0, 10);

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

/** The nearest whole number, of two the even one. @param {number} value */
export function rint(value) {
  // Numbers from there on that are not whole end in one half.
  if (Math.abs(value) < WHOLE) return value + ROUNDER - ROUNDER;
  const low = Math.floor(value);
  return value - low < 0.5 || (value - low === 0.5 && low % 2 === 0) ? low : Math.ceil(value);
}

/** The remainder with the sign of the divisor, which is positive. @param {number} value @param {number} divisor */
export function mod(value, divisor) {
  const rest = value % divisor;
  return rest < 0 ? rest + divisor : rest + 0; // which makes -0 a 0
}

/** @param {number} value @param {number} low @param {number} high */
export const clip = (value, low, high) => Math.min(Math.max(value, low), high);

/** @param {number} degrees */
export const radians = (degrees) => degrees * (Math.PI / 180);

/** @param {number} angle in radians. */
export const sine = (angle) => wave(angle, 0);

/** @param {number} angle in radians. */
export const cosine = (angle) => wave(angle, 1);

/** The sine, so many quarter turns ahead. @param {number} angle @param {number} quarters */
function wave(angle, quarters) {
  const perRadian = 2 / Math.PI;
  let rest = Math.abs(rint(angle * perRadian)) > FAR ? angle % (2 * Math.PI) : angle;
  const turns = rint(rest * perRadian);
  for (const part of QUARTER_TURN) rest -= turns * part;
  const phase = mod(turns, 4) + quarters;
  const squared = rest * rest;
  const value = (phase & 1 ? COSINE : SINE).reduceRight((total, term) => total * squared + term);
  return (phase & 2 ? -1 : 1) * (phase & 1 ? value : rest * value);
}

/** The sum in the order of numpy's pairwise summation. @param {number[]} values @returns {number} */
export function pairwiseSum(values) {
  const count = values.length;
  if (count > 128) {
    const left = Math.floor(count / 2) - (Math.floor(count / 2) % 8);
    return pairwiseSum(values.slice(0, left)) + pairwiseSum(values.slice(left));
  }
  const whole = count - (count % 8);
  const lanes = values.slice(0, count < 8 ? 0 : 8);
  for (let i = 8; i < whole; i++) lanes[i % 8] += values[i];
  const [a, b, c, d, e, f, g, h] = lanes;
  return values.slice(whole).reduce((total, value) => total + value, whole ? a + b + (c + d) + (e + f + (g + h)) : 0);
}
