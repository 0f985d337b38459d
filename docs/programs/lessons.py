"""docs/lessons.md: every step of every lesson of the presets, done over twenty seeds, with a control.

A session is what `show` does. Its step is reached in the first frame after its last act in which `until` holds. The
control is the same session without the acts of its last frame, or of a step that has none, the run without the events
of the scenario: with the keys as the session has them, in how many of its frames would the measures fulfill the
condition all the same?

`python -m docs.programs.lessons` measures the steps that have changed since they were stored; names of presets measure
theirs anew.
"""

import json
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from boidsgen import load_scenario, simulate
from boidsgen.scenario.lessons import FRAME, holds, names_of, parse_condition
from boidsgen.scenario.sources import presets
from boidsgen.simulation.measures import MEASURES, measure
from boidsgen.studies.collect import Link, session
from boidsgen.tables import value_at
from boidsgen.webpage.document import numbered
from docs.programs.digest import digest_of

FILE, PAGE = Path(__file__).with_suffix(".json"), Path(__file__).parents[1] / "lessons.md"
SEEDS = range(20)
SECONDS = 30  # Of playing after the last act; then a page gives its hint
LATER = 150  # Frames after the last act, when the measures are compared; the control is watched as long at least
FEWEST, MOST = 0.95, 0.05  # Share of seeds that must reach a step, and of control frames in which it may be reached
ENDLESS = 100_000  # Frames
INTRODUCTION = f"""\
# Lessons, measured

Made by `python -m docs.programs.lessons`; do not edit. A page with a lesson asks its readers to do something, and ticks
the step off when a condition holds. Here each step is done as "Show me" does it, over {len(SEEDS)} seeds.

- **Reached**: in how many of them the condition holds within {SECONDS} seconds after the last change, and after how
  many frames: median [lower, upper quartile].
- **Control**: the same without the last change (a step that changes nothing: without the events of the preset). Given
  is the share of frames in which its measures would fulfill the condition all the same; at most {100 * MOST:g} %, which
  is one seed in twenty.
- **Later**: the measures {LATER} frames after the last change, and those of the control.

A test does all of this again with the preset's own seed.

| preset | step | condition | reached | frames | control | later | control, later |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


class Watched(NamedTuple):
    """A frame of a run: its number, measures by name, and the setup in force."""

    frame: int
    values: dict[str, float]
    setup: Any

    def fulfills(self, condition, setup):
        """True if a condition holds with these measures, and the keys of a setup."""
        known = {**self.values, FRAME: self.frame}
        known |= dict.fromkeys(MEASURES.keys() - known.keys())
        return holds(
            condition, lambda name: known[name] if name in known else value_at(setup, numbered(name).split("."))
        )


def lessons():
    """The scenarios of the presets that have a lesson."""
    return {one.name: scenario for one in presets() if (scenario := load_scenario(one.name)).page.try_}


def digest(preset, step):
    """A digest of what happens in a preset and of what a step does and demands."""
    return digest_of(preset, step.until, [act.model_dump() for act in step.show])


def watch(scenario, acts, seed, names):
    """The frames of a session with these acts, without an end."""
    made = session(Link(seed, 0, acts, {}, ""), scenario)
    made = made.model_copy(update={"time": made.time.model_copy(update={"frames": ENDLESS})})
    return (Watched(state.frame, measure(state, names), state.setup) for state in simulate(made))


def done(scenario, step, seed):
    """A step done with a seed: frames until it is reached, share of the control's, and the measures of both later."""
    condition = parse_condition(step.until, scenario)
    names = [name for name in dict.fromkeys(names_of(condition)) if name in MEASURES]
    acts = sorted((act.at, numbered(act.key), act.value) for act in step.show)
    last = acts[-1][0] if acts else 0
    limit = last + round(SECONDS * scenario.output.fps)
    reached, later, setup = None, {}, None
    for one in takewhile(lambda one: one.frame <= limit, watch(scenario, acts, seed, names)):
        if reached is None and one.frame > last and one.fulfills(condition, one.setup):
            reached = one.frame - last
        if one.frame == last + LATER:
            later = one.values
        setup = one.setup
        if reached is not None and later:
            break
    plain = scenario if acts else scenario.model_copy(update={"events": ()})
    end = last + max(LATER, reached or 0)
    before = [act for act in acts if act[0] < last]
    control = [*takewhile(lambda one: one.frame <= end, watch(plain, before, seed, names))]
    held = [one.fulfills(condition, setup) for one in control[last + 1 :]]
    values = [
        [round(found[name], 4) if name in found else None for name in names]
        for found in (later, control[last + LATER].values)
    ]
    return {"reached": reached, "control": sum(held) / len(held), "later": values}


def stored():
    """What was measured, by preset: the steps with their digests."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def summary(values, digits=0):
    """Median and quartiles."""
    if not (found := [value for value in values if value is not None]):
        return "-"
    low, middle, high = (
        f"{value:.{digits}f}" if digits == 0 else f"{value:.{digits}g}"
        for value in np.quantile(found, (0.25, 0.5, 0.75))
    )
    return f"{middle} [{low}, {high}]"


def row(preset, number, step, sessions):
    """A line of the page."""
    condition = parse_condition(step.until, load_scenario(preset))
    names = [name for name in dict.fromkeys(names_of(condition)) if name in MEASURES]
    frames = [one["reached"] for one in sessions if one["reached"] is not None]
    later = [
        ", ".join(
            f"{name} {summary([one['later'][which][at] for one in sessions], 3)}" for at, name in enumerate(names)
        )
        for which in (0, 1)
    ]
    share = np.mean([one["control"] for one in sessions])
    cells = (
        f"`{preset}`",
        number,
        f"`{step.until}`",
        f"{len(frames)} of {len(sessions)}",
        summary(frames),
        f"{100 * share:.1f} %",
        *later,
    )
    return f"| {' | '.join(map(str, cells))} |"


def page(known):
    """The page of what was measured."""
    steps = [(name, number, step) for name, one in lessons().items() for number, step in enumerate(one.page.try_)]
    return (
        "\n".join([INTRODUCTION, *(row(name, at + 1, step, known[name][at]["sessions"]) for name, at, step in steps)])
        + "\n"
    )


def main(wanted):
    """Measure what has changed, store it, and write the page."""
    known, found = stored(), {}
    for preset, scenario in lessons().items():
        old = {one["digest"]: one for one in known.get(preset, []) if preset not in wanted}
        for step in scenario.page.try_:
            own = digest(preset, step)
            if own not in old:
                old[own] = {"digest": own, "sessions": [done(scenario, step, seed) for seed in SEEDS]}
                print(row(preset, "", step, old[own]["sessions"]), flush=True)  # noqa: T201  it takes minutes
            found.setdefault(preset, []).append(old[own])
        FILE.write_text(json.dumps(known | found, separators=(",", ":")) + "\n", "utf-8")
    FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    PAGE.write_text(page(found), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
