/**
 * Measures of a frame, as boidsgen/simulation/measures.py defines them, and what colors by neighbors need.
 *
 * @module
 */

/** @typedef {import("./types.js").Group} Group */
/** @typedef {{size: number[], periods: number[]}} Space */

/** @param {Group[]} flocks @returns {number} */
const size = (flocks) => flocks.reduce((sum, { count }) => sum + count, 0);

/** All boids of some flocks, one after the other. @param {Group[]} flocks @param {"position" | "velocity"} what */
function together(flocks, what) {
  const all = new Float64Array(flocks.reduce((sum, flock) => sum + flock[what].length, 0));
  let at = 0;
  for (const flock of flocks) {
    all.set(flock[what], at);
    at += flock[what].length;
  }
  return all;
}

/** A component of an offset by the shortest way. @param {number} offset @param {number} period */
const shortest = (offset, period) => (period ? offset - period * Math.round(offset / period) : offset);

/**
 * Calls `visit` with both numbers and the squared distance of every pair that is nearer than the radius.
 *
 * @param {Float64Array} position @param {number} radius @param {Space} space
 * @param {(one: number, other: number, squared: number) => void} visit
 */
export function eachPair(position, radius, space, visit) {
  const axes = space.size.length;
  const count = position.length / axes;
  const near = radius * radius;
  /** @param {number} one @param {number} other */
  const test = (one, other) => {
    let squared = 0;
    for (let axis = 0; axis < axes; axis++) {
      const offset = shortest(position[other * axes + axis] - position[one * axes + axis], space.periods[axis]);
      squared += offset * offset;
    }
    if (squared < near) visit(one, other, squared);
  };
  const cells = space.size.map((side) => Math.floor(side / radius));
  if (count < 64 || Math.min(...cells) < 3) {
    for (let one = 0; one < count; one++) for (let other = one + 1; other < count; other++) test(one, other);
    return;
  }
  /** @type {Map<number, number[]>} */
  const grid = new Map();
  /** @param {number[]} cell @returns {number} */
  const key = (cell) =>
    cell.reduce(
      (sum, place, axis) => sum * 4096 + (space.periods[axis] ? (place + cells[axis]) % cells[axis] : place + 2048),
      0,
    );
  const around = [...Array(3 ** axes).keys()].map((bits) =>
    space.size.map((_, axis) => (Math.floor(bits / 3 ** axis) % 3) - 1),
  );
  for (let one = 0; one < count; one++) {
    const cell = space.size.map((side, axis) => {
      const place = Math.floor((position[one * axes + axis] / side) * cells[axis]);
      return space.periods[axis]
        ? ((place % cells[axis]) + cells[axis]) % cells[axis]
        : Math.max(-2000, Math.min(2000, place));
    });
    for (const step of around)
      for (const other of grid.get(key(cell.map((place, axis) => place + step[axis]))) ?? []) test(other, one);
    const own = key(cell);
    const there = grid.get(own);
    if (there) there.push(one);
    else grid.set(own, [one]);
  }
}

/** The number of boids within the radius of each of a flock. @param {Group} group @param {number} radius @param {Space} space */
export function neighborCounts(group, radius, space) {
  const counts = new Array(group.count).fill(0);
  eachPair(group.position, radius, space, (one, other) => {
    counts[one]++;
    counts[other]++;
  });
  return counts;
}

/** For each boid the number of the first one of its group. @param {Group[]} flocks @param {number[]} radii @param {Space} space */
export function members(flocks, radii, space) {
  const first = Array.from({ length: size(flocks) }, (_, i) => i);
  const own = flocks.flatMap((flock, number) => new Array(flock.count).fill(radii[number]));
  const largest = Math.max(0, ...radii);
  if (largest === Number.POSITIVE_INFINITY) return first.fill(0);
  /** @param {number} i */
  const root = (i) => {
    let found = i;
    while (first[found] !== found) found = first[found];
    first[i] = found;
    return found;
  };
  eachPair(together(flocks, "position"), largest, space, (one, other, squared) => {
    if (Math.sqrt(squared) >= Math.max(own[one], own[other])) return;
    const [a, b] = [root(one), root(other)];
    first[Math.max(a, b)] = Math.min(a, b);
  });
  return first.map((_, i) => root(i));
}

/** The number of a color for every boid, the last one for those alone. @param {Group[]} flocks @param {number[]} radii @param {Space} space @param {number} colors */
export function groupColors(flocks, radii, space, colors) {
  const first = members(flocks, radii, space);
  const sizes = new Array(first.length).fill(0);
  for (const leader of first) sizes[leader]++;
  return first.map((leader) => (sizes[leader] === 1 ? colors : leader % colors));
}

/** The center, along axes that repeat the circular mean. @param {Float64Array} position @param {Space} space */
function center(position, space) {
  const axes = space.size.length;
  return space.periods.map((period, axis) => {
    let [sum, sine, cosine] = [0, 0, 0];
    for (let k = axis; k < position.length; k += axes) {
      const angle = period ? ((2 * Math.PI) / period) * position[k] : 0;
      sum += position[k];
      sine += Math.sin(angle);
      cosine += Math.cos(angle);
    }
    if (!period) return (sum * axes) / position.length;
    return ((period / (2 * Math.PI)) * Math.atan2(sine, cosine) + period) % period;
  });
}

/** @param {Float64Array} vectors @param {number} axes */
function lengths(vectors, axes) {
  return Array.from({ length: vectors.length / axes }, (_, i) =>
    Math.hypot(...vectors.subarray(i * axes, (i + 1) * axes)),
  );
}

/** @param {Float64Array} vectors @param {number} axes */
function units(vectors, axes) {
  const sizes = lengths(vectors, axes);
  return vectors.map((value, k) => value / (sizes[Math.floor(k / axes)] || 1));
}

/** @param {number[]} sums */
const share = (sums, /** @type {number} */ count) => Math.min(1, Math.hypot(...sums) / count);

/** @typedef {(flocks: Group[], radii: number[], space: Space) => number | null} Measure */

/** All that a page can draw, with the largest value where there is one. @type {{[name: string]: {value: Measure, most: number | null}}} */
export const MEASURES = {
  polarization: {
    most: 1,
    value(flocks, _, space) {
      const axes = space.size.length;
      const heading = units(together(flocks, "velocity"), axes);
      const sums = new Array(axes).fill(0);
      heading.forEach((value, k) => {
        sums[k % axes] += value;
      });
      return share(sums, size(flocks));
    },
  },
  groups: {
    most: null,
    value: (flocks, radii, space) => new Set(members(flocks, radii, space)).size,
  },
  nearest_neighbor_distance: {
    most: null,
    value(flocks, _, space) {
      const position = together(flocks, "position");
      const nearest = new Array(size(flocks)).fill(Number.POSITIVE_INFINITY);
      if (nearest.length < 2) return null;
      eachPair(position, Number.POSITIVE_INFINITY, space, (one, other, squared) => {
        if (squared < nearest[one]) nearest[one] = squared;
        if (squared < nearest[other]) nearest[other] = squared;
      });
      return nearest.reduce((sum, squared) => sum + Math.sqrt(squared), 0) / nearest.length;
    },
  },
  mean_speed: {
    most: null,
    value(flocks, _, space) {
      const speeds = lengths(together(flocks, "velocity"), space.size.length);
      return speeds.reduce((sum, speed) => sum + speed, 0) / speeds.length;
    },
  },
  rotation: {
    most: 1,
    value(flocks, _, space) {
      const axes = space.size.length;
      const position = together(flocks, "position");
      const middle = center(position, space);
      const arm = units(
        position.map((value, k) => shortest(value - middle[k % axes], space.periods[k % axes])),
        axes,
      );
      const heading = units(together(flocks, "velocity"), axes);
      const pairs =
        axes === 2
          ? [[0, 1]]
          : [
              [0, 1],
              [0, 2],
              [1, 2],
            ];
      const sums = pairs.map(([a, b]) => {
        let sum = 0;
        for (let at = 0; at < arm.length; at += axes)
          sum += arm[at + a] * heading[at + b] - arm[at + b] * heading[at + a];
        return sum;
      });
      return share(sums, size(flocks));
    },
  },
};

/** The value of a measure, null without boids. @param {string} name @param {Group[]} groups @param {number[]} radii @param {Space} space */
export function measure(name, groups, radii, space) {
  const flocks = groups.filter(({ kind }) => kind === "flock");
  return size(flocks) ? MEASURES[name].value(flocks, radii, space) : null;
}
