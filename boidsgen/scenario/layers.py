"""Layers: the documents that make a scenario, one on top of another, and the keys set from outside.

A scenario that extends another one contains only what differs. Tables are merged key by key. Everything else replaces
what was below: a number, a list (those of tables, `[[flock]]`, included), a table of another kind of its family. So
does `time.duration` with `time.frames`, which mean the same. Another theme leaves out the colors of what is below.

An override goes into the document before that is checked, so that it meets the same rules as the file. Its key may
leave out the index of a table that is the only one (`flock.count`), and must give it where there are several
(`flock.1.count`, counted from 0) or the name of one (`flock.swallows.count`).
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, reduce
from itertools import islice
from operator import getitem
from pathlib import Path
from typing import Any, NamedTuple, cast

from boidsgen.drawing.look import Colors
from boidsgen.errors import MAX_ARGUMENT, MAX_DEPTH, ScenarioError, UsageError
from boidsgen.output.formats import Output
from boidsgen.scenario.documents import ExcessError, Keys, document_of, line_of, parsed, present, value_in
from boidsgen.scenario.scenario import Limits, Scenario
from boidsgen.scenario.sources import EXTENDS, Source, names_of_files, trusting
from boidsgen.scenario.wording import abbreviated, dotted, file_keys, suggestion, to_toml, without_surrogates
from boidsgen.simulation.world import seconds_in
from boidsgen.tables import MAX_TABLE_DIGITS, UNKNOWN, Annotation, attributes, keys_of

WHOLE = Annotation(Scenario)
"""The annotation of a whole document."""


class Override(NamedTuple):
    """One key set from outside."""

    key: str  # dotted, as in `flock.separation.weight`
    value: object  # what it becomes
    origin: str  # name of the override in messages, as in `--set flock.count=-1`

    @classmethod
    def named(cls, key: str, value: object, option: str) -> "Override":
        """An override whose messages name an option that ends before the value, such as `--vary flock.count=`."""
        return cls(key, value, f"{option}{abbreviated(value)}")


class UnresolvedKeyError(Exception):
    """The key of an override does not fit the document; the message says why."""


def from_text(text: str) -> Override:
    """The override that `--set KEY=VALUE` asks for; a value that is not TOML is taken as a string."""
    refuse_undecodable(text, "--set")
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {text}: must look like KEY=VALUE, as in --set flock.count=80")
    return Override(key.strip(), value_from(value), f"--set {text}")


def refuse_undecodable(text: str, option: str) -> None:
    """Raise UsageError, naming the option, for an argument that is no text, or too long."""
    if len(text) > MAX_ARGUMENT:
        raise UsageError(f"{option}: {len(text):,} characters, and {MAX_ARGUMENT:,} are allowed")
    if without_surrogates(text) != text:
        raise UsageError(f"{option} {without_surrogates(text)}: is not UTF-8")


def value_from(text: str) -> object:
    """A TOML value, or the text itself when it is not one."""
    try:
        document = parsed(f"value = {text}")
    except ValueError:
        return text
    return document["value"] if len(document) == 1 else text


def values_from(text: str) -> list[object]:
    """A list of TOML values, whose texts need no quotes."""
    listed = value_from(f"[{text}]")
    if isinstance(listed, list):
        return listed
    parts, depth = [""], 0  # texts without quotes: split at commas that are not inside brackets or quotes
    for piece in re.findall(r"\"[^\"]*\"|'[^']*'|.", text, re.DOTALL):
        depth += (piece in "[{") - (piece in "]}")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return [value_from(part.strip()) for part in parts]


def split_key(key: str) -> tuple[str, ...]:
    """The names in a dotted key, quoted as TOML allows."""
    try:
        inner: object = parsed(f"{key} = 0") if isinstance(key, str) and "\n" not in key else None
    except ExcessError:
        raise UnresolvedKeyError(f"a key has {MAX_DEPTH} names at most") from None
    except ValueError:
        raise UnresolvedKeyError("not a dotted key such as flock.count") from None
    names: list[str] = []
    while isinstance(inner, dict) and len(inner) == 1:
        [(name, inner)] = inner.items()
        names.append(name)
    if inner != 0:
        raise UnresolvedKeyError("not a dotted key such as flock.count")
    return tuple(names)


def resolve_key(node: object, names: Sequence[str], annotation: Annotation = WHOLE) -> Keys:
    """The keys, indices included, that the names in a dotted key stand for in this document."""
    if not names:
        return ()
    node = _as_table(node, annotation)
    if isinstance(node, Mapping):
        return _in_table(node, names, annotation)
    if isinstance(node, list | tuple):
        return _in_list(node, names, annotation)
    raise UnresolvedKeyError(f"{names[0]} cannot be set inside {abbreviated(node)}, which is not a table")


def set_key(node: object, keys: Keys, value: object, annotation: Annotation = WHOLE) -> object:
    """A copy of the document with the value at these keys; tables on the way are made where they are missing."""
    if not keys:
        return value
    head, rest = keys[0], keys[1:]
    if isinstance(node, list | tuple) and isinstance(head, int):
        entry = annotation.entry(head)
        entries = (set_key(inner, rest, value, entry) if at == head else inner for at, inner in enumerate(node))
        return tuple(entries) if isinstance(node, tuple) else list(entries)
    table = _as_table(node, annotation)
    table = table if isinstance(table, Mapping) else {}
    return {**table, head: set_key(table.get(head, {}), rest, value, annotation.below(table, str(head)))}


def annotation_at(node: object, keys: Keys) -> Annotation:
    """The annotation at these keys of the document; unknown where the tables have none."""
    annotation = WHOLE
    for key in keys:
        node = _as_table(node, annotation)
        if isinstance(node, Mapping):
            annotation, node = annotation.below(node, str(key)), node.get(key, {})
        elif isinstance(node, list | tuple) and isinstance(key, int):
            annotation, node = annotation.entry(key), node[key]
        else:
            return UNKNOWN
    return annotation


def _as_table(node: object, annotation: Annotation) -> object:
    """A plain string as the table for which it is short: `"soft"` is `{ kind = "soft" }`."""
    return {annotation.tag: node} if annotation.tag and isinstance(node, str) else node


def _in_table(node: Mapping[str, object], names: Sequence[str], annotation: Annotation) -> Keys:
    head, rest = names[0], names[1:]
    if rest and _has_name(node, head, annotation):
        return resolve_key(node, rest, annotation)
    if not head.isdecimal() or head in node or not annotation.entries:
        return (head, *resolve_key(node.get(head, {}), rest, annotation.below(node, head)))
    if head.strip("0"):
        raise UnresolvedKeyError(f"there is no number {head} here, only number 0")
    return resolve_key(node, rest, annotation)


def _in_list(node: Sequence[object], names: Sequence[str], annotation: Annotation) -> Keys:
    """The keys below one of several tables, by its number, or by the name that it alone has."""
    head, inner = names[0], annotation.entry(0)
    if not node:
        raise UnresolvedKeyError(f"{head} cannot be set inside an empty list")
    if head.isdecimal():
        number = int(head[-MAX_TABLE_DIGITS:])
        if number >= len(node) or len(head) > MAX_TABLE_DIGITS:
            raise UnresolvedKeyError(f"there is no number {head} here, the last one is number {len(node) - 1}")
        return (number, *resolve_key(node[number], names[1:], annotation.entry(number)))
    if len(node) == 1:
        return (0, *resolve_key(node[0], names, inner))
    called = [number for number, table in enumerate(node) if _has_name(table, head, inner)]
    if len(called) == 1 and names[1:]:
        return (called[0], *resolve_key(node[called[0]], names[1:], inner))
    numbers = f"a number from 0 to {len(node) - 1}"
    known = [str(table["name"]) for table in node if isinstance(table, Mapping) and "name" in table]
    wrong = f"there are {len(node)} here: put {numbers}{' or a name' if known else ''} before {head}"
    if len(called) > 1:
        wrong = f"{len(called)} are called {head}: put {numbers} in its place"
    elif hint := suggestion(head, known):
        wrong = f"none of the {len(node)} is called {head}{hint}"
    raise UnresolvedKeyError(wrong)


def _has_name(table: object, name: str, annotation: Annotation) -> bool:
    """True if a table has this name, and the name is no key of the table: a key goes first."""
    known = keys_of(annotation.tables[""]) if "" in annotation.tables else {}
    return "name" in known and name not in known and isinstance(table, Mapping) and table.get("name") == name


def written_out(document: Mapping[str, object]) -> Mapping[str, object]:
    """The document with frames instead of `time.duration`, and with indices instead of flock names in keys of events.

    What cannot be written out stays as it is: validation reports it.
    """
    events = document.get("events")
    if isinstance(events, Mapping):
        document = {**document, "events": _with_indices(events, document)}
    elif isinstance(events, tuple):
        document = {**document, "events": tuple(_with_indices(event, document) for event in events)}
    clock = document.get("time")
    duration = value_in(clock, "duration")
    fps = value_in(document.get("output", {}), "fps")
    fps = Output.default().fps if fps is None else fps
    if not isinstance(clock, Mapping) or not isinstance(duration, str) or not isinstance(fps, int | float):
        return document
    with suppress(ValueError, OverflowError):
        frames = max(1, round(seconds_in(duration) * fps))
        rest = {key: value for key, value in clock.items() if key != "duration"}
        return document if "frames" in clock else {**document, "time": {**rest, "frames": frames}}
    return document


def _with_indices(event: object, document: Mapping[str, object]) -> object:
    """An event with indices where its keys have names of flocks or predators."""

    def by_index(key: str) -> str:
        try:
            names = split_key(key)
            resolved = resolve_key(document, names) if names[0] in {"flock", "predators"} else ()
        except UnresolvedKeyError:
            return key
        has_index = any(isinstance(one, int) for one in resolved)
        named = len(names) > 2 and not names[1].isdecimal() and has_index and len(resolved) <= len(names)
        return dotted(resolved) if named else key

    changes = value_in(event, "set")
    if not isinstance(event, Mapping) or not isinstance(changes, Mapping):
        return event
    return {**event, "set": {by_index(key): value for key, value in changes.items()}}


EITHER: Mapping[Keys, str] = {("time", "frames"): "duration", ("time", "duration"): "frames"}
"""Keys with the same meaning as another one of their table: the later one wins."""


_VARY: Keys = ("sweep", "vary")
_MAX_NAMED, _MAX_KEY = 5, 200  # Keys in a message, and characters of each
NIGHT = Colors.default().theme
OWN_COLORS = attributes(Colors).keys() - {"theme"}
"""Colors that are chosen for a theme: whoever sets another one gets its colors."""


class Layer(NamedTuple):
    """One of the documents that make a scenario."""

    source: Source  # where it came from
    document: Mapping[str, object]  # its content, without the name of what it extends


def sources_of(source: Source) -> Iterator[Source]:
    """The source, what it extends, and so on."""
    yield source
    if source.base:
        yield from sources_of(source.base)


@lru_cache(maxsize=1)  # a sweep drafts the same source for every run
def layers_of(source: Source) -> tuple[Layer, ...]:
    """The documents of a source, its own first; ScenarioError when one of them is not TOML."""
    layers = []
    for one in sources_of(source):
        content = document_of(one.text, one.label, quoted=one is source and not one.carried)
        if one.base:
            content.pop(EXTENDS, None)
        if one.carried:
            refuse_reaching(content, one.label)
            if isinstance(limits := content.get("limits"), Mapping):  # it widens none of ours
                ours, given = Limits.default(), {key: most for key, most in limits.items() if isinstance(most, int)}
                content["limits"] |= {key: min(most, getattr(ours, key, most)) for key, most in given.items()}
        own: object = content
        if one is not source and one.path:  # files are named as seen from its own folder
            folder = one.path.parent.absolute()
            for keys, name, *_ in list(names_of_files(own)):
                own = set_key(own, keys, str(folder / name))
        layers.append(Layer(one, cast("Mapping[str, object]", own)))
    return tuple(layers)


def refuse_reaching(values: Mapping[str, object], label: str) -> None:
    """Raise ScenarioError where values from inside a file name another file, or limits to be varied, unless trusted.

    Every value that the user has not written himself comes through here: a document or a part of one, in which
    `events` and `sweep.vary` have dotted keys.
    """
    if not trusting.get() and (some := [*islice(_reaching(values), _MAX_NAMED)]):
        keys = ", ".join(dotted(keys)[:_MAX_KEY] for keys in some)
        wrong = f"names files of this machine, or limits ({keys}), which only your own scenario may"
        raise ScenarioError([f"{label}: {wrong}; --trust allows it"])


def _reaching(value: object, keys: Keys = ()) -> Iterator[Keys]:
    """The keys at which values name files, or limits to be varied."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            names: tuple[str, ...] = (key,)
            with suppress(UnresolvedKeyError):  # which nothing can set
                names = names if key.isidentifier() else split_key(key)
            text = keys == _VARY and isinstance(inner, str)
            if text and len(inner) > MAX_ARGUMENT:  # too long to be looked at
                yield (*keys, *names)
            else:
                yield from _reaching(values_from(inner) if text else inner, (*keys, *names))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _reaching(inner, (*keys, number))
    else:
        last = next((key for key in reversed(keys) if isinstance(key, str)), "")
        known = file_keys(Scenario).get(last) if isinstance(value, str) else None
        named = known and (not known.extensions or Path(str(value)).suffix.lower() in known.extensions)
        if named or keys[:3] == (*_VARY, "limits"):
            yield keys


def merged(layers: Sequence[Layer]) -> Mapping[str, object]:
    """The document of all layers together."""
    documents = [one.document for one in layers]
    return reduce(lambda under, over: merge(over, under), reversed(documents))


def merge(
    over: Mapping[str, object], under: Mapping[str, object], annotation: Annotation = WHOLE, keys: Keys = ()
) -> Mapping[str, object]:
    """One table on top of another."""
    silenced = {EITHER.get((*keys, name)) for name in over}
    if keys == ("style",) and over.get("theme", NIGHT) != under.get("theme", NIGHT):
        silenced |= OWN_COLORS
    result = {name: value for name, value in under.items() if name not in silenced}
    for name, value in over.items():
        lower, inner = result.get(name), annotation.below(over, name)
        result[name] = value
        if isinstance(value, Mapping) and isinstance(lower, Mapping) and not _kinds_differ(value, lower, inner):
            result[name] = merge(value, lower, inner, (*keys, name))
    return result


def _kinds_differ(over: Mapping[str, object], under: Mapping[str, object], annotation: Annotation) -> bool:
    """True if both tables select a member of their family, and not the same one."""
    wholes = cast("list[Mapping[str, object]]", [annotation.completed(over), annotation.completed(under)])
    kinds = [whole.get(annotation.tag) for whole in wholes]
    return bool(annotation.tag) and None not in kinds and kinds[0] != kinds[1]


def locate(keys: Keys, layers: Sequence[Layer]) -> tuple[int, int]:
    """The index of the layer in which keys stand, or the nearest table around them, and the line there."""
    while keys:
        for number, one in enumerate(layers):
            if present(keys, one.document):
                return number, line_of(one.source.text)(keys)
        keys = keys[:-1]
    return 0, 1


def self_contained(source: Source) -> Source:
    """The source itself, or an equal one where it extends another one, or its limits are narrowed."""
    if not (source.base or source.carried):
        return source
    return source._replace(text=as_text(merged(layers_of(source))), base=None)


def movable(source: Source, folder: Path) -> Source:
    """The source as it may be saved in another folder: self-contained, where it extends a file rather than presets.

    Files are named as seen from there; the rest of its text is kept.
    """
    alone = self_contained(source) if source.carried or any(one.path for one in [*sources_of(source)][1:]) else source
    if alone.path is None:
        return alone
    try:
        names = [*names_of_files(document_of(alone.text, alone.label))]
    except ScenarioError:  # reported when it is read
        return alone
    import tomlkit  # noqa: PLC0415  few scenarios move

    document = tomlkit.parse(alone.text)
    for keys, name, *_ in names:
        table: Any = reduce(getitem, cast("Sequence[Any]", keys[:-1]), cast("Any", document))
        table[keys[-1]] = _seen_from(folder, alone.path.parent.absolute(), name)
    return alone._replace(text=tomlkit.dumps(document))


def _seen_from(folder: Path, old: Path, name: str) -> str:
    """The name of a file as seen from a folder, given as seen from the old one."""
    if Path(name).is_absolute() and not Path(name).is_relative_to(old):
        return name
    try:
        return Path(os.path.relpath(old / name, folder)).as_posix()
    except ValueError:  # on another drive
        return str(old / name)


def as_text(document: Mapping[str, object]) -> str:
    """A document as TOML, a line for each key at its top."""
    return "".join(f"{to_toml(key)} = {to_toml(value)}\n" for key, value in document.items())


def with_override(document: object, keys: Keys, value: object) -> object:
    """The document with a value at these keys, and without the key of the same meaning.

    Where a list must stand, `300,200` is short for one.
    """
    if keys == ("style", "theme"):
        return merge({"style": {"theme": value}}, cast("Mapping[str, object]", document))
    inner = annotation_at(document, keys).entries
    if isinstance(value, str) and "," in value and inner and not inner[0].is_table:
        parts = [value_from(part.strip()) for part in value.split(",")]
        value = value if any(isinstance(part, Mapping | list) for part in parts) else parts
    other = EITHER.get(tuple(str(key) for key in keys))
    rest = document
    if other and isinstance(document, Mapping) and isinstance(table := document.get(keys[0]), Mapping):
        rest = {**document, keys[0]: {name: inner for name, inner in table.items() if name != other}}
    return set_key(rest, keys, value)
