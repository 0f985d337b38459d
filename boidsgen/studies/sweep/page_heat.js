// The figure as a heat map: the mean of a measure over the runs with two values. It draws the runs that pass the filters.
// Runs that differ in a third parameter are never averaged: one has to choose among its values first.
const MOST_CELLS = 10000, MOST_NAMES = 12, ASIDE = 88;
const shade = share => `hsl(${Math.round(215 - 30 * share)} 70% ${Math.round(90 - 65 * share)}%)`;

function cells() {
  const found = new Map();
  for (const run of runs.filter(passes)) {
    const x = value(run, chart.x), y = value(run, chart.second), number = value(run, chart.measure);
    if (typeof x !== "number" || typeof y !== "number" || typeof number !== "number") continue;
    const key = JSON.stringify([x, y]);
    if (!found.has(key)) found.set(key, {x, y, list: []});
    found.get(key).list.push(number);
  }
  return [...found.values()];
}
function open_keys() {
  const kept = runs.filter(passes);
  return parameters.filter(column => ![chart.x, chart.second].includes(column.name) && new Set(kept.map(run => shown(value(run, column.name)))).size > 1);
}
function names(list) {
  const step = Math.ceil(list.length / MOST_NAMES);
  return list.map((number, order) => [number, order]).filter(([, order]) => order % step === 0);
}
function plot_heat(room, draw) {
  const say = text => draw("text", {x: WIDE / 2, y: HIGH / 2, "text-anchor": "middle"}, text);
  if (!chart.second || chart.second === chart.x) return say("A heat map needs two parameters that are numbers.");
  const open = open_keys();
  if (open.length) return say(`Choose one value of ${open.map(column => column.label).join(" and ")} above.`);
  const found = cells(), sorted = of => [...new Set(found.map(of))].sort((one, other) => one - other);
  const across = sorted(cell => cell.x), up = sorted(cell => cell.y);
  if (!found.length) return say("No run fits.");
  if (across.length * up.length > MOST_CELLS) return say(`More than ${MOST_CELLS} cells; filter to see some of them.`);
  const means = found.map(cell => average(cell.list)), low = Math.min(...means), high = Math.max(...means);
  const wide = (WIDE - ASIDE - RIGHT - 90) / across.length, tall = (HIGH - ABOVE - BELOW) / up.length;
  const left = x => ASIDE + across.indexOf(x) * wide, top = y => HIGH - BELOW - (up.indexOf(y) + 1) * tall;
  found.forEach((cell, order) => {
    const box = draw("rect", {x: left(cell.x), y: top(cell.y), width: wide, height: tall, tabindex: 0, fill: shade(high > low ? (means[order] - low) / (high - low) : .5)});
    const text = `${chart.x} ${shown(cell.x)}, ${chart.second} ${shown(cell.y)}: ${shown(means[order])}, ${cell.list.length} runs`;
    box.setAttribute("aria-label", text);
    for (const sign of ["pointerenter", "focus"]) box.addEventListener(sign, () => { room.querySelector("output").textContent = text; });
  });
  for (const [number] of names(across)) draw("text", {x: left(number) + wide / 2, y: HIGH - BELOW + 16, "text-anchor": "middle"}, shown(number));
  for (const [number] of names(up)) draw("text", {x: ASIDE - 6, y: top(number) + tall / 2 + 4, "text-anchor": "end"}, shown(number));
  const steps = 24, bar = (HIGH - ABOVE - BELOW) / steps, edge = WIDE - RIGHT - 76;
  for (let step = 0; step < steps; step++) draw("rect", {class: "scale", x: edge, y: HIGH - BELOW - (step + 1) * bar, width: 14, height: bar + .5, fill: shade(step / (steps - 1))});
  draw("text", {x: edge + 20, y: HIGH - BELOW}, shown(low));
  draw("text", {x: edge + 20, y: ABOVE + 10}, shown(high));
  draw("text", {x: (ASIDE + edge) / 2, y: HIGH - 8, "text-anchor": "middle", class: "name"}, chart.x);
  draw("text", {transform: `translate(12 ${(ABOVE + HIGH - BELOW) / 2}) rotate(-90)`, "text-anchor": "middle", class: "name"}, chart.second);
}
