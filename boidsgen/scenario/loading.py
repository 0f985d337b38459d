"""Loading: from a source and overrides to a checked scenario, or to every mistake at once.

`load_scenario(name, overrides)` is the public way. `draft(source, overrides)` gives a `Draft`, the document not yet
checked; its method `scenario()` checks it, and `refuse(mistakes)` reports further mistakes in the same form.

A mistake in a file reads `FILE:LINE: KEY: what is wrong and what would be right`, one in an override `OPTION: what is
wrong …`; those of the file come first, from top to bottom.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NoReturn, cast

from pydantic import ValidationError

from boidsgen.caps import MAX_DEPTH
from boidsgen.errors import ScenarioError
from boidsgen.scenario.consistency import (
    dimension_of,
    event_mistakes,
    inconsistencies,
    misfits_of,
    oversized,
    unknown_keys,
)
from boidsgen.scenario.documents import TOO_DEEP
from boidsgen.scenario.doubts import doubts_of
from boidsgen.scenario.files import Embedded, embedded
from boidsgen.scenario.given import ScenarioLike, source_of
from boidsgen.scenario.inheritance import Layer, layers_of, merged, standing, with_override
from boidsgen.scenario.lines import Keys
from boidsgen.scenario.mistakes import MAX_FOUND, Mistake, mistakes_of, named, present
from boidsgen.scenario.overrides import Override, UnresolvedKeyError, names_of, resolve_key, set_key
from boidsgen.scenario.provenance import absent
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.shorthand import written_out
from boidsgen.scenario.sources import EXTENDS, Source, extended

MAX_SHOWN = 100
"""Mistakes that are listed; where there are more, these show the cause."""


@dataclass(frozen=True)
class Draft:
    """A document with overrides in it, not yet checked.

    Attributes:
        source: where it came from.
        layers: what the source says, and below it what it extends.
        original: all of that together.
        document: the same with the overrides.
        resolved: each override with the keys that it set.
        unresolved: a line about each override whose key does not fit the document.
        embedded: what the files hold that the document names; it stands in the document already.
    """

    source: Source
    layers: Sequence[Layer]
    original: Mapping[str, object]
    document: Mapping[str, object]
    resolved: Sequence[tuple[Override, Keys]]
    unresolved: Sequence[str]
    embedded: Sequence[Embedded] = ()

    @property
    def files(self) -> list[Path]:
        """The files that the scenario names, those that it extends included."""
        bases = (one.source.path for one in self.layers[1:])
        return [*(path for path in bases if path), *(one.path for one in self.embedded)]

    def scenario(self) -> Scenario:
        """The checked scenario.

        Raises:
            ScenarioError: with every mistake in it.
        """
        self._refuse_masses()
        unfit = [one.mistake for one in self.embedded if one.mistake]
        misfits = [*unfit, *islice(inconsistencies(self.document, Scenario), MAX_FOUND)]
        try:
            scenario = Scenario.model_validate(self.document)
        except ValidationError as error:
            known = {mistake.keys for mistake in misfits} | {mistake.keys[:-1] for mistake in unfit}
            others = (one for one in mistakes_of(error, self.document, Scenario) if one.keys not in known)
            self.refuse([*others, *misfits])
        mistakes = misfits or [*misfits_of(scenario), *event_mistakes(scenario, self.document)]
        if mistakes or self.unresolved:
            self.refuse(mistakes)
        return scenario

    def _refuse_masses(self) -> None:
        """Stop before a million entries are validated one by one, of which each would be told to be wrong."""
        lists = [Mistake(keys, wrong) for keys, wrong in oversized(self.document, Scenario)]
        strangers = list(islice(unknown_keys(self.document, Scenario), MAX_FOUND))
        if lists or len(strangers) == MAX_FOUND:
            self.refuse([*lists, *strangers])

    def doubts(self, scenario: Scenario) -> list[str]:
        """A line about everything in its scenario that is valid and surely not meant."""
        return self._lines(doubts_of(scenario, self.document))

    def refuse(self, mistakes: Iterable[Mistake]) -> NoReturn:
        """Show these mistakes, each with the place where it stands.

        Raises:
            ScenarioError: always.
        """
        lines = [*self._lines(mistakes), *self.unresolved]
        if needed := absent(self.source.text):
            lines.insert(0, f"{self.source.label}: was made with {', '.join(needed)}, which is not installed here")
        more = [f"{self.source.label}: and {len(lines) - MAX_SHOWN} more mistakes"] if len(lines) > MAX_SHOWN else []
        raise ScenarioError([*lines[:MAX_SHOWN], *more]) from None

    def _lines(self, mistakes: Iterable[Mistake]) -> list[str]:
        by_place = sorted((self._place(mistake), self._line(mistake)) for mistake in mistakes)
        return [line for _, line in by_place]

    def _place(self, mistake: Mistake) -> tuple[int, int, int]:
        """Mistakes in the file by their line, those in what it extends, then those in overrides in their order."""
        number = self._responsible(mistake)
        return (0, *standing(mistake.keys, self.layers)) if number is None else (1, number, 0)

    def _line(self, mistake: Mistake) -> str:
        name = named(mistake.keys, self.document)
        said = f"{name}: {mistake.wording}" if name else mistake.wording
        number = self._responsible(mistake)
        if number is None:
            at, line = standing(mistake.keys, self.layers)
            source = self.layers[at].source
            return f"{source.label}:{line}: {said}" if source.numbered else f"{source.label}: {said}"
        override, keys = self.resolved[number]
        return f"{override.origin}: {mistake.wording if keys == mistake.keys else said}"

    def _responsible(self, mistake: Mistake) -> int | None:
        """The number of the override that made the mistake, if one did."""
        return next(
            (n for n in reversed(range(len(self.resolved))) if self._is_in(mistake.keys, self.resolved[n][1])), None
        )

    def _is_in(self, keys: Keys, resolved: Keys) -> bool:
        """Whether the override set these keys, or a table on the way to it that the file does not have."""
        if keys[: len(resolved)] == resolved:
            return True
        return resolved[: len(keys)] == keys and not present(keys, self.original)


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

    Raises:
        ScenarioError: with every mistake in it, one line each.
        StorageError: when there is no such file, or it cannot be read.
    """
    given = (overrides or {}).items()
    return draft(source_of(source), [Override(key, value, f"overrides: {key}") for key, value in given]).scenario()


def draft(source: Source, overrides: Sequence[Override] = ()) -> Draft:
    """The document of a source with overrides in it.

    Raises:
        ScenarioError: when it is not TOML.
    """
    source = extended(source)
    layers = layers_of(source)
    original = merged(layers)
    document: object = original
    resolved: list[tuple[Override, Keys]] = []
    unresolved: list[str] = []
    for override in overrides:
        try:
            keys = resolve_key(document, names_of(override.key), Scenario)
            _refuse_extending(keys)
        except UnresolvedKeyError as error:
            unresolved.append(f"{override.origin}: {error}")
        else:
            document = with_override(document, keys, override.value)
            resolved.append((override, keys))
    return _complete(Draft(source, layers, original, _table(document, source), resolved, unresolved))


def _refuse_extending(keys: Keys) -> None:
    """Stop when what a scenario extends is set from outside: it is read before anything is set in it."""
    if keys[:1] == (EXTENDS,):
        raise UnresolvedKeyError(f"{EXTENDS} can stand in a scenario only; write one that has it")


def _complete(unread: Draft) -> Draft:
    """The draft with what the files hold that it names."""
    folder = unread.source.path.parent if unread.source.path else Path()
    found = list(embedded(unread.document, folder, dimension_of(unread.document)))
    document: object = unread.document
    for one in found:
        document = set_key(document, one.keys, one.table, Scenario)
    whole = written_out(cast("Mapping[str, object]", document))
    return replace(unread, document=whole, embedded=found)


def _table(document: object, source: Source) -> Mapping[str, object]:
    """The document with its lists as tuples, as the strict tables want them."""
    return {name: _tuples(value, source, MAX_DEPTH) for name, value in _items(document)}


def _items(document: object) -> Iterator[tuple[str, object]]:
    yield from document.items() if isinstance(document, Mapping) else ()


def _tuples(value: object, source: Source, levels: int) -> object:
    if not levels:
        raise _too_deep(source)
    if isinstance(value, list | tuple):
        return tuple(_tuples(entry, source, levels - 1) for entry in value)
    if isinstance(value, Mapping):
        return {name: _tuples(entry, source, levels - 1) for name, entry in value.items()}
    return value


def _too_deep(source: Source) -> ScenarioError:
    return ScenarioError([f"{source.label}: {TOO_DEEP}"])
