/**
 * The lit look: the same pixels as in a clip, from the tables of lit.py and with the kernel that draws those,
 * as in drawing/lit.py, glow.py and backgrounds.py. A page shows them in full color; a gif has codes,
 * dithered.
 */

import { angle } from "./measures.js";
import { coverParts, KernelArrays, partsOf, posed, quarter, Sprites, trace } from "./pixels.js";

/** @import { Projection as View } from "./camera.js" */
/** @import { Drawing } from "./drawing.js" */
/** @import { Outlined } from "./pixels.js" */
/** @import { Frame } from "./player.js" */
/** @import { Group } from "./types.js" */
/** @typedef {[number, number, number, number]} Sides  Top, bottom, left and right. */
/**
 * @typedef {{drawing: Drawing, view: View, frames: Frame[], groups: Group[], wanted: (position: Float64Array,
 *   at: number) => boolean}} Now Frames that lead to the one that is drawn, its groups, and which places are
 *   drawn.
 */
/** @typedef {{heading: number, apparent: number, pose: number}} Attitude */
/** @typedef {{brightest: number, crowd: number[], shadow: number[], floor: number, grid: number}} Depths */
/**
 * @typedef {{flanks: number, backs: number[][], sun: number[], sideways: number, pale: number,
 *   facing: number, flash: number}} Sheen of animals with dark backs
 */
/** @typedef {{borders: number[], level: number, parts: number}} Shade on the ground */
/**
 * @typedef {object} LitLook What lit.py writes.
 * @property {[number, number]} size
 * @property {number} margin of canvases
 * @property {number} hues
 * @property {number} step from one tone to the next
 * @property {number} glowLevels of the light of predators
 * @property {number} overlays the first code of overlays
 * @property {boolean} nearest see `AccumulationBuffer`
 * @property {number} fog
 * @property {number} interval between frames
 * @property {number} reach
 * @property {number} hunterReach of animals, in pixels
 * @property {number} predatorSize
 * @property {import("./pixels.js").Sized[]} flocks
 * @property {Outlined} hunter
 * @property {number[]} hunters inks of predators
 * @property {number} obstacle ink
 * @property {number} tones of the ground
 * @property {number} shades of bodies
 * @property {number[]} lamp direction of light: right, up, toward the viewer
 * @property {number} square of clouds
 * @property {Sheen | null} sheen
 * @property {Shade | null} shade
 * @property {number[][]} soft widths and strengths of the layers of a ribbon in a flat world
 * @property {{brightest: number, halo: number[]} | null} glow
 * @property {Depths | null} depths
 * @property {{shore: number, above: number[], room: number, start: number, drift: number, sky: number,
 *   skyStep: number} | null} marsh
 * @property {{entry: string, arrays: string, numbers: number[]} | null} painting of a ground painted once
 * @property {{[name: string]: number}} numbers of the modules that draw clips
 * @property {{[plane: string]: number}} lengths
 * @property {string} planes
 */

const TAU = 2 * Math.PI;
const STRENGTHS = 32;
const BUFFER = "sums fronts touched";

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
    const { size, margin, lengths } = look;
    this.wide = size[0];
    this.high = size[1];
    this.stride = this.wide + 2 * margin;
    this.pixels = this.wide * this.high;
    this.bordered = this.stride * (this.high + 2 * margin);
    /** @type {{[plane: string]: Uint8Array}} */
    this.planes = {};
    let begin = 0;
    for (const [name, length] of Object.entries(lengths)) {
      this.planes[name] = bytes.slice(begin, begin + length);
      begin += length;
    }
    const { arrays, planes } = this;
    const colors = planes.palette.length / 3;
    const palette = arrays.of("palette", Uint8Array, 4 * colors).fill(255);
    for (let k = 0; k < 3 * colors; k++)
      palette[4 * (k % colors) + Math.floor(k / colors)] = planes.palette[k];
    arrays.of("palette", Uint32Array, colors);
    arrays.fill("above", Int32Array, look.marsh?.above ?? []);
    arrays.fill("rippled", Uint8Array, planes.rippled ?? []);
    for (const k of ["curve", "smooth", "inks", "glow", "grid"]) arrays.fill(k, Uint8Array, planes[k] ?? []);
    arrays.whole("coarse", planes.coarse);
    const coarser = planes.grain.map((value) => value >> 5);
    this.tile("grain", coarser);
    if (planes.dither) this.tile("dither", planes.dither);
    this.light();
    this.inks = planes.inks.length / 256 / (STRENGTHS + 1);
    this.sprites = look.flocks.map(
      (shape, number) => new Sprites(arrays, `sprites${number}`, shape, this.stride),
    );
    this.ground = ""; // What of it is seen
    this.place = 0; // Column of the land at the left edge
    /** @type {Sides} */
    this.sides = [0, 0, 0, 0]; // Of what is seen of animals
    /** @type {Sides} */
    this.halo = [0, 0, 0, 0];
    /** @type {number[][]} from x, y to x, y, width, tone and front, of lines that are yet to be drawn */
    this.lines = [];
  }

  /**
   * Fills a plane of the picture with a pattern.
   * @param {string} name
   * @param {Uint8Array} pattern
   */
  tile(name, pattern) {
    const [plane, rows] = [this.arrays.of(name, Uint8Array, this.pixels), 64 * this.wide];
    for (let k = 0; k < rows; k++)
      plane[k] = pattern[Math.floor(k / this.wide) * 64 + ((k % this.wide) % 64)];
    for (let done = rows; done < this.pixels; done *= 2) plane.copyWithin(done, 0, done);
  }

  /** Makes the tables for full color. */
  light() {
    const { arrays, look, planes, wide, high } = this;
    const { marsh, painting } = look;
    const finest = planes.grain.map((value) => 255 - value);
    const across = wide + (marsh?.room ?? 0);
    if (marsh) arrays.fill("ground", Uint16Array, new Uint16Array(planes.ground.buffer));
    arrays.fill("solids", Uint16Array, new Uint16Array(planes.solids.buffer));
    arrays.fill("layers", Int32Array, new Int32Array(planes.layers.buffer));
    arrays.fill("finest", Uint8Array, finest);
    arrays.of("mirror", Uint8Array, 4 * wide);
    arrays.of("known", Uint16Array, look.glow && !marsh ? 4 * 256 * (look.glow.brightest + 1) : 0).fill(0);
    const count = painting ? across * high : planes.ramp.length / 6;
    const colors = marsh ? marsh.sky * across : count;
    const rooms = { painted: 3 * count, numbers: 1 << 16, [marsh ? "sky" : "ramp"]: 4 * colors };
    for (const [name, size] of Object.entries(rooms)) arrays.of(name, Uint16Array, size);
    arrays.run("fine_numbers", "numbers");
    if (painting) {
      arrays.fill("land", Uint8Array, planes.land ?? []);
      for (const name of painting.arrays.split(" "))
        if (!["above", "land"].includes(name))
          arrays.fill(name, Float64Array, new Float64Array(planes[name].buffer));
      arrays.run(painting.entry, `painted none none ${painting.arrays}`, ...painting.numbers);
    } else arrays.fill("painted", Uint16Array, new Uint16Array(planes.ramp.buffer));
    const [painted, numbers, table] = Object.entries(rooms).map(([name, size]) =>
      arrays.of(name, Uint16Array, size),
    );
    table.fill(255 << 8);
    for (let color = 0; color < colors; color++)
      for (let part = 0; part < 3; part++) table[4 * color + part] = numbers[painted[3 * color + part]];
    const finer = arrays.of("finer", Uint16Array, 4 * finest.length);
    finest.forEach((value, k) => void finer.fill(value, 4 * k, 4 * k + 4));
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
   * The same in the colors of a gif, between which the grain decides.
   *
   * @param {Drawing} drawing aimed at it @param {Frame[]} frames that lead to it
   */
  dithered(drawing, frames) {
    const { arrays, look, pixels, wide } = this;
    const { depths, marsh, step, tones } = look;
    this.draw(drawing, frames);
    arrays.of("codes", Uint16Array, pixels);
    if (marsh) {
      // The sky above all edges goes by in larger steps.
      const [left, near, all] = [Math.floor(this.place), Math.round(this.place), wide + marsh.room];
      const ground = arrays.of("ground", Uint16Array, all * this.high);
      const codes = arrays.of("codes", Uint16Array, pixels);
      for (let row = 0; row < this.high; row++) {
        const begin = row * all + (row < marsh.sky ? left - (left % marsh.skyStep) : near);
        codes.set(ground.subarray(begin, begin + wide), row * wide);
      }
    }
    if (depths)
      arrays.run("tone", "codes none still dither crowd shadow boxes", wide, depths.brightest, step);
    const solid = arrays.of("solid", Uint8Array, look.shades ? pixels : 0);
    const codes = arrays.of("codes", Uint16Array, pixels);
    solid.forEach((shade, k) => {
      if (shade) codes[k] = (tones + shade - 1) * step;
    });
    this.join();
    arrays.of("picture", Uint32Array, pixels);
    arrays.run("color", "picture codes palette");
    return arrays.of("picture", Uint8ClampedArray, 4 * pixels);
  }

  /** Draws a frame on the canvases. @param {Drawing} drawing @param {Frame[]} frames */
  draw(drawing, frames) {
    const { arrays, look, pixels, bordered } = this;
    const { groups } = frames[frames.length - 1];
    /** @type {Now} */
    const now = { drawing, view: drawing.view, frames, groups, wanted: () => true };
    arrays.of("sums", BigInt64Array, bordered);
    arrays.of("fronts", Uint16Array, look.nearest ? bordered : 0);
    arrays.of("touched", Uint8Array, (bordered >> 6) + 1);
    arrays.run("clear_sums", BUFFER);
    arrays.of("levels", Uint8Array, pixels).fill(0);
    for (const name of ["glowing", "below"]) arrays.of(name, Uint8Array, bordered).fill(0);
    arrays.of("solid", Uint8Array, look.shades ? pixels : 0).fill(0);
    /** @type {number[]} x, y and strength of what glows */
    this.lights = [];
    /** @type {number[][]} x, y and depth of predators */
    this.hunters = [];
    const obstacles = drawing.look.shows.obstacles ? frames[frames.length - 1].obstacles : [];
    this.addGround(now);
    if (look.shade) this.addShade(now, look.shade);
    if (drawing.view.flat) for (const one of obstacles) this.addObstacle(drawing, drawing.silhouette(one));
    arrays.of("drawn", Uint8Array, bordered);
    arrays.fill("drawn", Uint8Array, arrays.of("below", Uint8Array, bordered));
    const bodies = drawing.view.flat ? [] : obstacles;
    for (const behind of bodies.length ? [true, false] : [false]) {
      now.wanted = (position, at) => !bodies.length || drawing.hides(bodies, position, at) === behind;
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
    if (look.glow) this.halo = this.cloud("halo", this.lights, look.glow.halo, 3);
  }

  /**
   * Adds soft shadows on the ground, as `LaidReef.shadows`.
   * @param {Now} now
   * @param {Shade} shade
   */
  addShade({ drawing, view, groups }, { borders, level, parts }) {
    const { arrays, wide, high, stride, bordered } = this;
    const { margin } = this.look;
    const side = view.part * Math.max(...drawing.look.world.size.slice(0, 2));
    const places = crowded(view, groups, view.center[2] + (level * side) / 2);
    if (!places.length) return;
    const weighed = places.map((value, k) => (k % 3 === 2 ? 1 : value));
    this.cloud("shade", weighed, borders, 1);
    const dark = arrays.of("shade", Uint8Array, this.pixels);
    const dither = arrays.of("grain", Uint8Array, this.pixels);
    // The upper half of a sum is how thick it is.
    const sums = arrays.of("sums", Uint32Array, 2 * bordered);
    for (let k = 0; k < dark.length; k++) {
      if (!dark[k]) continue;
      const at = (Math.floor(k / wide) + margin) * stride + (k % wide) + margin;
      sums[2 * at + 1] += Math.floor((dark[k] + dither[k]) / parts);
    }
    arrays.of("sums", BigInt64Array, bordered);
    arrays.of("touched", Uint8Array, (bordered >> 6) + 1).fill(1, 0, ((high + margin) * stride) >> 6);
  }

  /** Adds a flock and its trails. @param {Now} now @param {Group} group @param {number} number */
  addFlock(now, group, number) {
    const { arrays, look, planes } = this;
    const { drawing, view, frames } = now;
    const { TRAIL, FAINTEST, NEAREST, HUES, SHADED } = look.numbers;
    const sprites = this.sprites[number];
    const { sheen } = look;
    const backs = sheen?.backs ?? [];
    const colors = look.hues > 1 ? drawing.colors(group, number, frames[frames.length - 1]) : null;
    const [strength, front] = [new Uint16Array(group.count), new Uint16Array(group.count)];
    /** @type {number[][]} */
    const [sprite, pixel, strengths, fronts] = [[], [], [], []];
    const turned = this.attitudes(now, number, look.flocks[number], drawing.look.body);
    for (let i = 0; i < group.count; i++) {
      const [x, y] = view.place(group.position, i * group.dimension);
      const { depth, here, shown } = view;
      strength[i] = planes.fading[Math.round(depth * 255)];
      const at = i * group.dimension;
      if (look.flocks[number].flashes) {
        const { pose } = rollOf(view, group.velocity, group.velocity, at, 0);
        strength[i] = Math.round(strength[i] * (1 - SHADED * pose * pose));
      }
      const near = Math.round((1 - depth) * NEAREST) * HUES;
      const first = sheen && colors ? near + 1 + colors[i] * sheen.flanks : near;
      const up = backs.length ? raisedBack(view, group.velocity, at) : [0, 0];
      if (colors) front[i] = sheen ? first + flank(view, group.velocity, at, sheen) : near + colors[i];
      if (!shown || !this.near(x, y, look.reach) || !now.wanted(group.position, i * group.dimension))
        continue;
      const { heading, apparent, pose } = turned(i, x, y);
      for (const [right, down] of drawing.copies(x, y, look.reach)) {
        if (!this.near(right, down, look.reach)) continue;
        const drawn = sprites.number(right, down, heading, here / view.scale, apparent, pose);
        const place =
          ((quarter(down) >> 2) + look.margin) * this.stride + (quarter(right) >> 2) + look.margin;
        sprite.push(drawn);
        pixel.push(place);
        strengths.push(strength[i]);
        fronts.push(front[i]);
        for (const [size, raised, back] of backs) {
          // The back wins where it is as near, and is no thicker than what is below it.
          const grown = here / view.scale;
          const far = raised * drawing.look.body * grown;
          const [u, v] = [right + far * up[0], down + far * up[1]];
          sprite.push(sprites.number(u, v, heading, size * grown, apparent, pose));
          pixel.push(((quarter(v) >> 2) + look.margin) * this.stride + (quarter(u) >> 2) + look.margin);
          strengths.push(0);
          fronts.push(near + back);
        }
        if (!this.ahead(right, down, depth)) continue;
        const offsets = sprites.middle(drawn);
        const behind = arrays.of("drawn", Uint8Array, this.bordered);
        for (const offset of offsets) behind[place + offset] = 0;
      }
    }
    arrays.whole("sprite", sprite);
    arrays.whole("pixel", pixel);
    arrays.fill("strength", Uint16Array, strengths);
    arrays.fill("front", Uint16Array, fronts);
    arrays.run("add_sprites", `${BUFFER} ${sprites.table.join(" ")} sprite pixel strength front`);
    this.ways(now, number, (i, life, x, y, u, v) => {
      const tone = Math.round(strength[i] * TRAIL * life * life);
      if (tone >= FAINTEST) this.lines.push([x, y, u, v, drawing.look.trailWidth, tone, front[i]]);
    });
    const inks = [5, 6].map((part) => this.lines.map((line) => line[part]));
    arrays.fill("strength", Uint16Array, inks[0]);
    arrays.fill("front", Uint16Array, inks[1]);
    this.stroke("add_trace", BUFFER, "strength front");
  }

  /**
   * True for a place in the picture, or so near to it.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   */
  near(x, y, reach) {
    return x > -reach && y > -reach && x < this.wide + reach && y < this.high + reach;
  }

  /** Draws the lines. @param {string} entry @param {string} canvas @param {string} inks */
  stroke(entry, canvas, inks) {
    trace(this.arrays, this.lines, this.look.size, this.look.margin);
    this.arrays.run(entry, `${canvas} line flat coverage ${inks}`);
    this.lines = [];
  }

  /** Draws the lines on a canvas. @param {string} canvas @param {string} inks */
  shape(canvas, inks) {
    const tones = this.lines.map((line) => line[5]);
    this.arrays.whole("tones", tones);
    this.stroke("draw_trace", canvas, `tones ${inks}`);
  }

  /**
   * A function that says how an animal of a group is turned, as `LitPainter.placed`, by its number and place.
   *
   * @param {Now} now @param {number} number @param {Outlined} shape @param {number} size of a body in pixels
   * @returns {(i: number, x: number, y: number) => Attitude}
   */
  attitudes({ drawing, view, frames, groups }, number, shape, size) {
    const { BEAT, BEATS, GOLDEN, RAISED, FOLDED, WAG, BANK, FLAT_BANK, LEANING, MAX_BEND } =
      this.look.numbers;
    const { position, velocity, dimension } = groups[number];
    const earlier =
      frames.length > 1 ? frames[frames.length - 2].groups[number]?.velocity : groups[number].past;
    const past = earlier?.length === velocity.length ? earlier : velocity;
    const length = size / (view.scale * this.look.interval);
    const frame = frames[frames.length - 1].number;
    /** @param {number} i @param {number} beats */
    const stroke = (i, beats) => Math.sin((TAU * ((i * GOLDEN + Math.floor(frame * beats)) % BEAT)) / BEAT);
    /** @param {number} at */
    const pace = (at) => Math.max(Math.hypot(...velocity.subarray(at, at + dimension)), 1e-6);
    /** The turn since the frame before as it is seen, in radians. @param {number} at */
    const turn = (at) => {
      const [u, v, x, y] = [past, velocity].flatMap((way) =>
        [view.right, view.up].map((axis) => axis.reduce((sum, part, k) => sum + part * way[at + k], 0)),
      );
      return (u * y - v * x) / pace(at) ** 2;
    };
    return (i, x, y) => {
      const at = i * dimension;
      const [a, b] = [velocity[at], velocity[at + 1]];
      if (shape.winged) {
        const seen = view.flat
          ? {
              heading: angle(b, a),
              apparent: 1,
              pose: Math.max(1 / Math.hypot(1, FLAT_BANK * turn(at)), LEANING),
            }
          : rollOf(view, velocity, past, at, BANK);
        const lift = stroke(i, number < this.look.flocks.length ? BEATS : shape.beat * BEAT) ** 2;
        const high = RAISED * RAISED * lift;
        const pose = Math.sqrt((seen.pose * (1 - FOLDED * lift)) ** 2 + high);
        return { heading: seen.heading, apparent: Math.sqrt(seen.apparent ** 2 + high), pose };
      }
      const [right, down] = drawing.heading(position, velocity, at, x, y);
      let pose = shape.beat ? 0.5 + WAG * stroke(i, shape.beat * BEAT) : 1;
      if (shape.beat) pose += (turn(at) * length) / (4 * MAX_BEND * pace(at));
      const heading = angle(-down, right);
      return { heading, apparent: Math.hypot(right, down), pose: Math.min(Math.max(pose, 0), 1) };
    };
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
        if (!drawing.flown(from.position, to.position, at) || !wanted(to.position, at)) continue;
        view.see(from.position[at], from.position[at + 1], from.position[at + 2]);
        const { x, y, shown } = view;
        view.see(to.position[at], to.position[at + 1], to.position[at + 2]);
        if (shown && view.shown) each(at / to.dimension, 1 - age / most, x, y, view.x, view.y, view.here);
      }
    }
  }

  /** Adds predators, and their light. @param {Now} now @param {Group} group @param {number} number */
  addPredators(now, group, number) {
    const { look, lights } = this;
    const { drawing, view } = now;
    const { HEAD, STRONGEST, FADE, WIDTH, TAPER, NARROWEST, SOFT_END } = look.numbers;
    const shape = look.hunter;
    const span = drawing.look.body * look.predatorSize;
    const turned = this.attitudes(now, number, shape, span);
    const strength = new Float64Array(group.count);
    for (let i = 0; i < group.count; i++) {
      const [x, y] = view.place(group.position, i * group.dimension);
      const { depth } = view;
      const shown = view.shown && now.wanted(group.position, i * group.dimension);
      const size = (span * view.here) / view.scale;
      strength[i] = Math.exp(-look.fog * 0.6 * depth);
      if (shown) lights.push(x, y, HEAD * strength[i]);
      if (!shown || !this.near(x, y, look.hunterReach)) continue;
      const { heading, apparent, pose } = turned(i, x, y);
      const [a, b] = [size * Math.cos(heading), size * Math.sin(heading)];
      /** @type {import("./pixels.js").Parts} */
      const parts = partsOf(shape, size).map(([part, outline]) => [
        part,
        outline.map((corner) => posed(shape, corner, shape.winged ? Math.max(pose, 0.3) : pose)),
      ]);
      const ink = look.hunters[number - look.flocks.length];
      const tone = toned(Math.max(Math.exp(-look.fog * 0.3 * depth), 0.75), this.inks, ink);
      for (const [right, down] of drawing.copies(x, y, look.hunterReach)) {
        this.hunters.push([right, down, depth]);
        /** @type {import("./pixels.js").Parts} */
        const [[, body], ...details] = parts.map(([part, corners]) => [
          part,
          corners.map(([u, v]) => [right + u * apparent * a - v * b, down - u * apparent * b - v * a]),
        ]);
        this.fill(body, tone, "drawn", details);
      }
    }
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
        this.lines.push([x, y, u, v, Math.max(part * wide, NARROWEST), toned(strong * faded)]);
      lights.push(u, v, faded);
    });
    this.shape("glowing", "glow");
  }

  /**
   * The pixels of a polygon: their numbers on a canvas, coverages from 1 to 255, columns and rows.
   * @param {number[][]} corners
   * @param {import("./pixels.js").Parts} details within it
   */
  area(corners, details = []) {
    const { margin, size } = this.look;
    const [[left, right], [top, bottom]] = size.map((side, axis) => {
      const along = corners.map((corner) => corner[axis]);
      const ends = [Math.floor(Math.min(...along)), Math.ceil(Math.max(...along))];
      return ends.map((end) => Math.min(Math.max(end, -margin), side + margin));
    });
    /** @type {import("./pixels.js").Parts} */
    const parts = [[1, corners], ...details];
    /** @type {import("./pixels.js").Parts} */
    const placed = parts.map(([strength, along]) => [strength, along.map(([x, y]) => [x - left, y - top])]);
    /** @type {number[][]} */
    const pixels = [];
    coverParts(this.arrays, placed, right - left, bottom - top).forEach((part, k) => {
      const [column, row] = [(k % (right - left)) + left, Math.floor(k / (right - left)) + top];
      if (part) pixels.push([(row + margin) * this.stride + column + margin, part, column, row]);
    });
    return pixels;
  }

  /**
   * Fills a polygon, and on it what lies within it.
   * @param {number[][]} corners
   * @param {number} tone
   * @param {string} name of a canvas
   * @param {import("./pixels.js").Parts} details
   */
  fill(corners, tone, name, details = []) {
    const pixels = this.area(corners, details);
    const canvas = this.arrays.of(name, Uint8Array, this.bordered);
    for (const [at, part] of pixels) canvas[at] = Math.max(canvas[at], this.planes.inks[tone + part]);
  }

  /**
   * Draws an obstacle of a flat world below the animals, and again beyond edges.
   * @param {Drawing} drawing
   * @param {number[][]} outline
   */
  addObstacle(drawing, outline) {
    const tones = [0.22, 0.9].map((strength) => toned(strength, this.inks, this.look.obstacle));
    for (const corners of drawing.repeated(outline)) {
      this.fill(corners, tones[0], "below");
      corners.forEach(([x, y], k) => {
        const [u, v] = corners[(k + 1) % corners.length];
        this.lines.push([x, y, u, v, 1.4 * drawing.look.pen, tones[1]]);
      });
    }
    this.shape("below", "inks");
  }

  /**
   * Covers what is behind a body: a round one is shaded as a ball, any other evenly.
   * @param {number[][]} outline
   * @param {boolean} round
   */
  cover(outline, round) {
    const { arrays, bordered, look } = this;
    const { SHADOW, LIGHT, RIM } = look.numbers;
    const sides = [0, 1].map((axis) => outline.map((corner) => corner[axis]));
    const [middle, half] = [1, -1].map((sign) =>
      sides.map((side) => (Math.max(...side) + sign * Math.min(...side)) / 2),
    );
    const pixels = this.area(outline);
    const planes = ["drawn", "glowing"].map((name) => arrays.of(name, Uint8Array, bordered));
    const solid = arrays.of("solid", Uint8Array, this.pixels);
    const sums = arrays.of("sums", BigInt64Array, bordered);
    const fronts = arrays.of("fronts", Uint16Array, look.nearest ? bordered : 0);
    for (const [at, covered, column, row] of pixels) {
      if (covered < 128 || !this.near(column + 0.5, row + 0.5, 0)) continue;
      const [x, y] = [(column + 0.5 - middle[0]) / half[0], (row + 0.5 - middle[1]) / half[1]];
      const [right, up, toward] = look.lamp;
      const light = round ? x * right - y * up + toward * Math.sqrt(Math.max(0, 1 - x * x - y * y)) : 0.5;
      sums[at] = 0n;
      fronts[at] = planes[0][at] = planes[1][at] = 0;
      const part = Math.min((SHADOW + LIGHT * Math.max(light, 0)) / RIM, 1);
      solid[row * this.wide + column] = 1 + Math.round(part * (look.shades - 1));
    }
  }

  /**
   * True for a place before all predators within reach of it, if there are any.
   * @param {number} x
   * @param {number} y
   * @param {number} depth
   */
  ahead(x, y, depth) {
    const { hunterReach } = this.look;
    const near = this.hunters.filter(
      ([u, v]) => Math.abs(u - x) < hunterReach && Math.abs(v - y) < hunterReach,
    );
    return near.length > 0 && near.every(([, , far]) => depth < far);
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
        if (shown && view.shown) this.lines.push([x, y, u, v, width, tone]);
      }
    }
    if (glow) this.shape("glowing", "glow");
    else this.shape("drawn", "inks");
  }

  /**
   * A soft cloud round places, as `clouds`; returns where it lies.
   * @param {string} name
   * @param {number[]} places x, y and weight of each
   * @param {number[]} borders
   * @param {number} reach
   * @returns {Sides}
   */
  cloud(name, places, borders, reach) {
    const { arrays, wide, high } = this;
    const { square, size, numbers } = this.look;
    arrays.of(name, Uint8Array, 0);
    if (!places.length) return [0, 0, 0, 0];
    const [columns, rows] = size.map((side) => Math.ceil(side / square));
    const cells = new Int32Array(columns * rows);
    for (let k = 0; k < places.length; k += 3) {
      const [column, row] = [Math.floor(places[k] / square), Math.floor(places[k + 1] / square)];
      if (column < 0 || row < 0 || column >= columns || row >= rows) continue;
      cells[row * columns + column] += Math.round(places[k + 2] * numbers.UNIT);
    }
    arrays.whole("cells", cells);
    arrays.of("scratch", BigInt64Array, cells.length);
    arrays.run("blur", "cells scratch", columns, reach);
    const total = arrays.of("cells", Int32Array, 2 * cells.length);
    const coarse = cells.map((_, k) => {
      const dense = borders.findIndex((border) => border > total[2 * k]);
      return dense < 0 ? borders.length : dense;
    });
    this.enlarge(name, coarse, columns, wide, high);
    return [0, high, 0, wide];
  }

  /**
   * Squares as a smooth plane.
   * @param {string} name
   * @param {ArrayLike<number>} coarse
   * @param {number} columns
   * @param {number} wide
   * @param {number} high
   */
  enlarge(name, coarse, columns, wide, high) {
    const half = this.look.square / 2;
    this.arrays.fill("squares", Uint8Array, coarse);
    this.arrays.of("scratch", Uint8Array, 2 * columns * half);
    this.arrays.of(name, Uint8Array, wide * high);
    this.arrays.run("enlarge", `${name} scratch squares`, columns, half, wide);
  }

  /** What lies behind the animals. @param {Now} now */
  addGround({ drawing, view, groups }) {
    const { arrays, planes, wide, high, pixels } = this;
    const { depths, marsh, numbers } = this.look;
    if (marsh) {
      // Sun and land go by while the camera turns.
      const shift = (view.turned * wide) / marsh.drift;
      this.place = Math.min(Math.max(marsh.start - shift, 0), marsh.room);
      this.ground = `${Math.round(this.place)}`;
    }
    if (!depths) return;
    const extent = drawing.look.world.size.map((side) => view.part * side);
    const level = view.center[2] + (numbers.FLOOR - 0.5) * extent[2];
    const seen = [view.center, view.origin, view.toward, view.scale, view.part].join();
    if (seen !== this.ground) {
      this.ground = seen;
      const still = view.flat ? planes.ground : this.floor(view, Math.max(extent[0], extent[1]), level);
      arrays.fill("still", Uint8Array, still);
    }
    const crowd = this.cloud("crowd", crowded(view, groups), depths.crowd, 2);
    const shadow = this.cloud("shadow", view.flat ? [] : crowded(view, groups, level), depths.shadow, 2);
    arrays.fill("boxes", Int32Array, [0, high, 0, wide, ...crowd, ...shadow]);
    arrays.of("bright", Uint8Array, pixels);
    arrays.run("brighten", "bright still crowd shadow");
  }

  /**
   * The ground with a floor, its light and its grid, as `LaidDepths`.
   * @param {View} view
   * @param {number} side of the world
   * @param {number} level
   */
  floor(view, side, level) {
    const { arrays, look, wide, high, stride, bordered } = this;
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
    this.enlarge("floor", disc, columns, wide, high);
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
          this.lines.push([x, y, u, v, Math.max(high / 600, 0.8), toned(strength)]);
      }
    }
    arrays.of("lanes", Uint8Array, bordered).fill(0);
    this.shape("lanes", "grid");
    const drawn = arrays.of("lanes", Uint8Array, bordered);
    const disced = arrays.of("floor", Uint8Array, this.pixels);
    const bright = Math.round((grid * 255 * 8) / STRENGTHS);
    return this.planes.ground.map((value, k) => {
      const line = drawn[(Math.floor(k / wide) + look.margin) * stride + (k % wide) + look.margin];
      return Math.min(value + disced[k] + ((line * bright) >> 3), 255);
    });
  }

  /** Takes away what is drawn beside the window of a camera. @param {View} view */
  crop(view) {
    const { arrays, look, wide, high, stride } = this;
    const { marsh, margin, size } = look;
    const [[left, top], [right, bottom]] = (view.window ?? [[0, 0], size]).map((corner) =>
      corner.map((side, axis) => Math.min(Math.max(Math.round(side), 0), size[axis])),
    );
    for (const name of view.window ? ["drawn", "glowing", "below"] : []) {
      const canvas = arrays.of(name, Uint8Array, this.bordered);
      for (let row = 0; row < high; row++) {
        const begin = (row + margin) * stride + margin;
        canvas
          .fill(0, begin, begin + (row < top || row >= bottom ? wide : left))
          .fill(0, begin + right, begin + wide);
      }
    }
    this.sides = [top, Math.min(bottom, marsh ? marsh.shore : high), left, right];
  }

  /**
   * Joins ground, animals, light and what is drawn over them as codes, of two the higher where the grain is
   * large.
   */
  join() {
    const { arrays, look, wide, sides } = this;
    const { marsh, glow, margin, hues, glowLevels, step, overlays } = look;
    arrays.run("add_levels", `codes levels ${BUFFER} curve grain`, ...sides, wide, margin, hues, glowLevels);
    if (marsh && hues === 1)
      arrays.run("reflect", "codes levels above rippled", wide, marsh.shore, glowLevels);
    if (glow) {
      const [begin, , from, to] = this.halo;
      const along = [begin, from, to - from, wide, margin, glow.brightest];
      arrays.run("add_glow", "codes glowing halo grain", ...along);
    }
    arrays.run("add_overlays", "codes levels drawn below none coarse", wide, margin, step, overlays);
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

/**
 * The shade of the flank of an animal, as `Sheen.flank`.
 * @param {View} view
 * @param {Float64Array} velocity
 * @param {number} at
 * @param {Sheen} sheen
 */
function flank(view, velocity, at, { flanks, sun, sideways, pale, facing, flash }) {
  const [x, y] = [velocity[at], velocity[at + 1]];
  const pace = Math.max(Math.sqrt(x * x + y * y), 1e-9);
  const [right, up, toward] = [view.right, view.up, view.toward].map(
    (axis) => (axis[0] * y - axis[1] * x) / pace,
  );
  const side = view.flat ? 1 : Math.abs(toward);
  const lit = view.flat
    ? Math.abs(sun[0] * right + sun[1] * up) / sideways
    : Math.max((toward < 0 ? -1 : 1) * (sun[0] * right + sun[1] * up + sun[2] * toward), 0);
  return Math.min(Math.floor((pale + facing * side + flash * lit ** 4) * flanks), flanks - 1);
}

/**
 * Where the back of an animal is from its middle, to the right and down.
 * @param {View} view
 * @param {Float64Array} velocity
 * @param {number} at
 */
function raisedBack(view, velocity, at) {
  if (view.flat) return [0, 0];
  const [x, y, z] = velocity.subarray(at, at + 3);
  const level = Math.sqrt(x * x + y * y);
  const long = Math.max(level, 1e-9) * Math.max(Math.sqrt(level * level + z * z), 1e-9);
  const back = [(-x * z) / long, (-y * z) / long, (level * level) / long];
  return [view.right, view.up].map(
    (axis, down) => (down ? -1 : 1) * axis.reduce((sum, part, k) => sum + part * back[k], 0),
  );
}

/**
 * A bird in the picture, which leans into its turns, as `attitudes`.
 * @param {View} view
 * @param {Float64Array} velocity
 * @param {Float64Array} past
 * @param {number} at
 * @param {number} bank
 * @returns {Attitude}
 */
function rollOf(view, velocity, past, at, bank) {
  // In numbers alone: thousands of birds have no time for arrays.
  const { right, up } = view;
  let [x, y, z] = [velocity[at], velocity[at + 1], velocity[at + 2]];
  const pace = 1 / Math.max(Math.sqrt(x * x + y * y + z * z), 1e-9);
  const lean = bank * pace;
  const [u, v, w] = [lean * (x - past[at]), lean * (y - past[at + 1]), lean * (z - past[at + 2]) + 1];
  [x, y, z] = [x * pace, y * pace, z * pace];
  let [a, b, c] = [y * w - z * v, z * u - x * w, x * v - y * u];
  const span = Math.sqrt(a * a + b * b + c * c);
  if (span < 1e-6) [a, b, c] = right;
  else [a, b, c] = [a / span, b / span, c / span];
  const [ahead, rise] = [x * right[0] + y * right[1] + z * right[2], x * up[0] + y * up[1] + z * up[2]];
  const [aside, lift] = [a * right[0] + b * right[1] + c * right[2], a * up[0] + b * up[1] + c * up[2]];
  const [long, wide] = [Math.sqrt(ahead * ahead + rise * rise), Math.sqrt(aside * aside + lift * lift)];
  const across = Math.abs(ahead * lift - rise * aside) / Math.max(long, wide, 1e-9);
  if (long >= wide) return { heading: angle(rise, ahead), apparent: long, pose: across };
  // A quarter turn from the right wing against the clock lies the head, unless one sees the body from below.
  const below = aside * rise - lift * ahead < 0 ? -1 : 1;
  return { heading: angle(aside * below, -lift * below), apparent: across, pose: wide };
}
