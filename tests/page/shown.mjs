// Shows sessions: takes jobs {data, actions: [[frame, key, value], …], shown}, and answers with what the page of this data then shows
// in these frames: measures as numbers and as they are read, all that it writes into the picture, and the number of the color
// of every boid; and with the scenario that the page would export.
import { tracker } from "../../boidsgen/webpage/camera.js";
import { Measures } from "../../boidsgen/webpage/measures.js";
import { tomlOf } from "../../boidsgen/webpage/toml.js";
import { answer, begun, kernel } from "./engine.mjs";

// What a drawing keeps on a page.
Object.assign(globalThis, { Image: class {}, document: { createElement: () => ({}) } });
const { Drawing } = await import("../../boidsgen/webpage/drawing.js");
const nothing = () => {};

/** What is written into a picture. */
function written(drawing, frame) {
  const lines = [];
  const drawn = { beginPath: nothing, rect: nothing, fill: nothing, strokeText: nothing };
  drawing.drawWords(
    { ...drawn, fillText: (line) => lines.push(line), measureText: () => ({ width: 0 }) },
    frame,
  );
  return lines;
}

answer(async ({ data: { document, look, units, text, spare }, actions, shown }) => {
  const [simulation, follow] = [await begun(document), tracker(look)];
  const measures = new Measures(await kernel(), look.world.periods, units);
  const drawing = new Drawing(look, measures);
  const found = [];
  for (let number = 0; number <= Math.max(...shown); number++) {
    if (number > 0) simulation.step();
    for (const [at, key, value] of actions) {
      if (at !== number) continue;
      try {
        simulation.set(key, value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error; // that a page would show
      }
    }
    const { groups, time, tables, obstacles } = simulation;
    const frame = { number, time, groups, tables, obstacles, measures: new Map() };
    const box = look.cameras.some((camera) => camera.follows) ? follow(groups) : null;
    if (!shown.includes(number)) continue;
    drawing.aim(number, box);
    const values = Object.fromEntries(measures.names.map((name) => [name, measures.value(frame, name)]));
    found.push({
      ...{ values, read: measures.names.map((name) => measures.reading(name, values[name])) },
      words: written(drawing, frame),
      colors: groups.flatMap((group, number) =>
        group.kind === "flock" ? [drawing.colors(group, number, frame)] : [],
      ),
    });
  }
  return {
    shown: found,
    toml: tomlOf(text, document.starts[0].seed, simulation.actions, Math.max(...shown) + 1, spare),
  };
});
