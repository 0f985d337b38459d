/** Takes the strokes of a canvas and gives SVG. */

const SHAPES = "data:image/svg+xml;base64,";

/** @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** As much of a CanvasRenderingContext2D as `Drawing` needs. */
export class SvgPen {
  fillStyle = "";
  strokeStyle = "";
  lineWidth = 1;
  lineCap = "butt";
  lineJoin = "miter";
  font = "";
  textAlign = "left";
  globalAlpha = 1;

  /** @param {import("./drawing.js").Look} look */
  constructor(look) {
    this.size = look.size;
    this.path = "";
    this.dash = "";
    const [width, height] = look.size;
    this.image = `<image width="${width}" height="${height}" href=`;
    /** @type {string[]} */
    this.parts = [];
    this.grounds = look.grounds.map((href) => atob(href.slice(SHAPES.length)));
    this.clips = 0;
    /** @type {number[]} */
    this.open = [];
  }

  setTransform() {}

  /** @param {string} text */
  measureText(text) {
    const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    pen.font = this.font;
    return pen.measureText(text);
  }

  /** A lit picture, or the ground, as shapes. @param {HTMLCanvasElement} canvas */
  drawImage(canvas) {
    if (canvas.className === "lit") this.parts.push(`${this.image}"${canvas.toDataURL()}"/>`);
    else this.parts.push(...this.grounds);
  }

  save() {
    this.open.push(0);
  }

  restore() {
    this.parts.push("</g>".repeat(this.open.pop() ?? 0));
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.parts.push(`<g transform="translate(${short(x)} ${short(y)})">`);
    this.open[this.open.length - 1]++;
  }

  clip() {
    this.clips++;
    const id = `clip${this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath><g clip-path="url(#${id})">`);
    this.open[this.open.length - 1]++;
  }

  beginPath() {
    this.path = "";
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${short(x)} ${short(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  /** @param {number} x @param {number} y @param {number} wide @param {number} high */
  rect(x, y, wide, high) {
    this.path += `M${short(x)} ${short(y)}h${short(wide)}v${short(high)}h${short(-wide)}Z`;
  }

  /** @param {number} x @param {number} y @param {number} radius @param {number} from @param {number} to */
  arc(x, y, radius, from, to) {
    const half = (from + to) / 2;
    /** @param {number} angle */
    const at = (angle) => `${short(x + radius * Math.cos(angle))} ${short(y + radius * Math.sin(angle))}`;
    const bend = `A${short(radius)} ${short(radius)} 0 0 1 `;
    this.path += `${this.path ? "L" : "M"}${at(from)}${bend}${at(half)}${bend}${at(to)}`;
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
  }

  fill() {
    this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}" opacity="${this.globalAlpha}"/>`);
  }

  stroke() {
    if (!this.path) return;
    const pen = `stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"`;
    const line = `${pen} stroke-linecap="${this.lineCap}"${this.dash}`;
    this.parts.push(`<path d="${this.path}" fill="none" ${line} opacity="${this.globalAlpha}"/>`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.write(text, x, y, `fill="${this.fillStyle}"`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    const pen = `stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"`;
    this.write(text, x, y, `fill="none" ${pen} stroke-linejoin="round"`);
  }

  /** @param {string} text @param {number} x @param {number} y @param {string} look */
  write(text, x, y, look) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign] ?? "start";
    const size = /(?<![\d.])[\d.]+px/.exec(this.font)?.[0];
    const place = `x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"`;
    const font = `font-family="'Source Sans Pro', sans-serif" font-size="${size}"`;
    this.parts.push(`<text ${place} ${font} ${look}>${escaped(text)}</text>`);
  }

  /** The whole picture. */
  get svg() {
    const [width, height] = this.size;
    const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${this.parts.join("\n")}</svg>\n`;
  }
}
