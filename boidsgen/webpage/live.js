/**
 * The page around the page of a scenario that is being edited: asks the server what has changed, and shows
 * it.
 */

import { begin } from "./outer.js";
import { phrase } from "./words.js";

/**
 * @typedef {object} Page  What a page offers to those around it.
 * @property {number} frame @property {boolean} playing @property {() => void} play
 * @property {(key: string, value: any) => void} set @property {(key: string) => any} get
 * @property {() => Promise<string>} link @property {() => {[key: string]: any}} moved
 */
/**
 * @typedef {object} Said What the server says.
 * @property {number} look
 * @property {string} error
 * @property {number} version
 * @property {{[key: string]: any} | null} [moved] keys that differ, if nothing else does
 * @property {boolean} [same] true if the same happens, whatever it looks like
 */

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("page"));
const error = /** @type {HTMLElement} */ (document.getElementById("error"));
const state = /** @type {HTMLElement} */ (document.getElementById("state"));
const write = /** @type {HTMLButtonElement} */ (document.getElementById("write"));
const name = document.getElementById("name")?.textContent ?? "";
// Milliseconds between two looks whether a page is there, and two questions to a server that is not.
const [READY, AGAIN] = [50, 1000];
/** @param {number} time */
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
/** The page, once it is ready. @returns {Page | undefined} */
const page = () => /** @type {any} */ (frame.contentWindow).boidsgen;
let [look, shown, refused] = [-1, -1, ""];

/** Moves keys of the page; false if it cannot. @param {{[key: string]: any}} moved */
function move(moved) {
  const there = page();
  try {
    for (const [key, value] of Object.entries(moved)) {
      if (there && JSON.stringify(there.get(key)) !== JSON.stringify(value)) there.set(key, value);
    }
    return Boolean(there);
  } catch {
    return false;
  }
}

/** Shows the page of a version, where the one before was if the same happens in it. @param {Said} said */
async function load({ version, same }) {
  const before = page();
  const answer = await fetch(`page?version=${version}`);
  if (!answer.ok) {
    error.textContent = await answer.text();
    return;
  }
  const playing = before?.playing;
  const fragment = same && before?.frame ? new URL(await before.link()).hash : "";
  frame.src = `page?version=${version}${fragment}`;
  while (!page() || page() === before) await pause(READY);
  if (fragment && playing) page()?.play();
}

/** Asks for changes, and shows them, for as long as there is a server. */
async function follow() {
  for (;;) {
    try {
      const answer = await fetch(`changes?look=${look}&shown=${shown}`);
      if (!answer.ok) throw new RangeError(answer.statusText);
      /** @type {Said} */
      const said = await answer.json();
      look = said.look;
      error.textContent = said.error || refused;
      if (said.version !== shown && !(said.moved && move(said.moved))) await load(said);
      shown = said.version;
      state.textContent = phrase(said.error ? "has an error; this is its last valid version" : "as saved");
    } catch {
      error.textContent = phrase(
        "boidsgen live has stopped. Start it again, and open the address that it prints.",
      );
      await pause(AGAIN);
    }
  }
}

begin();
frame.title = phrase("The page of {name}", { name });
write.textContent = phrase("Write slider values to {name}", { name });
write.addEventListener("click", async () => {
  const moved = page()?.moved() ?? {};
  const body = JSON.stringify(moved, (_, value) => (value === Number.POSITIVE_INFINITY ? "inf" : value));
  const answer = await fetch("write", { method: "POST", body });
  refused = await answer.text(); // which stays until the next attempt, whatever changes
  error.textContent = refused;
});
follow();
