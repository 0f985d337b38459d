// Plays a page of many boids: takes {document, look, seeks, action}; seeks frames, does the action [frame, key, value] and seeks
// them again. Answers with the states that were seen, as base64 of float64, those of the run before in the last frame, and the
// most bytes that were kept.
import { inflated } from "../../boidsgen/webpage/kernel.js";
import { Player } from "../../boidsgen/webpage/player.js";
import { Simulation } from "../../boidsgen/webpage/simulation.js";
import { answer, encoded, kernel } from "./engine.mjs";

/** @param {import("../../boidsgen/webpage/player.js").Frame} frame */
const places = ({ groups: [{ position }] }) => encoded(position);

answer(async ({ document, look, seeks, action }) => {
  const [own, past, told] = [await kernel(), await kernel(), await inflated(document.program, "deflate")];
  const begin = (seed, beside = false) => new Simulation(document, beside ? past : own, told, seed);
  const player = new Player(look, document.frames, true, begin);
  let bytes = 0;
  player.listeners.push(() => {
    const kept = new Set([...player.history, ...player.before].flatMap(({ groups }) => groups));
    const size = [...kept].reduce(
      (sum, { position, velocity }) => sum + position.byteLength + velocity.byteLength,
      0,
    );
    bytes = Math.max(bytes, size);
  });
  const seen = () =>
    seeks.map((frame) => {
      player.seek(frame);
      return player.leading.map(places).concat(player.frame).slice(-3);
    });
  const first = seen();
  player.seek(action[0]);
  player.set(action[1], action[2]);
  const second = seen();
  player.goOn();
  return { first, second, before: places(player.before[player.frame]), bytes };
});
