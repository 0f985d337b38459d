"""Page: every run of a sweep in one file for a browser.

`index.html` holds what the manifest says and the program that shows it; it loads nothing but the outputs beside it, and
those only when they come into view.
"""

import html
import json
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from boidsgen.output.formats import WRITERS
from boidsgen.scenario.wording import readable
from boidsgen.simulation.measuring import KNOWN
from boidsgen.studies.sweep.directory import replacing
from boidsgen.studies.sweep.manifest import flat, plain
from boidsgen.studies.sweep.plan import Plan, short_keys
from boidsgen.studies.sweep.rows import Row
from boidsgen.studies.sweep.sheet import sheet_name

PAGE = "index.html"
MARK = '<script type="application/json" id="study">'
"""What stands in every page, of whatever version, and tells that it is one."""

_TITLE, _STUDY, _CHART = "@TITLE@", "@STUDY@", "@CHART@"
_PLAIN = ("run", "file", "status", "reason", "seed", "seed_number", "frames", "seconds", "poster")
_INSTANTS = {"mean": "mean {}", "final": "{} at the end"}
_DIGITS = 6
_ESCAPES = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"})
"""What could end the script that the data stands in."""


def write_page(directory: Path, plan: Plan, rows: Callable[[], Iterable[Row]]) -> None:
    """Write the page of a sweep.

    Args:
        directory: of the sweep.
        plan: of the sweep.
        rows: gives a row for every run, as often as it is called.

    Raises:
        StorageError: when it cannot be written.
    """
    head, tail = _template().split(_STUDY)
    head = head.replace(_TITLE, html.escape(readable(plan.base.title or plan.source.stem)))
    with replacing(directory / PAGE) as file:
        file.write(head.encode())
        file.write(_study(directory, plan, rows).encode())
        file.write(tail.encode())


def _template() -> str:
    folder = files(__package__)
    text = (folder / "page.html").read_text("utf-8")
    program = "".join((folder / name).read_text("utf-8") for name in ("page_heat.js", "page_chart.js"))
    return text.replace(_CHART, program)


def _study(directory: Path, plan: Plan, rows: Callable[[], Iterable[Row]]) -> str:
    columns = [*_columns(plan), *_measures(rows())]
    width, height = plan.base.picture_size
    about: dict[str, Any] = {
        "drawn": plan.drawn,
        "seeds": plan.seeds is not None,
        "width": width,
        "height": height,
        "fps": plan.base.output.fps,
        "sheet": sheet_name(plan) if (directory / sheet_name(plan)).exists() else "",
        "elements": _elements(),
        "columns": columns,
    }
    names = [column["name"] for column in columns]
    lines = ",\n".join(_script(_values(row, names)) for row in rows())
    return f'{_script(about)[:-1]}, "runs": [\n{lines}\n]}}'


def _elements() -> dict[str, str]:
    """How names of clips end, and which element of HTML shows such a file."""
    files = (writer for writer in WRITERS.values() if writer.makes != "folder")
    return {ending: writer.element for writer in files for ending in writer.extensions}


def _columns(plan: Plan) -> list[dict[str, str]]:
    short = short_keys(plan.keys)
    varied = [{"name": key, "label": short[key], "role": "parameter"} for key in plan.keys if key not in _PLAIN]
    return [*({"name": name, "label": name, "role": "plain"} for name in _PLAIN), *varied]


def _measures(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The measures that at least one run has."""
    defined = {name for row in rows for instant in _INSTANTS for name in row.get(instant, {})}
    return [
        {"name": f"{instant}.{name}", "label": label.format(name.replace("_", " ")), "role": "measure"}
        for instant, label in _INSTANTS.items()
        for name in KNOWN
        if name in defined
    ]


def _values(row: Row, names: Sequence[str]) -> list[object]:
    found = flat(row)
    return [_rounded(found.get(name)) for name in names]


def _rounded(value: object) -> object:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _script(value: object) -> str:
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    return text.translate(_ESCAPES)
