"""Loading: from a source and overrides to a checked scenario, or to all of its errors.

An error in a file reads `FILE:LINE: KEY: what is wrong and what would be right`, one in an override `OPTION: what is
wrong …`; those of the file come first, from top to bottom.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, cast

import numpy as np

from boidsgen.drawing.look import Look
from boidsgen.errors import MAX_DEPTH, MAX_DIGITS, TOO_DEEP, ScenarioError, UsageError
from boidsgen.inputs import open_input
from boidsgen.scenario.consistency import conflicts, context_of, event_problems, too_large, validated, warnings_of
from boidsgen.scenario.documents import Keys, Problem, as_written, inside, present, without
from boidsgen.scenario.files import Embedded, embedded
from boidsgen.scenario.layers import (
    Layer,
    Override,
    UnresolvedKeyError,
    as_text,
    layers_of,
    locate,
    merged,
    resolve_key,
    set_key,
    split_key,
    with_override,
    written_out,
)
from boidsgen.scenario.scenario import OWN_RULES, Scenario, absent, toml_of_non_defaults
from boidsgen.scenario.sources import EXTENDS, Source, extended, find
from boidsgen.scenario.wording import abbreviated, dotted
from boidsgen.simulation.setup import own_rules
from boidsgen.tables import with_tuples

if TYPE_CHECKING:
    from boidsgen.output.recording import SavedRun

ScenarioLike: TypeAlias = Scenario | str | PathLike[str] | Mapping[str, object]
"""A scenario, or what one can be made from."""

APPEARANCE_TABLES = tuple(sorted({*Look.model_fields, "limits", "measure", "output"}))
"""Keys that may still be set for a saved run: those that do not change what happens."""
LOOP, SEAM = ("output", "loop"), ("output", "loop_seam")
_ARCHIVE = b"PK\x03\x04"  # The beginning of a saved run
_MADE_UNDER = re.compile(f"^(# boidsgen .*), {OWN_RULES}(.+)", re.MULTILINE)
MAX_SHOWN = 100  # Errors that are listed; where there are more, these show the cause
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
        if len(unfit) > MAX_SHOWN:  # nobody would see more
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
        more = [f"{self.source.label}: and {len(lines) - MAX_SHOWN} more errors"] if len(lines) > MAX_SHOWN else []
        raise ScenarioError([*lines[:MAX_SHOWN], *more]) from None

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
            node = inside(node, key)
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


def _is_saved_run(path: Path) -> bool:
    with open_input(path) as file:
        return file.read(len(_ARCHIVE)) == _ARCHIVE


def refuse_missing_rules(source: Source) -> None:
    """Raise UsageError for an output that was made under rules of a program, unless it is `supplied`."""
    if own := _MADE_UNDER.search(source.text):
        hint = "its source is in the file, and is not executed; pass it again in Python: render(FILE, OUT, rules=…)"
        raise UsageError(f"{source.label}: needs {own[2]}, which was passed in Python; {hint}")


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
            keys = resolve_key(document, split_key(override.key), Scenario)
        except UnresolvedKeyError as error:
            unresolved.append(f"{override.origin}: {error}")
            continue
        if keys[:1] == (EXTENDS,):  # it is read before anything is set
            unresolved.append(f"{override.origin}: {EXTENDS} works in a scenario only; write one that has it")
            continue
        document = with_override(document, keys, override.value)
        set_by.append((override, keys))
    if any(keys == SEAM and override.value for override, keys in set_by) and not present(LOOP, document):
        document = set_key(document, LOOP, 0, Scenario)  # who asks for a cross-fade has a clip that loops
    try:
        table: Mapping[str, object] = with_tuples(document)
    except ValueError as error:
        raise ScenarioError([f"{source.label}: {error}"]) from None
    found = [*embedded(table, source.path.parent if source.path else Path(), context_of(table)["dimension"])]
    for one in found:
        table = cast("dict[str, object]", set_key(table, one.keys, one.table, Scenario))
    return Draft(source, layers, original, written_out(table), set_by, unresolved, found)
