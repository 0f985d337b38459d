/** Light as whole numbers, of which true colors are made; as in drawing: frame.py and backgrounds.py. */

/** @import { LitLook } from "./lit.js" */

const GAMMA = 2.2;
const BRIGHT = 65535; // The light 1

/** For every whole light its number in parts of 256, linear in light between one number and the next. */
export function fineNumbers() {
  const table = Array.from({ length: 256 }, (_, number) => BRIGHT * (number / 255) ** GAMMA);
  const found = new Uint16Array(BRIGHT + 1);
  for (let light = 0, low = 0; light <= BRIGHT; light++) {
    while (low < 254 && table[low + 1] <= light) low++;
    found[light] = 256 * low + Math.floor((256 * (light - table[low])) / (table[low + 1] - table[low]));
  }
  return found;
}

/**
 * The light of the marsh as wide as it is seen while the camera turns, (rows, columns, 3), as `LaidMarsh`.
 *
 * @param {LitLook} look
 * @param {{[plane: string]: Uint8Array}} planes
 */
export function landscape({ size: [width, rows], marsh, numbers }, planes) {
  const { shore, above, room, start, sun, halos, shine, ink } =
    /** @type {Required<NonNullable<LitLook["marsh"]>>} */ (marsh);
  const { SUN_ACROSS, VIGNETTE, SUN_DOWN, LAND, VIGNETTE_ROW, OPAQUE } = numbers;
  const [gradient, water, reeds] = ["gradient", "water", "reeds"].map(
    (name) => new Float32Array(planes[name].buffer),
  );
  const columns = width + room;
  const across = Float64Array.from({ length: columns }, (_, column) => (column - start + 0.5) / width);
  const sides = across.map((x) => VIGNETTE * Math.min(Math.abs(x - 0.5) * 2, 1) ** 2);
  const glows = halos.map(([strength, spread]) =>
    across.map((x) => strength * Math.exp(-(((x - sun[0]) * SUN_ACROSS) ** 2) / spread)),
  );
  const found = new Uint16Array(3 * columns * rows);
  for (let row = 0; row < rows; row++) {
    const [seen, below, mirrored] = [above[row - shore] ?? row, row - shore, 2 * shore - row];
    const y = (seen + 0.5) / rows;
    const middle = 1 - VIGNETTE * ((y - VIGNETTE_ROW) * 2) ** 2;
    const faded = halos.map(([, spread]) => Math.exp(-(((y - sun[1]) * SUN_DOWN) ** 2) / spread));
    for (let column = 0, at = 3 * row * columns; column < columns; column++) {
      const glow = glows[0][column] * faded[0] + glows[1][column] * faded[1];
      const dim = middle - sides[column];
      const reed = below < 0 || mirrored >= shore ? 0 : planes.land[mirrored * columns + column] / 255;
      const land = below > 0 ? 0 : (OPAQUE * planes.land[row * columns + column]) / 255;
      for (let part = 0; part < 3; part++, at++) {
        let light = (gradient[3 * seen + part] + glow * shine[part]) * dim;
        if (below >= 0) {
          light *= water[3 * below + part];
          light += reed * reeds[below] * (ink[part] - light);
        }
        light += land * (LAND * ink[part] - light);
        found[at] = Math.round(BRIGHT * Math.min(Math.max(light, 0), 1));
      }
    }
  }
  return found;
}

/** Light as whole numbers; what is below 0 and above 1 is cut off. @param {Float64Array} light */
export const wholeLight = (light) =>
  Uint16Array.from(light, (part) => Math.round(BRIGHT * Math.min(Math.max(part, 0), 1)));
