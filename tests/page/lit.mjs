// Draws pictures of lit themes: reads jobs {document, look, radii, states, kinds} as JSON, one a line, from standard input; states are
// those of all frames so far, after the first, which the document has: position and velocity of each group as base64 of float64, kinds are names and kinds of groups.
// Writes for each the pixels of the last frame, four bytes each, as base64.
import { createInterface } from "node:readline";
import { inflated } from "../../boidsgen/webpage/kernel.js";
import { begun, kernel } from "./engine.mjs";

// What a drawing keeps on a page.
Object.assign(globalThis, { Image: class {}, document: { createElement: () => ({}) } });
const { Tracker } = await import("../../boidsgen/webpage/camera.js");
const { Drawing } = await import("../../boidsgen/webpage/drawing.js");
const { Lit } = await import("../../boidsgen/webpage/lit.js");

/** @param {string} text */
function numbers(text) {
  const bytes = Buffer.from(text, "base64");
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

async function painted({ document, look, radii, states, kinds }) {
  const dimension = look.world.size.length;
  const tracker = new Tracker(look);
  const { obstacles } = document.tables;
  const later = states.map((groups, k) => ({
    number: k + 1,
    obstacles,
    attractors: [],
    groups: groups.map(([here, flight], number) => {
      const [position, velocity] = [numbers(here), numbers(flight)];
      return { ...kinds[number], position, velocity, dimension, count: position.length / dimension };
    }),
  }));
  const frames = [{ number: 0, obstacles, attractors: [], groups: (await begun(document)).groups }, ...later];
  for (const each of frames) each.box = tracker.note(each.groups);
  const drawing = new Drawing(look, radii);
  const lit = new Lit(await kernel(), look.lit, await inflated(look.lit.planes, "deflate"));
  drawing.aim(frames.length - 1, frames[frames.length - 1].box);
  return Buffer.from(lit.paint(drawing, frames)).toString("base64");
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await painted(JSON.parse(line)))}\n`);
}
