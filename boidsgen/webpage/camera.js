/** The camera: from the world into the picture, as in camera.py. */

/** @import { Aimed, Look } from "./drawing.js" */
/** @import { Group } from "./types.js" */
/** @typedef {{center: number[], size: number}} Box  Part of the world that is seen, of the world's shape. */

const MIN_DISTANCE = 0.05;
const OUTSIDE = 0.005;
const MARGIN = 1.1;
const MIN_SIZE = 0.1;
const ALPHA = 0.2;
const BETA = 2 * (2 - ALPHA) - 4 * Math.sqrt(1 - ALPHA);
const RADIANS = Math.PI / 180;

/**
 * A function that stays with the boids of one run, as `Tracker` in camera.py: goes on to where they are now.
 *
 * @param {Look} look @returns {(groups: Group[]) => Box}
 */
export function tracker({ world: { size: extent } }) {
  let now = [...extent.map((side) => side / 2), 0];
  /** @type {number[] | null} */
  let change = null;
  return (groups) => {
    const aim = aimed(
      groups.filter((group) => group.kind === "flock"),
      extent,
    );
    if (change) {
      const expected = now.map((value, k) => value + (change?.[k] ?? 0));
      const surprise = expected.map((value, k) => (aim ? aim[k] - value : 0));
      now = expected.map((value, k) => value + ALPHA * surprise[k]);
      change = change.map((value, k) => value + BETA * surprise[k]);
    } else if (aim) {
      now = aim;
      change = aim.map(() => 0);
    }
    return { center: now.slice(0, -1), size: Math.exp(now[extent.length]) };
  };
}

/**
 * Middle of some flocks, and the logarithm of their size.
 * @param {Group[]} flocks
 * @param {number[]} extent of the world
 * @returns {number[] | null}
 */
function aimed(flocks, extent) {
  if (flocks.every((flock) => flock.count === 0)) return null;
  const ends = extent.map((_, axis) => spread(flocks, axis));
  const sizes = ends.map(([low, high], axis) => (high - low) / extent[axis]);
  const size = Math.max(MARGIN * Math.max(...sizes), MIN_SIZE);
  return [...ends.map(([low, high]) => (low + high) / 2), Math.log(size)];
}

/** The percentiles between which most boids are. @param {Group[]} flocks @param {number} axis */
function spread(flocks, axis) {
  const all = new Float64Array(flocks.reduce((sum, { count }) => sum + count, 0));
  let next = 0;
  for (const { position, dimension } of flocks)
    for (let at = axis; at < position.length; at += dimension) all[next++] = position[at];
  all.sort();
  return [OUTSIDE, 1 - OUTSIDE].map((part) => {
    const place = part * (all.length - 1);
    const low = Math.floor(place);
    return all[low] + (place - low) * (all[Math.min(low + 1, all.length - 1)] - all[low]);
  });
}

/** A coordinate with as many digits as one can point at. @param {number} value */
const tidy = (value) => Number(value.toPrecision(5));

/** The view of one frame. */
export class Projection {
  /**
   * @param {Aimed} camera
   * @param {number} frame
   * @param {Box | null} box
   * @param {{turn: number, tilt: number, zoom: number}} own by how much the user has turned it, in degrees,
   *   and brought it nearer.
   */
  constructor(camera, frame, box, own) {
    const part = box ? box.size : 1;
    this.part = part;
    this.center = box ? box.center : camera.center;
    this.flat = this.center.length === 2;
    this.origin = camera.origin;
    this.scale = (camera.scale / part) * own.zoom;
    this.distance = camera.distance === null ? Number.POSITIVE_INFINITY : camera.distance * part;
    this.reach = camera.reach * part;
    this.period = box ? [0, 0] : camera.period;
    this.window = camera.window;
    /** Degrees by which it has turned since the first frame. */
    this.turned = camera.orbit * frame + own.turn;
    const turn = (camera.azimuth + this.turned) * RADIANS;
    const tilt = Math.max(-90, Math.min(90, camera.elevation + own.tilt)) * RADIANS;
    const [aside, ahead, low, high] = [Math.sin(turn), Math.cos(turn), Math.cos(tilt), Math.sin(tilt)];
    this.right = this.flat ? [1, 0] : [-aside, ahead, 0];
    this.toward = [low * ahead, low * aside, high];
    this.up = this.flat ? [0, 1] : [-high * ahead, -high * aside, low];
    /**
     * What `see` has found: place in the picture, pixels per unit there, depth from 0 to 1, and if it is in
     * front.
     */
    this.x = 0;
    this.y = 0;
    this.here = this.scale;
    this.depth = 0;
    this.shown = true;
  }

  /** Projects a point. @param {number} x @param {number} y @param {number} z */
  see(x, y, z) {
    const [a, b] = [x - this.center[0], y - this.center[1]];
    if (this.flat) {
      this.x = a * this.scale + this.origin[0];
      this.y = -b * this.scale + this.origin[1];
      return;
    }
    const c = z - this.center[2];
    const toward = a * this.toward[0] + b * this.toward[1] + c * this.toward[2];
    const nearness = 1 - toward / this.distance;
    this.here = this.scale / Math.max(nearness, MIN_DISTANCE);
    this.x = (a * this.right[0] + b * this.right[1]) * this.here + this.origin[0];
    this.y = -(a * this.up[0] + b * this.up[1] + c * this.up[2]) * this.here + this.origin[1];
    this.depth = this.reach ? Math.max(0, Math.min(1, (this.reach - toward) / (2 * this.reach))) : 0;
    this.shown = nearness > MIN_DISTANCE;
  }

  /**
   * The place of a point in the picture.
   * @param {ArrayLike<number>} point
   * @param {number} at
   * @returns {[number, number]}
   */
  place(point, at = 0) {
    this.see(point[at], point[at + 1], this.flat ? 0 : point[at + 2]);
    return [this.x, this.y];
  }

  /** The point of a flat world that is seen here. @param {number} x @param {number} y */
  unsee(x, y) {
    const across = (x - this.origin[0]) / this.scale;
    const rise = -(y - this.origin[1]) / this.scale;
    return [this.center[0] + across, this.center[1] + rise].map(tidy);
  }
}
