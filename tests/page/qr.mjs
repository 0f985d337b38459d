// QR codes of pages, read back by jsQR: takes a list of texts, and answers with size and content of each.
import jsQR from "jsqr";
import { generate } from "../../boidsgen/webpage/lean_qr.js";
import { answer } from "./engine.mjs";

const [QUIET, SCALE] = [4, 3];
answer(({ texts }) =>
  texts.map((text) => {
    const code = generate(text);
    const side = SCALE * (code.size + 2 * QUIET);
    const pixels = Uint8ClampedArray.from({ length: 4 * side * side }, (_, k) => {
      const [x, y] = [(k >> 2) % side, Math.floor((k >> 2) / side)].map(
        (at) => Math.floor(at / SCALE) - QUIET,
      );
      return k % 4 < 3 && code.get(x, y) ? 0 : 255;
    });
    return [code.size, jsQR(pixels, side, side)?.data ?? null];
  }),
);
