// QR codes, read back by jsQR: reads a list of texts as JSON from standard input, and writes size and content of each.
import { readFileSync } from "node:fs";
import jsQR from "jsqr";
import { qrOf } from "../../boidsgen/webpage/qr.js";

const [QUIET, SCALE] = [4, 3];
const found = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const rows = qrOf(text);
  const side = SCALE * (rows.length + 2 * QUIET);
  const pixels = Uint8ClampedArray.from({ length: 4 * side * side }, (_, k) => {
    const [x, y] = [(k >> 2) % side, Math.floor((k >> 2) / side)].map((at) => Math.floor(at / SCALE) - QUIET);
    return k % 4 < 3 && rows[y]?.[x] ? 0 : 255;
  });
  return [rows.length, jsQR(pixels, side, side)?.data ?? null];
});
process.stdout.write(JSON.stringify(found));
