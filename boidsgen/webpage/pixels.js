/**
 * Pixels of the lit look: arrays in the kernel's memory, polygons, sprites and strokes, as in canvas.py
 * and shapes.py.
 */

/** @typedef {[number, number[][]][]} Parts  Strengths and corners, each over those before it. */
/**
 * @typedef {{outline: number[][], parts: Parts, detailedFrom: number[], winged: boolean,
 *   beat: number}} Outlined Corners in lengths of a body, its parts, and the pixels of a length from which on
 *   it has a curve, and details.
 */
/**
 * @typedef {Outlined & {sizes: number[], lengths: number[], poses: number[], between: number[], longer:
 *   number[], higher: number[], largest: number, faintest: number, flashes: boolean}} Sized Sizes
 *   and forms of sprites, and the borders between them.
 */
/**
 * @typedef {Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | Int32Array | Float32Array |
 *   Float64Array | BigInt64Array} View
 */

const STIFF = 0.15;
const WRIST = 0.3;
const SWEEP = 0.5;
const MAX_BEND = 0.62;
const HEADINGS = 64;
const SUBPIXELS = 4;
const PLACES = SUBPIXELS * SUBPIXELS;
const SAMPLES = 4;
const PARTS = 2048;
const TAU = 2 * Math.PI;

/**
 * Arrays in the memory of a kernel, by their names. What is taken grows where it must, and moves then: a view
 * is to be used before the next array is asked for.
 */
export class KernelArrays {
  /** @param {import("./kernel.js").Kernel} kernel */
  constructor(kernel) {
    this.kernel = kernel;
    /** @type {Map<string, {at: number, bytes: number, count: number}>} */
    this.known = new Map();
  }

  /**
   * An array with what was in it.
   *
   * @template {View} Kind
   * @param {string} name
   * @param {{new (buffer: ArrayBuffer, at: number, count: number): Kind, BYTES_PER_ELEMENT: number}} kind
   * @param {number} count
   * @returns {Kind}
   */
  of(name, kind, count) {
    const before = this.known.get(name) ?? { at: 0, bytes: 0 };
    let { at, bytes } = before;
    if (count * kind.BYTES_PER_ELEMENT > bytes) {
      bytes = Math.max(2 * bytes, count * kind.BYTES_PER_ELEMENT);
      at = this.kernel.room(bytes);
      this.kernel.bytes(at, bytes).set(this.kernel.bytes(before.at, before.bytes));
    }
    this.known.set(name, { at, bytes, count });
    return new kind(/** @type {ArrayBuffer} */ (this.kernel.memory.buffer), at, count);
  }

  /**
   * @template {View} Kind
   * @param {string} name
   * @param {{new (buffer: ArrayBuffer, at: number, count: number): Kind, BYTES_PER_ELEMENT: number}} kind
   * @param {ArrayLike<number>} values
   */
  fill(name, kind, values) {
    /** @type {any} */ (this.of(name, kind, values.length)).set(values);
  }

  /**
   * Whole numbers of 32 bits that the kernel reads as 64.
   * @param {string} name
   * @param {ArrayLike<number>} values
   */
  whole(name, values) {
    const { buffer, byteOffset, length } = this.of(name, BigInt64Array, values.length);
    // A BigInt each would take ten times as long.
    const halves = new Int32Array(buffer, byteOffset, 2 * length);
    for (let k = 0; k < length; k++) {
      halves[2 * k] = values[k];
      halves[2 * k + 1] = values[k] >> 31;
    }
  }

  /**
   * Calls an entry of the kernel with arrays, by their names, and numbers.
   * @param {string} entry
   * @param {string} names
   * @param {number[]} numbers
   */
  run(entry, names, ...numbers) {
    const places = names.split(" ").map((name) => this.known.get(name) ?? { at: 0, count: 0 });
    return this.kernel.call[entry](...places.flatMap(({ at, count }) => [at, count]), ...numbers);
  }
}

/**
 * A corner of a body in a pose, as `Shape.posed`.
 * @param {Outlined} shape
 * @param {number[]} corner
 * @param {number} pose
 */
export function posed({ winged, beat }, [x, y], pose) {
  if (winged) return [x - SWEEP * Math.max(Math.abs(y) - WRIST, 0) * (1 - pose), y * pose];
  if (!beat) return [x, y];
  const behind = Math.max(STIFF - x, 0);
  const slope = 2 * MAX_BEND * (2 * pose - 1) * behind;
  const across = y / Math.sqrt(1 + slope * slope);
  return [x + (slope * slope * behind) / 6 + slope * across, (slope * behind) / 2 + across];
}

/**
 * How much of squares a polygon covers, from 0 to 255, in rows, as the array `square`.
 *
 * @param {KernelArrays} arrays
 * @param {number[][]} corners in squares
 * @param {number} wide
 * @param {number} high
 */
export function cover(arrays, corners, wide, high) {
  const samples = corners.flat().map((along) => Math.trunc(along * SAMPLES));
  arrays.fill("corner", Int32Array, samples);
  arrays.of("crossed", Float64Array, corners.length);
  arrays.of("square", Uint8Array, wide * high);
  arrays.run("cover_squares", "square corner crossed", wide, high);
  return arrays.of("square", Uint8Array, wide * high);
}

/**
 * The same of parts, the first of which is all of a body.
 *
 * @param {KernelArrays} arrays
 * @param {Parts} parts
 * @param {number} wide
 * @param {number} high
 */
export function coverParts(arrays, [[, body], ...details], wide, high) {
  const covered = cover(arrays, body, wide, high).slice();
  for (const [strength, corners] of details)
    cover(arrays, corners, wide, high).forEach((part, k) => {
      covered[k] += Math.round(((255 * strength - covered[k]) * part) / 255);
    });
  const square = arrays.of("square", Uint8Array, wide * high);
  square.set(covered);
  return square;
}

/** What is drawn of a shape with a body of so many pixels. @param {Outlined} shape @param {number} size */
export function partsOf({ outline, parts, detailedFrom: [curved, detailed] }, size) {
  if (size >= detailed) return parts;
  return size >= curved ? parts.slice(0, 1) : /** @type {Parts} */ ([[1, outline]]);
}

/**
 * The place of a value among borders, in steps as those of the tables of `QuickSprites`.
 * @param {number[]} borders
 * @param {number} value
 * @param {number} unit
 */
function rank(borders, value, unit) {
  const part = (Math.min(Math.floor((value / unit) * PARTS), PARTS) * unit) / PARTS;
  let found = 0;
  while (found < borders.length && borders[found] <= part) found++;
  return found;
}

/**
 * The sprites of one shape: those of a kind and heading are drawn when the first animal needs them, for all
 * parts of a pixel.
 */
export class Sprites {
  /**
   * @param {KernelArrays} arrays
   * @param {string} name
   * @param {Sized} shape
   * @param {number} stride of the canvas
   */
  constructor(arrays, name, shape, stride) {
    this.arrays = arrays;
    this.shape = shape;
    this.stride = stride;
    this.forms = shape.lengths.length * shape.poses.length;
    this.drawn = new Int32Array(shape.sizes.length * this.forms * HEADINGS).fill(-1);
    this.count = 0;
    this.entries = 0;
    this.table = ["first", "count", "offset", "coverage"].map((part) => `${part}-${name}`);
  }

  /**
   * The sprite of an animal, as `Sprites.number`.
   * @param {number} x
   * @param {number} y
   * @param {number} heading
   * @param {number} size
   * @param {number} apparent
   * @param {number} pose
   */
  number(x, y, heading, size, apparent, pose) {
    const { between, longer, higher, poses, largest } = this.shape;
    const form = rank(longer, apparent, 1) * poses.length + rank(higher, pose, 1);
    const turn = Math.round((heading * HEADINGS) / TAU) & (HEADINGS - 1);
    const wanted = (rank(between, size, largest) * this.forms + form) * HEADINGS + turn;
    if (this.drawn[wanted] < 0) this.draw(wanted);
    return (this.drawn[wanted] * SUBPIXELS + (quarter(y) & 3)) * SUBPIXELS + (quarter(x) & 3);
  }

  /** @param {number} wanted kind and heading */
  draw(wanted) {
    const { sizes, lengths, poses, faintest } = this.shape;
    const [kind, turn] = [Math.floor(wanted / HEADINGS), wanted % HEADINGS];
    const [size, form] = [sizes[Math.floor(kind / this.forms)], kind % this.forms];
    const long = size * lengths[Math.floor(form / poses.length)];
    // At a heading of the first quarter; the others are the same, turned.
    const angle = (TAU * (turn % (HEADINGS / 4))) / HEADINGS;
    const [a, b] = [SUBPIXELS * Math.cos(angle), SUBPIXELS * Math.sin(angle)];
    const placed = partsOf(this.shape, size).map(([strength, outline]) => ({
      strength,
      corners: outline
        .map((corner) => posed(this.shape, corner, poses[form % poses.length]))
        .map(([x, y]) => [x * long * a - y * size * b, -x * long * b - y * size * a]),
    }));
    const [[left, wide], [top, high]] = [0, 1].map((axis) => {
      const along = placed[0].corners.map((corner) => corner[axis]);
      const low = Math.floor(Math.min(...along));
      return [low, Math.ceil(Math.max(...along)) - low + 1];
    });
    const { arrays, table, entries, stride } = this;
    /** @type {Parts} */
    const parts = placed.map(({ strength, corners }) => [
      strength,
      corners.map(([x, y]) => [x - left, y - top]),
    ]);
    coverParts(arrays, parts, wide, high);
    const sprites = this.count * PLACES;
    const most = entries + PLACES * Math.ceil(wide / SUBPIXELS + 1) * Math.ceil(high / SUBPIXELS + 1);
    for (const name of table.slice(0, 2)) arrays.of(name, BigInt64Array, sprites + PLACES);
    arrays.of(table[2], Int32Array, most);
    arrays.of(table[3], Uint8Array, most);
    arrays.of("areas", Int32Array, (wide + 1) * (high + 1));
    const quarters = Math.floor((4 * turn) / HEADINGS);
    const numbers = [sprites, entries, high, wide, top, left, quarters, stride, faintest];
    this.entries = arrays.run("append_sprites", `${table.join(" ")} square areas`, ...numbers);
    this.drawn[wanted] = this.count++;
  }

  /**
   * Flat offsets of the pixels of which a sprite covers more than half.
   * @param {number} sprite
   * @returns {Int32Array}
   */
  middle(sprite) {
    const { arrays, table } = this;
    const views = table.slice(0, 2).map((name) => arrays.of(name, BigInt64Array, this.count * PLACES));
    const [first, count] = views.map((view) => Number(view[sprite]));
    const coverage = arrays.of(table[3], Uint8Array, this.entries);
    const offsets = arrays.of(table[2], Int32Array, this.entries).subarray(first, first + count);
    return offsets.filter((_, k) => coverage[first + k] > 127);
  }
}

/** A place in whole quarters of a pixel. @param {number} place */
export const quarter = (place) => Math.round(place * SUBPIXELS);

/**
 * Writes the pixels of straight lines as arrays `line`, `flat` and `coverage`, as `Canvas.trace`.
 *
 * @param {KernelArrays} arrays @param {number[][]} lines from x, y to x, y, and thickness, of each
 * @param {number[]} size of the picture @param {number} margin round it
 */
export function trace(arrays, lines, size, margin) {
  const thickest = lines.reduce((most, line) => Math.max(most, line[4]), 0);
  const half = thickest / 2;
  const beside = Math.ceil(1.42 * (half + 0.5) - 0.5);
  const low = -(margin - thickest - 2);
  const { length } = lines;
  const [start, end] = [new Float64Array(2 * length), new Float64Array(2 * length)];
  const edge = new Float32Array(length); // nothing of a line far from the picture
  // At either end of a line half a pixel of rounding, and one that it only touches.
  let steps = length * (Math.ceil(thickest) + 3);
  for (const [k, [x, y, u, v, width]] of lines.entries()) {
    // The part of the line near the picture (after Liang and Barsky).
    const [from, way] = [
      [x, y],
      [u - x, v - y],
    ];
    let [early, late] = [0, 1];
    for (let axis = 0; axis < 2; axis++) {
      const [one, other] = [(low - from[axis]) / way[axis], (size[axis] - low - from[axis]) / way[axis]];
      if (Math.abs(way[axis]) > 1e-9)
        [early, late] = [Math.max(early, Math.min(one, other)), Math.min(late, Math.max(one, other))];
      else if (from[axis] < low || from[axis] > size[axis] - low) late = -1;
    }
    if (early > late) continue;
    for (let axis = 0; axis < 2; axis++) {
      start[2 * k + axis] = from[axis] + early * way[axis];
      end[2 * k + axis] = from[axis] + late * way[axis];
    }
    edge[k] = width / 2 + 0.5;
    steps += Math.ceil(Math.max(Math.abs(way[0]), Math.abs(way[1])) * (late - early));
  }
  for (const [name, values] of Object.entries({ start, end })) arrays.fill(name, Float64Array, values);
  for (const [name, values] of Object.entries({ edge, half: [half] }))
    arrays.fill(name, Float32Array, values);
  const limit = (/** @type {number} */ found) => {
    for (const name of ["line", "flat"]) arrays.of(name, BigInt64Array, found);
    arrays.of("coverage", Uint8Array, found);
  };
  limit(steps * (2 * beside + 1));
  const stride = size[0] + 2 * margin;
  const corner = margin * (stride + 1);
  limit(arrays.run("cover", "line flat coverage start end edge half", beside, stride, corner));
}
