/**
 * Neighbor sums in the order of numpy's grid, as in boidsgen/simulation/neighbors/: cells row by row, within a cell by
 * number, copies beyond the edges of a world that repeats behind the originals.
 *
 * @module
 */

import { columnSum, cosine, length, radians, rint } from "./arithmetic.js";

/** @import { World } from "./world.js" */
/** @typedef {{position: Float64Array, velocity: Float64Array, count: number}} Animals  Three components each. */
/** @typedef {{count: Float64Array, total: Float64Array}} Sum */
/**
 * @typedef {object} Request
 * @property {number} radius
 * @property {number} fieldOfView
 * @property {string} quantity
 * @property {number | null} nearest
 * @property {string} key  equal for equal requests.
 * @property {string} whom  equal for requests about the same neighbors.
 */
/** @typedef {{low: number, cells: number, perLength: number, reach: number, shift: number, period: number}} Axis */
/**
 * @typedef {object} Ranges  Sources in an order in which those around a cell are few ranges, one for each row of cells.
 * @property {Float64Array} sorted  their positions.
 * @property {Int32Array} source  their numbers.
 * @property {Int32Array} starts  of the cells.
 * @property {number[]} rows  offsets in `starts` of the rows around a cell.
 * @property {number} lastReach  cells to either side in a row.
 * @property {number[]} periods  still to be taken out of every offset.
 */
/**
 * @typedef {object} Narrowed  Requests about the same neighbors, with where their answers go.
 * @property {number} least  square of the smallest distance of a neighbor.
 * @property {number} squared  square of the radius.
 * @property {number} cosine  of half the field of view; -Infinity = all round.
 * @property {number} nearest
 * @property {[Request, Sum][]} asked
 */

const COLUMNS_PER_RADIUS = 3;
const CELLS_PER_SOURCE = 4;
export const COINCIDENT = 1e-15 * 1e-15;
const CLOSED = ["offset", "linear", "velocity"];
const TINY = 2.2250738585072014e-308;

/**
 * @param {number} radius @param {number} fieldOfView @param {string} quantity @param {number | null} nearest
 * @returns {Request}
 */
export function request(radius, fieldOfView, quantity, nearest = null) {
  const whom = `${radius} ${fieldOfView} ${nearest}`;
  return { radius, fieldOfView, quantity, nearest, whom, key: `${whom} ${quantity}` };
}

/** @param {Request} one */
export function isAboutEveryone(one) {
  return one.whom === "Infinity 360 null" && CLOSED.includes(one.quantity);
}

/** Cosine of half a field of view. @param {number} fieldOfView */
export const halfAngleCosine = (fieldOfView) => cosine(radians(fieldOfView / 2));

/** @param {number} count @returns {Sum} */
export const nothing = (count) => ({ count: new Float64Array(count), total: new Float64Array(3 * count) });

/** What is filled anew for every boid: its pairs, in the order in which they are added up. */
let pairs = room(0);
/** Squares of the distances of the nearest few, in order. */
let ranking = new Float64Array(0);

/** @param {number} most */
function room(most) {
  return {
    offset: new Float64Array(3 * most),
    squared: new Float64Array(most),
    source: new Int32Array(most),
    chosen: new Int32Array(most),
  };
}

/**
 * The answers to requests of boids about some groups of sources, added up, by the keys of the requests; none without
 * sources.
 * @param {Animals} boids @param {Animals[]} seen @param {Request[]} requests @param {World} world
 * @returns {Map<string, Sum>}
 */
export function answers(boids, seen, requests, world) {
  const found = new Map();
  for (const source of seen) {
    for (const [key, one] of sums(boids, source, requests, world)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, one);
      else {
        for (let i = 0; i < one.count.length; i++) known.count[i] += one.count[i];
        for (let k = 0; k < one.total.length; k++) known.total[k] += one.total[k];
      }
    }
  }
  return found;
}

/**
 * @param {Animals} boids @param {Animals} source @param {Request[]} requests @param {World} world
 * @returns {Map<string, Sum>}
 */
export function sums(boids, source, requests, world) {
  const found = new Map();
  const bounded = requests.filter((one) => !isAboutEveryone(one) && (one.radius < Infinity || one.nearest === null));
  if (bounded.length > 0) search(boids, source, bounded, world, found);
  const unbounded = new Map();
  for (const one of requests) {
    if (isAboutEveryone(one)) found.set(one.key, sumOverEveryone(boids, source, one, world));
    else if (!bounded.includes(one)) unbounded.set(one.whom, [...(unbounded.get(one.whom) ?? []), one]);
  }
  for (const alike of unbounded.values()) sumsOfNearest(boids, source, alike, world, found);
  return found;
}

/**
 * @param {Animals} boids @param {Animals} source @param {Request} one @param {World} world
 * @returns {Sum}
 */
function sumOverEveryone(boids, source, one, world) {
  const own = boids.position === source.position;
  const answer = nothing(boids.count);
  answer.count.fill(source.count - (own ? 1 : 0));
  for (let axis = 0; axis < world.dimension; axis++) {
    const along = one.quantity === "velocity" ? source.velocity : source.position;
    const total = columnSum(along, axis, source.count);
    const period = world.periods[axis];
    const ranked = period ? column(source, axis).sort() : along;
    for (let i = 0; i < boids.count; i++) {
      const k = 3 * i + axis;
      if (one.quantity === "velocity") answer.total[k] = total - (own ? source.velocity[k] : 0);
      else answer.total[k] = total - source.count * boids.position[k];
      if (!period || one.quantity === "velocity") continue;
      const ahead = source.count - before(ranked, boids.position[k] + period / 2, true);
      const behind = before(ranked, boids.position[k] - period / 2, false);
      answer.total[k] += period * (behind - ahead);
    }
  }
  return answer;
}

/** @param {Animals} animals @param {number} axis */
const column = (animals, axis) =>
  Float64Array.from({ length: animals.count }, (_, i) => animals.position[3 * i + axis]);

/** How many of ranked numbers are below a value, or equal to it. @param {Float64Array} ranked @param {number} value @param {boolean} orEqual */
export function before(ranked, value, orEqual) {
  let [low, high] = [0, ranked.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranked[middle] < value || (orEqual && ranked[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Requests without a radius about the nearest so many: searches whose radius doubles.
 * @param {Animals} boids @param {Animals} source @param {Request[]} alike @param {World} world
 * @param {Map<string, Sum>} found
 */
function sumsOfNearest(boids, source, alike, world, found) {
  for (const one of alike) found.set(one.key, nothing(boids.count));
  if (boids.count === 0 || source.count === 0) return;
  const wanted = alike[0].nearest ?? 0;
  const spans = [];
  for (let axis = 0; axis < world.dimension; axis++) {
    const both = [...column(boids, axis), ...column(source, axis)];
    spans.push(world.periods[axis] > 0 ? world.periods[axis] / 2 : Math.max(...both) - Math.min(...both));
  }
  const farthest = Math.sqrt(spans.reduce((total, span) => total + span * span, 0));
  const widest = Math.max(...spans);
  const volume = spans.reduce((product, span) => product * Math.max(span, widest * 1e-3), 1);
  const share = Math.min(1, (2.5 * wanted) / source.count);
  let radius = Math.max((share * volume) ** (1 / spans.length), TINY);
  let pending = Array.from({ length: boids.count }, (_, i) => i);
  while (pending.length > 0) {
    const last = radius >= farthest;
    const bounded = alike.map((one) => request(last ? Infinity : radius, one.fieldOfView, one.quantity, one.nearest));
    const part = new Map();
    search(boids, source, bounded, world, part);
    alike.forEach((one, number) => {
      const [to, from] = [found.get(one.key) ?? nothing(0), part.get(bounded[number].key)];
      for (const i of pending) {
        to.count[i] = from.count[i];
        for (let k = 3 * i; k < 3 * i + 3; k++) to.total[k] = from.total[k];
      }
    });
    const { count } = part.get(bounded[0].key);
    pending = last ? [] : pending.filter((i) => count[i] < wanted);
    radius *= 2;
  }
}

/**
 * Answers requests by looking around every boid.
 * @param {Animals} boids @param {Animals} source @param {Request[]} requests @param {World} world
 * @param {Map<string, Sum>} found
 */
function search(boids, source, requests, world, found) {
  for (const one of requests) found.set(one.key, nothing(boids.count));
  if (boids.count === 0 || source.count === 0) return;
  const radius = Math.max(...requests.map((one) => one.radius));
  const limit = radius * radius;
  const grid = new Grid(source, radius, world);
  const narrowed = narrow(requests, found);
  const own = boids.position === source.position;
  if (pairs.source.length < grid.source.length) pairs = room(2 * grid.source.length);
  for (let i = 0; i < boids.count; i++) {
    const many = around(
      grid,
      boids.position,
      i,
      own ? grid.cells[i] : grid.cellOf(boids.position, i),
      limit,
      COINCIDENT,
    );
    for (const one of narrowed) answer(i, many, one, boids.velocity, source.velocity);
  }
}

/** Requests by whom they are about. @param {Request[]} requests @param {Map<string, Sum>} found @returns {Narrowed[]} */
function narrow(requests, found) {
  /** @type {Map<string, Narrowed>} */
  const known = new Map();
  for (const one of requests) {
    const everyone = isAboutEveryone(one);
    const whom = `${one.whom} ${everyone}`;
    const entry = known.get(whom) ?? {
      least: everyone ? 0 : COINCIDENT,
      squared: one.radius * one.radius,
      cosine: one.fieldOfView >= 360 ? -Infinity : halfAngleCosine(one.fieldOfView),
      nearest: one.nearest ?? Infinity,
      asked: [],
    };
    const sum = found.get(one.key) ?? nothing(0);
    entry.asked.push([one, sum]);
    known.set(whom, entry);
  }
  return [...known.values()];
}

/**
 * A function that answers what a boid asks about its own kind, everybody where they are now, one by one in their order.
 * @param {Animals} boids @param {Request[]} requests @param {Map<string, Sum>} found @param {World} world
 * @returns {(boid: number) => void}
 */
export function inTurn({ position, velocity, count }, requests, found, world) {
  const narrowed = narrow(requests, found);
  const source = Int32Array.from({ length: count }, (_, i) => i);
  const starts = Int32Array.of(0, count);
  const everybody = { sorted: position, source, starts, rows: [0], lastReach: 0, periods: world.periods };
  if (pairs.source.length < count) pairs = room(2 * count);
  return (boid) => {
    const many = around(everybody, position, boid, 0, Infinity, 0);
    for (const one of narrowed) answer(boid, many, one, velocity, velocity);
  };
}

/** @param {number} boid @param {number} many @param {Narrowed} about @param {Float64Array} velocity @param {Float64Array} seen */
function answer(boid, many, about, velocity, seen) {
  const chosen = nearestOf(choose(boid, many, about, velocity), about.nearest);
  for (const [{ quantity }, sum] of about.asked) addUp(boid, chosen, quantity, seen, sum);
}

/**
 * Chooses the pairs of a boid within the radius and the field of view of some requests; gives their number.
 * @param {number} boid @param {number} many @param {Narrowed} about @param {Float64Array} velocity
 */
function choose(boid, many, about, velocity) {
  const { offset, squared, chosen } = pairs;
  const [x, y, z] = [velocity[3 * boid], velocity[3 * boid + 1], velocity[3 * boid + 2]];
  const speed = length(x, y, z);
  const all = about.cosine === -Infinity || speed === 0;
  let count = 0;
  for (let pair = 0; pair < many; pair++) {
    if (squared[pair] >= about.squared || squared[pair] < about.least) continue;
    if (!all) {
      const ahead = x * offset[3 * pair] + y * offset[3 * pair + 1] + z * offset[3 * pair + 2];
      if (!(ahead > speed * Math.sqrt(squared[pair]) * about.cosine)) continue;
    }
    chosen[count++] = pair;
  }
  return count;
}

/** Keeps the nearest of the chosen pairs; of equally near ones the first. @param {number} many @param {number} most */
function nearestOf(many, most) {
  if (many <= most) return many;
  const { squared, chosen } = pairs;
  if (ranking.length < most) ranking = new Float64Array(most);
  let ranked = 0;
  for (let number = 0; number < many; number++) {
    const distance = squared[chosen[number]];
    if (ranked === most && distance >= ranking[most - 1]) continue;
    let at = ranked < most ? ranked++ : most - 1;
    for (; at > 0 && ranking[at - 1] > distance; at--) ranking[at] = ranking[at - 1];
    ranking[at] = distance;
  }
  const limit = ranking[most - 1];
  let ties = most - before(ranking.subarray(0, most), limit, false);
  let kept = 0;
  for (let number = 0; number < many; number++) {
    const distance = squared[chosen[number]];
    if (distance < limit || (distance === limit && ties-- > 0)) chosen[kept++] = chosen[number];
  }
  return kept;
}

/**
 * Writes the sum over the chosen pairs of a boid.
 * @param {number} boid @param {number} many @param {string} quantity @param {Float64Array} velocity @param {Sum} sum
 */
function addUp(boid, many, quantity, velocity, sum) {
  const { offset, squared, source, chosen } = pairs;
  const speeds = quantity === "velocity";
  const from = speeds ? velocity : offset;
  const divisorOf = DIVISORS[quantity];
  let x = 0;
  let y = 0;
  let z = 0;
  for (let number = 0; number < many; number++) {
    const pair = chosen[number];
    const k = 3 * (speeds ? source[pair] : pair);
    const divisor = divisorOf === undefined ? 1 : divisorOf(squared[pair]);
    x += from[k] / divisor;
    y += from[k + 1] / divisor;
    z += from[k + 2] / divisor;
  }
  sum.count[boid] = many;
  sum.total[3 * boid] = x;
  sum.total[3 * boid + 1] = y;
  sum.total[3 * boid + 2] = z;
}

/** Divisor of an offset that gives it the length of a falloff. @type {{[quantity: string]: (squared: number) => number}} */
const DIVISORS = {
  constant: Math.sqrt,
  inverse: (squared) => squared,
  inverse_square: (squared) => squared * Math.sqrt(squared),
};

/** Sources sorted by cell. */
class Grid {
  /** @param {Animals} source @param {number} radius @param {World} world */
  constructor({ position, count }, radius, world) {
    this.axes = axesOf(position, count, radius, world);
    const { axes } = this;
    const last = axes.length - 1;
    const sides = axes.map((axis) => axis.cells + 2 * axis.reach);
    this.strides = axes.map((_, a) => sides.slice(a + 1).reduce((product, side) => product * side, 1));
    this.entries = Array.from({ length: count }, (_, i) => i);
    /** @type {number[][]} */
    this.coordinates = axes.map((_, a) => this.entries.map((i) => position[3 * i + a]));
    /** @type {number[][]} */
    this.places = axes.map((axis, a) => this.coordinates[a].map((coordinate) => cellAlong(axis, coordinate)));
    axes.forEach((axis, a) => {
      if (axis.shift > 0) this.copyEnds(axis, a);
    });
    this.cells = this.entries.map((_, entry) =>
      axes.reduce((cell, axis, a) => cell + (this.places[a][entry] + axis.reach) * this.strides[a], 0),
    );
    this.starts = new Int32Array(sides.reduce((product, side) => product * side, 1) + 1);
    this.source = new Int32Array(this.entries.length);
    this.sorted = new Float64Array(3 * this.entries.length);
    this.sort();
    this.lastReach = axes[last].reach;
    /** What is still to be taken out of every offset. */
    this.periods = [...axes.map((axis) => axis.period), 0];
    /** Offsets in `starts` of the rows around a cell. */
    this.rows = axes
      .slice(0, last)
      .reduce(
        (rows, axis, a) => rows.flatMap((row) => ways(axis.reach).map((way) => row + way * this.strides[a])),
        [0],
      );
  }

  /** Copies those near an end of an axis that repeats beyond the other end. @param {Axis} axis @param {number} a */
  copyEnds(axis, a) {
    const present = this.entries.length;
    for (const beyond of [1, -1]) {
      for (let entry = 0; entry < present; entry++) {
        const cell = this.places[a][entry];
        if (beyond === 1 ? cell >= axis.reach : cell < axis.cells - axis.reach) continue;
        this.entries.push(this.entries[entry]);
        for (const values of [...this.coordinates, ...this.places]) values.push(values[entry]);
        const copy = this.entries.length - 1;
        this.coordinates[a][copy] += beyond * axis.shift;
        this.places[a][copy] += beyond * axis.cells;
      }
    }
  }

  sort() {
    for (const cell of this.cells) this.starts[cell + 1]++;
    for (let cell = 1; cell < this.starts.length; cell++) this.starts[cell] += this.starts[cell - 1];
    const next = this.starts.slice();
    this.cells.forEach((cell, entry) => {
      const at = next[cell]++;
      this.source[at] = this.entries[entry];
      for (let a = 0; a < this.axes.length; a++) this.sorted[3 * at + a] = this.coordinates[a][entry];
    });
  }

  /** @param {Float64Array} position @param {number} boid */
  cellOf(position, boid) {
    return this.axes.reduce(
      (cell, axis, a) => cell + (cellAlong(axis, position[3 * boid + a]) + axis.reach) * this.strides[a],
      0,
    );
  }
}

/**
 * Writes the pairs of a boid within a squared distance, and no nearer than another; gives their number.
 * @param {Ranges} grid @param {Float64Array} position @param {number} boid @param {number} cell @param {number} limit
 * @param {number} least
 */
function around({ sorted, starts, source, rows, lastReach, periods }, position, boid, cell, limit, least) {
  const [x, y, z] = [position[3 * boid], position[3 * boid + 1], position[3 * boid + 2]];
  const [px, py, pz] = periods;
  const own = sorted === position ? boid : -1;
  let many = 0;
  for (const row of rows) {
    const end = starts[cell + row + lastReach + 1];
    for (let at = starts[cell + row - lastReach]; at < end; at++) {
      let dx = sorted[3 * at] - x;
      let dy = sorted[3 * at + 1] - y;
      let dz = sorted[3 * at + 2] - z;
      if (px > 0) dx -= px * rint(dx / px);
      if (py > 0) dy -= py * rint(dy / py);
      if (pz > 0) dz -= pz * rint(dz / pz);
      const distance = dx * dx + dy * dy + dz * dz;
      if (distance >= limit || distance < least || at === own) continue;
      pairs.squared[many] = distance;
      pairs.source[many] = source[at];
      pairs.offset[3 * many] = dx;
      pairs.offset[3 * many + 1] = dy;
      pairs.offset[3 * many + 2] = dz;
      many++;
    }
  }
  return many;
}

/** The numbers from -reach to reach. @param {number} reach */
const ways = (reach) => Array.from({ length: 2 * reach + 1 }, (_, way) => way - reach);

/** The cell of a coordinate; those outside are in the first or last. @param {Axis} axis @param {number} coordinate */
function cellAlong(axis, coordinate) {
  if (axis.cells === 1) return 0;
  return Math.trunc(Math.min(Math.max((coordinate - axis.low) * axis.perLength, 0), axis.cells - 1));
}

/** @param {Float64Array} position @param {number} count @param {number} radius @param {World} world */
function axesOf(position, count, radius, world) {
  /** @type {number[]} */
  const low = [];
  const span = [];
  for (let a = 0; a < world.dimension; a++) {
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0; i < count; i++) {
      least = Math.min(least, position[3 * i + a]);
      most = Math.max(most, position[3 * i + a]);
    }
    low.push(world.periods[a] ? 0 : least);
    span.push(world.periods[a] || most - least);
  }
  const wanted = span.map((side, a) => {
    const fitting = (side / radius) * (a === span.length - 1 ? COLUMNS_PER_RADIUS : 1);
    return Math.max(1, Math.trunc(side < Infinity ? Math.min(fitting, 2 ** 30) : 1));
  });
  const crowd = wanted.reduce((product, cells) => product * cells, 1) / (CELLS_PER_SOURCE * count + 64);
  const shrink = Math.min(1, crowd ** (-1 / span.length));
  return span.map((side, a) =>
    axisOf(low[a], side, Math.max(1, Math.trunc(wanted[a] * shrink)), radius, world.periods[a]),
  );
}

/**
 * @param {number} low @param {number} span @param {number} cells @param {number} radius @param {number} period
 * @returns {Axis}
 */
function axisOf(low, span, cells, radius, period) {
  const reach = cells > 1 ? Math.ceil((radius * cells) / span) : 0;
  if ((period > 0 && cells < 2 * reach + 1) || cells === 1) {
    return { low, cells: 1, perLength: 0, reach: 0, shift: 0, period };
  }
  return { low, cells, perLength: cells / span, reach, shift: period, period: 0 };
}
