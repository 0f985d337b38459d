"""Comparisons: scenarios side by side and in step, their variants, and film strips of one scenario.

All simulations of a comparison advance together and one picture is in memory, whatever the number of frames. A scenario
with fewer frames than the longest stays on its last one. Rate, quality, the size of each cell and the colors of the
page are those of the first scenario; a picture of another shape is drawn as large as it fits into its cell.

Outputs of a comparison embed it as TOML: the headings, and `scenarios`, each entry a whole scenario as `provenance`
writes it. `read_grid` parses this text.

The panels of a comparison are scenarios crossed with variants, or a scenario without each of its rules in turn.
"""

import shlex
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import islice, product
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from boidsgen.drawing.contact_sheet import (
    ContactSheet,
    Headings,
    SheetLayout,
    TileFrame,
    automatic_columns,
    draw_page,
    fit_size,
    lay_out,
    page_inks,
    page_picture,
)
from boidsgen.drawing.frame import MAX_COLORS, Frame, Quantizer, dissolved, seamless
from boidsgen.drawing.overlays.readings import MeasureName, measure_label, measure_text
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.text import missing_letters, no_glyphs
from boidsgen.drawing.vector import Figure, FigureRenderer, VectorCanvas
from boidsgen.errors import LimitError, ScenarioError, UsageError, join_words
from boidsgen.output.figures import encoded_figure
from boidsgen.output.formats import PAGES, SIDES, Target
from boidsgen.output.outputs import open_outputs
from boidsgen.output.pictures import encoded
from boidsgen.output.publish import open_file
from boidsgen.output.recording import SavedRun
from boidsgen.pipeline import (
    DEFAULT_OPTIONS,
    STILL_ENDING,
    Report,
    RunOptions,
    complete,
    frame_number,
    is_figure,
    is_still,
    not_shown,
    pictures_at,
    preflight,
    provenance_of,
    targets_of,
    unblurred,
    unfaded,
    with_progress,
)
from boidsgen.scenario.documents import parsed
from boidsgen.scenario.layers import Override, from_text, refuse_undecodable
from boidsgen.scenario.loading import draft, saved_states
from boidsgen.scenario.scenario import Scenario, check_readable, versions
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import pairs, without_surrogates
from boidsgen.simulation.measures import MEASURES, measure
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.simulation.run import engine_of, simulate
from boidsgen.simulation.setup import State
from boidsgen.system import parsing
from boidsgen.tables import Table, with_tuples
from boidsgen.variants import (
    EACH_CHANGE,
    EACH_RULE,
    WITHOUT,
    ablate,
    label_of,
    sampled,
    telling_apart,
    translated,
)
from boidsgen.webpage.document import numbered
from boidsgen.webpage.writer import LANGUAGES, filled, in_english, page_data, shared_parts, style_of, unused_modules

COMPARISON = "comparison"  # File name, without extension, of a comparison that is put into a directory
MOST_TITLES = 4  # Pictures that the title of a page names, all or the first
MAX_STRIP = 64  # Maximum number of frames in one strip


def untitled(scenario: Scenario) -> Scenario:
    """The scenario of a tile: its title stands above the grid."""
    return scenario.model_copy(update={"title": ""})


@dataclass(frozen=True)
class Comparison:
    """Scenarios and the grid in which they are shown."""

    scenarios: Sequence[Scenario]  # row by row
    headings: Headings  # text around them
    columns: int = 0  # tiles in a row; 0 = as many as suit a screen
    # measure whose value is shown below each tile; None for that of the first scenario's chart, if any
    measure: str | None = None
    # the states of scenarios that are saved runs, by their numbers; all others are simulated
    saved: Mapping[int, SavedRun] = field(default_factory=dict)
    # dotted keys in which each scenario differs by intention, which sliders of a page leave alone there
    held: Sequence[Collection[str]] = ()
    # that of a page; then labels are ours, and pages translate them
    question: str = ""

    def states(self, number: int, engine: str) -> Iterable[State]:
        """The states of one of the scenarios."""
        return self.saved[number] if number in self.saved else simulate(self.scenarios[number], engine)

    @property
    def first(self) -> Scenario:
        """The scenario that decides for all."""
        return self.scenarios[0]

    @property
    def longest(self) -> Scenario:
        """The scenario with the most frames."""
        return max(self.scenarios, key=lambda scenario: scenario.time.frames)

    @property
    def clip_frames(self) -> int:
        """Frames of the clip, without those that a cross-fade takes."""
        return self.longest.time.frames - self.first.seam

    def looping_in(self, formats: Collection[str]) -> "Comparison":
        """The comparison of a clip in these formats; without a cross-fade where the clip stops on its last frame."""
        return replace(self, scenarios=[one.looping_in(formats) for one in self.scenarios])

    def telling(self, usual: str, engine: str) -> str:
        """The measure that tells the runs apart, as far as a part of them shows it; else the usual one."""
        boids = sum(sum(one.most_boids) for one in self.scenarios)
        shown = sampled(boids, min(one.time.frames for one in self.scenarios))
        runs = (self.states(number, engine) for number in range(len(self.scenarios)))
        return telling_apart([islice(run, shown.start, shown.stop, shown.step) for run in runs], usual)

    @property
    def noted(self) -> str | None:
        """The measure whose value is shown below each tile."""
        return self.measure or self.first.overlay.chart

    @cached_property
    def layout(self) -> SheetLayout:
        """Places of everything."""
        cell = untitled(self.first).picture_size
        sizes = [fit_size(untitled(scenario).picture_size, cell) for scenario in self.scenarios]
        columns = min(self.columns, len(sizes)) or automatic_columns(len(sizes), cell)
        return lay_out(sizes, self.headings, columns, SIDES, noted=self.noted is not None)


def side_by_side(labels: Sequence[str], scenarios: Sequence[Scenario], saved: SavedRun | None) -> Comparison:
    """Scenarios in a row, each under its label; the states of the first may be those of a saved run.

    Beside a page that plays a recording, all others play one, too.
    """
    if saved is None:
        return Comparison(scenarios, Headings(labels=labels), len(scenarios))
    shown = [one.model_copy(update={"output": one.output.model_copy(update={"page": "recorded"})}) for one in scenarios]
    return Comparison(shown, Headings(labels=labels), len(shown), saved={0: saved})


def compare(
    comparison: Comparison, *outputs: str | PathLike[str] | Target, options: RunOptions = DEFAULT_OPTIONS
) -> Report:
    """Simulate, draw and encode all scenarios of a comparison, once for all outputs, each a path or a target.

    Raises:
        BoidsgenError: one of its kinds; then every output is as it was before.
    """
    targets = targets_of(outputs, COMPARISON, comparison.first.output.format)
    report = compare_as_is(comparison.looping_in({one.format for one in targets}), targets, options)
    return replace(report, notices=(*report.notices, *unfaded(comparison.first, targets)))


def compare_as_is(comparison: Comparison, targets: Sequence[Target], options: RunOptions) -> Report:
    """Render with the cross-fade of the first scenario, whether or not the formats loop; otherwise like `compare`."""
    began, engine = time.monotonic(), options.simulator
    _preflight(comparison)
    first, text = comparison.first, grid_text(comparison)
    pages, films = [one for one in targets if one.format in PAGES], [one for one in targets if one.format not in PAGES]
    clip = first.output.clip(comparison.layout.size, comparison.clip_frames, text)
    with ExitStack() as stack:
        files = [stack.enter_context(open_file(one.path, "stream", no_clobber=options.no_clobber)) for one in pages]
        if pages:
            content = _page(comparison, Path(pages[0].path).stem, text, options.engine).encode()
            for file in files:
                file.write(content)
            digest = sha256(content).hexdigest()
        if films:
            video = stack.enter_context(open_outputs(films, clip, no_clobber=options.no_clobber))
            frames = with_progress(comparison_frames(comparison, options.engine), options.progress)
            for frame in seamless(frames, comparison.longest.time.frames, first.seam, dissolved):
                video.write(frame)
            digest = video.digest
    paths, seconds = tuple(Path(one.path) for one in targets), time.monotonic() - began
    notices = _notices(comparison, options.engine)
    if pages:
        notices = tuple(dict.fromkeys((*notices, *(line for one in comparison.scenarios for line in unblurred(one)))))
    return Report(paths, comparison.clip_frames, clip.duration, first.seed, digest, seconds, engine, notices)


def _page(comparison: Comparison, name: str, text: str, engine: str) -> str:
    """The page of a comparison, which embeds a text; `name` is that of what is saved on it, without extension.

    The sliders are those of the first scenario, and leave those keys alone in which each differs by intention.

    Raises:
        ScenarioError: some make live pages and others recorded ones.
        UsageError: pages do not compute this measure.
    """
    heads, measure = comparison.headings, comparison.measure
    if measure not in {None, *KERNEL_MEASURES}:
        raise UsageError(f"--measure {measure}: a page shows {join_words(KERNEL_MEASURES)}")
    labels = heads.labels or [", ".join(pair) for pair in product(heads.rows, heads.columns)]
    shown = [page_data(untitled(one), comparison.saved.get(at), name) for at, one in enumerate(comparison.scenarios)]
    for data, _ in shown:
        data["lesson"], data["words"] = None, {}  # a comparison asks its own question
        data["embedded"] = data is not shown[0][0]
    refused = [(label, data["notice"]) for label, (data, _) in zip(labels, shown, strict=True) if data["recording"]]
    if refused and len(refused) < len(shown):
        label, notice = refused[0][0], in_english(refused[0][1])
        raise ScenarioError([f'{label}: {notice} The others are live; compare them with output.page = "recorded".'])
    (lead, recording), *_ = shown
    if comparison.question:
        known = [translated(label) for label in labels]
        lead["words"] = {one: {k: v for words in known for k, v in words[one].items()} for one in LANGUAGES}
    named = labels if len(labels) <= MOST_TITLES else [*labels[:MOST_TITLES], "…"]
    lead["look"]["title"] = heads.title or " · ".join(named)
    seeds = min(len(data["document"].get("starts", [])) for data, _ in shown)
    without = frozenset.intersection(*(unused_modules(data) for data, _ in shown)) - {"beside"}
    shared, cells, styles = shared_parts(lead, without), list[dict[str, Any]](), list[str]()
    sheet = "@font-face" + style_of(lead).partition("@font-face")[2]  # those of another theme have other colors
    for label, keys, (data, places) in zip(labels, comparison.held or [()] * len(shown), shown, strict=True):
        if "starts" in data["document"]:
            data["document"]["starts"] = data["document"]["starts"][:seeds]
        data["keys"] = dict.fromkeys(map(numbered, keys), "")
        if lead["spare"] and data["spare"]:
            data["keys"] |= {f"{kind}.{lead['spare'][kind]}.": f"{kind}.{own}." for kind, own in data["spare"].items()}
        page = "" if data is lead else filled(data, places, "", without=without)
        for part in shared:  # the page around it has them
            page = page.replace(part, "", 1)
        page = page.replace(sheet, "@sheet@", 1)
        *_, wide, high = data["look"]["window"]
        cells.append({"label": label, "ratio": wide / high, "page": page, "held": [*map(numbered, keys)]})
        styles.append(style_of(data))
    first, *others = cells
    lead["measure"] = measure or comparison.telling(lead["measure"], engine)
    columns = min(comparison.columns, len(cells))
    lead["beside"] = {**first, "columns": columns, "question": comparison.question, "cells": others}
    return filled(lead, recording, text, without=without, styles=styles)


def compare_still(
    comparison: Comparison, path: str | PathLike[str], *, at: int | None = None, options: RunOptions = DEFAULT_OPTIONS
) -> tuple[str, ...]:
    """Write frame `at` of all scenarios, by default the last, as one PNG; progress counts scenarios. Returns notices.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    _preflight(comparison)
    wanted, text = frame_number(comparison.longest, at), grid_text(comparison)
    tiles, sheet = _tiles(comparison)
    with open_file(fspath(path), "stream", no_clobber=options.no_clobber) as file:
        pictures = list[TileFrame]()
        for number, tile in enumerate(with_progress(tiles, options.progress)):
            at = min(wanted, tile.scenario.time.frames - 1)
            pictures += pictures_at([at], tile, comparison.states(number, options.engine))
        file.write(encoded(sheet(pictures), text, (wanted,)))
    return _notices(comparison, options.engine)


def comparison_frames(comparison: Comparison, engine: str = "auto") -> Iterator[Frame]:
    """The pictures of a comparison, frame by frame."""
    tiles, sheet = _tiles(comparison)
    runs = [map(tile, comparison.states(number, engine)) for number, tile in enumerate(tiles)]
    for _ in range(comparison.longest.time.frames):
        yield sheet([next(run, None) for run in runs])


def refuse_frame(at: int | None, paths: Iterable[str]) -> None:
    """Stop when a frame is given, and no output is a picture.

    Raises:
        UsageError: with the file extension of pictures.
    """
    if at is not None and not any(map(is_still, paths)):
        raise UsageError(f"--at {at}: applies to pictures only; end the name of an output in {STILL_ENDING}")


def _preflight(comparison: Comparison) -> None:
    """Check the limits before anything is allocated."""
    if any(scenario.style.transparent for scenario in comparison.scenarios):
        raise UsageError("a comparison has a background; leave out style.transparent")
    preflight(*comparison.scenarios, size=comparison.layout.size)


def _notices(comparison: Comparison, engine: str) -> tuple[str, ...]:
    """Notices: of the engine, of texts with missing glyphs around the tiles and in them, of doubtful saved runs."""
    heads = comparison.headings
    named = {"title": [heads.title], "column": heads.columns, "row": heads.rows, "label": heads.labels}
    around = (
        f"{name}: {no_glyphs(missing_letters(text))}"
        for name, texts in named.items()
        for text in texts
        if missing_letters(text)
    )
    tiles = (line for scenario in comparison.scenarios for line in not_shown(scenario))
    simulating = engine_of(engine).notices if len(comparison.saved) < len(comparison.scenarios) else ()
    doubts = (run.doubt for run in comparison.saved.values() if run.doubt)
    return tuple(dict.fromkeys((*simulating, *around, *tiles, *doubts)))


class _Tile:
    """One scenario, drawn in so few colors that all tiles find room in one palette; the title is above the grid."""

    def __init__(self, scenario: Scenario, size: tuple[int, int], noted: str | None) -> None:
        self.scenario, self._noted = scenario, noted
        self._draw = Renderer(untitled(scenario), size)
        self.palette, self.note = self._draw.palette, self._draw.note
        self._reduce: Quantizer | None = None
        if len(self.palette) > MAX_COLORS:
            self._reduce = Quantizer(self.palette, np.ones(len(self.palette), np.int64))
            self.palette = self._reduce.palette

    def __call__(self, state: State) -> TileFrame:
        frame = self._draw(state)
        frame = self._reduce(frame) if self._reduce else frame
        if self._noted is None:
            return frame, ""
        value = measure(state, [self._noted]).get(self._noted)
        return frame, f"{measure_label(self._noted)} {'-' if value is None else measure_text(self._noted, value)}"


def _tiles(comparison: Comparison) -> tuple[list[_Tile], ContactSheet]:
    """The tiles of a comparison and the sheet that they are put into."""
    tiles = [
        _Tile(scenario, size, comparison.noted)
        for scenario, size in zip(comparison.scenarios, comparison.layout.tiles, strict=True)
    ]
    palettes = [tile.palette for tile in tiles]
    return tiles, ContactSheet(comparison.layout, palettes, comparison.first.style.colors)


def strip(
    scenario: Scenario, path: str | PathLike[str], *, at: Sequence[int], options: RunOptions = DEFAULT_OPTIONS
) -> tuple[str, ...]:
    """Write several frames of one run, counted from 0, side by side as one PNG, SVG or PDF. Returns notices.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    _refuse_strip(scenario, at)
    tile, headings = untitled(scenario), Headings(scenario.title, labels=[f"frame {number}" for number in at])
    layout = lay_out([tile.picture_size] * len(at), headings, len(at), SIDES)
    preflight(scenario, size=layout.size)
    states = options.run(scenario)
    name, text = fspath(path), provenance_of(scenario, states)
    states, inks = complete(states, scenario), page_inks(scenario.style.colors)
    with open_file(name, "stream", no_clobber=options.no_clobber) as file:
        if is_figure(name):
            figures = pictures_at(at, FigureRenderer(tile, tile.picture_size), states, options.progress)
            canvas = VectorCanvas(layout.size, 2, inks)
            draw_page(canvas, layout, inks)
            figure: Figure = replace(canvas.picture(), parts=tuple(zip(layout.corners, figures, strict=True)))
            file.write(encoded_figure(name, figure, text, at))
        else:
            sheet = inks.colors[page_picture(layout, inks)]
            frames = pictures_at(at, Renderer(tile, tile.picture_size), states, options.progress)
            for frame, (left, top) in zip(frames, layout.corners, strict=True):
                rows, columns = frame.index.shape
                shown = frame.full() if frame.full else frame.palette[frame.index]
                sheet[top : top + rows, left : left + columns] = shown
            file.write(encoded(sheet, text, at))
    return (*not_shown(scenario), *(unblurred(scenario) if is_figure(name) else ()))


def _refuse_strip(scenario: Scenario, at: Sequence[int]) -> None:
    """Stop before anything is simulated, if a frame does not exist or the numbers do not ascend."""
    if not at:
        raise UsageError("at: names no frame")
    written = ",".join(map(str, at))
    for number in at:
        frame_number(scenario, number)
    if sorted(set(at)) != list(at):
        raise UsageError(f"--at {written}: the frames of a film strip must ascend, without repetition")
    if scenario.style.transparent:
        raise UsageError(f"--at {written}: a film strip has a background; leave out style.transparent")
    if len(at) > MAX_STRIP:
        raise UsageError(f"--at {written}: {len(at)} frames in one strip; {MAX_STRIP} are allowed")


Captions = tuple[str, ...]


class ComparisonTable(Table):
    """A comparison as TOML."""

    columns: Annotated[int, Field(ge=1)]
    """Number of scenarios in a row."""
    title: str = ""
    """Above everything."""
    column_headings: Captions = ()
    """One a column, or none."""
    row_headings: Captions = ()
    """One a row, or none."""
    labels: Captions = ()
    """One a scenario, or none."""
    measure: MeasureName | None = None
    """The measure whose value is shown below each scenario, if one was requested."""
    scenarios: Annotated[Captions, Field(min_length=1, max_length=1024)]
    """The scenarios, row by row."""


def grid_text(comparison: Comparison) -> str:
    """The text that outputs of this comparison embed."""
    headings = comparison.headings
    shown = enumerate(comparison.scenarios)
    grid = {
        "columns": comparison.layout.columns,
        "title": headings.title,
        "column_headings": [*headings.columns],
        "row_headings": [*headings.rows],
        "labels": [*headings.labels],
        **({"measure": comparison.measure} if comparison.measure else {}),
        "scenarios": [provenance_of(scenario, comparison.saved.get(number)) for number, scenario in shown],
    }
    return check_readable("".join([versions(), *(f"{pair}\n" for pair in pairs(grid))]))


def is_grid(source: Source) -> bool:
    """True if a source is such a text rather than one scenario."""
    return any(line.startswith("scenarios = [") for line in source.text.splitlines())


def read_grid(source: Source) -> Comparison:
    """Read the text of a comparison; ScenarioError if it is damaged."""
    with parsing(source.label, "its embedded scenario cannot be read"):
        grid = ComparisonTable.model_validate(with_tuples(parsed(source.text)))
        headings = Headings(grid.title, grid.column_headings, grid.row_headings, grid.labels)
        shown = [draft(source._replace(text=text, path=None)).scenario() for text in grid.scenarios]
        return Comparison(shown, headings, grid.columns, grid.measure)


MAX_SCENARIOS = 64  # Maximum number of scenarios in one grid; more would be too small to see anything


def comparison_of(
    sources: Sequence[Source],
    overrides: Sequence[Override],
    variants: Sequence[str] = (),
    *,
    ablated: bool = False,
    labels: Sequence[str] | None = None,
    columns: int | None = None,
    measure: str | None = None,
) -> Comparison:
    """Load the scenarios and arrange them: scenarios in rows and variants in columns.

    Where there is only one scenario or one variant, all form a grid that suits a screen, each under its label.

    Args:
        sources: of the scenarios.
        overrides: for all of them.
        variants: as written after --with.
        ablated: compare one scenario with itself without each of its rules.
        labels: text above each, instead of titles and variants.
        columns: number in a row.
        measure: name of the measure whose value stands below each.

    Raises:
        ScenarioError: with the errors of all scenarios.
        UsageError: there is nothing to compare, labels do not fit, or there is no such measure.
        LimitError: a scenario exceeds the limits.
    """
    if not sources:
        raise UsageError("there is nothing to compare; give at least one scenario")
    if ablated:
        if len(sources) > 1 or variants:
            raise UsageError("--ablate takes one scenario and no --with")
        found = ablate(draft(sources[0], overrides).scenario())
        headings = Headings(_common_title(found.values()), labels=list(found))
        flocks = range(len(next(iter(found.values())).flock))
        rules = [label.removeprefix(WITHOUT.format(rule="")).replace(" ", "_") for label in found]
        held = [[f"flock.{flock}.{rule}.weight" for flock in flocks] for rule in rules]
        comparison = Comparison(list(found.values()), headings, columns or 0, held=held, question=EACH_RULE)
    else:
        comparison = _crossed(sources, overrides, variants or ("",), columns)
    headings = comparison.headings
    if labels is not None:
        if len(labels) != len(comparison.scenarios):
            raise UsageError(
                f"--labels names {len(labels)} of {len(comparison.scenarios)} scenarios; give each its own"
            )
        refuse_undecodable(",".join(labels), "--labels")
        headings = Headings(headings.title, labels=[label.strip() for label in labels])
        comparison = replace(comparison, question="")
    if measure is not None and measure not in MEASURES:
        raise UsageError(f"--measure {measure}: is not a measure; use one of {', '.join(sorted(MEASURES))}")
    return replace(comparison, headings=headings, measure=measure)


def _crossed(
    sources: Sequence[Source], overrides: Sequence[Override], variants: Sequence[str], columns: int | None
) -> Comparison:
    """Every scenario in every variant."""
    settings = [_settings(variant) for variant in variants]
    if (wanted := len(sources) * len(settings)) > MAX_SCENARIOS:
        raise UsageError(f"{wanted} scenarios in one grid; {MAX_SCENARIOS} are allowed")
    scenarios, errors, excesses = [], dict[str, None](), dict[str, None]()
    saved: dict[int, SavedRun] = {}
    for source in sources:
        for own in settings:
            try:
                scenarios.append(draft(source, [*overrides, *own]).scenario())
                if states := saved_states(source, scenarios[-1], [*overrides, *own]):
                    saved[len(scenarios) - 1] = states
                excesses |= dict.fromkeys(f"{source.label}: {line}" for line in scenarios[-1].excess())
            except ScenarioError as error:
                errors |= dict.fromkeys(error.errors)
    if errors:
        raise ScenarioError(list(errors))
    if excesses:
        raise LimitError("\n".join(excesses))
    titles = [scenario.title for scenario in scenarios[:: len(variants)]]
    unique = all(titles) and len({*titles}) == len(titles)
    names = titles if unique else [without_surrogates(source.stem) for source in sources]
    title, labels = _common_title(scenarios), [label_of(own) for own in settings]
    held = [[each.key for each in own] for own in settings] * len(sources)
    if len(names) > 1 and len(variants) > 1:
        headings, columns = Headings(title, columns=labels, rows=names), len(variants)
    else:
        headings = Headings(title, labels=labels if len(variants) > 1 else names)
    question = EACH_CHANGE if headings.labels == labels and len(variants) > 1 else ""
    return Comparison(scenarios, headings, columns or 0, saved=saved, held=held, question=question)


def _settings(variant: str) -> list[Override]:
    refuse_undecodable(variant, "--with")
    try:
        texts = shlex.split(variant)
    except ValueError as error:
        raise UsageError(f"--with {variant}: {str(error).lower()}") from None
    found = []
    for text in texts:
        if "=" not in text:
            raise UsageError(f"--with {text}: must look like KEY=VALUE; put quotes around values with spaces")
        found.append(from_text(text)._replace(origin=f"--with {text}"))
    return found


def _common_title(scenarios: Iterable[Scenario]) -> str:
    titles = {scenario.title for scenario in scenarios}
    return titles.pop() if len(titles) == 1 else ""
