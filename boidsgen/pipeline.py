"""The pipeline: simulate, draw, encode, publish.

states = simulate(scenario)
with open_outputs(targets, clip) as video:
    draw = Renderer(scenario, scenario.picture_size)
    for state in states:
        video.write(draw(state))

is what `render` does, and around it: limits, slow motion, loops, progress, size budgets, and the report. `still` writes
one frame, and `record` saves the states themselves, to be drawn again without simulating. `RunOptions` say how.
"""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, TypeVar

import numpy as np

from boidsgen.drawing.frame import Frame, seamless
from boidsgen.drawing.renderer import Renderer
from boidsgen.errors import LimitError, ScenarioError, UsageError
from boidsgen.output.fitting import Reduction, Wanted, best_reduction
from boidsgen.output.formats import PAGES, WRITERS, Target, format_of, refuse_unnamed, shown_in_html, target
from boidsgen.output.outputs import Flashes, open_outputs, open_pending, refuse_unfit
from boidsgen.output.pictures import LOSSES, encoded
from boidsgen.output.publish import open_file, scratch_folder
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.simulation.run import Run, animals, engine_name, paced, simulate
from boidsgen.simulation.setup import State, own_rules
from boidsgen.system import open_regular

STEM = "boids"  # Name of a file that is put into a directory, unless its target says otherwise
STILL_ENDING = ".png"  # File extension of a single picture

Progress = Callable[[int], None]
"""Called with the number of frames done, after each."""

_Entry = TypeVar("_Entry")
Picture_co = TypeVar("Picture_co", covariant=True)


class Draw(Protocol[Picture_co]):
    """Draws the states of one run in their order."""

    def __call__(self, state: State) -> Picture_co:
        """The picture of a state."""

    def note(self, state: State) -> None:
        """Remember a state that is not drawn: trails and charts show the frames before."""


@dataclass(frozen=True)
class Report:
    """Result of one rendering.

    Attributes:
        paths: the outputs, in the order of the targets.
        frames: their number.
        duration: of the clip in seconds, played once.
        seed: of the scenario.
        digest: SHA-256 of the frames; equal for equal pictures, whatever the format; of a page that of its text.
        seconds: spent on rendering.
        engine: that simulated; None where states were given.
        notices: such as missing glyphs, or the size of a clip that had to fit, one line each.
    """

    paths: tuple[Path, ...]
    frames: int
    duration: float
    seed: int
    digest: str
    seconds: float
    engine: str | None
    notices: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The first output."""
        return self.paths[0]

    def _repr_html_(self) -> str:
        """The first output, playing, for notebooks; its name where it is too large for a page."""
        return shown_in_html(self.path)


class RunOptions(NamedTuple):
    """The manner of a run, whatever comes of it: from the functions for callers to the writers and jobs.

    Attributes:
        engine: that simulates.
        no_clobber: leave what exists as it is.
        progress: called with the number of frames done, after each.
        observe: called with every state of a clip before it is drawn.
        states: of a saved run of the scenario; then nothing is simulated.
        jobs: runs of a study at a time; None for as many as there are cores.
        dask: address of the scheduler of a Dask cluster, which then does the runs of a study.
    """

    engine: str = "auto"
    no_clobber: bool = False
    progress: Progress | None = None
    observe: Callable[[State], None] | None = None
    states: Iterable[State] | None = None
    jobs: int | None = None
    dask: str = ""

    @property
    def simulator(self) -> str | None:
        """The name of the engine that simulates; None where the states are given."""
        name = engine_name(self.engine)  # which refuses an unknown one
        return name if self.states is None else None

    def run(self, scenario: Scenario) -> Iterable[State]:
        """The states that are given, or else those of a new run."""
        return simulate(scenario, self.engine) if self.states is None else self.states


DEFAULT_OPTIONS = RunOptions()


def render(scenario: Scenario, *outputs: str | PathLike[str] | Target, options: RunOptions = DEFAULT_OPTIONS) -> Report:
    """Simulate, draw and encode one scenario, once for all outputs, each a path or a target.

    Raises:
        BoidsgenError: one of its kinds; then every output is as it was before.
    """
    targets = targets_of(outputs, STEM, scenario.output.format)
    report = render_as_is(scenario.looping_in({one.format for one in targets}), targets, options)
    return replace(report, notices=(*report.notices, *unfaded(scenario, targets)))


def targets_of(outputs: Sequence[str | PathLike[str] | Target], stem: str, default: str) -> list[Target]:
    """The targets of outputs, named so in a directory; OutputExistsError if that would replace a foreign file."""
    targets = [one if isinstance(one, Target) else target(fspath(one), stem=stem, default=default) for one in outputs]
    refuse_unnamed(outputs, targets)
    return targets


def render_as_is(scenario: Scenario, targets: Sequence[Target], options: RunOptions = DEFAULT_OPTIONS) -> Report:
    """Render with the cross-fade that the scenario has, whether or not the formats loop; otherwise like `render`."""
    began, engine = time.monotonic(), options.simulator
    preflight(scenario)
    pages, films = [one for one in targets if one.format in PAGES], [one for one in targets if one.format not in PAGES]
    with ExitStack() as stack:
        files = [stack.enter_context(open_file(one.path, "stream", no_clobber=options.no_clobber)) for one in pages]
        if pages:
            alone = options._replace(observe=None, progress=None) if films else options
            report = _page(scenario, files, pages[0].path, alone)
        if films:
            make = _film if scenario.output.max_bytes is None else _fitted_film
            report = make(scenario, films, options)
    paths, seconds = tuple(Path(one.path) for one in targets), time.monotonic() - began
    return replace(report, paths=paths, seconds=seconds, engine=engine)


def unfaded(scenario: Scenario, targets: Iterable[Target]) -> Iterator[str]:
    """A line about an output that would cross-fade into its beginning, were it not for one that does not loop."""
    looping, stopping = list[str](), list[str]()
    for one in targets:
        if one.format not in PAGES:
            (looping if WRITERS[one.format].loops else stopping).append(one.path)
    if scenario.seam and scenario.output.loop is None and looping and stopping:
        why = f"it has the frames of {stopping[0]}, which does not loop"
        yield f"{looping[0]}: no cross-fade into its beginning: {why}; render it by itself for one"


def _page(scenario: Scenario, files: Sequence[BinaryIO], path: str, options: RunOptions) -> Report:
    """Write a page of a scenario, or of a saved run; the report lacks paths, time and engine."""
    from boidsgen.webpage.writer import page_text  # noqa: PLC0415  a clip must not wait for it

    if options.observe:
        for state in simulate(scenario, options.engine):
            options.observe(state)
    states = None if options.states is None else complete(options.states, scenario)
    content = page_text(scenario, states, name=Path(path).stem).encode()
    for file in files:
        file.write(content)
    if options.progress:
        options.progress(scenario.time.frames)
    frames, digest = scenario.time.frames, sha256(content).hexdigest()
    duration = scenario.output.clip(scenario.picture_size, scenario.pictures).duration
    notices = *not_shown(scenario), *unblurred(scenario)
    return Report((), frames, duration, scenario.seed, digest, 0.0, None, notices)


def _film(scenario: Scenario, targets: Sequence[Target], options: RunOptions, form: Reduction | None = None) -> Report:
    """Draw and encode a clip in one form, once for all targets; the report lacks paths, time and engine."""
    states = options.run(scenario)
    text, notices = provenance_of(scenario, states), [*_missing_glyphs(scenario), *_unexposed(scenario)]
    form = form or Reduction(scenario.picture_size)
    clip = scenario.output.clip(
        form.size, form.kept(scenario.clip_frames), text, transparent=scenario.style.transparent
    )
    clip = replace(clip, fps=clip.fps / form.every, loss=form.loss)
    if form != Reduction(scenario.picture_size):
        wide, high = form.size
        told = f"{wide} x {high} pixels and {clip.fps:g} frames a second fit"
        coarser = f", {form.loss} of {LOSSES} steps coarser than {clip.quality}" if form.loss else ""
        notices.insert(0, f"output.max_bytes: {told}{coarser}")
    if scenario.style.colors.light and clip.quality != "draft" and any(one.format == "webp" for one in targets):
        notices.append("webp keeps every color of a lit theme; a gif, or --quality draft, is half as large or less")
    with open_outputs(targets, clip, no_clobber=options.no_clobber) as video:
        draw = _renderer(scenario, form.size)
        shown: Iterable[State] = with_progress(complete(states, scenario, options.observe), options.progress)
        if scenario.pictures > scenario.time.frames:
            shown = paced(shown, scenario)
        pictures: Iterable[Frame] = map(draw, shown)
        if scenario.style.colors.light and all(WRITERS[one.format].few_colors for one in targets):
            pictures = (replace(picture, full=None) for picture in pictures)  # a cross-fade would keep all colors
        if seam := scenario.seam:
            pictures = seamless(pictures, scenario.pictures, seam, draw.blend)
        flashes = Flashes(clip.fps)
        for picture in islice(pictures, 0, None, form.every):
            video.write(picture)
            flashes.note(picture)
    notices += [*draw.notices, *flashes.notices, *(states.notices if isinstance(states, Run) else ())]
    return Report((), video.count, clip.duration, scenario.seed, video.digest, 0.0, None, tuple(notices))


def _fitted_film(scenario: Scenario, targets: Sequence[Target], options: RunOptions) -> Report:
    """Make the best clip of at most `output.max_bytes`; the attempt that was found to fit is copied to the targets.

    Files in several formats have the same frames, and each fits.

    Raises:
        LimitError: there is no form with so few bytes.
        ScenarioError: the format of a target cannot be fitted.
        UsageError: the states are given, maybe once and never again.
    """
    if options.states is not None:
        raise UsageError("output.max_bytes: a saved run cannot be fitted; set output.size instead")
    if unfit := list(scenario.unfit_for(target.format for target in targets)):
        raise ScenarioError([f"{'.'.join(map(str, one.keys))}: {one.wording}" for one in unfit])
    refuse_unfit(targets, scenario.output.clip(scenario.picture_size, scenario.clip_frames))
    with scratch_folder() as folder, ExitStack() as stack:
        files = [stack.enter_context(open_file(one.path, "stream", no_clobber=options.no_clobber)) for one in targets]
        path, films = Path(folder, "odd"), dict[Reduction, Report]()
        output, formats = scenario.output, tuple(dict.fromkeys(one.format for one in targets))
        wanted = Wanted(output.max_bytes or 0, scenario.picture_size, output.fps, formats)

        def bytes_of(form: Reduction) -> int:
            nonlocal path
            attempt = path.with_name("even" if path.name == "odd" else "odd")
            once = options._replace(observe=None) if films else options  # the states are the same in every form
            made = [Target(f"{attempt}.{name}", name) for name in formats]
            films[form] = _film(scenario, made, once, form)
            size = max(Path(one.path).stat().st_size for one in made)
            if size <= wanted.allowed:  # the last that fits is the best
                path = attempt
            return size

        best = films[best_reduction(wanted, bytes_of, targets[0].path)]
        for file, one in zip(files, targets, strict=True):
            with open_regular(Path(f"{path}.{one.format}")) as finished:
                shutil.copyfileobj(finished, file)
    return best


def _renderer(scenario: Scenario, size: tuple[int, int], exposed: range = range(0)) -> Renderer:
    """The renderer of a scenario, over a film where it has one, or over the paths of some frames."""
    if exposed:
        from boidsgen.drawing.exposure import LongExposure  # noqa: PLC0415  few stills are one

        return LongExposure(scenario, size, exposed)
    if scenario.background.video is None:
        return Renderer(scenario, size)
    from boidsgen.output.film import FilmRenderer  # noqa: PLC0415  few clips have one

    return FilmRenderer(scenario, size)


def with_progress(entries: Iterable[_Entry], progress: Progress | None) -> Iterator[_Entry]:
    """The same frames or states; progress is called with their number after each has been used."""
    for number, entry in enumerate(entries, start=1):
        yield entry
        if progress:
            progress(number)


def still(
    scenario: Scenario, path: str | PathLike[str], *, at: int | None = None, options: RunOptions = DEFAULT_OPTIONS
) -> tuple[str, ...]:
    """Write frame number `at`, counted from 0, as a PNG, an SVG or a PDF, by its name; without a number the poster.

    Returns notices as in a report.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    wanted = frame_number(scenario, scenario.poster if at is None else at)
    scenario = scenario.posed if at is None else scenario
    exposed = exposed_until(scenario, wanted)
    preflight(scenario, drawn=False)
    states = options.run(scenario)
    name, text, size = fspath(path), provenance_of(scenario, states), scenario.picture_size
    states = complete(states, scenario)
    if at is None:
        states = scenario.posed_states(states)
    with open_file(name, "stream", no_clobber=options.no_clobber) as file:
        if is_figure(name):
            from boidsgen.drawing.exposure import ExposedFigureRenderer  # noqa: PLC0415  a clip must not wait for it
            from boidsgen.drawing.vector import FigureRenderer  # noqa: PLC0415  likewise
            from boidsgen.output.figures import encoded_figure  # noqa: PLC0415  likewise

            make = partial(ExposedFigureRenderer, frames=exposed) if exposed else FigureRenderer
            (figure,) = pictures_at([wanted], make(scenario, size), states, options.progress)
            file.write(encoded_figure(name, figure, text, (wanted,)))
            return (*_missing_glyphs(scenario), *_without_film(scenario), *unblurred(scenario))
        draw = _renderer(scenario, size, exposed)
        (picture,) = pictures_at([wanted], draw, states, options.progress)
        file.write(encoded(picture, text, (wanted,)))
    return (*_missing_glyphs(scenario), *draw.notices)


def record(
    scenario: Scenario,
    path: str | PathLike[str],
    *,
    output_format: str | None = None,
    first: int = 0,
    every: int = 1,
    float32: bool = False,
    options: RunOptions = DEFAULT_OPTIONS,
) -> tuple[str, ...]:
    """Save states; the name tells the format, unless it is given. Returns notices as in a report.

    Of all frames every so many are kept from the first wanted one on; numbers are rounded to float32 on demand.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    from boidsgen.output.recording import TRAJECTORY_WRITERS  # noqa: PLC0415  a clip must not wait for it

    preflight(scenario, drawn=False)
    states = options.run(scenario)
    name, text = fspath(path), provenance_of(scenario, states)
    kind = TRAJECTORY_WRITERS[format_of(name, TRAJECTORY_WRITERS, output_format)]
    real, kinds = "float32" if float32 else "float64", [(name, kind)]
    kept = range(frame_number(scenario, first), scenario.time.frames, every)
    if (wanted := len(kept) * animals(scenario)) > kind.most_positions:
        told = f"{wanted:,} positions requested, {kind.most_positions:,} allowed in a {kind.name}"
        raise LimitError(f"{name}: {told}; keep fewer frames by --every")
    shown = with_progress(complete(states, scenario), options.progress)
    frames = islice(shown, kept.start, None, every)
    with open_pending(
        kinds, lambda kind, part: kind(part, scenario, text, real), no_clobber=options.no_clobber
    ) as files:
        for state in frames:
            files[0].write(state)
    return tuple(getattr(states, "notices", ()))


def complete(
    states: Iterable[State], scenario: Scenario, observe: Callable[[State], None] | None = None
) -> Iterator[State]:
    """The same states, each observed; UsageError if they are not one for each frame, or those of another scenario."""
    count, frames = 0, scenario.time.frames
    if not scenario.simulates(getattr(states, "setup", scenario)):
        raise UsageError("states: belong to another scenario")
    for count, state in enumerate(states, start=1):
        if count > frames:
            raise UsageError(f"states: has more frames than the {frames} of the scenario")
        if not (isinstance(state, State) and scenario.has(state)):
            raise UsageError("states: belong to another scenario")
        if observe:
            observe(state)
        yield state
    if count < frames:
        raise UsageError(f"states: has {count} frame{'' if count == 1 else 's'}, the scenario {frames}")


def pictures_at(
    numbers: Sequence[int], draw: Draw[Picture_co], states: Iterable[State], progress: Progress | None = None
) -> Iterator[Picture_co]:
    """Pictures of the frames with these ascending numbers; no state after the last of them is used."""
    wanted = frozenset(numbers)
    for number, state in enumerate(islice(states, numbers[-1] + 1)):
        if number in wanted:
            yield draw(state)
        else:
            draw.note(state)
        if progress:
            progress(number + 1)


def provenance_of(scenario: Scenario, states: Iterable[State] | None) -> str:
    """Text that an output made of these states, or of a new run, embeds; LimitError if it could not be read again."""
    own = own_rules(scenario) if states is None else getattr(states, "own_rules", {})
    return provenance(scenario, own, getattr(states, "states_from", ""))


def is_still(path: str) -> bool:
    """True for the name of a single picture rather than a clip."""
    return path.lower().endswith(STILL_ENDING)


def is_figure(path: str) -> bool:
    """True for the name of a vector graphic."""
    from boidsgen.output.figures import FIGURE_ENDINGS  # noqa: PLC0415  a clip must not wait for it

    return path.lower().endswith(FIGURE_ENDINGS)


def preflight(*scenarios: Scenario, size: tuple[int, int] | None = None, drawn: bool = True) -> None:
    """Refuse scenarios beyond the limits, before anything is allocated.

    Args:
        scenarios: that are to be done together; the limits of the first hold for the picture of all.
        size: width and height of that picture, where it is another than theirs.
        drawn: whether pictures are made, to which the limits of pixels apply.

    Raises:
        LimitError: when a scenario, or all of them together, go beyond the limits.
    """
    for scenario in scenarios:
        scenario.refuse_excess(drawn=drawn)
    allowed = scenarios[0].limits.pixels
    if size and size[0] * size[1] > allowed:
        wanted = f"{size[0]} x {size[1]} pixels requested for the whole grid"
        raise LimitError(f"{wanted}, {allowed:,} in all allowed; make its tiles smaller")


def frame_number(scenario: Scenario, at: int | None) -> int:
    """Number of a wanted frame, counted from 0; None means the last one; UsageError if there is no such frame."""
    last = scenario.time.frames - 1
    if at is not None and not (isinstance(at, int | np.integer) and 0 <= at <= last):
        raise UsageError(f"there is no frame {at}; the scenario has {scenario.time.frames}, numbered 0 to {last}")
    return last if at is None else at


def exposed_until(scenario: Scenario, frame: int) -> range:
    """The frames whose paths a still of a frame shows, none without an exposure.

    Raises:
        UsageError: there are fewer frames up to there.
        LimitError: the camera follows the flock, and so many positions may not be kept.
    """
    count = scenario.exposed_frames
    if count > frame + 1:
        there = f"there are {frame + 1} up to frame {frame}; choose a later frame or a shorter exposure"
        raise UsageError(f"style.exposure: {scenario.style.exposure} is {count} frames, and {there}")
    if scenario.camera.follows:
        scenario.refuse_excess(drawn=False, more={"positions": count * animals(scenario)})
    return range(frame + 1 - count, frame + 1)


def not_shown(scenario: Scenario) -> Iterator[str]:
    """A line for each text that cannot be drawn as it is written, and for a film and an exposure that are not shown."""
    yield from _missing_glyphs(scenario)
    yield from _without_film(scenario)
    yield from _unexposed(scenario)


def unblurred(scenario: Scenario) -> Iterator[str]:
    """A line about motion blur that a page or a vector graphic lacks."""
    if scenario.style.shutter:
        yield f"style.shutter: {scenario.style.shutter:g} is shown in clips and png pictures, not in pages, svg and pdf"


def _missing_glyphs(scenario: Scenario) -> Iterator[str]:
    yield from (f"{'.'.join(map(str, keys))}: {reason}" for keys, reason in scenario.unwritable)


def _without_film(scenario: Scenario) -> Iterator[str]:
    if scenario.background.video:
        yield f"background.video: {scenario.background.video} is shown in clips and stills of one scenario, not here"


def _unexposed(scenario: Scenario) -> Iterator[str]:
    if scenario.style.exposure:
        yield f"style.exposure: {scenario.style.exposure} is shown in stills of one frame, not here"
