/** The gallery: finds presets by words and by what is in them, and opens the page of one that is clicked. */

import { copied } from "./clipboard.js";
import { element, part } from "./controls.js";
import { inflated } from "./kernel.js";
import { begin } from "./outer.js";
import { phrase } from "./words.js";

/** @typedef {{[name: string]: [toml: string, page: string]}} Documents */

begin();
const cards = [...document.querySelectorAll("li")];
const search = part("search", HTMLInputElement);
const tags = part("tags", HTMLElement);
const found = part("found", HTMLOutputElement);
const opened = part("opened", HTMLDialogElement);
const stage = part("stage", HTMLElement);

/**
 * What pages have in common, and the documents of all presets.
 * @type {Promise<[string[], Documents]> | undefined}
 */
let unpacked;
const documents = () => {
  const packed = part("documents", HTMLScriptElement).text;
  unpacked ??= inflated(packed).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
  return unpacked;
};

/** Shows the cards that have all words, and everything that is chosen. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/);
  const chosen = [...tags.querySelectorAll("[aria-pressed=true]")].map(
    (one) => /** @type {HTMLButtonElement} */ (one).value,
  );
  for (const card of cards) {
    const own = card.dataset.tags?.split(", ") ?? [];
    card.hidden = !(
      words.every((word) => card.dataset.text?.includes(word)) && chosen.every((tag) => own.includes(tag))
    );
  }
  const count = cards.filter(({ hidden }) => !hidden).length;
  for (const group of document.querySelectorAll("main > *")) {
    const shown = group.querySelectorAll("li:not([hidden])").length;
    group.toggleAttribute("hidden", !shown);
    for (const number of group.querySelectorAll("summary span")) number.textContent = `${shown}`;
    group.toggleAttribute("open", count < cards.length || group.matches("section + *"));
  }
  document.body.classList.toggle("filtered", count < cards.length);
  found.value = phrase("Presets: {count} of {all}", { count, all: cards.length });
}

/** Opens the page of a card; of one that is not in this file, its picture. @param {HTMLElement} card */
async function open(card) {
  opened.dataset.name = card.id;
  part("name", HTMLElement).textContent = card.querySelector("button")?.textContent ?? "";
  part("about", HTMLElement).textContent = card.querySelector("p")?.textContent ?? "";
  stage.replaceChildren();
  opened.showModal();
  const [shared, stored] = await documents();
  const [, page] = stored[card.id];
  if (opened.dataset.name !== card.id || !opened.open) return;
  if (page) {
    const srcdoc = page.replace(/@(\d+)@/g, (_, number) => shared[number]);
    const allowed = { allow: "clipboard-write *; fullscreen *", sandbox: "allow-scripts allow-downloads" };
    stage.replaceChildren(element("iframe", { title: card.id, ...allowed, srcdoc }));
    return;
  }
  const command = element("code", {}, `boidsgen render ${card.id} -o ${card.id}.html`);
  const told = phrase("Too many boids for this file. This command makes its page:");
  const note = element("p", {}, told, " ", command);
  stage.replaceChildren(/** @type {Element} */ (card.querySelector("img")).cloneNode(), note);
}

tags.addEventListener("click", ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return;
  target.ariaPressed = target.ariaPressed === "true" ? "false" : "true";
  filter();
});
search.addEventListener("input", filter);
for (const card of cards) card.querySelector("button")?.addEventListener("click", () => open(card));
opened.addEventListener("close", () => stage.replaceChildren());
part("command", HTMLButtonElement).addEventListener("click", ({ currentTarget }) => {
  const { name } = opened.dataset;
  copied(/** @type {HTMLElement} */ (currentTarget), `boidsgen render ${name} -o ${name}.gif`);
});
part("toml", HTMLButtonElement).addEventListener("click", async ({ currentTarget }) => {
  const button = /** @type {HTMLElement} */ (currentTarget);
  const [, stored] = await documents();
  copied(button, stored[opened.dataset.name ?? ""][0]);
});
filter();
// A link to a preset opens its group.
document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
addEventListener("load", () => setTimeout(documents)); // so that the first click does not wait for it
