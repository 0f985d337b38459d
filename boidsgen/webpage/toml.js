/**
 * What was done on a page as a scenario: its own text, and an event for each frame at which something was
 * set.
 */

/** @import { Action } from "./types.js" */
/**
 * @typedef {object} ScenarioText  What `writer.py` writes of the scenario, without seed, time and events.
 * @property {string} keys @property {{[key: string]: number}} time @property {string} tables
 * @property {string[]} events @property {{[table: string]: string}} spare tables that are there for clicks
 */

/** A value as TOML. @param {any} value @returns {string} */
function written(value) {
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (value === Number.POSITIVE_INFINITY) return "inf";
  if (typeof value === "object")
    return `{ ${pairsOf(Object.entries(value).filter(([, part]) => part !== null))} }`;
  return String(value).replace(/^(-?\d)e/, "$1.0e");
}

/** Keys and values on one line. @param {[string, any][]} pairs @returns {string} */
const pairsOf = (pairs) => pairs.map(([key, value]) => `${written(key)} = ${written(value)}`).join(", ");

/** What was done, by frame. @param {Action[]} actions */
function eventsOf(actions) {
  /** @type {Map<number, Map<string, any>>} */
  const frames = new Map();
  for (const { frame, key, value } of actions) {
    const set = frames.get(frame) ?? new Map();
    set.delete(key);
    set.set(key, value);
    frames.set(frame, set);
  }
  return [...frames].map(([frame, set]) => `[[events]]\nat = ${frame}\nset = { ${pairsOf([...set])} }\n`);
}

/**
 * The complete scenario.
 *
 * @param {ScenarioText} text @param {string} seed in digits @param {Action[]} actions
 * @param {number} frames seen, which the film is to have at least
 * @param {{[table: string]: number} | null} spare numbers of the tables that are there for clicks
 * @param {{[key: string]: any} | null} session what else there is to say of it
 */
export function tomlOf(text, seed, actions, frames, spare, session = null) {
  const last = Math.max(0, ...actions.map(({ frame }) => frame));
  const time = { ...text.time, frames: Math.max(text.time.frames, frames, last + 1) };
  const clock = Object.entries(time).map(([key, value]) => `${key} = ${written(value)}\n`);
  const clicked = Object.entries(spare ?? {}).filter(([table, number]) =>
    actions.some(({ key }) => key.startsWith(`${table}.${number}.`)),
  );
  const parts = [`seed = ${seed}\n${text.keys}`, `[time]\n${clock.join("")}`, text.tables];
  const told = Object.entries(session ?? {}).map(([key, value]) => `${key} = ${written(value)}\n`);
  const page = told.length ? [`[page.session]\n${told.join("")}`] : [];
  return [
    ...parts,
    ...clicked.map(([table]) => text.spare[table]),
    ...page,
    ...text.events,
    ...eventsOf(actions),
  ]
    .filter(Boolean)
    .join("\n");
}
