// What tests do with the page of a sweep: `test_page.py` runs one of these in it, and reads what it has found.
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const place = (card) => 1e4 * card.offsetTop + card.offsetLeft;
const cards = () => [...document.querySelectorAll("article")].sort((one, other) => place(one) - place(other));
const room = document.getElementById("figure");
const choose = (label, name) => {
  const list = room.querySelector(`select[aria-label="${label}"]`);
  list.value = name;
  list.dispatchEvent(new Event("change"));
};

const DRIVEN = {
  async sort_and_filter(found) {
    const texts = () => cards().map((card) => card.querySelector("dd").textContent);
    const count = () => document.getElementById("count").textContent;
    found.first = texts()[0];
    const sort = document.querySelector('select[aria-label="Sort by"]');
    sort.value = "mean.polarization";
    sort.dispatchEvent(new Event("change"));
    document.querySelector("button[title^=Turn]").click();
    found.highest = texts()[0];
    const [low, high] = document.querySelectorAll("input");
    low.value = "0.5";
    low.dispatchEvent(new Event("input"));
    high.value = "0.6";
    high.dispatchEvent(new Event("input"));
    found.between = [count(), texts()[0], texts().at(-1)];
    low.value = "";
    low.dispatchEvent(new Event("input"));
    high.value = "";
    high.dispatchEvent(new Event("input"));
    [...document.querySelectorAll("button")].find((button) => button.textContent === "failed").click();
    found.failed = [count(), cards()[0].querySelector(".picture").textContent];
    found.title = document.title;
  },

  async a_figure_of_the_runs(found) {
    const dots = () => [...room.querySelectorAll("circle")];
    found.curves = room.querySelectorAll("polyline").length;
    found.legend = [...room.querySelectorAll("li")].map((item) => item.textContent);
    dots()[0].dispatchEvent(new PointerEvent("pointerenter"));
    found.first = room.querySelector("output").textContent;
    found.heights = dots()
      .slice(0, 3)
      .map((dot) => +dot.getAttribute("cy"));
    found.places = dots()
      .slice(0, 3)
      .map((dot) => +dot.getAttribute("cx"));
    choose("Logarithmic", "x");
    found.even = dots()
      .slice(0, 3)
      .map((dot) => +dot.getAttribute("cx"));
    choose("Spread", "range");
    dots()[0].dispatchEvent(new PointerEvent("pointerenter"));
    found.range = room.querySelector("output").textContent;
    choose("Along the axis", "flock.max_speed");
    found.turned = [room.querySelectorAll("polyline").length, dots().length];
    [...document.querySelectorAll("form button")].find((button) => button.textContent === "20").click();
    found.filtered = dots().length;
  },

  async a_table_of_means(found) {
    const cells = () => [...document.querySelectorAll("td")];
    const texts = (tag) => [...document.querySelectorAll(tag)].map((one) => one.textContent);
    found.heads = texts("th");
    found.cells = cells().map((cell) => cell.textContent);
    found.shares = cells().map((cell) => cell.style.getPropertyValue("--share"));
    cells()[0].focus();
    found.read = document.querySelector(".table p").textContent;
    [...document.querySelectorAll("form button")].find((button) => button.textContent === "20").click();
    found.filtered = cells().length;
    const way = document.querySelector('select[aria-label="Drawn as"]');
    way.value = "";
    way.dispatchEvent(new Event("change"));
    found.each = [cells().length, cards().length];
  },

  async ten_thousand_runs(found) {
    found.ready = performance.now();
    found.above = cards().length;
    const last = () => cards().at(-1).querySelector("dd").textContent;
    scrollTo(0, document.documentElement.scrollHeight);
    for (let tries = 0; tries < 200 && last() !== "9999"; tries++) await pause(50);
    found.below = cards().length;
    found.last = last();
  },

  async playing_on_hover(found) {
    await pause(1500);
    const [card] = cards(),
      look = () => {
        const film = card.querySelector("video, img");
        const source = film?.src?.split("/").at(-1) ?? "";
        return [film?.tagName.toLowerCase() ?? "", source, film?.paused ?? null];
      };
    const canvas = card.querySelector("canvas");
    found.size = canvas ? [canvas.width, canvas.height] : null;
    found.still_at = card.querySelector("video")?.src.split("t=")[1] ?? null;
    found.still = look();
    card.dispatchEvent(new PointerEvent("pointerenter"));
    await pause(50);
    found.playing = look();
    card.dispatchEvent(new PointerEvent("pointerleave"));
    await pause(50);
    found.after = look();
  },
};
