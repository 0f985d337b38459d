// The engine of pages, without a browser.
import { readFileSync } from "node:fs";
import { inflated, Kernel } from "../../boidsgen/webpage/kernel.js";
import { Simulation } from "../../boidsgen/webpage/simulation.js";

const packed = new URL("../../boidsgen/webpage/kernel.wasm.gz", import.meta.url);
const build = await WebAssembly.compile(await inflated(readFileSync(packed).toString("base64")));

export const kernel = () => Kernel.of(build);

export async function begun(document, seed = 0) {
  return new Simulation(document, await kernel(), await inflated(document.program, "deflate"), seed);
}
