"""Inheritance: a scenario that extends another one says only what differs.

  layers_of(source)        the documents of a source, its own first, then what it extends, and so on
  merged(layers)           the document in which each stands on top of those below it
  standing(keys, layers)   which layer says something, and in which line
  with_override(...)       a document with a key set from outside
  movable(source, folder)  a source that may stand in another folder
  self_contained(source)   the text of a source that extends nothing, whatever the source does

Tables are merged key by key. Everything else replaces what was below: a number, a list (those of tables, `[[flock]]`,
included), a table of another kind of its family. So does `time.duration` with `time.frames`, which say the same.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from pathlib import Path
from typing import NamedTuple, cast

from boidsgen.errors import ScenarioError
from boidsgen.scenario.files import names_of_files
from boidsgen.scenario.grammar import Form, below, completed, members, tag_of
from boidsgen.scenario.lines import Keys, line_of
from boidsgen.scenario.mistakes import inside, present
from boidsgen.scenario.overrides import form_of_key, listed, set_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import EXTENDS, Source
from boidsgen.scenario.toml import document_of
from boidsgen.scenario.wording import written

EITHER: Mapping[Keys, str] = {("time", "frames"): "duration", ("time", "duration"): "frames"}
"""Keys that say the same as another one of their table: what is said later counts."""


class Layer(NamedTuple):
    """One of the documents that make a scenario.

    Attributes:
        source: where it came from.
        document: what it says, without the name of what it extends.
    """

    source: Source
    document: Mapping[str, object]


def sources_of(source: Source) -> Iterator[Source]:
    """The source, what it extends, and so on."""
    yield source
    if source.base:
        yield from sources_of(source.base)


def layers_of(source: Source) -> tuple[Layer, ...]:
    """The documents of a source, its own first.

    Raises:
        ScenarioError: when one of them is not TOML.
    """
    return _layers(tuple(sources_of(source)))


@lru_cache(maxsize=1)  # a sweep drafts the same source for every run
def _layers(sources: tuple[Source, ...]) -> tuple[Layer, ...]:
    return tuple(_layer(one, is_own=one is sources[0]) for one in sources)


def _layer(source: Source, *, is_own: bool) -> Layer:
    """What a source says; the files that one names which is extended are named as seen from its own folder."""
    own: object = {key: value for key, value in document_of(source).items() if key != EXTENDS or not source.base}
    if not is_own and source.path:
        folder = source.path.parent.absolute()
        for keys, name in list(names_of_files(cast("Mapping[str, object]", own))):
            own = set_key(own, keys, str(folder / name), Scenario)
    return Layer(source, cast("Mapping[str, object]", own))


def merged(layers: Sequence[Layer]) -> Mapping[str, object]:
    """The document of all layers together."""
    documents = [one.document for one in layers]
    return reduce(lambda under, over: merge(over, under, Scenario), reversed(documents))


def merge(over: Mapping[str, object], under: Mapping[str, object], form: Form, keys: Keys = ()) -> Mapping[str, object]:
    """One table on top of another."""
    silenced = {EITHER.get((*keys, name)) for name in over}
    result = {name: value for name, value in under.items() if name not in silenced}
    for name, value in over.items():
        result[name] = _on_top(value, result.get(name), below(over, form, name), (*keys, name))
    return result


def _on_top(over: object, under: object, form: Form, keys: Keys) -> object:
    if not isinstance(over, Mapping) or not isinstance(under, Mapping) or _kinds_differ(over, under, form):
        return over
    return merge(over, under, form, keys)


def _kinds_differ(over: Mapping[str, object], under: Mapping[str, object], form: Form) -> bool:
    """Whether both say which member of a family they are, and not the same one."""
    tag = tag_of(form) if members(form) else None
    kinds = [whole.get(tag) for whole in (completed(over, form), completed(under, form)) if isinstance(whole, Mapping)]
    return tag is not None and None not in kinds and kinds[0] != kinds[1]


def standing(keys: Keys, layers: Sequence[Layer]) -> tuple[int, int]:
    """The number of the layer in which keys stand, or the nearest table around them, and the line there."""
    while keys:
        for number, one in enumerate(layers):
            if present(keys, one.document):
                return number, line_of(one.source.text)(keys)
        keys = keys[:-1]
    return 0, 1


def self_contained(source: Source) -> Source:
    """The source, or where it extends another one, a source that says the same by itself."""
    if not source.base:
        return source
    return replace(source, text=_as_text(merged(layers_of(source))), base=None)


def movable(source: Source, folder: Path) -> Source:
    """The source as it may stand in another folder: by itself, where it extends a file rather than presets.

    Files are named as seen from there, in the words of the source where those can be kept.
    """
    alone = self_contained(source) if any(one.path for one in [*sources_of(source)][1:]) else source
    if alone.path is None:
        return alone
    try:
        document = document_of(alone)
    except ScenarioError:  # whoever reads it will say so
        return alone
    old = alone.path.parent.absolute()
    moved = {keys: (name, _seen_from(folder, old, name)) for keys, name in names_of_files(document)}
    changed = {keys: names for keys, names in moved.items() if names[0] != names[1]}
    return replace(alone, text=_with_names(alone.text, document, changed))


def _seen_from(folder: Path, old: Path, name: str) -> str:
    """The name of a file as seen from a folder, given as seen from the old one."""
    if Path(name).is_absolute() and not Path(name).is_relative_to(old):
        return name
    try:
        return Path(os.path.relpath(old / name, folder)).as_posix()
    except ValueError:  # on another drive
        return str(old / name)


def _with_names(text: str, document: object, changed: Mapping[Keys, tuple[str, str]]) -> str:
    """The text with other names of files; written anew where it does not show them plainly."""
    lines = text.splitlines(keepends=True)
    for keys, (name, new) in changed.items():
        number = line_of(text)(keys) - 1
        shown = [quoted for quoted in (f'"{name}"', f"'{name}'") if lines[number].count(quoted) == 1]
        if len(shown) != 1:
            break
        lines[number] = lines[number].replace(shown[0], written(new))
    else:
        return "".join(lines)
    for keys, (_, new) in changed.items():
        document = set_key(document, keys, new, Scenario)
    return _as_text(cast("Mapping[str, object]", document))


def _as_text(document: Mapping[str, object]) -> str:
    return "".join(f"{written(key)} = {written(value)}\n" for key, value in document.items())


def with_override(document: object, keys: Keys, value: object) -> object:
    """The document with a value at these keys, and without the key that would say otherwise."""
    form = form_of_key(document, keys, Scenario)
    other = EITHER.get(tuple(str(key) for key in keys))
    rest = _without(document, keys[0], other) if other else document
    return set_key(rest, keys, listed(value, form), Scenario)


def _without(document: object, table: str | int, key: str) -> object:
    """The document with one key less in one of its tables."""
    inner = inside(document, table)
    if not isinstance(document, Mapping) or not isinstance(inner, Mapping):
        return document
    return {**document, table: {name: value for name, value in inner.items() if name != key}}
