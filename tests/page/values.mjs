// Measures states: reads {states, radii, space, names} as JSON from standard input, writes the values by name of each.
import { readFileSync } from "node:fs";
import { measure, measureWith } from "../../boidsgen/webpage/measures.js";
import { kernel } from "./engine.mjs";

measureWith(await kernel());

const { states, radii, space, names } = JSON.parse(readFileSync(0, "utf8"));
const values = states.map((flocks) => {
  const groups = flocks.map((flock) => ({
    ...flock,
    position: Float64Array.from(flock.position),
    velocity: Float64Array.from(flock.velocity),
  }));
  return Object.fromEntries(names.map((name) => [name, measure(name, groups, radii, space)]));
});
process.stdout.write(JSON.stringify(values));
