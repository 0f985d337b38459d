// A map of a measure: a click, or the sliders below, start the simulation of that point beside it.
const { phrase } = $words;
$outer.begin();
const { page, axes, seed, points, ...told } = JSON.parse(document.getElementById("data").textContent);
const [of, spread] = [phrase(told.of, told.runs), phrase(told.spread)];
const [measure, unit] = told.measure.map((words) => phrase(words));
const shown = unit ? `${measure} (${unit})` : measure;
const heading = shown[0].toUpperCase() + shown.slice(1);
const title = `${heading}, ${of}`;
document.querySelector("h1").textContent = heading;
document.getElementById("of").textContent = of;
document.getElementById("map").ariaLabel = title;
document.getElementById("bar").ariaLabel = phrase("Colors: {title}", { title });
const uncertain = ` ${phrase("Hatched: error above a tenth of the range.")}`;
const hatched = document.querySelector(".uncertain") ? uncertain : "";
const how = phrase("Click, even between cells, to watch one run with those values (seed {seed}).", { seed });
document.getElementById("how").textContent = how + hatched;
const [svg, dot, stage, found, run] = ["map", "dot", "stage", "found", "run"].map((id) =>
  document.getElementById(id),
);
const leader = new $lockstep.Leader();
const inputs = ["x", "y"].map((id) => document.getElementById(id));
const [LEFT, WIDE, HIGH] = [70, 480, 400]; // as in reports.py
const SNAP = 0.2; // Part of a cell within which a click means its run

// The value of an axis at a place, where whole numbers are runs.
function valueOf({ values, whole }, place) {
  const before = Math.min(Math.floor(place), values.length - 2);
  const value = values[before] + (place - before) * (values[before + 1] - values[before]);
  return whole ? Math.round(value) : Number(value.toPrecision(4));
}

// A number as in cells: in two digits, or whole.
function brief(number) {
  const whole = Math.abs(number) >= 99.5;
  return $words.numeral(whole ? `${Math.round(number)}` : number.toPrecision(2));
}

// What the sweep has found there, in words.
function found_by_runs([across, up]) {
  const near = (place) => [...new Set([Math.floor(place), Math.ceil(place)])];
  const around = near(up).flatMap((row) => near(across).map((column) => points[row][column]));
  const values = around.flatMap((one) => (one ? brief(one[0]) : [])).join("; ");
  if (around.length > 1) return phrase("between runs with {values}", { values });
  const point = points[up][across];
  if (!point) return phrase("not measured");
  const [value, low, high] = point.map(brief);
  if (told.runs.most === 1) return value;
  return phrase("{value}, {low} to {high} ({spread})", { value, low, high, spread });
}

// Marks the point of the sliders; with its values.
function mark() {
  const places = inputs.map((input) => input.valueAsNumber);
  const values = places.map((place, number) => {
    const run = Math.round(place) === place;
    return run ? axes[number].values[place] : valueOf(axes[number], place);
  });
  // The frame of a cell, or a dot between cells: neither hides a number.
  const [wide, high] = [WIDE / axes[0].values.length, HIGH / axes[1].values.length];
  const [width, height] = places.every(Number.isInteger) ? [wide, high] : [14, 14];
  const [x, y] = [LEFT + (places[0] + 0.5) * wide - width / 2, HIGH - (places[1] + 0.5) * high - height / 2];
  for (const [name, size] of Object.entries({ x, y, width, height })) dot.setAttribute(name, size);
  inputs.forEach((input, number) => {
    input.nextElementSibling.value = $words.numeral(`${values[number]}`);
    input.ariaValueText = `${values[number]}`;
  });
  const where = axes.map(({ label }, number) => `${label} ${$words.numeral(`${values[number]}`)}`).join(", ");
  found.textContent = `${where}: ${found_by_runs(places)}`;
  return [where, ...values];
}

// Starts the simulation of the point.
function start() {
  const [where, x, y] = mark();
  const frame = document.createElement("iframe");
  frame.title = found.textContent;
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  const srcdoc = [["@across@", x], ["@up@", y]].reduce(
    (text, [name, value]) => text.replaceAll(`"${name}"`, value).replaceAll(name, value),
    page.replaceAll("@chosen@", where),
  );
  frame.srcdoc = srcdoc;
  stage.replaceChildren(frame);
  if (told.name) compare(srcdoc);
}

// What the run has over the frames of the cells: a page out of sight computes them all at once.
function compare(srcdoc) {
  run.textContent = "";
  const cell = $lockstep.cellOf({ srcdoc }, "");
  cell.ariaHidden = "true";
  for (const old of leader.cells) old.remove();
  document.body.append(cell);
  leader.show(told.frames - 1, 0, [], told.name);
  let missing = Infinity;
  leader.heard = () => {
    const { values } = leader.answers.get(cell) ?? { values: [] };
    const known = values.filter((one) => typeof one === "number");
    const unknown = values.filter((one) => one === undefined).length;
    if (values.length < told.frames || (unknown && unknown < missing)) {
      missing = unknown;
      return setTimeout(() => leader.post(cell));
    }
    cell.remove();
    if (unknown || !known.length) return;
    const mean = known.reduce((sum, one) => sum + one, 0) / known.length;
    const value = brief(told.kind === "mean" ? mean : known.at(-1));
    run.textContent = phrase("The run shown, over the same frames: {value}", { value });
  };
}

axes.forEach(({ label, values }, number) => {
  const input = inputs[number];
  input.max = values.length - 1;
  input.value = Math.floor(values.length / 2);
  input.previousElementSibling.textContent = label;
  document.getElementById(["across", "up"][number]).textContent = label;
  input.addEventListener("input", mark);
  input.addEventListener("change", start);
});
svg.addEventListener("click", ({ clientX, clientY }) => {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  if (x < LEFT || x > LEFT + WIDE || y < 0 || y > HIGH) return;
  [(x - LEFT) / WIDE, 1 - y / HIGH].forEach((share, number) => {
    const place = share * axes[number].values.length - 0.5;
    const run = Math.round(place);
    inputs[number].value = Math.abs(place - run) < SNAP ? run : place;
  });
  start();
});
start();
