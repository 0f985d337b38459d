"""Inheritance: a scenario that extends another one contains only what differs.

Tables are merged key by key. Everything else replaces what was below: a number, a list (those of tables, `[[flock]]`,
included), a table of another kind of its family. So does `time.duration` with `time.frames`, which mean the same.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from pathlib import Path
from typing import NamedTuple, cast

from boidsgen.errors import ScenarioError
from boidsgen.scenario.annotations import Form, below, completed, members, tag_of
from boidsgen.scenario.documents import Keys, document_of, line_of
from boidsgen.scenario.files import names_of_files
from boidsgen.scenario.overrides import form_of_key, listed, set_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import EXTENDS, Source
from boidsgen.scenario.validation import present
from boidsgen.scenario.wording import written

EITHER: Mapping[Keys, str] = {("time", "frames"): "duration", ("time", "duration"): "frames"}
"""Keys with the same meaning as another one of their table: the later one wins."""


class Layer(NamedTuple):
    """One of the documents that make a scenario.

    Attributes:
        source: where it came from.
        document: its content, without the name of what it extends.
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
    layers = []
    for source in sources:
        content = document_of(source.text, source.label).items()
        own: object = {key: value for key, value in content if key != EXTENDS or not source.base}
        if source is not sources[0] and source.path:  # files are named as seen from its own folder
            folder = source.path.parent.absolute()
            for keys, name, _ in list(names_of_files(cast("Mapping[str, object]", own))):
                own = set_key(own, keys, str(folder / name), Scenario)
        layers.append(Layer(source, cast("Mapping[str, object]", own)))
    return tuple(layers)


def merged(layers: Sequence[Layer]) -> Mapping[str, object]:
    """The document of all layers together."""
    documents = [one.document for one in layers]
    return reduce(lambda under, over: merge(over, under, Scenario), reversed(documents))


def merge(over: Mapping[str, object], under: Mapping[str, object], form: Form, keys: Keys = ()) -> Mapping[str, object]:
    """One table on top of another."""
    silenced = {EITHER.get((*keys, name)) for name in over}
    result = {name: value for name, value in under.items() if name not in silenced}
    for name, value in over.items():
        lower, inner = result.get(name), below(over, form, name)
        result[name] = value
        if isinstance(value, Mapping) and isinstance(lower, Mapping) and not _kinds_differ(value, lower, inner):
            result[name] = merge(value, lower, inner, (*keys, name))
    return result


def _kinds_differ(over: object, under: object, form: Form) -> bool:
    """True if both tables select a member of their family, and not the same one."""
    tag = tag_of(form) if members(form) else None
    kinds = [whole.get(tag) for whole in (completed(over, form), completed(under, form)) if isinstance(whole, Mapping)]
    return tag is not None and None not in kinds and kinds[0] != kinds[1]


def locate(keys: Keys, layers: Sequence[Layer]) -> tuple[int, int]:
    """The index of the layer in which keys stand, or the nearest table around them, and the line there."""
    while keys:
        for number, one in enumerate(layers):
            if present(keys, one.document):
                return number, line_of(one.source.text)(keys)
        keys = keys[:-1]
    return 0, 1


def self_contained(source: Source) -> Source:
    """The source itself; where it extends another one, an equal source that extends nothing."""
    if not source.base:
        return source
    return replace(source, text=_as_text(merged(layers_of(source))), base=None)


def movable(source: Source, folder: Path) -> Source:
    """The source as it may be saved in another folder: self-contained, where it extends a file rather than presets.

    Files are named as seen from there, and the text of the source is kept where possible.
    """
    alone = self_contained(source) if any(one.path for one in [*sources_of(source)][1:]) else source
    if alone.path is None:
        return alone
    try:
        document: object = document_of(alone.text, alone.label)
    except ScenarioError:  # reported when it is read
        return alone
    old = alone.path.parent.absolute()
    lines = alone.text.splitlines(keepends=True)
    kept = True
    for keys, name, _ in list(names_of_files(cast("Mapping[str, object]", document))):
        new = _seen_from(folder, old, name)
        document = set_key(document, keys, new, Scenario)
        number = line_of(alone.text)(keys) - 1
        quoted = [one for one in (f'"{name}"', f"'{name}'") if lines[number].count(one) == 1]
        kept = kept and (new == name or len(quoted) == 1)
        if kept and new != name:
            lines[number] = lines[number].replace(quoted[0], written(new))
    return replace(alone, text="".join(lines) if kept else _as_text(cast("Mapping[str, object]", document)))


def _seen_from(folder: Path, old: Path, name: str) -> str:
    """The name of a file as seen from a folder, given as seen from the old one."""
    if Path(name).is_absolute() and not Path(name).is_relative_to(old):
        return name
    try:
        return Path(os.path.relpath(old / name, folder)).as_posix()
    except ValueError:  # on another drive
        return str(old / name)


def _as_text(document: Mapping[str, object]) -> str:
    return "".join(f"{written(key)} = {written(value)}\n" for key, value in document.items())


def with_override(document: object, keys: Keys, value: object) -> object:
    """The document with a value at these keys, and without the key of the same meaning."""
    other = EITHER.get(tuple(str(key) for key in keys))
    rest = document
    if other and isinstance(document, Mapping) and isinstance(table := document.get(keys[0]), Mapping):
        rest = {**document, keys[0]: {name: inner for name, inner in table.items() if name != other}}
    return set_key(rest, keys, listed(value, form_of_key(document, keys, Scenario)), Scenario)
