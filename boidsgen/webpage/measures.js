/**
 * Measures of a frame by the kernel, as boidsgen/simulation/measures.py defines them, and what colors by
 * neighbors need.
 */

import { CELL, columns } from "./kernel.js";
import { numeral, phrase } from "./words.js";

/** @import { Kernel } from "./kernel.js" */
/** @import { Frame } from "./player.js" */
/** @import { Group, Table, Tables } from "./types.js" */

const UNDEFINED = -1;
const WHOLE = ["groups", "pairs"]; // Units of measures that are whole numbers
const COINCIDENT = 1e-15; // Boids nearer than this are in the same place

/**
 * The minimum image along an axis of this period; 0 = it does not repeat.
 * @param {number} offset
 * @param {number} period
 */
export const shortest = (offset, period) => (period ? offset - period * Math.round(offset / period) : offset);

/** The length of a vector, to the bit as Python has it. @param {Float64Array} vector */
export const pace = (vector) => Math.sqrt(vector.reduce((sum, along) => sum + along * along, 0));

/**
 * The angle of a vector in radians, counterclockwise from the right: 0 where there is none. Math.atan2 tells
 * -0 from 0, so that animals at rest would look left and right.
 * @param {number} across
 * @param {number} along
 */
export const angle = (across, along) => Math.atan2(across + 0, along + 0);

/**
 * Vectors of some groups, one coordinate after the other.
 * @param {Group[]} groups
 * @param {"position" | "velocity"} what
 * @param {number} dimension
 */
function together(groups, what, dimension) {
  const all = new Float64Array(groups.reduce((sum, group) => sum + group[what].length, 0));
  let begin = 0;
  for (const group of groups) {
    all.set(group[what], begin);
    begin += group[what].length;
  }
  return columns(all, dimension);
}

/**
 * A number with so many decimals; of two that are equally near the even one, as Python writes it.
 * @param {number} value
 * @param {number} digits
 */
export function fixed(value, digits) {
  const tie = (value * 2 ** (digits + 1)) % 2;
  const low = Math.floor(value * 10 ** digits);
  return (Math.abs(tie) === 1 ? (low + Math.abs(low % 2)) / 10 ** digits : value).toFixed(digits);
}

/** A number in six digits, as Python's format g. @param {number} value */
export function general(value) {
  const [digits, exponent] = value.toExponential(5).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return `${Number(value.toPrecision(6))}`;
  return `${Number(digits)}e${power < 0 ? "-" : "+"}${`${Math.abs(power)}`.padStart(2, "0")}`;
}

/**
 * How far boids of a flock see, and how far they keep apart, also where separation is off.
 * @param {Table} flock
 */
const radii = ({ perception, separation }) => [perception.radius, separation.radius ?? perception.radius];

/** The smallest distance of a neighbor. @param {Table} perception */
const nearest = ({ coincident }) => (coincident === "count" ? 0 : COINCIDENT);

/**
 * The numbers of those of its kind that an animal perceives, the nearest first.
 * @param {Kernel} kernel
 * @param {number[]} periods of the world
 * @param {Pick<Group, "position" | "velocity" | "count">} group
 * @param {Table} perception
 * @param {number} index
 */
export function perceived(kernel, periods, { position, velocity, count }, perception, index) {
  const { radius, field_of_view: seen, neighbors } = perception;
  const dimension = periods.length;
  const [most, least] = [radius * radius, nearest(perception) ** 2];
  const cosine = kernel.call.cosine_of((seen / 2) * (Math.PI / 180));
  const begin = index * dimension;
  const speed = pace(velocity.subarray(begin, begin + dimension));
  /** @type {[number, number][]} */
  const found = [];
  for (let j = 0; j < count; j++) {
    let [squared, ahead] = [0, 0];
    for (let a = 0; a < dimension; a++) {
      const along = shortest(position[j * dimension + a] - position[begin + a], periods[a]);
      squared += along * along;
      ahead += along * velocity[begin + a];
    }
    if (j === index || squared >= most || squared < least) continue;
    if (seen >= 360 || speed === 0 || ahead > speed * Math.sqrt(squared) * cosine) found.push([squared, j]);
  }
  found.sort((one, other) => one[0] - other[0]);
  return found.slice(0, neighbors ?? found.length).map(([, j]) => j);
}

/** Measures of the groups of one page. */
export class Measures {
  /**
   * @param {Kernel} kernel for measures alone @param {number[]} periods of the world
   * @param {{[measure: string]: string}} units of all that a page can draw, in the kernel's order
   */
  constructor(kernel, periods, units) {
    this.kernel = kernel;
    this.periods = periods;
    this.units = units;
    this.names = Object.keys(units);
  }

  /**
   * Lets the kernel compute a measure, among all, and the first boid of each one's group; valid until the
   * next call.
   * @param {string} name
   * @param {Group[]} groups
   * @param {Tables} tables in force
   */
  computed(name, groups, tables) {
    const { kernel, periods } = this;
    const dimension = periods.length;
    const flocks = groups.filter(({ kind }) => kind === "flock");
    const world = [3 - dimension, ...(dimension === 2 ? [0] : []), ...periods];
    flocks.forEach(({ count }, number) => void world.push(count, ...radii(tables.flock[number])));
    const position = together(flocks, "position", dimension);
    const count = position.length / dimension;
    const hunters = groups.filter(({ kind }) => kind === "predators");
    const predator = together(hunters, "position", dimension);
    const base = kernel.free;
    const places = [this.names.length, count, kernel.call.measure_cells(count, flocks.length)].map((cells) =>
      kernel.room(CELL * cells),
    );
    const given = [position, together(flocks, "velocity", dimension), predator].map((one) => kernel.put(one));
    const wanted = 1 << this.names.indexOf(name);
    kernel.call.measure(
      1, // instant
      kernel.put(world),
      flocks.length,
      ...given,
      predator.length / dimension,
      wanted,
      ...places,
    );
    kernel.free = base;
    return { values: kernel.numbers(places[0], this.names.length), members: kernel.whole(places[1], count) };
  }

  /**
   * The value of a measure in a frame, computed once; null where it is not defined.
   * @param {Frame} frame
   * @param {string} name
   */
  value({ groups, measures, tables }, name) {
    const known = measures.get(name);
    if (known !== undefined) return known;
    const found = this.computed(name, groups, tables).values[this.names.indexOf(name)];
    const value = found === UNDEFINED ? null : found;
    measures.set(name, value);
    return value;
  }

  /** The value of a measure as it is read. @param {string} name @param {number | null} value */
  reading(name, value) {
    if (value === null) return "-";
    return numeral(fixed(value, WHOLE.includes(this.units[name]) ? 0 : 2));
  }

  /** What it is read in; what is counted is named by the measure. @param {string} name */
  unit(name) {
    return WHOLE.includes(this.units[name]) ? "" : phrase(this.units[name]);
  }

  /**
   * A number of the film, empty for a measure that pages do not know.
   * @param {Frame} frame
   * @param {string} name
   * @param {string} rate of frames
   */
  number(frame, name, rate) {
    /** @param {string} kind */
    const count = (kind) =>
      frame.groups.reduce((sum, group) => sum + (group.kind === kind ? group.count : 0), 0);
    /** @type {{[name: string]: string}} */
    const numbers = {
      ...{ frame: `${frame.number}`, time: numeral(fixed(frame.time, 1)), fps: numeral(rate) },
      ...{
        boids: `${count("flock")}`,
        predators: `${count("predators")}`,
        obstacles: `${frame.obstacles.length}`,
      },
    };
    return numbers[name] ?? (name in this.units ? this.reading(name, this.value(frame, name)) : "");
  }

  /**
   * The number of a color for every boid, the last one for those alone.
   * @param {Frame} frame
   * @param {number} colors
   */
  groupColors({ groups, tables }, colors) {
    const first = [...this.computed("groups", groups, tables).members].map(Number);
    const sizes = new Array(first.length).fill(0);
    for (const leader of first) sizes[leader]++;
    return first.map((leader) => (sizes[leader] === 1 ? colors : leader % colors));
  }

  /** The number of its kind that each of a flock perceives. @param {Group} group @param {Table} perception */
  perceived(group, perception) {
    const { kernel, periods } = this;
    const each = (/** @type {number} */ index) => perceived(kernel, periods, group, perception, index).length;
    return Array.from({ length: group.count }, (_, index) => each(index));
  }
}
