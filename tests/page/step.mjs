// Steps documents: takes jobs {document, seed, frames, actions: [[frame, key, value], …], asked: [group, index], back, text, spare,
// units}. Answers with the states, frame by frame and group by group, as base64 of float64; what the animal perceives that was
// asked about; whether frames from `back` on repeat after going back there; measures of each frame, where there are units; and
// the scenario that the page would export, where it has a text.
import { Measures } from "../../boidsgen/webpage/measures.js";
import { tomlOf } from "../../boidsgen/webpage/toml.js";
import { answer, begun, encoded, kernel } from "./engine.mjs";

const states = (simulation) =>
  simulation.groups.map(({ position, velocity }) => [encoded(position), encoded(velocity)]);

function look(simulation, [group, index]) {
  return {
    neighbors: simulation.neighbors(group, index),
    contributions: simulation.contributions(group, index),
  };
}

answer(async ({ document, frames, seed = 0, actions = [], back = 0, asked, text, spare, units }) => {
  const simulation = await begun(document, seed);
  const measures = new Measures(await kernel(), document.world.periods, units ?? {});
  const [seen, looks, values] = [[], [], []];
  let kept = simulation.snapshot();
  for (let frame = 0; frame < frames; frame++) {
    if (frame > 0) simulation.step();
    if (frame === back) kept = simulation.snapshot();
    for (const [at, key, value] of actions) if (at === frame) simulation.set(key, value);
    const shown = { groups: simulation.groups, tables: simulation.tables, measures: new Map() };
    seen.push(states(simulation));
    if (asked) looks.push(look(simulation, asked));
    if (units)
      values.push(Object.fromEntries(measures.names.map((name) => [name, measures.value(shown, name)])));
  }
  simulation.restore(kept);
  const again = [states(simulation)];
  for (let frame = back + 1; frame < frames; frame++) {
    simulation.step();
    again.push(states(simulation));
  }
  const repeated = JSON.stringify(again) === JSON.stringify(seen.slice(back));
  const toml = text && tomlOf(text, document.starts[seed].seed, simulation.actions, frames, spare);
  return { states: seen, looks, repeated, values, toml };
});
