/** The pictures of a comparison beside that of its page; pages that show one flock do without this module. */

import { element, part } from "./controls.js";
import { cellOf } from "./lockstep.js";
import { phrase } from "./words.js";

const NARROW = 640; // Pixels of a window below which pictures take the columns that they need
const ROOMY = 320; // Pixels of a picture from which on its measure is named above it
const MANY = 5; // Pictures from which on the page scrolls there
const HELD = "Changes here reach all flocks; at a dot, the flock of that color keeps its own value.";

/**
 * The number of columns in which pictures are largest, and the heights of their rows, all of which have the
 * same width, as far as each row has as many.
 * @param {number[]} ratios of their widths to their heights
 * @param {number} wanted number of columns, 0 for any
 * @param {number} width of the room @param {number} height of the room
 * @param {number} heading height of what stands above each @param {number} gap
 */
export function columnsOf(ratios, wanted, width, height, heading, gap) {
  const counts = wanted ? [wanted] : ratios.map((_, number) => number + 1);
  const ways = counts.map((columns) => {
    const rows = Array.from({ length: Math.ceil(ratios.length / columns) }, (_, row) => {
      const own = ratios.slice(row * columns, (row + 1) * columns);
      return (width - gap * (own.length - 1)) / own.reduce((sum, ratio) => sum + ratio);
    });
    if (ratios.length % columns) rows.push(Math.min(rows[0], rows.pop() ?? 0));
    const free = height - gap * (rows.length - 1) - heading * rows.length;
    const part = Math.min(1, free / rows.reduce((sum, row) => sum + row));
    const heights = rows.map((row) => part * row);
    const full = ratios.length / (columns * rows.length); // A hole in the last row is room that pictures lack
    return { columns, high: full * Math.min(...heights), heights };
  });
  return ways.reduce((best, way) => (way.high > best.high ? way : best));
}

/**
 * Puts the pages of a comparison beside the picture of this one, all in sight, or many on a phone in a stack.
 * @param {HTMLElement} stage
 * @param {HTMLElement} picture
 * @param {import("./lockstep.js").Beside} beside
 * @param {string[]} inks
 */
export function placeBeside(stage, picture, beside, inks) {
  const { columns: wanted, ratio, question, held, cells } = beside;
  for (const one of [beside, ...cells]) one.label = phrase(one.label);
  /** @param {HTMLElement} shown @param {string} text @param {number} number @param {string[]} keys */
  const figure = (shown, text, number, keys) => {
    const made = document.createElement("figure");
    const ink = inks[number % inks.length];
    made.style.setProperty("--own", ink);
    const caption = Object.assign(document.createElement("figcaption"), { title: text });
    caption.append(element("bdi", {}, text));
    caption.classList.toggle("again", number >= inks.length);
    made.append(caption, shown);
    for (const key of keys) mark(key, text, ink);
    return made;
  };
  const style = document.getElementById("style")?.textContent ?? "";
  const sheet = style.slice(style.indexOf("@font-face"));
  const pages = cells.map(({ label: text, ratio: own, page, held: keys }, number) => {
    // Script, kernel and style that are those of this page are stored once, as is the sheet of a style.
    const srcdoc = page
      .replace("@sheet@", () => sheet)
      .replace("<body>", '<body class="cell">')
      .replace(
        /(<(?:script|style) id="(script|style|kernel|languages|packed)"[^>]*>)(?=<\/)/g,
        (tag, _, id) => tag + document.getElementById(id)?.textContent,
      );
    const cell = cellOf({ srcdoc }, text);
    cell.style.aspectRatio = `${own}`;
    return figure(cell, text, number + 1, keys);
  });
  stage.classList.add("beside");
  picture.style.setProperty("--ratio", `${ratio}`);
  const figures = [figure(picture, beside.label, 0, held), ...pages];
  const captions = figures.map((one) => /** @type {HTMLElement} */ (one.firstElementChild));
  stage.append(...figures);
  if (document.querySelector("#rules i"))
    part("rules", HTMLElement).firstElementChild?.after(element("p", {}, phrase(HELD)));
  document.documentElement.classList.toggle("inquiring", question !== "");
  part("question", HTMLElement).append(phrase(question));
  const film = /** @type {HTMLElement} */ (stage.parentElement);
  const chart = part("chart", SVGElement);
  const ratios = [ratio, ...cells.map((one) => one.ratio)];
  const place = () => {
    const narrow = innerWidth < NARROW;
    const stacked = narrow && ratios.length >= MANY;
    stage.closest("main")?.classList.toggle("stacked", stacked);
    const gap = Number.parseFloat(getComputedStyle(stage).rowGap);
    const heading = Math.max(...captions.map((one) => one.offsetHeight));
    const free = film.clientHeight + chart.clientHeight;
    const room = stacked ? Number.POSITIVE_INFINITY : free - Math.max(128, 0.2 * innerHeight);
    const across = narrow ? Math.min(2, ratios.length - 1) : wanted;
    const { columns, heights } = columnsOf(ratios, across, film.clientWidth - 2, room, heading + 1, gap);
    const widths = ratios.map((one, number) => heights[Math.floor(number / columns)] * one);
    const whole = widths.slice(0, columns).reduce((sum, one) => sum + one + gap, -gap);
    stage.style.width = `${Math.ceil(whole) + 1}px`;
    // Said once, by the chart, where it would break lines.
    stage.style.setProperty("--measure", Math.min(...widths) < ROOMY ? '""' : "");
    const left = heights.reduce((rest, row) => rest - row - heading - 1 - gap, free);
    chart.style.height = stacked ? "" : `${Math.min(left, 0.45 * innerHeight)}px`;
    figures.forEach((one, number) => {
      one.style.width = `${widths[number]}px`;
    });
  };
  const observer = new ResizeObserver(place);
  for (const one of [film, ...captions]) observer.observe(one);
}

/**
 * Marks the slider of a key by the ink of the picture that has its own value there.
 * @param {string} key @param {string} label of the picture @param {string} ink
 */
function mark(key, label, ink) {
  const row = document.querySelector(`#rules [name="${CSS.escape(key)}"]`)?.closest(".slider");
  const dot = Object.assign(document.createElement("i"), { title: label, role: "img", ariaLabel: label });
  dot.style.background = ink;
  row?.firstElementChild?.append(dot);
}
