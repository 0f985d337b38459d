/**
 * The simulation of a page: steps a document's scenario as numpy does, to the last bit.
 *
 * @module
 */

import { COINCIDENT, halfAngleCosine, lookup } from "./neighbors.js";
import { keepOut, push } from "./obstacles.js";
import { placeOn } from "./paths.js";
import { decoded, Generator } from "./random.js";
import { place } from "./starts.js";
import { advance, awake, contribution, steer, steered } from "./steering.js";
import { held, infinite, Timeline } from "./timeline.js";
import { at, dot, joined, plus, size, times, ZERO } from "./vectors.js";
import { World } from "./world.js";

/** @import { Vec, Vectors } from "./vectors.js" */
/** @import { Wanted } from "./rules.js" */
/** @import { Steered, View } from "./steering.js" */
/** @import { Action, AnimalsDocument, EventDocument, Group, PageDocument, Table } from "./types.js" */
/** @typedef {{name: string, count: number, position: Vectors, velocity: Vectors, drive: Vectors | null}} Animals  Never changed. */
/** @typedef {{state: bigint, rows: number[][]}[][]} Drawn  What is left of each group's streams of random numbers. */
/**
 * @typedef {object} Snapshot  For `restore` alone.
 * @property {number} frame @property {number} steps @property {Animals[]} before  those who come and go in the frame.
 * @property {Drawn} drawn  before that. @property {Action[]} done  that brought it here.
 */

/** Keys that are used once, so that no event may set them. */
const FIXED = ["name", "from", "until", "start"];

/**
 * A live simulation at `frame`. `tables` are those in force, `actions` what was set: exported as events after the
 * scenario's own, they give the same states.
 */
export class Simulation {
  /** @param {PageDocument} document @param {number} seedIndex */
  constructor(document, seedIndex = 0) {
    const start = document.starts[seedIndex];
    this.document = document;
    this.world = new World(infinite(document.world));
    this.kinds = document.groups.map((group) => ({ ...group, implied: infinite(group.implied) }));
    this.flocks = document.tables.flock.length;
    this.frame = 0;
    this.steps = start.step;
    /** @type {Action[]} */
    this.actions = [];
    this.generators = start.streams.map((streams) =>
      Object.fromEntries(Object.entries(streams).map(([purpose, known]) => [purpose, new Generator(known)])),
    );
    this.timeline = this.planned();
    this.tables = document.tables;
    /** @type {Steered[]} */
    this.steered = [];
    /** Those who come and go in this frame, and the generators before that. */
    this.before = start.groups.map((group, number) => ({ ...read(group), name: this.kinds[number].name }));
    this.drawn = this.states();
    this.animals = this.before;
    this.arrive();
  }

  get time() {
    return this.steps * this.document.dt;
  }

  get obstacles() {
    return this.tables.obstacles.filter((obstacle) => isPresent(obstacle, this.frame));
  }

  get attractors() {
    return this.tables.attractors.filter((attractor) => isPresent(attractor, this.frame));
  }

  /** Flocks, then predators. @returns {Group[]} */
  get groups() {
    const { dimension } = this.world;
    /** @param {Vectors} vectors */
    const flat = (vectors) => (dimension === 3 ? vectors : vectors.filter((_, k) => k % 3 < 2));
    return this.animals.map(({ name, position, velocity, drive, count }, number) => ({
      ...{ name, kind: this.kinds[number].kind, count, dimension },
      ...{ position: flat(position), velocity: flat(velocity), drive: drive && flat(drive) },
    }));
  }

  /** The timeline of the scenario's own events and of what was done since. */
  planned() {
    const done = this.actions.map((one) => ({ at: one.frame, over: 0, set: { [one.key]: one.value }, whole: [] }));
    /** @type {EventDocument[]} */
    const events = infinite([...this.document.events, ...done]);
    events.sort((one, other) => one.at - other.at);
    return new Timeline(infinite(this.document.tables), events);
  }

  /** Shows the frame: animals come and go. */
  arrive() {
    const tables = this.timeline.at(this.frame);
    const groups = [...tables.flock, ...tables.predators];
    if (tables !== this.tables) this.steered = groups.map((table, number) => steered(this.kinds[number], table));
    this.tables = tables;
    this.animals = this.before.map((group, number) => this.present(group, groups[number], number));
  }

  /** As many animals of a group as there are to be in this frame, the last ones new. @param {Animals} group @param {Table} table @param {number} number @returns {Animals} */
  present(group, table, number) {
    const wanted = isPresent(table, this.frame) ? table.count : 0;
    if (wanted === group.count) return group;
    const [places, flights] = wanted > group.count ? this.placed(table, wanted - group.count, number) : [[], []];
    /** @param {Vectors} known @param {Vec[]} fresh */
    const both = (known, fresh) => Float64Array.from([...known.subarray(0, 3 * wanted), ...fresh.flat()]);
    const [position, velocity] = [both(group.position, places), both(group.velocity, flights)];
    const still = places.map(() => ZERO);
    return { name: group.name, count: wanted, position, velocity, drive: group.drive && both(group.drive, still) };
  }

  /** Positions and velocities of new animals of a group. @param {Table} table @param {number} count @param {number} number */
  placed(table, count, number) {
    if (isCarried(table)) {
      const start = this.carried(table, new Array(table.count).fill(ZERO), this.time - this.document.dt);
      const [, velocity] = this.carried(table, start[0], this.time);
      return [start[0].slice(-count), velocity.slice(-count)];
    }
    const [position, velocity] = place(table, count, this.world, this.generators[number].start);
    position.forEach((here, i) => {
      [position[i], velocity[i]] = this.world.confine(...keepOut(this.obstacles, here, velocity[i], this.world));
    });
    return [position, velocity];
  }

  /** Positions and velocities of predators carried along their path to where it leads one step after a time. @param {Table} table @param {Vec[]} before @param {number} time */
  carried(table, before, time) {
    const { dt } = this.document;
    const position = before.map((_, i) => this.world.confine(placeOn(table.path, time + dt, i, this.world), ZERO)[0]);
    return [position, position.map((here, i) => this.world.offset(before[i], here).map((along) => along / dt))];
  }

  /** Goes on to the next frame; throws where numbers end. */
  step() {
    for (let step = 0; step < this.document.stepsPerFrame; step++, this.steps++) {
      const predators = this.animals.slice(this.flocks).map((_, k) => this.movedPredators(this.flocks + k));
      const flocks = this.animals.slice(0, this.flocks).map((_, k) => this.movedFlock(k, predators));
      this.animals = [...flocks, ...predators];
    }
    this.frame++;
    this.before = this.animals;
    this.drawn = this.states();
    this.arrive();
  }

  /** @param {number} number @returns {Animals} */
  movedPredators(number) {
    const group = this.animals[number];
    const { table } = this.steered[number];
    if (isCarried(table)) {
      const before = Array.from({ length: group.count }, (_, i) => at(group.position, i));
      const [position, velocity] = this.carried(table, before, this.time).map(joined);
      return { ...group, position, velocity };
    }
    const view = this.view(number, this.animals.slice(this.flocks));
    return { ...this.moved(number, view, this.pushes(group.position)), drive: null };
  }

  /** @param {number} number @param {Animals[]} predators where they have come to @returns {Animals} */
  movedFlock(number, predators) {
    const { position, drive } = this.animals[number];
    const view = this.view(number, predators);
    const pushes = [...this.attractors.map((one) => this.pull(one, view)), ...this.pushes(position)];
    if (view.table.accumulate && drive !== null) pushes.push((i) => at(drive, i));
    const group = this.moved(number, view, pushes);
    return view.table.accumulate ? group : { ...group, drive: null };
  }

  /** @param {number} number @param {View} view @param {Wanted[]} pushes @returns {Animals} */
  moved(number, view, pushes) {
    const { name, count } = this.animals[number];
    const { position, velocity, drive } = advance(this.steered[number], view, pushes);
    const lost = position.findIndex((here, k) => !Number.isFinite(here + velocity[k]));
    if (lost !== -1) throw new RangeError(`number ${Math.floor(lost / 3)} of ${name} left the finite numbers`);
    return { name, count, position, velocity, drive };
  }

  /** What steers besides rules and attractors. @param {Vectors} position @returns {Wanted[]} */
  pushes(position) {
    /** @type {Wanted[]} */
    const pushes = this.obstacles.map((one) => (i) => push(one, at(position, i), this.world));
    if (this.world.boundary.kind === "soft") pushes.push((i) => this.world.push(at(position, i)));
    return pushes;
  }

  /** @param {Table} attractor @param {View} view @returns {Wanted} */
  pull({ point, path, weight, radius }, view) {
    const place = path ? placeOn(path, this.time, 0, this.world) : this.world.place(point);
    return (i) => {
      const offset = this.world.offset(at(view.position, i), place);
      const wanted = times(offset, size(offset) < radius ? Math.sign(weight) : 0);
      return steer(wanted, view, i, view.table.max_force, Math.abs(weight));
    };
  }

  /** The perception of a group; predators as they are given. @param {number} number @param {Animals[]} predators @returns {View} */
  view(number, predators) {
    const { world } = this;
    const { table, terms, own, others, predators: feared } = this.steered[number];
    const { position, velocity, count } = this.animals[number];
    const flocks = this.animals.slice(0, this.flocks);
    const isFlock = number < this.flocks;
    const rest = (isFlock ? flocks : predators).filter((_, k) => k !== number - (isFlock ? 0 : this.flocks));
    const hunters = (isFlock ? predators : rest).filter((one) => one.count > 0);
    const ignored = terms.flatMap(({ name, rule }) => (name === "species" ? rule.ignore : []));
    const noticed = rest.filter(({ name }) => !ignored.includes(name));
    const group = { position, velocity, count };
    return {
      ...{ ...group, world, table, hunters, dimension: world.dimension, flocks: isFlock ? rest : flocks },
      ...{ time: this.time, dt: this.document.dt, obstacles: this.obstacles, chance: this.generators[number] },
      own: lookup(group, [group], own, world),
      others: lookup(group, noticed, others, world),
      predators: lookup(group, hunters, feared, world),
    };
  }

  /**
   * Sets a dotted key, as an event at this frame does, or at frame 1 where this is frame 0, whose events would change the
   * start. Later actions, and an earlier one of this frame and key, are forgotten. Values are not checked as a scenario's
   * are: only a key that is not there and a min_speed above max_speed are refused.
   *
   * @param {string} key @param {any} value
   */
  set(key, value) {
    const frame = Math.max(this.frame, 1);
    const [table, last] = held(structuredClone(this.tables), key);
    table[last] = value;
    if (table.min_speed > table.max_speed) throw new RangeError("min_speed must be at most max_speed");
    const fresh = last === "start" && table.count !== undefined; // of those who come with the count that follows
    if (!fresh && (FIXED.includes(last) || key.split(".").includes("start")))
      throw new RangeError(`no event can set ${key}`);
    if (last === "count" && !table.start.layout && !isCarried(table)) throw new RangeError(`a page cannot set ${key}`);
    const kept = this.actions.filter((one) => one.frame < frame || (one.frame === frame && one.key !== key));
    this.actions = [...kept, { frame, key, value }];
    this.timeline = this.planned();
    this.rewind(this.drawn);
    this.arrive();
  }

  /** @returns {Drawn} */
  states() {
    return this.generators.map((streams) => Object.values(streams).map(({ state, rows }) => ({ state, rows })));
  }

  /** @param {Drawn} drawn */
  rewind(drawn) {
    this.generators.forEach((streams, number) => {
      Object.values(streams).forEach((generator, k) => void Object.assign(generator, drawn[number][k]));
    });
  }

  /** @returns {Snapshot} */
  snapshot() {
    const { frame, steps, before, drawn } = this;
    return { frame, steps, before, drawn, done: this.actions.filter((action) => action.frame < frame) };
  }

  /** Goes back, or on, to where a snapshot was taken; actions stay. @param {Snapshot} snapshot */
  restore({ frame, steps, before, drawn, done }) {
    const now = this.actions.filter((action) => action.frame < frame);
    if (now.length !== done.length || now.some((action, number) => action !== done[number])) {
      throw new RangeError(`what was done before frame ${frame} has changed since`);
    }
    Object.assign(this, { frame, steps, before, drawn });
    this.rewind(drawn);
    this.arrive();
  }

  /** The numbers of those of its kind that an animal perceives, the nearest first. @param {number} number @param {number} index */
  neighbors(number, index) {
    const { position, velocity, count } = this.animals[number];
    const { radius, field_of_view: seen, neighbors } = this.steered[number].table.perception;
    const [here, flight, least] = [at(position, index), at(velocity, index), halfAngleCosine(seen)];
    const all = Array.from({ length: count }, (_, j) => {
      const offset = this.world.offset(here, at(position, j));
      const [distance, speed] = [size(offset), size(flight)];
      return { j, distance, visible: seen === 360 || speed === 0 || dot(offset, flight) > distance * speed * least };
    });
    const found = all.filter(({ distance, visible }) => visible && distance ** 2 >= COINCIDENT && distance < radius);
    found.sort((one, other) => one.distance - other.distance);
    return found.slice(0, neighbors ?? found.length).map(({ j }) => j);
  }

  /** What changes the velocity of an animal in the next step, by rule, and by "obstacles", "attractors" and "edges"; without chance. @param {number} number @param {number} index */
  contributions(number, index) {
    const drawn = this.states();
    const isFlock = number < this.flocks;
    const predators = this.animals.slice(this.flocks);
    const view = this.view(number, isFlock ? predators.map((_, k) => this.movedPredators(this.flocks + k)) : predators);
    const terms = awake(this.steered[number], view, false).filter(({ fresh }) => !fresh);
    const pushes = this.pushes(view.position);
    /** @type {{[name: string]: Wanted[]}} */
    const parts = {
      ...Object.fromEntries(terms.map((term) => [term.name, [contribution(term, view)]])),
      obstacles: pushes.splice(0, this.obstacles.length),
      attractors: isFlock ? this.attractors.filter(({ weight }) => weight).map((one) => this.pull(one, view)) : [],
      edges: pushes,
    };
    /** @type {{[name: string]: number[]}} */
    const found = {};
    for (const [name, vectors] of Object.entries(parts)) {
      const total = vectors.reduce((sum, vector) => plus(sum, vector(index)), ZERO);
      if (vectors.length > 0) found[name] = total.slice(0, this.world.dimension);
    }
    this.rewind(drawn);
    return found;
  }
}

/** @param {AnimalsDocument} group */
function read({ count, dimension, position, velocity, drive }) {
  /** @param {string} text */
  const vectors = (text) => {
    const numbers = decoded(text);
    if (dimension === 3) return numbers;
    return joined(Array.from({ length: count }, (_, i) => [numbers[2 * i], numbers[2 * i + 1], 0]));
  };
  const [here, flight] = [position, velocity].map(vectors);
  return { count, position: here, velocity: flight, drive: drive === null ? null : vectors(drive) };
}

/** @param {Table} thing @param {number} frame */
const isPresent = (thing, frame) => thing.from <= frame && (thing.until === null || frame < thing.until);

/** @param {Table} table */
const isCarried = (table) => Boolean(table.path) && table.path.mode === "position";
