/** All that can be taken from a page: TOML, clips, pictures, links and codes for the room. */

import { copied } from "./clipboard.js";
import { element, part, say, tell } from "./controls.js";
import { filmed, gif, sliced, WEBM } from "./gif.js";
import { Kernel } from "./kernel.js";
import { generate } from "./lean_qr.js";
import { fragmentOf } from "./link.js";
import { SvgPen } from "./svg.js";
import { tomlOf } from "./toml.js";
import { phrase } from "./words.js";

/** @import { Page } from "./page.js" */

const LONGEST = 2952; // Letters that the largest QR code holds

export class Saving {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.until = part("until", HTMLInputElement);
    this.progress = part("saving", HTMLProgressElement);
    this.code = part("code", HTMLDialogElement);
    /** The pictures of a clip while it is recorded. @type {HTMLCanvasElement | null} */
    this.recorded = null;
    this.chosenEnd = false; // by the reader, and not by what was seen and done
    /** Actions that save or copy, by the ids of their buttons. @type {{[id: string]: () => unknown}} */
    this.clicks = {
      copy: () => this.copy("copy", this.toml()),
      link: () => this.copy("link", this.link()),
      embed: () => this.copy("embed", this.embedded()),
      qr: () => this.showCode(),
      download: () => this.save(".toml", new Blob([this.toml()], { type: "application/toml" })),
      gif: this.saver("gif", phrase("Cancel"), (job) => this.gifOf(job)),
      webm: this.saver("webm", phrase("Stop and save"), (job) => this.webmOf(job)),
      png: () => this.savePng(),
      svg: () => this.saveSvg(),
    };
  }

  /** Hides what cannot be had here, and listens. */
  begin() {
    this.until.min = "0";
    this.until.oninput = () => {
      this.chosenEnd = this.until.value !== "";
    };
    this.code.addEventListener("click", () => this.code.close());
    // An address for this computer alone.
    part("qr", HTMLButtonElement).hidden = ["file:", "about:"].includes(location.protocol);
    // Within a map.
    for (const id of ["link", "embed"]) part(id, HTMLButtonElement).hidden = location.protocol === "about:";
    const records = "MediaRecorder" in window && MediaRecorder.isTypeSupported(WEBM);
    part("webm", HTMLButtonElement).hidden = part("recorded", HTMLSpanElement).hidden = !records;
  }

  /** Shows up to which frame a GIF would go, unless the reader has chosen one. */
  update() {
    const { until, page, recorded } = this;
    if (recorded) this.film(recorded);
    until.max = `${page.player.length - 1}`;
    if (!this.chosenEnd && document.activeElement !== until) until.value = `${this.seenEnd}`;
  }

  /** The last frame of the session: that of the last change, or a later one that is shown. */
  get lastFrame() {
    const { player } = this.page;
    return Math.max(player.frame, ...player.actions.map(({ frame }) => frame));
  }

  /** The last frame of a GIF: that of the session, or of the film where nothing was seen yet. */
  get seenEnd() {
    return this.lastFrame || this.page.player.film - 1;
  }

  /**
   * The last frame of a clip, and what a GIF up to it embeds.
   * @param {number} usual frame, unless the reader has chosen one
   */
  wanted(usual) {
    const { until } = this;
    const { data, player, seeds } = this.page;
    const frame = this.chosenEnd ? Math.round(until.valueAsNumber) : usual;
    until.value = `${Math.max(0, Math.min(frame, player.length - 1))}`;
    const last = Number(until.value);
    const scenario = { ...data.text, time: { ...data.text.time, frames: last + 1 } };
    const actions = player.actions.filter((action) => action.frame <= last);
    const seed = seeds[player.seed] ?? data.clip.seed;
    const text = tomlOf(scenario, seed, actions, 0, data.spare, this.session(last));
    return { last, text: data.clip.about + text };
  }

  /**
   * The last frame of the session, and what was guessed and reached, if there is a lesson.
   * @param {number} last of a clip
   */
  session(last = this.lastFrame) {
    const { data, player } = this.page;
    if (!data.lesson?.steps.length) return null;
    const attempts = player.attempts.map(({ first, last, shown, proof }) => {
      const guessed = { first, last, shown };
      if (!proof) return guessed;
      const actions = proof.actions.map(({ frame: at, key, value }) => ({ at, key, value }));
      return { ...guessed, reached: proof.frame, seed: proof.seed, actions };
    });
    return { frame: Math.min(last, this.lastFrame), attempts };
  }

  toml() {
    const { data, player, seeds } = this.page;
    const { actions, history } = player;
    return tomlOf(data.text, seeds[player.seed], actions, history.length, data.spare, this.session());
  }

  /** Draws as the clip does, from where the reader sees the world now. */
  painter() {
    const { drawing, look } = this.page;
    const kept = { of: "", canvas: document.createElement("canvas") };
    const whole = { plain: false, window: [0, 0, ...look.size], letter: look.letter };
    const now = { own: { ...drawing.own }, trails: drawing.trails };
    return Object.assign(Object.create(drawing), whole, now, { kept });
  }

  /** @param {AbortController} job */
  async gifOf({ signal }) {
    const { page, progress } = this;
    const { data, player, touch } = page;
    const { last, text } = this.wanted(this.seenEnd);
    const [kernel, again] = [await Kernel.of(page.build), await Kernel.of(page.build)];
    const film = player.repeated((seed) => page.simulation(again, seed), last);
    const painter = this.painter();
    const own = { player: film, drawing: painter, chosen: touch.chosen, list() {} };
    const marks = [Object.assign(Object.create(touch), own)];
    Object.assign(progress, { hidden: false, value: 0 });
    const work = gif(film, painter, kernel, last + 1, data.clip.loop, text, marks);
    return sliced(work, signal, (share) => {
      progress.value = share;
    });
  }

  /** Plays on to the last frame of a clip, unless it is stopped before. @param {AbortController} job */
  async webmOf(job) {
    const { look, player } = this.page;
    const { last } = this.wanted(player.film - 1);
    if (player.frame >= last) player.seek(0);
    player.listeners.push(() => {
      if (job.signal.aborted || player.frame < last) return;
      player.playing = false;
      setTimeout(() => job.abort(), 2000 / look.fps); // when the last frame has been painted and recorded
    });
    this.recorded = this.film();
    try {
      const made = filmed(this.recorded, look.fps, job.signal, () => player.play(true));
      player.changed(); // a recording begins with the first picture that is painted
      return await made;
    } finally {
      this.recorded = null;
    }
  }

  /**
   * Makes a clip, with a button that ends this in the meantime.
   * @param {string} id of the button, and file extension
   * @param {string} end what it then says
   * @param {(job: AbortController) => Promise<Blob | null>} make
   */
  saver(id, end, make) {
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
        if (made) this.save(`.${id}`, made);
        say(made ? phrase("The clip is saved.") : phrase("No clip is saved."));
      } finally {
        job = null;
        button.textContent = name;
        this.progress.hidden = true;
      }
    };
  }

  savePng() {
    const { player } = this.page;
    this.film().toBlob((picture) => picture && this.save(`-${player.frame}.png`, picture));
  }

  /**
   * The frame shown as the clip has it, with its words and in its size.
   * @param {HTMLCanvasElement} canvas to draw it on
   */
  film(canvas = document.createElement("canvas")) {
    const { page } = this;
    const [width, height] = page.look.size;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
    /** @type {import("./drawing.js").Mark} */
    const ghosts = { draw: () => page.drawGhosts(pen) };
    this.painter().draw(pen, page.player.leading, 1, [ghosts, page.touch]);
    return canvas;
  }

  saveSvg() {
    const { look, player, touch } = this.page;
    const pen = new SvgPen(look);
    this.painter().draw(/** @type {any} */ (pen), player.leading, 1, [touch]);
    this.save(`-${player.frame}.svg`, new Blob([pen.svg], { type: "image/svg+xml" }));
  }

  /** @param {string} ending @param {Blob} content */
  save(ending, content) {
    const href = URL.createObjectURL(content);
    element("a", { href, download: `${this.page.data.name}${ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }

  /** The address of this page with all that was done, up to this frame. */
  async link() {
    const { data, player } = this.page;
    return `${location.href.split("#")[0]}#${await fragmentOf(player, data.digest)}`;
  }

  /** An element that shows this page within another one. */
  async embedded() {
    const size = { width: "100%", height: `${innerHeight}` };
    return element("iframe", { src: await this.link(), title: document.title, ...size }).outerHTML;
  }

  /** Shows the link as a QR code to the whole room. */
  async showCode() {
    const link = await this.link();
    if (link.length > LONGEST) throw new RangeError("the link is too long for a QR code");
    const code = generate(link);
    const [svg] = this.code.children;
    const sides = [...Array(code.size).keys()];
    const squares = sides.flatMap((y) => sides.map((x) => (code.get(x, y) ? `M${x} ${y}h1v1h-1z` : "")));
    svg.setAttribute("viewBox", `-4 -4 ${code.size + 8} ${code.size + 8}`);
    svg.children[0].setAttribute("d", squares.join(""));
    this.code.showModal();
  }

  /** Copies what a button offers. @param {string} id of the button @param {string | Promise<string>} made */
  async copy(id, made) {
    const button = part(id, HTMLButtonElement);
    await copied(button, await made);
    say(phrase("{button}: it is on the clipboard.", { button: button.dataset.name ?? "" }));
  }
}
