/**
 * The page: opens its data, and joins player, drawing, controls and lesson.
 *
 * `Page.opened` reads what the document holds and makes the parts; `begin` lets buttons, keys and links act
 * on them. From then on every change asks for a repaint, and `paint` shows one frame. What can be saved is in
 * saving.js.
 */

import { placeBeside } from "./beside.js";
import { Chart } from "./chart.js";
import { Controls, draggable, element, part, say, tell } from "./controls.js";
import { Drawing, FONT, latest, speeds } from "./drawing.js";
import { inflated, Kernel } from "./kernel.js";
import { Lesson } from "./lesson.js";
import { repeat } from "./link.js";
import { Lit } from "./lit.js";
import { entitle, follow, follows, Leader } from "./lockstep.js";
import { general, Measures } from "./measures.js";
import { Player } from "./player.js";
import { integrated, Recording } from "./recording.js";
import { Saving } from "./saving.js";
import { Simulation } from "./simulation.js";
import { valueAt } from "./timeline.js";
import { RIGHT, Touch } from "./touch.js";
import { authored, inWords, phrase, reason, translate } from "./words.js";

/**
 * @typedef {object} PageData What `writer.py` writes.
 * @property {string} name
 * @property {import("./types.js").PageDocument} document
 * @property {import("./drawing.js").Look} look
 * @property {import("./controls.js").Control[]} controls
 * @property {import("./toml.js").ScenarioText} text
 * @property {{[table: string]: number} | null} spare
 * @property {{[tool: string]: import("./touch.js").Spare}} tools
 * @property {{key: string, does: string, label: string, values: {[name: string]: string}}[]} shortcuts
 * @property {number} spawn
 * @property {boolean} autoplay
 * @property {boolean} [embedded] in an article, as a picture alone
 * @property {[english: string, values: {[name: string]: string}][]} notice
 * @property {import("./recording.js").RecordingDocument | null} recording
 * @property {import("./lockstep.js").Beside | null} beside in a comparison
 * @property {{[begin: string]: string}} keys see `follow`
 * @property {import("./lesson.js").LessonData | null} lesson
 * @property {string} language of its words, or "" for that of the browser
 * @property {import("./words.js").Tables} words of its lesson
 * @property {string} alt describes the film in English
 * @property {string} digest of what happens, for links
 * @property {string} measure that is shown at first
 * @property {{[measure: string]: string}} units
 * @property {{about: string, seed: string, loop: number}} clip comment and seed of one, and how often it
 *   plays
 */
/**
 * @typedef {object} Engines What the document holds in compressed form, made ready.
 * @property {WebAssembly.Module} build
 * @property {Uint8Array | null} program of the simulation; a recording has none
 * @property {Int32Array | null} places of a recording
 * @property {[Kernel, Kernel, Kernel]} kernels of the steps, of measures, and of the run before
 * @property {Lit | null} lit
 */

const SQUARE = 1.4; // Width to height of worlds that leave room beside them
const LEAST = 11; // Pixels of the smallest letters of the picture
/** Elements that take keys themselves while they have the focus. */
const FOCUSED = "button, input, select, textarea, summary, a[href], [contenteditable]";
const TYPED = "input[type=number]";
/** Actions of keys of the keyboard, by name. @type {{[key: string]: string}} */
const KEYS = { " ": "play", ".": "on", ",": "back", Home: "restart", f: "full", l: "lecture", t: "trails" };

export class Page {
  /** The page of this document. */
  static async opened() {
    const data = /** @type {PageData} */ (JSON.parse(document.getElementById("page")?.textContent ?? ""));
    const { dt = 1, frames, stepsPerFrame = 1 } = data.document; // of a recording there are frames alone
    if (![dt, frames, stepsPerFrame].every((one) => one > 0 && one < 1e15))
      throw new RangeError("its clock was edited");
    /** @param {string} id */
    const stored = (id) => document.getElementById(id)?.textContent ?? "";
    const { lit } = data.look;
    const translated = translate(data.language, data.words);
    const build = await WebAssembly.compile(await inflated(stored("kernel")));
    const { recording } = data;
    /** @param {import("./recording.js").RecordingDocument} one */
    const placesOf = async ({ frames, every }) =>
      integrated(await inflated(stored("recording"), "deflate"), Math.ceil(frames / every));
    await translated;
    const page = new Page(data, {
      build,
      places: recording && (await placesOf(recording)),
      program: recording ? null : await inflated(data.document.program, "deflate"),
      kernels: [await Kernel.of(build), await Kernel.of(build), await Kernel.of(build)],
      lit: lit && new Lit(await Kernel.of(build), lit, await inflated(lit.planes, "deflate")),
    });
    await Promise.all([
      document.fonts.load(`1em ${FONT}`),
      ...page.drawing.grounds.map((image) => image.decode()),
    ]);
    return page;
  }

  /** @param {PageData} data @param {Engines} engines */
  constructor(data, { build, program, places, kernels: [steps, values, past], lit }) {
    const { look } = data;
    this.data = data;
    this.look = look;
    this.build = build;
    this.program = program;
    this.places = places;
    this.root = document.documentElement;
    this.canvas = part("picture", HTMLCanvasElement);
    this.around = part("around", HTMLCanvasElement);
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    this.measures = new Measures(values, look.world.periods, data.units);
    this.drawing = new Drawing(look, this.measures, lit);
    this.seeds = data.recording ? [] : data.document.starts.map(({ seed }) => seed);
    this.player = new Player(look, data.document.frames, !data.recording, (seed, beside = false) =>
      this.simulation(beside ? past : steps, seed),
    );
    this.player.tell = tell;
    this.touch = new Touch(this.canvas, this.player, this.drawing, data.tools);
    this.controls = new Controls(part("rules", HTMLElement), data.controls, this.player);
    this.leader = data.beside && new Leader();
    this.choice = part("measure", HTMLSelectElement);
    this.second = part("second", HTMLSelectElement);
    this.value = part("value", HTMLOutputElement);
    /** @param {string} id @param {HTMLSelectElement} choice */
    const chart = (id, choice) => {
      const controls = [...data.controls, ...(data.lesson?.controls ?? [])];
      return new Chart(part(id, SVGSVGElement), choice, this.player, this.measures, controls);
    };
    this.chart = chart("chart", this.choice);
    this.other = chart("chart-second", this.second);
    this.ghosts = part("ghosts", HTMLInputElement);
    this.scrubber = part("scrubber", HTMLInputElement);
    this.lesson =
      data.lesson && new Lesson(data.lesson, data.controls, this.player, this.measures, this.chart);
    this.saving = new Saving(this);
    /** Actions of buttons and keys, by name. @type {{[name: string]: () => unknown}} */
    this.acts = {};
    /** Predators of the scenario itself; one more may come by a click. */
    this.hunters =
      this.player.shown.groups.filter(({ kind }) => kind === "predators").length - (data.spare ? 1 : 0);
    this.stale = true;
    this.asked = 0; // the number of the repaint that is asked for
    this.drawn = 0; // Width for which the picture was last drawn
    this.pointed = false; // What has the focus got it by the pointer
  }

  /**
   * An engine at its start.
   * @param {Kernel} kernel for it alone
   * @param {number} seed
   * @returns {Simulation}
   */
  simulation(kernel, seed) {
    const { data, look, places, program } = this;
    if (data.recording && places)
      return /** @type {any} */ (new Recording(data.recording, places, look.world, data.document));
    return new Simulation(data.document, kernel, /** @type {Uint8Array} */ (program), seed);
  }

  /** Lets the reader act, shows the first frame, and does what the address says. */
  begin() {
    const { data, look, player } = this;
    this.furnish();
    this.listen();
    this.saving.begin();
    player.listeners.push(() => {
      this.stale = true;
      this.wake();
    });
    if (data.embedded) document.body.classList.add("cell");
    if (look.focus !== null) this.touch.choose(look.focus);
    // An observer reports also what was so from the first.
    new ResizeObserver(() => this.canvas.clientWidth === this.drawn || player.changed()).observe(this.canvas);
    addEventListener("resize", () => player.changed());
    if (data.beside) placeBeside(part("stage", HTMLElement), this.canvas, data.beside, look.inks);
    if (this.leader) this.leader.heard = () => this.plot();
    if (data.beside) new ResizeObserver(() => this.plot()).observe(this.chart.svg);
    this.paint();
    this.wake();
    if (follows()) return follow(player, data.keys, (name) => this.answer(name));
    addEventListener("hashchange", () => this.openLink());
    if (location.hash) this.openLink();
    else if (data.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
  }

  /** Fills in what depends on the scenario: measures, tools, the keys of its document, and what is hidden. */
  furnish() {
    const { choice, data, player, second, touch } = this;
    const asking = Boolean(data.lesson?.steps.length);
    for (const select of [choice, second])
      select.append(...this.measures.names.map((name) => element("option", { value: name }, inWords(name))));
    if (data.measure in data.units) choice.value = data.measure;
    this.root.classList.toggle("asking", asking);
    this.root.classList.toggle("inquiring", Boolean(data.lesson?.question));
    const { lit, world } = this.look;
    this.root.classList.toggle("bounded", !lit && world.size.length === 2);
    this.root.classList.toggle("marsh", Boolean(lit?.marsh));
    part("settings", HTMLDetailsElement).open = !asking;
    const panel = part("panel", HTMLDetailsElement);
    const { gridTemplateColumns: columns } = getComputedStyle(/** @type {Element} */ (panel.parentElement));
    panel.open = asking || (!data.beside && columns.includes(" ")); // settings alone leave a picture its room
    if (!asking) panel.parentElement?.append(panel); // a step is read before the picture, settings after it
    part("runs", HTMLElement).hidden = this.leader !== null;
    part("seed", HTMLButtonElement).hidden = this.seeds.length < 2;
    // What is translated has no other name than its groups with their numbers.
    const names = player.shown.groups.flatMap(({ name, count }) =>
      count ? [`${inWords(name)} (${count})`] : [],
    );
    const groups = new Intl.ListFormat(this.root.lang).format(names);
    const alt = phrase("{title}: {groups}.", { title: document.title, groups });
    this.canvas.ariaLabel = this.root.lang === "en" ? data.alt : alt;
    part("notice", HTMLParagraphElement).textContent = data.notice.map((one) => phrase(...one)).join(" ");
    if (data.recording) document.body.classList.add("recorded");
    const tools = document.querySelector(".tools");
    const offered = data.spare ? Object.keys(data.tools).filter((tool) => tool !== RIGHT) : ["look"];
    for (const tool of offered) {
      const checked = tool === offered[0];
      const input = element("input", { type: "radio", name: "tool", value: tool, checked });
      input.addEventListener("change", () => touch.use(tool));
      const name = element("span", { textContent: phrase(tool[0].toUpperCase() + tool.slice(1)) });
      tools?.append(element("label", {}, input, name));
    }
    if (offered.length === 1) tools?.remove();
    touch.use(offered[0]);
    for (const { key, does, label, values } of data.shortcuts) {
      const sign = element("kbd", { textContent: key.toUpperCase() });
      const words = phrase(label, { ...values, rule: phrase(values.rule ?? "") });
      const button = element("button", { type: "button" }, sign, words);
      pressed(button, () => this.shortcut(does));
      part("keys", HTMLUListElement).append(element("li", {}, button));
    }
  }

  /** Lets buttons, the scrubber, the keyboard and the wheel act. */
  listen() {
    const { canvas, drawing, player, scrubber } = this;
    /** @type {{[id: string]: () => unknown}} */
    const clicks = {
      play: () => this.setPlaying(!player.playing),
      back: () => this.step(-1),
      on: () => this.step(1),
      restart: () => {
        player.seek(0);
        this.announce();
      },
      full: () => (document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen()),
      seed: () => player.restart((player.seed + 1) % this.seeds.length),
      ...this.saving.clicks,
    };
    for (const [id, act] of Object.entries(clicks)) pressed(part(id, HTMLButtonElement), act);
    this.acts = { ...clicks, lecture: () => this.lecture(), trails: () => this.trails() };
    for (const input of [this.choice, this.second, this.ghosts])
      input.addEventListener("change", () => player.changed());
    scrubber.oninput = () => {
      player.play(false);
      player.seek(scrubber.valueAsNumber);
    };
    scrubber.onchange = () => this.announce();
    const speed = part("speed", HTMLSelectElement);
    speed.onchange = () => {
      player.speed = Number(speed.value);
    };
    document.onkeydown = (event) => this.key(event);
    const pointing = () => {
      this.pointed = true;
    };
    addEventListener("pointerdown", pointing, { capture: true });
    canvas.onwheel = (event) => {
      if (drawing.view.flat) return;
      event.preventDefault();
      drawing.own.zoom = Math.max(0.3, Math.min(8, drawing.own.zoom * Math.exp(-event.deltaY / 600)));
      player.changed();
    };
  }

  /** Fits the picture into its place. A page alone has its words around it, others if they are too small. */
  arrange() {
    const { canvas, drawing, leader, look, measures, player } = this;
    const [width, height] = look.size;
    const alone = !leader && !follows();
    const bare = !follows() || this.data.embedded; // the world without what the page around it says
    drawing.plain = bare || look.least * (canvas.clientWidth / width) < LEAST;
    drawing.window = bare ? look.window : [0, 0, width, height];
    const [, , wide, high] = drawing.window;
    if (!leader) this.root.style.setProperty("--ratio", `${wide / high}`);
    this.root.classList.toggle("square", alone && wide < SQUARE * high);
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.drawn = canvas.clientWidth;
    const across = Math.max(1, Math.round(this.drawn * ratio));
    const down = Math.round((across * high) / wide);
    if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
    drawing.letter = Math.max(look.letter, (LEAST * wide * ratio) / across);
    if (!alone) return across / wide;
    part("caption", HTMLElement).textContent = this.caption;
    // The timeline has the frame, and the sentence its own numbers.
    const numbers = look.hud
      .filter(([name]) => name !== "frame" && !this.data.lesson?.words.includes(`{${name}`))
      .map(([name, label]) => [label, measures.number(player.shown, name, look.rate)])
      .filter(([, number]) => number);
    part("numbers", HTMLElement).replaceChildren(
      ...numbers.map(([label, number]) =>
        element("li", {}, element("b", { textContent: `${label} ` }), number),
      ),
    );
    part("legend", HTMLElement).replaceChildren(...look.legend.map((entry) => this.entryOf(entry)));
    return across / wide;
  }

  /** A part of the legend. @param {import("./drawing.js").Look["legend"][0]} part */
  entryOf({ title, wheel, entries }) {
    const inks = entries.map(([, ink]) => ink).reverse();
    const ring = `conic-gradient(from 90deg, ${inks[inks.length - 1]}, ${inks})`;
    const ground = wheel ? ring : `linear-gradient(90deg, ${inks[0]}, ${inks})`;
    const style = `background: ${ground}; width: ${wheel ? 2 : inks.length}em`;
    const bar = element("i", { style, className: wheel ? "wheel" : "" });
    const ends = [inks.length > 1 ? entries[inks.length - 1][0] : "", entries[0][0]];
    const [low, high] = this.look.ramp && title ? speeds(this.player.shown).map(general) : ends;
    return element("li", {}, ...(wheel ? [title, bar] : [`${title} ${low} `, bar, ` ${high}`]));
  }

  /** Draws what has changed. */
  paint() {
    const { chart, choice, leader, other, player, seeds, value } = this;
    const scale = this.arrange();
    this.drawing.draw(this.pen, player.leading, scale, [{ draw: (pen) => this.drawGhosts(pen) }, this.touch]);
    if (!leader && !follows()) this.drawing.surround(this.around, this.canvas);
    leader?.show(player.frame, player.seed, player.actions, choice.value);
    this.saving.update();
    part("follow", HTMLInputElement).max = `${this.touch.animals.length - 1}`;
    const hunted = this.hunters > 0 || player.actions.some(({ key }) => key.startsWith("predators."));
    for (const select of [choice, this.second])
      for (const one of select.options)
        one.hidden = one.disabled = one.value === "predator_distance" && !hunted;
    part("play", HTMLButtonElement).ariaLabel = phrase(player.playing ? "Pause" : "Play");
    this.root.classList.toggle("playing", player.playing);
    part("seed", HTMLButtonElement).textContent = seeds.length
      ? phrase("Seed {number} of {count}", { number: player.seed + 1, count: seeds.length })
      : phrase("Seed");
    if (player.error) tell(player.error);
    this.controls.update();
    this.lesson?.update();
    chart.stale = other.stale = false;
    if (!follows() && !this.data.embedded) this.plot();
    // Beside pictures of a comparison are their values.
    value.value = `${leader ? "" : this.reading()} ${this.measures.unit(this.choice.value)}`.trim();
    this.stale = chart.stale || other.stale;
    if (this.stale) this.wake();
    if (!leader) return;
    this.root.style.setProperty("--measure", `"${inWords(choice.value)} "`);
    entitle(this.canvas, { reading: this.reading(), switched: this.switched() });
  }

  /**
   * Draws the flock of the run before the last change, in the frame shown.
   * @param {CanvasRenderingContext2D} pen
   */
  drawGhosts(pen) {
    const { drawing, player } = this;
    if (!this.ghosts.checked) return;
    player.goOn();
    const before = player.before[player.frame];
    if (!before) return;
    pen.fillStyle = drawing.mix(this.look.colors.text, 0.4);
    before.groups.forEach((group, number) => {
      const now = player.shown.groups[number].position;
      const apart = [...Array(group.count).keys()].filter(
        (i) => group.position[i * group.dimension] !== now[i * group.dimension],
      );
      drawing.stamp(pen, group, number, apart);
    });
  }

  /** The value of a measure in the frame shown. @param {string} name @returns {number | null} */
  measured(name) {
    if (!(name in this.data.units)) throw new RangeError(`there is no measure ${name}`);
    return this.measures.value(this.player.shown, name);
  }

  /** The measure in the frame shown. */
  reading() {
    const name = this.choice.value;
    return this.measures.reading(name, this.measured(name));
  }

  /** Draws the curves of all pictures that have the frame, or of the only one, of one measure or two. */
  plot() {
    const { chart, data, leader, look, other, player, scrubber, second } = this;
    if (leader?.busy) return; // until all curves reach the scrubber
    Object.assign(scrubber, { max: player.length - 1, value: player.frame });
    if (!data.beside || !leader) {
      chart.draw(chart.own);
      other.svg.toggleAttribute("hidden", !second.value);
      if (second.value) other.draw(other.own);
      return;
    }
    const labels = [data.beside, ...data.beside.cells].map(({ label }) => label);
    const own = { switched: this.switched(), values: chart.values() };
    const others = leader.cells.map((cell) => leader.answers.get(cell) ?? { switched: "", values: [] });
    chart.draw(
      [own, ...others].map(({ switched: more, values }, number) => ({
        label: labels[number] + more,
        ink: look.inks[number % look.inks.length],
        values,
        again: number >= look.inks.length,
      })),
    );
  }

  /** The rules that are on or off otherwise than at first, as a title adds them. */
  switched() {
    const { controls } = this.data;
    const several = controls.some(({ group }) => group !== controls[0].group);
    const [first, now] = [this.player.history[0].tables, this.player.shown.tables];
    let words = "";
    for (const { key, rule, group } of controls) {
      const [was, is] = [valueAt(first, key), valueAt(now, key)];
      if (!rule || !key.endsWith(".weight") || !was === !is) continue;
      words += `, ${is ? "plus" : "minus"} ${rule.replaceAll("_", " ")}${several ? ` of ${group}` : ""}`;
    }
    return words;
  }

  /** Asks for one more repaint. */
  wake() {
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.loop(now));
  }

  /** @param {number} now */
  loop(now) {
    this.asked = 0;
    try {
      if (!this.leader?.busy) this.player.tick(now);
      if (this.stale) this.paint();
      if (this.player.playing) this.wake();
    } catch (error) {
      document.body.classList.add("failed");
      tell(phrase("This page has stopped: {error}. Reload it.", { error: reason(error) }));
    }
  }

  /** Shows a measure to the page that leads this one. @param {string} name */
  answer(name) {
    if (name in this.data.units) this.choice.value = name;
    this.paint();
    return { reading: name && this.reading(), switched: this.switched(), values: this.chart.values() };
  }

  /** Does again what the page's own address says. */
  async openLink() {
    tell("");
    if (!location.hash) return;
    const { data, player, seeds } = this;
    try {
      await repeat(location.hash.slice(1), player, data.digest, Math.max(1, seeds.length));
      this.announce();
    } catch (error) {
      tell(phrase("This link cannot be opened: {error}.", { error: reason(error) }));
    }
  }

  /**
   * What the clip says in this frame. In a lesson that of the clip as a whole would answer its questions, and
   * that of an event holds until the reader changes something.
   */
  get caption() {
    const { at, text } = latest(this.look.captions, this.player.frame);
    const told = this.data.lesson?.steps.length ? at >= 0 && !this.player.actions.length : true;
    return told ? authored(text) : "";
  }

  /** Says where the film is to those who do not see it. */
  announce() {
    say(phrase("Frame {number}. {caption}", { number: this.player.frame, caption: this.caption }));
  }

  /** @param {boolean} playing */
  setPlaying(playing) {
    tell("");
    this.player.play(playing);
    if (!playing) this.announce();
  }

  /** @param {number} by */
  step(by) {
    this.player.play(false);
    this.player.seek(this.player.frame + by);
    this.announce();
  }

  lecture() {
    this.root.classList.toggle("lecture");
    part("panel", HTMLDetailsElement).open = true;
    this.player.changed();
  }

  trails() {
    this.drawing.trails = !this.drawing.trails;
    this.player.changed();
  }

  /** Does what a key of the scenario's document does. @param {string} does */
  shortcut(does) {
    const { controls, data, player, touch } = this;
    if (does === "spawn") return touch.spawn(data.spawn);
    if (does !== "reset") return controls.flip(does);
    const weights = data.shortcuts.flatMap(({ does: one }) => (one.endsWith(".weight") ? [one] : []));
    const first = player.history[0].tables;
    player.change(weights.map((weight) => [weight, valueAt(first, weight)]));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { key } = event;
    if (key === "Tab") this.pointed = false;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const held = event.target instanceof Element ? event.target.closest(FOCUSED) : null;
    const typed = held?.matches(TYPED);
    const own = this.data.shortcuts.find((one) => one.key === key.toLowerCase());
    // What was clicked has the focus, but not the keys.
    const free = !held || (this.pointed && !typed);
    if (own && !event.repeat && !follows() && free) this.shortcut(own.does);
    if (!KEYS[key] || typed) return;
    if (key === " " && !free && !held.matches("input[type=range]")) return;
    if (key === "Home" && held instanceof HTMLInputElement) return;
    if (key === " " && held instanceof HTMLElement) held.blur();
    event.preventDefault();
    this.acts[KEYS[key]]();
  }
}

/**
 * Lets a button do something, or say why it cannot.
 * @param {HTMLButtonElement} button
 * @param {() => unknown} act
 */
function pressed(button, act) {
  button.addEventListener("click", async ({ detail }) => {
    // The pointer takes no focus, so that keys go on working.
    if (detail) button.blur();
    try {
      await act();
    } catch (error) {
      tell(reason(error));
    }
  });
}

/** Drives a page, for tests and for teachers. @param {Page} page */
const driver = (page) => ({
  get frame() {
    return page.player.frame;
  },
  /** Shows frame n, and computes those before it. @param {number} n */
  seek(n) {
    page.player.play(false);
    page.player.seek(n);
    page.paint();
  },
  get playing() {
    return page.player.playing;
  },
  play: () => page.setPlaying(true),
  pause: () => page.setPlaying(false),
  /** Positions and velocities of all groups. */
  state: () =>
    page.player.shown.groups.map(({ name, kind, position, velocity }) => ({
      name,
      kind,
      position: [...position],
      velocity: [...velocity],
    })),
  /** Sets a key from this frame on. @param {string} key @param {any} value */
  set: (key, value) => page.player.set(key, value),
  /** The value of a key in this frame. @param {string} key */
  get: (key) => valueAt(page.player.shown.tables, key),
  /**
   * The value of a measure in this frame, as the page shows it; null where it is not defined.
   * @param {string} name
   */
  measure: (name) => page.measured(name),
  /** The keys that were set up to this frame, with their values. */
  moved: () =>
    Object.fromEntries(page.player.actions.map(({ key }) => [key, valueAt(page.player.shown.tables, key)])),
  /** The value of a key in the scenario. @param {string} key */
  first: (key) => valueAt(page.player.history[0].tables, key),
  /** The number of the start, and what was done. */
  done: () => ({ seed: page.player.seed, actions: page.player.actions }),
  /** Begins anew. @param {number} seed number of the start */
  restart: (seed) => page.player.restart(seed),
  toml: () => page.saving.toml(),
  link: () => page.saving.link(),
  /** Calls a function after every change of what is shown. @param {() => void} act */
  listen: (act) => void page.player.listeners.push(act),
  /**
   * Sets a key as a slider does: while it is dragged, only every few frames.
   * @param {string} key @param {number} value @param {boolean} last
   */
  turn: (key, value, last) => page.controls.set(key, value, last),
  /**
   * Lets a number in the text around this page be dragged.
   * @param {HTMLElement} node @param {import("./controls.js").Control} control
   */
  drag: (node, control) => draggable(node, control, page.controls),
  /** The steps of the lesson, with what is done and predicted. */
  steps: () => page.lesson?.steps ?? [],
});

const page = await Page.opened();
Object.assign(window, { boidsgen: driver(page) });
page.begin();
