// The engine of pages, without a browser, and programs that answer to each line of JSON with another one.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { inflated, Kernel } from "../../boidsgen/webpage/kernel.js";
import { Simulation } from "../../boidsgen/webpage/simulation.js";

const packed = new URL("../../boidsgen/webpage/kernel.wasm.gz", import.meta.url);
const build = await WebAssembly.compile(await inflated(readFileSync(packed).toString("base64")));

export const kernel = () => Kernel.of(build);

/** An array as base64. @param {Float64Array} numbers */
export const encoded = (numbers) =>
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");

export async function begun(document, seed = 0) {
  return new Simulation(document, await kernel(), await inflated(document.program, "deflate"), seed);
}

export async function answer(work) {
  for await (const line of createInterface({ input: process.stdin })) {
    const found = await (async () => work(JSON.parse(line)))().catch((error) => ({ error: error.stack }));
    process.stdout.write(`${JSON.stringify(found)}\n`);
  }
}
