"""Summaries of a sweep: a contact sheet of all runs, and a page for a browser.

For the contact sheet the runs are simulated again, on one core, rather than read from their files: so they are drawn in
the size of their tiles with exact colors. The page contains the rows of the manifest and the program that shows them;
it loads nothing but the outputs beside it, when they come into view.
"""

import html
import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from boidsgen.errors import ScenarioError
from boidsgen.output.formats import FORMATS, origin
from boidsgen.output.pages import PAGES
from boidsgen.output.publish import open_file
from boidsgen.pipeline import Progress, is_still
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import readable
from boidsgen.simulation.measuring import KNOWN
from boidsgen.studies.compare import Comparison, compare, compare_still, untitled
from boidsgen.studies.contact_sheet import Headings, automatic_columns
from boidsgen.studies.manifest import ManifestRow, flatten_row, json_value
from boidsgen.studies.plan import SweepAxis, SweepPlan, SweepRun, group_axes, short_keys, value_text
from boidsgen.studies.variants import grid_text
from boidsgen.webpage.writer import policy, script_of

MAX_RUNS = 64  # Maximum number of runs in a contact sheet; more would be too small to see anything
MAX_WIDTH, MAX_HEIGHT = 1600, 1200  # Maximum size of all tiles of a contact sheet together, in pixels
MIN_TILE = 48  # Minimum shorter side of a tile, in pixels

PAGE = "index.html"
PAGE_MARK = '<script type="application/json" id="study">'  # Part of every page, of whatever version

_SCRIPT, _STYLE = (re.compile(f"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("script", "style"))
_BESIDE = [
    f"{kind} 'self' file:{more}" for kind, more in {"img-src": " data:", "media-src": "", "frame-src": ""}.items()
]
"""What a page may show: the files beside it, which have no common origin on a disk, and stills that it embeds."""
_FRAME = re.compile(r"\A# frame [0-9]+\n")
_PLAIN = ("run", "file", "status", "reason", "seed", "seed_number", "frames", "seconds", "poster")
_KINDS = {"mean": "mean {}", "final": "{} at the end"}
_ESCAPES = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})
"""Characters that could end the script element with the data."""


def sheet_name(plan: SweepPlan) -> str:
    """File name of the contact sheet: a picture where runs are pictures or pages, otherwise a clip like them."""
    kind = plan.base.output.format
    return f"sheet.{'png' if plan.base.time.frames == 1 or kind in PAGES else kind}"


def write_contact_sheet(
    plan: SweepPlan, failed: Collection[str], path: Path, *, engine: str, progress: Progress | None = None
) -> None:
    """Write the contact sheet of a plan, with an empty tile for each run that failed; nothing if all failed.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    if comparison := sheet_comparison(plan, failed):
        write = compare_still if is_still(str(path)) else compare
        write(comparison, path, provenance=grid_text(comparison), engine=engine, progress=progress)


def is_current(plan: SweepPlan, failed: Collection[str], path: Path) -> bool:
    """True if a file is the contact sheet that would be written now, according to its provenance."""
    if not path.is_file() or len(plan.runs) > MAX_RUNS or not (comparison := sheet_comparison(plan, failed)):
        return False
    try:
        return _FRAME.sub("", origin(path, path.name) or "") == grid_text(comparison)
    except ScenarioError:
        return False


def sheet_comparison(plan: SweepPlan, failed: Collection[str]) -> Comparison | None:
    """The runs of a plan in a grid, drawn so small that all of it fits a screen; None if all failed."""
    runs, headings = arrange_runs(plan)
    scenarios = [None if run.name in failed else plan.scenario(run) for run in runs]
    if not any(scenarios):
        return None
    sizes = [untitled(scenario).picture_size for scenario in scenarios if scenario]
    cell = max(size[0] for size in sizes), max(size[1] for size in sizes)
    columns = len(headings.columns) or automatic_columns(len(scenarios), cell)
    rows = -(-len(scenarios) // columns)
    factor = min(1.0, MAX_WIDTH / (columns * cell[0]), MAX_HEIGHT / (rows * cell[1]))
    factor = max(factor, min(1.0, MIN_TILE / min(cell)))
    scaled: list[Scenario | None] = []
    for scenario in scenarios:
        if scenario is None:
            scaled.append(None)
            continue
        style, output = scenario.style, scenario.output
        size = tuple(max(1, round(side * factor)) for side in untitled(scenario).picture_size)
        if isinstance(style.size, float):  # of boids, in pixels
            style = style.model_copy(update={"size": max(2, style.size * factor)})
        scaled.append(scenario.model_copy(update={"style": style, "output": output.model_copy(update={"size": size})}))
    return Comparison(scaled, headings, columns)


def arrange_runs(plan: SweepPlan) -> tuple[Sequence[SweepRun], Headings]:
    """The runs of a plan row by row, and the headings: the last key across, the others down, seeds beside each other.

    With one key, or keys that are all paired, seeds go across. With several, they go where there are fewer values.
    """

    def label(run: SweepRun, axes: Sequence[SweepAxis], *, seed: bool) -> str:
        texts = [f"{short[axis.key]} {value_text(run.values[plan.keys.index(axis.key)])}" for axis in axes]
        return ", ".join([*texts, *([f"seed {run.number}"] if seed and run.number else [])])

    title, short = plan.base.title or plan.source.stem, short_keys(plan.keys)
    groups = group_axes(plan.axes, plan.zipped)
    if len(groups) + (plan.seeds is not None) < 2:
        return plan.runs, Headings(title=title, labels=[label(run, plan.axes, seed=True) for run in plan.runs])
    seeds, across = plan.seeds or 1, groups[-1] if len(groups) > 1 else []
    down = [axis for group in (groups[:-1] if across else groups) for axis in group]
    columns, runs = len(across[0].values) if across else 1, plan.runs
    seeds_down = columns > len(runs) // (columns * seeds)
    if seeds_down:
        blocks = range(0, len(runs), columns * seeds)
        runs = tuple(
            run for first in blocks for seed in range(seeds) for run in runs[first:][seed : columns * seeds : seeds]
        )
    else:
        columns *= seeds
    heads = [label(run, across, seed=not seeds_down) for run in runs[:columns]]
    rows = [label(run, down, seed=seeds_down) for run in runs[::columns]]
    return runs, Headings(title=title, columns=heads, rows=rows)


def write_page(directory: Path, plan: SweepPlan, rows: Callable[[], Iterable[ManifestRow]]) -> None:
    """Write the page of a sweep.

    Args:
        directory: of the sweep.
        plan: of the sweep.
        rows: yields a row for every run, each time it is called.

    Raises:
        StorageError: it cannot be written.
    """
    folder = files(__package__)
    page, *parts = ((folder / name).read_text("utf-8") for name in ("page.html", "page_chart.js", "page_cells.js"))
    for name, part in zip(("@CHART@", "@CELLS@", "@LOCKSTEP@"), (*parts, script_of("lockstep")), strict=True):
        page = page.replace(name, part)
    head, tail = page.replace("@POLICY@", policy(_SCRIPT.findall(page), _STYLE.findall(page), *_BESIDE)).split(
        "@STUDY@"
    )
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
    arranged, headings = arrange_runs(plan)
    writers = [writer for writer in FORMATS.values() if writer.makes != "folder"]
    about: dict[str, Any] = {
        "drawn": plan.drawn,
        "seeds": plan.seeds is not None,
        "across": len(headings.columns) if arranged == plan.runs else plan.seeds,
        "width": width,
        "height": height,
        "fps": plan.base.output.fps,
        "sheet": sheet_name(plan) if (directory / sheet_name(plan)).exists() else "",
        "elements": {extension: writer.element for writer in writers for extension in writer.extensions},
        "columns": columns,
    }
    with open_file(str(directory / PAGE)) as file:
        file.write(f'{head}{_script(about)[:-1]}, "runs": [\n'.encode())
        for number, row in enumerate(rows()):
            found = flatten_row(row)
            values = [found.get(column["name"]) for column in columns]
            values = [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]
            file.write(f"{',' if number else ''}{_script(values)}\n".encode())
        file.write(f"]}}{tail}".encode())


def _script(value: object) -> str:
    return json.dumps(json_value(value), ensure_ascii=False, allow_nan=False).translate(_ESCAPES)
