/**
 * Links: what was done on a page, in the fragment of its address, and the same done again.
 *
 * A fragment is `VERSION.SCENARIO.DATA`: SCENARIO is the digest of what the page simulates, DATA the JSON
 * `[seed, frame, [[frame, key, value], …], predictions, claim]`, deflated, in base64url, with "inf" for
 * infinity. The claim is a digest of the positions in the frame, or empty where a browser computes none. A
 * fragment may come from anybody.
 */

import { inflated } from "./kernel.js";
import { valueAt } from "./timeline.js";

/** @import { Player } from "./player.js" */
/**
 * @typedef {[number, number, [number, string, any][], {[step: string]: string | number}, string]} Said What
 *   DATA says.
 */

const VERSION = "1";
const ALTERED = "it is cut off or altered";
// At most so many letters of a fragment and of a text in it, events, texts of predictions, animals that one
// brings, milliseconds.
const [LETTERS, SHORT, EVENTS, TEXTS, ANIMALS, PATIENCE] = [10_000, 200, 1000, 100, 10_000, 20_000];
const KEY = /^(flock|predators|obstacles|attractors|fields)\.\d{1,9}(\.[a-z_]{1,50}){1,5}$/;

/** Digest of the positions in the frame that is shown. @param {Player} player */
async function claimOf(player) {
  if (!globalThis.crypto?.subtle) return "";
  const places = Float64Array.from(player.shown.groups.flatMap(({ position }) => [...position]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", places), 0, 6);
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The fragment for what was done. @param {Player} player @param {string} scenario its digest */
export async function fragmentOf(player, scenario) {
  const actions = player.actions.map(({ frame, key, value }) => [frame, key, value]);
  const said = [player.seed, player.frame, actions, player.predictions, await claimOf(player)];
  const text = JSON.stringify(said, (_, value) => (value === Infinity ? "inf" : value));
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  if (actions.length > EVENTS || bytes.length > LETTERS / 2)
    throw new RangeError("the session is too long for a link; download the TOML");
  const letters = btoa(String.fromCharCode(...bytes));
  return [VERSION, scenario, letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")].join(".");
}

/** Kinds of the parts of a value. @param {any} value @returns {string} */
const shape = (value) =>
  Array.isArray(value) ? `[${value.map(shape)}]` : value === null ? "null" : typeof value;

/** @param {any} value @param {number} least @param {number} most */
const isWhole = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;

/** @param {any} value @param {any} old @param {string} key */
function fits(value, old, key) {
  if (key.endsWith(".count")) return isWhole(value, 0, Math.max(ANIMALS, 3 * old));
  const given = shape(value);
  return old === null ? /^(number|\[number(,number)*\])$/.test(given) : given === shape(old);
}

/**
 * What DATA says, or null.
 * @param {Uint8Array} bytes
 * @param {Player} player
 * @param {number} seeds
 * @returns {Said | null}
 */
function readFrom(bytes, player, seeds) {
  const said = JSON.parse(new TextDecoder().decode(bytes), (_, value) =>
    value === "inf" ? Infinity : value,
  );
  const [seed, frame, actions, predictions, claim] = said;
  const last = player.most - 1;
  const whole = isWhole(seed, 0, seeds - 1) && isWhole(frame, 0, last) && /^([0-9a-f]{12})?$/.test(claim);
  const known = actions.every((/** @type {any} */ [at, key, value], /** @type {number} */ number) => {
    const ordered = isWhole(at, number ? actions[number - 1][0] : 1, last);
    return ordered && KEY.test(key) && fits(value, valueAt(player.history[0].tables, key), key);
  });
  const told = Object.entries(predictions).flat();
  const brief = told.every((one) => ["string", "number"].includes(typeof one) && `${one}`.length <= SHORT);
  const few = actions.length <= EVENTS && told.length <= TEXTS && shape(predictions) === "object";
  return whole && known && brief && few ? said : null;
}

/**
 * Does again what a fragment says, or throws and begins anew.
 * @param {string} fragment
 * @param {Player} player
 * @param {string} scenario digest of the page's
 * @param {number} seeds
 */
export async function repeat(fragment, player, scenario, seeds) {
  const [version, whose, letters] = fragment.split(".");
  if (fragment.length > LETTERS) throw new RangeError("it is too long");
  if (!letters) throw new RangeError(ALTERED);
  if (version !== VERSION) throw new RangeError("it was made by another version of boidsgen");
  if (whose !== scenario) throw new RangeError("it belongs to another scenario");
  const packed = letters.replaceAll("-", "+").replaceAll("_", "/");
  const said = await inflated(packed, "deflate-raw")
    .then((bytes) => readFrom(bytes, player, seeds))
    .catch(() => null);
  if (!said) throw new RangeError(ALTERED);
  const [seed, frame, actions, predictions, claim] = said;
  const end = performance.now() + PATIENCE;
  /** @param {number} to */
  const reach = (to) => {
    while (player.frame < to) {
      player.seek(player.frame + 1);
      if (player.error || performance.now() > end) throw new RangeError(player.error || "it takes too long");
    }
  };
  try {
    player.playing = false;
    player.restart(seed);
    for (const [at, key, value] of actions) {
      reach(at);
      player.set(key, value);
    }
    reach(frame);
    player.seek(frame);
    const found = await claimOf(player);
    if (claim && found && found !== claim) throw new RangeError(ALTERED);
  } catch (error) {
    player.restart(0);
    throw error;
  }
  player.predictions = predictions;
}
