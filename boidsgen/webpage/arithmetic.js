/**
 * Arithmetic with the same bits as numpy's and `exact.py`'s: additions, products, square roots and roundings only.
 *
 * @module
 */

/** Shorter than any length but zero, as in geometry.py. */
export const SHORTEST = 1e-162;

const WHOLE = 2 ** 51;
const ROUNDER = 1.5 * 2 ** 52;
const QUARTER_TURN = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
const TURNS = 2 / Math.PI;
const ROUND = 2 * Math.PI;
const FAR = 1e12;
const SINE = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((term) => (-1) ** term / factorial(2 * term + 1));
const COSINE = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((term) => (-1) ** term / factorial(2 * term));

/** @param {number} number @returns {number} */
function factorial(number) {
  return number > 1 ? number * factorial(number - 1) : 1;
}

/** The nearest whole number, of two the even one. @param {number} value */
export function rint(value) {
  // Numbers from there on that are not whole end in one half.
  if (Math.abs(value) < WHOLE) return value + ROUNDER - ROUNDER;
  const low = Math.floor(value);
  return value - low < 0.5 || (value - low === 0.5 && low % 2 === 0) ? low : Math.ceil(value);
}

/** The remainder with the sign of the divisor. @param {number} value @param {number} divisor */
export function mod(value, divisor) {
  const rest = value % divisor;
  if (rest === 0) return 0;
  return rest < 0 !== divisor < 0 ? rest + divisor : rest;
}

/** @param {number} value @param {number} low @param {number} high */
export const clip = (value, low, high) => Math.min(Math.max(value, low), high);

/** @param {number} x @param {number} y @param {number} z */
export const length = (x, y, z) => Math.sqrt(x * x + y * y + z * z);

/** @param {number} degrees */
export const radians = (degrees) => degrees * (Math.PI / 180);

/** @param {number} angle in radians. */
export const sine = (angle) => wave(angle, 0);

/** @param {number} angle in radians. */
export const cosine = (angle) => wave(angle, 1);

/** The sine, so many quarter turns ahead. @param {number} angle @param {number} quarters */
function wave(angle, quarters) {
  let rest = Math.abs(rint(angle * TURNS)) > FAR ? angle % ROUND : angle;
  const turns = rint(rest * TURNS);
  for (const part of QUARTER_TURN) rest -= turns * part;
  const phase = mod(turns, 4) + quarters;
  const squared = rest * rest;
  const value = phase & 1 ? series(COSINE, squared) : rest * series(SINE, squared);
  return phase & 2 ? -value : value;
}

/** Horner's rule. @param {number[]} coefficients @param {number} squared */
function series(coefficients, squared) {
  let total = coefficients[coefficients.length - 1];
  for (let term = coefficients.length - 2; term >= 0; term--) total = total * squared + coefficients[term];
  return total;
}

/** The base multiplied with itself so many times, by squaring. @param {number} base @param {number} exponent */
export function wholePower(base, exponent) {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

/**
 * The sum of every third number, in the order of numpy's pairwise summation.
 * @param {Float64Array} values @param {number} first @param {number} count @returns {number}
 */
export function columnSum(values, first, count) {
  if (count < 8) {
    let total = 0;
    for (let i = 0; i < count; i++) total += values[first + 3 * i];
    return total;
  }
  if (count > 128) {
    const half = Math.floor(count / 2);
    const left = half - (half % 8);
    return columnSum(values, first, left) + columnSum(values, first + 3 * left, count - left);
  }
  const parts = [0, 1, 2, 3, 4, 5, 6, 7].map((lane) => values[first + 3 * lane]);
  const whole = count - (count % 8);
  for (let i = 8; i < whole; i++) parts[i % 8] += values[first + 3 * i];
  let total = parts[0] + parts[1] + (parts[2] + parts[3]) + (parts[4] + parts[5] + (parts[6] + parts[7]));
  for (let i = whole; i < count; i++) total += values[first + 3 * i];
  return total;
}
