// A table of means over runs that differ in their seeds alone: values of the last keys of the sweep across,
// of the others down. A click on a cell, or its focus, tells each run.
const rough = new Intl.NumberFormat(document.documentElement.lang, { maximumSignificantDigits: 1 });
const MOST_CELLS = 1000,
  NARROWEST_CELL = 44; // Pixels
function table_of_means() {
  const of = (run, keys) => keys.map(({ name }) => shown(value(run, name))).join(", ");
  const heads = parameters.filter(({ name }) => study.heads.includes(name));
  let [down, across] = [parameters.filter((column) => !heads.includes(column)), heads];
  const varied = (keys) => new Set(list.map((run) => of(run, keys))).size;
  if ((varied(across) + 2) * NARROWEST_CELL > innerWidth) [down, across] = [across, down];
  const cells = new Map();
  for (const run of list) {
    const place = JSON.stringify([of(run, down), of(run, across)]);
    cells.set(place, [...(cells.get(place) ?? []), run]);
  }
  const [rows, tops] = [down, across].map((keys) => [...new Set(list.map((run) => of(run, keys)))]);
  if (!cells.size || cells.size !== rows.length * tops.length || cells.size > MOST_CELLS) return null;
  const numbers = (group) =>
    group.map((run) => value(run, wanted.measure)).filter((one) => typeof one === "number");
  const all = [...cells.values()].map(numbers).filter((one) => one.length).map(average);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const read = make("p", { class: "quiet", "aria-live": "polite" });
  const most = Math.max(...[...cells.values()].map((group) => group.length));
  const told = phrase("Each cell: mean ± standard error of {most} runs. Choose one to see each.", { most });
  if (most > 1) read.append(told);
  const names = (keys) => keys.map(({ label }) => label).join(", ");
  function cell(group) {
    const found = numbers(group);
    if (!found.length) return make("td", {}, "–");
    const [mean, from] = SPREADS.error[1](found);
    const error = found.length > 1 ? `±${rough.format(mean - from)}` : "";
    const tell = () => {
      const text = (run, { name, label }) => `${label} ${shown(value(run, name))}`;
      const where = parameters.map((column) => text(group[0], column)).join(", ");
      const seed = { name: numbered, label: phrase("seed") };
      const each = group.map((run) => `${text(run, seed)}: ${shown(value(run, wanted.measure))}`);
      read.textContent = `${where}: ${said.format(mean)} ${error}${most > 1 ? ` (${each.join(", ")})` : ""}`;
    };
    const style = `--share:${Math.round(100 * (high > low ? (mean - low) / (high - low) : 0.5))}%`;
    const acts = { tabindex: 0, onclick: tell, onfocus: tell, onpointerenter: tell };
    return make("td", { style, ...acts }, said.format(mean), " ", make("small", {}, error));
  }
  const row = (name) => {
    const groups = tops.map((one) => cells.get(JSON.stringify([name, one])));
    return make("tr", {}, make("th", { scope: "row" }, name), ...groups.map(cell));
  };
  const table = make(
    "table",
    { style: `--rows:${rows.length}` },
    make("caption", {}, columns[at[wanted.measure]].label),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("th", { rowspan: 2 }, names(down)),
        make("th", { colspan: tops.length, scope: "colgroup" }, names(across)),
      ),
      make("tr", {}, ...tops.map((name) => make("th", { scope: "col" }, name))),
    ),
    make("tbody", {}, ...rows.map(row)),
  );
  return make("div", { class: "table" }, table, read);
}
// The figure: a measure against a parameter, the mean over runs and its spread. It draws the runs that pass
// the filters.
// Runs that differ in any other parameter are never averaged: each combination of the others is a curve of
// its own.
const HIGH = 320,
  LEFT = 64,
  RIGHT = 12,
  ABOVE = 24,
  BELOW = 46,
  MOST_CURVES = 12,
  APART = 5,
  MOST_POINTS = 500;
let WIDE = 760; // As wide as the page has room for, so that letters keep their size
const around = (value, half) => [value, value - half, value + half];
const average = (list) => list.reduce((sum, number) => sum + number, 0) / list.length;
function deviation(list) {
  const middle = average(list);
  return list.length > 1
    ? Math.sqrt(list.reduce((sum, number) => sum + (number - middle) ** 2, 0) / (list.length - 1))
    : 0;
}
function quantile(list, share) {
  const sorted = [...list].sort((one, other) => one - other),
    place = share * (sorted.length - 1),
    low = Math.floor(place);
  return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}
const SPREADS = {
  error: [
    phrase("standard error"),
    (list) => around(average(list), deviation(list) / Math.sqrt(list.length)),
  ],
  deviation: [phrase("standard deviation"), (list) => around(average(list), deviation(list))],
  quantiles: [
    phrase("median, 10 % to 90 %"),
    (list) => [quantile(list, 0.5), quantile(list, 0.1), quantile(list, 0.9)],
  ],
  range: [phrase("lowest to highest"), (list) => [average(list), Math.min(...list), Math.max(...list)]],
};
const numeric = parameters.filter((column) =>
  runs.some((run) => typeof value(run, column.name) === "number"),
);
// Asked for every run.
const most = (column) => (column.most ??= new Set(runs.map((run) => value(run, column.name))).size);
const by_values = [...numeric].sort((one, other) => most(other) - most(one)).map((column) => column.name);
const chart = { x: by_values[0] || "", spread: "error", log: "" };

function curves() {
  const found = new Map();
  const others = parameters.filter((column) => column.name !== chart.x && most(column) > 1);
  for (const run of runs.filter(passes)) {
    const x = value(run, chart.x),
      y = value(run, wanted.measure);
    if (typeof x !== "number" || typeof y !== "number") continue;
    const name = others
      .map((column) => `${column.label} ${shown(value(run, column.name))}`)
      .join(", ");
    if (!found.has(name)) found.set(name, new Map());
    const points = found.get(name);
    points.set(x, [...(points.get(x) || []), y]);
  }
  const ordered = others.length === 1 && numeric.includes(others[0]);
  return [...found].map(([name, points], order) => ({
    name,
    color: (ordered ? ramp : hue)(order / Math.max(1, found.size - (ordered ? 1 : 0))),
    points: [...points]
      .sort(([one], [other]) => one - other)
      .map(([x, list]) => ({ x, runs: list.length, estimate: SPREADS[chart.spread][1](list) })),
  }));
}
// Of curves in the order of a key, from pale to dark on a light page; of others.
const ramp = (share) => {
  const [part, end] = share < 0.5 ? [50 + 100 * share, "back"] : [170 - 140 * share, "ink"];
  return `color-mix(in oklab, var(--lead) ${Math.round(part)}%, var(--${end}))`;
};
const hue = (share) => `hsl(${Math.round(210 + 360 * share)} 65% 48%)`;
function axis(numbers, from, to, logarithmic) {
  let low = Math.min(...numbers),
    high = Math.max(...numbers);
  const scale = logarithmic && low > 0 ? Math.log10 : (number) => number;
  if (low === high) {
    low -= Math.abs(low) / 2 || 0.5;
    high += Math.abs(high) / 2 || 0.5;
  }
  const place = (number) => from + ((scale(number) - scale(low)) / (scale(high) - scale(low))) * (to - from);
  return { place, ticks: scale === Math.log10 ? decades(low, high) : $axes.ticks(low, high, 5) };
}
function decades(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++)
    for (const digit of [1, 2, 5])
      if (digit * 10 ** power >= low && digit * 10 ** power <= high) found.push(digit * 10 ** power);
  return found;
}
function plot() {
  const room = document.getElementById("figure");
  if (!room?.open) return;
  const svg = room.querySelector("svg"),
    legend = room.querySelector("ul"),
    draw = $axes.draft(svg);
  svg.replaceChildren();
  WIDE = room.clientWidth;
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  legend.replaceChildren();
  const found = curves();
  const many = found.length > MOST_CURVES,
    drawn = found.slice(0, MOST_CURVES),
    points = drawn.flatMap((curve) => curve.points);
  if (many) {
    const counts = { most: MOST_CURVES, count: found.length };
    const told = phrase("the first {most} of {count} curves; filter to see others", counts);
    legend.append(make("li", {}, told));
  }
  if (!points.length)
    return draw("text", { x: WIDE / 2, y: HIGH / 2, "text-anchor": "middle" }, phrase("No run fits."));
  const ends = points.flatMap((point) => point.estimate);
  const aside = (APART * (drawn.length - 1)) / 2;
  const across = axis(
    points.map((point) => point.x),
    LEFT + 8 + aside,
    WIDE - RIGHT - 8 - aside,
    chart.log.includes("x"),
  );
  const [highest, lowest] = [Math.max(...ends), Math.min(0, ...ends)];
  const step = $axes.roundedUp((highest - lowest || 1) / 5);
  const up = axis(
    // to the ticks beyond all that is drawn
    chart.log.includes("y")
      ? ends.filter((number) => number > 0)
      : [lowest, highest].map((end) => Math.sign(end) * step * Math.ceil(Math.abs(end) / step)),
    HIGH - BELOW,
    ABOVE,
    chart.log.includes("y"),
  );
  for (const number of across.ticks) {
    draw("line", {
      class: "grid",
      x1: across.place(number),
      x2: across.place(number),
      y1: ABOVE,
      y2: HIGH - BELOW,
    });
    draw("text", { x: across.place(number), y: HIGH - BELOW + 16, "text-anchor": "middle" }, shown(number));
  }
  for (const number of up.ticks) {
    draw("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: up.place(number), y2: up.place(number) });
    draw("text", { x: LEFT - 6, y: up.place(number) + 4, "text-anchor": "end" }, shown(number));
  }
  draw(
    "text",
    { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 8, "text-anchor": "middle", class: "name" },
    columns[at[chart.x]].label,
  );
  draw("text", { x: 0, y: 12, class: "name" }, columns[at[wanted.measure]].label);
  const height = (number) =>
    up.place(chart.log.includes("y") && number <= 0 ? Math.min(...ends.filter((end) => end > 0)) : number);
  drawn.forEach((curve, order) => {
    const { color } = curve;
    // Bars of one value stand side by side.
    const place = (point) => across.place(point.x) + APART * (order - (drawn.length - 1) / 2);
    draw("polyline", {
      fill: "none",
      stroke: color,
      "stroke-width": 1.5,
      points: curve.points.map((point) => `${place(point)},${height(point.estimate[0])}`).join(" "),
    });
    for (const point of curve.points) {
      const [middle, low, high] = point.estimate,
        x = place(point);
      draw("line", { stroke: color, "stroke-width": 1.5, x1: x, x2: x, y1: height(low), y2: height(high) });
      const dot = draw("circle", { fill: color, cx: x, cy: height(middle), r: 4, tabindex: 0, role: "img" });
      const where = `${curve.name ? `${curve.name}: ` : ""}${columns[at[chart.x]].label} ${shown(point.x)}`;
      const values = { where, value: shown(middle), low: shown(low), high: shown(high), count: point.runs };
      const text = phrase("{where}, {value} ({low} to {high}), runs: {count}", values);
      dot.setAttribute("aria-label", text);
      for (const sign of ["pointerenter", "focus"])
        dot.addEventListener(sign, () => {
          room.querySelector("output").textContent = text;
        });
    }
    if (curve.name) legend.append(make("li", {}, make("i", { style: `background:${color}` }), curve.name));
  });
}
function figure() {
  if (!chart.x || !measures.length) return;
  const choose = (word, options, key) => {
    const list = chooser(word, options, chart[key], (name) => {
      chart[key] = name;
      plot();
    });
    return make("label", {}, make("span", {}, word), list);
  };
  const frame = document.createElement("template");
  frame.innerHTML = `<svg role="group" aria-label="${phrase("Figure")}"></svg>`;
  // Without pictures the figure is what one came for; with very many points along the axis it is drawn when
  // asked for.
  const open = !study.drawn && most(columns[at[chart.x]]) <= MOST_POINTS ? { open: "" } : {};
  const keys = numeric.map((column) => [column.name, column.label]);
  const spreads = Object.entries(SPREADS).map(([name, [label]]) => [name, label]);
  const axes = [
    ["", phrase("no axis")],
    ["x", "x"],
    ["y", "y"],
    ["xy", phrase("x and y")],
  ];
  const room = make(
    "details",
    { id: "figure", ...open, ontoggle: plot },
    make("summary", {}, phrase("Figure")),
    frame.content,
    make("ul"),
    make("output", {}, phrase("Point at a dot to read it.")),
    make(
      "div",
      { class: "row" },
      choose(phrase("Along the axis"), keys, "x"),
      choose(phrase("Spread"), spreads, "spread"),
      choose(phrase("Logarithmic"), axes, "log"),
    ),
  );
  main.before(make("section", { "aria-label": phrase("Figure") }, room));
}
figure();
