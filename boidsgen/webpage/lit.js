/**
 * The lit look: the same pixels as in a clip, from the tables of lit.py and with the kernel that draws those,
 * as in drawing/lit.py, glow.py and backgrounds.py.
 */

import { KernelArrays } from "./pixels.js";

/** @import { Projection as View } from "./camera.js" */
/** @import { Drawing } from "./drawing.js" */
/** @import { Frame } from "./player.js" */
/** @import { Group } from "./types.js" */
/** @typedef {[number, number, number, number]} Sides  Top, bottom, left and right. */
/**
 * @typedef {{drawing: Drawing, view: View, frames: Frame[], groups: Group[],
 *   wanted?: (position: Float64Array, at: number) => boolean}} Now Frames that lead to the one that is drawn,
 *   its groups, and which places are drawn.
 */
/**
 * @typedef {{body: number[], beats: number}} Outlined What animals.c reads of a shape, and the parts of a
 *   beat that pass in a frame.
 */
/**
 * @typedef {{brightest: number, crowd: number[], shadow: number[], floor: number, grid: number,
 *   middle: number[], fall: number[]}} Depths with the middle, in parts of the size, its brightness, and how
 *   soon it is dark
 */
/** @typedef {{borders: number[], level: number, parts: number}} Shade on the ground */
/**
 * @typedef {object} LitLook What lit.py writes.
 * @property {[number, number]} size
 * @property {number} margin of canvases
 * @property {number} hues
 * @property {number} step from one tone to the next
 * @property {number} glowLevels of the light of predators
 * @property {boolean} nearest see `AccumulationBuffer`
 * @property {number} fog
 * @property {number} interval between frames
 * @property {number} reach
 * @property {number} hunterReach of animals, in pixels
 * @property {number} predatorSize
 * @property {(Outlined & {kinds: number, flashes: boolean})[]} flocks and the number of kinds of sprites
 * @property {Outlined} hunter
 * @property {number[]} hunters inks of predators
 * @property {number} obstacle ink
 * @property {number} tones of the ground
 * @property {number} shades of bodies
 * @property {number} square of clouds
 * @property {number[]} sheen as `Kind` in animals.c has it
 * @property {Shade | null} shade
 * @property {number[][]} soft widths and strengths of the layers of a ribbon in a flat world
 * @property {{brightest: number, halo: number[]} | null} glow
 * @property {Depths | null} depths
 * @property {{shore: number, room: number, start: number, drift: number, sky: number,
 *   skyStep: number} | null} marsh
 * @property {{entry: string, arrays: string, numbers: number[]} | null} painting of a ground painted once
 * @property {{[name: string]: number}} numbers of the modules that draw clips
 * @property {{[plane: string]: [number, number]}} lengths in bytes, and those of each number
 * @property {string} planes
 */

const STRENGTHS = 32;
const BUFFER = "sums fronts touched";
const SUBPIXELS = 4; // Parts of a pixel at which sprites are drawn
const THIN = 0.8; // Pixels of the thinnest line that is seen as strong as it is
const COPIES = 9; // Of an animal in a world without edges, at most
const [LEAST, PIXELS] = [1024, 64]; // Sprites for which there is room at first, and pixels of one

/**
 * The first tone of an ink at a strength, of so many inks.
 * @param {number} strength
 * @param {number} inks
 * @param {number} ink
 */
const toned = (strength, inks = 1, ink = 0) =>
  (Math.round(Math.min(Math.max(strength, 0), 1) * STRENGTHS) * inks + ink) * 256;

export class Lit {
  /**
   * @param {import("./kernel.js").Kernel} kernel
   * @param {LitLook} look
   * @param {Uint8Array} bytes its planes
   */
  constructor(kernel, look, bytes) {
    this.look = look;
    this.arrays = new KernelArrays(kernel);
    const { size, lengths } = look;
    this.wide = size[0];
    this.high = size[1];
    /** @type {{[plane: string]: Uint8Array}} */
    this.planes = {};
    let begin = 0;
    const { arrays, planes } = this;
    for (const [name, [length, each]] of Object.entries(lengths)) {
      planes[name] = bytes.subarray(begin, begin + length);
      arrays.put(name, planes[name], each);
      begin += length;
    }
    const { dither } = planes;
    const pattern = arrays.of("dither", Uint8Array, dither ? this.pixels : 0);
    for (let k = 0; k < pattern.length; k++)
      pattern[k] = dither[(Math.floor(k / this.wide) % 64) * 64 + ((k % this.wide) % 64)];
    this.dark = look.depths ? this.vignette([0, 0], 1, size) : new Uint8Array();
    this.light();
    this.inks = planes.inks.length / 256 / (STRENGTHS + 1);
    arrays.fill("hunter", Float64Array, look.hunter.body);
    // Room for sprites in quarters of pixels, and for all of the picture.
    const squares = Math.max(this.bordered, (2 * SUBPIXELS * (look.reach + 3)) ** 2);
    arrays.of("covered", Uint8Array, 2 * squares);
    arrays.of("areas", Int32Array, 2 * squares);
    this.most = 0;
    this.corners(Math.max(...[...look.flocks, look.hunter].map(({ body }) => body.length)));
    this.sprites = look.flocks.map(({ body, kinds }, number) => {
      arrays.fill(`body${number}`, Float64Array, body);
      arrays.of(`kinds${number}`, Int32Array, kinds).fill(-1);
      arrays.fill(`used${number}`, Int32Array, [0, 0]);
      return 0;
    }); // for which there is room
    this.ground = ""; // What of it is seen
    this.pen = Math.max(size[1] / 600, THIN); // Of lines on the floor
    this.moving = look.marsh?.room ?? 0; // By how many columns the land may go by
    this.place = 0; // Column of the land at the left edge
    /** @type {Sides} */
    this.sides = [0, 0, 0, 0]; // Of what is seen of animals
    /** @type {number[]} from x, y to x, y, width, tone and front, of lines that are yet to be drawn */
    this.lines = [];
  }

  /** Pixels of a row of canvases. */
  get stride() {
    return this.wide + 2 * this.look.margin;
  }

  get pixels() {
    return this.wide * this.high;
  }

  /** Pixels of canvases. */
  get bordered() {
    return this.stride * (this.high + 2 * this.look.margin);
  }

  /** Makes the tables for full color. */
  light() {
    const { arrays, look, planes, wide, high } = this;
    const { marsh, painting } = look;
    const across = wide + (marsh?.room ?? 0);
    arrays.of("mirror", Uint8Array, 4 * wide);
    arrays.of("known", Uint16Array, look.glow && !marsh ? 4 * 256 * (look.glow.brightest + 1) : 0).fill(0);
    const count = painting ? across * high : planes.painted.length / 6;
    const colors = marsh ? marsh.sky * across : count;
    const rooms = { painted: 3 * count, numbers: 1 << 16, [marsh ? "sky" : "ramp"]: 4 * colors };
    for (const [name, size] of Object.entries(rooms)) arrays.of(name, Uint16Array, size);
    arrays.run("fine_numbers", "numbers");
    if (painting) arrays.run(painting.entry, `painted none none ${painting.arrays}`, ...painting.numbers);
    const [painted, numbers, table] = Object.entries(rooms).map(([name, size]) =>
      arrays.of(name, Uint16Array, size),
    );
    table.fill(255 << 8);
    for (let color = 0; color < colors; color++)
      for (let part = 0; part < 3; part++) table[4 * color + part] = numbers[painted[3 * color + part]];
    const finer = arrays.of("finer", Uint16Array, 4 * planes.finest.length);
    planes.finest.forEach((value, k) => void finer.fill(value, 4 * k, 4 * k + 4));
  }

  /**
   * The picture of the last of some frames, red, green, blue and opacity of every pixel.
   *
   * @param {Drawing} drawing aimed at it @param {Frame[]} frames that lead to it
   */
  paint(drawing, frames) {
    const { arrays, look, pixels, wide } = this;
    const { marsh, depths, glow, margin, hues, glowLevels, step, tones } = look;
    this.draw(drawing, frames);
    const { STRIPS } = look.numbers;
    const steps = Math.round(STRIPS * this.place);
    const [left, part, across] = [Math.floor(steps / STRIPS), steps % STRIPS, wide + (marsh?.room ?? 0)];
    arrays.of("picture", Uint8Array, 4 * pixels);
    if (marsh) arrays.run("paint_sky", "picture sky finer", left, part, wide, across);
    arrays.of("picture", Uint32Array, pixels);
    if (marsh)
      arrays.run("paint_land", "picture painted numbers finest", marsh.sky, left, part, wide, across);
    else arrays.run("paint_bright", "picture bright ramp finest", wide);
    const animals = `known ${BUFFER} smooth glowing halo drawn below solid solids`;
    const tables = `layers numbers finest ${marsh && hues === 1 ? "above" : "none"} rippled`;
    const whole = [...this.sides, wide, margin, hues, glowLevels, step, glow?.brightest ?? 0];
    const ground = [depths?.brightest ?? 0, tones, marsh?.shore ?? 0, across, left, part];
    const sky = marsh ? [left - (left % marsh.skyStep), marsh.sky] : [0, 0];
    const names = `picture levels mirror ${animals} bright dither painted ground coarse ${tables}`;
    arrays.run("shine", names, ...whole, ...ground, ...sky);
    return arrays.of("picture", Uint8ClampedArray, 4 * pixels);
  }

  /**
   * The ground of a part that may be larger than the picture, red, green, blue and opacity of every pixel.
   *
   * @param {Drawing} drawing
   * @param {number[]} corner left and top, in pixels of the picture
   * @param {number} step how many of these are in one
   * @param {[number, number]} size
   */
  beyond(drawing, corner, step, size) {
    const { arrays, look, planes } = this;
    const [columns, rows] = size;
    const pixels = columns * rows;
    arrays.of("whole", Uint32Array, pixels);
    if (look.painting) {
      const { entry, arrays: names, numbers } = look.painting;
      const seen = Float64Array.of(...corner, step); // Begins a `frame.uncut`, at the end of a record
      const record = planes.record.slice();
      record.set(new Uint8Array(seen.buffer), record.length - 40);
      arrays.put("record", record, 8);
      arrays.of("light", Uint16Array, 3 * pixels);
      arrays.run(entry, `light none none ${names}`, columns, ...numbers.slice(1));
      arrays.run("paint_land", "whole light numbers finest", 0, 0, 0, columns, columns);
    } else {
      const origin = drawing.view.origin.map((at, axis) => (at - corner[axis]) / step);
      /** @type {View} */
      const view = Object.assign(Object.create(drawing.view), { origin, scale: drawing.view.scale / step });
      const dark = this.vignette(corner, step, size);
      const own = { wide: columns, high: rows, dark, lines: [], pen: this.pen / step };
      /** @type {Lit} */
      const wider = Object.assign(Object.create(this), own);
      wider.aim(view);
      arrays.fill("wide", Uint8Array, wider.still(drawing, view));
      arrays.run("paint_bright", "whole wide ramp finest", columns);
    }
    return arrays.of("whole", Uint8ClampedArray, 4 * pixels);
  }

  /**
   * Darkness round the middle of the picture, as `LaidDepths`.
   * @param {number[]} corner @param {number} step @param {number[]} size
   */
  vignette(corner, step, size) {
    const { planes, look } = this;
    const { middle, fall } = /** @type {Depths} */ (look.depths);
    const [across, down] = size.map((side, axis) =>
      Float64Array.from({ length: side }, (_, k) => {
        const place = (corner[axis] + step * (k + 0.5)) / look.size[axis];
        return Math.exp(-(((place - middle[axis]) * fall[axis]) ** 2));
      }),
    );
    return Uint8Array.from({ length: size[0] * size[1] }, (_, k) => {
      const [row, column] = [Math.floor(k / size[0]), k % size[0]];
      const finer = planes.finest[(row % 64) * 64 + (column % 64)];
      return middle[2] * across[column] * down[row] + (finer + 0.5) / 256;
    });
  }

  /** Draws a frame on the canvases. @param {Drawing} drawing @param {Frame[]} frames */
  draw(drawing, frames) {
    const { arrays, look, pixels, bordered } = this;
    const { groups } = frames[frames.length - 1];
    /** @type {Now} */
    const now = { drawing, view: drawing.view, frames, groups };
    arrays.of("sums", BigInt64Array, bordered);
    arrays.of("fronts", Uint16Array, look.nearest ? bordered : 0);
    arrays.of("touched", Uint8Array, (bordered >> 6) + 1);
    arrays.run("clear_sums", BUFFER);
    arrays.of("levels", Uint8Array, pixels).fill(0);
    for (const name of ["glowing", "below"]) arrays.of(name, Uint8Array, bordered).fill(0);
    arrays.of("solid", Uint8Array, look.shades ? pixels : 0).fill(0);
    /** @type {number[]} x, y and strength of what glows */
    this.lights = [];
    /** @type {number[]} x, y and depth of predators */
    this.hunters = [];
    const obstacles = drawing.look.shows.obstacles ? frames[frames.length - 1].obstacles : [];
    this.aim(now.view);
    this.addGround(now);
    if (look.shade) this.addShade(now, look.shade);
    if (drawing.view.flat) for (const one of obstacles) this.addObstacle(drawing, drawing.silhouette(one));
    arrays.of("drawn", Uint8Array, bordered);
    arrays.fill("drawn", Uint8Array, arrays.of("below", Uint8Array, bordered));
    const bodies = drawing.view.flat ? [] : obstacles;
    for (const behind of bodies.length ? [true, false] : [false]) {
      if (bodies.length) now.wanted = (position, at) => drawing.hides(bodies, position, at) === behind;
      for (let number = groups.length - 1; number >= 0; number--) {
        if (groups[number].kind === "flock") this.addFlock(now, groups[number], number);
        else this.addPredators(now, groups[number], number);
      }
      if (behind)
        for (const body of bodies)
          this.cover(drawing.silhouette(body), ["circle", "ellipse"].includes(body.kind));
    }
    this.addPaths(now);
    this.crop(now.view);
    if (look.glow) this.cloud("halo", this.lights, look.glow.halo, 3);
  }

  /**
   * Adds soft shadows on the ground, as `LaidReef.shadows`.
   * @param {Now} now
   * @param {Shade} shade
   */
  addShade({ drawing, view, groups }, { borders, level, parts }) {
    const side = view.part * Math.max(...drawing.look.world.size.slice(0, 2));
    const places = crowded(view, groups, view.center[2] + (level * side) / 2);
    if (!places.length) return;
    const weighed = places.map((value, k) => (k % 3 === 2 ? 1 : value));
    this.cloud("shade", weighed, borders, 1);
    this.arrays.run("add_shade", "sums touched shade finest", this.wide, this.look.margin, parts);
  }

  /** Tells the kernel how the world is seen. @param {View} view */
  aim({ center, right, up, toward, origin, period, scale, distance, reach, flat }) {
    const { wide, high } = this;
    const axes = [center, right, up, flat ? [0, 0] : toward].flatMap(([x, y, z = 0]) => [x, y, z]);
    const numbers = [scale, distance, flat ? 0 : reach, this.look.margin, +flat];
    this.arrays.fill("camera", Float64Array, [...axes, ...origin, ...period, wide, high, ...numbers]);
  }

  /** Makes room for the corners of a polygon. @param {number} count */
  corners(count) {
    this.most = Math.max(this.most, count);
    this.arrays.of("corners", Float64Array, 3 * this.most);
  }

  /**
   * Tells the kernel of the animals of a group.
   * @param {Now} now @param {number} number @param {Outlined & {flashes?: boolean}} shape
   * @param {number} size of a body in pixels @param {number} reach
   */
  describe({ view, frames, groups, wanted }, number, { beats, flashes }, size, reach) {
    const { arrays, look } = this;
    const { position, velocity, dimension, past, count } = groups[number];
    const before = frames.length > 1 ? frames[frames.length - 2].groups[number]?.velocity : past;
    const length = size / (view.scale * look.interval);
    const passed = Math.floor(frames[frames.length - 1].number * beats);
    arrays.fill("group", Float64Array, [passed, length, size, reach, +Boolean(flashes), ...look.sheen]);
    arrays.fill("position", Float64Array, position);
    arrays.fill("velocity", Float64Array, velocity);
    arrays.fill("past", Float64Array, before?.length === velocity.length ? before : velocity);
    const all = wanted && Array.from({ length: count }, (_, i) => +wanted(position, i * dimension));
    arrays.fill("wanted", Uint8Array, all ?? []);
  }

  /** Adds a flock and its trails. @param {Now} now @param {Group} group @param {number} number */
  addFlock(now, group, number) {
    const { arrays, look } = this;
    const { drawing, frames } = now;
    const { TRAIL, FAINTEST } = look.numbers;
    this.describe(now, number, look.flocks[number], drawing.look.body, look.reach);
    const hue = look.hues > 1 ? drawing.colors(group, number, frames[frames.length - 1]) : [];
    arrays.fill("hue", Uint8Array, hue);
    arrays.fill("hunters", Float64Array, this.hunters);
    for (const name of ["strength", "front"]) arrays.of(name, Uint16Array, group.count);
    const [first, count, offset, covered] = ["first", "count", "offset", "sprite"].map(
      (name) => name + number,
    );
    const sprites = `kinds${number} used${number} ${first} ${count} ${offset} ${covered}`;
    const animals = `camera body${number} group position velocity past hue wanted fading hunters`;
    const names = `${BUFFER} drawn strength front ${sprites} covered areas corners ${animals}`;
    while (!arrays.run("add_flock", names, look.hunterReach, 0)) {
      const room = Math.max(2 * this.sprites[number], LEAST);
      this.sprites[number] = room;
      for (const name of [first, count]) arrays.of(name, BigInt64Array, room);
      arrays.of(offset, Int32Array, PIXELS * room);
      arrays.of(covered, Uint8Array, PIXELS * room);
    }
    arrays.run("add_flock", names, look.hunterReach, 1);
    const [strength, front] = ["strength", "front"].map((name) => arrays.of(name, Uint16Array, group.count));
    this.ways(now, number, (i, life, x, y, u, v) => {
      const tone = Math.round(strength[i] * TRAIL * life * life);
      if (tone >= FAINTEST) this.lines.push(x, y, u, v, drawing.look.trailWidth, tone, front[i]);
    });
    this.stroke();
  }

  /** Draws the lines on a canvas, or adds them to the buffer. @param {string} canvas @param {string} inks */
  stroke(canvas = "none", inks = "none") {
    const { arrays, lines, stride, high } = this;
    const thickest = lines.reduce((most, value, k) => (k % 7 === 4 ? Math.max(most, value) : most), 0);
    const most = Math.ceil((stride + high + 2 * this.look.margin + thickest) * (2 * thickest + 5)); // of one
    for (const name of ["line", "flat"]) arrays.of(name, BigInt64Array, most);
    arrays.of("coverage", Uint8Array, most);
    arrays.fill("lines", Float64Array, lines);
    arrays.run("stroke", `${canvas} ${inks} ${BUFFER} line flat coverage camera lines`);
    this.lines = [];
  }

  /**
   * Calls a function with every piece of the trails of a group, from the newest on: whose it is, what is left
   * of its life, its ends, and the pixels of a unit there.
   *
   * @param {Now} now
   * @param {number} number
   * @param {(i: number, life: number, x: number, y: number, u: number, v: number, here: number) => void} each
   */
  ways({ drawing, view, frames, wanted }, number, each) {
    const most = drawing.trails ? drawing.look.groups[number].trails : 0;
    for (let age = 0; age < Math.min(most, frames.length - 1); age++) {
      const [to, from] = [1, 2].map((back) => frames[frames.length - age - back].groups[number]);
      if (from?.count !== to.count || from.numbers !== to.numbers) continue;
      for (let at = 0; at < to.count * to.dimension; at += to.dimension) {
        if (!drawing.flown(from.position, to.position, at) || wanted?.(to.position, at) === false) continue;
        view.see(from.position[at], from.position[at + 1], from.position[at + 2]);
        const { x, y, shown } = view;
        view.see(to.position[at], to.position[at + 1], to.position[at + 2]);
        if (shown && view.shown) each(at / to.dimension, 1 - age / most, x, y, view.x, view.y, view.here);
      }
    }
  }

  /** Adds predators, and their light. @param {Now} now @param {Group} group @param {number} number */
  addPredators(now, group, number) {
    const { arrays, look, lights } = this;
    const { drawing, view } = now;
    const { HEAD, STRONGEST, FADE, WIDTH, TAPER, NARROWEST, SOFT_END } = look.numbers;
    const span = drawing.look.body * look.predatorSize;
    const ink = look.hunters[number - look.flocks.length];
    this.describe(now, number, look.hunter, span, look.hunterReach);
    const [strength, tones] = [new Float64Array(group.count), new Int32Array(group.count)];
    for (let i = 0; i < group.count; i++) {
      const [x, y] = view.place(group.position, i * group.dimension);
      const { depth } = view;
      strength[i] = Math.exp(-look.fog * 0.6 * depth);
      tones[i] = toned(Math.max(Math.exp(-look.fog * 0.3 * depth), 0.75), this.inks, ink);
      if (view.shown && now.wanted?.(group.position, i * group.dimension) !== false)
        lights.push(x, y, HEAD * strength[i]);
    }
    arrays.fill("tones", Int32Array, tones);
    arrays.of("hunters", Float64Array, 3 * COPIES * group.count);
    const names =
      "drawn hunters covered corners camera hunter group position velocity past tones wanted inks";
    const found = arrays.run("draw_predators", names);
    this.hunters.push(...arrays.of("hunters", Float64Array, 3 * found));
    if (!look.glow) return;
    const [low, high] = view.window ?? [[0, 0], look.size];
    this.ways(now, number, (i, life, x, y, u, v, here) => {
      let faded = STRONGEST * life ** FADE * strength[i];
      const wide = (WIDTH * span * life ** TAPER * here) / view.scale;
      if (view.flat && drawing.look.world.leadsRound) {
        const inside = Math.min(u - low[0], v - low[1], high[0] - u, high[1] - v);
        faded *= Math.min(Math.max(inside / (SOFT_END * WIDTH * span), 0), 1);
      }
      for (const [part, strong] of view.flat ? look.soft : [[1, 1]])
        this.lines.push(x, y, u, v, Math.max(part * wide, NARROWEST), toned(strong * faded), 0);
      lights.push(u, v, faded);
    });
    this.stroke("glowing", "glow");
  }

  /**
   * Draws an obstacle of a flat world below the animals, and again beyond edges.
   * @param {Drawing} drawing
   * @param {number[][]} outline
   */
  addObstacle(drawing, outline) {
    const tones = [0.22, 0.9].map((strength) => toned(strength, this.inks, this.look.obstacle));
    for (const corners of drawing.repeated(outline)) {
      this.corners(corners.length);
      this.arrays.fill("outline", Float64Array, corners.flat());
      this.arrays.run("fill", "below covered corners camera outline inks", tones[0]);
      corners.forEach(([x, y], k) => {
        const [u, v] = corners[(k + 1) % corners.length];
        this.lines.push(x, y, u, v, 1.4 * drawing.look.pen, tones[1], 0);
      });
    }
    this.stroke("below", "inks");
  }

  /**
   * Covers what is behind a body: a round one is shaded as a ball, any other evenly.
   * @param {number[][]} outline
   * @param {boolean} round
   */
  cover(outline, round) {
    const { SHADOW, LIGHT, RIM } = this.look.numbers;
    this.corners(outline.length);
    this.arrays.fill("outline", Float64Array, outline.flat());
    const names = "sums fronts drawn glowing solid covered corners camera outline lamp";
    this.arrays.run("cover_behind", names, +round, SHADOW, LIGHT, RIM, this.look.shades);
  }

  /** Adds the paths of predators. @param {Now} now */
  addPaths({ drawing, view, frames }) {
    const { glow, hunters, numbers } = this.look;
    const width = 1.2 * drawing.look.pen * (glow ? numbers.PEN : 1);
    for (const path of drawing.paths(frames[frames.length - 1])) {
      for (let k = 1; k < path.length; k++) {
        const [x, y] = view.place(path[k - 1]);
        const { depth, shown } = view;
        const [u, v] = view.place(path[k]);
        const strength = 0.5 * (1 - 0.17 * (depth + view.depth));
        const tone = glow ? toned(strength) : toned(strength, this.inks, hunters[0]);
        if (shown && view.shown) this.lines.push(x, y, u, v, width, tone, 0);
      }
    }
    if (glow) this.stroke("glowing", "glow");
    else this.stroke("drawn", "inks");
  }

  /**
   * A soft cloud round places, as `clouds`.
   * @param {string} name
   * @param {number[]} places x, y and weight of each
   * @param {number[]} borders
   * @param {number} reach
   */
  cloud(name, places, borders, reach) {
    const { arrays, look, wide, high } = this;
    arrays.of(name, Uint8Array, 0);
    if (!places.length) return;
    const [columns, rows] = [wide, high].map((side) => Math.ceil(side / look.square));
    arrays.fill("places", Float64Array, places);
    arrays.fill("borders", Float64Array, borders);
    for (const one of ["cells", "scratch"]) arrays.of(one, BigInt64Array, columns * rows);
    arrays.of("squares", Uint8Array, columns * rows);
    const names = "squares cells scratch places borders";
    arrays.run("find_clouds", names, columns, look.square, reach, look.numbers.UNIT);
    this.enlarge(name);
  }

  /** The squares as a smooth plane. @param {string} name */
  enlarge(name) {
    const { wide } = this;
    const [half, columns] = [this.look.square / 2, Math.ceil(wide / this.look.square)];
    this.arrays.of("scratch", Uint8Array, 2 * columns * half);
    this.arrays.of(name, Uint8Array, this.pixels);
    this.arrays.run("enlarge", `${name} scratch squares`, columns, half, wide);
  }

  /** What lies behind the animals. @param {Now} now */
  addGround({ drawing, view, groups }) {
    const { arrays, wide, pixels } = this;
    const { depths, marsh } = this.look;
    if (marsh) {
      // Sun and land go by while the camera turns.
      const shift = (view.turned * wide) / marsh.drift;
      this.place = Math.min(Math.max(marsh.start - shift, 0), marsh.room);
      this.ground = `${Math.round(this.place)}`;
    }
    if (!depths) return;
    const seen = [view.center, view.origin, view.toward, view.scale, view.part].join();
    if (seen !== this.ground) {
      this.ground = seen;
      arrays.fill("still", Uint8Array, this.still(drawing, view));
    }
    this.cloud("crowd", crowded(view, groups), depths.crowd, 2);
    this.cloud("shadow", view.flat ? [] : crowded(view, groups, this.level(drawing, view)), depths.shadow, 2);
    arrays.of("bright", Uint8Array, pixels);
    arrays.run("brighten", "bright still crowd shadow");
  }

  /** Height of the floor. @param {Drawing} drawing @param {View} view */
  level({ look }, view) {
    return view.center[2] + (this.look.numbers.FLOOR - 0.5) * view.part * look.world.size[2];
  }

  /**
   * The ground without animals; with depth it has a floor, its light and its grid, as `LaidDepths`.
   * @param {Drawing} drawing
   * @param {View} view
   */
  still(drawing, view) {
    const { arrays, dark, look, wide, high, stride, bordered } = this;
    if (view.flat) return dark;
    const [side, level] = [
      view.part * Math.max(...drawing.look.world.size.slice(0, 2)),
      this.level(drawing, view),
    ];
    const { center, origin, right, up, toward, distance, scale } = view;
    const { REACH, LIT, CELLS, PIECES } = look.numbers;
    const { floor, grid } = /** @type {Depths} */ (look.depths);
    const columns = Math.ceil(wide / look.square);
    const disc = Array.from({ length: columns * Math.ceil(high / look.square) }, (_, k) => {
      const x = (((k % columns) + 0.5) * look.square - origin[0]) / scale;
      const y = -((Math.floor(k / columns) + 0.5) * look.square - origin[1]) / scale;
      const away = center.map((__, axis) => x * right[axis] + y * up[axis]);
      const ray = toward.map((part, axis) => part - away[axis] / distance);
      const way = (level - center[2] - away[2]) / ray[2];
      if (ray[2] <= 0.02 || way >= distance) return 0;
      return Math.round(
        floor *
          255 *
          Math.exp(-((Math.hypot(away[0] + way * ray[0], away[1] + way * ray[1]) / (LIT * side)) ** 2)),
      );
    });
    arrays.fill("squares", Uint8Array, disc);
    this.enlarge("floor");
    for (let lane = -Math.round(REACH * CELLS); lane <= REACH * CELLS; lane++) {
      for (let piece = 0; piece < 2 * PIECES; piece++) {
        // Along x, then along y.
        const ends = [0, 1].map((on) => {
          const along = [lane / CELLS, REACH * ((2 * ((piece % PIECES) + on)) / PIECES - 1)];
          const [x, y] = piece < PIECES ? along : along.reverse();
          const place = view.place([center[0] + side * x, center[1] + side * y, level]);
          return {
            place,
            part: Math.max(1 - (x * x + y * y) / REACH ** 2, 0),
            depth: view.depth,
            shown: view.shown,
          };
        });
        const strength = ((ends[0].part + ends[1].part) / 2) * (1 - 0.6 * ends[0].depth);
        const [[x, y], [u, v]] = ends.map(({ place }) => place);
        if (ends.every(({ shown }) => shown))
          this.lines.push(
            x,
            y,
            u,
            v,
            Math.max(this.pen, THIN),
            toned(strength * Math.min(this.pen / THIN, 1)),
            0,
          );
      }
    }
    arrays.of("lanes", Uint8Array, bordered).fill(0);
    this.stroke("lanes", "grid");
    const drawn = arrays.of("lanes", Uint8Array, bordered);
    const disced = arrays.of("floor", Uint8Array, this.pixels);
    const bright = Math.round((grid * 255 * 8) / STRENGTHS);
    return dark.map((value, k) => {
      const line = drawn[(Math.floor(k / wide) + look.margin) * stride + (k % wide) + look.margin];
      return Math.min(value + disced[k] + ((line * bright) >> 3), 255);
    });
  }

  /** Takes away what is drawn beside the window of a camera. @param {View} view */
  crop(view) {
    const { arrays, look, wide, high } = this;
    const { marsh, size } = look;
    const [[left, top], [right, bottom]] = (view.window ?? [[0, 0], size]).map((corner) =>
      corner.map((side, axis) => Math.min(Math.max(Math.round(side), 0), size[axis])),
    );
    for (const name of view.window ? ["drawn", "glowing", "below"] : [])
      arrays.run("clear_beside", name, wide, look.margin, top, bottom, left, right);
    this.sides = [top, Math.min(bottom, marsh ? marsh.shore : high), left, right];
  }
}

/**
 * Places of boids, or those below them on a level, and the weight of each.
 * @param {View} view
 * @param {Group[]} groups
 * @param {number} [level]
 */
function crowded(view, groups, level) {
  /** @type {number[]} */
  const places = [];
  for (const { kind, count, position, dimension } of groups) {
    for (let at = 0; kind === "flock" && at < count * dimension; at += dimension) {
      view.see(position[at], position[at + 1], level ?? position[at + 2]);
      if (view.shown) places.push(view.x, view.y, 0);
    }
  }
  const weight = 2000 / Math.max(places.length / 3, 200);
  return places.map((value, k) => (k % 3 === 2 ? weight : value));
}
