/**
 * An article: its flocks come alive as they come near, play in sight and rest out of it, and the numbers and
 * sliders in the text are theirs.
 */

import { inflated } from "./kernel.js";
import { fixed } from "./measures.js";
import { begin } from "./outer.js";
import { phrase } from "./words.js";

/** @import { Control } from "./controls.js" */
/**
 * @typedef {object} Inside What the page of a flock offers.
 * @property {boolean} playing
 * @property {() => void} play
 * @property {() => void} pause
 * @property {(frame: number) => void} seek
 * @property {(key: string) => number} get
 * @property {(key: string, value: number) => void} set
 * @property {(measure: string) => number | null} measure
 * @property {() => {[key: string]: number}} moved
 * @property {(act: () => void) => void} listen
 * @property {(key: string, value: number, last: boolean) => void} turn
 * @property {(node: HTMLElement, control: Control) => void} drag
 */

begin(".bar, .bar *, .answers");
const READY = 30; // Milliseconds between two looks whether a flock is alive
const SEEN = 0.3; // Part of a flock that is in sight when it plays
const still = matchMedia("(prefers-reduced-motion: reduce)");
/** Parts that flocks have in common, and their pages. @type {Promise<[string[], string[]]>} */
const stored = inflated(document.getElementById("flocks")?.textContent ?? "").then((bytes) =>
  JSON.parse(new TextDecoder().decode(bytes)),
);

class Flock {
  /** @param {HTMLElement} figure @param {number} number */
  constructor(figure, number) {
    this.figure = figure;
    this.number = number;
    /** @type {Inside | null} */
    this.inside = null;
    this.opened = this.seen = this.asked = false;
    this.wanted = !still.matches; // It plays as soon as it is in sight
    this.button = /** @type {HTMLButtonElement} */ (figure.querySelector(".play"));
    this.button.onclick = () => this.play(!this.inside?.playing);
    /** @type {NodeListOf<HTMLElement>} */
    this.nodes = document.querySelectorAll(`[data-flock="${number}"]`);
    const again = /** @type {HTMLButtonElement} */ (figure.querySelector(".again"));
    again.onclick = () => this.restart();
    const picture = /** @type {HTMLElement} */ (figure.querySelector(".picture"));
    picture.onclick = () => this.button.click();
  }

  /** Puts the page of the flock over its picture. */
  async open() {
    if (this.opened) return;
    this.opened = true;
    const [shared, pages] = await stored;
    const frame = Object.assign(document.createElement("iframe"), { inert: true, tabIndex: -1 });
    frame.srcdoc = pages[this.number].replace(/@(\d+)@/g, (_, number) => shared[number]);
    this.figure.querySelector(".picture")?.append(frame);
    const found = () => /** @type {any} */ (frame.contentWindow)?.boidsgen;
    while (!found()) await new Promise((resolve) => setTimeout(resolve, READY));
    this.begin(found());
    this.figure.classList.add("alive");
  }

  /** @param {Inside} inside the page, once it is alive */
  begin(inside) {
    this.inside = inside;
    for (const node of this.nodes) {
      const { key, control } = node.dataset;
      if (node instanceof HTMLInputElement && key)
        node.oninput = node.onchange = ({ type }) => inside.turn(key, node.valueAsNumber, type === "change");
      else if (control) inside.drag(node, JSON.parse(control));
    }
    inside.listen(() => {
      if (!this.asked) requestAnimationFrame(() => this.update());
      this.asked = true;
    });
    this.update();
    this.see(this.seen);
  }

  /** Plays what comes into sight, and lets rest what leaves it. @param {boolean} seen */
  see(seen) {
    this.seen = seen;
    if (!this.inside || this.inside.playing === (seen && this.wanted)) return;
    seen && this.wanted ? this.inside.play() : this.inside.pause();
  }

  /** @param {boolean} wanted */
  play(wanted) {
    this.wanted = wanted;
    this.see(true);
  }

  /** Begins anew, with the values that the sliders have now. */
  restart() {
    const { inside } = this;
    const moved = Object.entries(inside?.moved() ?? {});
    inside?.seek(0);
    for (const [key, value] of moved) inside?.set(key, value);
    this.play(true);
  }

  /** Shows the numbers of the frame. */
  update() {
    this.asked = false;
    const inside = /** @type {Inside} */ (this.inside);
    this.button.ariaLabel = phrase(inside.playing ? "Pause" : "Play");
    this.figure.classList.toggle("playing", inside.playing);
    for (const node of this.nodes) {
      const { key, measure, digits } = node.dataset;
      const value = key ? inside.get(key) : inside.measure(measure ?? "");
      const short = `${Number((value ?? 0).toPrecision(3))}`;
      const text = value === null ? "–" : digits ? fixed(value, Number(digits)) : short;
      if (node instanceof HTMLInputElement) {
        if (!node.matches(":active")) node.value = `${value}`;
        /** @type {HTMLOutputElement} */ (node.nextElementSibling).value = node.ariaValueText = text;
      } else if (node.textContent !== text) node.textContent = text;
      if (node.role === "slider") Object.assign(node, { ariaValueNow: `${value}`, ariaValueText: text });
    }
  }
}

/** @type {Map<Element, Flock>} */
const flocks = new Map();
const figures = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".flock"))];
figures.forEach((figure, number) => void flocks.set(figure, new Flock(figure, number)));
const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) flocks.get(target)?.open();
  },
  { rootMargin: "100%" },
);
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, intersectionRatio } of entries) flocks.get(target)?.see(intersectionRatio >= SEEN);
  },
  { threshold: [0, SEEN] },
);
for (const flock of flocks.values()) {
  sight.observe(flock.figure);
  near.observe(flock.figure);
  // A number may be far from its flock.
  for (const node of flock.nodes) {
    flocks.set(node, flock);
    near.observe(node);
  }
}
for (const question of document.querySelectorAll(".question"))
  for (const answer of /** @type {NodeListOf<HTMLButtonElement>} */ (question.querySelectorAll(".answer")))
    answer.onclick = () => {
      answer.ariaPressed = "true";
      question.classList.add("answered");
      question.querySelector(".outcome > div")?.removeAttribute("hidden");
    };
