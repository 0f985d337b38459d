"""Maps that run: a measure of a sweep over two keys as one page, where a click starts the simulation of its point.

The page embeds that of the base scenario once. Where the two keys stand in it are marks, in whose place the page puts
the values of the point, also between runs; so the simulation begins with them, and equals that of `boidsgen simulate`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from boidsgen.drawing.colors import THEMES, Theme, contrast
from boidsgen.drawing.frame import rgb
from boidsgen.errors import UsageError
from boidsgen.output.publish import open_file
from boidsgen.scenario.layers import Override, refuse_reaching
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Scenario, number_at
from boidsgen.scenario.sources import Source, found_beside
from boidsgen.studies.figure import complete_request, inks_of
from boidsgen.studies.manifest import STUDY
from boidsgen.studies.requests import FigureRequest
from boidsgen.studies.results import DISTANCE, SPREADS, Estimate, Results, are_numbers, in_words
from boidsgen.webpage.document import document, numbered
from boidsgen.webpage.writer import (
    filled,
    page_data,
    policy,
    script_json,
    script_of,
    style_of,
    unused_modules,
    with_parts,
    with_spares,
)

MARKS = ("@across@", "@up@")
WIDE, HIGH, LEFT, BELOW = 480, 400, 70, 50  # Of the map and its margins, in pixels


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
    source = found_beside(study)
    if named := draft(source).files:  # a page would show their content
        raise UsageError(f"{path}: {study} names {named[0]}, as no sweep writes it; draw a .png")
    refuse_reaching({"sweep": {"vary": results.keys}}, results.name)
    base = _at(source, fixed)
    data, recording = page_data(base, name=study.parent.resolve().name)
    if recording:
        raise UsageError(f"{path}: {data['notice']} Draw a .png.")
    _refuse_starts(path, source, fixed, dict(zip(keys, axes, strict=True)), data)
    _mark(data, keys)
    points = results.points(keys, results.quantity(full.measures[0]), full.spread)
    with open_file(path, no_clobber=no_clobber) as file:
        file.write(_page(data, full, axes, points, base).encode())


def _at(source: Source, values: Mapping[str, object]) -> Scenario:
    """The scenario of a study at one of its points."""
    return draft(source, [Override(key, value, f"{source.label}: {key}") for key, value in values.items()]).scenario()


def _refuse_starts(
    path: str, source: Source, fixed: Mapping[str, object], axes: Mapping[str, Sequence[float]], data: Mapping[str, Any]
) -> None:
    """Stop where the page has not the starts of all points, or cannot change a key."""
    told = data["document"]
    known = {key for key, _ in told["keys"]}.difference(told["settled"])
    for key in axes:
        if numbered(key) not in known:
            raise UsageError(f"{path}: a page cannot change {key}; draw a .png")
    for corner in product(*((values[0], values[-1]) for values in axes.values())):
        one = _at(source, {**fixed, **dict(zip(axes, corner, strict=True))})
        seen = with_spares(one) if data["spare"] else one
        if document(seen, len(told["starts"]))["starts"] != told["starts"]:
            raise UsageError(f"{path}: where boids start depends on {' or '.join(axes)}; draw a .png")


def _mark(data: dict[str, Any], keys: Sequence[str]) -> None:
    """Put marks where the values of the keys are: in tables, and in the scenario as an event."""
    pairs = list[str]()
    for mark, key in zip(MARKS, map(numbered, keys), strict=True):
        inner, (*names, last) = data["document"]["tables"], key.split(".")
        for name in names:
            inner = inner[int(name) if name.isdecimal() else name]
        inner[last] = mark
        pairs.append(f'"{key}" = {mark}')
    data["text"]["events"].insert(0, f"[[events]]\nat = 0\nset = {{ {', '.join(pairs)} }}\n")


def _page(
    data: dict[str, Any],
    request: FigureRequest,
    axes: Sequence[Sequence[float]],
    points: Mapping[tuple[Any, ...], Estimate],
    base: Scenario,
) -> str:
    theme = THEMES[request.theme]
    (measure,) = request.measures
    inside = filled(data, "", "", without=unused_modules(data))
    text, muted = inks_of(theme)
    style = (files("boidsgen.studies") / "map.css").read_text("utf-8")
    style = f":root{{--back:{theme.background};--ink:{text};--muted:{muted}}}\n{style}".strip()
    script = (files("boidsgen.studies") / "map.js").read_text("utf-8").strip()
    allowed = policy(
        [script, script_of("page", unused_modules(data))],
        [style, style_of(data)],
        "img-src data: blob:",
        "font-src data:",
    )
    title = request.title or f"{in_words(measure)}: {base.title}".removesuffix(": ")
    told = {
        "page": inside,
        "axes": [
            {"label": in_words(key), "values": values, "whole": isinstance(number_at(base, key), int)}
            for key, values in zip((request.x, request.color), axes, strict=True)
        ],
        "measure": in_words(measure),
        "spread": SPREADS[request.spread][0],
        "points": [[points.get((across, up)) for across in axes[0]] for up in axes[1]],
    }
    parts = {
        "POLICY": allowed,
        "TITLE": escape(title),
        "STYLE": style,
        "CELLS": "".join(_cells(axes, points, theme)),
        "SEED": str(base.seed),
        "DATA": script_json(told),
        "SCRIPT": script,
    }
    frame = (files("boidsgen.studies") / "map.html").read_text("utf-8")
    return with_parts(frame, parts)


def _cells(axes: Sequence[Sequence[float]], points: Mapping[tuple[Any, ...], Estimate], theme: Theme) -> Sequence[str]:
    """Rectangles of the map, in the colors of the theme, and the values along its axes."""
    across, up = axes
    wide, high = WIDE / len(across), HIGH / len(up)
    values = [one.value for one in points.values() if isfinite(one.value)]
    low, high_value = min(values, default=0.0), max(values, default=1.0)
    shades = np.stack([rgb(color) for color in theme.sequential])
    made = list[str]()
    for column, row in product(range(len(across)), range(len(up))):
        one = points.get((across[column], up[row]))
        if one is None:
            continue
        share = (one.value - low) / (high_value - low or 1.0) * (len(shades) - 1)
        mixed = [round(float(np.interp(share, range(len(shades)), part))) for part in shades.T]
        fill = "#" + bytes(mixed).hex()
        x, y = LEFT + column * wide, HIGH - (row + 1) * high
        ink = max(("#000000", "#ffffff"), key=lambda color: contrast(color, fill))
        made.append(f'<rect x="{x:.6g}" y="{y:.6g}" width="{wide:.6g}" height="{high:.6g}" fill="{fill}"/>')
        if len(across) * len(up) <= 100:
            place = f'x="{x + wide / 2:.6g}" y="{y + high / 2 + 4:.6g}" fill="{ink}"'
            made.append(f'<text class="value" {place}>{one.value:.2g}</text>')
    for k, value in enumerate(across):
        made.append(f'<text x="{LEFT + (k + 0.5) * wide:.6g}" y="{HIGH + 18}">{value:.4g}</text>')
    for k, value in enumerate(up):
        made.append(f'<text class="up" x="{LEFT - 6}" y="{HIGH - (k + 0.5) * high + 4:.6g}">{value:.4g}</text>')
    return made
