"""Options that several commands share, each declared once, as a field of `Options`.

`@sharing("settings", "frames")` gives a command these fields as options of its command line; it receives all of them in
one `Options`, in which those that it does not offer have their defaults. Fields of a request become options likewise.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, get_args

import typer

from boidsgen import system
from boidsgen.cli.main import DASH, Reporter
from boidsgen.errors import UsageError

if TYPE_CHECKING:
    from boidsgen.pipeline import RunOptions
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
    from boidsgen.scenario.wording import keys_by_name

    for name, [(_, key), *_] in keys_by_name(Scenario).items():
        yield name, [str(word) for word in (*key.choices, *key.family)]


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
_ONE = typer.Argument(metavar="SCENARIO", help=_SCENARIO, show_default=False, autocompletion=complete_scenario)
OneScenario = Annotated[str, _ONE]
ScenarioOrNone = Annotated[Text, _ONE]
Jobs = Annotated[Number, option("--jobs N", "Runs at a time; by default as many as there are cores.", min=1)]
Dask = Annotated[Text, option("--dask ADDRESS", "Run on the Dask cluster with this scheduler.")]


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
    exposure: Annotated[
        Text, option("--exposure TIME", "Show the paths of the last so many frames, or seconds as in 5s.")
    ] = None
    quality: Annotated[Text, option("--quality Q", "draft, standard or high.")] = None
    format: Annotated[
        Text, option("--format FORMAT", "A format that `doctor` lists.", autocompletion=complete_format)
    ] = None
    engine: Annotated[str, option("--engine ENGINE", "auto, or an engine that `doctor` lists.")] = "auto"
    no_clobber: Annotated[bool, option("--no-clobber", "Keep an existing output, and fail.")] = False
    keep_going: Annotated[bool, option("--keep-going -k", "Do what can be done, then report what could not.")] = False
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
                made.append(Override(key, PARSED[name](value) if name in PARSED else value, f"{option} {typed}"))
        return made

    def run(self, **more: Any) -> "RunOptions":  # noqa: ANN401  fields of several types
        """The options of a run; `more` are those that no option of the command line stands for."""
        from boidsgen.pipeline import RunOptions

        return RunOptions(self.engine, self.no_clobber, **more)

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
    "exposure": ("--exposure", "style.exposure"),
    "quality": ("--quality", "output.quality"),
    "format": ("--format", "output.format"),
    "measures": ("--measure", "measure.names"),
    "first": ("--from", "measure.from"),
    "after": ("--after", "measure.after"),
    "every": ("--every", "measure.every"),
}
"""Options that stand for a key of the scenario."""

PICTURE = ("settings", "frames", "size", "seed", "exposure", "trust")
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
        if not isinstance(shown, typer.models.OptionInfo):  # of a study, which knows nothing of command lines
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


def _time(text: str) -> int | str:
    return int(text) if _is_number(text.removeprefix("-")) else text


PARSED: Mapping[str, Callable[[str], Any]] = {"size": _sides, "exposure": _time}
"""Values of options that are not written as in TOML."""
