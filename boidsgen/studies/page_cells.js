// Pages of runs: one clock for all in sight, and a slider for each key, which leads from one run to
// the next at the same frame.
const MOST_OPEN = 8;
function pages() {
  const room = document.getElementById("pages");
  const shows = runs.filter(is_page);
  if (!shows.length) return;
  const leader = new $lockstep.Leader(), frames = Math.max(...shows.map(run => value(run, "frames")));
  const stage = make("a", {class: "picture", style: `--ratio: ${study.width / study.height}`});
  const opened = new Map();
  let playing = false, asked = 0, last = 0, top = 0, run = shows[0];
  function slider(label, most, move) {
    const oninput = () => move(input.valueAsNumber);
    const input = make("input", {type: "range", min: 0, max: most, value: 0, "aria-label": label, oninput});
    const output = make("output"), row = make("label", {}, make("span", {}, label), input, output);
    function set(number, text) {
      input.value = number;
      output.textContent = text;
      input.setAttribute("aria-valuetext", text);
    }
    return {input, row, set};
  }
  function seek(frame) {
    leader.show(frame);
    clock.set(frame, `${frame} / ${frames - 1}`);
  }
  function turn(on) {
    playing = on;
    play.textContent = phrase(on ? "Pause" : "Play");
    cancelAnimationFrame(asked);
    if (on) asked = requestAnimationFrame(tick);
  }
  function tick(now) {
    if (!leader.busy && now - last >= 1000 / study.fps) {
      last = now;
      seek((clock.input.valueAsNumber + 1) % frames);
    }
    asked = requestAnimationFrame(tick);
  }
  function show(next) {
    run = next;
    for (const axis of axes) axis.set(axis.values.indexOf(axis.of(run)), axis.of(run));
    const path = stage.href = address(value(run, "file"));
    const page = opened.get(run) || stage.appendChild($lockstep.cellOf({src: path}, value(run, "run")));
    page.style.zIndex = top += 1;  // the one before stays in sight until this one has drawn
    opened.delete(run);
    opened.set(run, page);
    if (opened.size > MOST_OPEN) {
      const [oldest, old] = opened.entries().next().value;
      old.remove();
      opened.delete(oldest);
    }
  }
  const seeds = study.seeds ? [{...columns[at[numbered]], label: phrase("seed")}] : [];
  const axes = [...parameters, ...seeds].map(column => {
    const of = run => shown(value(run, column.name));
    const before = (one, other) => compare(value(one, column.name), value(other, column.name));
    const values = [...new Set([...shows].sort(before).map(of))];
    const same = other => axes.filter(axis => axis.of(other) === axis.of(run)).length;
    return {of, values, ...slider(column.label, values.length - 1, number => {
      // Paired keys: the run that has most values in common.
      const fit = shows.filter(other => of(other) === values[number]);
      show(fit.reduce((best, other) => same(other) > same(best) ? other : best));
    })};
  });
  const play = make("button", {type: "button", onclick: () => turn(!playing)}, phrase("Play"));
  const clock = slider(phrase("frame"), frames - 1, frame => { turn(false); seek(frame); });
  room.append(stage, make("div", {}, ...axes.map(axis => axis.row), clock.row, play));
  room.hidden = false;
  show(run);
  seek(Math.min(60, frames >> 1));  // where runs differ
}
pages();
