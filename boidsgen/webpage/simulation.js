/**
 * The simulation of a page: the kernel steps a scenario's program, with the bits of numpy.
 *
 * Python tells the program as `simulation/native.py` does, and which of its cells a key is written to. Before
 * each frame the program is written anew with the values that are in force, and laid out by the kernel.
 */

import { CELL, columns, decoded } from "./kernel.js";
import { perceived } from "./measures.js";
import { placed } from "./starts.js";
import { held, timeline, valueAt } from "./timeline.js";
import { phrase } from "./words.js";

/** @import { Kernel } from "./kernel.js" */
/** @import { Action, Animals, EventDocument, Group, PageDocument, Table } from "./types.js" */
/**
 * @typedef {{count: number, values: Float64Array}} Fixed Numbers for the whole run, rows of one for each
 *   animal.
 */
/** @typedef {{streams: BigUint64Array, fixed: Fixed[]}} Drawn  States of the streams of random numbers. */
const WORDS = 4;
const ROOM = 4096;
const ROOM_EACH = 64;

/**
 * A live simulation at `frame`. `tables` are those in force, `actions` what was set: exported as events after
 * the scenario's own, they give the same states.
 */
export class Simulation {
  /**
   * @param {PageDocument} document
   * @param {Kernel} kernel for this simulation alone
   * @param {Uint8Array} told its program
   * @param {number} seed the number of a start
   */
  constructor(document, kernel, told, seed = 0) {
    const start = document.starts[seed];
    this.document = document;
    this.kernel = kernel;
    this.told = told;
    kernel.clear();
    /** Addresses of the program and of what its calls need. */
    this.at = 0;
    this.scratch = 0;
    this.starts = 0;
    this.cells = 0;
    this.dimension = document.world.size.length;
    this.flocks = document.tables.flock.length;
    this.frame = 0;
    this.steps = start.step;
    /** @type {Action[]} */
    this.actions = [];
    /** @type {Drawn} */
    this.drawn = {
      streams: new BigUint64Array(decoded(start.streams).buffer),
      fixed: document.fixed.map(nothing),
    };
    this.tablesAt = timeline(document.tables, document.events);
    this.tables = document.tables;
    const numbers = (/** @type {string} */ text) => new Float64Array(decoded(text).buffer);
    /** Those who come and go in this frame, and the random numbers before that. @type {Animals[]} */
    this.before = start.groups.map(({ count, position, velocity, drive, before }) => ({
      count,
      position: numbers(position),
      velocity: numbers(velocity),
      drive: drive === null ? null : numbers(drive),
      past: before === null ? undefined : Float64Array.from(new Float32Array(decoded(before).buffer)),
    }));
    this.animals = this.before;
    this.earlier = this.drawn;
    this.arrive();
  }

  get time() {
    return this.steps * this.document.dt;
  }

  get obstacles() {
    return this.tables.obstacles.filter((obstacle) => isPresent(obstacle, this.frame));
  }

  /** Attractors, each where it is now. @returns {Table[]} */
  get attractors() {
    const { document, kernel, tables, frame, at, dimension } = this;
    const { cells, point: within } = document.records.attractor;
    kernel.call.attract(at);
    const first = this.program("attractors_at");
    const found = tables.attractors.filter((attractor) => isPresent(attractor, frame));
    return found.map((attractor, number) => {
      const point = kernel.numbers(at + CELL * (first + number * cells + within), 3);
      return { ...attractor, point: [...point.slice(3 - dimension)] };
    });
  }

  /** Flocks, then predators. @returns {Group[]} */
  get groups() {
    const { document, dimension } = this;
    return this.animals.map((animals, number) => {
      const { name, kind } = document.groups[number];
      return { name, kind, dimension, ...animals };
    });
  }

  /** Takes up what was done, after the scenario's own events. @param {Action[]} actions */
  redo(actions) {
    this.actions = actions;
    const done = actions.map((one) => ({ at: one.frame, over: 0, set: { [one.key]: one.value }, whole: [] }));
    /** @type {EventDocument[]} */
    const events = [...this.document.events, ...done];
    events.sort((one, other) => one.at - other.at);
    this.tablesAt = timeline(this.document.tables, events);
  }

  /** Shows the frame: animals come and go. */
  arrive() {
    this.tables = this.tablesAt(this.frame);
    this.animals = this.before;
    this.drawn = this.earlier;
    const tables = [...this.tables.flock, ...this.tables.predators];
    const wanted = tables.map((table) => (isPresent(table, this.frame) ? table.count : 0));
    if (this.before.some(({ count }, number) => count < wanted[number])) this.load();
    this.animals = this.before.map((group, number) =>
      this.present(group, tables[number], wanted[number], number),
    );
    this.load();
  }

  /**
   * As many animals of a group as there are to be in this frame, the last ones new.
   * @param {Animals} group
   * @param {Table} table
   * @param {number} wanted
   * @param {number} number
   * @returns {Animals}
   */
  present(group, table, wanted, number) {
    if (wanted === group.count) return group;
    const size = wanted * this.dimension;
    const [position, velocity] =
      wanted > group.count ? this.newcomers(table, wanted - group.count, number) : [[], []];
    /** @param {Float64Array} known @param {Iterable<number>} fresh */
    const both = (known, fresh) => Float64Array.from([...known.subarray(0, size), ...fresh]);
    return {
      ...{
        count: wanted,
        position: both(group.position, position),
        velocity: both(group.velocity, velocity),
      },
      drive: group.drive && both(group.drive, new Float64Array(Math.max(0, size - group.drive.length))),
    };
  }

  /**
   * Positions and velocities of new animals of a group.
   * @param {Table} table
   * @param {number} count
   * @param {number} number
   */
  newcomers(table, count, number) {
    const { kernel, document, dimension, at } = this;
    const most = isCarried(table) ? table.count : count;
    let place = [0, 1].map(() => kernel.room(CELL * most * dimension));
    if (isCarried(table))
      kernel.call.place_on_curve(at, this.group(number, "carried"), this.time, ...place, most);
    else {
      const stream = document.groups[number].start;
      const found = placed(table, count, document.world.size, kernel, at, stream);
      place = found.map((vectors) => kernel.put(columns(vectors, dimension)));
      kernel.call.confine_new(at, ...place, count);
      this.keepStreams();
    }
    return place.map((from) =>
      rows(kernel.numbers(from, most * dimension), dimension).subarray((most - count) * dimension),
    );
  }

  /** A whole number of the record of the program. @param {string} field */
  program(field) {
    return Number(this.kernel.whole(this.at + CELL * this.document.records.program[field], 1)[0]);
  }

  /**
   * A whole number of the record of a group, where flocks come first; in the program predators do.
   * @param {number} number
   * @param {string} field
   */
  group(number, field) {
    const cell = this.document.groups[number].record + this.document.records.group[field];
    return Number(this.kernel.whole(this.at + CELL * cell, 1)[0]);
  }

  /**
   * Writes the program of this frame, and lets the kernel lay it out.
   * @param {number | null} alone group whose boids are not to move in turn
   */
  load(alone = null) {
    const { kernel, document, told, animals } = this;
    const fixed = document.fixed.map((_, number) => this.fixed(number));
    const used = told.length / CELL + fixed.reduce((sum, { length }) => sum + length, 0);
    const count = animals.reduce((sum, group) => sum + group.count, 0);
    let needed = used + ROOM + ROOM_EACH * count;
    for (let room = 0; room < needed; ) {
      room = needed;
      kernel.clear();
      this.at = kernel.room(CELL * room);
      this.write(fixed);
      if (alone !== null) {
        const cell = document.groups[alone].record + document.records.group.sequential;
        kernel.whole(this.at + CELL * cell, 1)[0] = 0n;
      }
      needed = kernel.call.plan(this.at, used, room);
      if (needed < 0) throw new RangeError("too many neighbor queries for a page");
    }
    const largest = this.program("largest");
    this.scratch = kernel.room(CELL * kernel.call.scratch_cells(largest));
    this.cells = 16 * largest + ROOM;
    this.starts = kernel.room(CELL * this.cells);
    animals.forEach((group, number) => {
      for (const field of /** @type {const} */ (["position", "velocity", "drive"])) {
        const values = group[field];
        if (values && this.group(number, field))
          this.vectors(number, field).set(columns(values, this.dimension));
      }
    });
  }

  /** Writes what Python tells, with the values in force. @param {Float64Array[]} fixed */
  write(fixed) {
    const { kernel, document, told, tables, frame, at, animals } = this;
    kernel.bytes(at, told.length).set(told);
    const number = kernel.numbers(at, told.length / CELL);
    const whole = kernel.whole(at, told.length / CELL);
    for (const [key, cells] of document.keys) {
      const values = [valueAt(tables, key)].flat(2);
      if (values[0] === null) continue;
      for (const [cell, part, isWhole] of cells) {
        if (isWhole) whole[cell] = BigInt(values[part]);
        else number[cell] = values[part];
      }
    }
    for (const kind of /** @type {const} */ (["obstacles", "attractors", "fields"]))
      document[kind].forEach((cell, k) => {
        whole[cell] = BigInt(isPresent(tables[kind][k], frame));
      });
    animals.forEach(({ count }, k) => {
      whole[document.groups[k].record] = BigInt(count);
    });
    whole[document.records.program.step] = BigInt(this.steps);
    document.streams.forEach((cell, k) => {
      whole.set(new BigInt64Array(this.drawn.streams.slice(WORDS * k, WORDS * (k + 1)).buffer), cell);
    });
    let end = told.length / CELL;
    fixed.forEach((values, k) => {
      whole[document.fixed[k].pointer] = BigInt(end);
      kernel.numbers(at + CELL * end, values.length).set(values);
      end += values.length;
    });
  }

  /**
   * Numbers of the animals of a group that stay the same, more of them when it has grown; as
   * `Randomness.fixed`.
   * @param {number} which
   */
  fixed(which) {
    const { group, rows: many, stream } = this.document.fixed[which];
    const { count } = this.animals[group];
    const known = this.drawn.fixed[which];
    if (count === known.count) return known.values;
    const { kernel, drawn } = this;
    kernel.clear();
    const at = kernel.room(CELL * WORDS);
    const state = new BigUint64Array(kernel.memory.buffer, at, WORDS);
    state.set(drawn.streams.subarray(WORDS * stream, WORDS * (stream + 1)));
    const missing = Math.max(count - known.count, 0);
    const fresh = Float64Array.from({ length: many * missing }, () => kernel.call.uniform(at, 0));
    const values = new Float64Array(many * count);
    for (let row = 0; row < many; row++) {
      values.set(known.values.subarray(row * known.count, row * known.count + count - missing), row * count);
      values.set(fresh.subarray(row * missing, (row + 1) * missing), (row + 1) * count - missing);
    }
    if (!missing) return values;
    const streams = drawn.streams.slice();
    streams.set(state, WORDS * stream);
    this.drawn = {
      streams,
      fixed: drawn.fixed.map((one, number) => (number === which ? { count, values } : one)),
    };
    return values;
  }

  /**
   * A view of vectors of a group, (d, n), by the field of its record that contains their cell.
   * @param {number} number
   * @param {string} field
   */
  vectors(number, field) {
    const { count } = this.animals[number];
    return this.kernel.numbers(this.at + CELL * this.group(number, field), count * this.dimension);
  }

  /** A copy of them, (n, d). @param {number} number @param {string} field */
  copied(number, field) {
    return rows(this.vectors(number, field), this.dimension);
  }

  /** Takes over the states of the streams. */
  keepStreams() {
    const whole = new BigUint64Array(this.kernel.memory.buffer, this.at, this.told.length / CELL);
    const streams = this.document.streams.flatMap((cell) => [...whole.subarray(cell, cell + WORDS)]);
    this.drawn = { ...this.drawn, streams: BigUint64Array.from(streams) };
  }

  /**
   * Calls an entry that may need a larger grid; its outcome, 0 or below.
   * @param {(starts: number, room: number, scratch: number) => number} entry
   */
  withRoom(entry) {
    for (;;) {
      const outcome = entry(this.starts, this.cells, this.scratch);
      if (outcome <= 0) return outcome;
      this.cells = 2 * outcome;
      this.starts = this.kernel.room(CELL * this.cells);
    }
  }

  /** Goes on to the next frame; throws where numbers end. */
  step() {
    const { kernel, document, at, dimension } = this;
    const frame = kernel.room(2 * CELL * dimension * this.animals.reduce((sum, { count }) => sum + count, 0));
    const steps = document.stepsPerFrame;
    kernel.whole(at + CELL * document.records.program.done, 1)[0] = 0n;
    if (this.withRoom((...room) => kernel.call.march(at, frame, 1, steps, ...room)) < 0) this.fail();
    this.keepStreams();
    this.earlier = this.drawn;
    this.before = this.animals.map(({ count }, number) => ({
      count,
      position: this.copied(number, "position"),
      velocity: this.copied(number, "velocity"),
      drive: this.group(number, "drive") ? this.copied(number, "drive") : null,
    }));
    this.steps += steps;
    this.frame++;
    this.arrive();
  }

  /** @returns {never} */
  fail() {
    const inProgram = this.program("group");
    const predators = this.document.tables.predators.length;
    const number = inProgram < predators ? this.flocks + inProgram : inProgram - predators;
    const [position, velocity] = ["new_position", "new_velocity"].map((field) => this.copied(number, field));
    const lost = position.findIndex((here, k) => !Number.isFinite(here + velocity[k]));
    const { name: group } = this.document.groups[number];
    const values = { number: Math.floor(lost / this.dimension), group };
    throw new RangeError(phrase("number {number} of {group} is no longer finite", values));
  }

  /**
   * Sets a dotted key, as an event at this frame does, or at frame 1 where this is frame 0, whose events
   * would change the start. Later actions, and an earlier one of this frame and key, are forgotten. Values
   * are not checked as a scenario's are: only a key that a page cannot set and a min_speed above max_speed
   * are refused.
   *
   * @param {string} key
   * @param {any} value
   */
  set(key, value) {
    const frame = Math.max(this.frame, 1);
    const [table, last, full] = held(structuredClone(this.tables), key);
    table[last] = value;
    if (table.min_speed > table.max_speed) throw new RangeError("min_speed must be at most max_speed");
    // Of those who come with the count that follows.
    const fresh = last === "start" && table.count !== undefined;
    const grows =
      last === "count" && (isCarried(table) || (table.start.layout && !this.document.settled.includes(full)));
    const known = last === "count" ? grows : this.document.keys.some(([name]) => name === full);
    if (!known && !fresh) throw new RangeError(`a page cannot set ${key}`);
    const kept = this.actions.filter((one) => one.frame < frame || (one.frame === frame && one.key !== key));
    this.redo([...kept, { frame, key, value }]);
    this.arrive();
  }

  /** The frame as animals come and go in it, for `restore` alone. */
  snapshot() {
    const { frame, steps, before, earlier } = this;
    return { frame, steps, before, earlier };
  }

  /**
   * Goes back, or on, to where a snapshot was taken; actions stay.
   * @param {ReturnType<Simulation["snapshot"]>} snapshot
   */
  restore(snapshot) {
    Object.assign(this, snapshot);
    this.arrive();
  }

  /**
   * The numbers of those of its kind that an animal perceives, the nearest first.
   * @param {number} number
   * @param {number} index
   */
  neighbors(number, index) {
    const { perception } = [...this.tables.flock, ...this.tables.predators][number];
    return perceived(this.kernel, this.document.world.periods, this.animals[number], perception, index);
  }

  /**
   * What changes the velocity of an animal in the next step, by rule, and by "obstacles", "attractors",
   * "edges" and "fields"; without chance.
   * @param {number} number
   * @param {number} index
   */
  contributions(number, index) {
    const { kernel, document, dimension, flocks } = this;
    const { terms } = document.groups[number];
    const predators = document.tables.predators.length;
    this.load(number);
    const changes = kernel.room(3 * CELL * terms.length);
    kernel.numbers(changes, 3 * terms.length).fill(Number.NaN);
    const [movers, place] = number < flocks ? [predators, predators + number] : [0, number - flocks];
    this.withRoom((...room) => kernel.call.explain(this.at, movers, place, index, changes, ...room));
    const found = kernel.numbers(changes, 3 * terms.length).slice();
    this.load();
    /** @type {{[name: string]: number[]}} */
    const sums = {};
    terms.forEach((name, k) => {
      const change = found.subarray(3 * k + 3 - dimension, 3 * k + 3);
      if (!name || Number.isNaN(change[0])) return;
      sums[name] = [...change].map((along, a) => (sums[name]?.[a] ?? 0) + along);
    });
    if (this.attractors.every(({ weight }) => weight === 0)) delete sums.attractors;
    return sums;
  }
}

const nothing = () => ({ count: 0, values: new Float64Array(0) });

/** Vectors (d, n) as (n, d). @param {Float64Array} vectors @param {number} dimension */
const rows = (vectors, dimension) => columns(vectors, vectors.length / dimension);

/** @param {Table} thing @param {number} frame */
const isPresent = (thing, frame) => thing.from <= frame && (thing.until === null || frame < thing.until);

/** @param {Table} table */
const isCarried = (table) => Boolean(table.path) && table.path.mode === "position";
