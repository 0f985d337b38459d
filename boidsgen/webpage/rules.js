/**
 * Rules that are not sums over neighbors alone, as in boidsgen/simulation/rules/: what each wants of an animal, by its
 * number.
 *
 * @module
 */

import { clip, cosine, mod, radians, sine } from "./arithmetic.js";
import { lookup, request } from "./neighbors.js";
import { surface } from "./obstacles.js";
import { current } from "./paths.js";
import { directions } from "./random.js";
import { at, dot, joined, limited, plus, scaled, size, times, unit, ZERO } from "./vectors.js";

/** @import { Vec } from "./vectors.js" */
/** @import { Table } from "./types.js" */
/** @import { View } from "./steering.js" */
/** @import { Animals } from "./neighbors.js" */
/** @typedef {(animal: number) => Vec} Wanted */
/** @typedef {(view: View, rule: Table) => Wanted} Rule */
/** @typedef {(animal: number) => {offset: Vec, velocity: Vec}} Places  Where each should be, and how fast that moves. */

const WAVES = 3;
const LOOKS = 40;
const NEAR_ENOUGH = 1e-3;
const STRAIGHT = 1e-9;

/** All boids of some groups as one. @param {Animals[]} groups @returns {Animals} */
const together = (groups) => ({
  position: Float64Array.from(groups.flatMap(({ position }) => [...position])),
  velocity: Float64Array.from(groups.flatMap(({ velocity }) => [...velocity])),
  count: groups.reduce((total, { count }) => total + count, 0),
});

/** The number of the nearest source, at least one, and the offset to it. @param {View} view @param {number} animal @param {Animals} source @returns {[number, Vec]} */
function nearest({ position, world }, animal, source) {
  let [found, least, way] = [0, Infinity, ZERO];
  const here = at(position, animal);
  for (let number = 0; number < source.count; number++) {
    const offset = world.offset(here, at(source.position, number));
    const squared = dot(offset, offset);
    if (squared < least) [found, least, way] = [number, squared, offset];
  }
  return [found, way];
}

/** The offset to where another will be when they could meet. @param {View} view @param {number} animal @param {Vec} offset @param {Vec} velocity @param {number} lead */
function ahead(view, animal, offset, velocity, lead) {
  const speed = size(at(view.velocity, animal)) + size(velocity);
  const meeting = Math.min(speed > 0 ? size(offset) / speed : lead, lead);
  return view.world.shortest(plus(offset, velocity, meeting));
}

/** @type {Rule} */
function seek({ position, world }, { point }) {
  const place = world.place(point);
  return (animal) => world.offset(at(position, animal), place);
}

/** Places at which all arrive and slow down. @type {{[name: string]: (view: View, rule: Table) => Places}} */
const ARRIVING = {
  arrive(view, rule) {
    const offset = seek(view, rule);
    const points = rule.layout?.points ?? null;
    return (animal) => {
      const place = points && view.world.place(points[animal % points.length]);
      const own = place && view.world.offset(at(view.position, animal), place);
      return { offset: own ?? offset(animal), velocity: ZERO };
    };
  },
  follow_leader(view, { flock, behind }) {
    const { position, velocity, world } = view;
    const first = { position: position.slice(0, 3), velocity, count: Math.min(view.count, 1) };
    const leaders = flock === null ? first : together(view.flocks.filter(({ name }) => name === flock));
    return (animal) => {
      if (leaders.count === 0) return { offset: ZERO, velocity: at(velocity, animal) };
      const [number, offset] = nearest(view, animal, leaders);
      const pace = at(leaders.velocity, number);
      const heading = unit(pace);
      const before = -dot(heading, offset);
      const aside = plus(times(offset, -1), heading, -before);
      if (flock === null && animal === 0) return { offset: ZERO, velocity: pace };
      const inTheWay = before > size(aside) && size(offset) < behind;
      const place = inTheWay ? scaled(aside, behind) : world.shortest(plus(offset, heading, -behind));
      return { offset: place, velocity: pace };
    };
  },
  formation({ position, velocity, world }, { shape, angle: given, spacing }) {
    const [arms, usual] = shape === "v" ? [2, 70] : [1, 0];
    const angle = radians(given ?? usual) / arms;
    const flight = unit(at(velocity, 0));
    const heading = size(flight) === 0 ? [1, 0, 0] : flight;
    const left = heading[0] === 0 && heading[1] === 0 ? [0, 1, 0] : unit([-heading[1], heading[0], 0]);
    return (animal) => {
      const out = Math.floor((animal + arms - 1) / arms);
      const side = 1 - 2 * ((animal + 1) % arms);
      const arm = plus(times(heading, -cosine(angle)), left, sine(angle) * side);
      const leader = world.offset(at(position, animal), at(position, 0));
      return { offset: world.shortest(plus(leader, arm, spacing * out)), velocity: at(velocity, 0) };
    };
  },
};

/** A path by its corners, the directions of its legs, and the way from the start to each corner. @param {Table} rule @param {View} view */
function polyline({ points, closed }, { world }) {
  /** @type {Vec[]} */
  const corner = [...points, ...(closed ? [points[0]] : [])].map((point) => world.place(point));
  const leg = corner.slice(1).map((end, number) => plus(end, corner[number], -1));
  const until = [0];
  for (const [number, way] of leg.entries()) until.push(until[number] + size(way));
  return { corner, direction: leg.map(unit), until };
}

/** The leg that is nearest to a place, how far along it, and its distance. @param {ReturnType<typeof polyline>} path @param {Vec} place @param {View} view */
function nearestLeg({ corner, direction, until }, place, { world }) {
  let found = { leg: 0, along: 0, distance: Infinity };
  direction.forEach((way, leg) => {
    const half = (until[leg + 1] - until[leg]) / 2;
    // Seen from the middle of a leg, the nearest image of a boid is nearest to the leg as well.
    const middle = corner[leg].map((start, a) => (corner[leg + 1][a] + start) / 2);
    const offset = world.offset(middle, place);
    const part = clip(dot(offset, way), -half, half);
    const distance = size(plus(offset, way, -part));
    if (distance < found.distance) found = { leg, along: until[leg] + half + part, distance };
  });
  return found;
}

/** The free way of an animal and the outward direction of the obstacle that it meets; null where it meets none. @param {View} view @param {Vec} place @param {Vec} heading @param {number} reach @param {number} clearance */
function meet({ obstacles, world }, place, heading, reach, clearance) {
  const near = NEAR_ENOUGH * world.smallest;
  let [way, free, outward] = [0, 0, ZERO];
  for (let look = 0; look < LOOKS; look++) {
    const here = plus(place, heading, way);
    let gap = Infinity;
    for (const obstacle of obstacles) {
      const hit = surface(obstacle, here, world);
      if (hit[0] < gap) [gap, outward] = hit;
    }
    free = gap - clearance;
    if (!(free > near && way < reach)) break;
    // Half the tolerance short of it: exactly on a surface without thickness no side is outward.
    way += free - near / 2;
  }
  return free <= near && way < reach && dot(outward, heading) < 0 ? { way, outward } : null;
}

/** @type {{[name: string]: Rule}} */
export const RULES = {
  seek,
  home(view, rule) {
    const offset = seek(view, rule);
    return (animal) => (size(offset(animal)) > rule.beyond ? offset(animal) : ZERO);
  },
  hunt(view, { target, radius, lead }) {
    const prey = together(view.flocks);
    if (prey.count === 0) return () => ZERO;
    if (target !== "nearest") {
      const asked = target === "center" ? request(Infinity, "offset") : request(radius, "constant");
      const look = lookup(view, [prey], [asked], view.world);
      return (animal) => look(animal)[0].total;
    }
    return (animal) => {
      const [number, offset] = nearest(view, animal, prey);
      if (!(dot(offset, offset) < radius * radius)) return ZERO;
      return ahead(view, animal, offset, at(prey.velocity, number), lead);
    };
  },
  prey_center(view) {
    const prey = together(view.flocks);
    const look = lookup(view, [prey], [request(Infinity, "offset")], view.world);
    return (animal) => look(animal)[0].total.map((along) => along / Math.max(prey.count, 1));
  },
  evade(view, { radius, lead }) {
    const hunters = together(view.hunters);
    return (animal) => {
      let away = ZERO;
      for (let number = 0; number < hunters.count; number++) {
        const offset = view.world.offset(at(view.position, animal), at(hunters.position, number));
        if (!(size(offset) < radius)) continue;
        away = plus(away, unit(ahead(view, animal, offset, at(hunters.velocity, number), lead)), -1);
      }
      return away;
    };
  },
  species(view, { flee, hunt, radius }) {
    const [feared, hunted] = [flee, hunt].map((names) => view.flocks.filter(({ name }) => names.includes(name)));
    const fear = lookup(view, feared, [request(radius, "constant")], view.world);
    const looks = hunted.map((flock) => lookup(view, [flock], [request(radius, "offset", 360, 1)], view.world));
    return (animal) => {
      let toPrey = ZERO;
      for (const look of looks) {
        const { total } = look(animal)[0];
        if (size(total) > 0 && (size(total) < size(toPrey) || size(toPrey) === 0)) toPrey = total;
      }
      return plus(unit(toPrey), fear(animal)[0]?.total ?? ZERO, -1);
    };
  },
  noise({ count, dimension, chance }, { distribution }) {
    if (distribution === "sphere") {
      const drawn = directions(chance.noise, count, dimension);
      return (animal) => drawn[animal];
    }
    const rows = [0, 1, 2].map((a) =>
      Array.from({ length: count }, () => (a < dimension ? chance.noise.uniform(-1, 1) : 0)),
    );
    return (animal) => rows.map((row) => row[animal]);
  },
  wander({ count, dimension, chance, time }, { rate }) {
    const drawn = chance.wander.fixed(2 * WAVES * dimension, count);
    const share = Math.sqrt(2 / (WAVES * dimension));
    return (animal) =>
      [0, 1, 2].map((a) => {
        let total = 0;
        for (let wave = 0; wave < WAVES && a < dimension; wave++) {
          const phase = drawn[wave * dimension + a][animal];
          const pace = drawn[(WAVES + wave) * dimension + a][animal];
          total += sine(2 * Math.PI * (rate * time * (0.5 + pace) + phase));
        }
        return total * share;
      });
  },
  avoid(view, { lead, clearance }) {
    return (animal) => {
      const [speed, heading] = [size(at(view.velocity, animal)), unit(at(view.velocity, animal))];
      const reach = speed * lead;
      const met = view.obstacles.length ? meet(view, at(view.position, animal), heading, reach, clearance) : null;
      if (met === null) return ZERO;
      let side = plus(met.outward, heading, -dot(met.outward, heading));
      if (!(size(side) > STRAIGHT)) {
        // Who flies straight at an obstacle may choose its side: all choose the one nearest to an axis.
        const sizes = heading.slice(0, view.dimension).map(Math.abs);
        const axis = sizes.indexOf(Math.min(...sizes));
        side = heading.map((along, a) => (a === axis ? 1 : 0) - along * heading[axis]);
      }
      return times(unit(side), 1 - met.way / reach);
    };
  },
  follow_path(view, rule) {
    const path = polyline(rule, view);
    const whole = path.until[path.until.length - 1];
    return (animal) => {
      const [place, flight] = [at(view.position, animal), at(view.velocity, animal)];
      const { leg, along, distance } = nearestLeg(path, plus(place, flight, rule.lead), view);
      if (distance < rule.radius && dot(flight, path.direction[leg]) > 0) return ZERO;
      const wanted = along + rule.radius;
      const within = rule.closed && whole ? mod(wanted, whole) : Math.min(wanted, whole);
      const next = clip(path.until.filter((one) => one <= within).length - 1, 0, path.direction.length - 1);
      return view.world.offset(place, plus(path.corner[next], path.direction[next], within - path.until[next]));
    };
  },
  path(view, rule) {
    return (animal) => current(rule, view.time, animal, view.dimension);
  },
  zones(view, { blind_angle, repulsion, orientation, attraction, balance }) {
    const velocity = joined(Array.from({ length: view.count }, (_, i) => unit(at(view.velocity, i))));
    const headings = { position: view.position, velocity, count: view.count };
    const [seen, middle] = [360 - blind_angle, repulsion + orientation];
    const requests = [
      request(repulsion, "constant"),
      request(middle, "velocity", seen),
      request(middle, "constant", seen),
      request(middle + attraction, "constant", seen),
    ];
    const look = lookup(headings, [headings], requests, view.world);
    return (animal) => {
      const [close, along, shell, all] = look(animal);
      if (close.count > 0) return unit(times(close.total, -1));
      const toward = plus(all.total, shell.total, -1);
      return unit(balance === "zones" ? plus(unit(along.total), unit(toward)) : plus(along.total, toward));
    };
  },
};

/** A direction turned toward another by an angle. @param {Vec} heading @param {Vec} aside @param {number} angle */
function turned(heading, aside, angle) {
  const across = unit(plus(aside, heading, -dot(aside, heading)));
  return plus(times(heading, cosine(angle)), across, sine(angle));
}

/** Forms of their own that rules have besides Reynolds'. @type {{[name: string]: Rule}} */
export const DIRECT = {
  zones(view, rule) {
    const { velocity, count, dimension, chance, dt } = view;
    const wanted = RULES.zones(view, rule);
    const angles = Array.from({ length: count }, () => chance.zones.normal() * radians(rule.error));
    const aside = directions(chance.zones, count, dimension);
    const largest = radians(Math.min(180, rule.turning_rate * dt));
    const farthest = cosine(largest);
    return (animal) => {
      const [flight, desired] = [at(velocity, animal), wanted(animal)];
      const heading = unit(flight);
      const next = turned(size(desired) > 0 ? desired : heading, aside[animal], angles[animal]);
      const reached = dot(next, heading) >= farthest ? next : turned(heading, next, largest);
      return plus(times(reached, size(flight)), flight, -1);
    };
  },
};

for (const [name, placesOf] of Object.entries(ARRIVING)) {
  RULES[name] = (view, rule) => {
    const places = placesOf(view, rule);
    return (animal) => places(animal).offset;
  };
  DIRECT[name] = (view, rule) => {
    const places = placesOf(view, rule);
    const { max_speed: speed, max_force: force } = view.table;
    return (animal) => {
      const { offset, velocity } = places(animal);
      const approach = scaled(offset, speed * Math.min(size(offset) / rule.slowing, 1));
      const wanted = limited(plus(velocity, approach), speed);
      return limited(plus(wanted, at(view.velocity, animal), -1), rule.max_force ?? force);
    };
  };
}
