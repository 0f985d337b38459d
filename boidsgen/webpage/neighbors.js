/**
 * Sums over neighbors, boid by boid, in the order of numpy's grid, as in boidsgen/simulation/neighbors/: cells row by row,
 * within a cell by number.
 *
 * @module
 */

import { clip, cosine, pairwiseSum, radians, rint } from "./arithmetic.js";
import { plus, put, ZERO } from "./vectors.js";

/** @import { Vec, Vectors } from "./vectors.js" */
/** @import { World } from "./world.js" */
/** @typedef {{position: Vectors, velocity: Vectors, count: number}} Animals */
/** @typedef {{count: number, total: Vec}} Sum  Written anew for every boid. */
/** @typedef {ReturnType<typeof request>} Request */
/** @typedef {(boid: number) => Sum[]} Look  Sums for a boid in the order of the requests. */
/** @typedef {(boid: number, found: Sum[]) => void} Part  Fills in some of them. */
/** @typedef {Request & {number: number}} Numbered  With its place among the sums. */
/** @typedef {{low: number, cells: number, perLength: number, reach: number, shift: number, period: number}} Axis  See grid.py. */

const COLUMNS_PER_RADIUS = 3;
const CELLS_PER_SOURCE = 4;
export const COINCIDENT = 1e-15 * 1e-15;
const CLOSED = ["offset", "linear", "velocity"];
const TINY = 2.2250738585072014e-308;

/** What boids may ask about neighbors. @param {number} radius @param {string} quantity @param {number} fieldOfView @param {number | null} nearest @param {string} coincident */
export function request(radius, quantity, fieldOfView = 360, nearest = null, coincident = "ignore") {
  const everyone = radius === Infinity && fieldOfView === 360 && nearest === null && CLOSED.includes(quantity);
  const [limit, least] = [radius * radius, everyone || coincident === "count" ? 0 : COINCIDENT];
  const ahead = fieldOfView < 360 ? halfAngleCosine(fieldOfView) : -Infinity;
  const whom = [radius, fieldOfView, nearest, everyone, coincident].join();
  return { radius, quantity, nearest, everyone, limit, least, ahead, whom };
}

/** Cosine of half a field of view. @param {number} fieldOfView */
export const halfAngleCosine = (fieldOfView) => cosine(radians(fieldOfView / 2));

/**
 * A function that answers the requests of one boid about some groups, added up; without groups there are no sums.
 *
 * @param {Animals} boids @param {Animals[]} seen @param {Request[]} requests @param {World} world
 * @param {boolean} live  whether the boids move one after the other, and each is asked about when its turn comes.
 * @returns {Look}
 */
export function lookup(boids, seen, requests, world, live = false) {
  if (seen.length === 0) return () => [];
  const there = seen.filter(({ count }) => count > 0);
  const [first = [], ...others] = there.map((source) => partsOf(boids, source, requests, world, live));
  const [found, more] = [nothing(requests.length), nothing(requests.length)];
  let last = -1;
  return (boid) => {
    if (boid === last) return found;
    last = boid;
    for (const part of first) part(boid, found);
    for (const parts of others) {
      for (const part of parts) part(boid, more);
      found.forEach((sum, k) => void write(sum, sum.count + more[k].count, plus(sum.total, more[k].total)));
    }
    return found;
  };
}

/** @param {number} many @returns {Sum[]} */
const nothing = (many) => Array.from({ length: many }, () => ({ count: 0, total: [...ZERO] }));

/** @param {Sum} sum @param {number} count @param {Vec} total */
function write(sum, count, total) {
  sum.count = count;
  for (let a = 0; a < 3; a++) sum.total[a] = total[a];
}

/** Sums over all sources in one go, as `lookup` gives them. @param {Animals} boids @param {Animals} source @param {Request[]} requests @param {World} world @param {boolean} live @returns {Part[]} */
function partsOf(boids, source, requests, world, live) {
  const numbered = requests.map((one, number) => ({ ...one, number }));
  const closed = numbered.filter(({ everyone }) => everyone && !live);
  const bounded = numbered.filter((one) => !closed.includes(one) && (live || one.radius < Infinity || !one.nearest));
  const unbounded = numbered.filter((one) => !closed.includes(one) && !bounded.includes(one));
  return [
    ...closed.map((one) => sumOverEveryone(boids, source, one, world)),
    ...(bounded.length ? [search(boids, source, bounded, world, live)] : []),
    ...grouped(unbounded).map((alike) => searchNearest(boids, source, alike, world)),
  ];
}

/** Requests about the same neighbors together. @param {Numbered[]} requests */
function grouped(requests) {
  /** @type {Map<string, Numbered[]>} */
  const groups = new Map();
  for (const one of requests) {
    groups.set(one.whom, [...(groups.get(one.whom) ?? []), one]);
  }
  return [...groups.values()];
}

/** @param {Animals} boids @param {Animals} source @param {Numbered} one @param {World} world @returns {Part} */
function sumOverEveryone(boids, source, { quantity, number }, world) {
  const own = boids.position === source.position ? 1 : 0;
  const speeds = quantity === "velocity";
  const columns = [0, 1, 2].map((a) => column(source[speeds ? "velocity" : "position"], a));
  const sums = columns.map(pairwiseSum);
  const ranked = columns.map((column, a) => (world.periods[a] ? Float64Array.from(column).sort() : []));
  return (boid, found) => {
    const total = sums.map((sum, a) => {
      if (speeds) return sum - own * source.velocity[3 * boid * own + a];
      const [here, period] = [boids.position[3 * boid + a], world.periods[a]];
      if (!period) return sum - source.count * here;
      const ahead = source.count - below(ranked[a], here + period / 2, true);
      return sum - source.count * here + period * (below(ranked[a], here - period / 2, false) - ahead);
    });
    write(found[number], source.count - own, total);
  };
}

/** A component of all vectors. @param {Vectors} vectors @param {number} a */
function column(vectors, a) {
  const values = [];
  for (let k = a; k < vectors.length; k += 3) values.push(vectors[k]);
  return values;
}

/** How many of ranked numbers are below a value, or equal to it. @param {ArrayLike<number>} ranked @param {number} value @param {boolean} orEqual */
function below(ranked, value, orEqual) {
  let [low, high] = [0, ranked.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranked[middle] < value || (orEqual && ranked[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Requests without a radius about the nearest so many: searches whose radius doubles. @param {Animals} boids @param {Animals} source @param {Numbered[]} alike @param {World} world @returns {Part} */
function searchNearest(boids, source, alike, world) {
  const wanted = alike[0].nearest ?? 0;
  const spans = world.periods.slice(0, world.dimension).map((period, a) => {
    const along = [...column(boids.position, a), ...column(source.position, a)];
    return period > 0 ? period / 2 : Math.max(...along) - Math.min(...along);
  });
  const farthest = Math.sqrt(spans.reduce((total, span) => total + span * span, 0));
  const volume = spans.reduce((product, span) => product * Math.max(span, Math.max(...spans) * 1e-3), 1);
  const first = Math.max((Math.min(1, (2.5 * wanted) / source.count) * volume) ** (1 / spans.length), TINY);
  /** @type {Part[]} */
  const searches = [];
  return (boid, found) => {
    for (let [number, radius] = [0, first]; ; number++, radius *= 2) {
      const bound = radius < farthest ? radius : Infinity;
      const bounded = () => alike.map((one) => ({ ...one, radius: bound, limit: bound * bound }));
      searches[number] ??= search(boids, source, bounded(), world, false);
      searches[number](boid, found);
      if (bound === Infinity || found[alike[0].number].count >= wanted) return;
    }
  };
}

/** What is filled for every boid: the pairs that it may be about, in the order in which they are added up. */
let pairs = room(64);

/** @param {number} most */
function room(most) {
  const [offset, squared] = [new Float64Array(3 * most), new Float64Array(most)];
  return { offset, squared, source: new Int32Array(most), chosen: new Int32Array(most) };
}

/** Answers requests by looking around a boid. @param {Animals} boids @param {Animals} source @param {Numbered[]} requests @param {World} world @param {boolean} live @returns {Part} */
function search(boids, source, requests, world, live) {
  const radius = live ? Infinity : Math.max(...requests.map((one) => one.radius));
  const grid = new Grid(source.position, radius, world);
  const own = boids.position === source.position;
  const groups = grouped(requests);
  return (boid, found) => {
    const many = grid.around(boids.position, boid, own);
    for (const alike of groups) {
      const count = nearestOf(choose(many, alike[0], boids.velocity, boid), alike[0].nearest ?? Infinity);
      for (const one of alike) addUp(count, one.quantity, source.velocity, found[one.number]);
    }
  };
}

/** A function that gives the numbers and distances of those within a radius of one. @param {Vectors} position @param {number} radius @param {World} world */
export function within(position, radius, world) {
  const grid = new Grid(position, radius, world);
  return (/** @type {number} */ animal) =>
    Array.from({ length: grid.around(position, animal, true) }, (_, pair) => ({
      ...{ number: pairs.source[pair], distance: Math.sqrt(pairs.squared[pair]) },
    }));
}

/** Chooses the pairs within the radius and the field of view; gives their number. @param {number} many @param {Request} about @param {Vectors} velocity @param {number} boid */
function choose(many, { least, limit, ahead }, velocity, boid) {
  const { offset, squared, chosen } = pairs;
  const [x, y, z] = [velocity[3 * boid], velocity[3 * boid + 1], velocity[3 * boid + 2]];
  const speed = Math.sqrt(x * x + y * y + z * z);
  const all = ahead === -Infinity || speed === 0;
  let count = 0;
  for (let pair = 0; pair < many; pair++) {
    if (squared[pair] >= limit || squared[pair] < least) continue;
    const along = all ? 1 : x * offset[3 * pair] + y * offset[3 * pair + 1] + z * offset[3 * pair + 2];
    if (all || along > speed * Math.sqrt(squared[pair]) * ahead) chosen[count++] = pair;
  }
  return count;
}

/** Keeps the nearest of the chosen pairs; of equally near ones the first. @param {number} many @param {number} most */
function nearestOf(many, most) {
  if (many <= most) return many;
  const { squared, chosen } = pairs;
  const ranked = Float64Array.from(chosen.subarray(0, many), (pair) => squared[pair]).sort();
  const limit = ranked[most - 1];
  let ties = most - below(ranked, limit, false);
  let kept = 0;
  for (const pair of chosen.subarray(0, many)) {
    if (squared[pair] < limit || (squared[pair] === limit && ties-- > 0)) chosen[kept++] = pair;
  }
  return kept;
}

/** Writes the sum over the chosen pairs. @param {number} many @param {string} quantity @param {Vectors} velocity of the sources @param {Sum} sum */
function addUp(many, quantity, velocity, sum) {
  const { offset, squared, source, chosen } = pairs;
  const speeds = quantity === "velocity";
  const from = speeds ? velocity : offset;
  const whole = quantity.startsWith("inverse");
  const root = quantity === "constant" || quantity === "inverse_square";
  let x = 0;
  let y = 0;
  let z = 0;
  for (let number = 0; number < many; number++) {
    const pair = chosen[number];
    const k = 3 * (speeds ? source[pair] : pair);
    // What gives an offset the length of its falloff.
    const divisor = (whole ? squared[pair] : 1) * (root ? Math.sqrt(squared[pair]) : 1) || 1;
    x += from[k] / divisor;
    y += from[k + 1] / divisor;
    z += from[k + 2] / divisor;
  }
  sum.count = many;
  sum.total[0] = x;
  sum.total[1] = y;
  sum.total[2] = z;
}

/** Sources sorted by cell. Copies of those near an end of an axis that repeats are in further cells beyond the other end. */
class Grid {
  /** @param {Vectors} position of the sources @param {number} radius @param {World} world */
  constructor(position, radius, world) {
    const places = [0, 1, 2].map((a) => column(position, a));
    if (3 * pairs.source.length < position.length) pairs = room(position.length);
    this.limit = radius * radius;
    this.axes = axesOf(places, radius, world);
    this.periods = [...this.axes.map(({ period }) => period), 0];
    this.reach = this.axes[world.dimension - 1].reach;
    const sides = this.axes.map(({ cells, reach }) => cells + 2 * reach);
    this.strides = sides.map((_, a) => sides.slice(a + 1).reduce((product, side) => product * side, 1));
    const sources = places[0].map((_, source) => source);
    const cells = this.axes.map((axis, a) => places[a].map((coordinate) => cellAlong(axis, coordinate)));
    this.axes.forEach((axis, a) => {
      const known = sources.length;
      for (const way of axis.shift > 0 ? [1, -1] : []) {
        for (let entry = 0; entry < known; entry++) {
          const cell = cells[a][entry];
          if (way === 1 ? cell >= axis.reach : cell < axis.cells - axis.reach) continue;
          const copy = sources.push(sources[entry]) - 1;
          for (const values of [...places, ...cells]) values.push(values[entry]);
          places[a][copy] += way * axis.shift;
          cells[a][copy] += way * axis.cells;
        }
      }
    });
    const numbers = sources.map((_, entry) =>
      this.axes.reduce((sum, { reach }, a) => sum + (cells[a][entry] + reach) * this.strides[a], 0),
    );
    this.starts = new Int32Array(sides.reduce((product, side) => product * side, 1) + 1);
    for (const cell of numbers) this.starts[cell + 1]++;
    for (let cell = 1; cell < this.starts.length; cell++) this.starts[cell] += this.starts[cell - 1];
    const next = this.starts.slice();
    this.source = new Int32Array(sources.length);
    // In a single cell sources are in their order, and may move.
    this.place = this.starts.length === 2 ? position : new Float64Array(3 * sources.length);
    numbers.forEach((cell, entry) => {
      this.source[next[cell]] = sources[entry];
      put(this.place, next[cell]++, [places[0][entry], places[1][entry], places[2][entry]]);
    });
    /** Offsets of the rows of cells around a cell. */
    this.rows = [0];
    for (let a = 0; a < world.dimension - 1; a++) {
      const ways = Array.from({ length: 2 * this.axes[a].reach + 1 }, (_, way) => way - this.axes[a].reach);
      this.rows = this.rows.flatMap((row) => ways.map((way) => row + way * this.strides[a]));
    }
  }

  /** Fills `pairs` with those around an animal; gives their number. @param {Vectors} position @param {number} animal @param {boolean} own  whether it is one of the sources */
  around(position, animal, own) {
    const { place, source, starts, reach, limit } = this;
    const { offset, squared } = pairs;
    const self = own ? animal : -1;
    const [x, y, z] = [position[3 * animal], position[3 * animal + 1], position[3 * animal + 2]];
    const [p, q, r] = [this.periods[0], this.periods[1], this.periods[2]];
    let [cell, many] = [0, 0];
    for (let a = 0; a < this.axes.length; a++) {
      cell += (cellAlong(this.axes[a], position[3 * animal + a]) + this.axes[a].reach) * this.strides[a];
    }
    for (const row of this.rows) {
      const end = starts[cell + row + reach + 1];
      for (let at = starts[cell + row - reach]; at < end; at++) {
        let dx = place[3 * at] - x;
        let dy = place[3 * at + 1] - y;
        let dz = place[3 * at + 2] - z;
        if (p > 0) dx -= p * rint(dx / p);
        if (q > 0) dy -= q * rint(dy / q);
        if (r > 0) dz -= r * rint(dz / r);
        const distance = dx * dx + dy * dy + dz * dz;
        if (distance >= limit || source[at] === self) continue;
        offset[3 * many] = dx;
        offset[3 * many + 1] = dy;
        offset[3 * many + 2] = dz;
        squared[many] = distance;
        pairs.source[many++] = source[at];
      }
    }
    return many;
  }
}

/** @param {number[][]} places by component @param {number} radius @param {World} world @returns {Axis[]} */
function axesOf(places, radius, { dimension, periods }) {
  const spans = periods.slice(0, dimension).map((period, a) => {
    let [low, high] = period ? [0, period] : [Infinity, -Infinity];
    for (const place of period ? [] : places[a]) [low, high] = [Math.min(low, place), Math.max(high, place)];
    return { low, span: high - low };
  });
  const wanted = spans.map(({ span }, a) => {
    const fitting = (span / radius) * (a === dimension - 1 ? COLUMNS_PER_RADIUS : 1);
    return Math.max(1, Math.trunc(span < Infinity ? Math.min(fitting, 2 ** 30) : 1));
  });
  const crowd = wanted.reduce((product, cells) => product * cells, 1) / (CELLS_PER_SOURCE * places[0].length + 64);
  const shrink = Math.min(1, crowd ** (-1 / dimension));
  return spans.map(({ low, span }, a) => {
    const cells = Math.max(1, Math.trunc(wanted[a] * shrink));
    const reach = cells > 1 ? Math.ceil((radius * cells) / span) : 0;
    const whole = cells === 1 || (periods[a] > 0 && cells < 2 * reach + 1);
    if (whole) return { low, cells: 1, perLength: 0, reach: 0, shift: 0, period: periods[a] };
    return { low, cells, perLength: cells / span, reach, shift: periods[a], period: 0 };
  });
}

/** The cell of a coordinate; those outside are in the first or last. @param {Axis} axis @param {number} coordinate */
const cellAlong = ({ low, perLength, cells }, coordinate) =>
  Math.trunc(clip((coordinate - low) * perLength, 0, cells - 1));
