"""Explanation: everything there is to say about one key or one table of a scenario, in lines for a terminal.

`explained_key(name)` takes a dotted key such as `flock.separation`, `world.boundary` or `style.theme`; numbers of
tables may be left out. Presets that set it are found in their texts. The name of a measure or a profile gives
its definition.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc

from boidsgen.errors import UsageError
from boidsgen.scenario.documentation import (
    Section,
    default_of,
    is_tag,
    keys_of,
    meaning,
    sections,
    sections_below,
    summary,
)
from boidsgen.scenario.grammar import form_of
from boidsgen.scenario.meant import unknown_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import presets
from boidsgen.scenario.wording import described, shown, suggestion
from boidsgen.simulation.measuring import KNOWN, kind_of
from boidsgen.simulation.profiles import Profile

MAX_USERS = 6
"""Presets that are named."""


def explained_key(name: str) -> list[str]:
    """What a key or a table means, what may stand there, its default, and which presets set it; or what a measure is.

    Raises:
        UsageError: when there is no such key; with the one that was probably meant.
    """
    names = tuple(part for part in name.strip("[]").split(".") if not part.isdecimal())
    dotted = ".".join(names)
    lines = list(_as_table(dotted)) or list(_as_key(dotted))
    if not lines and name in KNOWN:
        return list(_as_measure(name))
    if not lines:
        known = [
            key for section in sections() if section.name == ".".join(names[:-1]) for key in keys_of(section.table)
        ]
        label = name if name.strip() and name.isprintable() else shown(name)
        measure = suggestion(name, KNOWN) if len(names) == 1 else ""
        raise UsageError(f"{label}: {f'unknown key{measure}' if measure else unknown_key(names, known, Scenario)}")
    return [*lines, *_used_by(names)]


@cache
def every_section() -> tuple[Section, ...]:
    """Every table at every place, also where its class has stood before."""
    return tuple(sections_below(Section("", "", Scenario)))


def _as_key(dotted: str) -> Iterator[str]:
    table, _, key = dotted.rpartition(".")
    seen: set[str] = set()
    for section in every_section():
        if section.name == table and key in keys_of(section.table):
            lines = "\n".join(_key_lines(section, key))
            if lines not in seen:
                seen.add(lines)
                yield from lines.split("\n")


def _as_measure(name: str) -> Iterator[str]:
    measure = kind_of(name)
    yield f"{name}, a {'profile' if issubclass(measure, Profile) else 'measure'}"
    yield from (f"  {line}".rstrip() for line in cleandoc(measure.__doc__ or "").splitlines())
    if measure.unit:
        yield f"  in       {measure.unit}"


def _key_lines(section: Section, key: str) -> Iterator[str]:
    field = keys_of(section.table)[key]
    kind = f" (kind {section.kind})" if section.kind else ""
    yield f"{section.name}.{key}{kind}".lstrip(".")
    yield f"  {meaning(section.table, key)}"
    yield f"  value    {described(form_of(field))}"
    if default := default_of(field):
        yield f"  default  {default.strip('`')}"


def _as_table(dotted: str) -> Iterator[str]:
    for section in every_section():
        if section.name == dotted and section.name:
            kind = f', kind "{section.kind}"' if section.kind else ""
            yield f"[{section.name}]{kind}"
            yield f"  {summary(section.table)}"
            keys = [key for key, field in keys_of(section.table).items() if not is_tag(field)]
            yield from (f"  {key:<16} {meaning(section.table, key)}" for key in keys)


def _used_by(names: tuple[str, ...]) -> Iterator[str]:
    users = [name for name, document in _documents() if _sets(document, names)]
    if users:
        more = f" and {len(users) - MAX_USERS} more" if len(users) > MAX_USERS else ""
        yield f"  set by   {', '.join(users[:MAX_USERS])}{more}"


@cache
def _documents() -> tuple[tuple[str, Mapping[str, object]], ...]:
    return tuple((preset.name, tomllib.loads(preset.text)) for preset in presets())


def _sets(document: object, names: tuple[str, ...]) -> bool:
    if not names:
        return True
    if isinstance(document, list):
        return any(_sets(entry, names) for entry in document)
    return isinstance(document, Mapping) and names[0] in document and _sets(document[names[0]], names[1:])
