/**
 * Rules that are not sums over neighbors alone: the raw vector of each, as in boidsgen/simulation/rules/.
 *
 * A rule writes one vector for each animal, three components each, of what its table says and the group perceives; a
 * rule with a direct form of its own is two functions.
 *
 * @module
 */

import { clip, cosine, length, mod, radians, SHORTEST, sine } from "./arithmetic.js";
import { before, request, sums } from "./neighbors.js";
import { hit, surface } from "./obstacles.js";
import { current } from "./paths.js";
import { directions } from "./random.js";

/** @import { Table } from "./types.js" */
/** @import { View } from "./steering.js" */
/** @import { Animals } from "./neighbors.js" */
/** @typedef {(view: View, rule: Table) => Float64Array} Vectors */
/** @typedef {{desired: Vectors, direct?: Vectors}} Rule */

/** Writes a vector brought from its length to another, zero where it is zero. @param {Float64Array} to @param {number} k @param {number} x @param {number} y @param {number} z @param {number} wanted */
export function setScaled(to, k, x, y, z, wanted) {
  const factor = wanted / Math.max(length(x, y, z), SHORTEST);
  to[k] = x * factor;
  to[k + 1] = y * factor;
  to[k + 2] = z * factor;
}

/** Shortens a vector to a length, in place. @param {Float64Array} vectors @param {number} k @param {number} maximum */
export function limit(vectors, k, maximum) {
  if (maximum === Infinity) return;
  const factor = maximum / Math.max(lengthAt(vectors, k), Math.max(maximum, SHORTEST));
  for (let a = 0; a < 3; a++) vectors[k + a] *= factor;
}

/** @param {Float64Array} vectors @param {number} k */
export const lengthAt = (vectors, k) => length(vectors[k], vectors[k + 1], vectors[k + 2]);

/** @param {Float64Array} a @param {number} k @param {Float64Array} b @param {number} j */
const dotAt = (a, k, b, j) => a[k] * b[j] + a[k + 1] * b[j + 1] + a[k + 2] * b[j + 2];

/** Directions. @param {Float64Array} vectors */
function units(vectors) {
  const directions = new Float64Array(vectors.length);
  for (let k = 0; k < vectors.length; k += 3) {
    setScaled(directions, k, vectors[k], vectors[k + 1], vectors[k + 2], 1);
  }
  return directions;
}

/** All boids of some groups as one. @param {Animals[]} groups @returns {Animals} */
function together(groups) {
  const count = groups.reduce((total, group) => total + group.count, 0);
  const [position, velocity] = [new Float64Array(3 * count), new Float64Array(3 * count)];
  let at = 0;
  for (const group of groups) {
    position.set(group.position, at);
    velocity.set(group.velocity, at);
    at += 3 * group.count;
  }
  return { position, velocity, count };
}

/**
 * For each animal the number of the nearest source, at least one; offsets to it are written.
 * @param {View} view @param {Animals} source @param {Float64Array} offset
 */
function nearest({ position, count, world }, source, offset) {
  const found = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    let least = Infinity;
    for (let j = 0; j < source.count; j++) {
      const x = world.shortest(source.position[3 * j] - position[3 * i], 0);
      const y = world.shortest(source.position[3 * j + 1] - position[3 * i + 1], 1);
      const z = world.shortest(source.position[3 * j + 2] - position[3 * i + 2], 2);
      const squared = x * x + y * y + z * z;
      if (!(squared < least)) continue;
      least = squared;
      found[i] = j;
      offset[3 * i] = x;
      offset[3 * i + 1] = y;
      offset[3 * i + 2] = z;
    }
  }
  return found;
}

/**
 * The offset to where another will be when they could meet, by the shortest way; written over the offset.
 * @param {View} view @param {number} boid @param {Float64Array} offset @param {number} k
 * @param {Float64Array} velocity of the others @param {number} j @param {number} lead
 */
function ahead(view, boid, offset, k, velocity, j, lead) {
  const speed = lengthAt(view.velocity, boid) + lengthAt(velocity, j);
  const meeting = Math.min(speed > 0 ? lengthAt(offset, k) / speed : lead, lead);
  for (let a = 0; a < 3; a++) offset[k + a] = view.world.shortest(offset[k + a] + velocity[j + a] * meeting, a);
}

/** @type {Vectors} */
const toPoint = (view, rule) => view.world.offsets(view.position, view.world.place(rule.point));

/** @type {Vectors} */
function home(view, rule) {
  const offset = toPoint(view, rule);
  for (let k = 0; k < offset.length; k += 3) {
    if (!(lengthAt(offset, k) > rule.beyond)) offset.fill(0, k, k + 3);
  }
  return offset;
}

/** @type {Vectors} */
function hunt(view, rule) {
  const prey = together(view.flocks);
  const offset = new Float64Array(3 * view.count);
  if (prey.count === 0) return offset;
  if (rule.target !== "nearest") {
    const asked = rule.target === "center" ? request(Infinity, 360, "offset") : request(rule.radius, 360, "constant");
    return sums(view, prey, [asked], view.world).get(asked.key)?.total ?? offset;
  }
  const number = nearest(view, prey, offset);
  for (let k = 0; k < offset.length; k += 3) {
    const near = dotAt(offset, k, offset, k) < rule.radius * rule.radius;
    ahead(view, k, offset, k, prey.velocity, 3 * number[k / 3], rule.lead);
    if (!near) offset.fill(0, k, k + 3);
  }
  return offset;
}

/** @type {Vectors} */
function preyCenter(view) {
  const prey = together(view.flocks);
  if (prey.count === 0) return new Float64Array(3 * view.count);
  const asked = request(Infinity, 360, "offset");
  const total = sums(view, prey, [asked], view.world).get(asked.key)?.total ?? new Float64Array(0);
  return total.map((along) => along / prey.count);
}

/** @type {Vectors} */
function evade(view, rule) {
  const away = new Float64Array(3 * view.count);
  const [offset, direction] = [new Float64Array(3), new Float64Array(3)];
  for (const hunters of view.hunters) {
    for (let j = 0; j < hunters.count; j++) {
      for (let k = 0; k < away.length; k += 3) {
        for (let a = 0; a < 3; a++) {
          offset[a] = view.world.shortest(hunters.position[3 * j + a] - view.position[k + a], a);
        }
        if (!(lengthAt(offset, 0) < rule.radius)) continue;
        ahead(view, k, offset, 0, hunters.velocity, 3 * j, rule.lead);
        setScaled(direction, 0, offset[0], offset[1], offset[2], 1);
        for (let a = 0; a < 3; a++) away[k + a] -= direction[a];
      }
    }
  }
  return away;
}

/** @type {Vectors} */
function species(view, rule) {
  const away = new Float64Array(3 * view.count);
  const toPrey = new Float64Array(3 * view.count);
  const [feared, hunted] = [request(rule.radius, 360, "constant"), request(rule.radius, 360, "offset", 1)];
  for (const flock of view.flocks) {
    if (rule.flee.includes(flock.name)) {
      const { total } = sums(view, flock, [feared], view.world).get(feared.key) ?? { total: away };
      for (let k = 0; k < away.length; k++) away[k] += total[k];
    }
    if (rule.hunt.includes(flock.name)) {
      const { total } = sums(view, flock, [hunted], view.world).get(hunted.key) ?? { total: toPrey };
      for (let k = 0; k < total.length; k += 3) {
        const [distance, soFar] = [lengthAt(total, k), lengthAt(toPrey, k)];
        if (distance > 0 && (distance < soFar || soFar === 0)) toPrey.set(total.subarray(k, k + 3), k);
      }
    }
  }
  return units(toPrey).map((along, k) => along - away[k]);
}

/** @type {Vectors} */
function noise({ count, dimension, chance }, rule) {
  if (rule.distribution === "sphere") return directions(chance.stream("noise"), count, dimension);
  const vectors = new Float64Array(3 * count);
  for (let a = 0; a < dimension; a++) {
    for (let i = 0; i < count; i++) vectors[3 * i + a] = chance.stream("noise").uniform(-1, 1);
  }
  return vectors;
}

const WAVES = 3;

/** @type {Vectors} */
function wander({ count, dimension, chance, time }, rule) {
  const vectors = new Float64Array(3 * count);
  const drawn = chance.fixed("wander", 2 * WAVES * dimension, count);
  const size = Math.sqrt(2 / (WAVES * dimension));
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < dimension; a++) {
      let total = 0;
      for (let wave = 0; wave < WAVES; wave++) {
        const phase = drawn[wave * dimension + a][i];
        const pace = drawn[(WAVES + wave) * dimension + a][i];
        total += sine(2 * Math.PI * (rule.rate * time * (0.5 + pace) + phase));
      }
      vectors[3 * i + a] = total * size;
    }
  }
  return vectors;
}

const LOOKS = 40;
const NEAR_ENOUGH = 1e-3;
const STRAIGHT = 1e-9;

/** @type {Vectors} */
function avoid(view, rule) {
  const vectors = new Float64Array(3 * view.count);
  const heading = new Float64Array(3);
  for (let k = 0; view.obstacles.length > 0 && k < vectors.length; k += 3) {
    const speed = lengthAt(view.velocity, k);
    setScaled(heading, 0, view.velocity[k], view.velocity[k + 1], view.velocity[k + 2], 1);
    const met = meet(view, k, heading, speed * rule.lead, rule.clearance);
    if (met === null) continue;
    const into = dotAt(met.outward, 0, heading, 0);
    let side = met.outward.map((along, a) => along - heading[a] * into);
    if (!(lengthAt(side, 0) > STRAIGHT)) {
      // Who flies straight at an obstacle may choose its side: all choose the one nearest to an axis.
      const sizes = Array.from(heading.subarray(0, view.dimension), Math.abs);
      const axis = sizes.indexOf(Math.min(...sizes));
      side = heading.map((along, a) => (a === axis ? 1 : 0) - along * heading[axis]);
    }
    setScaled(vectors, k, side[0], side[1], side[2], 1);
    const urgency = 1 - met.way / (speed * rule.lead);
    for (let a = 0; a < 3; a++) vectors[k + a] *= urgency;
  }
  return vectors;
}

/**
 * The free distance of a boid and the outward direction of the obstacle it meets there; null where it meets none.
 * @param {View} view @param {number} k @param {Float64Array} heading @param {number} reach @param {number} clearance
 */
function meet({ position, obstacles, world }, k, heading, reach, clearance) {
  const near = NEAR_ENOUGH * world.smallest;
  const place = [0, 0, 0];
  let way = 0;
  let free = 0;
  let outward = new Float64Array(3);
  for (let look = 0; look < LOOKS; look++) {
    for (let a = 0; a < 3; a++) place[a] = position[k + a] + heading[a] * way;
    let gap = Infinity;
    for (const obstacle of obstacles) {
      if (!(surface(obstacle, place, 0, world) < gap)) continue;
      gap = hit.gap;
      outward = Float64Array.from(hit.outward);
    }
    free = gap - clearance;
    if (!(free > near && way < reach)) break;
    // Half the tolerance short of it: exactly on a surface without thickness no side is outward.
    way += free - near / 2;
  }
  return free <= near && way < reach && dotAt(outward, 0, heading, 0) < 0 ? { way, outward } : null;
}

/** @type {Vectors} */
function followPath(view, rule) {
  const { position, velocity, world } = view;
  const path = polyline(rule);
  const target = new Float64Array(position.length);
  for (let k = 0; k < position.length; k += 3) {
    const place = [0, 1, 2].map((a) => position[k + a] + rule.lead * velocity[k + a]);
    const { leg, along, distance } = nearestLeg(path, place, view);
    const astray = distance >= rule.radius;
    const backward = dotAt(velocity, k, path.direction, 3 * leg) <= 0;
    if (!astray && !backward) continue;
    const point = pointAt(path, along + rule.radius, rule.closed);
    for (let a = 0; a < 3; a++) target[k + a] = world.shortest(point[a] - position[k + a], a);
  }
  return target;
}

/** A path by its corners, the directions of its legs, and the way from the start to each corner. @param {Table} rule */
function polyline({ points, closed }) {
  /** @type {number[][]} */
  const corner = [...points, ...(closed ? [points[0]] : [])].map((point) => [...point, 0].slice(0, 3));
  const direction = new Float64Array(3 * (corner.length - 1));
  const until = [0];
  for (let leg = 0; leg < corner.length - 1; leg++) {
    const [x, y, z] = corner[leg].map((here, a) => corner[leg + 1][a] - here);
    setScaled(direction, 3 * leg, x, y, z, 1);
    until.push(until[leg] + length(x, y, z));
  }
  return { corner, direction, until };
}

/** @param {ReturnType<typeof polyline>} path @param {number[]} place @param {View} view */
function nearestLeg({ corner, direction, until }, place, { world }) {
  let found = { leg: 0, along: 0, distance: Infinity };
  for (let leg = 0; leg < corner.length - 1; leg++) {
    const half = (until[leg + 1] - until[leg]) / 2;
    const way = direction.subarray(3 * leg, 3 * leg + 3);
    // Seen from the middle of a leg, the nearest image of a boid is nearest to the leg as well.
    const offset = Float64Array.from(place, (along, a) =>
      world.shortest(along - (corner[leg + 1][a] + corner[leg][a]) / 2, a),
    );
    const part = clip(dotAt(offset, 0, way, 0), -half, half);
    const distance = lengthAt(
      offset.map((along, a) => along - part * way[a]),
      0,
    );
    if (distance < found.distance) found = { leg, along: until[leg] + half + part, distance };
  }
  return found;
}

/** @param {ReturnType<typeof polyline>} path @param {number} along @param {boolean} closed */
function pointAt({ corner, direction, until }, along, closed) {
  const whole = until[until.length - 1];
  const within = closed && whole ? mod(along, whole) : Math.min(along, whole);
  const leg = clip(before(Float64Array.from(until), within, true) - 1, 0, corner.length - 2);
  return corner[leg].map((start, a) => start + direction[3 * leg + a] * (within - until[leg]));
}

/** @typedef {{offset: Float64Array, velocity: Float64Array}} Places  Where each should be, and how fast that moves. */

/** @param {View} view @param {Table} rule @returns {Places} */
function followLeader(view, rule) {
  const { position, velocity, world, count } = view;
  const first = { position: position.slice(0, 3), velocity: velocity.slice(0, 3), count: Math.min(count, 1) };
  const leaders = rule.flock === null ? first : together(view.flocks.filter((flock) => flock.name === rule.flock));
  const place = new Float64Array(3 * count);
  if (leaders.count === 0) return { offset: place, velocity };
  const offset = new Float64Array(3 * count);
  const number = nearest(view, leaders, offset);
  const headings = units(leaders.velocity);
  const pace = new Float64Array(3 * count);
  const aside = new Float64Array(3);
  for (let i = 0; i < count; i++) {
    const [k, j] = [3 * i, 3 * number[i]];
    pace.set(leaders.velocity.subarray(j, j + 3), k);
    const before = -dotAt(headings, j, offset, k);
    for (let a = 0; a < 3; a++) aside[a] = -offset[k + a] - headings[j + a] * before;
    const beside = lengthAt(aside, 0);
    if (before > beside && lengthAt(offset, k) < rule.behind) {
      setScaled(place, k, aside[0], aside[1], aside[2], rule.behind);
    } else {
      for (let a = 0; a < 3; a++) place[k + a] = world.shortest(offset[k + a] - rule.behind * headings[j + a], a);
    }
  }
  if (rule.flock === null) place.fill(0, 0, 3);
  return { offset: place, velocity: pace };
}

/** @param {View} view @param {Table} rule @returns {Places} */
function formation(view, rule) {
  const { position, velocity, world, count } = view;
  const [arms, usual] = rule.shape === "v" ? [2, 70] : [1, 0];
  const angle = radians(rule.angle ?? usual) / arms;
  const [along, across] = [cosine(angle), sine(angle)];
  const heading = units(velocity.slice(0, 3));
  if (lengthAt(heading, 0) === 0) heading[0] = 1;
  const left = Float64Array.of(-heading[1], heading[0], 0);
  if (lengthAt(left, 0) === 0) left[1] = 1;
  setScaled(left, 0, left[0], left[1], left[2], 1);
  const offset = new Float64Array(3 * count);
  const pace = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    const out = Math.floor((i + arms - 1) / arms);
    const side = 1 - 2 * ((i + 1) % arms);
    for (let a = 0; a < 3; a++) {
      const arm = -along * heading[a] + across * side * left[a];
      const leader = world.shortest(position[a] - position[3 * i + a], a);
      offset[3 * i + a] = world.shortest(leader + rule.spacing * out * arm, a);
      pace[3 * i + a] = velocity[a];
    }
  }
  return { offset, velocity: pace };
}

/** @param {View} view @param {Table} rule @returns {Places} */
function arrive(view, rule) {
  const offset = rule.layout ? new Float64Array(3 * view.count) : toPoint(view, rule);
  for (let i = 0; rule.layout && i < view.count; i++) {
    const place = rule.layout.points[i % rule.layout.points.length];
    for (let a = 0; a < view.dimension; a++) {
      offset[3 * i + a] = view.world.shortest(place[a] - view.position[3 * i + a], a);
    }
  }
  return { offset, velocity: new Float64Array(3 * view.count) };
}

/** A rule that knows where each should be. @param {(view: View, rule: Table) => Places} places @returns {Rule} */
const arriving = (places) => ({
  desired: (view, rule) => places(view, rule).offset,
  direct: (view, rule) => {
    const { offset, velocity } = places(view, rule);
    const speed = view.table.max_speed;
    const wanted = new Float64Array(offset.length);
    for (let k = 0; k < offset.length; k += 3) {
      const approach = speed * Math.min(lengthAt(offset, k) / rule.slowing, 1);
      setScaled(wanted, k, offset[k], offset[k + 1], offset[k + 2], approach);
      for (let a = 0; a < 3; a++) wanted[k + a] = velocity[k + a] + wanted[k + a];
      limit(wanted, k, speed);
      for (let a = 0; a < 3; a++) wanted[k + a] -= view.velocity[k + a];
      limit(wanted, k, rule.max_force ?? view.table.max_force);
    }
    return wanted;
  },
});

/** @type {Vectors} */
function zonesDesired(view, rule) {
  const heading = { position: view.position, velocity: units(view.velocity), count: view.count };
  const [seen, middle] = [360 - rule.blind_angle, rule.repulsion + rule.orientation];
  const near = request(rule.repulsion, 360, "constant");
  const [oriented, inner] = [request(middle, seen, "velocity"), request(middle, seen, "constant")];
  const attracted = request(middle + rule.attraction, seen, "constant");
  const found = sums(heading, heading, [near, oriented, inner, attracted], view.world);
  const [close, along, shell, whole] = [near, oriented, inner, attracted].map((one) => found.get(one.key));
  const vectors = new Float64Array(3 * view.count);
  if (!close || !along || !shell || !whole) return vectors;
  let [same, toward] = [along.total, whole.total.map((total, k) => total - shell.total[k])];
  if (rule.balance === "zones") [same, toward] = [units(same), units(toward)];
  for (let k = 0; k < vectors.length; k++) {
    vectors[k] = close.count[Math.floor(k / 3)] > 0 ? -close.total[k] : same[k] + toward[k];
  }
  return units(vectors);
}

/** @type {Vectors} */
function zonesDirect(view, rule) {
  const { velocity, count, dimension, chance, dt } = view;
  const heading = units(velocity);
  const wanted = zonesDesired(view, rule);
  const angles = Array.from({ length: count }, () => chance.stream("zones").normal() * radians(rule.error));
  const aside = directions(chance.stream("zones"), count, dimension);
  const largest = radians(Math.min(180, rule.turning_rate * dt));
  const farthest = cosine(largest);
  const turned = new Float64Array(3 * count);
  for (let k = 0; k < turned.length; k += 3) {
    if (!(lengthAt(wanted, k) > 0)) wanted.set(heading.subarray(k, k + 3), k);
    turn(wanted, k, aside, angles[k / 3], turned);
    if (!(dotAt(turned, k, heading, k) >= farthest)) {
      wanted.set(turned.subarray(k, k + 3), k);
      turn(heading, k, wanted, largest, turned);
    }
    const speed = lengthAt(velocity, k);
    for (let a = 0; a < 3; a++) turned[k + a] = speed * turned[k + a] - velocity[k + a];
  }
  return turned;
}

/**
 * Writes a direction turned toward another by an angle.
 * @param {Float64Array} ahead @param {number} k @param {Float64Array} aside @param {number} angle @param {Float64Array} to
 */
function turn(ahead, k, aside, angle, to) {
  const along = dotAt(aside, k, ahead, k);
  const [x, y, z] = [0, 1, 2].map((a) => aside[k + a] - along * ahead[k + a]);
  setScaled(to, k, x, y, z, 1);
  const [kept, across] = [cosine(angle), sine(angle)];
  for (let a = 0; a < 3; a++) to[k + a] = kept * ahead[k + a] + across * to[k + a];
}

/** @type {{[name: string]: Rule}} */
export const RULES = {
  arrive: arriving(arrive),
  avoid: { desired: avoid },
  evade: { desired: evade },
  follow_leader: arriving(followLeader),
  follow_path: { desired: followPath },
  formation: arriving(formation),
  home: { desired: home },
  hunt: { desired: hunt },
  noise: { desired: noise },
  path: { desired: ({ time, count, dimension }, rule) => current(rule, time, count, dimension) },
  prey_center: { desired: preyCenter },
  seek: { desired: toPoint },
  species: { desired: species },
  wander: { desired: wander },
  zones: { desired: zonesDesired, direct: zonesDirect },
};
