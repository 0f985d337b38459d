"""Loading: a checked scenario or all of its errors, from a source and overrides; its cost; input of Python callers.

An error in a file reads `FILE:LINE: KEY: what is wrong and what would be right`, one in an override `OPTION: what is
wrong …`; those of the file come first, from top to bottom.

The estimate covers the time and the memory of a render.

Functions of `boidsgen.api` pass scenarios with keys set by keywords, and saved runs, through `loaded` and
`for_callers`.
"""

import math
import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, time
from functools import cached_property, wraps
from inspect import Parameter, formatannotation, signature
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

from boidsgen.drawing.look import Look
from boidsgen.errors import (
    MAX_DEPTH,
    MAX_DIGITS,
    TOO_DEEP,
    BoidsgenError,
    LimitError,
    ScenarioError,
    StorageError,
    UsageError,
)
from boidsgen.plugins import boundary
from boidsgen.scenario.consistency import conflicts, context_of, event_problems, too_large, validated, warnings_of
from boidsgen.scenario.documents import Keys, Problem, as_written, present, value_in, without
from boidsgen.scenario.layers import (
    Layer,
    Override,
    UnresolvedKeyError,
    annotation_at,
    as_text,
    layers_of,
    locate,
    merged,
    resolve_key,
    self_contained,
    set_key,
    split_key,
    with_override,
    written_out,
)
from boidsgen.scenario.scenario import RULES_OF_PROGRAM, Scenario, absent, toml_of_non_defaults
from boidsgen.scenario.sources import EXTENDS, Embedded, Source, embedded, extended, find, trusting
from boidsgen.scenario.wording import abbreviated, dotted
from boidsgen.simulation.fields import CurlNoise
from boidsgen.simulation.obstacles import Ellipse
from boidsgen.simulation.rules.rule import Rules
from boidsgen.simulation.run import animals, neighbor_visits
from boidsgen.simulation.setup import State, Timeline, own_rules
from boidsgen.system import guard_inputs, open_input
from boidsgen.tables import attributes, with_tuples

if TYPE_CHECKING:
    from boidsgen.output.recording import SavedRun

ScenarioLike: TypeAlias = Scenario | str | PathLike[str] | Mapping[str, object]
"""A scenario, or what one can be made from."""

APPEARANCE_TABLES = tuple(sorted({*attributes(Look), "limits", "measure", "output"}))
"""Keys that may still be set for a saved run: those that do not change what happens."""
LOOP, SEAM = ("output", "loop"), ("output", "loop_seam")
_ARCHIVE = b"PK\x03\x04"  # The beginning of a saved run
_MADE_UNDER = re.compile(f"^(# boidsgen .*), {RULES_OF_PROGRAM}(.+)", re.MULTILINE)
MAX_ERRORS = 100  # Errors that are listed; where there are more, these show the cause
MAX_KEY_LENGTH = 200  # Characters of a key in a message; longer ones are cut


class Draft(NamedTuple):
    """A document with overrides in it, not yet checked."""

    source: Source  # where it came from
    layers: Sequence[Layer]  # the documents of the source and of what it extends
    original: Mapping[str, object]  # all of them together
    document: Mapping[str, object]  # the same with the overrides, and with the content of files in place of their names
    overrides: Sequence[tuple[Override, Keys]]  # each override with the keys that it set
    unresolved: Sequence[str]  # a line about each override whose key does not fit the document
    embedded: Sequence[Embedded]  # the content of the files that the document names

    @property
    def files(self) -> list[Path]:
        """The files that the scenario names, those that it extends included."""
        bases = (one.source.path for one in self.layers[1:])
        return [*(path for path in bases if path), *(one.path for one in self.embedded)]

    @property
    def contents(self) -> dict[str, object]:
        """The content of the files that the document names, by dotted key: a worker may not have the files."""
        return {dotted(one.keys): one.table for one in self.embedded}

    @property
    def alone(self) -> Source:
        """The source for another process: all of its text, and nothing that it extends."""
        return Source(self.source.label, "", self_contained(self.source).text)

    def takes_whole_numbers(self, key: str) -> bool:
        """True for a dotted key that takes whole numbers; false for one that does not fit the document, too."""
        try:
            keys = resolve_key(self.document, split_key(key))
        except UnresolvedKeyError:
            return False
        return annotation_at(self.document, keys).plain is int

    def place(self, keys: Keys) -> str:
        """File and line of the key, or of the nearest table around it."""
        at, line = locate(keys, self.layers)
        return f"{self.layers[at].source.label}:{line}"

    def scenario(self) -> Scenario:
        """The checked scenario; ScenarioError with every error in it, UsageError where it lacks rules of a program."""
        refuse_missing_rules(self.source)
        unfit = [one.problem for one in self.embedded if one.problem]
        problems = [*unfit, *too_large(self.document)]
        clock = self.document.get("time")
        if isinstance(clock, Mapping) and {"frames", "duration"} <= clock.keys():
            problems.append(Problem(("time", "duration"), "says the same as time.frames; write only one of them"))
        context = context_of(self.document)
        scenario = validated(self.document, context)
        if isinstance(scenario, list):
            known = {problem.keys for problem in problems} | {problem.keys[:-1] for problem in unfit}
            self.refuse([*(one for one in scenario if one.keys not in known), *problems, *self._of_events(scenario)])
        problems = problems or [*conflicts(scenario), *event_problems(scenario, self.document, context)]
        if problems or self.unresolved:
            self.refuse(problems)
        return scenario

    def _of_events(self, unfit: Sequence[Problem]) -> list[Problem]:
        """Errors in the events, as far as that can be told once what is unfit is left out."""
        rest: Any = self.document
        if len(unfit) > MAX_ERRORS:  # nobody would see more
            return []
        for problem in unfit:
            rest = without(rest, as_written(problem.keys, self.document)) if problem.keys else rest
        context = context_of(rest)
        scenario = validated(rest, context)
        return [] if isinstance(scenario, list) else [*event_problems(scenario, rest, context)]

    def warnings(self, scenario: Scenario) -> list[str]:
        """A line about everything in its scenario that is valid and probably not intended."""
        return self._lines(warnings_of(scenario, self.document))

    def refuse(self, problems: Iterable[Problem]) -> NoReturn:
        """Raise ScenarioError with these errors, each with its place."""
        lines = [*self._lines(problems), *self.unresolved]
        if needed := absent(self.source.text):
            lines.insert(0, f"{self.source.label}: was made with {', '.join(needed)}, which is not installed here")
        more = [f"{self.source.label}: and {len(lines) - MAX_ERRORS} more errors"] if len(lines) > MAX_ERRORS else []
        raise ScenarioError([*lines[:MAX_ERRORS], *more]) from None

    def _lines(self, problems: Iterable[Problem]) -> list[str]:
        """Problems in the file by line, those in what it extends, then those in overrides in their order."""
        return [line for _, line in sorted(map(self._placed, problems))]

    def _placed(self, problem: Problem) -> tuple[tuple[int, int, int], str]:
        """A problem as a line, with what it is sorted by."""
        at = as_written(problem.keys, self.document)
        node: object = self.document
        kept: Keys = ()
        for key in at:  # the number of a table that is the only one is not shown
            lone = isinstance(node, list | tuple) and len(node) == 1 and isinstance(node[0], Mapping)
            kept = kept if isinstance(key, int) and lone else (*kept, key)
            node = value_in(node, key)
        name = dotted(kept)
        name = name if len(name) <= MAX_KEY_LENGTH else f"{name[:MAX_KEY_LENGTH]}…"
        said = f"{name}: {problem.wording}" if name else problem.wording
        for number, (override, keys) in reversed([*enumerate(self.overrides)]):
            # An override is to blame for its keys, and for a table on the way to them that the file does not have.
            on_the_way = keys[: len(at)] == at and not present(at, self.original)
            if at[: len(keys)] == keys or on_the_way:
                return (1, number, 0), f"{override.origin}: {problem.wording if keys == at else said}"
        layer, line = locate(at, self.layers)
        source = self.layers[layer].source
        return (0, layer, line), f"{source.label}:{line}: {said}" if source.numbered else f"{source.label}: {said}"


def load_scenario(source: ScenarioLike, overrides: Mapping[str, object] | None = None) -> Scenario:
    """The scenario in a file, of a preset's name, as text or as a dictionary, with dotted keys set to other values.

    Examples:
        >>> load_scenario("quickstart", {"flock.count": 80}).flock[0].count
        80
        >>> load_scenario({"time": {"duration": "2s"}}).time.frames
        50

    Args:
        source: a path, the name of a preset, `-` for standard input, TOML text, a dictionary, or a scenario.
        overrides: values by their dotted keys.

    Returns:
        the scenario; of an output that a program made under rules of its own, without them: add them by `with_rule`.

    Raises:
        ScenarioError: with every error in it, one line each.
        StorageError: when there is no such file, or it cannot be read.
    """
    if not isinstance(overrides, Mapping | None):
        raise UsageError(f"overrides: must be a dictionary, not {overrides!r}")
    given = [Override(key, plain(value, key), f"overrides: {key}") for key, value in (overrides or {}).items()]
    return draft(supplied(source_of(source), passed=True), given).scenario()


def saved_states(source: Source, scenario: Scenario, overrides: Sequence[Override]) -> "SavedRun | None":
    """The states of a saved run; None for any other source.

    Raises:
        UsageError: when an override would change what has happened.
    """
    if source.path is None or not _is_saved_run(source.path):
        return None
    from boidsgen.output.recording import SavedRun  # noqa: PLC0415  a clip must not wait for it

    for override in overrides:
        try:
            table = split_key(override.key)[0]
        except UnresolvedKeyError:
            table = ""
        if table not in APPEARANCE_TABLES:
            raise UsageError(
                f"{override.origin}: {source.label} is a finished run; only {', '.join(APPEARANCE_TABLES)} can be set, "
                "and for anything else the scenario has to be simulated again"
            )
    return SavedRun(source.path, scenario)


@dataclass(frozen=True)
class LoadedRun:
    """A scenario from a file or a preset, which may be a saved run."""

    source: Source
    scenario: Scenario

    @cached_property
    def states(self) -> "SavedRun | None":
        """The states of a saved run; None for any other source."""
        return saved_states(self.source, self.scenario, [])


def load_run(name: str) -> LoadedRun:
    """The scenario of a file of any kind, or of a preset; BoidsgenError, of one of its kinds, where it is none."""
    source = supplied(find(name))
    return LoadedRun(source, draft(source).scenario())


def _is_saved_run(path: Path) -> bool:
    with open_input(path) as file:
        return file.read(len(_ARCHIVE)) == _ARCHIVE


def refuse_missing_rules(source: Source) -> None:
    """Raise UsageError for an output that was made under rules of a program, unless it is `supplied`."""
    if own := rules_of_program(source):
        hint = "its source is in the file, and is not executed; pass it again in Python: render(FILE, OUT, rules=…)"
        raise UsageError(f"{source.label}: needs {own}, which was passed in Python; {hint}")


def rules_of_program(source: Source) -> str:
    """The names of the rules that a program had added, as the source lists them; empty for none."""
    found = _MADE_UNDER.search(source.text)
    return found[2] if found else ""


def supplied(source: Source, *, passed: bool = False) -> Source:
    """The source, which lacks no rule of a program if they, or states, are passed, or if it is a saved run."""
    text = _MADE_UNDER.sub(r"\1", source.text)
    has_all = text == source.text or passed or (source.path is not None and _is_saved_run(source.path))
    return source._replace(text=text) if has_all else source


def source_of(given: ScenarioLike) -> Source:
    """The source of a scenario in any form; text is TOML if it has a line break, or an equals sign and is no file.

    Raises:
        ScenarioError: when a dictionary contains what no scenario can.
        StorageError: when there is no such file, or it cannot be read.
    """
    if isinstance(given, Scenario):
        if own := own_rules(given):
            raise UsageError(f"scenario: {', '.join(own)}: a rule in Python; set keys and then add it by with_rule")
        return Source("scenario", "boids", toml_of_non_defaults(given), numbered=False)
    if isinstance(given, Mapping):
        text = as_text(cast("dict[str, object]", plain(given, "")))
        return extended(Source("scenario", "boids", text, numbered=False))
    if isinstance(given, str) and ("\n" in given or ("=" in given and not Path(given).exists())):
        return extended(Source("scenario", "boids", given))
    if not isinstance(given, str | PathLike):
        raise UsageError(f"scenario: must be a name, a path, text, a dictionary or a Scenario, not {given!r}")
    return find(fspath(given))


def plain(value: object, key: str, levels: int = MAX_DEPTH) -> object:
    """A value of Python or numpy as one that TOML has; ScenarioError when it has none like it."""
    if not levels:
        raise ScenarioError([f"scenario: {key[:MAX_KEY_LENGTH]}: {TOO_DEEP}"])
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        if wrong := [name for name in value if not isinstance(name, str)]:
            raise ScenarioError([f"scenario: {key or 'keys'}: a key must be text, not {wrong[0]!r}"])
        return {name: plain(inner, f"{key}.{name}".lstrip("."), levels - 1) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner, key, levels - 1) for inner in value]
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, int) and value.bit_length() > MAX_DIGITS:
        raise ScenarioError([f"scenario: {key}: must fit into 64 bits"])
    if not isinstance(value, bool | int | float | str | date | time):
        raise ScenarioError([f"scenario: {key}: cannot be {abbreviated(repr(value))}; a scenario has no such value"])
    return value


def draft(source: Source, overrides: Sequence[Override] = ()) -> Draft:
    """The document of a source with overrides in it; ScenarioError when it is not TOML."""
    source = extended(source)
    layers = layers_of(source)
    original = merged(layers)
    document: object = original
    set_by: list[tuple[Override, Keys]] = []
    unresolved: list[str] = []
    for override in sorted(overrides, key=lambda one: one.key != "style.theme"):  # which takes colors away
        try:
            keys = resolve_key(document, split_key(override.key))
        except UnresolvedKeyError as error:
            unresolved.append(f"{override.origin}: {error}")
            continue
        if keys[:1] == (EXTENDS,):  # it is read before anything is set
            unresolved.append(f"{override.origin}: {EXTENDS} works in a scenario only; write one that has it")
            continue
        document = with_override(document, keys, override.value)
        set_by.append((override, keys))
    if any(keys == SEAM and override.value for override, keys in set_by) and not present(LOOP, document):
        document = set_key(document, LOOP, 0)  # who asks for a cross-fade has a clip that loops
    try:
        table: Mapping[str, object] = with_tuples(document)
    except ValueError as error:
        raise ScenarioError([f"{source.label}: {error}"]) from None
    found = [*embedded(table, source.path.parent if source.path else Path(), context_of(table)["dimension"])]
    for one in found:
        table = cast("dict[str, object]", set_key(table, one.keys, one.table))
    return Draft(source, layers, original, written_out(table), set_by, unresolved, found)


START = 0.8  # Seconds of any render
STEP_SECONDS, VISITED = 4.6e-5, 8e-9  # Seconds for a step, and to look at one neighbor
MET, CORNER, NEWTON = 7e-8, 1.5e-8, 1.1e-6  # Seconds for an animal and an obstacle, a corner of one, and an ellipse
EDDIES = 2.5e-7  # Seconds more for an animal in curl noise
DRAWN, LAYER = 4.8e-6, 8e-4  # Seconds for an animal, and for an overlay, in one picture
PIXEL = {"gif": 8e-9, "webm": 7e-8, "avif": 2.6e-7}
"""Seconds for a pixel of a format; of others, whose encoders compare them, FILMED."""
FILMED, LIT_PIXEL = 1.8e-8, 1.9e-8  # and LIT_PIXEL more in a lit theme
SCENE, PACKED = 4e-7, 1.8e-7  # Seconds for a pixel of a lit background, once, and of a png that shows one
MAX_SECONDS, MAX_MEMORY = 600, 2_000_000_000  # Seconds and bytes of what a clip embeds, which may be a stranger's
BLURRED = 4  # Further instants that are drawn for motion blur, by the part of the time that the shutter is open
GIF_BYTES, GIF_TRAILS = 38, 1.22  # Bytes of an animal of one pixel in a frame, and a factor for trails
DRAWING, LIGHTING, ENCODING = 20, 150, 140  # Bytes for a pixel, in a lit theme, and of an encoder that looks ahead


def seconds(scenario: Scenario) -> float:
    """Estimated processor time of a render.

    The constants fit what was measured of the presets (`docs/programs/benchmarks/presets.json`) within a factor of two.
    """
    size, form = math.prod(scenario.picture_size), scenario.output.format
    lit = scenario.style.colors.light is not None
    blurred = 1.0 + BLURRED * scenario.style.shutter
    pixel = PIXEL.get(form, FILMED) + lit * (blurred * LIT_PIXEL + PACKED * (form == "png"))
    drawing = blurred * (DRAWN * animals(scenario) + LAYER * len(scenario.layers)) * scenario.pictures
    moving = _moving(scenario, neighbor_visits(scenario))
    if scenario.background.video:
        from boidsgen.output.film import decoding_seconds  # noqa: PLC0415  few clips have one

        drawing += decoding_seconds(scenario.background.video, scenario.time.frames)
    return START + moving + drawing + pixel * size * scenario.pictures + SCENE * lit * size


def gif_bytes(scenario: Scenario) -> int | None:
    """Estimated size of a GIF whose animals alone move, on one color; None for clips of other kinds.

    It fits what was measured of the presets within a factor of three, of nine in ten within two. A film, an encoder
    that predicts movement, light, and events have sizes that no number of the scenario tells.
    """
    style, output, size = scenario.style, scenario.output, scenario.picture_size
    if output.format != "gif" or output.max_bytes or style.colors.light or scenario.background.video or scenario.events:
        return None
    length = style.length(size, sum(flock.count for flock in scenario.flock))
    frame = GIF_BYTES * animals(scenario) ** 0.71 * length**0.78 * (GIF_TRAILS if style.trails else 1.0)
    return int(float(f"{frame * scenario.clip_frames:.2g}"))


def memory(scenario: Scenario) -> int:
    """Estimated bytes that a render and its encoder take, within a factor of two for large pictures."""
    lit = scenario.style.colors.light is not None
    encoding = ENCODING * (scenario.output.format in {"mp4", "webm", "avif"})
    return math.prod(scenario.picture_size) * (DRAWING + LIGHTING * lit + encoding) + scenario.seam_bytes


def stepping_seconds(scenario: Scenario) -> float:
    """Estimated processor time of the steps of a run, at the highest rate that its events lead to."""
    timeline, frames = Timeline(scenario), {0, *(event.at for event in scenario.events)}
    return _moving(scenario, max(neighbor_visits(timeline.at(frame)) for frame in sorted(frames)))


def _moving(scenario: Scenario, visits: int) -> float:
    """Estimated time of all steps, with what each animal meets: obstacles, attractors, fields, corners of ways."""
    ways = (getattr(rule, "points", ()) for group in scenario.flock for rule in group.rules.values())
    corners = sum(map(len, (*(getattr(one, "points", ()) for one in scenario.obstacles), *ways)))
    ellipses = sum(isinstance(one, Ellipse) for one in scenario.obstacles)
    noises = sum(isinstance(one, CurlNoise) for one in scenario.fields)
    met = MET * sum(map(len, (scenario.obstacles, scenario.attractors, scenario.fields)))
    met += CORNER * corners + NEWTON * ellipses + EDDIES * noises
    return VISITED * visits + (STEP_SECONDS + met * animals(scenario)) * scenario.steps


def refuse_costly(name: str, scenarios: Sequence[Scenario], command: str) -> None:
    """Raise LimitError where a render that a stranger may have made takes too much time or memory."""
    for scenario in scenarios:
        scenario.refuse_excess()
    refuse_long(name, sum(map(seconds, scenarios)), MAX_SECONDS, command)
    if (wanted := sum(map(memory, scenarios))) > MAX_MEMORY and not trusting.get():
        most = f"{wanted / 1e9:.1f} GB of memory, {MAX_MEMORY / 1e9:.0f} allowed"
        raise LimitError(f"{name}: takes roughly {most}; {command} --trust allows it")


def refuse_slow(name: str, scenario: Scenario, command: str, most: int = MAX_SECONDS) -> None:
    """Raise LimitError where the steps of a run that a stranger may have made take too long."""
    refuse_long(name, stepping_seconds(scenario), most, command)


def refuse_long(name: str, wanted: float, most: int, command: str) -> None:
    """Raise LimitError where what a stranger may have made takes more than so many seconds, unless it is trusted."""
    if wanted > most and not trusting.get():
        raise LimitError(f"{name}: takes roughly {wanted:,.0f} s, {most} allowed; {command} --trust allows it")


Overrides: TypeAlias = Mapping[str, object]
"""Values by their dotted keys."""

SHORT = {
    "frames": "time.frames",
    "fps": "output.fps",
    "size": "output.size",
    "exposure": "style.exposure",
    "quality": "output.quality",
}
"""Keywords that stand for keys in a table."""
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_IN_OWN_WORDS = {"self", "scenario", "engine", "seed", *SHORT}  # Arguments that are checked where they are used
_ANY_TYPE = ConfigDict(arbitrary_types_allowed=True)
_SET = re.compile(r"(?<![\w./\\-])--set ([\w.]+)=(\S+?)(?=[\s;:,]|$)")
_OPTION = re.compile(r"(?<![\w./\\-])--(\w[\w-]*)")  # and not a part of the name of a file


def _in_python(message: str) -> str:
    """A message that names arguments of Python instead of options of the command line."""
    named = _SET.sub(r'overrides={"\1": \2}', message)
    return _OPTION.sub(lambda found: "variants:" if found[1] == "with" else found[1].replace("-", "_"), named)


@contextmanager
def python_errors() -> Iterator[None]:
    """Errors name arguments of Python instead of options of the command line."""
    try:
        with boundary(), guard_inputs():
            yield
    except ScenarioError as error:
        error.errors = tuple(map(_in_python, error.errors))
        error.args = ("\n".join(error.errors),)
        raise
    except OSError as error:
        raise StorageError(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
    except BoidsgenError as error:
        error.args = (_in_python(str(error)), *error.args[1:])
        raise


def for_callers(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Check the arguments of a function by their annotations, and guard what it reads as a command would."""
    parameters = signature(function).parameters

    @wraps(function)
    def checked(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        with python_errors():
            for name, value in signature(function).bind(*given, **named).arguments.items():
                form, kind = parameters[name].annotation, parameters[name].kind
                if name in _IN_OWN_WORDS or kind is Parameter.VAR_KEYWORD or isinstance(form, str):
                    continue
                wanted = tuple[form, ...] if kind is Parameter.VAR_POSITIONAL else form  # type: ignore[valid-type]
                plain_value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
                try:
                    TypeAdapter(wanted, config=_ANY_TYPE).validate_python(plain_value, strict=True)
                except ValidationError:
                    told = re.sub(r"\b\w++\.", "", formatannotation(form))
                    raise UsageError(f"{name}: must be {told}, not {reprlib.repr(value)}") from None
            return function(*given, **named)

    return checked


def given_overrides(overrides: Overrides | None, keys: Overrides) -> list[Override]:
    """The overrides of a call, in order; keywords of our own that are None are not given."""
    named = {name: value for name, value in keys.items() if value is not None or name not in {*SHORT, "seed"}}
    dotted = {SHORT.get(name, name.replace("__", ".")): (name, value) for name, value in named.items()}
    given = {key: (f"overrides: {key}", value) for key, value in (overrides or {}).items()} | dotted
    return [Override(key, plain(value, key), name) for key, (name, value) in given.items()]


def loaded(
    given: ScenarioLike,
    overrides: Overrides | None,
    keys: Overrides,
    states: Iterable[State] | None = None,
    rules: Rules = (),
) -> tuple[Scenario, Iterable[State] | None]:
    """A scenario with its keys set, and its states where they are given, or where it is the name of a saved run.

    Raises:
        ScenarioError: with every error in it.
        StorageError: when there is no such file, or it cannot be read.
        UsageError: when a key would change a saved run, or rules of a program are missing.
    """
    settings = given_overrides(overrides, keys)
    if isinstance(given, Scenario) and not settings:
        return given, states
    source = supplied(source_of(given), passed=bool(rules) or states is not None)
    scenario = draft(source, settings).scenario()
    if states is None and isinstance(given, str | PathLike):
        states = saved_states(source, scenario, settings)
    return scenario, states


def refuse_below_one(**numbers: int | None) -> None:
    """Raise UsageError for the first of these arguments that is given and no whole number, or below 1."""
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError(f"{name}: must be at least 1, not {number}")
