// Steps documents: reads jobs {document, seed, frames, actions: [[frame, key, value], …], asked: [group, index], back}, one
// a line, as JSON from standard input. Writes for each a line with its states, frame by frame and group by group, as base64
// of float64; the actions that it tells; what the animal perceives that was asked about; and whether frames from `back` on
// repeat after going back there.
import { createInterface } from "node:readline";
import { begun } from "./engine.mjs";

/** @param {Float64Array} numbers */
const encoded = (numbers) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");

const states = (simulation) =>
  simulation.groups.map(({ position, velocity }) => [encoded(position), encoded(velocity)]);

function look(simulation, [group, index]) {
  return { neighbors: simulation.neighbors(group, index), contributions: simulation.contributions(group, index) };
}

async function run({ document, seed = 0, frames, actions = [], asked = null, back = 0 }) {
  const simulation = await begun(document, seed);
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

for await (const line of createInterface({ input: process.stdin })) {
  const result = await run(JSON.parse(line)).catch((error) => ({ error: error.stack }));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
