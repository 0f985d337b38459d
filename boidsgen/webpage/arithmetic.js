/**
 * Arithmetic with the same bits as numpy's and `exact.py`'s: additions, products, square roots and roundings only.
 *
 * @module
 */

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
