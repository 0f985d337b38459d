"""The pipeline: simulate, draw, write.

report = render(load_scenario("configs/quickstart.toml"), "flock.gif")
still(load_scenario("configs/quickstart.toml"), "flock.png", at=10)
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Protocol, TypeVar

from boidsgen.drawing import Frame, Renderer
from boidsgen.drawing.quantization import seamless
from boidsgen.errors import LimitError, ScenarioError, UsageError
from boidsgen.output.base import Clip
from boidsgen.output.formats import shown_in_html
from boidsgen.output.outputs import Outputs, copy_clip, open_outputs, write_still
from boidsgen.output.targets import Target, target
from boidsgen.scenario.estimate import refuse_excess
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import FITTED, Scenario
from boidsgen.scenario.size_budget import Reduction, best_reduction
from boidsgen.simulation import State, engine_name, simulate
from boidsgen.simulation.run import Run

STEM = "boids"
"""Name of a file that is put into a directory, unless its target says otherwise."""

MAX_LETTERS = 10
"""How many characters that the font lacks are told of one text."""

STILL_ENDING = ".png"
"""How the name of a single picture ends."""

Progress = Callable[[int], None]
"""Told the number of frames done, after each."""

Picture_co = TypeVar("Picture_co", covariant=True)


class Draw(Protocol[Picture_co]):
    """What draws the states of one run in their order."""

    def __call__(self, state: State) -> Picture_co:
        """The picture of a state."""

    def note(self, state: State) -> None:
        """Remember a state that is not drawn: trails and charts show the frames before."""


@dataclass(frozen=True)
class Report:
    """What came of one rendering.

    Attributes:
        paths: the outputs, in the order of the targets.
        frames: how many there are.
        duration: how long the clip plays once, in seconds.
        seed: of the scenario.
        digest: SHA-256 of the frames; equal for equal pictures, whatever the format.
        seconds: time spent.
        engine: that did the simulation; None where states were given, and nothing was simulated.
        notices: what was tidied up on the way and what could not be written, one line each.
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


class _Made(NamedTuple):
    """What came of making a clip.

    Attributes:
        form: in which.
        clip: what was known of it.
        frames: how many it has.
        digest: of the frames.
        notices: as in a report.
    """

    form: Reduction
    clip: Clip
    frames: int
    digest: str
    notices: tuple[str, ...]


def render(
    scenario: Scenario,
    first: str | PathLike[str] | Target,
    *further: str | PathLike[str] | Target,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    observe: Callable[[State], None] | None = None,
    states: Iterable[State] | None = None,
) -> Report:
    """Simulate, draw and encode one scenario, once for all targets; `observe` is shown every state first.

    With `states`, those of a saved run of this scenario, nothing is simulated.

    Raises:
        BoidsgenError: one of its kinds; then every output is as it was before.
    """
    began = time.monotonic()
    engine_name(engine)
    preflight(scenario)
    targets = [_target(scenario, wanted) for wanted in (first, *further)]
    if scenario.output.max_bytes is None:
        run = simulate(scenario, engine) if states is None else states
        made = _make(scenario, Reduction(scenario.picture_size), targets, run, observe, progress, no_clobber=no_clobber)
    else:
        _refuse_unfit(scenario, targets, states)
        made = _make_fit(scenario, targets, engine, observe, progress, no_clobber=no_clobber)
    return Report(
        paths=tuple(Path(one.path) for one in targets),
        frames=made.frames,
        duration=made.clip.duration,
        seed=scenario.seed,
        digest=made.digest,
        seconds=time.monotonic() - began,
        engine=engine_name(engine, scenario) if states is None else None,
        notices=(*_fitted(scenario, made.form), *boxes(scenario), *made.notices),
    )


def still(
    scenario: Scenario,
    path: str | PathLike[str],
    *,
    at: int | None = None,
    engine: str = "auto",
    no_clobber: bool = False,
    progress: Progress | None = None,
    states: Iterable[State] | None = None,
) -> tuple[str, ...]:
    """Write frame number `at`, counted from 0, as a PNG, an SVG or a PDF, by its name; without a number the last one.

    Gives notices as in a report.

    With `states`, those of a saved run of this scenario, nothing is simulated.

    Raises:
        BoidsgenError: one of its kinds; then the file is as it was before.
    """
    wanted = frame_number(scenario, at)
    preflight(scenario)
    states = simulate(scenario, engine) if states is None else states
    name, text = fspath(path), provenance(scenario, own_rules(states))
    states = complete(states, scenario)
    if is_figure(name):
        from boidsgen.drawing.vector import FigureRenderer  # noqa: PLC0415  a clip must not wait for it
        from boidsgen.output.figures import write_figure  # noqa: PLC0415  a clip must not wait for it

        (figure,) = pictures_at([wanted], FigureRenderer(scenario, scenario.picture_size), states, progress)
        written = write_figure(name, figure, at=(wanted,), provenance=text, no_clobber=no_clobber)
    else:
        (picture,) = pictures_at([wanted], Renderer(scenario, scenario.picture_size), states, progress)
        written = write_still(name, picture, at=(wanted,), provenance=text, no_clobber=no_clobber)
    return (*boxes(scenario), *written)


def complete(states: Iterable[State], scenario: Scenario) -> Iterator[State]:
    """The same states, which must be as many as the scenario has frames.

    Raises:
        UsageError: when they are fewer, or more.
    """
    count, frames = 0, scenario.time.frames
    for count, state in enumerate(states, start=1):
        if count > frames:
            raise UsageError(f"states: has more frames than the {frames} of the scenario")
        yield state
    if count < frames:
        raise UsageError(f"states: has {count} frame{'' if count == 1 else 's'}, the scenario {frames}")


def pictures_at(
    numbers: Sequence[int], draw: Draw[Picture_co], states: Iterable[State], progress: Progress | None = None
) -> Iterator[Picture_co]:
    """The pictures of some frames, whose numbers ascend; no state after the last of them is looked at."""
    wanted = frozenset(numbers)
    for number, state in enumerate(islice(states, numbers[-1] + 1)):
        if number in wanted:
            yield draw(state)
        else:
            draw.note(state)
        if progress:
            progress(number + 1)


def _clip(scenario: Scenario, form: Reduction, origin: str) -> Clip:
    """What is known of a scenario's clip in a form."""
    frames = form.kept(scenario.clip_frames)
    clip = scenario.output.clip(form.size, frames, origin, transparent=scenario.style.transparent)
    return replace(clip, fps=clip.fps / form.every)


def _draw_into(
    outputs: Outputs,
    scenario: Scenario,
    form: Reduction,
    states: Iterable[State],
    observe: Callable[[State], None] | None = None,
    progress: Progress | None = None,
) -> None:
    draw = Renderer(scenario, form.size)
    pictures = counted(_drawn(complete(states, scenario), draw, observe), progress)
    whole = seamless(pictures, scenario.time.frames, scenario.output.loop_seam, draw.blend)
    for picture in islice(whole, 0, None, form.every):
        outputs.write(picture)


def _refuse_unfit(scenario: Scenario, targets: Sequence[Target], states: Iterable[State] | None) -> None:
    """Stop before anything is made to fit that cannot be.

    Raises:
        ScenarioError: max_bytes is set, and this format cannot be fitted to it.
        UsageError: likewise for a saved run, which can be read only once.
    """
    if unfit := list(scenario.unfit_for(target.format for target in targets)):
        raise ScenarioError([f"{'.'.join(map(str, one.keys))}: {one.wording}" for one in unfit])
    if states is not None:
        raise UsageError("output.max_bytes: a saved run cannot be fitted; set output.size instead")


def _make(
    scenario: Scenario,
    form: Reduction,
    targets: Sequence[Target],
    states: Iterable[State],
    observe: Callable[[State], None] | None,
    progress: Progress | None,
    *,
    no_clobber: bool = False,
) -> _Made:
    """Draw and encode a clip in a form, once for all targets."""
    clip = _clip(scenario, form, provenance(scenario, own_rules(states)))
    with open_outputs(targets, clip, no_clobber=no_clobber) as outputs:
        _draw_into(outputs, scenario, form, states, observe, progress)
    return _Made(form, clip, outputs.count, outputs.digest, (*outputs.notices, *_remarks(states)))


def _make_fit(
    scenario: Scenario,
    targets: Sequence[Target],
    engine: str,
    observe: Callable[[State], None] | None,
    progress: Progress | None,
    *,
    no_clobber: bool,
) -> _Made:
    """The same in the best form that fits; the clip that was found to fit is the one that goes to the targets.

    Raises:
        LimitError: there is no form with so few bytes.
    """
    with TemporaryDirectory() as folder:
        path, made = Path(folder) / "clip", dict[Reduction, _Made]()

        def bytes_of(form: Reduction) -> int:
            attempt = path.with_suffix(".new")
            shown = None if made else observe  # the states are the same in every form
            made[form] = _make(
                scenario, form, [Target(str(attempt), FITTED)], simulate(scenario, engine), shown, progress
            )
            size = attempt.stat().st_size
            # Of those that fit the last is the best, as it is sought by halves.
            if size <= (scenario.output.max_bytes or 0):
                attempt.replace(path)
            return size

        best = made[best_reduction(scenario, bytes_of, targets[0].path)]
        notices = copy_clip(path, targets, best.clip, no_clobber=no_clobber)
    return best._replace(notices=(*notices, *best.notices))


def _remarks(states: Iterable[State]) -> list[str]:
    """What there is to say of a simulation."""
    return states.notices if isinstance(states, Run) else []


def own_rules(states: Iterable[State]) -> Sequence[str]:
    """The rules that a program has added to a simulation."""
    return states.own_rules if isinstance(states, Run) else ()


def _fitted(scenario: Scenario, form: Reduction) -> Iterator[str]:
    """A line about what has become of a clip that had to fit."""
    if form != Reduction(scenario.picture_size):
        (width, height), fps = form.size, scenario.output.fps / form.every
        yield f"output.max_bytes: {width} x {height} pixels and {fps:g} frames a second fit"


def _drawn(states: Iterable[State], draw: Renderer, observe: Callable[[State], None] | None) -> Iterator[Frame]:
    for state in states:
        if observe:
            observe(state)
        yield draw(state)


def counted(pictures: Iterable[Frame], progress: Progress | None) -> Iterator[Frame]:
    """The same pictures; progress is told their number after each has been used."""
    for number, picture in enumerate(pictures, start=1):
        yield picture
        if progress:
            progress(number)


def is_still(path: str) -> bool:
    """Whether a name is that of a single picture rather than of a clip."""
    return path.lower().endswith(STILL_ENDING)


def is_figure(path: str) -> bool:
    """Whether a name is that of a figure of shapes rather than pixels."""
    from boidsgen.output.figures import FIGURE_ENDINGS  # noqa: PLC0415  a clip must not wait for it

    return path.lower().endswith(FIGURE_ENDINGS)


def preflight(*scenarios: Scenario, size: tuple[int, int] | None = None) -> None:
    """Stop before anything is allocated; what a format cannot do `open_outputs` tells before anything is written.

    Args:
        scenarios: that are to be done together; the limits of the first hold for the picture of all.
        size: width and height of that picture, where it is another than theirs.

    Raises:
        LimitError: when a scenario, or all of them together, go beyond the limits.
    """
    for scenario in scenarios:
        refuse_excess(scenario)
    allowed = scenarios[0].limits.pixels
    if size and size[0] * size[1] > allowed:
        wanted = f"{size[0]} x {size[1]} pixels wanted for the whole grid"
        raise LimitError(f"{wanted}, {allowed:,} in all allowed; make its tiles smaller")


def frame_number(scenario: Scenario, at: int | None) -> int:
    """The number of a wanted frame, counted from 0; None wants the last one.

    Raises:
        UsageError: when there is no such frame.
    """
    last = scenario.time.frames - 1
    if at is not None and not 0 <= at <= last:
        raise UsageError(f"there is no frame {at}; the scenario has {scenario.time.frames}, numbered 0 to {last}")
    return last if at is None else at


def boxes(scenario: Scenario) -> Iterator[str]:
    """A line for each text that cannot be drawn as it is written."""
    yield from (box(key, letters) for key, letters in scenario.unwritable)


def box(where: str, letters: str, font: str = "the font") -> str:
    """The line that tells of characters that are not in a font."""
    return f"{where}: {font} has no {' '.join(letters[:MAX_LETTERS])}; a box stands in its place"


def _target(scenario: Scenario, wanted: str | PathLike[str] | Target) -> Target:
    if isinstance(wanted, Target):
        return wanted
    return target(fspath(wanted), stem=STEM, default=scenario.output.format)
