/**
 * Lessons: a question, words that move with the numbers, and a card with one step at a time.
 *
 * Readers guess, act, and see what came of it. Texts are data: a few marks of Markdown become elements, and
 * nothing in them runs. A step is done once its condition holds in a frame that is shown, and stays so; no
 * step waits for another one. The first guess counts, and none can be changed once the step is done. What was
 * guessed and reached is kept in the player, which links and files save.
 */

import { Controls, draggable, element, part, say } from "./controls.js";
import { fixed } from "./measures.js";
import { UNTRIED } from "./player.js";
import { valueAt } from "./timeline.js";
import { inWords, numeral, phrase } from "./words.js";

/** @import { Control } from "./controls.js" */
/** @import { Chart } from "./chart.js" */
/** @import { Measures } from "./measures.js" */
/** @import { Frame, Player } from "./player.js" */
/** @import { Attempt } from "./types.js" */
/** @typedef {any[]} Tree  Of a condition, as lessons.py makes it. */
/**
 * @typedef {object} Step What `controls.py` writes; `until` and keys have the numbers of tables.
 * @property {string} do
 * @property {string[]} predict
 * @property {string} answer one of them, or empty
 * @property {string} then
 * @property {string} hint
 * @property {string[]} keys
 * @property {Tree} until
 * @property {{at: number, key: string, value: number}[]} show
 * @property {string} measure
 */
/**
 * @typedef {{question: string, words: string, controls: Control[], steps: Step[], attempts:
 *   Pick<Attempt, "first" | "last" | "shown">[]}} LessonData
 */
/**
 * @typedef {object} Shown A step on the card.
 * @property {HTMLElement[]} nodes of the card @property {HTMLElement} task the first of them
 * @property {HTMLButtonElement} mark that opens it @property {HTMLButtonElement[]} answers
 * @property {HTMLInputElement[]} switches @property {Controls} controls
 * @property {HTMLElement} hint @property {HTMLElement} outcome
 * @property {number} waited seconds of playing @property {string} told in the outcome
 */

const PATIENCE = 30; // Seconds of playing until a hint comes
const STRETCH = 25; // Frames of a mean
/** Those within the radius, wherever one looks. */
const EVERYBODY = { field_of_view: 360, neighbors: null, coincident: "count" };
/** What animals do while a rule is on. @type {{[rule: string]: string}} */
const PLAIN = {
  separation: "keep apart from neighbors",
  alignment: "turn with neighbors",
  cohesion: "stay near neighbors",
  avoid: "look ahead for obstacles",
  detour: "go round what is in the way",
  evade: "dodge where a predator will be",
  flee: "flee from predators",
  follow_leader: "keep behind the leader",
  follow_path: "keep to the path",
  seek: "steer for the goal",
  wander: "change their minds",
};
const MARKS = /(\*\*[^*]+\*\*|\*(?=\S)[^*]+\*|`[^`]+`|\{[^{}]*\})/;

/**
 * Nodes of a text.
 * @param {string} text
 * @param {(braced: string) => Node | string} name for what stands in braces
 * @returns {(Node | string)[]}
 */
function pieces(text, name = (braced) => `{${braced}}`) {
  return text.split(MARKS).map((piece, number) => {
    if (number % 2 === 0) return piece;
    if (piece[0] === "{") return name(piece.slice(1, -1));
    if (piece[0] === "`") return element("code", {}, piece.slice(1, -1));
    const cut = piece.startsWith("**") ? 2 : 1;
    return element(cut === 2 ? "strong" : "em", {}, ...pieces(piece.slice(cut, -cut), name));
  });
}

/** The same in the language of the page. @type {typeof pieces} */
const marked = (text, name) => pieces(phrase(text), name);

/** Elements of sentences, each of which breaks into lines by itself. @param {string} text */
const sentences = (text) =>
  (MARKS.test(text) ? [text] : (text.match(/.+?([.?!…] |$)/g) ?? [])).map((one) =>
    element("span", {}, ...pieces(one)),
  );

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
  const order = "<=>"[Math.sign(one - other) + 1];
  return sign === "!=" ? order !== "=" : sign.includes(order);
}

/**
 * True if a condition compares a key with another number than 0.
 * @param {Tree} tree
 * @param {string} key
 * @returns {boolean}
 */
const isGraded = ([, ...parts], key) =>
  (parts[0] === key && parts[1] !== 0) || parts.some((part) => Array.isArray(part) && isGraded(part, key));

/** @param {number[]} values */
const mean = (values) =>
  values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;

/** Numbers with the same decimals, the largest with three digits. @param {number[]} values */
function alike(values) {
  const digits = 2 - Math.floor(Math.log10(Math.max(...values.map(Math.abs))));
  const shown = values.every(Number.isInteger) ? 0 : Math.max(0, Math.min(2, digits));
  return values.map((value) => numeral(fixed(value, shown)));
}

/**
 * A button with a text.
 * @param {string} text
 * @param {() => void} act
 * @param {{[key: string]: unknown}} keys
 */
const button = (text, act, keys = {}) =>
  element("button", { type: "button", onclick: act, ...keys }, ...marked(text));

/**
 * Hides a part of the card, or brings it into sight, and others even more.
 * @param {HTMLElement} one @param {boolean} hidden @param {HTMLElement[]} others
 */
function reveal(one, hidden, ...others) {
  if (one.hidden === hidden) return;
  one.hidden = hidden;
  for (const part of [one, ...others]) part.scrollIntoView({ block: "nearest" });
}

/**
 * The guess, and what happens, each of which may be unknown: "".
 * @param {string} guess
 * @param {string} answer
 */
function verdict(guess, answer) {
  if (guess && guess === answer) return [phrase("You guessed right: {answer}.", { answer: phrase(answer) })];
  const happens = answer && phrase("What happens: {answer}.", { answer: phrase(answer) });
  return [guess && phrase("You guessed: {guess}.", { guess: phrase(guess) }), happens];
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
    /** Changes that "Show me" has still to make, in a run. @type {Step["show"]} */
    this.acts = [];
    this.run = player.engine;
    this.frame = -1;
    /** @type {(() => void)[]} */
    this.numbers = [];
    this.setter = new Controls(element("div", {}), [], player);
    this.all = [...controls, ...lesson.controls];
    player.attempts = lesson.steps.map(({ predict }, number) => ({
      choices: predict,
      ...UNTRIED,
      ...lesson.attempts[number],
    }));
    part("question", HTMLElement).append(...sentences(phrase(lesson.question)));
    part("told", HTMLElement).append(...marked(lesson.words, (braced) => this.number(braced)));
    this.at = 0;
    this.showing = button(phrase("Show me"), () => this.show());
    this.next = button(phrase("Next"), () => this.open(this.at + 1));
    this.shown = lesson.steps.map((step, number) => this.placed(step, number));
    this.progress = element("p", { className: "progress" }, ...this.shown.map(({ mark }) => mark));
    this.bar = element("div", { className: "bar" }, this.showing, this.next);
    if (this.shown.length) this.place();
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
      measures.set(name, mean(counts));
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
    this.numbers.push(() => {
      const value = this.value(name);
      const digits = value === null ? "-" : `${Number(value.toPrecision(3))}`;
      node.textContent = numeral(format && value !== null ? fixed(value, Number(format[1])) : digits);
      if (control) Object.assign(node, { ariaValueNow: `${value}`, ariaValueText: node.textContent });
    });
    if (control) draggable(node, control, this.setter);
    return node;
  }

  /** A step of the card. @param {Step} step @param {number} number @returns {Shown} */
  placed(step, number) {
    const task = element("p", { className: "do", tabIndex: -1 }, ...marked(step.do));
    const answers = step.predict.map((text, choice) =>
      button(text, () => this.guess(number, choice + 1), { className: "answer" }),
    );
    const about = { className: "answers", role: "group", ariaLabel: phrase("Your guess") };
    const asked = element("div", { ...about, hidden: !answers.length }, ...answers);
    const mine = step.keys.flatMap((wanted) => this.all.find(({ key }) => key === wanted) ?? []);
    const plain = mine.filter(
      ({ key, rule }) => rule && key.endsWith(".weight") && !isGraded(step.until, key),
    );
    const several = plain.some(({ group }) => group !== plain[0].group);
    const switches = plain.map(({ key }) =>
      element("input", { type: "checkbox", role: "switch", name: key }),
    );
    const labels = plain.map(({ group, rule }, at) => {
      const words = inWords(rule);
      const name = several ? phrase("{rule} of {group}", { rule: words, group }) : words;
      const told = element("span", {}, element("b", {}, name), " ", phrase(PLAIN[rule] ?? ""));
      return element("label", { className: "switch" }, switches[at], told);
    });
    const place = element("div", { className: "switches" }, ...labels);
    const others = mine.filter((one) => !plain.includes(one));
    // Takes changes of switches, too.
    const controls = new Controls(place, others, this.player, `step-${number + 1}`);
    const hint = element("p", { hidden: true, className: "hint" }, ...marked(step.hint));
    const outcome = element("div", { hidden: true, className: "outcome" });
    const mark = button(`${number + 1}`, () => this.open(number));
    const nodes = [task, asked, place, hint, outcome];
    return { nodes, task, mark, answers, switches, controls, hint, outcome, waited: 0, told: "" };
  }

  /** Puts the chosen step on the card. */
  place() {
    part("card", HTMLElement).replaceChildren(this.progress, ...this.shown[this.at].nodes, this.bar);
  }

  /** Turns to a step, and to its measure. @param {number} number */
  open(number) {
    this.at = number;
    this.place();
    this.chart.choice.value = this.lesson.steps[number].measure;
    this.player.changed();
    this.shown[number].task.focus();
  }

  /** Takes a guess, until the step is done. @param {number} number @param {number} choice from 1 */
  guess(number, choice) {
    const { player } = this;
    const attempt = player.attempts[number];
    if (attempt.proof) return;
    attempt.first ||= choice;
    attempt.last = choice;
    player.guesses.push(player.frame);
    player.changed();
    const { answers, nodes } = this.shown[number];
    // What to do next, and the guess.
    for (const one of [nodes[2], answers[choice - 1]]) one.scrollIntoView({ block: "nearest" });
  }

  /** Begins anew and makes the changes of the step at their frames. */
  show() {
    const { at, player } = this;
    player.attempts[at].shown ||= !player.attempts[at].proof;
    player.restart(player.seed);
    this.run = player.engine;
    this.acts = [...this.lesson.steps[at].show].sort((one, other) => one.at - other.at);
    player.play(true);
  }

  /** Looks whether the step that comes next, or is on the card, is done in this frame. */
  look() {
    const { player } = this;
    if (player.engine !== this.run) this.acts = [];
    while (this.acts.length && player.frame >= this.acts[0].at) {
      const { key, value } = /** @type {Step["show"][0]} */ (this.acts.shift());
      player.set(key, value);
    }
    const following = player.attempts.findIndex(({ proof }) => !proof);
    const passed = player.playing && player.frame !== this.frame ? 1 / (player.look.fps * player.speed) : 0;
    this.frame = player.frame;
    for (const number of new Set([following, this.at])) {
      const [one, attempt] = [this.shown[number], player.attempts[number]];
      if (!one || attempt.proof) continue;
      const { until, hint, measure } = this.lesson.steps[number];
      one.waited += passed;
      reveal(one.hint, one.waited < PATIENCE || !hint);
      if (!holds(until, (name) => this.value(name))) continue;
      const actions = player.actions.filter(({ frame }) => frame <= player.frame);
      attempt.proof = { seed: player.seed, frame: player.frame, actions };
      attempt.numbers = this.compared(measure, actions.at(-1)?.frame ?? 0);
      one.hint.hidden = true;
      const news = [phrase("Step {number} is done.", { number: number + 1 }), ...this.told(number)];
      say(element("p", {}, ...marked(news.join(" "))).textContent);
    }
  }

  /**
   * A measure in this frame, and what it was before the last change; after a change at the very start, in
   * this frame of the run before, if there was one. Long after a change a moment would be chance: then means.
   * @param {string} name
   * @param {number} changed frame of the change, 0 without one
   */
  compared(name, changed) {
    const { before: past, frame, history } = this.player;
    const stretch = frame - changed < 5 * STRETCH ? 1 : STRETCH;
    /** @param {Frame[]} run @param {number} last */
    const over = (run, last) => {
      const frames = run[last] ? run.slice(Math.max(0, last + 1 - stretch), last + 1) : [];
      return mean(frames.flatMap((one) => this.measures.value(one, name) ?? []));
    };
    const value = over(history, frame);
    const was = changed === 1 ? over(past, frame) : over(history, Math.max(0, changed - 1));
    if (value === null) return "";
    const words = inWords(name);
    const [told, before] = alike([value, was ?? value]);
    const measure = words[0].toUpperCase() + words.slice(1);
    const now = `${told} ${this.measures.unit(name)}`.trim();
    const when = stretch === 1 ? "in frame {frame}" : "on average from frame {first} to {frame}";
    const values = { measure, now, before, when: phrase(when, { first: frame + 1 - stretch, frame }) };
    if (was === null) return phrase("{measure} {when}: {now}.", values);
    if (told === before) return phrase("{measure} {when}: {now}, as before.", values);
    return phrase("{measure} {when}: {now}, {before} before.", values);
  }

  /** The guess answered, with numbers, and the explanation. @param {number} number */
  told(number) {
    const { choices, first, numbers } = this.player.attempts[number];
    const { answer, then } = this.lesson.steps[number];
    return [...verdict(choices[first - 1] ?? "", answer), numbers, phrase(then)].filter(Boolean);
  }

  /** Shows the numbers of the frame, and the step as it is. */
  update() {
    for (const number of this.numbers) number();
    const { at, lesson, player, shown } = this;
    if (!shown.length) return;
    shown.forEach(({ mark }, number) => {
      const { proof, shown: help } = player.attempts[number];
      const name = !proof ? "Step {number}" : help ? "Step {number}, shown" : "Step {number}, done";
      mark.ariaCurrent = number === at ? "step" : null;
      mark.ariaLabel = mark.title = phrase(name, { number: number + 1 });
      mark.className = !proof ? "" : help ? "shown" : "done";
    });
    const { answers, controls, outcome, switches } = shown[at];
    const { choices, first, last, proof } = player.attempts[at];
    answers.forEach((one, choice) => {
      one.ariaPressed = `${last === choice + 1}`;
      one.disabled = proof !== null;
      const right = choices[choice] === lesson.steps[at].answer;
      const mark = right ? (first ? "✓ Right" : "Answer") : choice + 1 === first && "Your guess";
      one.dataset.mark = proof && mark ? phrase(mark) : "";
      one.classList.toggle("right", right && proof !== null);
    });
    controls.update();
    for (const one of switches) one.checked = valueAt(player.shown.tables, one.name) !== 0;
    const told = proof ? this.told(at) : [];
    if (told.join("\n") !== shown[at].told)
      outcome.replaceChildren(...told.map((text) => element("p", {}, ...marked(text))));
    shown[at].told = told.join("\n");
    reveal(outcome, !proof, ...answers.filter(({ dataset }) => dataset.mark).reverse());
    this.next.disabled = at + 1 === shown.length;
    this.showing.hidden = !lesson.steps[at].show.length;
  }

  /** The steps with what was guessed and reached. */
  get steps() {
    return this.player.attempts.map(({ choices, first, last, shown, proof }, number) => ({
      ...{ do: this.lesson.steps[number].do, done: proof !== null, reached: proof?.frame ?? null, shown },
      ...{ first: choices[first - 1] ?? null, last: choices[last - 1] ?? null },
    }));
  }
}
