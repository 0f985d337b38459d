"""The page of a sweep for a browser: the rows of the manifest and the program that shows them.

It loads nothing but the outputs beside it, when they come into view.
"""

import html
import json
import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from boidsgen.output.formats import FORMATS
from boidsgen.output.publish import open_file
from boidsgen.scenario.wording import readable
from boidsgen.simulation.measuring import KNOWN
from boidsgen.studies.manifest import ManifestRow, flatten_row, json_value
from boidsgen.studies.plan import SweepPlan, group_axes, short_keys
from boidsgen.webpage.writer import policy, script_of

PAGE = "index.html"
PAGE_MARK = '<script type="application/json" id="study">'  # Part of every page, of whatever version

_SCRIPT, _STYLE = (re.compile(f"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("script", "style"))
_BESIDE = [
    f"{kind} 'self' file:{more}" for kind, more in {"img-src": " data:", "media-src": "", "frame-src": ""}.items()
]
"""What a page may show: the files beside it, which have no common origin on a disk, and stills that it embeds."""
_PLAIN = ("run", "file", "status", "reason", "seed", "seed_number", "frames", "seconds", "poster")
_KINDS = {"mean": "mean {}", "final": "{} at the end"}
_ESCAPES = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})
"""Characters that could end the script element with the data."""


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
        file.write(f'{head}{_script(about)[:-1]}, "runs": [\n'.encode())
        for number, row in enumerate(rows()):
            found = flatten_row(row)
            values = [found.get(column["name"]) for column in columns]
            values = [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]
            file.write(f"{',' if number else ''}{_script(values)}\n".encode())
        file.write(f"]}}{tail}".encode())


def _script(value: object) -> str:
    return json.dumps(json_value(value), ensure_ascii=False, allow_nan=False).translate(_ESCAPES)
