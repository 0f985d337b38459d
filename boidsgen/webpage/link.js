/**
 * Links: what was done on a page, in the fragment of its address, and the same done again.
 *
 * A fragment is `VERSION.SCENARIO.DATA`: SCENARIO is the digest of what the page simulates, DATA the JSON
 * `[seed, frame, [[frame, key, value], …], claim, steps]`, deflated, in base64url, with "inf" for infinity.
 * The claim is a digest of the positions in the frame, or empty where a browser computes none. A step of the
 * lesson is `[first guess, last guess, shown]`, with guesses from 1; if it was reached `[…, frame]`, and if
 * that was in another run `[…, frame, seed, actions]`. A fragment may come from anybody.
 */

import { inflated } from "./kernel.js";
import { UNTRIED } from "./player.js";
import { valueAt } from "./timeline.js";
import { phrase } from "./words.js";

/** @import { Player } from "./player.js" */
/** @import { Action } from "./types.js" */
/** @typedef {[number, string, any]} Change  Frame, key and value. */
/** @typedef {[number, number, number, number?, number?, Change[]?]} StepCode */
/** @typedef {[number, number, Change[], string, StepCode[]]} Said  What DATA says. */

const VERSION = "2";
const ALTERED = "it is cut off or altered";
// At most so many letters of a fragment, events, animals that one brings, milliseconds.
const [LETTERS, EVENTS, ANIMALS, PATIENCE] = [10_000, 1000, 10_000, 20_000];
const KEY = /^(flock|predators|obstacles|attractors|fields)\.\d{1,9}(\.[a-z_]{1,50}){1,5}$/;

/** Digest of the positions in the frame that is shown. @param {Player} player */
async function claimOf(player) {
  if (!globalThis.crypto?.subtle) return "";
  const places = Float64Array.from(player.shown.groups.flatMap(({ position }) => [...position]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", places), 0, 6);
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {any} value */
const jsonOf = (value) => JSON.stringify(value, (_, one) => (one === Infinity ? "inf" : one));

/** @param {Action[]} actions @returns {Change[]} */
const changesOf = (actions) => actions.map(({ frame, key, value }) => [frame, key, value]);

/** The fragment for what was done. @param {Player} player @param {string} scenario its digest */
export async function fragmentOf(player, scenario) {
  const steps = player.attempts.map(({ first, last, shown, proof }) => {
    if (!proof) return [first, last, +shown];
    const { seed, frame, actions } = proof;
    const here = [player.seed, player.actions.filter((action) => action.frame <= frame)];
    const other = jsonOf(here) === jsonOf([seed, actions]) ? [] : [seed, changesOf(actions)];
    return [first, last, +shown, frame, ...other];
  });
  const text = jsonOf([player.seed, player.frame, changesOf(player.actions), await claimOf(player), steps]);
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  if (player.actions.length > EVENTS || bytes.length > LETTERS / 2)
    throw new RangeError(phrase("the session is too long for a link; download the TOML"));
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
  /** @type {Said} */
  const said = JSON.parse(new TextDecoder().decode(bytes), (_, value) =>
    value === "inf" ? Infinity : value,
  );
  const [seed, frame, changes, claim, steps] = said;
  const last = player.most - 1;
  /** @param {number} seed @param {Change[]} changes */
  const isRun = (seed, changes) =>
    isWhole(seed, 0, seeds - 1) &&
    changes.length <= EVENTS &&
    changes.every(([at, key, value], number) => {
      const ordered = isWhole(at, number ? changes[number - 1][0] : 1, last);
      return ordered && KEY.test(key) && fits(value, valueAt(player.history[0].tables, key), key);
    });
  const known = steps.every(([first, latest, shown, at = 0, begun = seed, all = []], number) => {
    const most = player.attempts[number].choices.length;
    const guessed = isWhole(first, 0, most) && isWhole(latest, 0, most) && isWhole(shown, 0, 1);
    const complete = steps[number].length !== 5;
    return guessed && complete && isWhole(at, 0, last) && isRun(begun, all);
  });
  const whole = isWhole(frame, 0, last) && /^([0-9a-f]{12})?$/.test(claim);
  return whole && known && isRun(seed, changes) ? said : null;
}

/** Forgets what was done in steps. @param {Player} player */
function forget(player) {
  for (const one of player.attempts) Object.assign(one, UNTRIED);
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
  if (fragment.length > LETTERS) throw new RangeError(phrase("it is too long"));
  if (!letters) throw new RangeError(phrase(ALTERED));
  if (version !== VERSION) throw new RangeError(phrase("it was made by another version of boidsgen"));
  if (whose !== scenario) throw new RangeError(phrase("it belongs to another scenario"));
  const packed = letters.replaceAll("-", "+").replaceAll("_", "/");
  const said = await inflated(packed, "deflate-raw")
    .then((bytes) => readFrom(bytes, player, seeds))
    .catch(() => null);
  if (!said) throw new RangeError(phrase(ALTERED));
  const [seed, frame, changes, claim, steps] = said;
  const end = performance.now() + PATIENCE;
  /** @param {number} to */
  const reach = (to) => {
    while (player.frame < to) {
      player.seek(player.frame + 1);
      if (player.error || performance.now() > end)
        throw new RangeError(player.error || phrase("it takes too long"));
    }
  };
  try {
    player.playing = false;
    player.restart(seed);
    forget(player);
    for (const [at, key, value] of changes) {
      reach(at);
      player.set(key, value);
    }
    reach(frame);
    player.seek(frame);
    const found = await claimOf(player);
    if (claim && found && found !== claim) throw new RangeError(phrase(ALTERED));
  } catch (error) {
    player.restart(0);
    forget(player);
    throw error;
  }
  steps.forEach(([first, last, shown, reached, begun = seed, all = changes], number) => {
    const attempt = Object.assign(player.attempts[number], { first, last, shown: shown === 1 });
    if (reached === undefined) return;
    const actions = all.filter(([at]) => at <= reached).map(([frame, key, value]) => ({ frame, key, value }));
    attempt.proof ??= { seed: begun, frame: reached, actions };
  });
  player.changed();
}
