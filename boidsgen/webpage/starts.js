/**
 * Starts of those who come later, as in layouts.py.
 *
 * @module
 */

import { cosine, radians, sine } from "./arithmetic.js";
import { plus, times, unit } from "./vectors.js";

/** @import { Vec } from "./vectors.js" */
/** @import { Table } from "./types.js" */
/** @import { World } from "./world.js" */
/** @import { Generator } from "./random.js" */

/** Positions and velocities of so many new animals of a group. @param {Table} table @param {number} count @param {World} world @param {Generator} generator @returns {[Vec[], Vec[]]} */
export function place({ start, min_speed, max_speed }, count, world, generator) {
  /** @param {(axis: number) => number} value */
  const vectors = (value) =>
    Array.from({ length: count }, () => [0, 1, 2].map((a) => (a < world.dimension ? value(a) : 0)));
  const directions = () => vectors(() => generator.normal()).map(unit);
  const center = world.place(start.center ?? null);
  const sides = start.size ?? world.place(null);
  /** @type {{[layout: string]: () => Vec[]}} */
  const layouts = {
    center: () => vectors((a) => center[a]),
    uniform: () => vectors((a) => generator.random() * world.size[a]),
    box: () => vectors((a) => center[a] + sides[a] * (generator.random() - 0.5)),
    disc: () =>
      directions().map((way) => {
        const away = generator.random();
        const root = world.dimension === 2 ? Math.sqrt(away) : cubeRoot(away);
        return plus(center, times(way, root), start.radius ?? world.smallest / 4);
      }),
  };
  const position = layouts[start.layout]();
  if (start.velocity !== null) {
    return [position, vectors(() => generator.uniform(start.velocity[0], start.velocity[1]))];
  }
  const angle = radians(start.heading ?? 0);
  const headings = directions().map((way) => (start.heading === null ? way : [cosine(angle), sine(angle), 0]));
  const [low, high] = start.speed ?? [min_speed ?? max_speed / 4, max_speed];
  return [position, headings.map((heading) => times(heading, generator.uniform(low, high)))];
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
