"""Published models: their presets measured beside the loops from their sources, and the page about them.

`python -m docs.programs.models` makes `docs/models.md` from what is stored; with `--store NAME…` it measures these
presets anew, or all of them, over twenty seeds each: five statistics at three times, of the loops of `tests/published`
from the sources' starts, and of the presets from their own.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np

from boidsgen import load_scenario
from boidsgen.simulation.run import simulate
from tests.published import statistics
from tests.published.test_presets import HELD, Held

PAGE = Path(__file__).parents[1] / "models.md"
STORED = Path(__file__).with_name("models.json")
SEEDS, TIMES = 20, (50, 100, 200)
NAMES = {
    "polarization": "polarization",
    "mean_speed": "speed",
    "nearest_distance": "nearest",
    "neighbors": "in view",
    "groups": "groups",
}


def by_loop(held: Held, seed: int) -> Iterator[dict[str, float]]:
    """The statistics of the source's loop at each of the times, from the source's start."""
    random, parameters = np.random.default_rng(1000 + seed), held.parameters
    state = held.model.start(random, parameters)
    for step in range(1, TIMES[-1] + 1):
        state = held.model.step(state, parameters, **held.model.draws(random, state, parameters))
        if step in TIMES:
            yield statistics.measure(state.positions, state.velocities, parameters.view, parameters.torus)


def by_preset(held: Held, seed: int) -> Iterator[dict[str, float]]:
    """The same of the preset, from its own start."""
    clock = {"time.frames": TIMES[-1] + 1, "time.steps_per_frame": 1, "time.warmup": 0, "seed": 5000 + seed}
    for step, state in enumerate(simulate(load_scenario(held.preset, clock))):
        if step in TIMES:
            place, velocity = (
                np.concatenate([getattr(flock, what) for flock in state.flocks]) for what in ("position", "velocity")
            )
            yield statistics.measure(place, velocity, held.parameters.view, held.parameters.torus)


def measured(held: Held) -> list[dict[str, list[list[float]]]]:
    """At each time, by the name of a statistic, mean and standard error of loop and preset."""
    runs = [[[*source(held, seed)] for seed in range(SEEDS)] for source in (by_loop, by_preset)]
    tables = [[statistics.over_seeds([run[at] for run in runs_of]) for runs_of in runs] for at in range(len(TIMES))]
    return [{name: [[*map(rounded, one[name])] for one in table] for name in NAMES} for table in tables]


def rounded(number: float) -> float:
    """A number with five digits."""
    return float(f"{number:.5g}")


def deviation(pair: list[list[float]]) -> float:
    """The difference of two means in standard errors of the difference."""
    (one, error), (other, more) = pair
    together = hypot(error, more)
    return 0.0 if one == other else abs(one - other) / together if together else float("inf")


HEAD = """# Published models

Each preset of this page is held to a loop that was written from the model's source alone, in the source's order, with
its constants. From the source's start, and with the same random numbers, both fly the same way to 1e-9 for as long as
rounding allows; a loop with one constant moved by 1 %, another order or a cap less is told from the preset. The loops
are in `tests/published`, and so is the comparison. The unit of time is the source's step, tick or second.

| preset | source | what is particular |
| --- | --- | --- |
"""
MADE = """
## How they are made

| preset | boids | world | edges | update | steering | forces | speed |
| --- | --: | --- | --- | --- | --- | --- | --- |
"""
BESIDE = f"""
## Measured beside their sources

Means over {SEEDS} seeds after {TIMES[-1]} steps: the source's loop from the source's start, and the preset from its
own. The last column is the largest difference of these five numbers at three times (after
{", ".join(map(str, TIMES))} steps), in standard errors of the difference. Of fifteen numbers that do not differ one
is beyond 3 in one table of twenty-five.

| preset | {" | ".join(f"{name}, loop | preset" for name in NAMES.values())} | largest difference |
| --- {"| --: " * (2 * len(NAMES) + 1)}|
"""


def page(stored: Mapping[str, Any]) -> str:
    """The page in Markdown."""
    sources = (f"| `{held.preset}` | {held.model.SOURCE} | {story(held)} |\n" for held in by_name())
    return "".join([HEAD, *sources, MADE, *map(made, by_name()), BESIDE, *beside(stored)])


def made(held: Held) -> str:
    """The row of a preset about its keys."""
    setup = load_scenario(held.preset)
    flock, world = setup.flock[0], setup.world
    size = " × ".join(f"{side:g}" for side in world.size)
    low, high = flock.speeds
    speed = "free" if flock.limit_speed is False else f"{low:g}" if low == high else f"{low:g} to {high:g}"
    count = sum(one.count for one in setup.flock)
    cells = count, size, world.boundary.kind, flock.update, flock.steering, flock.forces.replace("_", " "), speed
    return f"| `{held.preset}` | {' | '.join(map(str, cells))} |\n"


def beside(stored: Mapping[str, Any]) -> Iterator[str]:
    """The rows of what has been measured."""
    for held in by_name():
        if at := stored.get(held.preset):
            last = [f"{mean:.3g}" for name in NAMES for mean, _ in at[-1][name]]
            worst = max(deviation(pair) for table in at for pair in table.values())
            yield f"| `{held.preset}` | {' | '.join(last)} | {worst:.1f} |\n"


def by_name() -> list[Held]:
    """All presets that are held, by name."""
    return sorted(HELD, key=lambda held: held.preset)


def story(held: Held) -> str:
    """The first sentence of the loop's description, which says what is particular."""
    first = (held.model.__doc__ or "").partition("\n")[0]
    return first.partition(": ")[2].rstrip(".") or first.rstrip(".")


def main() -> None:
    """Measure what is named, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m docs.programs.models", description=__doc__.partition("\n")[0])
    parser.add_argument("--store", nargs="*", help="presets to be measured anew; none = all")
    chosen = parser.parse_args()
    stored = json.loads(STORED.read_text("utf-8")) if STORED.exists() else {}
    if chosen.store is not None:
        for held in by_name():
            if not chosen.store or held.preset in chosen.store:
                stored[held.preset] = measured(held)
                lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(stored[name])}" for name in sorted(stored))
                STORED.write_text(f"{{\n{lines}\n}}\n", "utf-8")
    PAGE.write_text(page(stored), "utf-8")


if __name__ == "__main__":
    main()
