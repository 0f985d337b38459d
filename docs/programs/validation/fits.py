"""Fits of films whose parameters are known: the runs of a design, taken for films one by one.

`python -m docs.programs.validation.fits DIRECTORY` does the runs in that directory, and stores what is found.
"""

import json
import sys
from pathlib import Path

import numpy as np

from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import source_of
from boidsgen.studies.design import plan_design, read_design
from boidsgen.studies.fit import compared_measures, summaries_of
from boidsgen.studies.plan import SweepOptions
from boidsgen.studies.posterior import ReferenceTable, cross_check
from boidsgen.studies.sweep import Study, run_missing

FILE = Path(__file__).with_name("fits.json")
RUNS, FILMS = 1000, 200
COVERED, ERROR, FALSE_ALARMS, ALARMS = (0.86, 0.94), 0.5, 0.10, 0.95
"""Bounds, set before the first of these runs: of the coverage of 90 % intervals, of the median error in parts of that
of the prior, and of the shares of films of the model itself, and of another one, for which a misfit is reported."""
WEIGHTS = tuple(f"flock.{rule}.weight=0:3" for rule in ("separation", "alignment", "cohesion"))
ZONES = {"flock.count": 50, "time.frames": 200, "time.warmup": 200}
BOIDS = {
    "seed": 3,
    "world": {"size": [30, 30, 30], "boundary": "open"},
    "time": {"dt": 0.1, "frames": 200, "steps_per_frame": 2, "warmup": 200},
    "flock": {
        "count": 50,
        "max_speed": 3,
        "max_force": 3,
        "start": {"layout": "disc", "radius": 6},
        "perception": {"radius": 14},
        "separation": {"radius": 2},
    },
}
"""Boids in the place of Couzin's individuals: as many, as fast, and they see as far."""
CASES = {
    "quickstart": ("quickstart", {}, WEIGHTS),
    "couzin-swarm": ("couzin-swarm", ZONES, ("flock.zones.orientation=0:6", "flock.zones.attraction=4:16")),
    "vicsek-1995": (
        "vicsek-1995",
        {"flock.count": 100, "world.size": [5, 5], "time.frames": 200, "measure.from": 50},
        ("flock.angular_noise=0:300",),
    ),
    "boids like couzin-swarm": (BOIDS, {}, WEIGHTS),
}
MODEL, WRONG = "couzin-swarm", "boids like couzin-swarm"


def reference(name, directory):
    """The keys of a case, and the table of its runs, which are done in this directory."""
    scenario, keys, texts = CASES[name]
    source, overrides = source_of(scenario), [Override(key, value, key) for key, value in keys.items()]
    design = read_design("lhs", texts, source, overrides)
    points = design.points(RUNS)
    plan = plan_design(source, overrides, design, points, SweepOptions(drawn=False))
    names = compared_measures(plan.base)
    if names != plan.base.measure.names:
        overrides.append(Override("measure.names", [*names], ""))
        plan = plan_design(source, overrides, design, points, SweepOptions(drawn=False))
    with Study(plan, directory) as study:
        run_missing(study)
        return plan.keys, ReferenceTable(points, np.array([summaries_of(row, names) for row in study.rows()]))


def measured(directory):
    """What is found of all cases."""
    tables = {name: reference(name, directory / str(number)) for number, name in enumerate(CASES)}
    found = {}
    for name, (keys, table) in tables.items():
        one = cross_check(table, FILMS)
        found[name] = {"keys": keys, "flagged": one.flagged} | {
            kind: getattr(one, kind).round(4).tolist()
            for kind in ("coverage_50", "coverage_90", "error", "prior_error")
        }
    wrong, films = tables[WRONG][1], tables[MODEL][1].summaries[:: RUNS // FILMS]
    found[WRONG]["films_of_the_other_flagged"] = float(
        np.mean([wrong.fits(wrong.posterior(film).misfit) is False for film in films])
    )
    return found


def table():
    """The table of the page."""
    values = json.loads(FILE.read_text("utf-8"))
    lines = [
        "| scenario | key | 50 % intervals | 90 % intervals | median error, of a guess | misfit reported | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in values.items():
        for at, key in enumerate(one["keys"]):
            covered, error = one["coverage_90"][at], one["error"][at] / one["prior_error"][at]
            good = COVERED[0] <= covered <= COVERED[1] and one["flagged"] <= FALSE_ALARMS
            said = "**not within**" if not good else "within" if error <= ERROR else "within, tells little"
            numbers = f"{one['coverage_50'][at]:.1%} | {covered:.1%} | {error:.0%} | {one['flagged']:.1%}"
            lines.append(f"| {name} | `{key}` | {numbers} | {said} |")
    share = values[WRONG]["films_of_the_other_flagged"]
    said = "within" if share >= ALARMS else "**not within**"
    lines.append(f"| {WRONG}, films by {MODEL} | | | | | {share:.1%} | {said} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(json.dumps(measured(Path(sys.argv[1])), indent=1) + "\n", "utf-8")
