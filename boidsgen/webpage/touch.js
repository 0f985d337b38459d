/** Clicks and drags in the picture: boids to follow, a point that attracts or repels, obstacles to drag. */

import { element, part } from "./controls.js";
import { follow } from "./drawing.js";
import { angle, shortest } from "./measures.js";
import { valueAt } from "./timeline.js";
import { inWords, numeral, phrase } from "./words.js";

/** @import { Drawing } from "./drawing.js" */
/** @import { Player } from "./player.js" */
const NEAR = 2;
const LONGEST = 5;
const GRIP = 24;
const SWARM = 12; // Boids come within the smallest side of the world divided by this
export const RIGHT = "right click"; // The tool of that button
/** Where arrow keys move the pointer. @type {{[key: string]: number[]}} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const [STRIDE, FINE] = [10, 1]; // Pixels of the picture, and with Shift

/**
 * @typedef {{place: string, there: [string, any][], hint: string}} Spare What a click brings: the key of its
 *   place, keys with which it is there, and what readers are told.
 */
/** @typedef {(x: number, y: number, ended: boolean) => void} Drag */
/** @typedef {{letter: string, name: string, color: string, way: number[]}} Arrow */

export class Touch {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Player} player
   * @param {Drawing} drawing
   * @param {{[tool: string]: Spare}} tools
   */
  constructor(canvas, player, drawing, tools) {
    this.canvas = canvas;
    this.player = player;
    this.drawing = drawing;
    this.tools = tools;
    this.choice = part("follow", HTMLInputElement);
    this.tool = "look";
    /** Where in the picture the pointer is, if it is there. @type {number[] | null} */
    this.pointer = null;
    /** @type {{group: number, index: number} | null} */
    this.chosen = null;
    /** @type {Drag | null} */
    this.drag = null;
    this.last = 0;
    canvas.onpointerdown = (event) => this.down(event);
    canvas.onpointermove = (event) => this.move(event);
    canvas.onpointerup = canvas.onpointercancel = (event) => this.move(event, true);
    canvas.onpointerleave = () => {
      this.pointer = null;
    };
    canvas.oncontextmenu = () => !tools[RIGHT];
    this.choice.onchange = () => this.choose(this.choice.value === "" ? null : Number(this.choice.value));
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application"); // it takes keys itself
    canvas.onkeydown = (event) => this.press(event);
    canvas.onblur = () => {
      this.pointer = null;
      player.changed();
    };
  }

  /** @param {string} tool */
  use(tool) {
    this.tool = tool;
    const hints = [tool, RIGHT].flatMap((one) => this.tools[one]?.hint ?? []).map((hint) => phrase(hint));
    if (tool === "look") hints.unshift(phrase("Click a boid to follow it."));
    if (!this.drawing.view.flat) hints.unshift(phrase("Drag the picture to turn the view, scroll to zoom."));
    part("hint", HTMLElement).textContent = hints.join(" ");
    this.canvas.dataset.tool = tool;
  }

  /** All animals in the frame shown, as they are numbered. */
  get animals() {
    const { groups } = this.player.shown;
    return groups.flatMap(({ count }, group) =>
      Array.from({ length: count }, (_, index) => ({ group, index })),
    );
  }

  /** Follows a boid by its number among all, or none. @param {number | null} number */
  choose(number) {
    this.chosen = this.animals[number ?? -1] ?? null;
    this.choice.value = this.chosen ? `${number}` : "";
    this.player.changed();
  }

  /** Where in the picture the pointer is. @param {PointerEvent} event */
  place({ clientX, clientY }) {
    const { left, top, width } = this.canvas.getBoundingClientRect();
    const [right, down, wide] = this.drawing.window;
    return [right + ((clientX - left) * wide) / width, down + ((clientY - top) * wide) / width];
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0 && !(event.button === 2 && this.tools[RIGHT])) return;
    const [x, y] = this.place(event);
    this.last = this.player.frame;
    this.drag = this.grip(x, y, event.button ? RIGHT : this.tool);
    this.canvas.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event @param {boolean} ended */
  move(event, ended = false) {
    const [x, y] = this.place(event);
    this.pointer = [x, y];
    if (!this.drag) return;
    const { frame, playing } = this.player;
    // What is dragged in a flat picture changes only every other frame.
    if (this.drawing.view.flat && !ended && playing && frame - this.last < 2) return;
    this.last = frame;
    this.drag(x, y, ended);
    if (ended) this.drag = null;
  }

  /**
   * Moves the pointer by arrow keys, and clicks by Enter; in 3D arrows turn the camera.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const [way, flat] = [WAYS[event.key], this.drawing.view.flat];
    if (!way && !(flat && event.key === "Enter")) return;
    event.preventDefault();
    const [left, top, wide, high] = this.drawing.window;
    const [x, y] = this.pointer ?? [left + wide / 2, top + high / 2];
    const [right, down] = (way ?? [0, 0]).map((one) => one * (event.shiftKey ? FINE : STRIDE));
    if (!flat) this.orbit(0, 0)(right, down, false);
    else if (!way) this.grip(x, y, this.tool)(x, y, true);
    else
      this.pointer = [
        Math.max(left, Math.min(x + right, left + wide)),
        Math.max(top, Math.min(y + down, top + high)),
      ];
    this.player.changed();
  }

  /**
   * What follows the pointer from here.
   * @param {number} x
   * @param {number} y
   * @param {string} tool
   * @returns {Drag}
   */
  grip(x, y, tool) {
    if (!this.drawing.view.flat) return this.orbit(x, y);
    const spare = this.tools[tool];
    if (spare && (tool !== "predator" || this.isHere(spare, x, y))) return this.point(spare, x, y);
    const obstacle = this.player.live ? this.obstacleAt(x, y) : -1;
    if (obstacle !== -1) return this.dragged(obstacle, x, y);
    // Within a flock a predator must find room between the boids.
    const found = this.nearest(x, y, spare ? NEAR / 2 : NEAR);
    if (spare && found === null) return this.point(spare, x, y);
    const again = `${found}` === this.choice.value;
    /** @type {Drag | null} */
    let dragging = null;
    return (right, down, ended) => {
      // A drag that begins on a boid brings the predator, too.
      if (spare && Math.hypot(right - x, down - y) >= 4) dragging ??= this.point(spare, right, down);
      if (dragging) dragging(right, down, ended);
      else if (ended) this.choose(again ? null : found);
    };
  }

  /**
   * True if what a click brings is there already, and the pointer on it.
   * @param {Spare} spare
   * @param {number} x
   * @param {number} y
   */
  isHere({ place, there }, x, y) {
    const { tables } = this.player.shown;
    const point = valueAt(tables, place);
    const [key, value] = there[there.length - 1];
    if (!point || valueAt(tables, key) !== value) return false;
    const [right, down] = this.drawing.view.place(point);
    return Math.hypot(right - x, down - y) < GRIP;
  }

  /**
   * Turns the camera; a click without a turn follows a boid.
   * @param {number} x
   * @param {number} y
   * @returns {Drag}
   */
  orbit(x, y) {
    const { own } = this.drawing;
    const [turn, tilt] = [own.turn, own.tilt];
    return (right, down, ended) => {
      const far = Math.hypot(right - x, down - y);
      if (ended && far < 4) this.choose(this.nearest(x, y, NEAR));
      own.turn = turn - 0.4 * (right - x);
      own.tilt = Math.max(-89, Math.min(89, tilt + 0.3 * (down - y)));
      this.player.changed();
    };
  }

  /**
   * The number of the nearest animal among all, if one is near.
   * @param {number} x
   * @param {number} y
   * @param {number} near in bodies
   */
  nearest(x, y, near) {
    const { groups } = this.player.shown;
    let [nearest, found] = [near * Math.max(this.drawing.look.body, 8), /** @type {number | null} */ (null)];
    this.animals.forEach(({ group, index }, number) => {
      const [right, down] = this.drawing.view.place(groups[group].position, index * groups[group].dimension);
      const far = Math.hypot(right - x, down - y);
      if (far < nearest) [nearest, found] = [far, number];
    });
    return found;
  }

  /** Adds boids to the first flock, around the pointer or else where it starts. @param {number} count */
  spawn(count) {
    const { player, pointer, drawing } = this;
    const first = player.history[0].tables.flock[0].start;
    const { speed = null, heading = null, velocity = null } = first;
    const center = pointer && drawing.view.flat ? drawing.view.unsee(pointer[0], pointer[1]) : null;
    const radius = Math.min(...drawing.look.world.size) / SWARM;
    const swarm = { layout: "disc", center, radius, speed, heading, velocity };
    // Those who come in the same frame begin at the same place.
    const same = player.actions.some(({ frame, key }) => frame === player.frame && key === "flock.0.start");
    if (same) player.seek(player.frame + 1);
    player.change([
      ["flock.0.start", first.layout && !center ? first : swarm],
      ["flock.0.count", valueAt(player.shown.tables, "flock.0.count") + count],
    ]);
  }

  /**
   * Brings a predator or a point to the pointer, or takes it away.
   * @param {Spare} spare
   * @param {number} x
   * @param {number} y
   * @returns {Drag}
   */
  point(spare, x, y) {
    const { place, there } = spare;
    const own = this.isHere(spare, x, y);
    if (!own) this.player.change([[place, this.drawing.view.unsee(x, y)], ...there]);
    return (right, down, ended) => {
      const far = Math.hypot(right - x, down - y);
      if (ended && own && far < 4) this.player.change([[there[there.length - 1][0], 0]]);
      else if (far >= 4) this.player.change([[place, this.drawing.view.unsee(right, down)]]);
    };
  }

  /** The number of the obstacle here, or -1. @param {number} x @param {number} y */
  obstacleAt(x, y) {
    const { obstacles, tables } = this.player.shown;
    const pen = document.createElement("canvas").getContext("2d");
    const found = obstacles.find((one) =>
      pen?.isPointInPath(new Path2D(`M${this.drawing.silhouette(one).join("L")}Z`), x, y),
    );
    return found ? tables.obstacles.indexOf(found) : -1;
  }

  /** @param {number} number @param {number} x @param {number} y @returns {Drag} */
  dragged(number, x, y) {
    const table = this.player.shown.tables.obstacles[number];
    const keys = ["center", "start", "end", "points"].filter((key) => table[key]);
    const from = this.drawing.view.unsee(x, y);
    return (right, down) => {
      if (Math.hypot(right - x, down - y) < 2) return;
      const to = this.drawing.view.unsee(right, down);
      /** @param {number[]} point */
      const moved = (point) => point.map((value, axis) => value + to[axis] - from[axis]);
      this.player.change(
        keys.map((key) => [
          `obstacles.${number}.${key}`,
          key === "points" ? table[key].map(moved) : moved(table[key]),
        ]),
      );
    };
  }

  /** Neighbors and forces of the boid that is followed, from the engine at this frame. */
  inquire() {
    const { player, chosen } = this;
    if (!chosen || !player.live) return { found: [], neighbors: [] };
    player.reach(player.frame);
    const neighbors = player.engine.neighbors(chosen.group, chosen.index);
    /** @type {Set<string>} */
    const taken = new Set(["v"]);
    const { arrows, colors } = this.drawing.look;
    const { rules } = arrows[chosen.group] ?? { rules: {} };
    for (const [, letter] of Object.values(rules)) taken.add(letter);
    const found = Object.entries(player.engine.contributions(chosen.group, chosen.index)).map(
      ([name, way]) => {
        const [color, known] = rules[name] ?? [colors.muted];
        const letter = known ?? [...name].find((one) => /[a-z]/.test(one) && !taken.has(one)) ?? name;
        taken.add(letter);
        return { letter, name: inWords(name), color, way };
      },
    );
    return { found, neighbors };
  }

  /** @param {CanvasRenderingContext2D} pen @param {Drawing} drawing */
  draw(pen, drawing) {
    const { chosen, player } = this;
    if (this.pointer && document.activeElement === this.canvas) this.drawPointer(pen, drawing, this.pointer);
    const group = chosen && player.shown.groups[chosen.group];
    if (!chosen || !group || chosen.index >= group.count) return;
    const [x, y] = drawing.view.place(group.position, chosen.index * group.dimension);
    const { found, neighbors } = this.inquire();
    if (player.live) this.list(found, neighbors.length);
    for (const [right, down] of drawing.copies(x, y, Math.min(...drawing.look.size) / 2)) {
      pen.save();
      pen.translate(right - x, down - y);
      this.drawChosen(pen, drawing, group, chosen, found, neighbors);
      pen.restore();
    }
  }

  /**
   * A cross where Enter would click.
   * @param {CanvasRenderingContext2D} pen
   * @param {Drawing} drawing
   * @param {number[]} place
   */
  drawPointer(pen, { look, letter }, [x, y]) {
    pen.strokeStyle = look.colors.text;
    pen.lineWidth = 2 * look.pen;
    for (const [right, down] of [
      [letter, 0],
      [0, letter],
    ]) {
      follow(pen, [
        [x - right, y - down],
        [x + right, y + down],
      ]);
      pen.stroke();
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Drawing} drawing @param {import("./types.js").Group} group
   * @param {{group: number, index: number}} chosen @param {Arrow[]} found @param {number[]} neighbors
   */
  drawChosen(pen, drawing, group, chosen, found, neighbors) {
    const { look, view } = drawing;
    const at = chosen.index * group.dimension;
    const here = [...group.position.subarray(at, at + group.dimension)];
    const flight = group.velocity.subarray(at, at + group.dimension);
    const [x, y] = view.place(here);
    pen.strokeStyle = pen.fillStyle = look.colors.focus;
    pen.lineWidth = 1.6 * look.pen;
    pen.beginPath();
    pen.arc(x, y, 0.75 * drawing.letter, 0, 2 * Math.PI);
    pen.stroke();
    pen.lineWidth = 1.2 * look.pen;
    if (view.flat) this.drawPerception(pen, here, flight, chosen.group);
    pen.globalAlpha = 0.7;
    pen.beginPath();
    for (const other of neighbors) {
      const there = group.position.subarray(other * group.dimension);
      pen.moveTo(x, y);
      pen.lineTo(
        ...view.place(here.map((at, axis) => at + shortest(there[axis] - at, look.world.periods[axis]))),
      );
    }
    pen.stroke();
    pen.globalAlpha = 1;
    const room = LONGEST * drawing.letter;
    const { force, speed } = look.arrows[chosen.group] ?? look.arrows[0];
    const arrows = [
      { letter: "v", color: look.colors.text, way: [...flight].map((part) => part / speed) },
      ...found.map(({ letter, color, way }) => ({ letter, color, way: way.map((part) => part / force) })),
    ];
    for (const arrow of arrows) {
      const tip = view.place(here.map((value, axis) => value + arrow.way[axis] / view.scale));
      drawArrow(pen, drawing, x, y, [(tip[0] - x) * room, (tip[1] - y) * room], room, arrow);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number[]} here
   * @param {Float64Array} flight
   * @param {number} number
   */
  drawPerception(pen, here, flight, number) {
    const { tables } = this.player.shown;
    const { perception } = [...tables.flock, ...tables.predators][number];
    if (!Number.isFinite(perception.radius)) return;
    const { x, y, radius } = this.drawing.disc(here, perception.radius);
    const half = (perception.field_of_view * Math.PI) / 360;
    const ahead = angle(-flight[1], flight[0]);
    pen.beginPath();
    if (half < Math.PI) pen.moveTo(x, y);
    pen.arc(x, y, radius, ahead - half, ahead + half);
    if (half < Math.PI) pen.closePath();
    pen.globalAlpha = 0.09;
    pen.fill();
    pen.globalAlpha = 0.8;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  /** The arrows in words. @param {Arrow[]} arrows @param {number} neighbors */
  list(arrows, neighbors) {
    const rows = arrows.map(({ letter, name, color, way }) => [
      letter,
      name,
      numeral(Math.hypot(...way).toPrecision(2)),
      color,
    ]);
    part("forces", HTMLElement).replaceChildren(
      ...[["", phrase("neighbors"), `${neighbors}`, ""], ...rows].map(([letter, name, number, color]) => {
        const sign = element("b", { textContent: letter });
        sign.style.color = color;
        return element("li", {}, sign, element("span", {}, name), element("span", {}, number));
      }),
    );
  }
}

/**
 * @param {CanvasRenderingContext2D} pen @param {Drawing} drawing @param {number} x @param {number} y
 * @param {number[]} way @param {number} room @param {{letter: string, color: string}} arrow
 */
function drawArrow(pen, drawing, x, y, way, room, { letter, color }) {
  const { look } = drawing;
  const long = Math.hypot(way[0], way[1]);
  if (long < 1.5) return;
  const size = Math.min(long, room);
  const [a, b] = [way[0] / long, way[1] / long];
  const wide = 0.19 * drawing.letter;
  const head = Math.min(4 * wide, 0.75 * size);
  const neck = size - 0.8 * head;
  for (const [style, more] of /** @type {[string, number][]} */ ([
    [look.colors.background, 2],
    [color, 0],
  ])) {
    pen.strokeStyle = pen.fillStyle = style;
    pen.lineWidth = wide + more;
    follow(pen, [
      [x, y],
      [x + a * neck, y + b * neck],
    ]);
    pen.stroke();
    pen.beginPath();
    for (const back of long > room ? [0, 0.8 * head] : [0]) {
      pen.moveTo(x + a * (size - back), y + b * (size - back));
      for (const side of [0.42, -0.42])
        pen.lineTo(
          x + a * (size - back - head) - side * b * head,
          y + b * (size - back - head) + side * a * head,
        );
      pen.closePath();
    }
    if (more) pen.stroke();
    else pen.fill();
  }
  const far = size + 0.7 * drawing.letter;
  if (long < 0.8 * drawing.letter) return;
  pen.textAlign = "center";
  drawing.write(pen, letter, x + a * far, y + b * far - 0.615 * drawing.letter, drawing.letter, color);
}
