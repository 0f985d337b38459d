// A picture with `data-page` becomes the live page of that name when it comes into view; without JavaScript it stays.
const folder = new URL("../live/", document.currentScript.src);

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    const src = new URL(`${target.dataset.page}.html`, folder);
    const page = Object.assign(document.createElement("iframe"), { src, title: target.alt, className: "live" });
    page.setAttribute("sandbox", "allow-scripts allow-downloads");
    page.allow = "fullscreen; clipboard-write";
    page.style.backgroundImage = `url("${target.src}")`;
    target.replaceWith(page);
  }
});
for (const picture of document.querySelectorAll("img[data-page]")) seen.observe(picture);

// Wide tables scroll by the keyboard, too.
addEventListener("load", () => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
});
