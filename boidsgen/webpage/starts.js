/** Starts of those who come later, as in starts.py. */

/** @import { Kernel } from "./kernel.js" */
/** @import { Table } from "./types.js" */

/**
 * Positions and velocities of so many new animals of a group, vector by vector.
 *
 * @param {Table} table
 * @param {number} count
 * @param {number[]} size of the world
 * @param {Kernel} kernel
 * @param {number} at the address of the program
 * @param {number} stream the cell of their random numbers
 * @returns {[number[], number[]]}
 */
export function placed({ start, min_speed, max_speed }, count, size, kernel, at, stream) {
  const { call } = kernel;
  const axes = [...size.keys()];
  /** @param {(axis: number) => number} value */
  const vectors = (value) => Array.from({ length: count }, () => axes.map(value));
  const even = () => call.uniform(at, stream);
  /** @param {number} low @param {number} high */
  const between = (low, high) => low + (high - low) * even();
  const directions = () => vectors(() => call.normal(at, stream)).map(unit);
  const middle = size.map((side) => side / 2);
  const center = start.center ?? middle;
  const sides = start.size ?? middle;
  /** @type {{[layout: string]: () => number[][]}} */
  const layouts = {
    center: () => vectors((a) => center[a]),
    uniform: () => vectors((a) => even() * size[a]),
    box: () => vectors((a) => center[a] + sides[a] * (even() - 0.5)),
    disc: () =>
      directions().map((way) => {
        const away = even();
        const root = axes.length === 2 ? Math.sqrt(away) : call.cube_root_of(away);
        return way.map((along, a) => center[a] + (start.radius ?? Math.min(...size) / 4) * (along * root));
      }),
  };
  const position = layouts[start.layout]().flat();
  if (start.velocity !== null)
    return [position, vectors(() => between(start.velocity[0], start.velocity[1])).flat()];
  const angle = (start.heading ?? 0) * (Math.PI / 180);
  const ahead = [call.cosine_of(angle), call.sine_of(angle), 0].slice(0, axes.length);
  const headings = directions().map((way) => (start.heading === null ? way : ahead));
  const [low, high] = start.speed ?? [min_speed ?? max_speed / 4, max_speed];
  return [
    position,
    headings.flatMap((heading) => {
      const pace = between(low, high);
      return heading.map((along) => along * pace);
    }),
  ];
}

/** @param {number[]} vector */
function unit(vector) {
  const factor = 1 / Math.max(Math.sqrt(vector.reduce((sum, along) => sum + along * along, 0)), 1e-162);
  return vector.map((along) => along * factor);
}
