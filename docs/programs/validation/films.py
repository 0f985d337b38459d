"""Films with gaps and noise, whose parameters and models are known: the runs of designs, taken for films one by one.

`python -m docs.programs.validation.films` does the runs, in some minutes, and stores what is found.
"""

import json
from pathlib import Path

import numpy as np

from boidsgen.measuring import entries_of
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, source_of
from boidsgen.simulation.measures import RUN_MEASURES
from boidsgen.simulation.observing import ObservationModel, paths_of
from boidsgen.simulation.run import simulate
from boidsgen.studies.choice import Choice, Model, without_units
from boidsgen.studies.design import read_design
from boidsgen.studies.fit import DEFAULT_SUMMARIES, summaries_of
from boidsgen.studies.posterior import ReferenceTable, cross_check

FILE = Path(__file__).with_name("films.json")
RUNS, FILMS, MODEL_RUNS, MODEL_FILMS = 400, 100, 200, 40
HALF, MOST, CHOSEN, FLAGGED = (0.45, 0.55), (0.86, 0.94), 0.9, 0.95
"""Bounds, set beforehand: of the coverage of 50 % and 90 % intervals, over the keys of a scenario; of the share of
films whose model is chosen; and of that of films for which a wrong model is said not to fit."""
ANIMALS, FRAMES, GAPS, NOISE = 30, 100, 0.1, 0.1  # Noise in parts of the mean step from frame to frame
WEIGHTS = tuple(f"flock.{rule}.weight=0:3" for rule in ("separation", "alignment", "cohesion"))
CASES = {
    "quickstart": ({"time.warmup": 100}, WEIGHTS),
    "couzin-torus": (
        {"world.size": [30, 30], "time.warmup": 200},
        ("flock.zones.orientation=0:6", "flock.zones.attraction=4:16"),
    ),
    "vicsek-1995": ({"world.size": [3, 3]}, ("flock.angular_noise=0:300",)),
    "cucker-smale": (
        {"world.size": [10, 10], "time.steps_per_frame": 10},
        ("flock.alignment.exponent=0.1:1", "flock.alignment.weight=0.3:3"),
    ),
    "dorsogna": ({"time.warmup": 300}, ("flock.separation.weight=1:4", "flock.cohesion.weight=0.1:0.5")),
}
FITTED = ("quickstart", "couzin-torus", "vicsek-1995")
NAMES = tuple(name for name in DEFAULT_SUMMARIES if name not in RUN_MEASURES)
"""Measures that are defined where animals are missing now and then."""


def runs(name):
    """The points of a case, and the measures of their runs, of all animals and as a film shows them."""
    keys, texts = CASES[name]
    keys = keys | {"flock.count": ANIMALS, "time.frames": FRAMES, "measure.names": [*NAMES], "measure.from": 0}
    source, settings = source_of(name), [Override(key, value, key) for key, value in keys.items()]
    design = read_design("lhs", texts, source, settings)
    usual = draft(source, settings).scenario()
    step = usual.world.displacement(np.diff(paths_of(simulate(usual), usual)[0], axis=0))
    noise = float(NOISE * np.linalg.norm(step, axis=-1).mean())
    model = ObservationModel(np.random.default_rng(1).random((FRAMES, ANIMALS)) >= GAPS, noise, 0)
    points, whole, seen = design.points(RUNS), [], []
    for number, point in enumerate(points.tolist()):
        values = [Override(one.key, one.value(unit), one.key) for one, unit in zip(design.factors, point, strict=True)]
        scenario = draft(source, [*settings, *values, Override("seed", 1000 + number, "")]).scenario()
        states = [*simulate(scenario)]
        whole.append(entries_of(scenario, states))
        seen.append(entries_of(scenario, model.tracks(states, scenario.seed)))
    return points, whole, seen


def coverage(points, whole, seen):
    """What intervals hold: of films among runs that are seen like them, and among runs of which all is known."""
    known, given = (np.array([summaries_of(row, NAMES) for row in rows]) for rows in (whole, seen))
    checked = cross_check(ReferenceTable(points, given), FILMS)
    kinds = {kind: getattr(checked, kind).round(4).tolist() for kind in ("coverage_50", "coverage_90")}
    held = []
    for film in np.unique(np.linspace(0, len(points) - 1, FILMS).astype(np.intp)).tolist():
        others = np.arange(len(points)) != film
        ends = ReferenceTable(points[others], known[others]).posterior(given[film]).quantiles()
        held.append([(ends[low] <= points[film]) & (points[film] <= ends[-1 - low]) for low in (1, 0)])
    before = np.mean(held, axis=0).round(4).tolist()
    return kinds | {"flagged": checked.flagged, "unseen_50": before[0], "unseen_90": before[1]}


def choices(cases):
    """The confusion of the models, and how often each is said not to fit films of each, (models, models)."""
    tables = [
        ReferenceTable(points[:MODEL_RUNS], np.array([without_units(row, NAMES) for row in seen[:MODEL_RUNS]]))
        for points, _, seen in cases.values()
    ]
    models = tuple(Model(name, table, 1) for name, table in zip(cases, tables, strict=True))
    confusion = Choice(tables[0].summaries[0], models, NAMES, 1, MODEL_FILMS).tables["confusion"]
    films = np.unique(np.linspace(0, MODEL_RUNS - 1, MODEL_FILMS).astype(np.intp)).tolist()
    flagged = []
    for made in tables:
        flagged.append([])
        for judge in tables:
            near = [judge.of_run(at) if judge is made else judge.posterior(made.summaries[at]) for at in films]
            flagged[-1].append(float(np.mean([judge.fits(one.misfit) is False for one in near])))
    return {"chosen": [[row[name] for name in cases] for row in confusion], "flagged": flagged}


def found(cases):
    """All that is found of the runs of these cases."""
    return {"coverage": {name: coverage(*cases[name]) for name in FITTED}, "models": [*cases], **choices(cases)}


def table():
    """The tables of the page."""
    values = json.loads(FILE.read_text("utf-8"))
    lines = [
        "| scenario | 50 % intervals | 90 % intervals | before: 50 % | before: 90 % | misfit reported | verdict |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in values["coverage"].items():
        half, most = (float(np.mean(one[f"coverage_{share}"])) for share in (50, 90))
        within = HALF[0] <= half <= HALF[1] and MOST[0] <= most <= MOST[1]
        before = " | ".join(f"{np.mean(one[f'unseen_{share}']):.1%}" for share in (50, 90))
        said = "within" if within else "**not within**"
        lines.append(f"| {name} | {half:.1%} | {most:.1%} | {before} | {one['flagged']:.1%} | {said} |")
    lines += ["", "| films of | chosen right | others said not to fit | least | itself |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for at, name in enumerate(values["models"]):
        others = [share for number, share in enumerate(values["flagged"][at]) if number != at]
        shares = (values["chosen"][at][at], np.mean(others), min(others), values["flagged"][at][at])
        lines.append(f"| {name} | {' | '.join(f'{share:.1%}' for share in shares)} |")
    apart = ~np.eye(len(values["models"]), dtype=bool)
    chosen, flagged = np.trace(values["chosen"]) / len(apart), np.array(values["flagged"])[apart]
    good, right = ("within" if one else "**not within**" for one in (chosen >= CHOSEN, flagged.mean() >= FLAGGED))
    lines.append(f"| all | {chosen:.1%}, {good} | {flagged.mean():.1%}, {right} | {flagged.min():.1%} | |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(json.dumps(found({name: runs(name) for name in CASES}), indent=1) + "\n", "utf-8")
