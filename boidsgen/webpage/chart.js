/**
 * The curves of a measure over time, on which the scrubber lies: that of the page, and in a comparison one
 * for each picture, in its own ink.
 */

import { draft, roundedUp, ticks } from "./axes.js";
import { general } from "./measures.js";
import { held } from "./timeline.js";
import { inWords, numeral, phrase } from "./words.js";

/** @import { Frame, Player } from "./player.js" */
/**
 * @typedef {(number | null | undefined)[]} Values Of a measure, frame by frame; undefined where the state was
 *   forgotten before.
 */
/**
 * @typedef {{label: string, ink: string, values: Values, past?: boolean, again?: boolean}} Curve Its label
 *   has a line for each part between commas; a run before is dashed, an ink that is used again dotted.
 */

const MOST_NEW = 40;
const LETTER = 0.56; // Width of a letter, of its height
const CLOCK = 0.46; // The same of digits, spaces and words
const MOST_LINES = 8;
const NARROW = 480; // Pixels of a chart up to which curves need the width more than names of flocks

/**
 * Round values of an axis. It begins at 0 unless all that it shows is far from there, and fractions do not
 * end before 1.
 * @param {number[]} values
 */
function scale(values) {
  const [least, most] = [Math.min(0.8 * Math.max(0, ...values), ...values), Math.max(1, ...values) - 1e-9];
  const from = most > 1 && least > most / 2 ? least : Math.min(0, least);
  const step = roundedUp((most - from) / 2);
  const first = Math.floor(from / step);
  return Array.from({ length: Math.ceil(most / step) - first + 1 }, (_, at) => (first + at) * step);
}

export class Chart {
  /**
   * @param {SVGElement} svg
   * @param {HTMLSelectElement} choice
   * @param {Player} player
   * @param {import("./measures.js").Measures} measures
   * @param {import("./controls.js").Control[]} controls whose keys have names
   */
  constructor(svg, choice, player, measures, controls) {
    this.controls = controls;
    this.svg = svg;
    this.choice = choice;
    this.player = player;
    this.measures = measures;
    this.stale = false;
    this.missing = 0; // Values, when it was drawn last
  }

  /** The curve of this page, and in gray that of the run before the last change. @returns {Curve[]} */
  get own() {
    const { before, length, actions } = this.player;
    const now = { label: "", ink: "var(--ink)", values: this.values() };
    if (before.length <= (actions[actions.length - 1]?.frame ?? 0) + 1) return [now];
    const values = this.values(before.slice(0, length));
    const past = { label: phrase("before"), ink: "var(--quiet)", values, past: true };
    return [{ ...now, label: phrase("now") }, past];
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

  /** A key as its control names it, with its value; "" without. @param {string} key @param {any} value */
  setting(key, value) {
    const control = this.controls.find((one) => one.key === held(this.player.shown.tables, key)[2]);
    if (!control) return "";
    const { rule, label } = control;
    return `${rule && label === "weight" ? inWords(rule) : phrase(label)} ${numeral(general(value))}`;
  }

  /** Draws the curves of all pictures, the first of which is that of this page. @param {Curve[]} curves */
  draw(curves) {
    const { svg, player } = this;
    const [frame, name] = [player.frame, this.choice.value];
    const marks = scale(curves.flatMap(({ values }) => values.flatMap((value) => value ?? [])));
    const [last, lowest, high] = [Math.max(player.length - 1, 1), marks[0], marks.at(-1) ?? 1];
    const lines = curves.flatMap(({ label }) => label.split(", "));
    const roomy = svg.clientWidth > NARROW || curves[1]?.past; // captions name flocks, too
    const labeled = curves.length > 1 && lines.length <= MOST_LINES && roomy;
    const size = Number.parseFloat(getComputedStyle(svg).fontSize);
    const [above, below] = [1.2 * size, 1.5 * size];
    /** @param {string[]} texts */
    const room = (texts) => LETTER * size * Math.max(...texts.map(({ length }) => length)) + 0.6 * size;
    const aside = labeled ? Math.min(room(lines) + 0.6 * size, 0.35 * svg.clientWidth) : 0.6 * size;
    const left = room(marks.map(String));
    const [right, bottom] = [svg.clientWidth - aside, svg.clientHeight - below];
    for (const [side, length] of Object.entries({ left, right: aside, bottom: below, high: bottom - above }))
      svg.parentElement?.style.setProperty(`--${side}`, `${length}px`);
    /** @param {number} at */
    const across = (at) => left + (at / last) * (right - left);
    /** @param {number} value */
    const up = (value) => bottom - ((value - lowest) / (high - lowest)) * (bottom - above);
    svg.replaceChildren();
    // Pictures of a comparison measure on until they have all values that there are.
    const missing = curves.flatMap(({ values }) => values.filter((value) => value === undefined)).length;
    if (missing !== this.missing) setTimeout(() => player.changed());
    this.missing = missing;
    const draw = draft(svg);
    const clock = `${frame} / ${player.length - 1} ${phrase("frames")}`;
    draw("text", { x: right, y: svg.clientHeight - 0.3 * size, "text-anchor": "end" }, clock);
    marks.forEach((value, at) => {
      draw("path", { class: at || !value ? "grid" : "grid cut", d: `M${left} ${up(value)}H${right}` });
      draw("text", { x: left - 0.4 * size, y: up(value) + 0.3 * size, "text-anchor": "end" }, `${value}`);
    });
    for (const at of ticks(0, last, 5))
      if (across(at) < right - (CLOCK * clock.length + 0.6) * size)
        draw("text", { x: across(at), y: svg.clientHeight - 0.3 * size, "text-anchor": "middle" }, `${at}`);
    const taken = player.guesses.map((at) => [across(at) - 6, across(at) + 6]);
    /**
     * Names a mark above the curves, on the first of the sides where there is room.
     * @param {string} text @param {number} at @param {number[]} sides 1 for the right one, -1 for the left
     */
    const note = (text, at, sides) =>
      (text ? sides : []).some((side) => {
        const x = across(at) + 0.6 * side * size;
        const [from, to] = [x, x + side * room([text])].sort((one, other) => one - other);
        if (from < left || to > svg.clientWidth || taken.some((one) => from < one[1] && one[0] < to))
          return false;
        taken.push([from, to]);
        draw("text", { x, y: above - 0.5 * size, "text-anchor": side > 0 ? "start" : "end" }, text);
        return true;
      });
    for (const { frame: at, key, value } of [...player.actions].reverse()) {
      draw("path", { class: "event", d: `M${across(at)} ${above}V${bottom}` });
      note(this.setting(key, value), at, [1, -1]);
    }
    for (const at of [...player.guesses].reverse()) {
      draw("path", { class: "guess", d: `M${across(at)} ${above - 4}l-6 -6 6 -6 6 6z` });
      if (!note(phrase("Your guess"), at, [-1, 1])) note("?", at, [-1, 1]);
    }
    for (const { ink, values, past, again } of curves) {
      const known = [...values.entries()].filter(([, value]) => value !== undefined);
      const pieces = known.map(([at, value], number) => {
        const sign = (known[number - 1]?.[1] ?? null) === null ? "M" : "L";
        return value == null ? "" : `${sign}${across(at)} ${up(value)}`;
      });
      draw("path", { stroke: ink, class: past ? "before" : again ? "again" : "now", d: pieces.join("") });
      const now = values[frame] ?? null;
      if (now !== null) draw("circle", { fill: ink, cx: across(frame), cy: up(now), r: 3.5 });
    }
    let least = above - size;
    let following = lines.length;
    const ends = curves.map((curve) => ({ ...curve, y: up(curve.values.at(-1) ?? lowest) }));
    for (const { label, ink, values, past, y } of labeled ? ends.sort((one, other) => one.y - other.y) : []) {
      for (const line of label.split(", ")) {
        // Lines keep apart, and leave room for those below.
        least = Math.max(least + size, Math.min(y + 0.3 * size, bottom + size - size * following--));
        const end = Math.max(values.length - 1, past ? 0 : frame); // beside the line of the scrubber
        const fill = `color-mix(in srgb, ${ink} 60%, var(--ink))`; // to be read
        draw("text", { x: across(end) + 0.5 * size, y: least, fill }, line);
      }
    }
    const read = curves.map(({ label, values }) =>
      `${label} ${this.measures.reading(name, values[frame] ?? null)}`.trim(),
    );
    const values = { measure: inWords(name), values: read.join(", ") };
    svg.setAttribute("aria-label", phrase("{measure} over time, now {values}", values));
  }
}
