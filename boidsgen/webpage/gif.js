/**
 * Clips: GIFs that embed the scenario, made while the page goes on, and recordings of the canvas by the
 * browser.
 *
 * As in pictures.py, each picture is cropped to what has changed, and within that the unchanged is marked
 * where it pays.
 */

const COLORS = 255; // Of a palette, whose last entry stands for what has not changed
const UNCHANGED = 255;
const SAMPLES = 16; // Frames from which the palette is made, and every fifth pixel of them
const STRIDE = 5;
const ROWS = 16;
const SLOTS = 8192; // In the table of `pack`, of 4 bytes each
const GRAIN = 8; // Levels between the darkest and the brightest grain
const MAX_FPS = 50; // Browsers play shorter delays as 100 ms
const SLICE = 12; // Milliseconds, after which the page gets its turn; a step takes up to 20 more
const BIT_RATE = 8e6;
export const WEBM = "video/webm";

/** @param {...number} values @returns {number[]} words of two bytes */
const words = (...values) => values.flatMap((value) => [value & 255, value >> 8]);

const letters = new TextEncoder();

/** Red, green and blue of a pixel. @param {number} pixel */
const channels = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];

/**
 * Colors, their mean, and what they lose along the axis on which they differ most.
 * @param {{color: number[], weight: number}[]} members
 */
function grouped(members) {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const mean = [0, 1, 2].map(
    (axis) => members.reduce((sum, one) => sum + one.weight * one.color[axis], 0) / total,
  );
  const costs = mean.map((middle, axis) =>
    members.reduce((sum, one) => sum + one.weight * (one.color[axis] - middle) ** 2, 0),
  );
  const cost = Math.max(...costs);
  return { members, mean, cost: members.length > 1 ? cost : 0, axis: costs.indexOf(cost) };
}

/**
 * A palette for pixels: splits always the group that loses most, as frame.py does.
 * @param {Map<number, number>} weights of pixels
 */
function* paletteOf(weights) {
  const groups = [grouped([...weights].map(([pixel, weight]) => ({ color: channels(pixel), weight })))];
  while (groups.length < Math.min(COLORS, weights.size)) {
    const { members, mean, axis } = groups.sort((one, other) => one.cost - other.cost)[groups.length - 1];
    const upper = members.filter(({ color }) => color[axis] > mean[axis]);
    const lower = members.filter(({ color }) => color[axis] <= mean[axis]);
    groups.splice(-1, 1, grouped(lower), grouped(upper));
    yield;
  }
  return groups.map(({ mean }) => mean.map(Math.round));
}

/** The number of the color that is nearest to a pixel. @param {number[][]} colors @param {number} pixel */
function nearest(colors, pixel) {
  const [red, green, blue] = channels(pixel);
  let [found, least] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0; k < colors.length; k++) {
    const [r, g, b] = colors[k];
    const away = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (away < least) [found, least] = [k, away];
  }
  return found;
}

/**
 * A pixel whose channels are brighter or darker by a grain from 0 to 255, so that nearby pixels in a few
 * colors make up for those that the palette lacks.
 * @param {number} pixel
 * @param {number} grain
 */
function grained(pixel, grain) {
  const more = Math.round(GRAIN * (grain / 255 - 0.5));
  const [red, green, blue] = channels(pixel).map((value) => Math.min(Math.max(value + more, 0), 255));
  return red | (green << 8) | (blue << 16);
}

/**
 * A function that makes the next picture of a GIF, shown for so many hundredths of a second, as blocks.
 *
 * @param {import("./kernel.js").Kernel} kernel with a memory for this alone
 * @param {number[]} size
 * @param {number[][]} colors
 * @param {Uint8Array} [grain] of pictures in many colors
 */
function packer(kernel, [width, height], colors, grain) {
  const count = width * height;
  const index = new Uint8Array(1 << 24).fill(UNCHANGED);
  const room = 2 * count + 16;
  const [table, crop, packed] = [4 * SLOTS, count, room].map((bytes) => kernel.room(bytes));
  let before = new Uint32Array(count);
  const [shown, marked] = [new Uint8Array(count).fill(UNCHANGED), new Uint8Array(count)];

  /** @param {Uint8Array} picture @param {number[]} box */
  const pack = (picture, [left, top, right, bottom]) => {
    const cut = kernel.bytes(crop, (right - left) * (bottom - top));
    for (let y = top; y < bottom; y++)
      cut.set(picture.subarray(y * width + left, y * width + right), (y - top) * (right - left));
    return kernel.bytes(packed, kernel.call.pack(packed, room, crop, cut.length, table, SLOTS)).slice();
  };

  /** @param {Uint32Array<ArrayBuffer>} pixels @param {number} delay */
  return function* blocks(pixels, delay) {
    let [left, top, right, bottom] = [width, height, 0, 0];
    marked.fill(UNCHANGED);
    for (let y = 0; y < height; y++) {
      if (y % ROWS === 0) yield;
      for (let x = 0, k = y * width; x < width; x++, k++) {
        if (pixels[k] === before[k]) continue;
        const own = grain ? grained(pixels[k], grain[(y % 64) * 64 + (x % 64)]) : pixels[k];
        const color = own & 0xffffff;
        if (index[color] === UNCHANGED) index[color] = nearest(colors, color);
        if (index[color] === shown[k]) continue;
        shown[k] = marked[k] = index[color];
        [left, right] = [x < left ? x : left, x < right ? right : x + 1];
        [top, bottom] = [y < top ? y : top, y + 1];
      }
    }
    before = pixels;
    const box = right ? [left, top, right, bottom] : [0, 0, 1, 1];
    const whole = pack(shown, box);
    yield;
    const part = pack(marked, box);
    const place = words(box[0], box[1], box[2] - box[0], box[3] - box[1]);
    const head = [33, 249, 4, 5, ...words(delay), UNCHANGED, 0, 44, ...place, 0];
    return [Uint8Array.from(head), part.length < whole.length ? part : whole];
  };
}

/**
 * What comes before the pictures.
 * @param {number[]} size
 * @param {number[][]} colors
 * @param {number} loop
 * @param {string} text
 */
function heading(size, colors, loop, text) {
  const palette = new Uint8Array(3 * 256);
  palette.set(colors.flat());
  // How often to play again; without it a GIF plays once.
  const again = [33, 255, 11, ...letters.encode("NETSCAPE2.0"), 3, 1, ...words(Math.max(loop - 1, 0)), 0];
  const start = [...letters.encode("GIF89a"), ...words(...size), 247, 0, 0];
  const parts = [Uint8Array.from(start), palette, Uint8Array.from([...(loop === 1 ? [] : again), 33, 254])];
  const comment = letters.encode(text);
  for (let k = 0; k < comment.length; k += 255) {
    const piece = comment.subarray(k, k + 255);
    parts.push(Uint8Array.of(piece.length), piece);
  }
  return [...parts, Uint8Array.of(0)];
}

/**
 * The first frames of what is played as a GIF; yields often, at times the part that is done.
 *
 * @param {import("./player.js").Player} player for this alone
 * @param {import("./drawing.js").Drawing} drawing likewise
 * @param {import("./kernel.js").Kernel} kernel likewise
 * @param {number} count
 * @param {number} loop how often it plays, 0 for ever
 * @param {string} text to embed
 * @param {import("./drawing.js").Mark[]} marks about the frame that the player shows
 * @returns {Generator<number | void, Blob>}
 */
export function* gif(player, drawing, kernel, count, loop, text, marks) {
  for (; player.frame < count - 1; yield player.frame / count / 4) player.seek(player.frame + 1);
  const { size, fps } = drawing.look;
  const canvas = Object.assign(document.createElement("canvas"), { width: size[0], height: size[1] });
  const pen = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  if (!pen || player.error) throw new Error(player.error || "This browser has no memory left for a picture.");
  /** @param {number} number */
  const drawn = (number) => {
    player.seek(number);
    drawing.draw(pen, player.leading, 1, marks);
    return new Uint32Array(pen.getImageData(0, 0, size[0], size[1]).data.buffer);
  };
  /** @type {Map<number, number>} */
  const weights = new Map();
  for (let sample = 0; sample < SAMPLES; sample++) {
    const pixels = drawn(Math.floor((sample * (count - 1)) / (SAMPLES - 1)));
    for (let k = sample % STRIDE; k < pixels.length; k += STRIDE) {
      const color = pixels[k] & 0xffffff;
      weights.set(color, (weights.get(color) ?? 0) + 1);
    }
    yield;
  }
  const colors = yield* paletteOf(weights);
  const blocks = packer(kernel, size, colors, drawing.lit?.planes.finest);
  const parts = heading(size, colors, loop, text);
  const every = Math.ceil(fps / MAX_FPS);
  for (let number = 0; number < count; number += every) {
    const [begin, end] = [number, number + every].map((time) => Math.round((100 * time) / fps));
    parts.push(...(yield* blocks(drawn(number), end - begin)));
    yield 0.25 + (0.75 * number) / count;
  }
  return new Blob([...parts, Uint8Array.of(59)], { type: "image/gif" });
}

/**
 * Does work between repaints until it is done or aborted.
 * @template Made
 * @param {Generator<number | void, Made>} work
 * @param {AbortSignal} signal
 * @param {(part: number) => void} tell
 */
export async function sliced(work, signal, tell) {
  for (let end = 0; !signal.aborted; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (value) tell(value);
    if (performance.now() < end) continue;
    await new Promise(requestAnimationFrame);
    end = performance.now() + SLICE;
  }
  return null;
}

/**
 * What a canvas shows from now on until it is aborted.
 * @param {HTMLCanvasElement} canvas
 * @param {number} fps
 * @param {AbortSignal} signal
 * @param {() => void} begun
 * @returns {Promise<Blob>}
 */
export function filmed(canvas, fps, signal, begun) {
  const recorder = new MediaRecorder(canvas.captureStream(fps), {
    mimeType: WEBM,
    videoBitsPerSecond: BIT_RATE,
  });
  recorder.addEventListener("start", begun);
  signal.addEventListener("abort", () => recorder.stop());
  recorder.start();
  return new Promise((resolve) => recorder.addEventListener("dataavailable", ({ data }) => resolve(data)));
}
