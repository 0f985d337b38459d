"""Reports of a sweep: its page for a browser, and its scenario.

The page has the rows of the manifest and the program that shows them; it loads nothing but the outputs beside it, when
they come into view. `study.toml` has the scenario, with the table `[sweep]` of what was done; `boidsgen sweep
study.toml` does the same runs.
"""

import html
import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from boidsgen.output.formats import FORMATS
from boidsgen.output.publish import open_file
from boidsgen.scenario.scenario import Sweep, toml_of_non_defaults, versions
from boidsgen.scenario.wording import without_surrogates
from boidsgen.simulation.measures import KNOWN
from boidsgen.studies.manifest import ManifestRow, flatten_row
from boidsgen.studies.plan import SweepPlan, group_axes, short_keys
from boidsgen.webpage.writer import policy, script_json, script_of

PAGE = "index.html"

_PARTS = ("page.html", "page_chart.js", "page_cells.js")
_SCRIPT, _STYLE = (re.compile(f"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("script", "style"))
_BESIDE = [
    f"{kind} 'self' file:{more}" for kind, more in {"img-src": " data:", "media-src": "", "frame-src": ""}.items()
]
"""Pictures that a page may show: files beside it, which have no common origin on a disk, and stills that it embeds."""
_PLAIN = ("run", "file", "status", "reason", "seed", "seed_number", "frames", "seconds", "poster")
_KINDS = {"mean": "mean {}", "final": "{} at the end"}


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
    head = head.replace("@TITLE@", html.escape(without_surrogates(plan.base.title or plan.source.stem)))
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
    return versions() + toml_of_non_defaults(plan.base.model_copy(update={"sweep": table}))
