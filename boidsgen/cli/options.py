"""Options that several commands share, and jobs: the scenarios of a command line with their destinations.

Each option is declared once, as a field of `Options`. `@sharing("settings", "frames")` gives a command these fields as
options of its command line; it receives all of them in one `Options`, in which those that it does not offer have their
defaults. Fields of a request become options likewise.

Every scenario is read and every destination decided before the first step of the first one, so that errors in the last
scenario are reported immediately, together with those in all others.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, get_args

import typer

from boidsgen import system
from boidsgen.cli.main import DASH, Reporter
from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.output.formats import DIRECTORY, Target, default_target, names_folder, refuse_unnamed, target
from boidsgen.output.publish import make_folder
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import draft, saved_states, supplied
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source, find, refuse_repeated_input
from boidsgen.studies.requests import Option
from boidsgen.system import STANDARD_OUTPUT, identity, refuse_input, refuse_name

if TYPE_CHECKING:
    from boidsgen.output.recording import SavedRun
    from boidsgen.scenario.layers import Override

Text: TypeAlias = str | None
Texts: TypeAlias = list[str] | None
Number: TypeAlias = int | None

LAST = "last"  # The last frame, for `--at`
_MAX_DIGITS = 18  # Digits of a whole number on the command line; Python refuses to convert thousands of them


def option(declared: str, text: str, **more: Any) -> Any:  # noqa: ANN401  as typer has it
    """An option, declared as help shows it, such as `--output -o OUT`; `more` is what typer takes besides."""
    words = declared.split()
    names = [word for word in words if word.startswith("-")]
    return typer.Option(*names, metavar=" ".join(words[len(names) :]) or None, help=text, **more)


def complete_scenario(incomplete: str) -> list[str]:
    """Shell completion: presets; the shell itself offers files."""
    from boidsgen.scenario.sources import presets

    return [preset.name for preset in presets() if preset.name.startswith(incomplete)]


def complete_setting(incomplete: str) -> list[str]:
    """Shell completion of KEY=VALUE: keys, and after the `=` the values of a key that takes certain words."""
    key, equals, value = incomplete.partition("=")
    if not equals:
        return [f"{name}=" for name, _ in _keys() if name.startswith(key)]
    return [f"{key}={word}" for name, words in _keys() if name == key for word in words if word.startswith(value)]


def complete_format(incomplete: str) -> list[str]:
    """Shell completion: formats of clips and pages."""
    from boidsgen.output.formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def complete_key(incomplete: str) -> list[str]:
    """Shell completion: keys, tables and measures."""
    from boidsgen.simulation.measures import MEASURES

    return [name for name in (*(key for key, _ in _keys()), *MEASURES) if name.startswith(incomplete)]


def _keys() -> Iterator[tuple[str, list[str]]]:
    """Every key of a scenario with the words that it takes, if it takes certain words."""
    from boidsgen.scenario.scenario import Scenario
    from boidsgen.scenario.wording import choices, everywhere, form_of, keys_of, members

    seen: set[str] = set()
    for section in everywhere(Scenario):
        for key, field in keys_of(section.table).items():
            name = f"{section.name}.{key}".lstrip(".")
            if name not in seen:
                seen.add(name)
                form = form_of(field)
                yield name, [str(word) for word in (*choices(form), *members(form))]


def expanded(words: list[str]) -> list[str]:
    """Scenarios, with the patterns replaced by files where the shell has not done so."""
    return [name for word in words for name in system.expand_wildcards(word)]


_SCENARIO = "A path, the name of a preset, or - for standard input."
Scenarios = Annotated[
    list[str],
    typer.Argument(
        callback=expanded, metavar="SCENARIO...", help=_SCENARIO, show_default=False, autocompletion=complete_scenario
    ),
]
OneScenario = Annotated[
    str, typer.Argument(metavar="SCENARIO", help=_SCENARIO, show_default=False, autocompletion=complete_scenario)
]


class Options(NamedTuple):
    """The values of all shared options; the names of those in `KEYS` stand for keys of the scenario."""

    settings: Annotated[
        Texts,
        option(
            "--set KEY=VALUE",
            "Set any key, as in flock.count=80. Repeatable.",
            autocompletion=complete_setting,
        ),
    ] = None
    measures: Annotated[Texts, option("--measure NAME", "Compute only this measure. Repeatable.")] = None
    first: Annotated[Number, option("--from FRAME", "First measured frame.")] = None
    after: Annotated[float | None, option("--after TIME", "Measure only after this simulated time.")] = None
    every: Annotated[Number, option("--every N", "Measure every N-th frame, back from the last.")] = None
    frames: Annotated[Number, option("--frames N", "Number of frames.")] = None
    fps: Annotated[float | None, option("--fps F", "Frames per second.")] = None
    size: Annotated[Text, option("--size WxH", "Size in pixels, as in 640x360, or square or vertical.")] = None
    seed: Annotated[Number, option("--seed S", "Random seed.")] = None
    quality: Annotated[Text, option("--quality Q", "draft, standard or high.")] = None
    format: Annotated[
        Text, option("--format FORMAT", "A format that `doctor` lists.", autocompletion=complete_format)
    ] = None
    engine: Annotated[str, option("--engine ENGINE", "auto, or an engine that `doctor` lists.")] = "auto"
    no_clobber: Annotated[bool, option("--no-clobber", "Keep an existing output, and fail.")] = False
    strict: Annotated[bool, option("--strict", "Treat warnings as errors.")] = False
    trust: Annotated[bool, option("--trust", "Allow embedded scenarios to name files and raise limits.")] = False
    show: Annotated[bool, option("--open", "Open the result with the system's default program.")] = False
    quiet: Annotated[bool, option("--quiet -q", "No progress bar and no notices.")] = False
    as_json: Annotated[bool, option("--json", "Report results and failures as one JSON object per line.")] = False

    def overrides(self) -> list["Override"]:
        """The overrides of `--set`, then those of options that stand for a key; the latter win."""
        from boidsgen.scenario.layers import Override, from_text

        made = [from_text(decoded(text)) for text in self.settings or ()]
        for name, (option, key) in OPTION_KEYS.items():
            value = getattr(self, name)
            if value is not None and value != []:
                typed = ",".join(value) if isinstance(value, list) else value
                typed = f"{typed:g}" if isinstance(typed, float) else typed
                made.append(Override(key, _sides(value) if name == "size" else value, f"{option} {typed}"))
        return made

    def reporter(self, outputs: Iterable[str] = ()) -> Reporter:
        """Reports as these options ask for; UsageError where they and one of these outputs share standard output."""
        if self.as_json and DASH in outputs:
            raise UsageError("--json and -o - both use standard output; choose one")
        return Reporter(self.quiet, self.as_json, self.show)


OPTION_KEYS = {
    "frames": ("--frames", "time.frames"),
    "fps": ("--fps", "output.fps"),
    "size": ("--size", "output.size"),
    "seed": ("--seed", "seed"),
    "quality": ("--quality", "output.quality"),
    "format": ("--format", "output.format"),
    "measures": ("--measure", "measure.names"),
    "first": ("--from", "measure.from"),
    "after": ("--after", "measure.after"),
    "every": ("--every", "measure.every"),
}
"""Options that stand for a key of the scenario."""

PICTURE = ("settings", "frames", "size", "seed", "trust")
CLIP = ("settings", "frames", "fps", "size", "seed", "quality", "trust")
MEASURING = ("measures", "first", "after", "every")
RESULT = ("no_clobber", "show", "quiet", "as_json")


def sharing(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these shared options, behind its own, as its parameter `options`.

    Other parameters that are requests are made of options as well: one for each of their fields, in their place.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command).parameters.values()
        forms = {one.name: one.annotation for one in own if hasattr(one.annotation, "_fields")}
        fields = {name: names if form is Options else form._fields for name, form in forms.items()}

        @wraps(command)
        def called(**given: object) -> None:
            made = {name: _request(form, {key: given.pop(key) for key in fields[name]}) for name, form in forms.items()}
            if "trust" in names:
                from boidsgen.scenario.sources import trusting

                trusting.set(made["options"].trust)
            if "engine" in names:
                from boidsgen.simulation.run import engine_name

                engine_name(made["options"].engine)
            command(**given, **made)

        parts = [[*_parameters(forms[one.name], fields[one.name])] if one.name in forms else [one] for one in own]
        # Required ones come first.
        every = sorted(chain.from_iterable(parts), key=lambda one: (one.kind, one.default is not one.empty))
        vars(called)["__signature__"] = inspect.Signature(every)
        return called

    return decorate


def _parameters(form: Any, names: Sequence[str]) -> Iterator[inspect.Parameter]:  # noqa: ANN401  a class of tuples
    """The fields of a request as typer wants them."""
    for name in (name for name in form._fields if name in names):
        kind, shown = get_args(form.__annotations__[name])
        default = form._field_defaults.get(name, inspect.Parameter.empty)
        if isinstance(shown, Option):
            if shown.parse:
                kind = list[str] if shown.parse is tuple else str
                kind, default = (kind | None, None) if default == () else (kind, default)
            shown = option(shown.declared, shown.text, **shown.bounds)
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown]
        )


def _request(form: Any, given: Mapping[str, Any]) -> Any:  # noqa: ANN401  likewise
    """A request made of the options that are given."""
    values = {name: value for name, value in given.items() if value is not None}
    for name, value in values.items():
        if parse := getattr(get_args(form.__annotations__[name])[1], "parse", None):
            values[name] = parse(value)
    return form(**values)


def decoded(text: str) -> str:
    """A text from the command line, whose bytes Python may have kept as surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(text).decode()
        except UnicodeDecodeError:
            raise UsageError(f"{text!a}: is not UTF-8") from None
    return text


def frame_numbers(at: str) -> list[int | None]:
    """The frame numbers of `--at`, separated by commas; None for the last frame."""
    numbers: list[int | None] = []
    for part in map(str.strip, at.split(",")):
        if part != LAST and not _is_number(part):
            raise UsageError(f"--at {part}: must be the number of a frame, counted from 0, or last")
        numbers.append(None if part == LAST else int(part))
    return numbers


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS


def _sides(text: str) -> list[int] | str:
    from boidsgen.output.formats import NAMED_SIZES

    if text in NAMED_SIZES:
        return text
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(map(_is_number, sides)):
        raise UsageError(f"--size {text}: must look like 640x360, or be {' or '.join(NAMED_SIZES)}")
    return [int(side) for side in sides]


class RenderJob(NamedTuple):
    """One scenario with its warnings, the states of a saved run, and the destinations of its pictures."""

    source: Source
    scenario: Scenario
    states: "SavedRun | None"
    warnings: Sequence[str]
    targets: tuple[Target, ...] = ()

    @property
    def shown(self) -> Scenario:
        """The scenario as its targets show it."""
        return self.scenario.looping_in({one.format for one in self.targets})

    @property
    def alt(self) -> str:
        """The sentence about its clip."""
        return self.scenario.alt_in({one.format for one in self.targets})

    @property
    def doubts(self) -> list[str]:
        """One line where the states of a saved run may not come from its scenario."""
        return [self.states.doubt] if self.states and self.states.doubt else []


def read_job(name: str, overrides: Sequence[Override], *, strict: bool = False) -> RenderJob:
    """A scenario without destinations; ScenarioError with its errors, and where it is `strict` with its warnings."""
    source = supplied(find(name))
    document = draft(source, overrides)
    scenario = document.scenario()
    job = RenderJob(source, scenario, saved_states(source, scenario, overrides), document.warnings(scenario))
    if strict and (lines := [*job.warnings, *job.doubts]):
        raise ScenarioError(lines)
    return job


def plan_jobs(names: Sequence[str], overrides: Sequence[Override], outputs: Texts, options: Options) -> list[RenderJob]:
    """The jobs, one per scenario; outputs are as written after -o.

    Raises:
        ScenarioError: with the errors of all scenarios, and where they are `strict` with their warnings.
        UsageError: when two outputs are the same, or an output is a scenario.
        LimitError: when a scenario asks for too much.
    """
    refuse_repeated_input(names)
    jobs: list[RenderJob] = []
    errors: list[str] = []
    for name in names:
        try:
            job = read_job(name, overrides)
            usual, stem = job.scenario.output.format, job.source.stem
            targets = [target(path, stem=stem, explicit=options.format, default=usual) for path in outputs or ()]
            targets = targets or [default_target(stem, options.format or usual)]
            job.scenario.refuse_excess(job.source.label)
            if unfit := list(job.scenario.unfit_for(one.format for one in targets)):
                draft(job.source, overrides).refuse(unfit)
            jobs.append(job._replace(targets=tuple(targets)))
        except ScenarioError as error:
            errors += error.errors
    if options.strict:
        errors += [line for job in jobs for line in (*job.warnings, *job.doubts)]
    if errors:
        raise ScenarioError(errors)
    refuse_paths(one.path for job in jobs for one in job.targets)
    return jobs


def plan_still(name: str, overrides: Sequence[Override], output: str | None, *, strict: bool = False) -> RenderJob:
    """The job of one picture.

    Raises:
        ScenarioError: with its errors, and where it is `strict` with its warnings.
        UsageError: when the path is not that of a picture, or is the scenario itself.
        LimitError: when the scenario asks for too much.
    """
    from boidsgen.output.pictures import FIGURE_ENDINGS
    from boidsgen.pipeline import STILL_ENDING, is_figure, is_still

    job = read_job(name, overrides, strict=strict)
    job.scenario.refuse_excess(job.source.label)
    path = f"{DIRECTORY}/" if output is None else output
    refuse_name(path)
    if names_folder(path) or Path(path).is_dir():
        path = str(Path(path) / f"{job.source.stem}{STILL_ENDING}")
    elif not (is_still(path) or is_figure(path) or path == STANDARD_OUTPUT) and (
        Path(path).is_file() or not Path(path).exists()
    ):
        endings = ", ".join([STILL_ENDING, *FIGURE_ENDINGS])
        raise UsageError(f"{path}: a still must be a picture or a figure; end its name with one of {endings}")
    refuse_paths([path])
    return job._replace(targets=(Target(path, "png"),))


def make_directories(outputs: Sequence[str] | None, targets: Iterable[Target]) -> None:
    """Make the directories that outputs name by a "/" at the end, and without any output the usual one.

    A folder of pictures is not made here: it takes its name when it is complete.
    """
    targets = [*targets]
    refuse_unnamed(outputs or (), targets)
    for output, one in zip(outputs or [f"{DIRECTORY}/"], targets, strict=False):
        if names_folder(output) and Path(one.path) != Path(output):
            make_folder(str(Path(output)))


def usual_path(stem: str, ending: str) -> str:
    """The destination of an output without `-o`."""
    return str(Path(DIRECTORY) / f"{stem}{ending}")


def by_extension(paths: Sequence[str], *extensions: str) -> dict[str, list[str]]:
    """The paths with each of these file extensions, and all others under an empty one."""
    found: dict[str, list[str]] = {extension: [] for extension in (*extensions, "")}
    for path in paths:
        extension = Path(path).suffix.lower()
        found[extension if extension in found else ""].append(path)
    return found


def settle(paths: Sequence[str], given: Sequence[str] | str | None) -> None:
    """Refuse paths as `refuse_paths` does, or without a directory; where none was given, make the usual one for them.

    Raises:
        StorageError: there is no such directory.
    """
    refuse_paths(paths)
    if given is None:
        refuse_unnamed((), (Target(path, "") for path in paths if Path(path).parent == Path(DIRECTORY)))
        make_folder(DIRECTORY)
    if absent := [path for path in paths if not Path(path).parent.is_dir()]:
        raise StorageError(f"{absent[0]}: there is no directory {Path(absent[0]).absolute().parent}; create it first")


def refuse_paths(paths: Iterable[str]) -> None:
    """Stop before an output replaces an input or another output; to be called when everything has been read.

    Raises:
        UsageError: when one would.
    """
    taken = set[str]()
    for path in paths:
        refuse_input(path)
        if identity(path) in taken:
            raise UsageError(f"{path}: is already an output; give each output its own name")
        taken.add(identity(path))
