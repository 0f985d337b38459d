/**
 * Measures of a frame by the kernel, as boidsgen/simulation/measures.py defines them, and what colors by neighbors need.
 */

/** @import { Kernel } from "./kernel.js" */
/** @import { Group } from "./types.js" */
/** @typedef {{size: number[], periods: number[]}} Space */
/** @typedef {[number, number]} Radii  Of a flock: how far its boids see, and how far they keep apart. */

const NAMES = [
  ...["polarization", "rotation", "angular_momentum", "dispersion", "mean_speed", "speed_spread", "predator_distance"],
  ...["nearest_neighbor_distance", "groups", "largest_group", "close_encounters", "collisions_avoided"],
];
const FRACTIONS = ["polarization", "rotation", "largest_group"];
const UNDEFINED = -1;
const CELL = 8;
// Of the memory that `measure` of measures.c works in.
const [VALUES, PADDING, ROWS, OF_FLOCK] = [16, 8, 18, 5];

/** All that a page can draw, in the kernel's order, with the largest value where there is one. @type {{[name: string]: {number: number, most: number | null}}} */
export const MEASURES = Object.fromEntries(
  NAMES.map((name, number) => [name, { number, most: FRACTIONS.includes(name) ? 1 : null }]),
);

/** @type {Kernel} */
let kernel;

/** Lets a kernel, for measures alone, compute them. @param {Kernel} one */
export function measureWith(one) {
  kernel = one;
}

/** The kernel's memory after it has computed a measure. @param {string} name @param {Group[]} groups @param {Radii[]} radii of the flocks @param {Space} space */
function computed(name, groups, radii, { periods }) {
  const flocks = groups.filter(({ kind }) => kind === "flock");
  const hunters = groups.filter(({ kind }) => kind === "predators");
  const dimension = periods.length;
  const known = [3 - dimension, ...(dimension === 2 ? [0] : []), ...periods];
  flocks.forEach(({ count }, number) => void known.push(count, ...radii[number]));
  const count = flocks.reduce((sum, flock) => sum + flock.count, 0);
  const room = 8 * count + 1024;
  const size = VALUES + ROWS * (count + PADDING) + OF_FLOCK * flocks.length + room;
  const predators = hunters.reduce((sum, one) => sum + one.count, 0);
  const base = kernel.free;
  const at = kernel.room(CELL * (size + known.length + dimension * (2 * count + predators)));
  const world = at + CELL * size;
  const position = world + CELL * known.length;
  const velocity = position + CELL * dimension * count;
  const predator = velocity + CELL * dimension * count;
  kernel.numbers(world, known.length).set(known);
  kernel.numbers(position, dimension * count).set(together(flocks, "position", dimension));
  kernel.numbers(velocity, dimension * count).set(together(flocks, "velocity", dimension));
  kernel.numbers(predator, dimension * predators).set(together(hunters, "position", dimension));
  const wanted = 1 << MEASURES[name].number;
  kernel.call.measure(world, flocks.length, position, velocity, predator, predators, wanted, at, room);
  kernel.free = base;
  return { at, count };
}

/** Vectors of some groups, one coordinate after the other. @param {Group[]} groups @param {"position" | "velocity"} what @param {number} dimension */
function together(groups, what, dimension) {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const joined = new Float64Array(dimension * count);
  let before = 0;
  for (const group of groups) {
    for (let i = 0; i < group.count; i++)
      for (let a = 0; a < dimension; a++) joined[a * count + before + i] = group[what][i * dimension + a];
    before += group.count;
  }
  return joined;
}

/** The value of a measure, null where it is not defined. @param {string} name @param {Group[]} groups @param {Radii[]} radii @param {Space} space */
export function measure(name, groups, radii, space) {
  const { at, count } = computed(name, groups, radii, space);
  const value = kernel.numbers(at, NAMES.length)[MEASURES[name].number];
  return count === 0 || value === UNDEFINED ? null : value;
}

/** The number of a color for every boid, the last one for those alone. @param {Group[]} flocks @param {Radii[]} radii @param {Space} space @param {number} colors */
export function groupColors(flocks, radii, space, colors) {
  const { at, count } = computed("groups", flocks, radii, space);
  const first = [...kernel.whole(at + CELL * VALUES, count)].map(Number);
  const sizes = new Array(first.length).fill(0);
  for (const leader of first) sizes[leader]++;
  return first.map((leader) => (sizes[leader] === 1 ? colors : leader % colors));
}

/** The minimum image along an axis of this period; 0 = it does not repeat. @param {number} offset @param {number} period */
export const shortest = (offset, period) => (period ? offset - period * Math.round(offset / period) : offset);

/** The number of boids within the radius of each of a flock. @param {Group} group @param {Radii} radii @param {Space} space */
export function neighborCounts({ position, count, dimension }, [radius], { periods }) {
  return Array.from({ length: count }, (_, i) => {
    let found = -1; // itself
    for (let j = 0; j < count; j++) {
      let squared = 0;
      for (let a = 0; a < dimension; a++) {
        const along = shortest(position[j * dimension + a] - position[i * dimension + a], periods[a]);
        squared += along * along;
      }
      if (squared < radius * radius) found++;
    }
    return found;
  });
}
