/**
 * The curve of a measure under the scrubber, in step with it.
 *
 * @module
 */

import { MEASURES, measure } from "./measures.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./player.js").Frame} Frame */

const MARGIN = 4;
const MOST_NEW = 40;

/** The next round number: 1, 2 or 5 times a power of ten, at least 1. @param {number} value */
export function roundedUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

/** The value of a measure as it is read. @param {string} name @param {number | null} value */
export function reading(name, value) {
  if (value === null) return "-";
  return name === "groups" ? String(value) : value.toFixed(2);
}

export class Chart {
  /** @param {HTMLCanvasElement} canvas @param {HTMLSelectElement} choice @param {HTMLOutputElement} output @param {Player} player @param {number[]} radii */
  constructor(canvas, choice, output, player, radii) {
    this.canvas = canvas;
    this.choice = choice;
    this.output = output;
    this.player = player;
    this.radii = radii;
    this.name = choice.value;
    choice.addEventListener("change", () => {
      this.name = choice.value;
      this.draw();
    });
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
    const { player, canvas, name } = this;
    const pen = canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    if (!pen || !wide) return false;
    if (canvas.width !== Math.round(wide * ratio)) canvas.width = Math.round(wide * ratio);
    if (canvas.height !== Math.round(high * ratio)) canvas.height = Math.round(high * ratio);
    const { history } = player;
    const missing = history.filter((frame) => !frame.measures.has(name));
    for (const frame of [player.shown, ...missing.slice(0, MOST_NEW)]) this.value(frame, name);
    const values = history.map((frame) => frame.measures.get(name) ?? null);
    const highest = MEASURES[name].most ?? roundedUp(Math.max(...values.map((value) => value ?? 0)));
    /** @param {number} frame */
    const x = (frame) => MARGIN + (frame / Math.max(player.length - 1, 1)) * (wide - 2 * MARGIN);
    const style = getComputedStyle(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    pen.strokeStyle = style.borderTopColor;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const level of [MARGIN + 0.5, Math.round(high / 2) + 0.5, high - MARGIN - 0.5]) {
      pen.moveTo(MARGIN, level);
      pen.lineTo(wide - MARGIN, level);
    }
    pen.stroke();
    pen.strokeStyle = style.color;
    pen.lineWidth = 1.6;
    pen.beginPath();
    let drawn = false;
    values.forEach((value, frame) => {
      if (value === null) {
        drawn = false;
        return;
      }
      const y = high - MARGIN - (value / highest) * (high - 2 * MARGIN);
      if (drawn) pen.lineTo(x(frame), y);
      else pen.moveTo(x(frame), y);
      drawn = true;
    });
    pen.stroke();
    const now = this.value(player.shown, name);
    pen.fillStyle = style.color;
    pen.beginPath();
    if (now !== null) pen.arc(x(player.frame), high - MARGIN - (now / highest) * (high - 2 * MARGIN), 3.5, 0, 7);
    pen.fill();
    pen.font = `12px ${style.fontFamily}`;
    pen.textBaseline = "top";
    pen.fillText(String(highest), MARGIN + 2, MARGIN + 3);
    this.output.value = reading(name, now);
    canvas.setAttribute("aria-label", `${name.replaceAll("_", " ")} over time, now ${reading(name, now)}`);
    return missing.length > MOST_NEW;
  }
}
