/**
 * Pages in step: a page, or the index of a sweep, leads others in frames, all of which show the same frame.
 *
 * Frames are sandboxed, and pages from disk share no origin, so that messages are all there is. Down goes an
 * order, `{boidsgen: 1, frame, seed, actions, measure}`, where actions are all that was set so far; up goes
 * `{boidsgen: 1, frame, reading, switched, values}` when that frame is drawn and measured, with frame -1 when
 * the page is ready.
 */

/** @import { Action } from "./types.js" */
/** @typedef {{frame: number, seed: number, actions: Action[], measure: string}} Order */
/**
 * @typedef {{reading: string, switched: string, values: import("./chart.js").Values}} Answer The measure, and
 *   what the title must add.
 */
/** @typedef {Answer & {frame: number}} Drawn */
/**
 * @typedef {{label: string, ratio: number, held: string[]}} Labeled What stands above a picture, its width to
 *   its height, and the keys in which it differs by intention.
 */
/** @typedef {Labeled & {columns: number, question: string, cells: (Labeled & {page: string})[]}} Beside */

const VERSION = 1;
const CELL = "cell";

/** A frame for a page that follows. @param {{src?: string, srcdoc?: string}} source @param {string} title */
export function cellOf(source, title) {
  const cell = Object.assign(document.createElement("iframe"), { name: CELL, title, tabIndex: -1 });
  cell.setAttribute("sandbox", "allow-scripts");
  return Object.assign(cell, source);
}

/** Keeps all cells of this document at one frame. */
export class Leader {
  constructor() {
    /** @type {Order} */
    this.order = { frame: 0, seed: 0, actions: [], measure: "" };
    /** The last of each cell that is ready. @type {WeakMap<HTMLIFrameElement, Drawn>} */
    this.answers = new WeakMap();
    this.heard = () => {};
    addEventListener("message", ({ source, data }) => {
      const cell = this.cells.find(({ contentWindow }) => contentWindow === source);
      if (!cell || data?.boidsgen !== VERSION) return;
      this.answers.set(cell, data);
      if (data.frame === -1) return this.post(cell);
      entitle(cell, data);
      this.heard();
    });
  }

  /** @returns {HTMLIFrameElement[]} */
  get cells() {
    return [...document.querySelectorAll("iframe")].filter(({ name }) => name === CELL);
  }

  /** Whether a cell has not drawn the frame yet: the clock waits for it. */
  get busy() {
    const { frame } = this.order;
    return this.cells.some((cell) => (this.answers.get(cell)?.frame ?? frame) !== frame);
  }

  /** @param {number} frame @param {number} seed @param {Action[]} actions @param {string} measure */
  show(frame, seed = 0, actions = [], measure = "") {
    this.order = { frame, seed, actions, measure };
    for (const cell of this.cells) if (this.answers.has(cell)) this.post(cell);
  }

  /** @param {HTMLIFrameElement} cell */
  post(cell) {
    cell.contentWindow?.postMessage({ boidsgen: VERSION, ...this.order }, "*");
  }
}

/**
 * Writes above a picture what holds there now.
 * @param {Element} picture
 * @param {{reading: string, switched: string}} answer
 */
export function entitle(picture, { reading, switched }) {
  const { dataset } = /** @type {HTMLElement} */ (picture.previousElementSibling ?? picture);
  Object.assign(dataset, { reading, switched });
}

/** True for a page that somebody else leads. */
export const follows = () => window.name === CELL && window.parent !== window;

/**
 * Follows the document around this one.
 *
 * @param {import("./player.js").Player} player
 * @param {{[begin: string]: string}} keys of the leader by their beginnings, with what they begin with here,
 *   or "" where this page keeps its own value
 * @param {(measure: string) => Answer} paint draws, and answers
 */
export function follow(player, keys, paint) {
  /** @type {string[]} */
  let heard = [];
  /** @param {Drawn} answer */
  const tell = (answer) => window.parent.postMessage({ boidsgen: VERSION, ...answer }, "*");
  addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || data?.boidsgen !== VERSION) return;
    /** @type {Order} */
    const { frame, seed, actions, measure } = data;
    if (seed !== player.seed || actions.length < heard.length) {
      player.restart(seed);
      heard = [];
    }
    const told = actions.map((action) => JSON.stringify(action));
    const known = told.findIndex((action, number) => action !== heard[number]);
    for (const { frame: at, key, value } of known === -1 ? [] : actions.slice(known)) {
      const begin = Object.keys(keys).find((one) => key.startsWith(one)) ?? "";
      if (begin && !keys[begin]) continue;
      player.seek(at);
      try {
        player.set((keys[begin] ?? "") + key.slice(begin.length), value);
      } catch {
        // This scenario has no such key.
      }
    }
    heard = told;
    player.seek(frame);
    tell({ frame, ...paint(measure) });
  });
  document.body.classList.add("cell");
  tell({ frame: -1, reading: "", switched: "", values: [] });
}
