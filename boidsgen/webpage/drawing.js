/**
 * Draws frames as the flat look of the clips does: the same places, colors and letters, at any resolution.
 */

import { Projection } from "./camera.js";
import { angle, general, pace } from "./measures.js";
import { hides } from "./solids.js";

/** @import { Box } from "./camera.js" */
/** @import { Frame } from "./player.js" */
/** @import { Group, Table } from "./types.js" */
/** @typedef {(position: Float64Array, at: number) => boolean} Wanted */

/**
 * @typedef {object} Aimed A camera from a frame on, as `Viewpoint` in camera.py.
 * @property {number} at
 * @property {number} azimuth
 * @property {number} elevation
 * @property {number} orbit
 * @property {boolean} follows
 * @property {number[]} center
 * @property {number[]} origin
 * @property {number} scale
 * @property {number | null} distance
 * @property {number} reach
 * @property {number[]} period
 * @property {number[][] | null} window
 */

/**
 * @typedef {{name: string, poses: number[][][][], fills: [number, number[][]][], order: number[],
 *   beat: number, color: string, trails: number, size: number}} Drawn
 */

/**
 * @typedef {object} Look What `look.py` writes.
 * @property {string} title
 * @property {[number, number]} size
 * @property {number} fps
 * @property {{size: number[], periods: number[], leadsRound: boolean}} world
 * @property {number} letter
 * @property {number} em
 * @property {{[role: string]: string}} colors
 * @property {{force: number, speed: number, rules: {[rule: string]: [string, string]}}[]} arrows of each
 *   flock: what the longest ones stand for, and color and letter by rule
 * @property {string[]} grounds images of what stays below the animals, each over the one before, the last one
 *   of words
 * @property {number[]} window left, top, width and height of the part that shows the world
 * @property {number} least height of letters
 * @property {{title: string, wheel: boolean, entries: [string, string][]}[]} legend words and colors
 * @property {string[]} inks of curves
 * @property {{left: number, right: number | null, middle: number, before: string[], after: string, long:
 *   number} | null} ramp the legend of speeds: words before and after its colors, from the left or up to the
 *   right
 * @property {import("./lit.js").LitLook | null} lit
 * @property {[number, number[][]][]} paths of predators: their table, and points for a scale of 1
 * @property {number | boolean} roads radius of the corridors shown, true for that of the rule
 * @property {string} coloring
 * @property {string[]} boids
 * @property {Drawn[]} groups
 * @property {number} body
 * @property {number} pen
 * @property {number} trailWidth
 * @property {Aimed[]} cameras
 * @property {{at: number, lines: string[], text: string}[]} captions
 * @property {{[layer: string]: number[]}} places left, top, right and bottom of texts
 * @property {[number, number]} captionSize of its letters and lines
 * @property {string[]} flush layers whose lines end at the right
 * @property {[string, string, number, number, number][]} hud name, label, left sides of label and value, and
 *   top
 * @property {string} rate frames in a unit of time
 * @property {{[overlay: string]: any}} shows
 * @property {boolean} edges
 * @property {number | null} focus
 */

/**
 * The outlines of an animal in its poses, of which each is told by its steps from the one before it.
 * @param {number[][][][]} steps by pose and part, in thousandths of a body
 */
function outlines(steps) {
  let before = steps[0].map((part) => part.map(() => [0, 0]));
  return steps.map((parts) => {
    before = parts.map((part, k) => part.map(([x, y], at) => [before[k][at][0] + x, before[k][at][1] + y]));
    return before.map((part) => part.map(([x, y]) => [x / 1000, y / 1000]));
  });
}

/**
 * @typedef {object} Mark  Something above the animals, drawn by others.
 * @property {(pen: CanvasRenderingContext2D, drawing: Drawing) => void} draw
 */

export const FONT = "Film";
const MAX_STRENGTH = 0.65;
const MIN_STRENGTH = 0.66;
const CLEARING = 1.3;
const GOLDEN = 633 / 1024;
const SHADES = 8;
const FADED = 0.08; // Part of the picture within which animals beyond its edges fade
const [MOST, SLOW] = [1e6, 4e5]; // Pixels of a ground behind the picture, and of those that take long
const TAU = 2 * Math.PI;

export class Drawing {
  /**
   * @param {Look} look @param {import("./measures.js").Measures} measures
   * @param {import("./lit.js").Lit | null} lit
   */
  constructor(look, measures, lit = null) {
    this.look = look;
    this.lit = lit;
    const [width, height] = look.size;
    this.picture = Object.assign(document.createElement("canvas"), { className: "lit", width, height });
    this.measures = measures;
    this.own = { turn: 0, tilt: 0, zoom: 1 };
    this.trails = true;
    this.letter = look.letter;
    this.plain = false; // Without words
    this.window = [0, 0, ...look.size]; // Left, top, width and height of the part that is shown
    this.view = this.aim(0, null);
    this.grounds = look.grounds.map((src) => Object.assign(new Image(), { src }));
    this.kept = { of: "", canvas: document.createElement("canvas") };
    this.around = { of: "", place: 0, ground: document.createElement("canvas") }; // Behind the picture
    this.frame = 0;
    this.poses = look.groups.map(({ poses }) => outlines(poses));
    this.reach = look.groups.map(
      ({ size }, number) =>
        2 *
        CLEARING *
        look.body *
        size *
        Math.max(...this.poses[number].flat(2).map(([x, y]) => Math.hypot(x, y))),
    );
  }

  /** @param {number} frame @param {Box | null} box @returns {Projection} */
  aim(frame, box) {
    const { cameras } = this.look;
    const camera = latest(cameras, frame);
    this.frame = frame;
    this.view = new Projection(camera, frame, camera.follows ? box : null, this.own);
    return this.view;
  }

  /** What stays below the animals, drawn once for a scale. @param {number} scale */
  ground(scale) {
    const { canvas } = this.kept;
    const of = `${scale} ${this.plain}`;
    if (this.kept.of === of) return canvas;
    this.kept.of = of;
    [canvas.width, canvas.height] = this.look.size.map((side) => Math.round(side * scale));
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.shade(pen, scale);
    for (const image of this.plain ? this.grounds.slice(0, -1) : this.grounds)
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  /**
   * Lays a soft shadow round what is written over a bright picture.
   * @param {CanvasRenderingContext2D} pen
   * @param {number} scale
   */
  shade(pen, scale) {
    const { lit, letter, colors } = this.look;
    if (lit?.marsh) Object.assign(pen, { shadowColor: colors.plate, shadowBlur: 0.4 * letter * scale });
  }

  /** A color at a part of its strength over the background. @param {string} color @param {number} strength */
  mix(color, strength) {
    const step = Math.round(32 * Math.max(0, Math.min(1, strength)));
    const [over, under] = [channels(color), channels(this.look.colors.background)];
    if (this.look.lit) return `rgb(${over.join(" ")} / ${step / 32})`;
    const mixed = over.map((value, k) => Math.round(under[k] + ((value - under[k]) * step) / 32));
    return `rgb(${mixed.join(" ")})`;
  }

  /**
   * Draws a frame on a canvas that is `scale` times as large as the picture.
   *
   * @param {CanvasRenderingContext2D} pen @param {Frame[]} frames that lead to it, the last one is shown
   * @param {number} scale @param {Mark[]} marks
   */
  draw(pen, frames, scale, marks) {
    const shown = frames[frames.length - 1];
    const [width, height] = this.look.size;
    const view = this.aim(shown.number, shown.box);
    const [left, top] = this.window;
    pen.setTransform(scale, 0, 0, scale, -scale * left, -scale * top);
    if (this.lit) {
      const pixels = new ImageData(this.lit.paint(this, frames), width);
      this.picture.getContext("2d")?.putImageData(pixels, 0, 0);
      pen.drawImage(this.picture, 0, 0, width, height);
    }
    pen.drawImage(this.ground(scale), 0, 0, width, height);
    pen.save();
    if (view.window) {
      // On whole pixels of the canvas, where it takes next to no time.
      const [[left, top], [right, bottom]] = view.window.map((corner) =>
        corner.map((side) => Math.round(side * scale) / scale),
      );
      pen.beginPath();
      pen.rect(left, top, right - left, bottom - top);
      pen.clip();
    }
    if (this.look.edges) this.drawEdges(pen);
    if (this.look.roads) this.drawRoads(pen, shown);
    const bodies = this.look.shows.obstacles ? shown.obstacles : [];
    if (!this.lit) {
      if (!view.flat && bodies.length)
        this.drawGroups(pen, frames, (place, at) => this.hides(bodies, place, at));
      for (const obstacle of bodies) this.drawObstacle(pen, obstacle);
      this.drawPaths(pen, shown);
      this.drawGroups(pen, frames, (place, at) => view.flat || !this.hides(bodies, place, at));
    }
    for (const one of shown.attractors)
      if (this.look.shows[one.path ? "moving_attractors" : "attractors"]) this.drawAttractor(pen, one);
    if (this.look.shows.center_of_mass) this.drawCenters(pen, shown.groups);
    for (const mark of marks) mark.draw(pen, this);
    pen.restore();
    if (this.plain) return;
    pen.save();
    this.shade(pen, scale);
    this.drawWords(pen, shown);
    pen.restore();
  }

  /**
   * Continues the picture to the edges of the window: a lit ground goes on, and beyond the edges of a flat
   * world that leads around its animals are seen again, ever fainter.
   *
   * @param {HTMLCanvasElement} canvas behind the picture, as large as the window
   * @param {HTMLCanvasElement} picture as it was drawn
   */
  surround(canvas, picture) {
    const { lit, look, view } = this;
    const { clientWidth: wide, clientHeight: high } = canvas; // the window without its scroll bars
    const { left, top, width, height } = picture.getBoundingClientRect();
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    if (lit) {
      const { around } = this;
      const slow = look.lit?.depths ? look.cameras[0].follows : !look.lit?.marsh?.sky;
      const [most, pixel] = [slow ? SLOW : MOST, look.size[0] / width];
      const coarse = Math.max(1, Math.sqrt((wide * high) / most));
      const step = coarse * pixel;
      const of = [wide, high, left, top, width, lit.moving ? "" : lit.ground].join();
      if (around.of !== of) {
        around.of = of;
        [canvas.width, canvas.height] = [wide, high].map((side) => Math.round(side / coarse));
        const columns = canvas.width + Math.ceil(lit.moving / step);
        const ground = lit.beyond(this, [-left * pixel, -top * pixel], step, [columns, canvas.height]);
        Object.assign(around.ground, { width: columns, height: canvas.height });
        around.ground.getContext("2d")?.putImageData(new ImageData(ground, columns), 0, 0);
      } else if (around.place === lit.place) return;
      around.place = lit.place;
      pen.drawImage(around.ground, -lit.place / step, 0);
      picture.className = "melting";
      const [first, last] = (view.window ?? [[0, 0], look.size]).map((corner) =>
        corner.map((place) => place / pixel),
      );
      mark(picture, first, last);
      return;
    }
    const periodic = [0, 1].map((axis) => Math.abs(view.period[axis] - this.window[2 + axis]) < 2);
    if (!periodic.includes(true)) return;
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const [across, down] = periodic.map((one) => (one ? [-1, 0, 1] : [0]));
    for (const right of across)
      for (const below of down)
        if (right || below) pen.drawImage(picture, left + right * width, top + below * height, width, height);
    canvas.className = "again";
    canvas.style.setProperty("--far", `${FADED * Math.min(width, height)}px`);
    mark(canvas, [left, top], [left + width, top + height]);
  }

  /**
   * Draws trails and animals at some places.
   * @param {CanvasRenderingContext2D} pen
   * @param {Frame[]} frames
   * @param {Wanted} wanted
   */
  drawGroups(pen, frames, wanted) {
    const shown = frames[frames.length - 1];
    const seen = shown.groups.map((group, number) => this.seen(group, number, shown, wanted));
    if (this.trails) seen.forEach((classes, number) => void this.drawTrails(pen, frames, number, classes));
    seen.forEach((classes, number) => void this.drawAnimals(pen, shown.groups[number], number, classes));
  }

  /**
   * True for a place in or behind a body, as in camera.py.
   * @param {Table[]} bodies
   * @param {Float64Array} place
   * @param {number} at
   */
  hides(bodies, place, at) {
    const { toward, center, distance } = this.view;
    const eye = toward.map((way, k) =>
      Number.isFinite(distance) ? center[k] + distance * way - place[at + k] : way,
    );
    return bodies.some((body) => hides(body, [...place.subarray(at, at + 3)], eye));
  }

  /**
   * The animals of a group by the color that they are drawn in.
   *
   * @param {Group} group @param {number} number @param {Frame} frame @param {Wanted} wanted
   */
  seen(group, number, frame, wanted) {
    const { look, view } = this;
    const colors = group.kind === "flock" ? this.colors(group, number, frame) : null;
    /** @type {Map<string, {color: string, strength: number, members: number[]}>} */
    const classes = new Map();
    for (let i = 0; i < group.count; i++) {
      view.place(group.position, i * group.dimension);
      if (!view.shown || !wanted(group.position, i * group.dimension)) continue;
      const depth = Math.round(view.depth * SHADES) / SHADES;
      const color = colors ? look.boids[colors[i]] : look.groups[number].color;
      const far = colors ? depth : depth / 2;
      const strength = colors && look.coloring === "depth" ? 1 : 1 - (1 - MIN_STRENGTH) * far;
      const key = `${color}${strength}`;
      const known = classes.get(key);
      if (known) known.members.push(i);
      else classes.set(key, { color, strength, members: [i] });
    }
    return [...classes.values()];
  }

  /**
   * The number of the color of every boid.
   * @param {Group} group
   * @param {number} number
   * @param {Frame} frame
   */
  colors(group, number, frame) {
    const { look, measures, view } = this;
    const count = look.boids.length;
    const { position, velocity, dimension } = group;
    const flocks = frame.groups.filter((one) => one.kind === "flock");
    /** @param {number} part */
    const graded = (part) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
    /** @param {(at: number) => number} part from 0 to 1, of the animal whose numbers begin there */
    const each = (part) => Array.from({ length: group.count }, (_, i) => graded(part(i * dimension)));
    switch (look.coloring) {
      case "heading":
        return each((at) => (angle(velocity[at + 1], velocity[at]) / TAU + 1 + 0.5 / count) % 1);
      case "speed": {
        const [low, high] = speeds(frame);
        return each((at) => (pace(velocity.subarray(at, at + dimension)) - low) / Math.max(high - low, 1e-9));
      }
      case "depth":
        return each((at) => {
          view.place(position, at);
          return 1 - view.depth;
        });
      case "neighbors":
        return measures
          .perceived(group, frame.tables.flock[number].perception)
          .map((many) => Math.min(Math.floor(Math.log2(many + 1)), count - 1));
      case "group": {
        const before = flocks.slice(0, number).reduce((sum, flock) => sum + flock.count, 0);
        return measures.groupColors(frame, count - 1).slice(before, before + group.count);
      }
      default:
        return new Array(group.count).fill(number % count);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Frame[]} frames @param {number} number
   * @param {{color: string, strength: number, members: number[]}[]} classes
   */
  drawTrails(pen, frames, number, classes) {
    const { trails } = this.look.groups[number];
    const last = frames.length - 1;
    const { view, look } = this;
    pen.lineWidth = look.trailWidth;
    pen.lineCap = look.trailWidth > 1.5 ? "round" : "butt";
    for (let age = Math.min(trails, last) - 1; age >= 0; age--) {
      const [from, to] = [frames[last - age - 1].groups[number], frames[last - age].groups[number]];
      if (!from || from.count !== to.count || from.numbers !== to.numbers) continue;
      for (const { color, strength, members } of classes) {
        pen.strokeStyle = this.mix(color, strength * MAX_STRENGTH * (1 - age / trails));
        pen.beginPath();
        for (const i of members) {
          const at = i * to.dimension;
          if (!this.flown(from.position, to.position, at)) continue;
          const begin = view.place(from.position, at);
          if (!view.shown) continue;
          pen.moveTo(...begin);
          pen.lineTo(...view.place(to.position, at));
        }
        pen.stroke();
      }
    }
  }

  /**
   * False for who left on one side and entered on the other.
   * @param {Float64Array} from
   * @param {Float64Array} to
   * @param {number} at
   */
  flown(from, to, at) {
    const { size, leadsRound } = this.look.world;
    return !leadsRound || size.every((side, axis) => Math.abs(to[at + axis] - from[at + axis]) < side / 2);
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Group} group @param {number} number
   * @param {{color: string, strength: number, members: number[]}[]} classes
   */
  drawAnimals(pen, group, number, classes) {
    if (group.kind === "predators") {
      pen.fillStyle = this.look.colors.background;
      for (const { members } of classes) this.stamp(pen, group, number, members, CLEARING);
    }
    for (const { color, strength, members } of classes)
      for (const [part, rings] of this.look.groups[number].fills) {
        pen.fillStyle = this.mix(color, strength * part);
        this.stamp(pen, group, number, members, 1, rings);
      }
  }

  /**
   * Fills what some outlines enclose wherever some animals are, and again beyond the opposite edge.
   *
   * @param {CanvasRenderingContext2D} pen
   * @param {Group} group
   * @param {number} number of it
   * @param {number[]} members
   * @param {number} larger
   * @param {number[][]} [rings] the parts, and -1 for each that is a hole; without them all of the animals
   */
  stamp(pen, { position, velocity, dimension }, number, members, larger = 1, rings) {
    const { view, frame, look } = this;
    const { fills, order, beat, size: own } = look.groups[number];
    const poses = this.poses[number];
    pen.beginPath();
    for (const i of members) {
      const parts = poses[order[Math.floor(((i * GOLDEN + frame * beat) % 1) * order.length)]];
      const at = i * dimension;
      const [x, y] = view.place(position, at);
      const size = (own * larger * look.body * view.here) / view.scale;
      const way = this.heading(position, velocity, at, x, y);
      const [a, b] = [way[0] * size, way[1] * size];
      const unit = Math.hypot(way[0], way[1]) || 1;
      const [c, d] = [(way[0] / unit) * size, (way[1] / unit) * size];
      for (const [right, down] of this.copies(x, y, this.reach[number]))
        for (const [part, way] of rings ?? fills[0][1])
          parts[part].forEach((_, k) => {
            const [ahead, aside] = /** @type {number[]} */ (parts[part].at(way * k));
            pen[k ? "lineTo" : "moveTo"](right + ahead * a + aside * d, down + ahead * b - aside * c);
          });
    }
    pen.fill();
  }

  /**
   * The direction of flight in the picture, as long as the part of the body that is seen.
   *
   * @param {Float64Array} position
   * @param {Float64Array} velocity
   * @param {number} at
   * @param {number} x
   * @param {number} y
   */
  heading(position, velocity, at, x, y) {
    const { view } = this;
    const [a, b] = [velocity[at], velocity[at + 1]];
    if (view.flat) {
      const speed = Math.sqrt(a * a + b * b);
      return speed ? [a / speed, -b / speed] : [1, 0];
    }
    const c = velocity[at + 2];
    const pace = view.scale * Math.sqrt(a * a + b * b + c * c);
    if (!pace) return [1, 0];
    const { here } = view;
    view.see(position[at] + a / pace, position[at + 1] + b / pace, position[at + 2] + c / pace);
    const shorter = view.scale / here;
    const way = [(view.x - x) * shorter, (view.y - y) * shorter];
    view.here = here;
    return way;
  }

  /**
   * A place, and those within reach of an edge again beyond the opposite one.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   */
  copies(x, y, reach) {
    const [wide, high] = this.view.period;
    const [left, top] = [this.view.origin[0] - wide / 2, this.view.origin[1] - high / 2];
    const places = [[x, y]];
    if (wide && x < left + reach) places.push([x + wide, y]);
    if (wide && x > left + wide - reach) places.push([x - wide, y]);
    if (!high) return places;
    for (const [right, down] of [...places]) {
      if (down < top + reach) places.push([right, down + high]);
      if (down > top + high - reach) places.push([right, down - high]);
    }
    return places;
  }

  /** A radius in the picture, at a place of the world. @param {number[]} point @param {number} radius */
  disc(point, radius) {
    const [x, y] = this.view.place(point);
    return { x, y, radius: radius * this.view.here };
  }

  /** @param {CanvasRenderingContext2D} pen @param {Table} obstacle */
  drawObstacle(pen, obstacle) {
    const corners = this.silhouette(obstacle);
    const { obstacle: color, background } = this.look.colors;
    // What is small, and nobody feels, only marks a place, as a target: a ring round a dot.
    const small =
      2 * this.disc(obstacle.center ?? [0, 0], obstacle.radius ?? Infinity).radius <= 2 * this.look.body;
    const target = small && obstacle.weight === 0 && obstacle.solid === false;
    const middle = [0, 1].map(
      (axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length,
    );
    const inner = target
      ? corners.map((corner) => corner.map((at, axis) => 0.6 * middle[axis] + 0.4 * at))
      : corners;
    const paints = [...(this.view.flat ? [] : [background]), this.mix(color, target ? 0.9 : 0.22)];
    pen.strokeStyle = this.mix(color, 0.9);
    pen.lineWidth = 1.4 * this.look.pen;
    const edges = this.repeated(corners);
    this.repeated(inner).forEach((body, number) => {
      follow(pen, body);
      for (const paint of paints) {
        pen.fillStyle = paint;
        pen.fill();
      }
      follow(pen, edges[number]);
      pen.closePath();
      pen.stroke();
    });
  }

  /** An outline, again beyond each edge of a world without edges. @param {number[][]} outline */
  repeated(outline) {
    const [rights, downs] = this.view.period.map((side) => (side ? [-side, 0, side] : [0]));
    return rights.flatMap((right) => downs.map((down) => outline.map(([x, y]) => [x + right, y + down])));
  }

  /** The outline of an obstacle in the picture. @param {Table} obstacle @returns {number[][]} */
  silhouette({ kind, center, radius, size, radii, points, start, end }) {
    /** @param {number[]} point */
    const ball = (point) => {
      const seen = this.disc(point, radius);
      return round(64).map(([x, y]) => [seen.x + seen.radius * x, seen.y + seen.radius * y]);
    };
    if (kind === "polygon") return points.map((/** @type {number[]} */ point) => this.view.place(point));
    if (radius) return hull([center ?? start, end ?? center].flatMap(ball));
    const sphere = kind === "box" ? corners(center.length) : globe(center.length);
    const half = kind === "box" ? size.map((/** @type {number} */ side) => side / 2) : radii;
    return hull(
      sphere.map((part) => this.view.place(part.map((value, axis) => center[axis] + value * half[axis]))),
    );
  }

  /** @param {CanvasRenderingContext2D} pen @param {Table} attractor its place is `point` */
  drawAttractor(pen, { point, weight, radius, path }) {
    if (!weight) return;
    const place = point ?? this.look.world.size.map((side) => side / 2);
    const [x, y] = this.view.place(place);
    const { letter, colors } = this.look;
    pen.fillStyle = this.mix(path ? colors.accent : colors.muted, 1);
    pen.beginPath();
    pen.arc(x, y, 0.2 * letter, 0, TAU);
    const [tip, tail] = weight > 0 ? [0.5, 1.25] : [1.25, 0.5];
    for (const [a, b] of round(4)) {
      pen.moveTo(x + letter * tip * a, y + letter * tip * b);
      for (const side of [0.32, -0.32]) {
        pen.lineTo(x + letter * (tail * a - side * b), y + letter * (tail * b + side * a));
      }
      pen.closePath();
    }
    pen.fill();
    if (!Number.isFinite(radius)) return;
    const ring = this.disc(place, radius);
    pen.strokeStyle = this.mix(colors.muted, 0.6);
    pen.lineWidth = this.look.pen;
    pen.setLineDash([6, 6]);
    pen.beginPath();
    pen.arc(ring.x, ring.y, ring.radius, 0, TAU);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Group[]} groups */
  drawCenters(pen, groups) {
    const size = 0.55 * this.look.letter;
    pen.strokeStyle = this.look.colors.accent;
    pen.lineWidth = 1.6 * this.look.pen;
    for (const { kind, count, dimension, position } of groups) {
      if (kind !== "flock" || !count) continue;
      const sums = new Array(dimension).fill(0);
      for (let k = 0; k < count * dimension; k++) sums[k % dimension] += position[k] / count;
      const [x, y] = this.view.place(sums);
      pen.beginPath();
      pen.arc(x, y, size, 0, TAU);
      for (const [a, b] of round(4)) {
        pen.moveTo(x + 0.5 * size * a, y + 0.5 * size * b);
        pen.lineTo(x + 1.6 * size * a, y + 1.6 * size * b);
      }
      pen.stroke();
    }
  }

  /** The paths of predators, as points of the world. @param {Frame} frame */
  paths({ tables, groups }) {
    const { paths, world } = this.look;
    const flocks = tables.flock.length;
    return paths.flatMap(([number, points]) => {
      const { center, scale } = tables.predators[number].path;
      const [middle, size] = [
        center ?? world.size.map((side) => side / 2),
        scale ?? 0.4 * Math.min(...world.size),
      ];
      const place = (/** @type {number[]} */ point) =>
        point.map((along, axis) => middle[axis] + size * along);
      return groups[flocks + number].count ? [points.map(place)] : [];
    });
  }

  /** The corridors of the rule follow_path. @param {CanvasRenderingContext2D} pen @param {Frame} frame */
  drawRoads(pen, { tables }) {
    pen.fillStyle = this.mix(this.look.colors.obstacle, 0.3);
    for (const { follow_path: road } of [...tables.flock, ...tables.predators]) {
      if (!road?.weight) continue;
      const { points, closed } = road;
      const radius = this.look.roads === true ? road.radius : this.look.roads;
      pen.beginPath();
      for (let k = closed ? 0 : 1; k < points.length; k++) {
        const leg = this.silhouette({ start: points[(k || points.length) - 1], end: points[k], radius });
        for (const copy of this.repeated(leg))
          for (const [k, [x, y]] of copy.entries()) pen[k ? "lineTo" : "moveTo"](x, y);
      }
      pen.fill();
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {Frame} frame */
  drawPaths(pen, frame) {
    const { look, view } = this;
    pen.lineWidth = 1.2 * look.pen;
    pen.strokeStyle = this.mix(look.colors.predator, 0.5);
    for (const path of this.paths(frame)) {
      follow(
        pen,
        path.map((point) => view.place(point)),
      );
      pen.stroke();
    }
  }

  /** The edges of the world. @param {CanvasRenderingContext2D} pen */
  drawEdges(pen) {
    const { size } = this.look.world;
    pen.lineWidth = this.look.pen;
    const box = corners(size.length).map((corner) =>
      corner.map((part, axis) => ((part + 1) / 2) * size[axis]),
    );
    for (let one = 0; one < box.length; one++) {
      for (let axis = 0; axis < size.length; axis++) {
        const other = one | (1 << axis);
        if (other === one) continue;
        const begin = this.view.place(box[one]);
        const depth = this.view.depth;
        follow(pen, [begin, this.view.place(box[other])]);
        pen.strokeStyle = this.mix(
          this.look.colors.muted,
          0.6 * (1 - (1 - MIN_STRENGTH) * (depth + this.view.depth)),
        );
        pen.stroke();
      }
    }
  }

  /** Caption and numbers. @param {CanvasRenderingContext2D} pen @param {Frame} frame */
  drawWords(pen, frame) {
    const { look } = this;
    const [size, high] = look.captionSize;
    latest(look.captions, frame.number).lines.forEach((line, number) => {
      const [left, top, right] = look.places.Caption;
      const flush = look.flush.includes("Caption");
      pen.textAlign = flush ? "right" : "left";
      this.write(pen, line, flush ? right : left, top + number * high, size, look.colors.text);
    });
    pen.textAlign = "left";
    if (look.ramp) this.drawRamp(pen, look.ramp, frame);
    for (const [name, label, left, start, top] of look.hud) {
      const value = this.measures.number(frame, name, look.rate);
      if (!value) continue;
      this.write(pen, label, left, top, look.letter, look.colors.muted);
      this.write(pen, value, start, top, look.letter, look.colors.text);
    }
  }

  /**
   * The legend of speeds.
   * @param {CanvasRenderingContext2D} pen
   * @param {NonNullable<Look["ramp"]>} ramp
   * @param {Frame} frame
   */
  drawRamp(pen, { left, right, middle, before, after, long }, frame) {
    const { look } = this;
    const [low, high] = speeds(frame).map(general);
    const words = [...before.map((word) => word.replace("{low}", low)), "", after.replace("{high}", high)];
    pen.font = this.font(look.letter);
    const wide = words.map((word) => (word ? pen.measureText(word).width : long) + look.letter / 2);
    let at = right === null ? left : right + look.letter / 2 - wide.reduce((sum, one) => sum + one, 0);
    const top = middle - Math.ceil(0.97 * look.letter) / 2 - Math.ceil(0.26 * look.letter) / 2;
    words.forEach((word, number) => {
      if (word) this.write(pen, word, at, top, look.letter, look.colors.text);
      else this.drawColors(pen, at, middle - look.letter / 4);
      at += wide[number];
    });
  }

  /**
   * The colors of boids in a bar.
   * @param {CanvasRenderingContext2D} pen
   * @param {number} left
   * @param {number} top
   */
  drawColors(pen, left, top) {
    const { boids, letter, ramp } = this.look;
    const [long, inks] = [Math.round(ramp?.long ?? 0), boids.map(channels)];
    for (let k = 0; k < long; k++) {
      const place = ((boids.length - 1) * (k + 0.5)) / long;
      const [one, other] = [inks[Math.floor(place)], inks[Math.ceil(place)]];
      const mixed = one.map((value, c) => Math.round(value + (other[c] - value) * (place % 1)));
      pen.fillStyle = `rgb(${mixed.join(" ")})`;
      pen.beginPath();
      pen.rect(Math.round(left) + k, Math.round(top), long - k, Math.round(letter / 2)); // no seams
      pen.fill();
    }
  }

  /** @param {number} size */
  font(size) {
    return `${Math.round(this.look.em * size)}px "${FONT}", sans-serif`;
  }

  /**
   * Writes a line below a place, with a rim of the background.
   * @param {CanvasRenderingContext2D} pen
   * @param {string} line
   * @param {number} x
   * @param {number} y
   * @param {number} size
   * @param {string} color
   */
  write(pen, line, x, y, size, color) {
    pen.font = this.font(size);
    pen.fontKerning = "none";
    const baseline = y + Math.ceil(0.97 * size);
    pen.lineJoin = "round";
    pen.lineWidth = 2 * Math.max(2, Math.floor(size / 5));
    pen.strokeStyle = this.look.colors.plate;
    if (!this.look.lit) pen.strokeText(line, x, baseline);
    pen.fillStyle = color;
    pen.fillText(line, x, baseline);
  }
}

/** The lowest and the highest speed that a flock may fly at. @param {Frame} frame */
export function speeds({ tables: { flock } }) {
  const [low, high] = [
    flock.map((one) => one.min_speed ?? one.max_speed / 4),
    flock.map((one) => one.max_speed),
  ];
  return [Math.min(...low), Math.max(...high)];
}

/**
 * What holds at a frame, of what begins at some.
 * @template {{at: number}} Kind
 * @param {Kind[]} all
 * @param {number} frame
 */
export function latest(all, frame) {
  return all.reduce((found, one) => (one.at <= frame ? one : found), all[0]);
}

/** Begins a path along points. @param {CanvasRenderingContext2D} pen @param {number[][]} points */
export function follow(pen, points) {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
}

/**
 * Tells the styles of an element where what it shows of the world ends.
 * @param {HTMLElement} element
 * @param {number[]} corner left and top, in its pixels
 * @param {number[]} opposite
 */
function mark({ style }, [left, top], [right, bottom]) {
  for (const [side, place] of Object.entries({ left, top, right, bottom }))
    style.setProperty(`--${side}-end`, `${place}px`);
}

/** @param {string} color @returns {number[]} */
const channels = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** Points on a circle. @param {number} count */
function round(count) {
  return Array.from({ length: count }, (_, k) => [Math.cos((TAU * k) / count), Math.sin((TAU * k) / count)]);
}

/** Corners of a box from -1 to 1; bit k of the number is the side along axis k. @param {number} dimension */
function corners(dimension) {
  return Array.from({ length: 1 << dimension }, (_, bits) =>
    Array.from({ length: dimension }, (__, axis) => (bits & (1 << axis) ? 1 : -1)),
  );
}

/** Points on a circle, or a ball. @param {number} dimension */
function globe(dimension) {
  if (dimension === 2) return round(64);
  return round(16).flatMap(([level, wide]) => round(32).map(([x, y]) => [wide * x, wide * y, level]));
}

/** The convex hull (Andrew's monotone chain). @param {number[][]} points */
function hull(points) {
  const ordered = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  return [ordered, [...ordered].reverse()].flatMap((way) => {
    /** @type {number[][]} */
    const chain = [];
    for (const [right, down] of way) {
      while (chain.length > 1) {
        const [[x, y], [u, v]] = chain.slice(-2);
        if ((u - x) * (down - y) - (v - y) * (right - x) > 0) break;
        chain.pop();
      }
      chain.push([right, down]);
    }
    return chain.slice(0, -1);
  });
}
