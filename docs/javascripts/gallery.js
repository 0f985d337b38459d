// Filters of the gallery: a card is shown if it has every tag that is pressed. A preset whose live page is there links to it.
const cards = [...document.querySelectorAll(".card")];
const tagsOf = (card) => card.dataset.tags.split(", ");
const bar = Object.assign(document.createElement("p"), { className: "filters" });

const filter = () => {
  const pressed = [...bar.querySelectorAll("[aria-pressed=true]")].map((button) => button.textContent);
  for (const card of cards) card.hidden = !pressed.every((tag) => tagsOf(card).includes(tag));
  for (const grid of document.querySelectorAll(".gallery"))
    grid.hidden = grid.previousElementSibling.hidden = !grid.querySelector(".card:not([hidden])");
};
for (const tag of new Set(cards.flatMap(tagsOf))) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: tag });
  button.setAttribute("aria-pressed", "false");
  button.onclick = () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") === "false"));
    filter();
  };
  bar.append(button);
}
if (cards.length) {
  bar.prepend("Show only: ");
  document.querySelector(".gallery").previousElementSibling.before(bar);
  const folder = new URL("../live/", document.currentScript.src);
  const list = Object.assign(document.createElement("script"), { src: new URL("pages.js", folder) });
  list.onload = () => {
    for (const card of cards.filter(({ id }) => livePages.includes(id)))
      card.append(Object.assign(document.createElement("a"), { href: new URL(`${card.id}.html`, folder), textContent: "Page" }));
  };
  document.head.append(list);
}
