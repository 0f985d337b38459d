/**
 * QR codes of texts, ISO/IEC 18004: bytes with error correction of level L, in the smallest version that
 * holds them.
 *
 * The mask is always the same, a checkerboard; readers accept any.
 */

// Of versions 1 to 40: bytes for error correction in a block, and blocks.
const CHECKS = [
  7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28,
];
const BLOCKS = [
  ...[
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17,
    18, 19,
  ],
  ...[19, 20, 21, 22, 24, 25],
];
const [FORMAT, FORMAT_MASK, VERSION, FIELD] = [0x537, 0x5412, 0x1f25, 0x11d]; // Polynomials
const LEVEL = 8; // L with mask 0

/** A number as so many bits. @param {number} value @param {number} count */
const bitsOf = (value, count) => value.toString(2).padStart(count, "0");

/**
 * A value and the remainder by a polynomial, as bits from the lowest on.
 * @param {number} value
 * @param {number} by
 * @param {number} degree
 * @param {number} mask
 */
function coded(value, by, degree, mask = 0) {
  let rest = value;
  for (let k = 0; k < degree; k++) rest = (rest << 1) ^ ((rest >>> (degree - 1)) * by);
  return [...bitsOf(((value << degree) | rest) ^ mask, degree === 10 ? 15 : 18)].reverse().map(Number);
}

/** The product in the field of 256 elements. @param {number} one @param {number} other */
function times(one, other) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--)
    product = (product << 1) ^ ((product >>> 7) * FIELD) ^ (((other >>> bit) & 1) * one);
  return product;
}

/** Reed-Solomon codewords of a block. @param {number[]} block @param {number} count */
function checked(block, count) {
  const generator = Array.from({ length: count }, (_, k) => Number(k === count - 1));
  for (let k = 0, root = 1; k < count; k++, root = times(root, 2))
    for (let j = 0; j < count; j++) generator[j] = times(generator[j], root) ^ (generator[j + 1] ?? 0);
  return block.reduce((rest, byte) => {
    const factor = byte ^ rest[0];
    return generator.map((part, k) => (rest[k + 1] ?? 0) ^ times(part, factor));
  }, new Array(count).fill(0));
}

/** Where the marks are that help a reader to align. @param {number} version */
function places(version) {
  const count = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const step = 2 * Math.floor((8 * version + 3 * count + 5) / (4 * count - 4));
  return Array.from({ length: count }, (_, k) => (k ? 4 * version + 10 - step * (count - 1 - k) : 6));
}

/** Bytes of a version for everything. @param {number} version */
function room(version) {
  const { length } = places(version);
  const marks = length ? (25 * length - 10) * length - 55 : 0;
  return Math.floor(((16 * version + 128) * version + 64 - marks - (version < 7 ? 0 : 36)) / 8);
}

/**
 * All of a code but its data, row by row, true for dark.
 * @param {number} version
 * @returns {(boolean | undefined)[][]}
 */
function framed(version) {
  const size = 17 + 4 * version;
  /** @type {(boolean | undefined)[][]} */
  const dark = Array.from({ length: size }, () => new Array(size).fill(undefined));
  for (let k = 0; k < size; k++) dark[6][k] = dark[k][6] = k % 2 === 0;
  /**
   * Concentric squares.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   * @param {number[]} light distances
   */
  const mark = (x, y, reach, light) => {
    for (let j = Math.max(y - reach, 0); j <= Math.min(y + reach, size - 1); j++)
      for (let k = Math.max(x - reach, 0); k <= Math.min(x + reach, size - 1); k++)
        dark[j][k] = !light.includes(Math.max(Math.abs(j - y), Math.abs(k - x)));
  };
  const lines = places(version);
  for (const [j, y] of lines.entries())
    for (const [k, x] of lines.entries())
      if (j * k > 0 || (j + k) % (lines.length - 1) > 0) mark(x, y, 2, [1]);
  mark(3, 3, 4, [2, 4]);
  mark(size - 4, 3, 4, [2, 4]);
  mark(3, size - 4, 4, [2, 4]);
  for (const [k, bit] of coded(LEVEL, FORMAT, 10, FORMAT_MASK).entries()) {
    dark[k < 6 ? k : k < 8 ? k + 1 : 8][k < 8 ? 8 : k === 8 ? 7 : 14 - k] = bit === 1;
    dark[k < 8 ? 8 : size - 15 + k][k < 8 ? size - 1 - k : 8] = bit === 1;
  }
  dark[size - 8][8] = true;
  for (const [k, bit] of version < 7 ? [] : coded(version, VERSION, 12).entries()) {
    const [far, near] = [size - 11 + (k % 3), Math.floor(k / 3)];
    dark[far][near] = dark[near][far] = bit === 1;
  }
  return dark;
}

/** The code of a text, row by row, true for dark; throws where no version holds it. @param {string} text */
export function qrOf(text) {
  const bytes = [...new TextEncoder().encode(text)];
  /** @param {number} version */
  const free = (version) => room(version) - (CHECKS[version - 1] ?? 30) * BLOCKS[version - 1];
  let version = 1;
  while (version <= 40 && free(version) < bytes.length + (version < 10 ? 2 : 3)) version++;
  if (version > 40) throw new RangeError("the link is too long for a QR code");
  const [blocks, checks] = [BLOCKS[version - 1], CHECKS[version - 1] ?? 30];
  const letters = bytes.map((byte) => bitsOf(byte, 8)).join("");
  const bits = `0100${bitsOf(bytes.length, version < 10 ? 8 : 16)}${letters}0000`;
  const data = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  for (let k = 0; data.length < free(version); k++) data.push(k % 2 ? 0x11 : 0xec);
  const [short, longer] = [Math.floor(data.length / blocks), blocks - (data.length % blocks)];
  const parts = Array.from({ length: blocks }, (_, k) => data.splice(0, short + Number(k >= longer)));
  /** @param {number[][]} rows */
  const woven = (rows) =>
    rows[blocks - 1].flatMap((_, k) => rows.flatMap((row) => (k < row.length ? [row[k]] : [])));
  const stream = [...woven(parts), ...woven(parts.map((block) => checked(block, checks)))];
  const dark = framed(version);
  for (let right = dark.length - 1, next = 0; right > 0; right -= right === 8 ? 3 : 2)
    for (let k = 0; k < 2 * dark.length; k++) {
      const [x, way] = [right - (k % 2), Math.floor(k / 2)];
      const y = (right + 1) & 2 ? way : dark.length - 1 - way;
      if (dark[y][x] !== undefined) continue;
      dark[y][x] = (((stream[next >> 3] ?? 0) >> (7 - (next & 7))) & 1) !== Number((x + y) % 2 === 0);
      next++;
    }
  return dark;
}
