/**
 * Plays a simulation or a recording: all frames computed so far, a clock, and what was done at which frame.
 */

import { tracker } from "./camera.js";

/** @import { Box } from "./camera.js" */
/** @import { Look } from "./drawing.js" */
/** @import { Action, Attempt, Group, Table, Tables } from "./types.js" */
/** @import { Simulation as Engine } from "./simulation.js" */

/**
 * @typedef {object} Frame
 * @property {number} number
 * @property {number} time
 * @property {Group[]} groups none where they were forgotten
 * @property {Table[]} obstacles
 * @property {Table[]} attractors with the place in `point`
 * @property {Tables} tables in force
 * @property {Box | null} box that the camera follows
 * @property {any} snapshot null where it was forgotten
 * @property {Map<string, number | null>} measures known so far
 */

const MOST_FRAMES = 20000;
const MOST_BYTES = 64e6; // Of all states that are kept
const BUSY = 30;
const DRAGGED = 5; // Frames between two values of a slider that is being dragged

/** A step of a lesson of which nothing was done. @type {Omit<Attempt, "choices">} */
export const UNTRIED = { first: 0, last: 0, shown: false, proof: null, numbers: "" };

export class Player {
  /**
   * @param {Look} look
   * @param {number} frames
   * @param {boolean} live
   * @param {(seed: number, beside?: boolean) => Engine} begin a simulation anew, with a seed, or another one
   *   beside it
   */
  constructor(look, frames, live, begin, seed = 0) {
    this.live = live;
    this.look = look;
    this.film = frames;
    this.begin = begin;
    this.playing = false;
    this.speed = 1;
    this.seed = 0;
    /** Frames of this run in which a guess was made. @type {number[]} */
    this.guesses = [];
    /** What was done in the steps of a lesson. @type {Attempt[]} */
    this.attempts = [];
    this.due = 0;
    this.last = 0;
    this.error = "";
    /** Says what is wrong with a change. @type {(error: string) => void} */
    this.tell = () => {};
    /** The run before the last change, from the same start. @type {Frame[]} */
    this.before = [];
    /** What had been done in it. @type {Action[]} */
    this.undone = [];
    /** Takes it on. @type {any} */
    this.ghost = null;
    /** @type {(() => void)[]} */
    this.listeners = [];
    /** Frames before the one shown that are seen in it: trails, and who turns. */
    this.trails = Math.max(1, ...look.groups.map((group) => group.trails));
    /** @type {any} a simulation or a recording, once it has begun */
    this.engine = { actions: [] };
    this.follow = tracker(look);
    /** @type {Frame[]} */
    this.history = [];
    this.frame = 0;
    this.length = this.most = frames;
    this.restart(seed);
  }

  /** Begins anew. @param {number} seed */
  restart(seed) {
    this.leave(seed === this.seed && this.actions.length ? this.history : []);
    this.seed = seed;
    this.guesses = this.frame === 0 ? this.guesses : [];
    this.engine = this.begin(seed);
    this.follow = tracker(this.look);
    this.history = [];
    this.length = this.film;
    this.frame = 0;
    this.error = "";
    this.keep();
    this.most = this.live ? Math.max(this.film, MOST_FRAMES) : this.film;
    this.changed();
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  /** The frame shown. */
  get shown() {
    return this.history[this.frame];
  }

  /** The frame shown and those before it that are seen in it. */
  get leading() {
    return this.history.slice(Math.max(0, this.frame - this.trails), this.frame + 1);
  }

  /**
   * Another player of what was done up to a frame, from its start.
   *
   * @param {Player["begin"]} begin with a kernel of its own @param {number} last
   */
  repeated(begin, last) {
    const made = new Player(this.look, this.film, this.live, begin, this.seed);
    if (this.live) made.engine.redo(this.actions.filter(({ frame }) => frame <= last));
    return made;
  }

  /** Remembers the run that a change ends. @param {Frame[]} history */
  leave(history) {
    Object.assign(this, { before: history, undone: this.actions, ghost: null });
  }

  /** Takes the run before the last change on to the frame shown. */
  goOn() {
    const { before, frame } = this;
    if (!before.length || before[frame]?.snapshot != null) return;
    if (!this.ghost) {
      this.ghost = this.begin(this.seed, true);
      this.ghost.redo(this.undone);
    }
    this.reach(frame, frame, this.ghost, before);
  }

  /** Keeps an engine's frame in a history. @param {Engine} engine @param {Frame[]} history */
  keep(engine = this.engine, history = this.history) {
    const { frame: number, time, groups, obstacles, attractors, tables } = engine;
    const follows = engine === this.engine && this.look.cameras.some((camera) => camera.follows);
    const known = history[number] ?? { box: follows ? this.follow(groups) : null, measures: new Map() };
    const snapshot = engine.snapshot();
    history[number] = Object.assign(known, { number, time, groups, obstacles, attractors, tables, snapshot });
    this.forget(history, number);
  }

  /**
   * Forgets states, which are computed again when they are asked for: some before those that lead to a frame.
   * @param {Frame[]} history
   * @param {number} number
   */
  forget(history, number) {
    const bytes = history[number].groups.reduce((sum, group) => sum + 24 * group.position.length, 1000);
    const most = Math.max(MOST_BYTES / bytes / (this.before.length ? 2 : 1), 2 * this.trails + 2);
    if (history.filter(({ snapshot }) => snapshot !== null).length <= most) return;
    const apart = 2 ** Math.ceil(Math.log2((2 * history.length) / most));
    for (const frame of history)
      if (frame.number % apart && (frame.number > number || frame.number <= number - most / 2))
        Object.assign(frame, { snapshot: null, groups: [] });
  }

  /**
   * Brings an engine to a frame of a history, from the last one known before it.
   * @param {number} number
   * @param {number} first one to keep on the way
   * @param {Engine} engine
   * @param {Frame[]} history
   */
  reach(number, first = number, engine = this.engine, history = this.history) {
    let from = Math.min(first, history.length - 1);
    while (history[from].snapshot === null) from--;
    if (engine.frame > first || engine.frame < from) engine.restore(history[from].snapshot);
    while (engine.frame < number) {
      engine.step();
      this.keep(engine, history);
    }
  }

  /** Shows a frame, computing what is missing. @param {number} number */
  seek(number) {
    const wanted = Math.max(0, Math.min(Math.round(number), this.most - 1));
    try {
      const first = Math.max(0, wanted - this.trails);
      for (let number = first; number <= wanted; number++)
        if ((this.history[number]?.snapshot ?? null) === null) this.reach(wanted, number);
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
      // A run of its own, not one more change of the last one.
      if (this.actions.length) this.restart(this.seed);
      this.seek(1); // what is set in the first frame counts from the second on
    }
    this.reach(this.frame);
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

  /** Sets keys one after the other, or says why it cannot. @param {[string, any][]} pairs */
  change(pairs) {
    try {
      for (const [key, value] of pairs) this.set(key, value);
    } catch (error) {
      this.tell(String(/** @type {Error} */ (error).message));
    }
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
