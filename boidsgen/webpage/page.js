/** The page: reads its data, and joins player, drawing, controls and what can be saved. */

import { Chart } from "./chart.js";
import { copied } from "./clipboard.js";
import { Controls, element, part, say, tell } from "./controls.js";
import { Drawing, FONT, latest, speeds } from "./drawing.js";
import { filmed, gif, sliced, WEBM } from "./gif.js";
import { inflated, Kernel } from "./kernel.js";
import { Lesson } from "./lesson.js";
import { fragmentOf, repeat } from "./link.js";
import { Lit } from "./lit.js";
import { entitle, follow, follows, Leader, placeBeside } from "./lockstep.js";
import { general, Measures } from "./measures.js";
import { Player } from "./player.js";
import { qrOf } from "./qr.js";
import { integrated, Recording } from "./recording.js";
import { Simulation } from "./simulation.js";
import { SvgPen } from "./svg.js";
import { valueAt } from "./timeline.js";
import { tomlOf } from "./toml.js";
import { RIGHT, Touch } from "./touch.js";

/**
 * @typedef {object} PageData What `writer.py` writes.
 * @property {string} name
 * @property {import("./types.js").PageDocument} document
 * @property {import("./drawing.js").Look} look
 * @property {import("./controls.js").Control[]} controls
 * @property {import("./toml.js").ScenarioText} text
 * @property {{[table: string]: number} | null} spare
 * @property {{[tool: string]: import("./touch.js").Spare}} tools
 * @property {{key: string, does: string, label: string}[]} shortcuts
 * @property {number} spawn
 * @property {boolean} autoplay
 * @property {string} notice
 * @property {import("./recording.js").RecordingDocument | null} recording
 * @property {import("./lockstep.js").Beside | null} beside in a comparison
 * @property {{[begin: string]: string}} keys see `follow`
 * @property {import("./lesson.js").LessonData | null} lesson
 * @property {string} digest of what happens, for links
 * @property {string} measure that is shown at first
 * @property {{[measure: string]: string}} units
 * @property {{about: string, seed: string, loop: number}} clip comment and seed of one, and how often it
 *   plays
 */

const LEAST = 11; // Pixels of the smallest letters of the picture
/** What takes keys itself while it has the focus. */
const FOCUSED = "button, input, select, textarea, summary, a[href], [contenteditable]";
const data = /** @type {PageData} */ (JSON.parse(document.getElementById("page")?.textContent ?? ""));
const { look } = data;
const { dt = 1, frames, stepsPerFrame = 1 } = data.document; // of a recording there are frames alone
if (![dt, frames, stepsPerFrame].every((one) => one > 0 && one < 1e15))
  throw new RangeError("its clock was edited");
const places =
  data.recording &&
  integrated(
    await inflated(document.getElementById("recording")?.textContent ?? "", "deflate"),
    Math.ceil(data.recording.frames / data.recording.every),
  );
const build = await WebAssembly.compile(await inflated(document.getElementById("kernel")?.textContent ?? ""));
const told = data.recording ? null : await inflated(data.document.program, "deflate");
const [steps, values, past] = [await Kernel.of(build), await Kernel.of(build), await Kernel.of(build)];
const measures = new Measures(values, look.world.periods, data.units);
const canvas = part("picture", HTMLCanvasElement);
const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
const lit = look.lit && new Lit(await Kernel.of(build), look.lit, await inflated(look.lit.planes, "deflate"));
const drawing = new Drawing(look, measures, lit);
await Promise.all([document.fonts.load(`1em ${FONT}`), ...drawing.grounds.map((image) => image.decode())]);
const seeds = data.recording ? [] : data.document.starts.map(({ seed }) => seed);
const player = new Player(look, data.document.frames, !data.recording, (seed, beside = false) =>
  begun(beside ? past : steps, seed),
);

/** An engine at its start. @param {Kernel} kernel for it alone @param {number} seed @returns {Simulation} */
function begun(kernel, seed) {
  if (data.recording && places)
    return /** @type {any} */ (new Recording(data.recording, places, look.world, data.document));
  return new Simulation(data.document, kernel, /** @type {Uint8Array} */ (told), seed);
}

const touch = new Touch(canvas, player, drawing, data.tools);
player.tell = tell;
const controls = new Controls(part("rules", HTMLElement), data.controls, player);
const leader = data.beside && new Leader();
const choice = part("measure", HTMLSelectElement);
const second = part("second", HTMLSelectElement);
for (const select of [choice, second])
  select.append(
    ...measures.names.map((name) => element("option", { value: name }, name.replaceAll("_", " "))),
  );
if (data.measure in data.units) choice.value = data.measure;
/** Predators of the scenario itself; one more may come by a click. */
const hunters = player.shown.groups.filter(({ kind }) => kind === "predators").length - (data.spare ? 1 : 0);
part("runs", HTMLDivElement).hidden = leader !== null;
const value = part("value", HTMLOutputElement);
const chart = new Chart(part("chart", SVGSVGElement), choice, player, measures);
const other = new Chart(part("chart-second", SVGSVGElement), second, player, measures);

for (const input of [choice, second, part("ghosts", HTMLInputElement)])
  input.addEventListener("change", () => player.changed());
/** The flock of the run before the last change, in the frame shown. @type {import("./drawing.js").Mark} */
const ghosts = {
  draw(pen) {
    if (!part("ghosts", HTMLInputElement).checked) return;
    player.goOn();
    const before = player.before[player.frame];
    if (!before) return;
    pen.fillStyle = drawing.mix(look.colors.text, 0.4);
    before.groups.forEach((group, number) => {
      const now = player.shown.groups[number].position;
      const apart = [...Array(group.count).keys()].filter(
        (i) => group.position[i * group.dimension] !== now[i * group.dimension],
      );
      drawing.stamp(pen, group, number, apart);
    });
  },
};
const scrubber = part("scrubber", HTMLInputElement);
const play = part("play", HTMLButtonElement);
const root = document.documentElement;
let stale = true;
let asked = 0; // the number of the repaint that is asked for
let drawn = 0; // Width for which the picture was last drawn

/** Puts words beside a picture in which they would be too small to read. */
function arrange() {
  const [width, height] = look.size;
  const room = Math.min(part("film", HTMLElement).clientWidth / width, (0.62 * innerHeight) / height);
  const plain = root.classList.contains("lecture") || look.least * room < LEAST;
  root.classList.toggle("plain", plain);
  drawing.plain = plain;
  drawing.window = plain && !leader && !follows() ? look.window : [0, 0, width, height];
  const [, , wide, high] = drawing.window;
  if (!leader) part("film", HTMLElement).style.setProperty("--ratio", `${wide / high}`);
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  drawn = canvas.clientWidth;
  const across = Math.max(1, Math.round(drawn * ratio));
  const down = Math.round((across * high) / wide);
  if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  drawing.letter = Math.max(look.letter, (LEAST * wide * ratio) / across);
  if (!plain) return across / wide;
  part("caption", HTMLElement).textContent = latest(look.captions, player.frame).text;
  const numbers = look.hud
    .map(([name, label]) => [label, measures.number(player.shown, name, look.rate)])
    .filter(([, number]) => number);
  part("numbers", HTMLElement).replaceChildren(
    ...numbers.map(([label, number]) =>
      element("li", {}, element("b", { textContent: `${label} ` }), number),
    ),
  );
  part("legend", HTMLElement).replaceChildren(...look.legend.map(entryOf));
  return across / wide;
}

/** A part of the legend. @param {import("./drawing.js").Look["legend"][0]} part */
function entryOf({ title, wheel, entries }) {
  const inks = entries.map(([, ink]) => ink).reverse();
  const ring = `conic-gradient(from 90deg, ${inks[inks.length - 1]}, ${inks})`;
  const ground = wheel ? ring : `linear-gradient(90deg, ${inks[0]}, ${inks})`;
  const style = `background: ${ground}; width: ${wheel ? 2 : inks.length}em`;
  const bar = element("i", { style, className: wheel ? "wheel" : "" });
  const ends = [inks.length > 1 ? entries[inks.length - 1][0] : "", entries[0][0]];
  const [low, high] = look.ramp && title ? speeds(player.shown).map(general) : ends;
  return element("li", {}, ...(wheel ? [title, bar] : [`${title} ${low} `, bar, ` ${high}`]));
}

/** Draws what has changed. */
function paint() {
  const scale = arrange();
  drawing.draw(pen, player.leading, scale, [ghosts, touch]);
  scrubber.max = `${player.length - 1}`;
  scrubber.value = `${player.frame}`;
  until.max = scrubber.max;
  if (!chosenEnd && document.activeElement !== until) until.value = `${seenEnd()}`;
  part("follow", HTMLInputElement).max = `${touch.animals.length - 1}`;
  const hunted = hunters > 0 || player.actions.some(({ key }) => key.startsWith("predators."));
  for (const select of [choice, second])
    for (const one of select.options) one.hidden = one.value === "predator_distance" && !hunted;
  part("frame", HTMLOutputElement).value = `${player.frame} / ${player.length - 1}`;
  play.textContent = player.playing ? "Pause" : "Play";
  part("seed", HTMLButtonElement).textContent = seeds.length
    ? `Seed ${player.seed + 1} of ${seeds.length}`
    : "Seed";
  if (player.error) tell(player.error);
  controls.update();
  lesson?.update();
  chart.stale = other.stale = false;
  if (!follows()) plot();
  value.value = measures.reading(choice.value, measured(choice.value));
  stale = chart.stale || other.stale;
  if (stale) wake();
  if (!leader) return;
  leader.show(player.frame, player.seed, player.actions, choice.value);
  entitle(canvas, { reading: value.value, switched: switched() });
}

/** The value of a measure in the frame shown. @param {string} name @returns {number | null} */
function measured(name) {
  if (!(name in data.units)) throw new RangeError(`there is no measure ${name}`);
  return measures.value(player.shown, name);
}

/** Draws the curves of all pictures, or of the only one, of one measure or two. */
function plot() {
  if (!data.beside || !leader) {
    chart.draw(chart.own);
    other.svg.toggleAttribute("hidden", !second.value);
    if (second.value) other.draw(other.own);
    return;
  }
  const labels = [data.beside, ...data.beside.cells].map(({ label }) => label);
  const own = { switched: switched(), values: chart.values() };
  const others = leader.cells.map((cell) => leader.answers.get(cell) ?? { switched: "", values: [] });
  chart.draw(
    [own, ...others].map(({ switched: more, values }, number) => ({
      label: labels[number] + more,
      ink: look.inks[number % look.inks.length],
      values,
    })),
  );
}
if (leader) leader.heard = plot;

/** The rules that are on or off otherwise than at first, as a title adds them. */
function switched() {
  const several = data.controls.some(({ group }) => group !== data.controls[0].group);
  const [first, now] = [player.history[0].tables, player.shown.tables];
  let words = "";
  for (const { key, rule, group } of data.controls) {
    const [was, is] = [valueAt(first, key), valueAt(now, key)];
    if (!rule || !key.endsWith(".weight") || !was === !is) continue;
    words += `, ${is ? "plus" : "minus"} ${rule.replaceAll("_", " ")}${several ? ` of ${group}` : ""}`;
  }
  return words;
}

/** Asks for one more repaint. */
function wake() {
  if (!asked) asked = requestAnimationFrame(loop);
}

/** @param {number} now */
function loop(now) {
  asked = 0;
  try {
    if (!leader?.busy) player.tick(now);
    if (stale) paint();
    if (player.playing) wake();
  } catch (error) {
    document.body.classList.add("failed");
    tell(`This page has stopped: ${error instanceof Error ? error.message : error}. Reload it.`);
  }
}

player.listeners.push(() => {
  stale = true;
  wake();
});
const lesson = data.lesson && new Lesson(data.lesson, data.controls, player, measures, chart);
root.classList.toggle("asking", Boolean(data.lesson?.steps.length));
part("settings", HTMLDetailsElement).open = !data.lesson?.steps.length;

/** Says where the film is to those who do not see it. */
function announce() {
  say(`Frame ${player.frame}. ${latest(look.captions, player.frame).text}`);
}

/** @param {boolean} playing */
function setPlaying(playing) {
  tell("");
  player.play(playing);
  if (!playing) announce();
}

/** @param {number} by */
function step(by) {
  player.play(false);
  player.seek(player.frame + by);
  announce();
}

function restart() {
  player.seek(0);
  announce();
}

function full() {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen();
}

const until = part("until", HTMLInputElement);
const saving = part("saving", HTMLProgressElement);
until.min = "0";
let chosenEnd = false; // by the reader, and not by what was seen and done
until.oninput = () => {
  chosenEnd = until.value !== "";
};

/** The last frame of the session: that of the last change, or a later one that is shown. */
const lastFrame = () => Math.max(player.frame, ...player.actions.map(({ frame }) => frame));

/** The last frame of a GIF: that of the session, or of the film where nothing was seen yet. */
const seenEnd = () => lastFrame() || player.film - 1;

/**
 * The last frame of a clip, and what a GIF up to it embeds.
 * @param {number} usual frame, unless the reader has chosen one
 */
function wanted(usual) {
  const frame = chosenEnd ? Math.round(until.valueAsNumber) : usual;
  until.value = `${Math.max(0, Math.min(frame, player.length - 1))}`;
  const last = Number(until.value);
  const scenario = { ...data.text, time: { ...data.text.time, frames: last + 1 } };
  const actions = player.actions.filter((action) => action.frame <= last);
  const seed = seeds[player.seed] ?? data.clip.seed;
  return { last, text: data.clip.about + tomlOf(scenario, seed, actions, 0, data.spare, session(last)) };
}

/**
 * The last frame of the session, and what was predicted, if there is a lesson.
 * @param {number} last of a clip
 */
function session(last = lastFrame()) {
  if (!data.lesson?.steps.length) return null;
  return { frame: Math.min(last, lastFrame()), predictions: player.predictions };
}

/** Draws as the clip does, from where the reader sees the world now. */
function ofFilm() {
  const kept = { of: "", canvas: document.createElement("canvas") };
  const whole = { plain: false, window: [0, 0, ...look.size], letter: look.letter };
  return Object.assign(Object.create(drawing), {
    ...whole,
    kept,
    own: { ...drawing.own },
    trails: drawing.trails,
  });
}

/** @param {AbortController} job */
async function gifOf({ signal }) {
  const { last, text } = wanted(seenEnd());
  const [kernel, again] = [await Kernel.of(build), await Kernel.of(build)];
  const film = player.repeated((seed) => begun(again, seed), last);
  const painter = ofFilm();
  const own = { player: film, drawing: painter, chosen: touch.chosen, list() {} };
  const marks = [Object.assign(Object.create(touch), own)];
  Object.assign(saving, { hidden: false, value: 0 });
  const work = gif(film, painter, kernel, last + 1, data.clip.loop, text, marks);
  return sliced(work, signal, (part) => {
    saving.value = part;
  });
}

/** Plays on to the last frame of a clip, unless it is stopped before. @param {AbortController} job */
async function webmOf(job) {
  const { last } = wanted(player.film - 1);
  if (player.frame >= last) player.seek(0);
  player.listeners.push(() => {
    if (job.signal.aborted || player.frame < last) return;
    player.playing = false;
    setTimeout(() => job.abort(), 2000 / look.fps); // when the last frame has been painted and recorded
  });
  const made = filmed(canvas, look.fps, job.signal, () => player.play(true));
  player.changed(); // a recording begins with the first picture that is painted
  return made;
}

/**
 * Makes a clip, with a button that ends this in the meantime.
 * @param {string} id of the button, and file extension
 * @param {string} end what it then says
 * @param {(job: AbortController) => Promise<Blob | null>} make
 */
function saver(id, end, make) {
  const button = part(id, HTMLButtonElement);
  const name = button.textContent;
  /** @type {AbortController | null} */
  let job = null;
  return async () => {
    if (job) return job.abort();
    job = new AbortController();
    button.textContent = end;
    tell("");
    try {
      const made = await make(job);
      if (made) save(`.${id}`, made);
      say(made ? "The clip is saved." : "No clip is saved.");
    } finally {
      job = null;
      button.textContent = name;
      saving.hidden = true;
    }
  };
}

function toml() {
  return tomlOf(data.text, seeds[player.seed], player.actions, player.history.length, data.spare, session());
}

/** @param {string} ending @param {Blob} content */
function save(ending, content) {
  const link = element("a", { href: URL.createObjectURL(content), download: `${data.name}${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const code = part("code", HTMLDialogElement);
code.addEventListener("click", () => code.close());
// An address for this computer alone.
part("qr", HTMLButtonElement).hidden = ["file:", "about:"].includes(location.protocol);
// Within a map.
for (const id of ["link", "embed"]) part(id, HTMLButtonElement).hidden = location.protocol === "about:";

/** The address of this page with all that was done. */
const linked = async () => `${location.href.split("#")[0]}#${await fragmentOf(player, data.digest)}`;

/** Does again what the page's own address says. */
async function openLink() {
  tell("");
  if (!location.hash) return;
  try {
    await repeat(location.hash.slice(1), player, data.digest, Math.max(1, seeds.length));
    announce();
  } catch (error) {
    tell(`This link cannot be opened: ${error instanceof Error ? error.message : error}.`);
  }
}

/** An element that shows this page within another one. */
async function embedded() {
  const [wide, high] = ["100%", `${innerHeight}`];
  return element("iframe", { src: await linked(), title: document.title, width: wide, height: high })
    .outerHTML;
}

/** Shows the link as a QR code to the whole room. */
async function showCode() {
  const rows = qrOf(await linked());
  const [svg] = code.children;
  const squares = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")));
  svg.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
  svg.children[0].setAttribute("d", squares.join(""));
  code.showModal();
}

/** Copies what a button offers. @param {string} id of the button @param {string | Promise<string>} made */
async function copy(id, made) {
  const button = part(id, HTMLButtonElement);
  await copied(button, await made);
  say(`${button.dataset.name}: it is on the clipboard.`);
}

/** @type {{[id: string]: () => void}} */
const clicks = {
  play: () => setPlaying(!player.playing),
  back: () => step(-1),
  on: () => step(1),
  restart,
  full,
  copy: () => copy("copy", toml()),
  link: () => copy("link", linked()),
  embed: () => copy("embed", embedded()),
  qr: showCode,
  seed: () => player.restart((player.seed + 1) % seeds.length),
  download: () => save(".toml", new Blob([toml()], { type: "application/toml" })),
  gif: saver("gif", "Cancel", gifOf),
  webm: saver("webm", "Stop and save", webmOf),
  png: () => canvas.toBlob((picture) => picture && save(`-${player.frame}.png`, picture)),
  svg: () => {
    const drawn = new SvgPen(look);
    ofFilm().draw(/** @type {any} */ (drawn), player.leading, 1, [touch]);
    save(`-${player.frame}.svg`, new Blob([drawn.svg], { type: "image/svg+xml" }));
  },
};
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
      tell(String(/** @type {Error} */ (error).message));
    }
  });
}
for (const [id, act] of Object.entries(clicks)) pressed(part(id, HTMLButtonElement), act);
scrubber.addEventListener("input", () => {
  player.play(false);
  player.seek(Number(scrubber.value));
});
scrubber.addEventListener("change", announce);
part("speed", HTMLSelectElement).addEventListener("change", ({ target }) => {
  player.speed = Number(/** @type {HTMLSelectElement} */ (target).value);
});

/** @type {{[key: string]: () => void}} */
const keys = {
  " ": clicks.play,
  ".": clicks.on,
  ",": clicks.back,
  Home: restart,
  f: full,
  l: () => {
    root.classList.toggle("lecture");
    part("panel", HTMLDetailsElement).open = true;
    player.changed();
  },
  t: () => {
    drawing.trails = !drawing.trails;
    player.changed();
  },
};
/** @param {string} does */
function shortcut(does) {
  if (does === "spawn") touch.spawn(data.spawn);
  else if (does !== "reset") controls.flip(does);
  else {
    const weights = data.shortcuts.flatMap(({ does: one }) => (one.endsWith(".weight") ? [one] : []));
    const first = player.history[0].tables;
    player.change(weights.map((weight) => [weight, valueAt(first, weight)]));
  }
}
for (const { key, does, label } of data.shortcuts) {
  const sign = element("kbd", { textContent: key.toUpperCase() });
  const button = element("button", { type: "button" }, sign, label);
  pressed(button, () => shortcut(does));
  part("keys", HTMLUListElement).append(element("li", {}, button));
}

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const own = data.shortcuts.find((one) => one.key === key.toLowerCase());
  if (own && !event.repeat && !follows() && !(target instanceof Element && target.closest(FOCUSED)))
    shortcut(own.does);
  if (!keys[key]) return;
  if (target instanceof HTMLInputElement && target.type === "number") return;
  if (
    key === " " &&
    target instanceof HTMLElement &&
    target.matches("button, select, summary, input[type=checkbox]")
  )
    return;
  if (key === "Home" && target instanceof HTMLInputElement) return;
  event.preventDefault();
  keys[key]();
});
canvas.addEventListener(
  "wheel",
  (event) => {
    if (drawing.view.flat) return;
    event.preventDefault();
    drawing.own.zoom = Math.max(0.3, Math.min(8, drawing.own.zoom * Math.exp(-event.deltaY / 600)));
    player.changed();
  },
  { passive: false },
);

const tools = document.querySelector(".tools");
const offered = data.spare ? Object.keys(data.tools).filter((tool) => tool !== RIGHT) : ["look"];
for (const tool of offered) {
  const input = element("input", { type: "radio", name: "tool", value: tool, checked: tool === offered[0] });
  input.addEventListener("change", () => touch.use(tool));
  tools?.append(
    element("label", {}, input, element("span", { textContent: tool[0].toUpperCase() + tool.slice(1) })),
  );
}
if (offered.length === 1) tools?.remove();
touch.use(offered[0]);
if (data.recording) document.body.classList.add("recorded");
value.hidden = leader !== null;
part("seed", HTMLButtonElement).hidden = seeds.length < 2;
part("notice", HTMLParagraphElement).textContent = data.notice;
const records = "MediaRecorder" in window && MediaRecorder.isTypeSupported(WEBM);
part("webm", HTMLButtonElement).hidden = part("recorded", HTMLSpanElement).hidden = !records;
if (look.focus !== null) touch.choose(look.focus);
// An observer reports also what was so from the first.
new ResizeObserver(() => canvas.clientWidth === drawn || player.changed()).observe(canvas);

/** Drives the page, for tests and for teachers. */
Object.assign(window, {
  boidsgen: {
    get frame() {
      return player.frame;
    },
    /** Shows frame n, and computes those before it. @param {number} n */
    seek(n) {
      player.play(false);
      player.seek(n);
      paint();
    },
    get playing() {
      return player.playing;
    },
    play: () => setPlaying(true),
    pause: () => setPlaying(false),
    /** Positions and velocities of all groups. */
    state: () =>
      player.shown.groups.map(({ name, kind, position, velocity }) => ({
        name,
        kind,
        position: [...position],
        velocity: [...velocity],
      })),
    /** Sets a key from this frame on. @param {string} key @param {any} value */
    set: (key, value) => player.set(key, value),
    /** The value of a key in this frame. @param {string} key */
    get: (key) => valueAt(player.shown.tables, key),
    /**
     * The value of a measure in this frame, as the page shows it; null where it is not defined.
     * @param {string} name
     */
    measure: measured,
    /** The keys that were set up to this frame, with their values. */
    moved: () =>
      Object.fromEntries(player.actions.map(({ key }) => [key, valueAt(player.shown.tables, key)])),
    toml,
    /** The address of this page with all that was done, up to this frame. */
    link: linked,
    /** The steps of the lesson, with what is done and predicted. */
    steps: () => lesson?.steps ?? [],
  },
});
if (data.beside) placeBeside(part("stage", HTMLElement), canvas, data.beside, look.inks);
paint();
wake();
/** @param {string} name */
function answer(name) {
  if (name in data.units) choice.value = name;
  paint();
  return { reading: name && value.value, switched: switched(), values: chart.values() };
}

if (!follows()) addEventListener("hashchange", openLink);
if (follows()) follow(player, data.keys, answer);
else if (location.hash) openLink();
else if (data.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
