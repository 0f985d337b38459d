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
document.getElementById("how").textContent = phrase(
  "Each cell shows the {of}. Click, even between cells, to watch one run with those values (seed {seed}).",
  { of, seed },
);
const [svg, dot, stage, found] = ["map", "dot", "stage", "found"].map((id) => document.getElementById(id));
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
  if (!Number.isInteger(across) || !Number.isInteger(up)) return phrase("between runs");
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
  dot.setAttribute("cx", LEFT + ((places[0] + 0.5) * WIDE) / axes[0].values.length);
  dot.setAttribute("cy", HIGH - ((places[1] + 0.5) * HIGH) / axes[1].values.length);
  inputs.forEach((input, number) => {
    input.nextElementSibling.value = $words.numeral(`${values[number]}`);
    input.ariaValueText = `${values[number]}`;
  });
  const where = axes.map(({ label }, number) => `${label} ${$words.numeral(`${values[number]}`)}`).join(", ");
  found.textContent = `${where}: ${found_by_runs(places)}`;
  return values;
}

// Starts the simulation of the point.
function start() {
  const [x, y] = mark();
  const frame = document.createElement("iframe");
  frame.title = found.textContent;
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.srcdoc = [["@across@", x], ["@up@", y]].reduce(
    (text, [name, value]) => text.replaceAll(`"${name}"`, value).replaceAll(name, value),
    page,
  );
  stage.replaceChildren(frame);
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
