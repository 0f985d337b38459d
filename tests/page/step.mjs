// Steps documents: reads jobs {document, seed, frames, actions: [[frame, key, value], …], look} as JSON from standard input
// and writes for each its states, frame by frame and group by group, as base64 of float64, and the actions it tells.
import { readFileSync } from "node:fs";
import { Simulation } from "../../boidsgen/page/simulation.js";

/** @param {Float64Array} numbers */
const encoded = (numbers) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");

const states = (simulation) =>
  simulation.groups.map(({ position, velocity }) => [encoded(position), encoded(velocity)]);

function look(simulation, [group, index]) {
  return { neighbors: simulation.neighbors(group, index), contributions: simulation.contributions(group, index) };
}

function run({ document, seed = 0, frames, actions = [], asked = null, back = 0 }) {
  const simulation = new Simulation(document, seed);
  const seen = [];
  const looks = [];
  let kept = simulation.snapshot();
  for (let frame = 0; frame < frames; frame++) {
    if (frame > 0) simulation.step();
    if (frame === back) kept = simulation.snapshot();
    for (const [at, key, value] of actions) if (at === frame) simulation.set(key, value);
    seen.push(states(simulation));
    if (asked) looks.push(look(simulation, asked));
  }
  simulation.restore(kept);
  const again = [states(simulation)];
  for (let frame = back + 1; frame < frames; frame++) {
    simulation.step();
    again.push(states(simulation));
  }
  const repeated = JSON.stringify(again) === JSON.stringify(seen.slice(back));
  return { states: seen, actions: simulation.actions, looks, repeated };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(run)));
