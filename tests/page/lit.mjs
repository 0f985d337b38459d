// Draws pictures of lit themes: takes jobs {document, look, shown}, and answers with the pixels of the frames shown,
// four bytes each, as base64.
import { inflated } from "../../boidsgen/webpage/kernel.js";
import { Measures } from "../../boidsgen/webpage/measures.js";
import { answer, begun, kernel } from "./engine.mjs";

// What a drawing keeps on a page.
Object.assign(globalThis, { Image: class {}, document: { createElement: () => ({}) } });
const { tracker } = await import("../../boidsgen/webpage/camera.js");
const { Drawing } = await import("../../boidsgen/webpage/drawing.js");
const { Lit } = await import("../../boidsgen/webpage/lit.js");

answer(async ({ document, look, shown }) => {
  const [simulation, follow] = [await begun(document), tracker(look)];
  const drawing = new Drawing(look, new Measures(await kernel(), look.world.periods, {}));
  const lit = new Lit(await kernel(), look.lit, await inflated(look.lit.planes, "deflate"));
  const [frames, pictures] = [[], []];
  while (pictures.length < shown.length) {
    if (frames.length) simulation.step();
    const { frame: number, groups, obstacles, tables } = simulation;
    frames.push({ number, groups, obstacles, tables, attractors: [], box: follow(groups) });
    drawing.aim(number, frames[number].box);
    if (shown.includes(number)) pictures.push(Buffer.from(lit.paint(drawing, frames)).toString("base64"));
  }
  return pictures;
});
