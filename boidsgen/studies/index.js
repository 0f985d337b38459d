const { phrase } = $words;
$outer.begin();
const study = JSON.parse(document.getElementById("study").textContent);
const columns = study.columns;
let runs = study.runs;
const down = runs.length / study.across;
if (study.across > 1 && down > study.across && innerWidth > innerHeight) {
  // A matrix lies as the window does: rows become columns.
  runs = runs.map((_, number) => runs[(number % down) * study.across + Math.floor(number / down)]);
  study.across = down;
}
const at = Object.fromEntries(columns.map((column, number) => [column.name, number]));
const parameters = columns.filter((column) => column.role === "parameter");
const measures = columns.filter((column) => column.role === "measure");
for (const column of parameters) column.label = column.label.split(".").map($words.inWords).join(" ");
for (const column of measures) column.label = phrase(column.label, { measure: phrase(column.measure) });
const main = document.getElementById("runs");
// 1 to n rather than fifteen digits.
const numbered = runs.some((run) => typeof run[at.seed_number] === "number") ? "seed_number" : "seed";
const MOST_CHIPS = 12,
  CELL = 220,
  NARROWEST = 90,
  SMALL = 140, // Pixels of a cell below which some scrolling is better
  NARROW = 600,
  GAP = 12,
  NEAR = 3, // between runs that differ in their seeds alone
  LINE = 1.45,
  WAIT = 60;
const HEAD = 40,
  SIDE = 130, // Pixels of the headings of columns, and of rows
  HEAD_ON_PHONE = 68,
  LINE_ON_PHONE = 26, // of a row, above it
  THUMB = 60,
  GAP_ON_PHONE = 6,
  ASIDE_FROM = 1024, // Pixels of a window in which the figure stands beside a matrix that takes a part of it
  ASIDE_PART = 0.62;
const STATUSES = { done: "done", failed: "failed", waiting: "waiting" };
const few = new Intl.NumberFormat(document.documentElement.lang, {
  maximumSignificantDigits: 4,
  useGrouping: false,
});
// Of a measure: two places, as one would say it, and every digit before the point.
const said = new Intl.NumberFormat(document.documentElement.lang, {
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 2,
  maximumFractionDigits: 0,
  roundingPriority: "morePrecision",
  useGrouping: false,
});

const wanted = {
  means: !study.drawn, // in a table, where two keys have all pairs of values
  sort: "",
  descending: false,
  measure: measures.length ? pick(measures) : "",
  chips: {},
  ranges: {},
  text: "",
};

function pick(list) {
  return (list.find((column) => column.name === "mean.polarization") || list[0]).name;
}
function value(run, name) {
  return run[at[name]];
}
function shown(thing) {
  if (thing === null || thing === undefined) return "–";
  return typeof thing === "number" && !Number.isInteger(thing)
    ? few.format(thing)
    : typeof thing === "object"
      ? JSON.stringify(thing)
      : String(thing);
}
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, given] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), given);
    else if (name === "style") element.style.cssText = given;
    else element.setAttribute(name, given);
  }
  element.append(...children);
  return element;
}

// What is shown, and in which order.
function passes(run) {
  for (const [name, chosen] of Object.entries(wanted.chips))
    if (chosen.size && !chosen.has(shown(value(run, name)))) return false;
  for (const [name, [low, high]] of Object.entries(wanted.ranges)) {
    const number = value(run, name);
    if (low === null && high === null) continue;
    if (typeof number !== "number" || (low !== null && number < low) || (high !== null && number > high))
      return false;
  }
  return true;
}
function compare(one, other) {
  if (one === other) return 0;
  if (one === null) return 2; // what is not known comes last, whichever way one sorts
  if (other === null) return -2;
  if (typeof one === "number" && typeof other === "number") return one < other ? -1 : 1;
  return shown(one).localeCompare(shown(other), "en", { numeric: true });
}
function selection() {
  const kept = runs.filter(passes);
  if (!wanted.sort) return wanted.descending ? kept.reverse() : kept;
  const sign = wanted.descending ? -1 : 1;
  return kept.sort((one, other) => {
    const order = compare(value(one, wanted.sort), value(other, wanted.sort));
    return Math.abs(order) === 2 ? order : sign * order;
  });
}

// The grid: only the cards near the window exist.
let list = [],
  cards = new Map(),
  shape = {};
const places = new Map(runs.map((run, number) => [run, number]));
function columnsOfAll() {
  // those that are left of the study's, where the runs shown have a place in each row and column; else none
  if (wanted.sort || !list.length || !study.across) return 0;
  const taken = list.map((run) => places.get(run));
  const across = new Set(taken.map((number) => number % study.across));
  const down = new Set(taken.map((number) => Math.floor(number / study.across)));
  return across.size * down.size === list.length ? across.size : 0;
}
function columnsOf(most) {
  // so many as the study has, or a part of them, as long as all runs stand in their order
  const all = columnsOfAll();
  for (let across = Math.min(most, all); across > 1; across--) if (all % across === 0) return across;
  return most;
}
function measureUp() {
  const before = document.body.classList.contains("roomy");
  document.body.classList.remove("roomy");
  main.style.width = "";
  const width = main.clientWidth,
    em = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const narrow = width < NARROW,
    gap = narrow ? GAP_ON_PHONE : GAP,
    all = columnsOfAll();
  const aside = narrow ? 0 : SIDE; // A phone has headings of rows above them
  const most = Math.floor((width - aside + gap) / ((narrow ? THUMB : NARROWEST) + gap));
  const matrix = all > 1 && columnsOf(most) === all;
  const [left, lead] = matrix ? [aside, narrow ? LINE_ON_PHONE : 0] : [0, 0],
    top = matrix ? (narrow ? HEAD_ON_PHONE : HEAD) : 0;
  const across = matrix
    ? all
    : columnsOf(Math.max(1, Math.floor((width + gap) / ((narrow ? CELL / 1.5 : CELL) + gap))));
  const keys = matrix ? keys_of_heads(across) : new Set();
  const open = [...parameters.map(({ name }) => name), ...(study.seeds ? [numbered] : [])].filter(
    (name) => !keys.has(name),
  );
  const below = Math.ceil(((open.length + (wanted.measure ? 1 : 0)) * LINE + 1.05) * em) + 8;
  const ratio = study.drawn ? (study.height - study.above) / study.width : 0,
    rows = Math.ceil(list.length / across);
  let wide = (width - left - gap * (across - 1)) / across;
  if (study.drawn) wide = Math.min(wide, study.width); // no picture is enlarged
  if (matrix) {
    // all of it on one screen, if its cells can be read then
    const room = ((innerHeight - main.offsetTop - top) / rows - gap - lead - below) / ratio;
    wide = Math.min(wide, Math.max(room, SMALL));
  }
  const picture = Math.round(wide * ratio);
  const same = ({ name }) => value(list[per], name) === value(list[0], name);
  let per = 1; // Columns under one heading: seeds of the same values
  while (matrix && per < across && parameters.every(same)) per++;
  shape = {
    across,
    wide,
    picture,
    high: picture + below,
    matrix,
    per: per < across ? per : 1,
    open,
    left,
    top,
    gap,
    lead,
    pitch: lead + picture + below + gap,
  };
  main.classList.toggle("matrix", matrix);
  main.classList.toggle("seeds", shape.per > 1);
  main.style.height = `${top + Math.max(0, rows * shape.pitch)}px`;
  const taken = left + across * (wide + gap);
  const figure = document.getElementById("figure");
  const roomy = matrix && innerWidth >= ASIDE_FROM && taken < ASIDE_PART * width && !runs.some(is_page);
  if (!figure || !(roomy || before)) return;
  document.body.classList.toggle("roomy", roomy);
  main.style.width = roomy ? `${taken}px` : "";
  if (roomy !== before) figure.open = roomy; // where the matrix leaves it room
}
function lay(means) {
  // as wide as the page, or beside the figure
  main.style.width = main.style.height = "";
  shape = {};
  document.body.classList.toggle("roomy", innerWidth >= ASIDE_FROM);
  main.append(means);
}
function keys_of_heads(across) {
  // those that all runs of each column, or of each row, have in common
  const groups = [...Array(across).keys()].map((column) =>
    list.filter((_, number) => number % across === column),
  );
  const lines = [...Array(Math.ceil(list.length / across)).keys()].map((row) =>
    list.slice(row * across, (row + 1) * across),
  );
  const names = [...parameters.map(({ name }) => name), ...(study.seeds ? [numbered] : [])];
  return new Set(
    names.filter((name) => [groups, lines].some((some) => some.every((group) => alike(group, name)))),
  );
}
function alike(group, name) {
  return group.every((run) => compare(value(run, name), value(group[0], name)) === 0);
}
function draw() {
  if (document.body.classList.contains("means")) return;
  const top = main.getBoundingClientRect().top + shape.top,
    { pitch } = shape;
  const first = Math.max(0, Math.floor((-top - pitch) / pitch)) * shape.across;
  const last = Math.min(list.length, (Math.ceil((innerHeight - top) / pitch) + 1) * shape.across);
  const fresh = new Map();
  for (let number = first; number < last; number++) {
    const old = cards.get(number);
    cards.delete(number);
    fresh.set(number, old || place(card(list[number]), number));
  }
  for (const old of cards.values()) remove(old);
  cards = fresh;
}
function place(element, number) {
  const row = Math.floor(number / shape.across),
    column = number % shape.across;
  const [left, top] = [leftOf(column), shape.top + row * shape.pitch + shape.lead];
  element.style.cssText = `width:${shape.wide}px;height:${shape.high}px;left:${left}px;top:${top}px`;
  main.append(element);
  return element;
}
function leftOf(column) {
  return shape.left + column * (shape.wide + shape.gap) - (column % shape.per) * (shape.gap - NEAR);
}
function heads() {
  // of a matrix: what the runs of a column, and of a row, have in common
  for (const old of main.querySelectorAll("h2, .heads")) old.remove();
  const { across, wide, high, left, top, matrix, per, pitch, lead } = shape;
  if (!matrix) return;
  const seeds = study.seeds && per === 1 ? [{ name: numbered, label: phrase("seed") }] : [];
  const keys = [...parameters, ...seeds];
  const head = (group) =>
    keys
      .filter(({ name }) => alike(group, name) && !alike(list, name))
      .map(({ name, label }) => `${label} ${shown(value(group[0], name))}`)
      .join(", ");
  const line = main.appendChild(make("div", { class: "heads", style: `height:${top}px;top:${sticky()}px` }));
  const corner = left ? `width:${left}px` : "";
  if (wanted.measure) line.append(make("b", { style: corner }, columns[at[wanted.measure]].label));
  for (let column = 0; column < across; column += per) {
    const style = `left:${leftOf(column)}px;width:${per * (wide + NEAR) - NEAR}px`;
    line.append(make("h2", { style }, head(list.filter((_, number) => number % across === column))));
  }
  for (let row = 0; row < list.length / across; row++) {
    const size = lead ? `height:${lead}px` : `height:${high}px;width:${left}px`;
    const style = `top:${top + row * pitch}px;${size}`;
    main.append(make("h2", { class: "down", style }, head(list.slice(row * across, (row + 1) * across))));
  }
}
function sticky() {
  // where headings stay in sight: below the controls, where those stay
  const controls = document.getElementById("controls");
  return getComputedStyle(controls).position === "sticky" ? controls.offsetHeight : 0;
}
function remove(element) {
  element.stop();
  element.remove();
}
function refresh() {
  for (const element of cards.values()) remove(element);
  cards = new Map();
  list = selection();
  main.querySelector(".table")?.remove();
  const means = wanted.means && !wanted.sort && table_of_means();
  document.body.classList.toggle("means", !!means);
  if (means) lay(means);
  else measureUp();
  plot();
  heads();
  main.querySelector(".none")?.remove();
  if (!list.length) main.append(make("p", { class: "none" }, phrase("No run fits.")));
  document.getElementById("count").textContent = phrase(
    list.length === runs.length ? "Runs: {all}" : "Runs: {count} of {all}",
    { count: list.length, all: runs.length },
  );
  draw();
}

// One card.
function card(run) {
  const element = make("article", { "data-run": value(run, "run") });
  const film = study.drawn ? picture(run, element) : { play() {}, stop() {} };
  element.stop = film.stop;
  element.addEventListener("pointerenter", film.play);
  element.addEventListener("pointerleave", film.stop);
  element.addEventListener("focusin", film.play);
  element.addEventListener("focusout", film.stop);
  element.append(...facts(run));
  return element;
}
function facts(run) {
  const facts = make("dl");
  for (const column of parameters)
    if (shape.open.includes(column.name))
      facts.append(fact(column.label, value(run, column.name), column.name));
  if (study.seeds && shape.open.includes(numbered))
    facts.append(fact(phrase("seed"), value(run, numbered), "seed"));
  if (!wanted.measure) return [facts];
  const column = columns[at[wanted.measure]],
    number = value(run, wanted.measure);
  const text = Number.isInteger(number) || number === null ? shown(number) : said.format(number);
  const label = shape.per > 1 ? `${phrase("seed")} ${shown(value(run, numbered))}` : column.label;
  const last = facts.appendChild(fact(label, number, column.name, text));
  last.className = "measured";
  return [facts, scale(column, number)];
}
function fact(label, thing, title, text = shown(thing)) {
  const exact = typeof thing === "number" ? String(thing) : shown(thing);
  return make("div", {}, make("dt", { title }, label), make("dd", { title: exact }, text));
}
function extent(column) {
  if (!column.extent) {
    const numbers = runs.map((run) => run[at[column.name]]).filter((number) => typeof number === "number");
    column.extent = numbers.reduce(
      ([low, high], number) => [Math.min(low, number), Math.max(high, number)],
      [0, 0],
    );
  }
  return column.extent;
}
function scale(column, number) {
  const [low, high] = extent(column),
    share = typeof number === "number" && high > low ? (number - low) / (high - low) : 0;
  return make("div", { class: "scale" }, make("i", { style: `width:${100 * share}%` }));
}
function picture(run, element) {
  const file = value(run, "file"),
    status = value(run, "status");
  const frame = make(status === "done" ? "a" : "div", {
    class: "picture",
    style: `height:${shape.picture}px`,
  });
  element.append(frame);
  if (status !== "done") {
    frame.append(
      make("p", { class: status }, status === "failed" ? value(run, "reason") : phrase("not done yet")),
    );
    return { play() {}, stop() {} };
  }
  const path = address(file);
  frame.href = path;
  frame.setAttribute("aria-label", value(run, "run"));
  // The title, which all have in common, is cut off.
  frame.style.setProperty("--whole", `${(100 * study.height) / (study.height - study.above)}%`);
  const ending = ending_of(file);
  if (!ending) return series(frame, path, value(run, "frames"));
  if (study.elements[ending] === "iframe") return cell(frame, path, run);
  return study.elements[ending] === "video"
    ? film(frame, path, value(run, "frames"))
    : animation(frame, path, value(run, "poster"));
}
function address(file) {
  return file.split("/").map(encodeURIComponent).join("/");
}
function ending_of(file) {
  return Object.keys(study.elements).find((ending) => file.endsWith(ending));
} // none: a folder of pictures
function is_page(run) {
  return value(run, "status") === "done" && study.elements[ending_of(value(run, "file"))] === "iframe";
}
function lastOf(frames) {
  return Math.max(0, frames - 1 - study.seam);
} // before the clip fades into its beginning, where runs look alike
function later(work) {
  return setTimeout(work, WAIT);
} // who scrolls past loads nothing

function animation(frame, path, poster) {
  // a GIF cannot be stopped: a picture of its end, or else its first one, is shown instead
  const canvas = frame.appendChild(make("canvas")),
    first = new Image();
  first.onload = () => {
    canvas.width = first.naturalWidth;
    canvas.height = first.naturalHeight;
    canvas.getContext("2d").drawImage(first, 0, 0);
    first.onload = null;
    first.removeAttribute("src");
  };
  const timer = later(() => {
    first.src = poster || path;
  });
  let moving = null;
  return {
    play() {
      moving ??= frame.appendChild(make("img", { src: path, alt: "" }));
    },
    stop() {
      clearTimeout(timer);
      moving?.remove();
      moving = null;
    },
  };
}
function cell(frame, path, run) {
  const timer = later(() => frame.append($lockstep.cellOf({ src: path }, value(run, "run"))));
  return {
    play() {},
    stop() {
      clearTimeout(timer);
    },
  };
}
function film(frame, path, frames) {
  const late = Math.max(0.001, lastOf(frames) / study.fps);
  const video = frame.appendChild(
    make("video", { muted: "", loop: "", playsinline: "", preload: "metadata" }),
  );
  video.muted = true;
  const timer = later(() => {
    video.src = `${path}#t=${late}`;
  });
  return {
    play() {
      if (video.readyState) video.currentTime = 0;
      video.play()?.catch(() => {});
    },
    stop() {
      clearTimeout(timer);
      video.pause();
      if (video.readyState) video.currentTime = late;
    },
  };
}
function series(frame, path, frames) {
  const digits = Math.max(4, String(frames).length);
  const name = (number) => `${path}/frame_${String(number + 1).padStart(digits, "0")}.png`;
  const image = frame.appendChild(make("img", { alt: "" }));
  let timer = null,
    number = lastOf(frames);
  const load = later(() => {
    image.src = name(number);
  });
  return {
    play() {
      timer ??= setInterval(() => {
        number = (number + 1) % frames;
        image.src = name(number);
      }, 1000 / study.fps);
    },
    stop() {
      clearTimeout(load);
      clearInterval(timer);
      timer = null;
      number = lastOf(frames);
      if (image.src) image.src = name(number);
    },
  };
}

// Controls.
function chips(column, values) {
  const chosen = (wanted.chips[column.name] = new Set());
  const buttons = values.map((text) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        onclick(event) {
          chosen.has(text) ? chosen.delete(text) : chosen.add(text);
          event.target.setAttribute("aria-pressed", chosen.has(text));
          refresh();
        },
      },
      column.name === "status" ? phrase(STATUSES[text]) : text,
    ),
  );
  return make(
    "fieldset",
    { "data-of": column.name },
    make("legend", { title: column.name }, column.name === "status" ? phrase("status") : column.label),
    make("div", { class: "row" }, ...buttons),
  );
}
function bounds(column) {
  const range = (wanted.ranges[column.name] = [null, null]);
  const field = (end, word) =>
    make("input", {
      type: "number",
      step: "any",
      placeholder: word,
      "aria-label": `${column.label} ${word}`,
      oninput(event) {
        range[end] = event.target.value === "" ? null : event.target.valueAsNumber;
        refresh();
      },
    });
  return make(
    "fieldset",
    {},
    make("legend", { title: column.name }, column.label),
    make("div", { class: "row" }, field(0, phrase("from")), field(1, phrase("to"))),
  );
}
function chooser(label, options, chosen, change) {
  const list = make(
    "select",
    { onchange: (event) => change(event.target.value) },
    ...options.map(([name, text]) => make("option", { value: name }, text)),
  );
  list.value = chosen;
  list.setAttribute("aria-label", label);
  return list;
}
function filter(column) {
  const values = [...new Set(runs.map((run) => run[at[column.name]]))];
  if (values.length < 2) return [];
  const numbers = values.every((thing) => typeof thing === "number" || thing === null);
  if (values.length <= MOST_CHIPS) return [chips(column, values.sort(compare).map(shown))];
  return numbers ? [bounds(column)] : [];
}
function controls() {
  const form = document.getElementById("controls");
  form.addEventListener("submit", (event) => event.preventDefault());
  const order = [
    ["", phrase("order of the sweep")],
    ...(study.seeds ? [["seed", phrase("seed")]] : []),
    ...[...parameters, ...measures].map((column) => [column.name, column.label]),
    ["seconds", phrase("time spent")],
  ];
  const turn = phrase("Turn the order round");
  function onclick({ target }) {
    wanted.descending = !wanted.descending;
    target.setAttribute("aria-pressed", wanted.descending);
    target.textContent = wanted.descending ? "↓" : "↑";
    refresh();
  }
  const named = { title: turn, "aria-label": turn, "aria-pressed": "false" };
  const direction = make("button", { type: "button", ...named, onclick }, "↑");
  const sort = chooser(phrase("Sort by"), order, "", (name) => {
    wanted.sort = name;
    if (measures.some((column) => column.name === name)) measured(name);
    refresh();
  });
  const field = (label, ...inside) =>
    make("fieldset", {}, make("legend", {}, label), make("div", { class: "row" }, ...inside));
  const room = make("div");
  function measured(name) {
    if (wanted.measure) delete wanted.ranges[wanted.measure];
    wanted.measure = name;
    which.value = name;
    room.replaceChildren(bounds(columns[at[name]]));
  }
  const options = measures.map((column) => [column.name, column.label]);
  const which = chooser(phrase("Measure"), options, wanted.measure, (name) => {
    measured(name);
    refresh();
  });
  if (measures.length) measured(wanted.measure);
  const seeds = study.seeds ? [{ ...columns[at[numbered]], label: phrase("seed") }] : [];
  const filters = [...parameters, ...seeds, columns[at.status]].flatMap(filter);
  const ways = [
    ["", phrase("each run")],
    ["means", phrase("means")],
  ];
  const way = chooser(phrase("Drawn as"), ways, wanted.means ? "means" : "", (name) => {
    wanted.means = name !== "";
    refresh();
  });
  form.append(
    ...(measures.length ? [make("label", {}, make("span", {}, phrase("Measure")), " ", which)] : []),
    make("output", { id: "count" }),
    make(
      "details",
      {},
      make("summary", {}, phrase("Order and filters")),
      make(
        "div",
        { class: "filters" },
        field(phrase("Sort by"), sort, direction),
        ...(measures.length && study.heads.length ? [field(phrase("Drawn as"), way)] : []),
        room,
        ...filters,
      ),
    ),
  );
}
function summary() {
  const tally = {};
  for (const run of runs) tally[value(run, "status")] = (tally[value(run, "status")] || 0) + 1;
  const counted = Object.entries(tally)
    .map(([status, number]) => `${number} ${phrase(STATUSES[status])}`)
    .join(", ");
  const list = new Intl.ListFormat(document.documentElement.lang);
  const seeds = study.seeds ? [phrase("seed")] : [];
  const keys = list.format([...parameters.map(({ label }) => label), ...seeds]);
  const alone = tally.done === runs.length && keys;
  const told = alone ? phrase("The runs differ in {keys}.", { keys }) : `${counted}.`;
  const sentence = document.getElementById("summary");
  const then = !study.drawn
    ? ""
    : phrase(runs.some(is_page) ? "Click a picture to open its page." : "Point at a picture to play it.");
  sentence.append(`${told} ${then} `, make("a", { href: "manifest.csv" }, phrase("Table")));
  sentence.append(".");
}

summary();
controls();
@chart@
@cells@
refresh();
// Where seeds leave no room for the matrix, it begins with one of them.
if (study.drawn && study.across > 1 && !shape.matrix)
  document.querySelector(`[data-of="${numbered}"] button`)?.click();
let due = false;
function soon() {
  if (!due)
    requestAnimationFrame(() => {
      due = false;
      draw();
    });
  due = true;
}
addEventListener("scroll", soon, { passive: true });
addEventListener("resize", () => {
  const across = shape.wide;
  if (!document.body.classList.contains("means")) measureUp();
  plot();
  if (shape.wide !== across || wanted.means) refresh();
  else soon();
});
