/**
 * States recorded by Python, for scenarios that a page cannot step: quantized, as second differences,
 * deflated.
 */

import { latest } from "./drawing.js";
import { shortest } from "./measures.js";
import { timeline } from "./timeline.js";

/** @import { EventDocument, Group, Table, Tables } from "./types.js" */
/**
 * @typedef {object} RecordingDocument What `document.py` writes.
 * @property {number} frames
 * @property {number} every n-th frame of the film was recorded
 * @property {number} step of a position, in world units
 * @property {number} dt time between frames of the film
 * @property {{name: string, kind: "flock" | "predators", most: number, present: {at: number, count: number,
 *   numbers: number[] | null}[]}[]} groups
 * @property {{at: number, obstacles: Table[], attractors: Table[]}[]} things
 */

const VIEW = 2;

/**
 * The positions of all frames: planes of bytes of second differences, zigzag.
 * @param {Uint8Array} bytes
 * @param {number} frames
 */
export function integrated(bytes, frames) {
  const planes = 3;
  const size = bytes.length / planes;
  const width = size / frames;
  const place = new Int32Array(size);
  for (let k = 0; k < size; k++) {
    const zigzag = bytes[k] | (bytes[size + k] << 8) | (bytes[2 * size + k] << 16);
    const [before, earlier] = [k >= width ? place[k - width] : 0, k >= 2 * width ? place[k - 2 * width] : 0];
    const expected = k >= 2 * width ? 2 * before - earlier : before;
    // In 24 bits: what leaves on one side comes in on the other.
    place[k] = ((expected + ((zigzag >>> 1) ^ -(zigzag & 1))) << 8) >> 8;
  }
  return place;
}

/**
 * Steps through recorded states as a `Simulation` steps through computed ones; nobody asks it what live pages
 * alone can do.
 */
export class Recording {
  /**
   * @param {RecordingDocument} document
   * @param {Int32Array} place
   * @param {import("./drawing.js").Look["world"]} world
   * @param {{tables: Tables, events: EventDocument[]}} scenario
   */
  constructor(document, place, world, { tables, events }) {
    this.document = document;
    this.tablesAt = timeline(tables, events);
    this.place = place;
    this.world = world;
    this.frame = 0;
    /** @type {import("./types.js").Action[]} */
    this.actions = [];
    this.axes = world.size.length;
    this.width = document.groups.reduce((sum, { most }) => sum + most * this.axes, 0);
  }

  get time() {
    return this.frame * this.document.dt;
  }

  /** @returns {Group[]} */
  get groups() {
    let first = 0;
    return this.document.groups.map(({ name, kind, most, present }) => {
      const { count, numbers } = latest(present, this.frame);
      const at = first;
      first += most * this.axes;
      const [position, velocity] = [new Float64Array(count * this.axes), new Float64Array(count * this.axes)];
      for (let k = 0; k < position.length; k++) {
        const axis = k % this.axes;
        const animal = (k - axis) / this.axes;
        [position[k], velocity[k]] = this.motion(
          at + (numbers ? numbers[animal] : animal) * this.axes + axis,
          axis,
        );
      }
      return { name, kind, count, numbers, dimension: this.axes, position, velocity, drive: null };
    });
  }

  /**
   * A coordinate at the frame, and by how much it changes: between recorded frames on the straight line.
   * @param {number} column
   * @param {number} axis
   */
  motion(column, axis) {
    const { every, step, dt } = this.document;
    const { place, width } = this;
    const { size, periods, leadsRound } = this.world;
    const period = periods[axis];
    const last = place.length / width - 1;
    /** The way from a recorded frame to the next, which may lead across an edge. @param {number} row */
    const way = (row) => {
      const at = row * width + column;
      return shortest(step * (place[at + width] - place[at]), leadsRound ? size[axis] : 0);
    };
    const row = Math.min(Math.floor(this.frame / every), last);
    const part = this.frame / every - row;
    const [low, high] = [Math.max(row - VIEW, 0), Math.min(row + VIEW, last)];
    const near = last ? way(Math.min(row, last - 1)) : 0;
    // Headings of the slow would show the steps of the recording.
    let wide = 0;
    for (let from = low; from < high; from++) wide += way(from);
    const pace = Math.abs(near) > 8 * step ? near : wide / Math.max(high - low, 1);
    const here = step * place[row * width + column] + part * near;
    return [period ? ((here % period) + period) % period : here, pace / (every * dt)];
  }

  get tables() {
    return this.tablesAt(this.frame);
  }

  get obstacles() {
    return latest(this.document.things, this.frame).obstacles;
  }

  get attractors() {
    return latest(this.document.things, this.frame).attractors;
  }

  step() {
    this.frame++;
  }

  snapshot() {
    return this.frame;
  }

  /** @param {number} frame */
  restore(frame) {
    this.frame = frame;
  }
}
