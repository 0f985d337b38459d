// The figure as a heat map: the mean of a measure over the runs with two values. It draws the runs that pass
// the filters.
// Runs that differ in a third parameter are never averaged: one has to choose among its values first.
const MOST_CELLS = 10000,
  MOST_NAMES = 12,
  ASIDE = 88;
const shade = (share) => `hsl(${Math.round(215 - 30 * share)} 70% ${Math.round(90 - 65 * share)}%)`;

function cells() {
  const found = new Map();
  for (const run of runs.filter(passes)) {
    const x = value(run, chart.x),
      y = value(run, chart.second),
      number = value(run, chart.measure);
    if (typeof x !== "number" || typeof y !== "number" || typeof number !== "number") continue;
    const key = JSON.stringify([x, y]);
    if (!found.has(key)) found.set(key, { x, y, list: [] });
    found.get(key).list.push(number);
  }
  return [...found.values()];
}
function open_keys() {
  const kept = runs.filter(passes);
  return parameters.filter(
    (column) =>
      ![chart.x, chart.second].includes(column.name) &&
      new Set(kept.map((run) => shown(value(run, column.name)))).size > 1,
  );
}
function names(list) {
  const step = Math.ceil(list.length / MOST_NAMES);
  return list.map((number, order) => [number, order]).filter(([, order]) => order % step === 0);
}
function plot_heat(room, draw) {
  const say = (text) => draw("text", { x: WIDE / 2, y: HIGH / 2, "text-anchor": "middle" }, text);
  if (!chart.second || chart.second === chart.x)
    return say(phrase("A heat map needs two parameters that are numbers."));
  const open = open_keys();
  if (open.length) {
    const list = new Intl.ListFormat(document.documentElement.lang);
    const keys = list.format(open.map((column) => column.label));
    return say(phrase("Choose one value of {keys} above.", { keys }));
  }
  const found = cells(),
    sorted = (of) => [...new Set(found.map(of))].sort((one, other) => one - other);
  const across = sorted((cell) => cell.x),
    up = sorted((cell) => cell.y);
  if (!found.length) return say(phrase("No run fits."));
  if (across.length * up.length > MOST_CELLS)
    return say(phrase("More than {most} cells; filter to see some of them.", { most: MOST_CELLS }));
  const means = found.map((cell) => average(cell.list)),
    low = Math.min(...means),
    high = Math.max(...means);
  const wide = (WIDE - ASIDE - RIGHT - 90) / across.length,
    tall = (HIGH - ABOVE - BELOW) / up.length;
  const left = (x) => ASIDE + across.indexOf(x) * wide,
    top = (y) => HIGH - BELOW - (up.indexOf(y) + 1) * tall;
  found.forEach((cell, order) => {
    const box = draw("rect", {
      x: left(cell.x),
      y: top(cell.y),
      width: wide,
      height: tall,
      tabindex: 0,
      role: "img",
      fill: shade(high > low ? (means[order] - low) / (high - low) : 0.5),
    });
    const [x, y] = [chart.x, chart.second].map((name) => columns[at[name]].label);
    const where = `${x} ${shown(cell.x)}, ${y} ${shown(cell.y)}`;
    const values = { where, value: shown(means[order]), count: cell.list.length };
    const text = phrase("{where}: {value}, runs: {count}", values);
    box.setAttribute("aria-label", text);
    for (const sign of ["pointerenter", "focus"])
      box.addEventListener(sign, () => {
        room.querySelector("output").textContent = text;
      });
  });
  for (const [number] of names(across))
    draw(
      "text",
      { x: left(number) + wide / 2, y: HIGH - BELOW + 16, "text-anchor": "middle" },
      shown(number),
    );
  for (const [number] of names(up))
    draw("text", { x: ASIDE - 6, y: top(number) + tall / 2 + 4, "text-anchor": "end" }, shown(number));
  const steps = 24,
    bar = (HIGH - ABOVE - BELOW) / steps,
    edge = WIDE - RIGHT - 76;
  for (let step = 0; step < steps; step++)
    draw("rect", {
      class: "scale",
      x: edge,
      y: HIGH - BELOW - (step + 1) * bar,
      width: 14,
      height: bar + 0.5,
      fill: shade(step / (steps - 1)),
    });
  draw("text", { x: edge + 20, y: HIGH - BELOW }, shown(low));
  draw("text", { x: edge + 20, y: ABOVE + 10 }, shown(high));
  draw(
    "text",
    { x: (ASIDE + edge) / 2, y: HIGH - 8, "text-anchor": "middle", class: "name" },
    columns[at[chart.x]].label,
  );
  draw(
    "text",
    {
      transform: `translate(12 ${(ABOVE + HIGH - BELOW) / 2}) rotate(-90)`,
      "text-anchor": "middle",
      class: "name",
    },
    columns[at[chart.second]].label,
  );
  draw(
    "text",
    { x: edge + 14, y: 12, "text-anchor": "end", class: "name" },
    columns[at[chart.measure]].label,
  );
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
const chart = {
  kind: "curves",
  x: by_values[0] || "",
  second: by_values[1] || "",
  measure: "",
  spread: "error",
  log: "",
};

function curves() {
  const found = new Map();
  for (const run of runs.filter(passes)) {
    const x = value(run, chart.x),
      y = value(run, chart.measure);
    if (typeof x !== "number" || typeof y !== "number") continue;
    const name = parameters
      .filter((column) => column.name !== chart.x && most(column) > 1)
      .map((column) => `${column.label} ${shown(value(run, column.name))}`)
      .join(", ");
    if (!found.has(name)) found.set(name, new Map());
    const points = found.get(name);
    points.set(x, [...(points.get(x) || []), y]);
  }
  return [...found].map(([name, points]) => ({
    name,
    points: [...points]
      .sort(([one], [other]) => one - other)
      .map(([x, list]) => ({ x, runs: list.length, estimate: SPREADS[chart.spread][1](list) })),
  }));
}
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
  for (const field of room.querySelectorAll("label[data-of]")) field.hidden = field.dataset.of !== chart.kind;
  if (chart.kind === "heat") return plot_heat(room, draw);
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
  const across = axis(
    points.map((point) => point.x),
    LEFT + 8,
    WIDE - RIGHT - 8,
    chart.log.includes("x"),
  );
  const up = axis(
    chart.log.includes("y") ? ends.filter((number) => number > 0) : [0, ...ends],
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
  draw("text", { x: 0, y: 12, class: "name" }, columns[at[chart.measure]].label);
  const height = (number) =>
    up.place(chart.log.includes("y") && number <= 0 ? Math.min(...ends.filter((end) => end > 0)) : number);
  drawn.forEach((curve, order) => {
    const color = `hsl(${Math.round(210 + (360 * order) / Math.max(1, drawn.length))} 65% 48%)`;
    draw("polyline", {
      fill: "none",
      stroke: color,
      "stroke-width": 1.5,
      points: curve.points.map((point) => `${across.place(point.x)},${height(point.estimate[0])}`).join(" "),
    });
    for (const point of curve.points) {
      const [middle, low, high] = point.estimate,
        x = across.place(point.x);
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
  chart.measure = wanted.measure;
  const choose = (word, options, key, of = "") =>
    make(
      "label",
      of ? { "data-of": of } : {},
      make("span", {}, word),
      chooser(word, options, chart[key], (name) => {
        chart[key] = name;
        plot();
      }),
    );
  const frame = document.createElement("template");
  frame.innerHTML = `<svg role="group" aria-label="${phrase("Figure")}"></svg>`;
  // Without pictures the figure is what one came for; with very many points along the axis it is drawn when
  // asked for.
  const open = !study.drawn && most(columns[at[chart.x]]) <= MOST_POINTS ? { open: "" } : {};
  main.before(
    make(
      "section",
      { "aria-label": phrase("Figure") },
      make(
        "details",
        { id: "figure", ...open, ontoggle: plot },
        make("summary", {}, phrase("Figure")),
        make(
          "div",
          { class: "row" },
          ...(numeric.length > 1
            ? [
                choose(
                  phrase("Drawn as"),
                  [
                    ["curves", phrase("curves")],
                    ["heat", phrase("heat map")],
                  ],
                  "kind",
                ),
              ]
            : []),
          choose(
            phrase("Along the axis"),
            numeric.map((column) => [column.name, column.label]),
            "x",
          ),
          choose(
            phrase("Upwards"),
            numeric.map((column) => [column.name, column.label]),
            "second",
            "heat",
          ),
          choose(
            phrase("Measure drawn"),
            measures.map((column) => [column.name, column.label]),
            "measure",
          ),
          choose(
            phrase("Spread"),
            Object.entries(SPREADS).map(([name, [label]]) => [name, label]),
            "spread",
            "curves",
          ),
          choose(
            phrase("Logarithmic"),
            [
              ["", phrase("no axis")],
              ["x", "x"],
              ["y", "y"],
              ["xy", phrase("x and y")],
            ],
            "log",
            "curves",
          ),
          make("output", {}, phrase("Point at a dot or a cell to read it.")),
        ),
        frame.content,
        make("ul"),
      ),
    ),
  );
}
figure();
