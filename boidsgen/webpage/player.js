/**
 * Plays a simulation or a recording: all frames computed so far, a clock, and what was done at which frame.
 *
 * @module
 */

import { Tracker } from "./camera.js";

/** @typedef {import("./types.js").Group} Group */
/** @typedef {import("./types.js").Table} Table */
/** @typedef {import("./types.js").Tables} Tables */
/** @typedef {import("./types.js").Action} Action */
/** @typedef {import("./drawing.js").Look} Look */
/** @typedef {import("./camera.js").Box} Box */
/** @typedef {import("./simulation.js").Simulation | import("./recording.js").Recording} Engine */

/**
 * @typedef {object} Frame
 * @property {number} number @property {number} time @property {Group[]} groups
 * @property {Table[]} obstacles @property {Table[]} attractors with the place in `point`
 * @property {Tables | null} tables in force; null in a recording
 * @property {Box | null} box that the camera follows
 * @property {any} snapshot @property {Map<string, number | null>} measures known so far
 * @property {(name: string) => string} reading a number of the film
 */

const MOST_FRAMES = 20000;
const MOST_BYTES = 256e6;
const BUSY = 30;
const DRAGGED = 5; // Frames between two values of a slider that is being dragged

export class Player {
  /**
   * @param {Look} look @param {number} frames @param {boolean} live @param {(seed: number, beside?: boolean) => Engine} begin a simulation anew, with a seed, or another one beside it
   * @param {(frame: Frame, name: string) => string} reading
   */
  constructor(look, frames, live, begin, reading) {
    this.live = live;
    this.look = look;
    this.film = frames;
    this.begin = begin;
    this.reading = reading;
    this.playing = false;
    this.speed = 1;
    this.seed = 0;
    /** What was predicted, by step; a link carries it. @type {{[step: string]: string | number}} */
    this.predictions = {};
    this.due = 0;
    this.last = 0;
    this.error = "";
    /** The run before the last change, from the same start. @type {Frame[]} */
    this.before = [];
    /** What had been done in it. @type {Action[]} */
    this.undone = [];
    /** Takes it on. @type {any} */
    this.ghost = null;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.engine = begin(0);
    this.tracker = new Tracker(look);
    /** @type {Frame[]} */
    this.history = [];
    this.frame = 0;
    this.length = this.most = frames;
    this.restart(0);
  }

  /** Begins anew. @param {number} seed */
  restart(seed) {
    this.leave(seed === this.seed && this.actions.length ? this.history : []);
    this.seed = seed;
    this.engine = this.begin(seed);
    this.tracker = new Tracker(this.look);
    this.history = [];
    this.length = this.film;
    this.frame = 0;
    this.error = "";
    this.keep();
    const bytes = this.history[0].groups.reduce((sum, group) => sum + 16 * group.position.length, 500);
    this.most = this.live ? Math.max(this.film, Math.min(MOST_FRAMES, Math.floor(MOST_BYTES / bytes))) : this.film;
    this.changed();
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  /** The frame shown. */
  get shown() {
    return this.history[this.frame];
  }

  /** The frame shown and those before it. @param {number} count */
  leading(count) {
    return this.history.slice(Math.max(0, this.frame - count), this.frame + 1);
  }

  /** Remembers the run that a change ends. @param {Frame[]} history */
  leave(history) {
    Object.assign(this, { before: history, undone: this.actions, ghost: null });
  }

  /** Takes the run before the last change on to the frame shown. */
  goOn() {
    const { before, frame } = this;
    if (!before.length || before.length > frame) return;
    if (!this.ghost) {
      this.ghost = this.begin(this.seed, true);
      this.ghost.actions = this.undone;
      this.ghost.timeline = this.ghost.planned();
      this.ghost.restore(before[before.length - 1].snapshot);
    }
    while (this.ghost.frame < frame) {
      this.ghost.step();
      this.keep(this.ghost, before);
    }
  }

  /** Keeps an engine's frame as the last of a history. */
  keep(engine = this.engine, history = this.history) {
    const { frame, time, groups, obstacles, tables } = engine;
    /** @type {Frame} */
    const kept = {
      ...{ number: frame, time, groups, obstacles, tables, snapshot: engine.snapshot(), measures: new Map() },
      attractors: engine.attractors,
      box:
        engine === this.engine && this.look.cameras.some(({ follows }) => follows) ? this.tracker.note(groups) : null,
      reading: (name) => this.reading(kept, name),
    };
    history[frame] = kept;
  }

  /** Brings the engine to a frame of the history, or computes up to it. @param {number} number */
  bring(number) {
    const known = Math.min(number, this.history.length - 1);
    if (this.engine.frame !== known && this.engine.frame !== number) this.engine.restore(this.history[known].snapshot);
    while (this.engine.frame < number) {
      this.engine.step();
      this.keep();
    }
  }

  /** Shows a frame, computing what is missing. @param {number} number */
  seek(number) {
    const wanted = Math.max(0, Math.min(Math.round(number), this.most - 1));
    try {
      if (wanted >= this.history.length) this.bring(wanted);
      this.frame = wanted;
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
      this.frame = this.history.length - 1;
      this.playing = false;
    }
    while (this.frame >= this.length) this.length = Math.min(this.length + this.film, this.most);
    this.changed();
  }

  /** Sets a key from the frame shown on. @param {string} key @param {any} value */
  set(key, value) {
    if (!this.live) throw new RangeError("a recorded page cannot be changed");
    if (this.frame === 0) {
      if (this.actions.length) this.restart(this.seed); // a run of its own, not one more change of the last one
      this.seek(1); // what is set in the first frame counts from the second on
    }
    this.bring(this.frame);
    const { actions, history, frame } = this;
    const last = actions[actions.length - 1];
    this.engine.set(key, value);
    const anew = last?.key !== key || frame - last.frame > DRAGGED;
    if (history.length > frame + 1 || (anew && this.before.length <= history.length)) {
      this.leave([...history]);
      this.undone = actions;
    }
    this.history.length = this.frame;
    this.keep();
    this.changed();
  }

  /** What was done up to the frame shown. @returns {Action[]} */
  get actions() {
    return this.engine.actions;
  }

  /** @param {boolean} playing */
  play(playing) {
    this.playing = playing;
    if (playing && this.frame >= this.most - 1) this.frame = 0;
    this.last = performance.now();
    this.due = 0;
    this.changed();
  }

  /** Called before every repaint: shows what is due by the clock. @param {number} now in milliseconds */
  tick(now) {
    if (!this.playing) return;
    this.due += Math.min((now - this.last) / 1000, 0.25) * this.look.fps * this.speed;
    this.last = now;
    const began = performance.now();
    while (this.due >= 1 && this.playing) {
      this.due -= 1;
      if (this.frame >= this.most - 1) {
        if (this.live) this.play(false);
        else this.frame = -1;
      }
      if (this.playing) this.seek(this.frame + 1);
      if (performance.now() - began > BUSY) this.due = 0;
    }
  }
}
