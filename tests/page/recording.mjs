// Reads recordings: takes jobs {recording, places, world, document}. Answers with positions and velocities of the first group, frame by frame, as
// base64 of float64.
import { inflated } from "../../boidsgen/webpage/kernel.js";
import { integrated, Recording } from "../../boidsgen/webpage/recording.js";
import { answer, encoded } from "./engine.mjs";

answer(async ({ recording, places, world, document }) => {
  const rows = Math.ceil(recording.frames / recording.every);
  const shown = new Recording(
    recording,
    integrated(await inflated(places, "deflate"), rows),
    world,
    document,
  );
  const frames = [];
  for (; shown.frame < recording.frames; shown.step()) {
    const { position, velocity } = shown.groups[0];
    frames.push([encoded(position), encoded(velocity)]);
  }
  return frames;
});
