/** Sliders and switches for the keys of a scenario, which events move, too. */

import { valueAt } from "./timeline.js";
import { inWords, phrase } from "./words.js";

/** @import { Player } from "./player.js" */
/**
 * @typedef {object} Control What `controls.py` writes.
 * @property {string} key dotted, with the number of its table
 * @property {string} label
 * @property {string} group
 * @property {string} rule that it belongs to, or empty
 * @property {number} low
 * @property {number} high
 * @property {number} step
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

/**
 * An element of the page by its id.
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
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

/**
 * Things by a property, in their order.
 * @template Kind
 * @param {Kind[]} all
 * @param {(one: Kind) => string} property
 */
function grouped(all, property) {
  /** @type {Map<string, Kind[]>} */
  const groups = new Map();
  for (const one of all) groups.set(property(one), [...(groups.get(property(one)) ?? []), one]);
  return groups;
}

/** @param {number} value */
const shown = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "∞");

/** A name for those who do not see what is around. @param {Control} control */
const named = ({ group, rule, label }) =>
  phrase(rule ? "{group}: {rule} {label}" : "{group}: {label}", {
    group: phrase(group),
    rule: inWords(rule),
    label: phrase(label),
  });

/**
 * A slider with its number, or for the weight of a rule its switch before them.
 * @param {Control} control
 * @param {string} prefix of its id
 */
function slider(control, prefix) {
  const { low, high, step, label, key, group, rule } = control;
  const id = `${prefix}-${key.replaceAll(".", "-")}`;
  const range = { type: "range", min: `${low}`, max: `${high}`, step: `${step}` };
  const input = element("input", { ...range, id, name: key, ariaLabel: named(control) });
  const output = element("output", { ariaLive: "off" });
  output.htmlFor.add(id);
  const words = inWords(rule);
  const ariaLabel = phrase("{group}: rule {rule}", { group: phrase(group), rule: words });
  const off = { type: "checkbox", role: "switch", name: key, ariaLabel };
  const name =
    rule && key.endsWith(".weight")
      ? element("label", { className: "switch" }, element("input", off), words)
      : element("label", { htmlFor: id, className: "name" }, phrase(label));
  return element("div", { className: "slider" }, name, input, output);
}

export class Controls {
  /**
   * @param {HTMLElement} place
   * @param {Control[]} controls
   * @param {Player} player
   * @param {string} prefix of ids
   */
  constructor(place, controls, player, prefix = "slider") {
    this.player = player;
    /** @type {Map<string, {value: number, at: number}>} */
    this.latest = new Map();
    const several = controls.some(({ group }) => group !== controls[0].group);
    this.boxes = [...grouped(controls, ({ group }) => group)].map(([group, own]) => {
      const rules = [...grouped(own, ({ rule }) => rule)].map(([rule, keys]) =>
        element(
          "div",
          { className: rule ? "rule ruled" : "rule" },
          ...keys.map((one) => slider(one, prefix)),
        ),
      );
      const box = element("div", { role: "group", ariaLabel: phrase(group) }, ...rules);
      if (several) box.prepend(element("h3", {}, phrase(group)));
      box.dataset.table = own[0].key.split(".", 2).join(".");
      return box;
    });
    place.append(...this.boxes);
    place.oninput = place.onchange = ({ target, type }) => {
      const { name, type: kind, valueAsNumber } = /** @type {HTMLInputElement} */ (target);
      if (kind === "range") this.set(name, valueAsNumber, type === "change");
      else if (type === "change") this.flip(name);
    };
  }

  /**
   * Sets a key; while a slider is dragged, only every few frames.
   * @param {string} key
   * @param {number} value
   * @param {boolean} last
   */
  set(key, value, last) {
    const before = this.latest.get(key);
    const { frame } = this.player;
    if (!last && before && this.player.playing && Math.abs(frame - before.at) < APART) return;
    if (
      last &&
      before?.value === value &&
      before.at <= frame &&
      valueAt(this.player.shown.tables, key) === value
    )
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
    for (const box of this.boxes) {
      const [wanted, number] = (box.dataset.table ?? "").split(".");
      box.hidden = groups.filter(({ kind }) => kind === wanted)[Number(number)]?.count === 0;
      for (const input of box.querySelectorAll("input")) {
        const value = valueAt(tables, input.name);
        if (input.type === "checkbox") input.checked = value !== 0;
        if (input.type === "checkbox" || typeof value !== "number") continue;
        /** @type {HTMLOutputElement} */ (input.nextElementSibling).value = input.ariaValueText =
          shown(value);
        if (!input.matches(":active")) input.value = `${value}`;
      }
    }
  }
}

/**
 * Lets a number be dragged left and right, and moved by keys, as a slider is.
 * @param {HTMLElement} node
 * @param {Control} control
 * @param {Controls} controls
 */
export function draggable(node, control, controls) {
  const { key, low, high, step } = control;
  Object.assign(node, {
    role: "slider",
    tabIndex: 0,
    className: "drag",
    ariaValueMin: low,
    ariaValueMax: high,
  });
  node.ariaLabel = named(control);
  node.title = phrase("Drag left or right");
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
    if (node.hasPointerCapture(pointerId))
      set(first + (step * (clientX - from)) / DRAG, type === "pointerup");
  };
  node.onkeydown = (event) => {
    /** @type {{[key: string]: number}} */
    const to = {
      ArrowLeft: now() - step,
      ArrowDown: now() - step,
      ArrowRight: now() + step,
      ArrowUp: now() + step,
    };
    const wanted = { ...to, Home: low, End: high }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(wanted, true);
  };
}
