/** Sliders and switches for the keys of a scenario, which events move, too. */

import { valueAt } from "./timeline.js";

/** @import { Player } from "./player.js" */
/** @import { Tables } from "./types.js" */
/**
 * @typedef {object} Control  What `controls.py` writes.
 * @property {string} key dotted, with the number of its table @property {string} label @property {string} group
 * @property {string} rule that it belongs to, or empty @property {number} low @property {number} high
 * @property {number} step @property {string} help
 */

const APART = 3;
const DRAG = 4; // Pixels for a step of a number

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {{[property: string]: unknown}} keys @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, keys, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, keys);
  made.append(...children);
  return made;
}

/** An element of the page by its id. @template {Element} Kind @param {string} id @param {new () => Kind} kind @returns {Kind} */
export function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${id}`);
  return found;
}

/** Shows an error, or none. @param {string} error */
export function tell(error) {
  part("error", HTMLElement).textContent = error;
}

/** Says something to those who do not see the page. @param {string} news */
export function say(news) {
  part("status", HTMLElement).textContent = news;
}

/** Things by a property, in their order. @template Kind @param {Kind[]} all @param {(one: Kind) => string} property */
function grouped(all, property) {
  /** @type {Map<string, Kind[]>} */
  const groups = new Map();
  for (const one of all) groups.set(property(one), [...(groups.get(property(one)) ?? []), one]);
  return groups;
}

/** @param {number} value */
const shown = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "∞");

/** @typedef {{row: HTMLElement, update: (tables: Tables) => void}} Part  An element, which shows what is in force. */

/** A slider with its number. @param {Control} control @param {Controls} controls @param {string} prefix of its id @returns {Part} */
function slider({ low, high, step, label, key, group, help }, controls, prefix) {
  const id = `${prefix}-${key.replaceAll(".", "-")}`;
  const input = element("input", { type: "range", id, min: `${low}`, max: `${high}`, step: `${step}` });
  input.setAttribute("aria-label", `${group}: ${label}`);
  input.oninput = () => controls.set(key, Number(input.value), false);
  input.onchange = () => controls.set(key, Number(input.value), true);
  const output = element("output", {});
  output.htmlFor.add(id);
  const name = element("label", { htmlFor: id, className: "name" }, label);
  const row = element("div", { className: "slider", title: help }, name, input, output);
  return {
    row,
    update(tables) {
      const value = valueAt(tables, key);
      if (typeof value !== "number") return;
      output.value = shown(value);
      if (input.matches(":active")) return;
      input.value = `${value}`;
      input.setAttribute("aria-valuetext", shown(value));
    },
  };
}

/** A switch that sets the weight of a rule to zero and back. @param {Control} control of the weight @param {Controls} controls @returns {Part} */
function flipped({ key, rule, group }, controls) {
  const input = element("input", { type: "checkbox", role: "switch", onchange: () => controls.flip(key) });
  input.setAttribute("aria-label", `${group}: rule ${rule.replaceAll("_", " ")}`);
  return {
    row: element("label", { className: "switch" }, input, rule.replaceAll("_", " ")),
    update(tables) {
      input.checked = valueAt(tables, key) !== 0;
    },
  };
}

export class Controls {
  /** @param {HTMLElement} place @param {Control[]} controls @param {Player} player @param {string} prefix of ids */
  constructor(place, controls, player, prefix = "slider") {
    this.prefix = prefix;
    this.player = player;
    /** @type {Part[]} */
    this.all = [];
    /** @type {{box: HTMLElement, kind: string, number: number}[]} */
    this.boxes = [];
    /** @type {Map<string, {value: number, at: number}>} */
    this.latest = new Map();
    for (const [group, own] of grouped(controls, (control) => control.group)) {
      const box = element("fieldset", {}, element("legend", {}, group));
      for (const [rule, keys] of grouped(own, (control) => control.rule)) box.append(this.part(rule, keys));
      const [kind, number] = own[0].key.split(".");
      this.boxes.push({ box, kind, number: Number(number) });
      place.append(box);
    }
  }

  /** The sliders of a rule under its switch. @param {string} rule @param {Control[]} controls */
  part(rule, controls) {
    const part = element("div", { className: rule ? "rule ruled" : "rule" });
    const weight = controls.find(({ key }) => rule && key.endsWith(".weight"));
    const sliders = controls.map((one) => slider(one, this, this.prefix));
    part.append(...sliders.map(({ row }) => row));
    this.all.push(...sliders);
    if (!weight) return part;
    const off = flipped(weight, this);
    const first = sliders[controls.indexOf(weight)].row;
    first.replaceChild(off.row, first.children[0]);
    this.all.push(off);
    return part;
  }

  /** Sets a key; while a slider is dragged, only every few frames. @param {string} key @param {number} value @param {boolean} last */
  set(key, value, last) {
    const before = this.latest.get(key);
    const { frame } = this.player;
    if (!last && before && this.player.playing && Math.abs(frame - before.at) < APART) return;
    if (last && before?.value === value && before.at <= frame && valueAt(this.player.shown.tables, key) === value)
      return;
    this.latest.set(key, { value, at: frame });
    this.player.change([[key, value]]);
  }

  /** Sets a weight to zero, or back to what it last was. @param {string} key */
  flip(key) {
    const { history, frame } = this.player;
    const weights = history.slice(0, frame + 1).map(({ tables }) => valueAt(tables, key));
    this.set(key, weights.pop() ? 0 : (weights.reverse().find(Boolean) ?? 1), true);
  }

  /** Moves sliders and switches to what is in force. */
  update() {
    const { tables, groups } = this.player.shown;
    for (const { box, kind, number } of this.boxes) {
      box.hidden = groups.filter((group) => group.kind === kind)[number]?.count === 0;
    }
    if (tables) for (const control of this.all) control.update(tables);
  }
}

/** Lets a number be dragged left and right, and moved by keys, as a slider is. @param {HTMLElement} node @param {Control} control @param {Controls} controls */
export function draggable(node, { key, group, rule, label, low, high, step }, controls) {
  Object.assign(node, { role: "slider", tabIndex: 0, className: "drag", ariaValueMin: low, ariaValueMax: high });
  node.ariaLabel = `${group}: ${rule.replaceAll("_", " ")} ${label}`;
  node.title = "Drag left or right";
  /** @param {number} value @param {boolean} last */
  const set = (value, last) => {
    const rounded = low + step * Math.round((value - low) / step);
    controls.set(key, Number(Math.max(low, Math.min(high, rounded)).toPrecision(9)), last);
  };
  /** @returns {number} */
  const now = () => valueAt(controls.player.shown.tables, key);
  let [from, first] = [0, 0];
  node.onpointerdown = (event) => {
    node.setPointerCapture(event.pointerId);
    [from, first] = [event.clientX, now()];
  };
  node.onpointermove = node.onpointerup = ({ pointerId, clientX, type }) => {
    if (node.hasPointerCapture(pointerId)) set(first + (step * (clientX - from)) / DRAG, type === "pointerup");
  };
  node.onkeydown = (event) => {
    /** @type {{[key: string]: number}} */
    const to = { ArrowLeft: now() - step, ArrowDown: now() - step, ArrowRight: now() + step, ArrowUp: now() + step };
    const wanted = { ...to, Home: low, End: high }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(wanted, true);
  };
}
