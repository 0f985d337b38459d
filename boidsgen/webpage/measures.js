/**
 * Measures of a frame by the kernel, as boidsgen/simulation/measures.py defines them, and what colors by neighbors need.
 */

import { CELL, columns } from "./kernel.js";

/** @import { Kernel } from "./kernel.js" */
/** @import { Frame } from "./player.js" */
/** @import { Group } from "./types.js" */
/** @typedef {[number, number]} Radii  Of a flock: how far its boids see, and how far they keep apart. */

const UNDEFINED = -1;
// Of the memory that `measure` of measures.c works in.
const [VALUES, PADDING, ROWS, OF_FLOCK] = [16, 8, 18, 5];

/** The minimum image along an axis of this period; 0 = it does not repeat. @param {number} offset @param {number} period */
export const shortest = (offset, period) => (period ? offset - period * Math.round(offset / period) : offset);

/** Vectors of some groups, one coordinate after the other. @param {Group[]} groups @param {"position" | "velocity"} what @param {number} dimension */
const together = (groups, what, dimension) =>
  columns(
    groups.flatMap((group) => [...group[what]]),
    dimension,
  );

/** The value of a measure as it is read. @param {string} name @param {number | null} value */
export function reading(name, value) {
  if (value === null) return "-";
  return ["groups", "close_encounters"].includes(name) ? String(value) : value.toFixed(2);
}

/** Measures of the groups of one page. */
export class Measures {
  /**
   * @param {Kernel} kernel for measures alone @param {Radii[]} radii of the flocks @param {number[]} periods of the world
   * @param {{[measure: string]: string}} units of all that a page can draw, in the kernel's order
   */
  constructor(kernel, radii, periods, units) {
    this.kernel = kernel;
    this.radii = radii;
    this.periods = periods;
    this.units = units;
    this.names = Object.keys(units);
  }

  /** Lets the kernel compute a measure; where it has written, and for how many boids. @param {string} name @param {Group[]} groups */
  computed(name, groups) {
    const { kernel, radii, periods } = this;
    const dimension = periods.length;
    const flocks = groups.filter(({ kind }) => kind === "flock");
    const world = [3 - dimension, ...(dimension === 2 ? [0] : []), ...periods];
    flocks.forEach(({ count }, number) => void world.push(count, ...radii[number]));
    const position = together(flocks, "position", dimension);
    const count = position.length / dimension;
    const hunters = groups.filter(({ kind }) => kind === "predators");
    const predator = together(hunters, "position", dimension);
    const room = 8 * count + 1024;
    const base = kernel.free;
    const at = kernel.room(CELL * (VALUES + ROWS * (count + PADDING) + OF_FLOCK * flocks.length + room));
    const given = [position, together(flocks, "velocity", dimension), predator].map((one) => kernel.put(one));
    const wanted = 1 << this.names.indexOf(name);
    kernel.call.measure(kernel.put(world), flocks.length, ...given, predator.length / dimension, wanted, at, room);
    kernel.free = base;
    return { at, count };
  }

  /** The value of a measure in a frame, computed once; null where it is not defined. @param {Frame} frame @param {string} name */
  value({ groups, measures }, name) {
    const known = measures.get(name);
    if (known !== undefined) return known;
    const { at, count } = this.computed(name, groups);
    const found = this.kernel.numbers(at, VALUES)[this.names.indexOf(name)];
    const value = count === 0 || found === UNDEFINED ? null : found;
    measures.set(name, value);
    return value;
  }

  /** A number of the film, empty for a measure that pages do not know. @param {Frame} frame @param {string} name @param {string} rate of frames */
  number(frame, name, rate) {
    /** @param {string} kind */
    const count = (kind) => frame.groups.reduce((sum, group) => sum + (group.kind === kind ? group.count : 0), 0);
    /** @type {{[name: string]: string}} */
    const numbers = {
      ...{ frame: `${frame.number}`, time: frame.time.toFixed(1), fps: rate },
      ...{ boids: `${count("flock")}`, predators: `${count("predators")}`, obstacles: `${frame.obstacles.length}` },
    };
    return numbers[name] ?? (name in this.units ? reading(name, this.value(frame, name)) : "");
  }

  /** The number of a color for every boid, the last one for those alone. @param {Group[]} flocks @param {number} colors */
  groupColors(flocks, colors) {
    const { at, count } = this.computed("groups", flocks);
    const first = [...this.kernel.whole(at + CELL * VALUES, count)].map(Number);
    const sizes = new Array(first.length).fill(0);
    for (const leader of first) sizes[leader]++;
    return first.map((leader) => (sizes[leader] === 1 ? colors : leader % colors));
  }

  /** The number of boids within a radius of each of a flock. @param {Group} group @param {number} radius */
  neighborCounts({ position, count, dimension }, radius) {
    return Array.from({ length: count }, (_, i) => {
      let found = -1; // itself
      for (let j = 0; j < count; j++) {
        let squared = 0;
        for (let a = 0; a < dimension; a++) {
          const along = shortest(position[j * dimension + a] - position[i * dimension + a], this.periods[a]);
          squared += along * along;
        }
        if (squared < radius * radius) found++;
      }
      return found;
    });
  }
}
