/** The light of the reef, which never moves; as in drawing/reef.py, where its parts are explained. */

/**
 * @typedef {object} ReefLook What reef.py knows of a picture; colors are light.
 * @property {[number, number[]][]} stops
 * @property {[number, number]} sun
 * @property {number[]} glow
 * @property {number[]} sand
 * @property {number[]} sparkle
 * @property {{half: number, up: number, toward: number, origin: number[], scale: number,
 *   distance: number | null} | null} aside how a world with depth is seen
 * @property {{[name: string]: any}} numbers
 */

const TURN = 1 << 14; // Steps of a table of sines

const sines = Float64Array.from({ length: TURN + 2 }, (_, k) => Math.sin((2 * Math.PI * k) / TURN));

/** Quicker than Math.sin, and as exact as a pixel needs. @param {number} angle */
function sine(angle) {
  const place = angle * (TURN / (2 * Math.PI));
  const low = Math.floor(place);
  const at = low & (TURN - 1);
  return sines[at] + (place - low) * (sines[at + 1] - sines[at]);
}

/** @param {number} angle */
const cosine = (angle) => sine(angle + Math.PI / 2);

/**
 * The light of a gradient at a place, as `blended`.
 * @param {[number, number[]][]} stops
 * @param {number} at
 */
function blended(stops, at) {
  const place = Math.min(Math.max(at, stops[0][0]), stops[stops.length - 1][0]);
  let piece = 0;
  while (piece < stops.length - 2 && stops[piece + 1][0] <= place) piece++;
  const from = stops[piece][0];
  const share = (place - from) / (stops[piece + 1][0] - from);
  return stops[piece][1].map((part, k) => part * (1 - share) + stops[piece + 1][1][k] * share);
}

/** The net of light, as `net`. @param {number} right @param {number} down @param {number[]} phases */
function net(right, down, phases) {
  const x = right + 0.9 * sine(0.23 * down + 0.31 * right);
  const y = down + 0.9 * sine(0.19 * right - 0.27 * down + 1);
  let a = x;
  let b = y;
  let total = 0;
  for (let k = 0; k < phases.length; k++) {
    const phase = phases[k];
    const before = a;
    a = x + cosine(phase - a) + sine(phase + b);
    b = y + sine(phase - b) + cosine(phase + before);
    const one = sine(a + phase);
    const other = cosine(b + phase);
    total += Math.abs(one * other) / Math.sqrt(one * one + other * other + 1e-6);
  }
  const mean = total / (1.25 * phases.length);
  let bright = Math.max(1.14 - mean * Math.sqrt(mean), 0);
  for (let k = 0; k < 4; k++) bright *= bright;
  return bright;
}

/** The light of rays by the tangent of their angle, as `rays`. @param {ReefLook["numbers"]} numbers */
function rays({ RAY_WAVES, FAN }) {
  const table = Float64Array.from({ length: 8193 }, (_, k) => {
    const fine = k / 1024 - 4;
    let total = 0;
    for (const [count, much] of RAY_WAVES) total += much * Math.sin(2.2 * count * fine + count);
    return Math.max(total / 2.2, 0) ** 1.5 * Math.exp(-((fine / FAN) ** 2));
  });
  return (/** @type {number} */ slope) => {
    const place = Math.min(Math.max(slope, -4), 3.99) * 1024 + 4096;
    const low = Math.floor(place);
    return table[low] * (low + 1 - place) + table[low + 1] * (place - low);
  };
}

/**
 * The water of a world from its side, as `seen_aside`.
 * @param {ReefLook} look
 * @param {[number, number]} size
 * @param {Float32Array} specks column, row, radius and light of each
 */
function seenAside({ stops, sun, glow, sand, sparkle, aside, numbers }, [columns, rows], specks) {
  const { half, up, toward, origin, scale, distance } = /** @type {NonNullable<ReefLook["aside"]>} */ (aside);
  const { GLOW_SIZE, BRIGHT, RAYS, SINK, FOG, AROUND, LEVEL, NET_ASIDE, SPARKLE, PHASES } = numbers;
  const found = new Float64Array(3 * columns * rows);
  const far = distance ?? Infinity;
  const ray = rays(numbers);
  const within = (/** @type {number} */ place) => Math.min(Math.max(place, -40), 40);
  for (let row = 0, at = 0; row < rows; row++) {
    const y = (row + 0.5) / rows;
    const water = blended(stops, y);
    const [below, sunk] = [Math.exp(-((y / GLOW_SIZE[1]) ** 2)), Math.exp(-y / SINK)];
    // The sand that is seen in this row.
    const high = -(row + 0.5 - origin[1]) / scale;
    const steep = toward - (high / far) * up;
    const way = (LEVEL * half - high * up) / Math.max(steep, 0.01);
    const near = 1 - way / far;
    const ahead = within((high * near * toward - way * up) / half);
    const haze = Math.max(Math.min(-way / half, 40), 0);
    const seen = steep > 0.01 && way < far;
    for (let column = 0; column < columns; column++, at += 3) {
      const x = (column + 0.5) / columns;
      const bright = BRIGHT * below * Math.exp(-(((x - sun[0]) / GLOW_SIZE[0]) ** 2));
      const place = within((((column + 0.5 - origin[0]) / scale) * near) / half);
      const shown = seen ? 0.95 * Math.exp(-FOG * haze - (place / AROUND) ** 2) : 0;
      // Where the sand is hardly seen, nobody sees the net on it.
      const lit = shown > 1e-4 ? SPARKLE * net(NET_ASIDE * place, NET_ASIDE * ahead, PHASES) : 0;
      const beam = RAYS * sunk * ray(((x - sun[0]) * (columns / rows)) / (y + SINK));
      for (let part = 0; part < 3; part++) {
        const light = water[part] + bright * glow[part];
        found[at + part] = light + shown * (sand[part] + lit * sparkle[part] - light) + beam * glow[part];
      }
    }
  }
  for (let k = 0; k < specks.length; k += 4) snow(found, [columns, rows], specks.subarray(k, k + 4), sparkle);
  for (let row = 0, at = 0; row < rows; row++) {
    const down = (((row + 0.5) / rows - 0.45) / 0.8) ** 2;
    for (let column = 0; column < columns; column++) {
      const left = Math.max(1 - 0.4 * ((((column + 0.5) / columns - 0.5) / 0.72) ** 2 + down), 0.25);
      for (let part = 0; part < 3; part++, at++) {
        const light = found[at] * left;
        found[at] = light / (1 + 0.12 * light);
      }
    }
  }
  return found;
}

/**
 * Adds a speck that floats in the water, as `snow`.
 * @param {Float64Array} found
 * @param {[number, number]} size
 * @param {Float32Array} speck
 * @param {number[]} color
 */
function snow(found, [columns, rows], [x, y, radius, bright], color) {
  const reach = Math.floor(3 * radius) + 1;
  const [column, row] = [Math.floor(x), Math.floor(y)];
  for (let high = Math.max(row - reach, 0); high < Math.min(row + reach + 1, rows); high++)
    for (let wide = Math.max(column - reach, 0); wide < Math.min(column + reach + 1, columns); wide++) {
      const away = ((high + 0.5 - y) ** 2 + (wide + 0.5 - x) ** 2) / (2 * radius * radius);
      const light = bright * Math.exp(-away);
      for (let part = 0; part < 3; part++) found[3 * (high * columns + wide) + part] += light * color[part];
    }
}

/**
 * Sand below shallow water, as `seen_from_above`.
 * @param {ReefLook} look
 * @param {[number, number]} size
 */
function seenFromAbove({ stops, sun, sparkle, numbers }, [columns, rows]) {
  const { NET_ABOVE, SHALLOW, PHASES } = numbers;
  const found = new Float64Array(3 * columns * rows);
  for (let row = 0, at = 0; row < rows; row++) {
    const y = (row + 0.5) / rows - 0.5;
    const wave = Math.sin(7 * y);
    for (let column = 0; column < columns; column++, at += 3) {
      const x = (column + 0.5 - columns / 2) / rows;
      const away = Math.hypot(x - ((sun[0] - 0.5) * columns) / rows, y + 0.5);
      const bumps = Math.sin(9 * x + 1.3) * wave + Math.sin(4 * x + 11 * y);
      const water = blended(stops, away);
      const lit = SHALLOW * net(NET_ABOVE * x, NET_ABOVE * y, PHASES) * Math.max(1.2 - 0.6 * away, 0.2);
      for (let part = 0; part < 3; part++)
        found[at + part] = water[part] * (1 + 0.05 * bumps) + lit * sparkle[part];
    }
  }
  return found;
}

/**
 * The light of all pixels, (rows, columns, 3).
 * @param {ReefLook} look
 * @param {[number, number]} size
 * @param {Float32Array} specks
 */
export const reefLight = (look, size, specks) =>
  look.aside ? seenAside(look, size, specks) : seenFromAbove(look, size);
