/**
 * Measures of a frame, as boidsgen/simulation/measures.py defines them, and what colors by neighbors need.
 *
 * @module
 */

import { within } from "./neighbors.js";
import { joined, plus, size, unit, ZERO } from "./vectors.js";
import { World } from "./world.js";

/** @import { Vec } from "./vectors.js" */
/** @import { Group } from "./types.js" */
/** @typedef {{size: number[], periods: number[]}} Space */
/** @typedef {{position: Vec[], velocity: Vec[], radii: number[], world: World}} Population  All boids of all flocks, with the radius of each. */

/** @param {Group[]} flocks @param {number[]} radii of the flocks @param {Space} space @returns {Population} */
function populationOf(flocks, radii, { size: sides, periods }) {
  /** @param {"position" | "velocity"} what */
  const rows = (what) =>
    flocks.flatMap(({ count, dimension, [what]: vectors }) =>
      Array.from({ length: count }, (_, i) => [0, 1, 2].map((a) => (a < dimension ? vectors[dimension * i + a] : 0))),
    );
  const world = new World({ size: sides, boundary: { kind: periods[0] ? "torus" : "open" } });
  const own = flocks.flatMap(({ count }, number) => new Array(count).fill(radii[number]));
  return { position: rows("position"), velocity: rows("velocity"), radii: own, world };
}

/** The number of boids within the radius of each of a flock. @param {Group} group @param {number} radius @param {Space} space */
export function neighborCounts(group, radius, space) {
  const { position, world } = populationOf([group], [radius], space);
  const near = within(joined(position), radius, world);
  return position.map((_, i) => near(i).length);
}

/** For each boid the number of the first one of its group. @param {Population} population */
function members({ position, radii, world }) {
  const first = position.map((_, i) => i);
  const largest = Math.max(0, ...radii);
  if (largest === Infinity) return first.fill(0);
  /** @param {number} i */
  const root = (i) => {
    let found = i;
    while (first[found] !== found) found = first[found];
    first[i] = found;
    return found;
  };
  const near = within(joined(position), largest, world);
  position.forEach((_, one) => {
    for (const { number, distance } of near(one)) {
      if (distance >= Math.max(radii[one], radii[number])) continue;
      const [a, b] = [root(one), root(number)];
      first[Math.max(a, b)] = Math.min(a, b);
    }
  });
  return first.map((_, i) => root(i));
}

/** The number of a color for every boid, the last one for those alone. @param {Group[]} flocks @param {number[]} radii @param {Space} space @param {number} colors */
export function groupColors(flocks, radii, space, colors) {
  const first = members(populationOf(flocks, radii, space));
  const sizes = new Array(first.length).fill(0);
  for (const leader of first) sizes[leader]++;
  return first.map((leader) => (sizes[leader] === 1 ? colors : leader % colors));
}

/** The sum of one number from each. @param {Vec[]} vectors @param {(vector: Vec) => number} value */
const mean = (vectors, value) => vectors.reduce((sum, vector) => sum + value(vector), 0) / vectors.length;

/** The length of the mean of vectors. @param {Vec[]} vectors */
const share = (vectors) => Math.min(1, size(vectors.reduce((sum, vector) => plus(sum, vector), ZERO)) / vectors.length);

/** The center, along axes that repeat the circular mean. @param {Population} population */
const center = ({ position, world }) =>
  world.periods.map((period, a) => {
    if (!period) return mean(position, (place) => place[a]);
    const turn = (2 * Math.PI) / period;
    const sine = mean(position, (place) => Math.sin(turn * place[a]));
    return (
      Math.atan2(
        sine,
        mean(position, (place) => Math.cos(turn * place[a])),
      ) / turn
    );
  });

/** The mean distance of each boid from the nearest other. @param {Population} population */
function nearestNeighborDistance({ position, world }) {
  if (position.length < 2) return null;
  const first = world.smallest / Math.sqrt(position.length);
  const all = joined(position);
  /** Of radii that double. @type {ReturnType<typeof within>[]} */
  const searches = [];
  const nearest = position.map((_, i) => {
    for (let level = 0; ; level++) {
      searches[level] ??= within(all, first * 2 ** level, world);
      const found = searches[level](i);
      if (found.length > 0) return Math.min(...found.map(({ distance }) => distance));
    }
  });
  return nearest.reduce((sum, distance) => sum + distance, 0) / nearest.length;
}

/** All that a page can draw, with the largest value where there is one. @type {{[name: string]: {value: (population: Population) => number | null, most: number | null}}} */
export const MEASURES = {
  polarization: { most: 1, value: ({ velocity }) => share(velocity.map(unit)) },
  groups: { most: null, value: (population) => new Set(members(population)).size },
  nearest_neighbor_distance: { most: null, value: nearestNeighborDistance },
  mean_speed: { most: null, value: ({ velocity }) => mean(velocity, size) },
  rotation: {
    most: 1,
    value(population) {
      const middle = center(population);
      return share(
        population.position.map((place, i) => {
          const [x, y, z] = unit(population.world.offset(middle, place));
          const [u, v, w] = unit(population.velocity[i]);
          return [y * w - z * v, z * u - x * w, x * v - y * u];
        }),
      );
    },
  },
};

/** The value of a measure, null without boids. @param {string} name @param {Group[]} groups @param {number[]} radii @param {Space} space */
export function measure(name, groups, radii, space) {
  const population = populationOf(
    groups.filter(({ kind }) => kind === "flock"),
    radii,
    space,
  );
  return population.position.length ? MEASURES[name].value(population) : null;
}
