/**
 * Starts of those who come later, as in layouts.py.
 *
 * @module
 */

import { cosine, radians, sine } from "./arithmetic.js";
import { setScaled } from "./rules.js";

/** @import { Table } from "./types.js" */
/** @import { World } from "./world.js" */
/** @import { Generator } from "./random.js" */

/**
 * Positions and velocities of so many new animals of a group, three components each.
 * @param {Table} table @param {number} count @param {World} world @param {Generator} generator
 */
export function place(table, count, world, generator) {
  const { start } = table;
  const position = placed(start, count, world, generator);
  const velocity = new Float64Array(3 * count);
  if (start.velocity !== null) {
    const [low, high] = start.velocity;
    fill(velocity, world, () => generator.uniform(low, high));
    return { position, velocity };
  }
  if (start.layout === "ring") around(position, velocity, world.place(start.center));
  else directions(velocity, world, generator);
  if (start.heading !== null) {
    const angle = radians(start.heading);
    for (let k = 0; k < 3 * count; k++) velocity[k] = [cosine(angle), sine(angle), 0][k % 3];
  }
  const [low, high] = start.speed ?? [table.min_speed ?? table.max_speed / 4, table.max_speed];
  for (let i = 0; i < count; i++) {
    const speed = generator.uniform(low, high);
    for (let k = 3 * i; k < 3 * i + 3; k++) velocity[k] *= speed;
  }
  return { position, velocity };
}

/** Fills all components in their order. @param {Float64Array} vectors @param {World} world @param {(axis: number) => number} value */
function fill(vectors, world, value) {
  for (let k = 0; k < vectors.length; k++) if (k % 3 < world.dimension) vectors[k] = value(k % 3);
}

/** Random directions. @param {Float64Array} vectors @param {World} world @param {Generator} generator */
function directions(vectors, world, generator) {
  fill(vectors, world, () => generator.normal());
  for (let k = 0; k < vectors.length; k += 3) setScaled(vectors, k, vectors[k], vectors[k + 1], vectors[k + 2], 1);
}

/** Directions round a center. @param {Float64Array} position @param {Float64Array} velocity @param {number[]} center */
function around(position, velocity, center) {
  for (let k = 0; k < position.length; k += 3) {
    setScaled(velocity, k, -(position[k + 1] - center[1]), position[k] - center[0], 0, 1);
  }
}

/** @param {Table} start @param {number} count @param {World} world @param {Generator} generator */
function placed(start, count, world, generator) {
  const position = new Float64Array(3 * count);
  const center = world.place(start.center ?? null);
  if (start.layout === "center") fill(position, world, (axis) => center[axis]);
  if (start.layout === "uniform") fill(position, world, (axis) => generator.random() * world.size[axis]);
  if (start.layout === "box") {
    const size = start.size ?? world.place(null);
    fill(position, world, (axis) => center[axis] + size[axis] * (generator.random() - 0.5));
  }
  if (start.layout === "disc") disc(position, start, center, world, generator);
  if (start.layout === "ring") ring(position, start, center, world, generator);
  return position;
}

/** @param {Float64Array} position @param {Table} start @param {number[]} center @param {World} world @param {Generator} generator */
function disc(position, start, center, world, generator) {
  const radius = start.radius ?? world.smallest / 4;
  directions(position, world, generator);
  for (let k = 0; k < position.length; k += 3) {
    const away = generator.random();
    const root = world.dimension === 2 ? Math.sqrt(away) : cubeRoot(away);
    for (let a = 0; a < 3; a++) position[k + a] = center[a] + radius * (position[k + a] * root);
  }
}

/** @param {Float64Array} position @param {Table} start @param {number[]} center @param {World} world @param {Generator} generator */
function ring(position, start, center, world, generator) {
  const outer = start.radius ?? world.smallest / 3;
  const inner = 1 - start.width;
  const count = position.length / 3;
  const angles = Array.from({ length: count }, () => generator.uniform(0, 2 * Math.PI));
  const radii = angles.map(() => outer * Math.sqrt(generator.uniform(inner * inner, 1)));
  const heights = angles.map(() => generator.uniform(-0.5, 0.5) * outer * start.width);
  angles.forEach((angle, i) => {
    const way = [radii[i] * cosine(angle), radii[i] * sine(angle), world.dimension === 3 ? heights[i] : 0];
    for (let a = 0; a < 3; a++) position[3 * i + a] = center[a] + way[a];
  });
}

/** The cube root of a number from 0 to 1, as in exact.py. @param {number} number */
function cubeRoot(number) {
  if (number === 0) return 0;
  let [fraction, exponent] = [number, 0];
  for (; fraction < 0.5; fraction *= 2) exponent--;
  const thirds = Math.floor(exponent / 3);
  const scaled = fraction * 2 ** (exponent - 3 * thirds);
  let root = 0.65 + 0.35 * scaled - 0.03 * (scaled * scaled);
  for (let step = 0; step < 6; step++) root = root - (root - scaled / (root * root)) / 3;
  return root * 2 ** thirds;
}
