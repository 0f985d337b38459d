/**
 * The curves of a measure over time: that of the page, and in a comparison one for each picture, in its own
 * ink.
 */

import { draft, roundedUp, ticks } from "./axes.js";

/** @import { Frame, Player } from "./player.js" */
/**
 * @typedef {(number | null | undefined)[]} Values Of a measure, frame by frame; undefined where the state was
 *   forgotten before.
 */
/**
 * @typedef {{label: string, ink: string, values: Values}} Curve Its label has a line for each part between
 *   commas.
 */

const MOST_NEW = 40;
const [LETTER, ABOVE, BELOW] = [7, 22, 34]; // Pixels: width of a letter, and room around the curves
const [LINE, MOST_LINES] = [13, 8];

export class Chart {
  /**
   * @param {SVGElement} svg
   * @param {HTMLSelectElement} choice
   * @param {Player} player
   * @param {import("./measures.js").Measures} measures
   */
  constructor(svg, choice, player, measures) {
    this.svg = svg;
    this.choice = choice;
    this.player = player;
    this.measures = measures;
    this.stale = false;
  }

  /** The curve of this page, and in gray that of the run before the last change. @returns {Curve[]} */
  get own() {
    const { before, length, actions } = this.player;
    const now = { label: "", ink: "var(--ink)", values: this.values() };
    if (before.length <= (actions[actions.length - 1]?.frame ?? 0) + 1) return [now];
    const past = { label: "before", ink: "var(--edge)", values: this.values(before.slice(0, length)) };
    return [{ ...now, label: "now" }, past];
  }

  /**
   * Values of frames, all that are computed unless others are given; only some are measured anew each time.
   * @param {Frame[]} history
   * @returns {Values}
   */
  values(history = this.player.history) {
    const missing = history.filter(
      ({ measures, groups }) => groups.length && !measures.has(this.choice.value),
    );
    for (const frame of missing.slice(0, MOST_NEW)) this.measures.value(frame, this.choice.value);
    this.stale ||= missing.length > MOST_NEW;
    return history.map(({ measures }) => measures.get(this.choice.value));
  }

  /** Draws the curves of all pictures, the first of which is that of this page. @param {Curve[]} curves */
  draw(curves) {
    const { svg, player, choice } = this;
    const { frame } = player;
    const [name, unit] = [choice.value, this.measures.units[choice.value]];
    const most = Math.max(1, ...curves.flatMap(({ values }) => values.map((value) => value ?? 0)));
    // A fraction may be a bit above 1.
    const [last, highest] = [Math.max(player.length - 1, 1), roundedUp(most - 1e-9)];
    const lines = curves.flatMap(({ label }) => label.split(", "));
    const labeled = curves.length > 1 && lines.length <= MOST_LINES;
    const aside = labeled ? Math.min(LETTER * Math.max(...lines.map(({ length }) => length)) + 12, 130) : 8;
    const left = 8 + LETTER * Math.max(...[0, highest / 2, highest].map((number) => `${number}`.length));
    const [right, bottom] = [svg.clientWidth - aside, svg.clientHeight - BELOW];
    /** @param {number} at */
    const across = (at) => left + (at / last) * (right - left);
    /** @param {number} value */
    const up = (value) => bottom - (value / highest) * (bottom - ABOVE);
    svg.replaceChildren();
    const draw = draft(svg);
    draw("text", { x: 0, y: 12 }, `${choice.selectedOptions[0].textContent}${unit && ` (${unit})`}`);
    draw("text", { x: right, y: bottom + 30, "text-anchor": "end" }, "time (frames)");
    for (const value of [0, highest / 2, highest]) {
      draw("path", { class: "grid", d: `M${left} ${up(value)}H${right}` });
      draw("text", { x: left - 5, y: up(value) + 4, "text-anchor": "end" }, `${value}`);
    }
    for (const at of ticks(0, last, 6))
      draw("text", { x: across(at), y: bottom + 15, "text-anchor": "middle" }, `${at}`);
    for (const at of new Set(player.actions.map((action) => action.frame)))
      draw("path", { class: "event", d: `M${across(at)} ${ABOVE}V${bottom}` });
    for (const { ink, values } of curves) {
      let sign = "M";
      const pieces = values.map((value, at) => {
        if (value === undefined) return "";
        const piece = value === null ? "" : `${sign}${across(at)} ${up(value)}`;
        sign = value === null ? "M" : "L";
        return piece;
      });
      draw("path", { stroke: ink, d: pieces.join("") });
      const now = values[frame] ?? null;
      if (now !== null) draw("circle", { fill: ink, cx: across(frame), cy: up(now), r: 3.5 });
    }
    let least = ABOVE - LINE;
    let below = lines.length;
    const ends = curves.map((curve) => ({ ...curve, y: up(curve.values.at(-1) ?? 0) }));
    for (const { label, ink, values, y } of labeled ? ends.sort((one, other) => one.y - other.y) : []) {
      for (const line of label.split(", ")) {
        // Lines keep apart, and leave room for those below.
        least = Math.max(least + LINE, Math.min(y + 4, bottom + LINE - LINE * below--));
        draw("text", { x: across(values.length - 1) + 7, y: least, fill: ink }, line);
      }
    }
    const read = curves.map(({ label, values }) =>
      `${label} ${this.measures.reading(name, values[frame] ?? null)}`.trim(),
    );
    svg.setAttribute("aria-label", `${name.replaceAll("_", " ")} over time, now ${read.join(", ")}`);
  }
}
