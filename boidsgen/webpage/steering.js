/**
 * Groups steered by rules, and how they take a step, as in steering.py and motion.py: all at once or one after the other.
 *
 * @module
 */

import { clip, cosine, radians, sine } from "./arithmetic.js";
import { lookup, request } from "./neighbors.js";
import { keepOut } from "./obstacles.js";
import { directions } from "./random.js";
import { DIRECT, RULES } from "./rules.js";
import { at, dot, limited, plus, put, SHORTEST, scaled, size, times, unit, ZERO } from "./vectors.js";

/** @import { Vec, Vectors } from "./vectors.js" */
/** @import { Animals, Look, Request } from "./neighbors.js" */
/** @import { Generator } from "./random.js" */
/** @import { Wanted } from "./rules.js" */
/** @import { GroupDocument, RecipeDocument, Table } from "./types.js" */
/** @import { World } from "./world.js" */
/** @typedef {"own" | "others" | "predators"} Whom */
/** @typedef {{kind: string, includeSelf: boolean, brakes: boolean, asked: [Whom, number][]}} Recipe  With the places of its requests. */
/**
 * @typedef {object} Term  One rule's part in every step of a group.
 * @property {string} name @property {Table} rule @property {Recipe | null} recipe @property {number} cap
 * @property {boolean} inTurn  whether boids that move in turn see the earlier ones where they have come to.
 * @property {boolean} reynolds @property {boolean} drifts @property {boolean} fresh  whether it uses chance in every step.
 */
/** @typedef {{table: Table, terms: Term[]} & {[whom in Whom]: Request[]}} Steered  A group's table, and what its rules do. */
/**
 * @typedef {object} View  The perception of a group in one step; see rule.py.
 * @property {Vectors} position @property {Vectors} velocity @property {number} count @property {number} dimension
 * @property {number} time @property {number} dt @property {World} world @property {Table} table
 * @property {Look} own @property {Look} others @property {Look} predators @property {(Animals & {name: string})[]} flocks
 * @property {Animals[]} hunters @property {Table[]} obstacles @property {{[purpose: string]: Generator}} chance
 */

/** @param {GroupDocument} group @param {Table} table @returns {Steered} */
export function steered(group, table) {
  /** @type {Steered} */
  const found = { table, terms: [], own: [], others: [], predators: [] };
  for (const { name, usual, chance, recipe, inTurn } of group.rules) {
    const rule = table[name] ?? group.implied[name] ?? null;
    if (rule === null || rule.weight === 0) continue;
    const drifts = rule.acts_on === "position";
    const reynolds = !drifts && (rule.steering ?? usual ?? table.steering) === "reynolds";
    found.terms.push({
      ...{ name, rule, inTurn, reynolds, drifts, fresh: chance === "fresh" },
      cap: rule.max_force ?? (reynolds ? table.max_force : Infinity),
      recipe: recipe && resolved(recipe, rule, found),
    });
  }
  return found;
}

/** A recipe with the values of its keys; its requests join those of the group. @param {RecipeDocument} recipe @param {Table} rule @param {Steered} group @returns {Recipe} */
function resolved(recipe, rule, group) {
  /** @param {any} part */
  const value = (part) => {
    if (!part?.keys) return part === "inf" ? Infinity : part;
    const values = part.keys.map((/** @type {string} */ path) =>
      path.startsWith("perception.") ? group.table.perception[path.slice(11)] : rule[path],
    );
    return values.find((/** @type {any} */ found) => found !== null) ?? null;
  };
  /** @type {[Whom, number][]} */
  const asked = [];
  for (const whom of /** @type {Whom[]} */ (["own", "others", "predators"])) {
    const one = recipe[whom];
    if (one === null) continue;
    const wanted = request(
      value(one.radius),
      value(one.quantity),
      value(one.field_of_view),
      value(one.nearest),
      value(one.coincident),
    );
    const known = group[whom].findIndex((other) => other.whom === wanted.whom && other.quantity === wanted.quantity);
    asked.push([whom, known === -1 ? group[whom].push(wanted) - 1 : known]);
  }
  return {
    kind: recipe.kind,
    includeSelf: value(recipe.include_self),
    brakes: value(recipe.own?.coincident) === "count",
    asked,
  };
}

/** The vectors by a recipe. @param {Recipe} recipe @param {View} view @param {boolean} reynolds @returns {Wanted} */
function evaluated({ kind, includeSelf, asked }, view, reynolds) {
  const speeds = kind === "mean velocity";
  const looks = asked.map(([whom, number]) => ({ look: view[whom], number }));
  return (animal) => {
    let count = 0;
    let total = /** @type {Vec | null} */ (null);
    for (const { look, number } of looks) {
      const sum = look(animal)[number];
      if (sum === undefined) continue;
      if (total === null) count = sum.count;
      total = total === null ? sum.total : plus(total, sum.total);
    }
    if (total === null) return ZERO;
    if (kind === "push") return times(total, -1);
    const some = count > 0 ? 1 : 0;
    const divisor = includeSelf ? count + 1 : Math.max(count, 1);
    if (includeSelf && speeds) total = plus(total, at(view.velocity, animal), some);
    const mean = [total[0] / divisor, total[1] / divisor, total[2] / divisor];
    return speeds && !reynolds ? plus(mean, at(view.velocity, animal), -some) : mean;
  };
}

/** Whether there are neighbors of the own kind. @param {Recipe} recipe @param {View} view @param {number} animal */
const met = ({ asked }, view, animal) =>
  asked.some(([whom, number]) => whom === "own" && view.own(animal)[number]?.count > 0);

/** What a rule changes of the velocity, or of the position, weight included. @param {Term} term @param {View} view @returns {Wanted} */
export function contribution({ name, rule, recipe, reynolds, cap }, view) {
  const form = (reynolds ? undefined : DIRECT[name]) ?? RULES[name];
  const wanted = recipe ? evaluated(recipe, view, reynolds) : form(view, rule);
  return (animal) => {
    const vector = wanted(animal);
    if (!reynolds) return times(limited(vector, cap), rule.weight);
    return steer(vector, view, animal, cap, rule.weight, recipe?.brakes && met(recipe, view, animal));
  };
}

/** weight · lim(max_speed · unit(x) - v, cap), without intermediate vectors since it is the most frequent of all. @param {Vec} vector @param {View} view @param {number} animal @param {number} cap @param {number} weight @returns {Vec} */
export function steer(vector, { velocity, table }, animal, cap, weight, brakes = false) {
  const long = size(vector);
  if (long === 0 && !brakes) return ZERO;
  const factor = table.max_speed / Math.max(long, SHORTEST);
  const x = vector[0] * factor - velocity[3 * animal];
  const y = vector[1] * factor - velocity[3 * animal + 1];
  const z = vector[2] * factor - velocity[3 * animal + 2];
  const least = Math.max(cap, SHORTEST);
  const share = cap === Infinity ? 1 : cap / Math.max(Math.sqrt(x * x + y * y + z * z), least);
  return [x * share * weight, y * share * weight, z * share * weight];
}

/** The terms that have an effect: without anybody to flee from, those about fear have none. @param {Steered} group @param {View} view @param {boolean} drifts */
export const awake = ({ terms }, view, drifts) =>
  terms.filter(
    (term) =>
      term.drifts === drifts && (view.hunters.length > 0 || !term.recipe?.asked.some(([whom]) => whom === "predators")),
  );

/** @param {Wanted[]} parts @param {number} animal @param {number} first  -0, which leaves signs as they are, or 0. @returns {Vec} */
function sum(parts, animal, first = -0) {
  let x = first;
  let y = first;
  let z = first;
  for (const part of parts) {
    const vector = part(animal);
    x += vector[0];
    y += vector[1];
    z += vector[2];
  }
  return [x, y, z];
}

/**
 * A group after a step; pushes are added to what its rules give. Where one boid moves after the other, each sees the
 * earlier ones where they have come to.
 *
 * @param {Steered} group @param {View} view @param {Wanted[]} pushes
 * @returns {{position: Vectors, velocity: Vectors, drive: Vectors}}
 */
export function advance(group, view, pushes) {
  const { table } = group;
  const { count, world, obstacles } = view;
  const sequential = table.update === "sequential";
  const early = sequential && world.boundary.applied === "before";
  const [position, velocity, drive] = [view.position.slice(), view.velocity.slice(), new Float64Array(3 * count)];
  const now = sequential ? { ...view, position, velocity } : view;
  if (sequential) now.own = lookup(now, [now], group.own, world, true);
  const [steering, drifts] = [false, true].map((drifting) =>
    awake(group, view, drifting).map((term) => contribution(term, term.inTurn ? now : view)),
  );
  const parts = [...steering, ...pushes];
  const turned = table.angular_noise ? scattered(view) : null;
  for (let i = 0; i < count; i++) {
    if (early) {
      const [place, pace] = world.confine(at(position, i), at(velocity, i));
      put(position, i, place);
      put(velocity, i, pace);
    }
    const before = at(velocity, i);
    const own = sum(parts, i, sequential ? 0 : -0);
    let pace = accelerated(before, turned ? turned(own, i) : own, table);
    let place = plus(at(position, i), table.integrator === "explicit" ? before : pace, view.dt);
    if (drifts.length > 0) place = plus(place, sum(drifts, i));
    if (obstacles.length > 0) [place, pace] = keepOut(obstacles, place, pace, world);
    if (!early && !world.contains(place)) [place, pace] = world.confine(place, pace);
    put(position, i, place);
    put(velocity, i, pace);
    put(drive, i, own);
  }
  return { position, velocity, drive };
}

/** @param {Vec} velocity @param {Vec} drive @param {Table} table */
function accelerated(velocity, drive, table) {
  const own = plus(limited(drive, table.max_acceleration), velocity, table.inertia);
  const lowest = table.min_speed ?? table.max_speed / 4;
  return scaled(own, clip(size(own), lowest, table.limit_speed ? table.max_speed : Infinity));
}

/** The drive after which the direction of each is off by a random angle. @param {View} view */
function scattered({ velocity, count, dimension, chance, table }) {
  const { inertia, angular_noise: width, angular_noise_spread: spread } = table;
  const generator = chance["angular noise"];
  const sideways = directions(generator, count, dimension);
  /** @returns {[number, number]} */
  const randomTurn = () => {
    if (spread !== "solid_angle" || dimension === 2) {
      const angle = generator.uniform(-0.5, 0.5) * radians(width);
      return [cosine(angle), sine(angle)];
    }
    const cos = generator.uniform(cosine(radians(width / 2)), 1);
    return [cos, Math.sqrt(1 - cos * cos)];
  };
  return (/** @type {Vec} */ drive, /** @type {number} */ animal) => {
    const own = plus(drive, at(velocity, animal), inertia);
    const ahead = unit(own);
    const across = unit(plus(sideways[animal], ahead, -dot(sideways[animal], ahead)));
    const [cos, sin] = randomTurn();
    return plus(times(plus(times(ahead, cos), across, sin), size(own)), at(velocity, animal), -inertia);
  };
}
