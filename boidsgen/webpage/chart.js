/**
 * The curve of a measure under the scrubber, in step with it.
 *
 * @module
 */

import { MEASURES, measure } from "./measures.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./player.js").Frame} Frame */

const MOST_NEW = 40;

/** The next round number: 1, 2 or 5 times a power of ten, at least 1. @param {number} value */
function roundedUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

/** The value of a measure as it is read. @param {string} name @param {number | null} value */
export function reading(name, value) {
  if (value === null) return "-";
  return name === "groups" ? String(value) : value.toFixed(2);
}

export class Chart {
  /** @param {Element} box has an SVG with two paths, curve and dot @param {HTMLSelectElement} choice @param {HTMLOutputElement} output @param {Player} player @param {import("./measures.js").Radii[]} radii */
  constructor(box, choice, output, player, radii) {
    this.svg = box.children[0];
    this.top = box.children[1];
    this.curve = this.svg.children[0];
    this.dot = this.svg.children[1];
    this.output = output;
    this.player = player;
    this.radii = radii;
    this.choice = choice;
    choice.addEventListener("change", () => this.draw());
  }

  /** The value at a frame, computed once. @param {Frame} frame @param {string} name */
  value(frame, name) {
    const known = frame.measures.get(name);
    if (known !== undefined) return known;
    const value = measure(name, frame.groups, this.radii, this.player.look.world);
    frame.measures.set(name, value);
    return value;
  }

  /** Draws the curve up to the last frame computed. True if values are still missing. */
  draw() {
    const { player } = this;
    const name = this.choice.value;
    const missing = player.history.filter((frame) => !frame.measures.has(name));
    for (const frame of missing.slice(0, MOST_NEW)) this.value(frame, name);
    const now = this.value(player.shown, name);
    const values = player.history.map((frame) => frame.measures.get(name) ?? null);
    const highest = MEASURES[name].most ?? roundedUp(Math.max(...values.map((value) => value ?? 0)));
    this.svg.setAttribute("viewBox", `0 0 ${Math.max(player.length - 1, 1)} ${highest}`);
    /** @param {number} frame */
    const place = (frame) => `${frame} ${highest - (values[frame] ?? 0)}`;
    const pieces = values.map((value, frame) =>
      value === null ? "" : `${(values[frame - 1] ?? null) === null ? "M" : "L"}${place(frame)}`,
    );
    this.curve.setAttribute("d", pieces.join(""));
    this.dot.setAttribute("d", now === null ? "" : `M${place(player.frame)}h0`);
    this.top.textContent = String(highest);
    this.output.value = reading(name, now);
    this.svg.setAttribute("aria-label", `${name.replaceAll("_", " ")} over time, now ${reading(name, now)}`);
    return missing.length > MOST_NEW;
  }
}
