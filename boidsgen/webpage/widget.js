/**
 * The page in a cell of a notebook: what its reader sets goes to Python, and what Python sets to the page.
 *
 * The model of the notebook holds `frame`, the frame that is shown, `overrides`, the keys that differ there
 * from the scenario, and `_done`, `[seed, actions]` with the number of the start. Infinity is "inf" there.
 */

/**
 * @typedef {object} Model
 * @property {(name: string) => any} get @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, act: () => void) => void} on
 * @property {(event: string, act: () => void) => void} off
 */
/**
 * @typedef {object} Inside  What a page offers to those around it.
 * @property {number} frame @property {(n: number) => void} seek
 * @property {(key: string, value: any) => void} set @property {(key: string) => any} get
 * @property {(key: string) => any} first @property {() => {[key: string]: any}} moved
 * @property {(seed: number) => void} restart @property {(act: () => void) => void} listen
 * @property {() => {seed: number, actions: import("./types.js").Action[]}} done
 */

// Milliseconds between two looks whether the page is there, and between two reports of one that plays.
const [READY, APART] = [50, 100];

/** @param {any} value as the model holds it */
const encoded = (value) =>
  JSON.parse(JSON.stringify(value, (_, one) => (one === Number.POSITIVE_INFINITY ? "inf" : one)));

/** @param {any} value of the model */
const decoded = (value) => (value === "inf" ? Number.POSITIVE_INFINITY : value);

/** @param {any} one @param {any} other */
const equal = (one, other) => JSON.stringify(encoded(one)) === JSON.stringify(encoded(other));

/** The page in one cell; a model may be shown in several. */
class View {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.ended = false;
    this.due = 0; // The number of the next report
    /** @type {Inside | undefined} once it is ready */
    this.page = undefined;
    const [width, height] = model.get("_size");
    this.frame = Object.assign(document.createElement("iframe"), { width, height, title: "boidsgen" });
    this.frame.style = "border: 0; max-width: 100%";
    Object.assign(this.frame, { allow: "clipboard-write; fullscreen", srcdoc: model.get("_page") });
    // A notebook that moves the cell loads the page anew.
    this.frame.addEventListener("load", () => this.begin());
    this.set = () => this.page && this.adopt(this.page);
    this.seek = () =>
      this.page && this.page.frame !== model.get("frame") && this.page.seek(model.get("frame"));
    model.on("change:overrides", this.set);
    model.on("change:frame", this.seek);
  }

  /** Does again in a new page what was done, and reports from then on. */
  async begin() {
    const found = () => /** @type {any} */ (this.frame.contentWindow)?.boidsgen;
    this.page = undefined;
    while (!found()) {
      if (this.ended) return;
      await new Promise((resolve) => setTimeout(resolve, READY));
    }
    /** @type {Inside} */
    const page = found();
    const [frame, [seed, actions]] = [this.model.get("frame"), this.model.get("_done")];
    if (seed) page.restart(seed);
    for (const [at, key, value] of actions) {
      page.seek(at);
      page.set(key, decoded(value));
    }
    if (frame) page.seek(frame);
    this.adopt(page);
    this.page = page;
    page.listen(() => {
      this.due ||= setTimeout(() => this.report(page), APART);
    });
  }

  /** The keys of the scenario that differ in the frame shown. @param {Inside} page */
  overrides(page) {
    /** @type {string[]} */
    const spares = this.model.get("_spares"); // tables that a click brings to life
    const set = Object.entries(page.moved()).filter(([key, value]) => !equal(value, page.first(key)));
    return Object.fromEntries(set.filter(([key]) => !spares.some((begin) => key.startsWith(begin))));
  }

  /** Sets in the page what the model says. @param {Inside} page */
  adopt(page) {
    /** @type {{[key: string]: any}} */
    const wanted = this.model.get("overrides");
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(this.overrides(page))])) {
      const value = key in wanted ? wanted[key] : page.first(key);
      if (!equal(page.get(key), value)) page.set(key, decoded(value));
    }
  }

  /** Tells the model what is shown. @param {Inside} page */
  report(page) {
    const { model } = this;
    this.due = 0;
    if (page !== this.page || this.ended) return;
    const { seed, actions } = page.done();
    model.set("_done", encoded([seed, actions.map(({ frame, key, value }) => [frame, key, value])]));
    model.set("overrides", encoded(this.overrides(page)));
    model.set("frame", page.frame);
    model.save_changes();
  }

  end() {
    this.ended = true;
    this.model.off("change:overrides", this.set);
    this.model.off("change:frame", this.seek);
  }
}

export default {
  /** @param {{model: Model, el: HTMLElement}} cell */
  render({ model, el }) {
    const view = new View(model);
    el.append(view.frame);
    return () => view.end();
  },
};
