/**
 * The gallery: finds presets by words and tags, and puts the page of one together where its picture is
 * clicked.
 */

import { copied } from "./clipboard.js";
import { inflated } from "./kernel.js";

/** @typedef {{[name: string]: [toml: string, page: string]}} Documents */

const cards = [...document.querySelectorAll("li")];
const search = /** @type {HTMLInputElement} */ (document.getElementById("search"));
const tags = /** @type {HTMLElement} */ (document.getElementById("tags"));
const found = /** @type {HTMLElement} */ (document.getElementById("found"));
/** @param {string} id */
const text = (id) => document.getElementById(id)?.textContent ?? "";
/** @param {HTMLElement} card */
const tagsOf = (card) => card.dataset.tags?.split(", ") ?? [];

/** The documents of all presets, once they are asked for. @type {Promise<Documents> | undefined} */
let unpacked;
const documents = () => {
  unpacked ??= inflated(text("documents")).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  return unpacked;
};
/** Parts that pages have in common. @type {string[]} */
const shared = JSON.parse(text("shared"));

/** Shows the cards that have all words and all tags. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/);
  const pressed = [...tags.querySelectorAll("[aria-pressed=true]")].map(
    ({ textContent }) => textContent ?? "",
  );
  for (const card of cards) {
    const known = tagsOf(card);
    card.hidden = !(
      words.every((word) => card.dataset.text?.includes(word)) && pressed.every((tag) => known.includes(tag))
    );
    if (card.hidden) close(card);
  }
  for (const section of document.querySelectorAll("section"))
    section.hidden = !section.querySelector("li:not([hidden])");
  found.textContent = `${cards.filter(({ hidden }) => !hidden).length} of ${cards.length} presets`;
}

/** Ends the flock of a card. @param {HTMLElement} card */
function close(card) {
  card.classList.remove("alive");
  card.querySelector("iframe")?.remove();
  card.querySelector(".start")?.setAttribute("aria-expanded", "false");
}

/** Starts the flock of a card in the place of its picture, and ends any other. @param {HTMLElement} card */
async function open(card) {
  cards.forEach(close);
  card.classList.add("alive");
  card.querySelector(".start")?.setAttribute("aria-expanded", "true");
  const [, page] = (await documents())[card.id];
  const frame = Object.assign(document.createElement("iframe"), {
    title: card.id,
    allow: "clipboard-write *; fullscreen *",
  });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.srcdoc = page.replace(/@(\d+)@/g, (_, number) => shared[number]);
  card.querySelector(".start")?.after(frame);
  card.scrollIntoView();
}

for (const tag of new Set(cards.flatMap(tagsOf))) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: tag });
  button.ariaPressed = "false";
  button.addEventListener("click", () => {
    button.ariaPressed = button.ariaPressed === "true" ? "false" : "true";
    filter();
  });
  tags.append(button);
}
search.addEventListener("input", filter);
document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  const card = button?.closest("li");
  if (!button || !card) return;
  if (button.matches(".start")) card.matches(".alive") ? close(card) : open(card);
  else if (button.matches(".command")) copied(button, `boidsgen render ${card.id} -o ${card.id}.gif`);
  else copied(button, (await documents())[card.id][0]);
});
filter();
addEventListener("load", () => setTimeout(documents)); // so that the first click does not wait for it
