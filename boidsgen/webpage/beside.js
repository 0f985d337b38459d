/** The pictures of a comparison beside that of its page; pages that show one flock do without this module. */

import { cellOf } from "./lockstep.js";

const STACKED = 640; // Pixels of a window below which pictures are stacked

/**
 * The number of columns in which pictures are largest, and their width.
 * @param {number[]} ratios of their widths to their heights
 * @param {number} wanted number of columns, 0 for any
 * @param {number} width of the room @param {number} height of the room
 * @param {number} heading height of what stands above each @param {number} gap
 */
export function columnsOf(ratios, wanted, width, height, heading, gap) {
  const flattest = Math.min(...ratios);
  const widths = ratios.map((_, number) => {
    const rows = Math.ceil(ratios.length / (number + 1));
    const across = (width - gap * number) / (number + 1);
    return Math.min(across, flattest * ((height - gap * (rows - 1)) / rows - heading));
  });
  const widest = wanted ? widths[wanted - 1] : Math.max(...widths);
  return { columns: wanted || widths.indexOf(widest) + 1, widest };
}

/**
 * Puts the pages of a comparison beside the picture of this one, all in sight, or on a phone in a stack.
 * @param {HTMLElement} stage
 * @param {HTMLElement} picture
 * @param {import("./lockstep.js").Beside} beside
 * @param {string[]} inks
 */
export function placeBeside(stage, picture, { columns: wanted, label, ratio, held, cells }, inks) {
  /** @param {HTMLElement} shown @param {string} text @param {number} number @param {string[]} keys */
  const figure = (shown, text, number, keys) => {
    const made = document.createElement("figure");
    const ink = inks[number % inks.length];
    made.style.setProperty("--own", ink);
    const caption = Object.assign(document.createElement("figcaption"), { title: text });
    const name = Object.assign(document.createElement("span"), { textContent: text });
    caption.append(name);
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
  stage.append(figure(picture, label, 0, held), ...pages);
  const film = /** @type {HTMLElement} */ (stage.parentElement);
  const main = /** @type {HTMLElement} */ (stage.closest("main"));
  const ratios = [ratio, ...cells.map((one) => one.ratio)];
  const place = () => {
    const stacked = innerWidth < STACKED;
    main.style.height = stacked ? "auto" : "";
    film.style.containerType = stacked ? "inline-size" : "";
    film.style.position = stacked ? "static" : "";
    const gap = Number.parseFloat(getComputedStyle(stage).rowGap);
    const heading = Math.max(...[...stage.querySelectorAll("figcaption")].map((one) => one.offsetHeight));
    const height = getComputedStyle(film).containerType === "size" ? film.clientHeight : 0.62 * innerHeight;
    const { columns, widest } = columnsOf(ratios, wanted, film.clientWidth, height, heading + 1, gap);
    stage.style.gridTemplateColumns = stacked
      ? "minmax(0, 1fr)"
      : `repeat(${columns}, ${Math.floor(widest)}px)`;
  };
  new ResizeObserver(place).observe(film);
  place();
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
