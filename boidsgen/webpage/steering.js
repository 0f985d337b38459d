/**
 * Groups steered by rules, and how they take a step, as in steering.py and motion.py: all at once or one after the other.
 *
 * @module
 */

import { clip, cosine, length, radians, sine } from "./arithmetic.js";
import { inTurn, nothing, request } from "./neighbors.js";
import { keepOut } from "./obstacles.js";
import { directions } from "./random.js";
import { lengthAt, limit, RULES, setScaled } from "./rules.js";

/** @import { Table, RecipeDocument, RequestDocument } from "./types.js" */
/** @import { Request, Sum, Animals } from "./neighbors.js" */
/** @import { World } from "./world.js" */
/** @typedef {Animals & {name: string}} Named */
/** @typedef {{kind: string, own: Request | null, others: Request | null, predators: Request | null, includeSelf: boolean}} Recipe */
/**
 * @typedef {object} Term  One rule's part in every step of a group.
 * @property {string} name
 * @property {Table} rule
 * @property {Recipe | null} recipe
 * @property {boolean} inTurn  whether boids that move in turn see the earlier ones where they have come to.
 * @property {boolean} reynolds
 * @property {number} weight
 * @property {number} cap
 * @property {boolean} drifts
 * @property {boolean} fresh  whether it uses chance in every step.
 */
/**
 * @typedef {object} Steered  A group's table, and what its rules do.
 * @property {Table} table
 * @property {Term[]} terms
 * @property {Request[]} own
 * @property {Request[]} others
 * @property {Request[]} predators
 */
/**
 * @typedef {object} Chance  The streams of random numbers of a group.
 * @property {(purpose: string) => import("./random.js").Generator} stream
 * @property {(purpose: string, rows: number, count: number) => number[][]} fixed
 */
/**
 * @typedef {object} View  The perception of a group in one step; see rule.py.
 * @property {Float64Array} position
 * @property {Float64Array} velocity
 * @property {number} count
 * @property {number} dimension
 * @property {number} time
 * @property {number} dt
 * @property {World} world
 * @property {Table} table
 * @property {Map<string, Sum>} own
 * @property {Map<string, Sum>} others
 * @property {Map<string, Sum>} predators
 * @property {Named[]} flocks
 * @property {Animals[]} hunters
 * @property {Table[]} obstacles
 * @property {Chance} chance
 */

/**
 * @param {import("./types.js").GroupDocument} group @param {Table} table
 * @returns {Steered}
 */
export function steered(group, table) {
  const terms = [];
  for (const { name, usual, chance, recipe, inTurn } of group.rules) {
    const rule = table[name] ?? group.implied[name] ?? null;
    if (rule === null || rule.weight === 0) continue;
    const drifts = rule.acts_on === "position";
    const reynolds = !drifts && (rule.steering ?? usual ?? table.steering) === "reynolds";
    terms.push({
      ...{ name, rule, inTurn, reynolds, drifts, weight: rule.weight, fresh: chance === "fresh" },
      cap: rule.max_force ?? (reynolds ? table.max_force : Infinity),
      recipe: recipe && resolved(recipe, rule, table.perception),
    });
  }
  const recipes = terms.flatMap(({ recipe }) => recipe ?? []);
  return {
    ...{ table, terms },
    own: once(recipes.map(({ own }) => own)),
    others: once(recipes.map(({ others }) => others)),
    predators: once(recipes.map(({ predators }) => predators)),
  };
}

/** @param {(Request | null)[]} requests @returns {Request[]} */
function once(requests) {
  const known = new Map();
  for (const one of requests) if (one !== null) known.set(one.key, one);
  return [...known.values()];
}

/** @param {RecipeDocument} recipe @param {Table} rule @param {Table} perception @returns {Recipe} */
function resolved(recipe, rule, perception) {
  /** @param {any} part */
  const value = (part) => {
    const paths = part?.keys ?? null;
    if (paths === null) return part === "inf" ? Infinity : part;
    const values = paths.map((/** @type {string} */ path) =>
      path.startsWith("perception.") ? perception[path.slice(11)] : rule[path],
    );
    return values.find((/** @type {any} */ found) => found !== null) ?? null;
  };
  /** @param {RequestDocument | null} one */
  const asked = (one) =>
    one && request(value(one.radius), value(one.field_of_view), value(one.quantity), value(one.nearest));
  return {
    kind: recipe.kind,
    own: asked(recipe.own),
    others: asked(recipe.others),
    predators: asked(recipe.predators),
    includeSelf: value(recipe.include_self),
  };
}

/**
 * Writes the raw vectors of some of the animals by a recipe.
 * @param {Recipe} recipe @param {View} view @param {boolean} reynolds @param {number} first @param {number} last
 * @param {Float64Array} vectors
 */
function evaluate(recipe, view, reynolds, first, last, vectors) {
  /** @type {Sum[]} */
  const found = [];
  for (const asked of [
    [view.own, recipe.own],
    [view.others, recipe.others],
    [view.predators, recipe.predators],
  ]) {
    const [known, one] = /** @type {[Map<string, Sum>, Request | null]} */ (asked);
    const sum = one === null ? undefined : known.get(one.key);
    if (sum !== undefined) found.push(sum);
  }
  if (found.length === 0) vectors.fill(0);
  if (found.length === 0) return;
  const pushes = recipe.kind === "push";
  const speeds = recipe.kind === "mean velocity";
  for (let i = first; i < last; i++) {
    const count = found[0].count[i];
    const some = count > 0 ? 1 : 0;
    for (let k = 3 * i; k < 3 * i + 3; k++) {
      let total = found[0].total[k];
      for (let number = 1; number < found.length; number++) total += found[number].total[k];
      if (pushes) {
        vectors[k] = -total;
        continue;
      }
      if (recipe.includeSelf && speeds) total += view.velocity[k] * some;
      const mean = total / (recipe.includeSelf ? count + 1 : Math.max(count, 1));
      vectors[k] = speeds && !reynolds ? mean - view.velocity[k] * some : mean;
    }
  }
}

/**
 * What a rule changes of the velocity, or of the position, of some of the animals, weight included.
 * @param {Term} term @param {View} view @param {number} first @param {number} last @param {Float64Array | null} room
 */
export function contribution(term, view, first, last, room = null) {
  const { recipe, rule, name } = term;
  let vectors = room ?? new Float64Array(3 * view.count);
  if (recipe !== null) evaluate(recipe, view, term.reynolds, first, last, vectors);
  else vectors = ((term.reynolds ? null : RULES[name].direct) ?? RULES[name].desired)(view, rule);
  for (let k = 3 * first; k < 3 * last; k += 3) {
    if (term.reynolds) steer(vectors, k, view, term.cap);
    else limit(vectors, k, term.cap);
    for (let a = 0; a < 3; a++) vectors[k + a] *= term.weight;
  }
  return vectors;
}

/** lim(max_speed · unit(x) - v, cap), in place. @param {Float64Array} vectors @param {number} k @param {View} view @param {number} cap */
export function steer(vectors, k, { velocity, table }, cap) {
  const some = lengthAt(vectors, k) > 0 ? 1 : 0;
  setScaled(vectors, k, vectors[k], vectors[k + 1], vectors[k + 2], table.max_speed);
  for (let a = 0; a < 3; a++) vectors[k + a] = (vectors[k + a] - velocity[k + a]) * some;
  limit(vectors, k, cap);
}

/** The terms that have an effect: without anybody to flee from, those about fear have none. @param {Steered} group @param {View} view @param {boolean} drifts */
export const awake = (group, view, drifts) =>
  group.terms.filter(
    (term) => term.drifts === drifts && (view.hunters.length > 0 || (term.recipe?.predators ?? null) === null),
  );

/** The sum of vectors, in their order. @param {Float64Array[]} vectors @param {number} size */
function added(vectors, size) {
  const total = vectors.length > 0 ? vectors[0].slice() : new Float64Array(size);
  for (const one of vectors.slice(1)) for (let k = 0; k < size; k++) total[k] += one[k];
  return total;
}

/** @typedef {{position: Float64Array, velocity: Float64Array, drive: Float64Array}} Advanced */

/**
 * A group after a step in which all move at once; pushes are added to what its rules give.
 * @param {Steered} group @param {View} view @param {Float64Array[]} pushes
 * @returns {Advanced}
 */
export function advance(group, view, pushes) {
  const { count, world } = view;
  const size = 3 * count;
  const contributions = awake(group, view, false).map((term) => contribution(term, view, 0, count));
  const drive = added([...contributions, ...pushes], size);
  const drifts = awake(group, view, true).map((term) => contribution(term, view, 0, count));
  const steering = group.table.angular_noise ? scattered(view, drive) : drive;
  const [position, velocity] = [view.position.slice(), view.velocity.slice()];
  for (let i = 0; i < count; i++) move(position, velocity, steering, i, group.table, view.dt);
  const drift = added(drifts, size);
  for (let k = 0; drifts.length > 0 && k < size; k++) position[k] += drift[k];
  keepOut(view.obstacles, position, velocity, world, 0, count);
  world.confine(position, velocity, 0, count);
  return { position, velocity, drive };
}

/** What moves the animal that is just moving. */
const own = new Float64Array(3);

/**
 * Moves one animal, in place, before any boundary condition.
 * @param {Float64Array} position @param {Float64Array} velocity @param {Float64Array} drive @param {number} i
 * @param {Table} table @param {number} dt
 */
function move(position, velocity, drive, i, table, dt) {
  const k = 3 * i;
  for (let a = 0; a < 3; a++) own[a] = drive[k + a];
  limit(own, 0, table.max_acceleration);
  for (let a = 0; a < 3; a++) own[a] = table.inertia * velocity[k + a] + own[a];
  const lowest = table.min_speed ?? table.max_speed / 4;
  const speed = clip(lengthAt(own, 0), lowest, table.limit_speed ? table.max_speed : Infinity);
  const explicit = table.integrator === "explicit";
  for (let a = 0; explicit && a < 3; a++) position[k + a] += dt * velocity[k + a];
  setScaled(velocity, k, own[0], own[1], own[2], speed);
  for (let a = 0; !explicit && a < 3; a++) position[k + a] += dt * velocity[k + a];
}

/** The drive after which the direction of each is off by a random angle. @param {View} view @param {Float64Array} drive */
function scattered({ velocity, count, dimension, chance, table }, drive) {
  const { inertia, angular_noise: width, angular_noise_spread: spread } = table;
  const generator = chance.stream("angular noise");
  const sideways = directions(generator, count, dimension);
  const turned = new Float64Array(3 * count);
  const ahead = new Float64Array(3);
  for (let k = 0; k < turned.length; k += 3) {
    const [u, v, w] = [0, 1, 2].map((a) => inertia * velocity[k + a] + drive[k + a]);
    setScaled(ahead, 0, u, v, w, 1);
    const along = sideways[k] * ahead[0] + sideways[k + 1] * ahead[1] + sideways[k + 2] * ahead[2];
    const [x, y, z] = [0, 1, 2].map((a) => sideways[k + a] - along * ahead[a]);
    setScaled(sideways, k, x, y, z, 1);
    const [cos, sin] = randomTurn(generator, width, spread === "solid_angle" && dimension === 3);
    const speed = length(u, v, w);
    for (let a = 0; a < 3; a++) {
      turned[k + a] = speed * (cos * ahead[a] + sin * sideways[k + a]) - inertia * velocity[k + a];
    }
  }
  return turned;
}

/** Cosine and sine of a random angle. @param {import("./random.js").Generator} generator @param {number} width @param {boolean} solid */
function randomTurn(generator, width, solid) {
  if (solid) {
    const cos = generator.uniform(cosine(radians(width / 2)), 1);
    return [cos, Math.sqrt(1 - cos * cos)];
  }
  const angle = generator.uniform(-0.5, 0.5) * radians(width);
  return [cosine(angle), sine(angle)];
}

/**
 * A flock after a step in which one boid moves after the other, each seeing the earlier ones where they have come to.
 * @param {Steered} group @param {View} view @param {Float64Array[]} pushes
 * @returns {Advanced}
 */
export function takeTurns(group, view, pushes) {
  const { count, world } = view;
  const [position, velocity] = [view.position.slice(), view.velocity.slice()];
  const drive = new Float64Array(3 * count);
  /** @type {View} */
  const now = { ...view, position, velocity, own: new Map(group.own.map((one) => [one.key, nothing(count)])) };
  const look = inTurn(now, group.own, now.own, world);
  const [steering, drifts] = [awake(group, view, false), awake(group, view, true)];
  const given = new Map();
  for (const term of [...steering, ...drifts]) {
    if (!term.inTurn) given.set(term, contribution(term, view, 0, count));
  }
  const room = new Float64Array(3 * count);
  const drift = new Float64Array(3 * count);
  const before = world.boundary.applied === "before";
  for (let i = 0; i < count; i++) {
    if (before) world.confine(position, velocity, i, i + 1);
    look(i);
    for (const term of steering) addAt(drive, i, given.get(term) ?? contribution(term, now, i, i + 1, room));
    for (const push of pushes) addAt(drive, i, push);
    for (const term of drifts) addAt(drift, i, given.get(term) ?? contribution(term, now, i, i + 1, room));
    move(position, velocity, drive, i, group.table, view.dt);
    if (drifts.length > 0) addAt(position, i, drift);
    keepOut(view.obstacles, position, velocity, world, i, i + 1);
    if (!before) world.confine(position, velocity, i, i + 1);
  }
  return { position, velocity, drive };
}

/** @param {Float64Array} to @param {number} i @param {Float64Array} vectors */
function addAt(to, i, vectors) {
  for (let k = 3 * i; k < 3 * i + 3; k++) to[k] += vectors[k];
}
