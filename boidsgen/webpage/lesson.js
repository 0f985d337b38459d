/**
 * Lessons: a question, words that move with the numbers, and steps in which readers predict, act and see why.
 *
 * Texts are data: a few marks of Markdown become elements, and nothing in them runs. A step is done once its
 * condition holds in a frame that is shown, and stays so; no step waits for another one.
 */

import { Controls, draggable, element, part, say } from "./controls.js";
import { fixed } from "./measures.js";
import { valueAt } from "./timeline.js";

/** @import { Control } from "./controls.js" */
/** @import { Chart } from "./chart.js" */
/** @import { Measures } from "./measures.js" */
/** @import { Player } from "./player.js" */
/** @typedef {any[]} Tree  Of a condition, as lessons.py makes it. */
/**
 * @typedef {object} Step What `controls.py` writes; `until` and keys have the numbers of tables.
 * @property {string} do
 * @property {string[]} predict
 * @property {string} then
 * @property {string} hint
 * @property {string[]} keys
 * @property {Tree} until
 * @property {{at: number, key: string, value: number}[]} show
 * @property {string} measure
 */
/**
 * @typedef {{question: string, words: string, controls: Control[], steps: Step[], predictions: {[step:
 *   string]: string}}} LessonData
 */
/**
 * @typedef {{box: HTMLDetailsElement, title: HTMLElement, hint: HTMLElement, then: HTMLElement, choices:
 *   HTMLInputElement[], controls: Controls, done: boolean, waited: number}} Shown A step on the page.
 */

const PATIENCE = 30; // Seconds of playing until a hint comes
/** Those within the radius, wherever one looks. */
const EVERYBODY = { field_of_view: 360, neighbors: null, coincident: "count" };
const MARKS = /(\*\*[^*]+\*\*|\*(?=\S)[^*]+\*|`[^`]+`|\{[^{}]*\})/;

/**
 * Nodes of a text.
 * @param {string} text
 * @param {(braced: string) => Node | string} name for what stands in braces
 * @returns {(Node | string)[]}
 */
function marked(text, name = (braced) => `{${braced}}`) {
  return text.split(MARKS).map((piece, number) => {
    if (number % 2 === 0) return piece;
    if (piece[0] === "{") return name(piece.slice(1, -1));
    if (piece[0] === "`") return element("code", {}, piece.slice(1, -1));
    const cut = piece.startsWith("**") ? 2 : 1;
    return element(cut === 2 ? "strong" : "em", {}, ...marked(piece.slice(cut, -cut), name));
  });
}

/**
 * True if a condition holds where names have these values.
 * @param {Tree} tree
 * @param {(name: string) => number | null} value
 * @returns {boolean}
 */
function holds([sign, ...parts], value) {
  if (sign === "not") return !holds(parts[0], value);
  if (sign === "and") return parts.every((part) => holds(part, value));
  if (sign === "or") return parts.some((part) => holds(part, value));
  const [one, other] = parts.map((part) => (typeof part === "string" ? value(part) : part));
  if (one === null || other === null) return false;
  /** @type {{[sign: string]: boolean}} */
  const found = {
    "==": one === other,
    "<": one < other,
    "<=": one <= other,
    ">": one > other,
    ">=": one >= other,
  };
  return sign === "!=" ? one !== other : found[sign];
}

export class Lesson {
  /**
   * @param {LessonData} lesson
   * @param {Control[]} controls of the page
   * @param {Player} player
   * @param {Measures} measures
   * @param {Chart} chart
   */
  constructor(lesson, controls, player, measures, chart) {
    this.player = player;
    this.measures = measures;
    this.chart = chart;
    this.lesson = lesson;
    /** Changes that "Show me" has still to make. @type {Step["show"]} */
    this.acts = [];
    this.frame = -1;
    /** @type {(() => void)[]} */
    this.numbers = [];
    this.setter = new Controls(element("div", {}), [], player);
    this.all = [...controls, ...lesson.controls];
    player.predictions = { ...lesson.predictions };
    part("question", HTMLElement).append(...marked(lesson.question));
    part("told", HTMLElement).append(...marked(lesson.words, (braced) => this.number(braced)));
    /** @type {Shown[]} */
    this.shown = lesson.steps.map((step, number) => this.placed(step, number));
    part("steps", HTMLElement).append(...this.shown.map(({ box }) => element("li", {}, box)));
    if (this.shown.length) this.shown[0].box.open = true;
    player.listeners.push(() => this.look());
  }

  /**
   * The value of a measure, of a key, of `frame` or of `neighbors` in the frame shown.
   * @param {string} name
   * @returns {number | null}
   */
  value(name) {
    const { tables, groups, measures } = this.player.shown;
    if (name in this.measures.units) return this.measures.value(this.player.shown, name);
    if (name === "frame") return this.player.frame;
    if (name !== "neighbors") return valueAt(tables, name) ?? null;
    if (!measures.has(name)) {
      const flocks = groups.filter(({ kind }) => kind === "flock");
      const counts = flocks.flatMap((flock, number) =>
        this.measures.perceived(flock, { ...EVERYBODY, radius: tables.flock[number].perception.radius }),
      );
      measures.set(
        name,
        counts.length ? counts.reduce((sum, count) => sum + count, 0) / counts.length : null,
      );
    }
    return measures.get(name) ?? null;
  }

  /**
   * A number in the words, which moves its key where it has one.
   * @param {string} braced name, and format if any
   */
  number(braced) {
    const [name, format] = braced.split(":");
    const control = this.all.find(({ key }) => key === name);
    const node = element("b", {});
    const read = () => {
      const value = this.value(name);
      if (value === null) return "-";
      return format ? fixed(value, Number(format[1])) : `${Number(value.toPrecision(3))}`;
    };
    this.numbers.push(() => {
      node.textContent = read();
      if (!control) return;
      node.ariaValueNow = `${this.value(name)}`;
      node.ariaValueText = node.textContent;
    });
    if (control) draggable(node, control, this.setter);
    return node;
  }

  /** A step as it stands in the list. @param {Step} step @param {number} number @returns {Shown} */
  placed(step, number) {
    const title = element("b", {}, `Step ${number + 1}`);
    const box = element("details", {}, element("summary", {}, title, " ", ...marked(step.do)));
    box.setAttribute("name", "step"); // one is open at a time
    const guess = element(
      "fieldset",
      { hidden: !step.predict.length },
      element("legend", {}, "Your prediction"),
    );
    const choices = step.predict.map((text) => {
      const input = element("input", { type: "radio", name: `predict-${number + 1}`, value: text });
      input.onchange = () => void Object.assign(this.player.predictions, { [number + 1]: text });
      guess.append(element("label", { className: "predict" }, input, element("span", {}, ...marked(text))));
      return input;
    });
    const place = element("div", {});
    const mine = step.keys.flatMap((wanted) => this.all.find(({ key }) => key === wanted) ?? []);
    const controls = new Controls(place, mine, this.player, `step-${number + 1}`);
    const show = element("button", { type: "button", hidden: !step.show.length }, "Show me");
    show.onclick = () => this.show(step);
    const next = element(
      "button",
      { type: "button", hidden: number + 1 === this.lesson.steps.length },
      "Next step",
    );
    next.onclick = () => {
      const { box: following } = this.shown[number + 1];
      following.open = true;
      following.querySelector("summary")?.focus();
    };
    const hint = element("p", { hidden: true, className: "hint" }, ...marked(step.hint));
    const then = element("div", { hidden: true }, element("p", {}, ...marked(step.then)), next);
    box.append(guess, place, hint, element("div", { className: "bar" }, show), then);
    box.ontoggle = () => {
      const { choice } = this.chart;
      if (!box.open) return;
      if (choice.value === step.measure) return this.update();
      choice.value = step.measure;
      this.player.changed();
    };
    return { box, title, hint, then, choices, controls, done: false, waited: 0 };
  }

  /** Begins anew and makes the changes of a step at their frames. @param {Step} step */
  show(step) {
    this.acts = [...step.show].sort((one, other) => one.at - other.at);
    this.player.restart(this.player.seed);
    this.player.play(true);
  }

  /** Looks whether the step that comes next, or is open, is done in this frame. */
  look() {
    const { player, shown } = this;
    while (this.acts.length && player.frame >= this.acts[0].at) {
      const { key, value } = /** @type {Step["show"][0]} */ (this.acts.shift());
      player.set(key, value);
    }
    const following = shown.find(({ done }) => !done);
    const passed = player.playing && player.frame !== this.frame ? 1 / (player.look.fps * player.speed) : 0;
    this.frame = player.frame;
    shown.forEach((one, number) => {
      if (one.done || (one !== following && !one.box.open)) return;
      const { until, then, hint } = this.lesson.steps[number];
      one.waited += passed;
      one.hint.hidden = one.waited < PATIENCE || !hint;
      if (!holds(until, (name) => this.value(name))) return;
      one.done = one.hint.hidden = true;
      one.then.hidden = false;
      one.title.textContent = `Step ${number + 1} · done`;
      say(`Step ${number + 1} is done. ${then}`);
    });
  }

  /** Shows the numbers of the frame. */
  update() {
    for (const number of this.numbers) number();
    this.shown.forEach(({ choices, controls }, number) => {
      controls.update();
      for (const choice of choices) choice.checked = this.player.predictions[number + 1] === choice.value;
    });
  }

  /** The steps with what is done and predicted. */
  get steps() {
    const { predictions } = this.player;
    return this.shown.map(({ done }, number) => ({
      ...{ do: this.lesson.steps[number].do, done, predicted: predictions[number + 1] ?? null },
    }));
  }
}
