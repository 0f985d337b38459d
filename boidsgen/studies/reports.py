"""Reports of a sweep: its page for a browser, its scenario, and the methods section of a paper.

The page has the rows of the manifest and the program that shows them; it loads nothing but the outputs beside it, when
they come into view. `study.toml` has the scenario, with the table `[sweep]` of what was done; `boidsgen sweep
study.toml` does the same runs. From it are the model, parameters and estimators of the methods section; numbers of runs
and seeds, and what has settled, are from the manifest.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from boidsgen.errors import StorageError, spoken
from boidsgen.output.formats import FORMATS
from boidsgen.output.publish import open_file
from boidsgen.scenario.loading import draft
from boidsgen.scenario.reference import key_unit
from boidsgen.scenario.scenario import Scenario, Sweep, resolved, versions
from boidsgen.scenario.sources import find
from boidsgen.scenario.wording import readable
from boidsgen.simulation.measuring import KNOWN
from boidsgen.simulation.rules.rule import listed
from boidsgen.simulation.setup import Flock
from boidsgen.studies.manifest import STUDY, ManifestRow, flatten_row
from boidsgen.studies.plan import SweepPlan, group_axes, parse_values, short_keys, value_text
from boidsgen.studies.results import Results, in_words, read_results
from boidsgen.studies.series import MAX_MEASURED
from boidsgen.studies.statistics import FIRST_SEEDS
from boidsgen.version import __version__
from boidsgen.webpage.writer import policy, script_json, script_of

PAGE = "index.html"
PAGE_MARK = '<script type="application/json" id="study">'  # Part of every page, of whatever version

_PARTS = ("page.html", "page_chart.js", "page_cells.js")
_SCRIPT, _STYLE = (re.compile(f"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("script", "style"))
_BESIDE = [
    f"{kind} 'self' file:{more}" for kind, more in {"img-src": " data:", "media-src": "", "frame-src": ""}.items()
]
"""Pictures that a page may show: files beside it, which have no common origin on a disk, and stills that it embeds."""
_PLAIN = ("run", "file", "status", "reason", "seed", "seed_number", "frames", "seconds", "poster")
_KINDS = {"mean": "mean {}", "final": "{} at the end"}
_MAX_LISTED = 6  # Values of a key that are listed one by one
_CITE = f"boidsgen developers: boidsgen, version {__version__}, software, MIT License"
_BIBTEX = (
    f"% @software{{boidsgen, author = {{{{boidsgen developers}}}}, title = {{boidsgen}}, version = {{{__version__}}}}}"
)
_LATEX = {"\\": r"\textbackslash{}", "×": r"$\times$", "°": r"$^\circ$", "≤": r"$\leq$", "~": r"\textasciitilde{}"}
_LATEX |= {"^": r"\textasciicircum{}"} | {letter: f"\\{letter}" for letter in "&%$#_{}"}


def _across(plan: SweepPlan) -> int:
    """Runs in a row of the page, so that columns are values or seeds, whichever are fewer; 0 where all have one row."""
    groups, seeds = group_axes(plan.axes, plan.zipped), plan.seeds or 1
    if len(groups) + (plan.seeds is not None) < 2:
        return 0
    columns = len(groups[-1][0].values) if len(groups) > 1 else 1
    return seeds if seeds > 1 and columns > len(plan.runs) // (columns * seeds) else columns * seeds


def write_page(directory: Path, plan: SweepPlan, rows: Callable[[], Iterable[ManifestRow]]) -> None:
    """Write the page of a sweep.

    Args:
        directory: of the sweep.
        plan: of the sweep.
        rows: yields a row for every run, each time it is called.

    Raises:
        StorageError: it cannot be written.
    """
    page, chart, cells = ((files(__package__) / name).read_text("utf-8") for name in _PARTS)
    page = page.replace("@CHART@", chart).replace("@CELLS@", cells)
    page = page.replace("@LOCKSTEP@", f"{script_of('lockstep')}\n{script_of('axes')}")
    page = page.replace("@POLICY@", policy(_SCRIPT.findall(page), _STYLE.findall(page), *_BESIDE))
    head, tail = page.split("@STUDY@")
    head = head.replace("@TITLE@", html.escape(readable(plan.base.title or plan.source.stem)))
    short, defined = short_keys(plan.keys), {name for row in rows() for kind in _KINDS for name in row.get(kind, {})}
    columns = [
        *({"name": name, "label": name, "role": "plain"} for name in _PLAIN),
        *({"name": key, "label": short[key], "role": "parameter"} for key in plan.keys if key not in _PLAIN),
        *(
            {"name": f"{kind}.{name}", "label": label.format(name.replace("_", " ")), "role": "measure"}
            for kind, label in _KINDS.items()
            for name in KNOWN
            if name in defined
        ),
    ]
    width, height = plan.base.picture_size
    writers = [writer for writer in FORMATS.values() if writer.makes != "folder"]
    about: dict[str, Any] = {
        "drawn": plan.drawn,
        "seeds": plan.seeds is not None,
        "across": _across(plan),
        "width": width,
        "height": height,
        "fps": plan.base.output.fps,
        "elements": {extension: writer.element for writer in writers for extension in writer.extensions},
        "columns": columns,
    }
    with open_file(str(directory / PAGE)) as file:
        file.write(f'{head}{script_json(about)[:-1]},"runs":[\n'.encode())
        for number, row in enumerate(rows()):
            found = flatten_row(row)
            values = [found.get(column["name"]) for column in columns]
            values = [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]
            file.write(f"{',' if number else ''}{script_json(values)}\n".encode())
        file.write(f"]}}{tail}".encode())


def study_text(plan: SweepPlan) -> str:
    """The scenario of a study, with everything that makes its runs, as TOML."""
    zipped = plan.zipped if 0 < len(plan.zipped) < len(plan.keys) else bool(plan.zipped)
    until = {f"error.{name}": error for name, error in plan.until.items()}
    vary = {axis.key: tuple(axis.values) for axis in plan.axes}
    independent = plan.base.sweep.independent
    table = Sweep(vary=vary, seeds=plan.seeds, independent=independent, zip=zipped, until=until)
    return versions() + resolved(plan.base.model_copy(update={"sweep": table}))


def describe(directory: str, *, latex: bool = False) -> str:
    """The methods section of the study in a directory, as paragraphs of text or of LaTeX.

    Raises:
        StorageError: the directory has no study.
        BoidsgenError: another of its kinds, when its files are damaged.
    """
    path = Path(directory, STUDY)
    if not path.is_file():
        raise StorageError(f"{path}: there is no such file; the directory of a sweep has one")
    scenario, results = draft(find(str(path))).scenario(), read_results(directory)
    parts = (_model(scenario), _runs(scenario, results), _estimators(scenario, results), _software(results))
    text = "\n\n".join(". ".join(part) + "." for part in parts)
    return f"{''.join(_LATEX.get(letter, letter) for letter in text)}\n{_BIBTEX}" if latex else text


def _model(scenario: Scenario) -> Iterator[str]:
    world, clock, varied = scenario.world, scenario.time, {*scenario.sweep.vary}
    size = " × ".join(map(_number, world.size))
    counts = [_value(flock.count, f"flock.{at}.count", varied) for at, flock in enumerate(scenario.flock)]
    boids = _join(f"{count} {flock.name or 'boids'}" for count, flock in zip(counts, scenario.flock, strict=True))
    boids = boids.replace("varied boids", "A varied number of boids")
    yield f"{boids} moved in a world of {size} units with {world.boundary.kind} boundaries"
    for at, flock in enumerate(scenario.flock):
        yield _flock(scenario, flock, at)
    others = {"predators": scenario.predators, "obstacles": scenario.obstacles, "attractors": scenario.attractors}
    if there := [f"{len(some)} {name if len(some) > 1 else name[:-1]}" for name, some in others.items() if some]:
        yield f"There {'was' if there[0].startswith('1 ') else 'were'} {_join(there)}"
    for event in scenario.events:
        if set_there := [f"{key} to {value_text(value)}" for key, value in event.set.items()]:
            yield f"An event at frame {event.at} set {_join(set_there)}"
    yield f"The time step was {_value(clock.dt, 'time.dt', varied)}, with {clock.steps_per_frame} in each frame"


def _flock(scenario: Scenario, flock: Flock, at: int) -> str:
    """A sentence about the forces on the boids of one flock."""
    varied, prefix = {*scenario.sweep.vary} | {key for event in scenario.events for key in event.set}, f"flock.{at}."
    rules = {name: rule for name, rule in flock.tables.items() if rule is not None}
    on = []
    for name, rule in listed(rules).items():
        weight = _value(rule.weight, f"{prefix}{name}.weight", varied)
        if weight != "0" and (scenario.predators or not rule.predator_requests()):
            on.append(f"{in_words(name)} (weight {weight}{f'; {rule.source}' if rule.source else ''})")
    sums = f"the weighted sum of {_join(on)}" if on else "no rule"
    sight = flock.perception
    seen = f"neighbors were those within {_value(sight.radius, f'{prefix}perception.radius', varied)} units"
    if sight.field_of_view < 360:
        seen += f" and a field of view of {_value(sight.field_of_view, f'{prefix}perception.field_of_view', varied)}°"
    if sight.neighbors:
        seen += f", the nearest {_value(sight.neighbors, f'{prefix}perception.neighbors', varied)} of them"
    noise = _value(flock.angular_noise, f"{prefix}angular_noise", varied)
    turned = (
        "" if noise == "0" else f"; headings were turned by uniform noise of {noise}{'' if noise == 'varied' else '°'}"
    )
    who = f"The velocities of {flock.name or 'all boids'} changed by {sums}"
    return f"{who}; {seen}{turned}; speeds were at most {_value(flock.max_speed, f'{prefix}max_speed', varied)}"


def _runs(scenario: Scenario, results: Results) -> Iterator[str]:
    sweep, seeds = scenario.sweep, Counter(str(row["parameters"]) for row in results.rows)
    if sweep.vary:
        how = f"paired, at {len(seeds)} points" if sweep.zip else "in all combinations"
        keys = [
            _axis(key, parse_values(values) if isinstance(values, str) else values)
            for key, values in sweep.vary.items()
        ]
        yield f"We varied {_join(keys)}{f', {how}' if len(keys) > 1 else ''}"
    fewest, most = min(seeds.values()), max(seeds.values())
    number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    if sweep.seeds is None:
        yield f"Each was run once, with seed {scenario.seed}"
    else:
        each, many = "point" if sweep.zip else "combination", "one seed" if most == 1 else f"{number} independent seeds"
        of_all = f", {'another' if sweep.independent else 'the same'} for each {each}" if sweep.vary else ""
        yield f"Each had {many}, spawned from {scenario.seed} by NumPy's SeedSequence{of_all}"
    if sweep.until:
        goals = (f"{_number(error)} for {in_words(name.removeprefix('error.'))}" for name, error in sweep.until.items())
        first = min(FIRST_SEEDS, sweep.seeds or 1)
        upto = f"from {first} up to {sweep.seeds}"
        yield f"Seeds were added, {upto}, until the standard error over them was at most {_join(goals)}"
    clock = scenario.time
    warm = f" after {clock.warmup:,} steps that were not recorded" if clock.warmup else ""
    yield f"The {len(results.rows):,} runs had {clock.frames:,} frames each{warm}"


def _estimators(scenario: Scenario, results: Results) -> Iterator[str]:
    frames = scenario.measure.frames(scenario.time, MAX_MEASURED)
    names = _join([in_words(name) for name in (*results.measures, *results.profiles)])
    every = f"every {-frames.step} frames" if frames.step < -1 else "in every frame"
    values = f"{every} from frame {min(frames)} on, {len(frames)} values a run"
    yield f"We measured {names} {values}"
    yield (
        "The standard error of a run's mean allows for autocorrelation by blocking (Flyvbjerg and Petersen 1989; "
        "Kendall 1954)"
    )
    judged = [row.get("settled", {}) for row in results.rows]
    unsettled = Counter(name for row in judged for name, settled in row.items() if settled is False)
    said = _join([f"{in_words(name)} in {count:,} of {len(judged):,} runs" for name, count in unsettled.most_common()])
    tested = any(settled is not None for row in judged for settled in row.values())
    yield "The test of stationarity (after Geweke 1992) " + (
        f"found {said} not settled" if said else "found no run that had not settled" if tested else "needs 32 frames"
    )
    yield "Results are means over runs with their standard errors over runs"


def _software(results: Results) -> Iterator[str]:
    made = _join(dict.fromkeys(str(row["versions"]) for row in results.rows if row.get("versions")))
    yield f"The runs were made with {made}"
    yield f"The whole scenario is in {STUDY}; the command boidsgen sweep {STUDY} repeats the runs"
    yield f"Cite as: {_CITE}"


def _axis(key: str, values: Sequence[object]) -> str:
    unit = f", in {key_unit(key)}" if key_unit(key) else ""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) > _MAX_LISTED:
        return f"{in_words(key)} ({len(values)} values from {_number(min(numbers))} to {_number(max(numbers))}{unit})"
    return f"{in_words(key)} ({', '.join(map(_number, values))}{unit})"


def _value(value: object, key: str, varied: set[str]) -> str:
    """A value as text, or the word for one that differs between runs or frames."""
    short = {key, key.replace(".0.", ".", 1)}
    return "varied" if short & varied else _number(value)


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else value_text(value)


def _join(parts: Iterator[str] | Sequence[str] | dict[str, None]) -> str:
    return spoken([*parts] or [""], "and")
