// Acts on a page without a browser: reads {page, actions: [[frame, key, value], …], seed, frames} as JSON from standard
// input, and writes the states of all groups, frame by frame, and the scenario that the page would export.
import { readFileSync } from "node:fs";
import { tomlOf } from "../../boidsgen/webpage/toml.js";
import { begun } from "./engine.mjs";

const job = JSON.parse(readFileSync(0, "utf8"));
const data = JSON.parse(/<script id="page"[^>]*>(.*?)<\/script>/s.exec(job.page)[1]);
const simulation = await begun(data.document, job.seed);
const states = [];
for (let frame = 0; frame < job.frames; frame++) {
  if (frame > 0) simulation.step();
  for (const [at, key, value] of job.actions) if (at === frame) simulation.set(key, value);
  states.push(simulation.groups.map(({ position, velocity }) => [[...position], [...velocity]]));
}
const toml = tomlOf(data.text, data.document.starts[job.seed].seed, simulation.actions, job.frames, data.spare);
process.stdout.write(JSON.stringify({ states, toml }));
