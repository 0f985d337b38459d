/** The tables of a scenario as its events leave them, frame by frame, as in setup.py. */

/** @import { Tables, Table, EventDocument } from "./types.js" */

/** The value of a dotted key. @param {any} tables @param {string} key */
export function valueAt(tables, key) {
  return key.split(".").reduce((table, part) => table?.[part], tables);
}

/** The nearest whole number, of two the even one. @param {number} value */
function rint(value) {
  const low = Math.floor(value);
  return value - low < 0.5 || (value - low === 0.5 && low % 2 === 0) ? low : low + 1;
}

/**
 * The table that holds a dotted key, the last part of the key, and the key with the number of its table,
 * which the only table of an array does not need.
 * @param {Tables} tables
 * @param {string} key
 * @returns {[Table, string, string]}
 */
export function held(tables, key) {
  const [name, ...rest] = key.split(".");
  const arrays = /** @type {{[name: string]: Table[]}} */ (/** @type {unknown} */ (tables));
  const array = Object.hasOwn(arrays, name) ? arrays[name] : [];
  const number = /^\d+$/.test(rest[0]) ? Number(rest.shift()) : array.length === 1 ? 0 : -1;
  const last = rest.pop() ?? "";
  let table = array[number];
  for (const part of rest) table = Object.hasOwn(table ?? {}, part) ? table[part] : null;
  if (!Object.hasOwn(table ?? {}, last)) throw new RangeError(`there is no key ${key}`);
  return [table, last, [name, number, ...rest, last].join(".")];
}

/** @param {any} old @param {any} now @param {number} progress @param {boolean} whole @returns {any} */
function between(old, now, progress, whole) {
  if (Array.isArray(now)) return now.map((part, number) => between(old[number], part, progress, whole));
  const value = old + (now - old) * progress;
  return whole ? rint(value) : value;
}

/** @param {EventDocument} event @param {number} frame */
const progressOf = ({ at, over }, frame) => (frame >= at + over ? 1 : (frame - at) / over);

/**
 * A function that gives the tables at a frame; the same object as long as nothing changes.
 *
 * @param {Tables} first
 * @param {EventDocument[]} events in the order of their frames
 * @returns {(frame: number) => Tables}
 */
export function timeline(first, events) {
  let [tables, known] = [first, ""];
  return (frame) => {
    const begun = events.filter(({ at }) => at <= frame);
    const progress = begun.map((event) => progressOf(event, frame)).join(" ");
    if (progress === known) return tables;
    known = progress;
    tables = structuredClone(first);
    for (const event of begun) {
      const part = progressOf(event, frame);
      for (const [key, value] of Object.entries(event.set)) {
        const [table, last] = held(tables, key);
        table[last] = part === 1 ? value : between(table[last], value, part, event.whole.includes(key));
      }
    }
    return tables;
  };
}
