/**
 * The simulation of a page: steps a document's scenario as numpy does, to the last bit.
 *
 * @module
 */

import { answers, COINCIDENT, halfAngleCosine } from "./neighbors.js";
import { keepOut, push } from "./obstacles.js";
import { placesOn } from "./paths.js";
import { decoded, Generator } from "./random.js";
import { lengthAt } from "./rules.js";
import { place } from "./starts.js";
import { advance, awake, contribution, steer, steered, takeTurns } from "./steering.js";
import { held, infinite, Timeline } from "./timeline.js";
import { World } from "./world.js";

/** @import { PageDocument, EventDocument, Group, Action, Table } from "./types.js" */
/** @import { View, Steered, Named } from "./steering.js" */
/** @typedef {Named & {drive: Float64Array | null}} Animals  Three components each; never changed. */
/** @typedef {{[purpose: string]: bigint}} Drawn  The states of a group's generators. */
/**
 * @typedef {object} Snapshot
 * @property {number} frame
 * @property {number} steps
 * @property {Animals[]} before  those who come and go in the frame.
 * @property {Drawn[]} drawn  before that.
 * @property {Map<string, number[][]>} fixed
 * @property {Action[]} done  that brought it here.
 */

/** Keys that are used once, so that no event may set them. */
const FIXED = ["name", "from", "until", "start"];

/** A live simulation; see `SimulationInterface` in types.js. */
export class Simulation {
  /** @param {PageDocument} document @param {number} seedIndex */
  constructor(document, seedIndex = 0) {
    this.document = document;
    this.world = new World(infinite(document.world));
    this.kinds = document.groups.map((group) => ({ ...group, implied: infinite(group.implied) }));
    /** @type {Action[]} */
    this.actions = [];
    this.frame = 0;
    this.start = document.starts[seedIndex];
    this.steps = this.start.step;
    this.flocks = document.tables.flock.length;
    this.generators = this.start.streams.map((streams) =>
      Object.fromEntries(Object.entries(streams).map(([purpose, known]) => [purpose, new Generator(known)])),
    );
    /** @type {Map<string, number[][]>} */
    this.fixed = new Map();
    this.timeline = this.planned();
    this.tables = this.timeline.at(0);
    /** Those who come and go in this frame. @type {Animals[]} */
    this.before = this.start.groups.map((group, number) => this.read(group, number));
    /** The states of the generators before that. */
    this.drawn = this.states();
    /** @type {Steered[]} */
    this.steered = [];
    /** @type {Animals[]} */
    this.animals = [];
    this.arrive(this.before);
  }

  get time() {
    return this.steps * this.document.dt;
  }

  get obstacles() {
    return this.tables.obstacles.filter((obstacle) => present(obstacle, this.frame));
  }

  get attractors() {
    return this.tables.attractors.filter((attractor) => present(attractor, this.frame));
  }

  /** @returns {Group[]} */
  get groups() {
    const { dimension } = this.world;
    return this.animals.map(({ name, position, velocity, drive, count }, number) => ({
      ...{ name, kind: this.kinds[number].kind, count, dimension },
      position: narrowed(position, dimension),
      velocity: narrowed(velocity, dimension),
      drive: drive && narrowed(drive, dimension),
    }));
  }

  /** Makes the timeline of the scenario's own events and of what was done since. */
  planned() {
    const done = this.actions.map(({ frame, key, value }) => ({
      at: frame,
      over: 0,
      set: { [key]: value },
      whole: [],
    }));
    /** @type {EventDocument[]} */
    const events = infinite([...this.document.events, ...done]);
    const inOrder = events.sort((one, other) => one.at - other.at);
    return new Timeline(infinite(this.document.tables), inOrder);
  }

  /** Animals as the engine has them. @param {import("./types.js").AnimalsDocument} group @param {number} number @returns {Animals} */
  read({ count, dimension, position, velocity, drive }, number) {
    const { name } = this.kinds[number];
    const [here, flight] = [spatial(decoded(position), dimension), spatial(decoded(velocity), dimension)];
    return {
      name,
      count,
      position: here,
      velocity: flight,
      drive: drive === null ? null : spatial(decoded(drive), dimension),
    };
  }

  /** The tables of all groups in their order. */
  get groupTables() {
    return [...this.tables.flock, ...this.tables.predators];
  }

  /** Shows a frame: animals come and go. @param {Animals[]} before */
  arrive(before) {
    this.before = before;
    this.drawn = this.states();
    this.steered = this.groupTables.map((table, number) => steered(this.kinds[number], table));
    this.animals = before.map((group, number) => this.present(group, number));
  }

  /** As many animals of a group as there are to be in this frame, the last ones new. @param {Animals} group @param {number} number */
  present(group, number) {
    const table = this.groupTables[number];
    const wanted = present(table, this.frame) ? table.count : 0;
    if (wanted === group.count) return group;
    const size = 3 * wanted;
    if (wanted < group.count) {
      const { name, position, velocity } = group;
      const left = group.drive?.slice(0, size) ?? null;
      return { name, count: wanted, position: position.slice(0, size), velocity: velocity.slice(0, size), drive: left };
    }
    const fresh = this.placed(table, wanted - group.count, number);
    const whole = { ...group, count: wanted, position: new Float64Array(size), velocity: new Float64Array(size) };
    whole.position.set(group.position);
    whole.position.set(fresh.position, 3 * group.count);
    whole.velocity.set(group.velocity);
    whole.velocity.set(fresh.velocity, 3 * group.count);
    whole.drive = group.drive && new Float64Array(size);
    whole.drive?.set(group.drive ?? []);
    return whole;
  }

  /** @param {Table} table @param {number} count @param {number} number */
  placed(table, count, number) {
    const { dt } = this.document;
    if (isCarried(table)) {
      const start = this.carried(table, new Float64Array(3 * table.count), this.time - dt);
      const { velocity } = this.carried(table, start.position, this.time);
      return { position: start.position.slice(-3 * count), velocity: velocity.slice(-3 * count) };
    }
    const { position, velocity } = place(table, count, this.world, this.generators[number].start);
    keepOut(this.obstacles, position, velocity, this.world, 0, count);
    this.world.confine(position, velocity, 0, count);
    return { position, velocity };
  }

  /** Predators carried along their path to where it leads one step after a time. @param {Table} table @param {Float64Array} before @param {number} time */
  carried(table, before, time) {
    const { dt } = this.document;
    const count = before.length / 3;
    const position = placesOn(table.path, time + dt, count, this.world);
    this.world.confine(position, new Float64Array(3 * count), 0, count);
    const velocity = position.map((place, k) => this.world.shortest(place - before[k], k % 3) / dt);
    return { position, velocity };
  }

  /** Goes on to the next frame. */
  step() {
    for (let step = 0; step < this.document.stepsPerFrame; step++) {
      this.animals = this.next();
      this.steps++;
    }
    this.frame++;
    this.tables = this.timeline.at(this.frame);
    this.arrive(this.animals);
  }

  /** All animals one step later. @returns {Animals[]} */
  next() {
    const flocks = this.animals.slice(0, this.flocks);
    const predators = this.animals.slice(this.flocks).map((_, k) => this.movedPredators(this.flocks + k));
    return [...flocks.map((_, number) => this.movedFlock(number, predators)), ...predators];
  }

  /** @param {number} number @returns {Animals} */
  movedPredators(number) {
    const group = this.animals[number];
    const { table } = this.steered[number];
    if (group.count === 0) return group;
    if (isCarried(table)) return { ...group, ...this.carried(table, group.position, this.time) };
    const view = this.view(number, this.animals.slice(this.flocks));
    return this.moved(number, advance(this.steered[number], view, this.pushes(group.position)), null);
  }

  /** @param {number} number @param {Animals[]} predators where they have come to @returns {Animals} */
  movedFlock(number, predators) {
    const group = this.animals[number];
    const view = this.view(number, predators);
    const { table } = view;
    /** @type {Float64Array[]} */
    const pushes = [...this.attractors.map((one) => this.pull(one, view)), ...this.pushes(group.position)];
    if (table.accumulate && group.drive !== null) pushes.push(group.drive);
    const inTurn = table.update === "sequential";
    const moved = (inTurn ? takeTurns : advance)(this.steered[number], view, pushes);
    return this.moved(number, moved, table.accumulate ? moved.drive : null);
  }

  /** @param {number} number @param {{position: Float64Array, velocity: Float64Array}} to @param {Float64Array | null} drive @returns {Animals} */
  moved(number, { position, velocity }, drive) {
    const { name, count } = this.animals[number];
    for (let k = 0; k < position.length; k++) {
      if (Number.isFinite(position[k]) && Number.isFinite(velocity[k])) continue;
      throw new RangeError(`number ${Math.floor(k / 3)} of ${name} left the finite numbers`);
    }
    return { name, count, position, velocity, drive };
  }

  /** What steers besides rules and attractors. @param {Float64Array} position */
  pushes(position) {
    const edges = this.world.push(position);
    return [...this.obstacles.map((one) => push(one, position, this.world)), ...(edges ? [edges] : [])];
  }

  /** @param {Table} attractor @param {View} view */
  pull({ point, path, weight, radius }, view) {
    const place = path ? [...placesOn(path, this.time, 1, this.world)] : this.world.place(point);
    const offset = this.world.offsets(view.position, place);
    for (let k = 0; k < offset.length; k += 3) {
      const sign = lengthAt(offset, k) < radius ? Math.sign(weight) : 0;
      for (let a = 0; a < 3; a++) offset[k + a] *= sign;
      steer(offset, k, view, view.table.max_force);
      for (let a = 0; a < 3; a++) offset[k + a] *= Math.abs(weight);
    }
    return offset;
  }

  /** The perception of a group; predators as they are given. @param {number} number @param {Animals[]} predators @returns {View} */
  view(number, predators) {
    const { world } = this;
    const { dimension } = world;
    const { table, terms, own, others, predators: feared } = this.steered[number];
    const { position, velocity, count } = this.animals[number];
    const flocks = this.animals.slice(0, this.flocks);
    const isFlock = number < this.flocks;
    const rest = isFlock
      ? flocks.filter((_, k) => k !== number)
      : predators.filter((_, k) => k !== number - this.flocks);
    const hunters = (isFlock ? predators : rest).filter((one) => one.count > 0);
    const noticed = rest.filter(
      ({ name }) => !terms.some((term) => term.name === "species" && term.rule.ignore.includes(name)),
    );
    const group = { position, velocity, count };
    return {
      ...{ ...group, dimension, world, table, hunters, obstacles: this.obstacles },
      ...{ time: this.time, dt: this.document.dt, flocks: isFlock ? rest : flocks },
      own: answers(group, [group], own, world),
      others: answers(group, noticed, others, world),
      predators: answers(group, hunters, feared, world),
      chance: {
        stream: (purpose) => this.generators[number][purpose],
        fixed: (purpose, rows, wanted) => this.fixedNumbers(number, purpose, rows, wanted),
      },
    };
  }

  /** Random numbers that stay the same for the whole run. @param {number} number @param {string} purpose @param {number} rows @param {number} wanted */
  fixedNumbers(number, purpose, rows, wanted) {
    const key = `${number} ${purpose}`;
    const drawn = this.fixed.get(key) ?? Array.from({ length: rows }, () => []);
    const missing = wanted - drawn[0].length;
    if (missing <= 0) return drawn;
    const generator = this.generators[number][purpose];
    const more = drawn.map((row) => [...row, ...Array.from({ length: missing }, () => generator.random())]);
    this.fixed.set(key, more);
    return more;
  }

  /** Sets a dotted key, as an event at this frame does, or at frame 1. @param {string} key @param {any} value */
  set(key, value) {
    const frame = Math.max(this.frame, 1);
    const [table, last] = held(structuredClone(this.tables), key);
    table[last] = value;
    if (table.min_speed > table.max_speed) throw new RangeError("min_speed must be at most max_speed");
    if (FIXED.includes(last) || key.split(".").includes("start")) throw new RangeError(`no event can set ${key}`);
    if (last === "count" && !table.start.layout && !isCarried(table)) throw new RangeError(`a page cannot set ${key}`);
    const kept = this.actions.filter((one) => one.frame < frame || (one.frame === frame && one.key !== key));
    this.actions = [...kept, { frame, key, value }];
    this.timeline = this.planned();
    this.show(this.before, this.drawn);
  }

  /** Shows this frame anew. @param {Animals[]} before @param {Drawn[]} drawn */
  show(before, drawn) {
    drawn.forEach((states, number) => {
      for (const [purpose, state] of Object.entries(states)) this.generators[number][purpose].state = state;
    });
    this.tables = this.timeline.at(this.frame);
    this.arrive(before);
  }

  /** @returns {Drawn[]} */
  states() {
    return this.generators.map((streams) =>
      Object.fromEntries(Object.entries(streams).map(([purpose, { state }]) => [purpose, state])),
    );
  }

  /** @returns {Snapshot} */
  snapshot() {
    const { frame, steps, before, drawn } = this;
    return { frame, steps, before, drawn, fixed: new Map(this.fixed), done: this.actionsBefore(frame) };
  }

  /** Those that have brought the simulation to a frame. @param {number} frame */
  actionsBefore(frame) {
    return this.actions.filter((action) => action.frame < frame);
  }

  /** Goes back, or on, to where a snapshot was taken. @param {Snapshot} snapshot */
  restore({ frame, steps, before, drawn, fixed, done }) {
    const now = this.actionsBefore(frame);
    if (now.length !== done.length || now.some((action, number) => action !== done[number])) {
      throw new RangeError(`what was done before frame ${frame} has changed since`);
    }
    this.frame = frame;
    this.steps = steps;
    this.fixed = new Map(fixed);
    this.show(before, drawn);
  }

  /** The numbers of those of its kind that an animal perceives, the nearest first. @param {number} number @param {number} index */
  neighbors(number, index) {
    const { position, velocity, count } = this.animals[number];
    const { radius, field_of_view: seen, neighbors } = this.steered[number].table.perception;
    const [speed, least] = [lengthAt(velocity, 3 * index), halfAngleCosine(seen)];
    const found = [];
    for (let j = 0; j < count; j++) {
      const offset = [0, 1, 2].map((a) => this.world.shortest(position[3 * j + a] - position[3 * index + a], a));
      const distance = Math.hypot(...offset);
      const ahead = offset.reduce((total, along, a) => total + along * velocity[3 * index + a], 0);
      const visible = seen === 360 || speed === 0 || ahead > distance * speed * least;
      if (j !== index && distance * distance >= COINCIDENT && distance < radius && visible) found.push({ j, distance });
    }
    found.sort((one, other) => one.distance - other.distance);
    return found.slice(0, neighbors ?? found.length).map(({ j }) => j);
  }

  /** What changes the velocity of an animal in the next step, by rule; without chance. @param {number} number @param {number} index */
  contributions(number, index) {
    const drawn = this.states();
    const before = this.fixed;
    const predators = this.animals.slice(this.flocks).map((group, k) => {
      return number < this.flocks ? this.movedPredators(this.flocks + k) : group;
    });
    const view = this.view(number, predators);
    /** @type {{[rule: string]: number[]}} */
    const found = {};
    /** @param {string} name @param {Float64Array[]} pushes */
    const add = (name, pushes) => {
      const total = [0, 0, 0].map((_, a) => pushes.reduce((sum, push) => sum + push[3 * index + a], 0));
      if (pushes.length > 0) found[name] = total.slice(0, this.world.dimension);
    };
    for (const term of awake(this.steered[number], view, false)) {
      if (!term.fresh) add(term.name, [contribution(term, view, 0, view.count)]);
    }
    add(
      "obstacles",
      this.obstacles.map((one) => push(one, view.position, this.world)),
    );
    if (number < this.flocks)
      add(
        "attractors",
        this.attractors.map((one) => this.pull(one, view)),
      );
    const edges = this.world.push(view.position);
    add("edges", edges ? [edges] : []);
    this.fixed = before;
    drawn.forEach((states, k) => {
      for (const [purpose, state] of Object.entries(states)) this.generators[k][purpose].state = state;
    });
    return found;
  }
}

/** @param {Table} thing @param {number} frame */
const present = (thing, frame) => thing.from <= frame && (thing.until === null || frame < thing.until);

/** @param {Table} table */
const isCarried = (table) => Boolean(table.path) && table.path.mode === "position";

/** Vectors with three components. @param {Float64Array} vectors @param {number} dimension */
function spatial(vectors, dimension) {
  if (dimension === 3) return vectors;
  const wide = new Float64Array((3 * vectors.length) / 2);
  for (let i = 0; 2 * i < vectors.length; i++) wide.set(vectors.subarray(2 * i, 2 * i + 2), 3 * i);
  return wide;
}

/** Vectors with as many components as the world has dimensions. @param {Float64Array} vectors @param {number} dimension */
function narrowed(vectors, dimension) {
  const flat = new Float64Array((vectors.length / 3) * dimension);
  for (let i = 0; 3 * i < vectors.length; i++) {
    for (let a = 0; a < dimension; a++) flat[dimension * i + a] = vectors[3 * i + a];
  }
  return flat;
}
