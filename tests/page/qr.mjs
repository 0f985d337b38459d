// QR codes, read back by jsQR: takes a list of texts, and answers with size and content of each.
import jsQR from "jsqr";
import { qrOf } from "../../boidsgen/webpage/qr.js";
import { answer } from "./engine.mjs";

const [QUIET, SCALE] = [4, 3];
answer(({ texts }) =>
  texts.map((text) => {
    const rows = qrOf(text);
    const side = SCALE * (rows.length + 2 * QUIET);
    const pixels = Uint8ClampedArray.from({ length: 4 * side * side }, (_, k) => {
      const [x, y] = [(k >> 2) % side, Math.floor((k >> 2) / side)].map(
        (at) => Math.floor(at / SCALE) - QUIET,
      );
      return k % 4 < 3 && rows[y]?.[x] ? 0 : 255;
    });
    return [rows.length, jsQR(pixels, side, side)?.data ?? null];
  }),
);
