"""Reports of a sweep: its page for a browser, its scenario, maps that run, and its RO-Crate.

The page has the rows of the manifest and the program that shows them; it loads nothing but the outputs beside it, when
they come into view. `study.toml` has the scenario, with the table `[sweep]` of the runs; `boidsgen sweep study.toml`
repeats them.

A map shows a measure of a sweep over two keys as one page, where a click starts the simulation of its point. The page
embeds that of the base scenario once, with markers for the values of the two keys. The page replaces the markers by the
values of the point, also between runs; so the simulation starts with them, and equals that of `boidsgen simulate`.

An RO-Crate, `ro-crate-metadata.json`, describes the files for repositories of data. The directory is the crate. Every
output has its size and SHA-256; one action made them all from `study.toml`, with the programs of the manifest. It needs
the extra `crate`. https://w3id.org/ro/crate
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import chain, product
from math import ceil, floor, isfinite, log10
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boidsgen.drawing.themes import THEMES, Theme
from boidsgen.errors import UsageError
from boidsgen.output.formats import FORMATS
from boidsgen.output.publish import open_file
from boidsgen.records import optional_package
from boidsgen.scenario.layers import Override, refuse_reaching
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario, Sweep, toml_of_non_defaults, versions
from boidsgen.scenario.sources import Source, find
from boidsgen.scenario.wording import without_surrogates
from boidsgen.simulation.measures import KNOWN
from boidsgen.studies.figure import complete_request
from boidsgen.studies.manifest import CRATE, LINES, RUN_DONE, SPREADSHEET, STUDY, ManifestRow, flatten_row, hash_output
from boidsgen.studies.plan import SweepPlan, group_axes, short_keys
from boidsgen.studies.requests import FigureRequest
from boidsgen.studies.results import DISTANCE, SPREADS, Estimate, Results, are_numbers, in_words
from boidsgen.webpage.outer import outer_page
from boidsgen.webpage.writer import MarkedPage, script_json

if TYPE_CHECKING:
    from boidsgen.studies.sweep import Study

PAGE = "index.html"


def _part(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


_BESIDE = [
    f"{kind} 'self' file:{more}" for kind, more in {"img-src": " data:", "media-src": "", "frame-src": ""}.items()
]
"""Pictures that a page may show: files beside it, which have no common origin on a disk, and stills that it embeds."""
_PLAIN = ("run", "file", "status", "reason", "seed", "seed_number", "frames", "seconds", "poster")
KINDS_OF_PAGE = {"mean": "mean {measure}", "final": "{measure} at the end"}


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
    title, mark = escape(without_surrogates(plan.base.title or plan.source.stem)), "@study@"
    script = _part("index.js").replace("@chart@", _part("page_chart.js")).replace("@cells@", _part("page_cells.js"))
    parts, allowed = {"title": title, "study": mark}, (*_BESIDE, "font-src data:")
    short = short_keys(plan.keys)
    defined = {name for row in rows() for kind in KINDS_OF_PAGE for name in row.get(kind, {})}
    page = outer_page(
        "sweep",
        _part("index.html"),
        parts,
        modules=("lockstep", "axes", "outer"),
        script=script,
        language=plan.base.page.language,
        told={*KINDS_OF_PAGE.values(), *map(in_words, defined), *map(in_words, ".".join(short.values()).split("."))},
        allowed=allowed,
    )
    head, tail = page.split(mark)
    columns = [
        *({"name": name, "label": name, "role": "plain"} for name in _PLAIN),
        *({"name": key, "label": short[key], "role": "parameter"} for key in plan.keys if key not in _PLAIN),
        *(
            {"name": f"{kind}.{name}", "label": label, "measure": in_words(name), "role": "measure"}
            for kind, label in KINDS_OF_PAGE.items()
            for name in KNOWN
            if name in defined
        ),
    ]
    width, height = plan.base.picture_size
    alike = {"title"} - {*plan.keys}
    bare = plan.base.model_copy(update=dict.fromkeys(alike, ""))
    if "overlay.caption" not in plan.keys:
        bare = bare.model_copy(update={"overlay": bare.overlay.model_copy(update={"caption": ""})})
    groups = group_axes(plan.axes, plan.zipped)
    is_page = FORMATS[plan.base.output.format].element == "iframe"
    writers = [writer for writer in FORMATS.values() if writer.makes != "folder"]
    about: dict[str, Any] = {
        "drawn": plan.drawn,
        "seeds": plan.seeds is not None,
        "across": _across(plan),
        "heads": [axis.key for axis in groups[-1]] if len(groups) > 1 else [],  # of the columns of means
        "width": width,
        "height": height,
        "above": 0 if is_page else height - bare.picture_size[1],  # pixels of the title and the caption
        "seam": 0 if is_page else plan.base.looping_in({plan.base.output.format}).seam,
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


def study_text(plan: SweepPlan, own_rules: Mapping[str, str]) -> str:
    """The scenario of a study, with everything that makes its runs, as TOML; sources of rules of a program by names."""
    zipped = plan.zipped if 0 < len(plan.zipped) < len(plan.keys) else bool(plan.zipped)
    until = {f"error.{name}": error for name, error in plan.until.items()}
    vary = {axis.key: tuple(axis.values) for axis in plan.axes}
    independent = plan.base.sweep.independent
    table = Sweep(vary=vary, seeds=plan.seeds, independent=independent, zip=zipped, until=until)
    return versions(own_rules) + toml_of_non_defaults(plan.base.model_copy(update={"sweep": table}))


MARKS, CHOSEN = ("@across@", "@up@"), "@chosen@"
WIDE, HIGH, LEFT = 480, 400, 70  # Of the map and its margin, in pixels
OF_RUNS = {
    (False, False): ("value of one run", "mean of {most} runs", "mean of {least} to {most} runs"),
    (False, True): ("value of one run", "median of {most} runs", "median of {least} to {most} runs"),
    (True, False): (
        "average over all frames of one run",
        "average over all frames of {most} runs",
        "average over all frames of {least} to {most} runs",
    ),
    (True, True): (
        "average over all frames of one run",
        "median of {most} runs, each averaged over its frames",
        "median of {least} to {most} runs, each averaged over its frames",
    ),
}
"""What the number of a cell is, by whether runs are averaged over frames, and by whether it is a median of them."""
MOST_NUMBERS, UNCERTAIN = 49, 0.1
"""Cells up to which each has its number, and the part of the range from which on an error makes a cell uncertain;
map.js says a tenth."""
HATCHING = (
    '<pattern id="hatching" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path d="M0 0V7"/></pattern>'
)
BAR_TICKS, EVEN = 6, 1e-9  # Ticks of the color bar at most, and the rounding of one that lies on its end


def write_map(results: Results, request: FigureRequest, path: str, *, no_clobber: bool = False) -> None:
    """Write the map of a measure over two keys.

    Raises:
        UsageError: the results have no such map, or a page cannot begin with other values of these keys.
    """
    full = complete_request(results, request._replace(heat=True))
    keys = [full.x, full.color]
    if full.panels or len(full.measures) > 1 or DISTANCE in keys:
        raise UsageError(f"{path}: shows one measure over two keys; choose by --measure and --only")
    taken: Mapping[str, list[Any]] = results.keys
    axes = [sorted(taken[key]) for key in keys if are_numbers(taken[key])]
    if len(axes) < 2 or min(map(len, axes)) < 2:
        raise UsageError(f"{path}: needs two keys with numbers, and two values of each")
    fixed = {key: values[0] for key, values in results.keys.items() if key not in keys}
    folder = Path(results.name)
    study = (folder if folder.is_dir() else folder.parent) / STUDY
    source = find(study, foreign=True)
    if named := draft(source).files:  # a page would show their content
        raise UsageError(f"{path}: {study} names {named[0]}, as no sweep writes it; draw a .png")
    refuse_reaching({"sweep": {"vary": results.keys}}, results.name)
    quantity = results.quantity(full.measures[0])
    base = _at(source, {**fixed, "title": CHOSEN, **({"style.theme": full.theme} if full.theme else {})})
    page = MarkedPage(base, study.parent.resolve().name, quantity.measure)
    if page.notice:
        raise UsageError(f"{path}: {page.notice} Draw a .png.")
    for key in keys:
        if not page.can_change(key):
            raise UsageError(f"{path}: a page cannot change {key}; draw a .png")
    for corner in product(*((values[0], values[-1]) for values in axes)):
        if not page.starts_like(_at(source, {**fixed, **dict(zip(keys, corner, strict=True))})):
            raise UsageError(f"{path}: where boids start depends on {' or '.join(keys)}; draw a .png")
    page.mark(dict(zip(keys, MARKS, strict=True)))
    points = results.points(keys, quantity, full.spread)
    runs = Counter(tuple(row["parameters"][key] for key in keys) for row in results.rows).values()
    names = OF_RUNS[quantity.kind == "mean", full.spread == "quantiles"]
    of = names[0 if max(runs) == 1 else 1 if min(runs) == max(runs) else 2]
    measure = [part.replace(")", "") for part in quantity.label.split(" (")]
    told = {
        "page": page.text(),
        "axes": [
            {"label": in_words(key), "values": values, "whole": page.is_whole(key)}
            for key, values in zip(keys, axes, strict=True)
        ],
        "of": of,
        "runs": {"least": min(runs), "most": max(runs)},
        "measure": measure,
        # Of the run shown: its measure in all frames, or in the last; none for what pages do not compute.
        "name": page.measure if quantity.kind in KINDS_OF_PAGE and page.measure == quantity.measure else "",
        "kind": quantity.kind,
        "frames": base.time.frames,
        "seed": base.seed,
        "spread": SPREADS[full.spread][0],
        "points": [[points.get((across, up)) for across in axes[0]] for up in axes[1]],
    }
    cells, bar = _cells(axes, points, THEMES[base.style.theme])
    parts = {
        "title": escape(full.title or draft(source).scenario().title or study.parent.resolve().name),
        "cells": cells,
        "bar": bar,
        "data": script_json(told),
    }
    text = outer_page(
        "map",
        _part("map.html"),
        parts,
        modules=("lockstep", "outer"),
        script=_part("map.js"),
        colors=page.colors,
        language=base.page.language,
        told={of, SPREADS[full.spread][0], *measure},
        within=page.within,
    )
    with open_file(path, no_clobber=no_clobber) as file:
        file.write(text.encode())


def _at(source: Source, values: Mapping[str, object]) -> Scenario:
    """The scenario of a study at one of its points."""
    return draft(source, [Override(key, value, f"{source.label}: {key}") for key, value in values.items()]).scenario()


def _cells(
    axes: Sequence[Sequence[float]], points: Mapping[tuple[Any, ...], Estimate], theme: Theme
) -> tuple[str, str]:
    """Rectangles of the map with the values along its axes, and its color bar with ticks."""
    across, up = axes
    wide, high = WIDE / len(across), HIGH / len(up)
    values = [one.value for one in points.values() if isfinite(one.value)]
    low, high_value = min(values, default=0.0), max(values, default=1.0)
    uncertain = UNCERTAIN * (high_value - low)
    made = [HATCHING]
    for column, row in product(range(len(across)), range(len(up))):
        one = points.get((across[column], up[row]))
        if one is None:
            continue
        fill = theme.shade((one.value - low) / (high_value - low or 1.0))
        x, y = LEFT + column * wide, HIGH - (row + 1) * high
        letters, error = theme.letters_on(fill), (one.high - one.low) / 2
        shape = f'<rect x="{x:.6g}" y="{y:.6g}" width="{wide:.6g}" height="{high:.6g}"'
        made.append(f'{shape} fill="{fill}"/>')
        if error > uncertain:
            made.append(f'{shape} class="uncertain" color="{letters}" fill="url(#hatching)"/>')
        if len(across) * len(up) <= MOST_NUMBERS:
            texts = [f"{one.value:#.2g}".rstrip("."), *([f"±{error:.1g}"] if error > 0 else [])]
            for line, text in enumerate(texts):
                place = f'x="{x + wide / 2:.6g}" y="{y + high / 2 + 14 - 10 * len(texts) + 18 * line:.6g}"'
                made.append(f'<text class="{"error" if line else "value"}" {place} fill="{letters}">{text}</text>')
    for k, value in enumerate(across):
        made.append(f'<text x="{LEFT + (k + 0.5) * wide:.6g}" y="{HIGH + 18}">{value:.4g}</text>')
    for k, value in enumerate(up):
        made.append(f'<text class="up" x="{LEFT - 6}" y="{HIGH - (k + 0.5) * high + 5:.6g}">{value:.4g}</text>')
    bar = [
        f'<stop offset="{100 * k / (len(theme.sequential) - 1):.4g}%" stop-color="{color}"/>'
        for k, color in enumerate(theme.sequential)
    ]
    step = 10.0 ** floor(log10((high_value - low) / BAR_TICKS)) if high_value > low else 1.0
    step *= next(one for one in (1, 2, 5, 10) if (high_value - low) / (one * step) <= BAR_TICKS)
    ticks = [
        f'<path d="M{x:.6g} 12v5"/><text x="{x:.6g}" y="31">{k * step:.4g}</text>'
        for k in range(ceil(low / step - EVEN), floor(high_value / step + EVEN) + 1)
        for x in [LEFT + WIDE * (k * step - low) / (high_value - low or 1.0)]
    ]
    shades = f'<linearGradient id="shades">{"".join(bar)}</linearGradient>'
    place = f'x="{LEFT}" width="{WIDE}" height="12"'
    return "".join(made), f'{shades}<rect {place} fill="url(#shades)"/>{"".join(ticks)}'


_CONTENT = {
    STUDY: "The scenario and everything that makes its runs",
    LINES: "Parameters, results, checksums and versions of each run, as JSON lines",
    SPREADSHEET: "The same as a table",
    PAGE: "The same as a page",
}
_TYPES = {".toml": "application/toml", ".jsonl": "application/jsonl"}  # that not every system knows


def write_crate(study: "Study") -> None:
    """Describe all files of a study that has been closed; UsageError if the library of crates is not installed."""
    crate = optional_package("rocrate.rocrate", "--crate").ROCrate()
    title = study.plan.base.title or study.plan.source.stem
    crate.name = title
    rows = [row for row in study.rows() if row["status"] == RUN_DONE]

    def described(name: str, about: str, known: Mapping[str, Any]) -> Any:  # noqa: ANN401  an entity of the library
        path, told = study.directory / name, {"name": name, "description": about}
        if path.is_dir():  # pictures of all frames
            return crate.add_dataset(path, name, properties=told)
        measured = known if "sha256" in known else hash_output(path)
        kind = guess_type(name)[0] or _TYPES.get(path.suffix, "application/octet-stream")
        about_file = {"sha256": measured["sha256"], "contentSize": str(measured["bytes"]), "encodingFormat": kind}
        return crate.add_file(path, name, properties=told | about_file)

    there = {name: about for name, about in _CONTENT.items() if (study.directory / name).exists()}
    parts = {name: described(name, about, {}) for name, about in there.items()}
    made = [
        described(name, f"{what} of the run {row['run']}", known)
        for row in rows
        for name, what, known in ((row["file"], "Output", row), (row.get("series"), "Measures of every frame", {}))
        if name
    ]
    used = dict.fromkeys(chain.from_iterable(row["versions"].split(", ") for row in rows))
    programs = [
        crate.add_jsonld({"@id": f"#{one}", "@type": "SoftwareApplication", "name": name, "version": number})
        for one, (name, _, number) in ((text.replace(" ", "-"), text.partition(" ")) for text in used)
    ]
    action = {"@id": "#sweep", "@type": "CreateAction", "name": f"{len(rows)} runs of {title}"}
    done = crate.add_jsonld(action)
    done["instrument"], done["object"] = programs, parts.pop(STUDY)
    done["result"] = [*parts.values(), *made]
    crate.root_dataset["mentions"] = done
    crate.description = f"A sweep by boidsgen: {action['name']}."
    with open_file(str(study.directory / CRATE)) as file:
        file.write(json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False).encode())
