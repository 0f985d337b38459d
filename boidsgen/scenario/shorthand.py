"""Shorthand: what a scenario may say in other words, written out before it is checked.

`written_out(document)` has the number of frames in place of `time.duration`, and the numbers of flocks and predators in
place of their names in the keys of events. What cannot be written out stays as it is; the check tells what is wrong.
"""

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from boidsgen.output.formats import Output
from boidsgen.scenario.grammar import fields
from boidsgen.scenario.mistakes import inside
from boidsgen.scenario.overrides import UnresolvedKeyError, names_of, resolve_key
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import dotted
from boidsgen.simulation.world import seconds_in

NAMED = ("flock", "predators")
"""Lists of tables that have names."""


def written_out(document: Mapping[str, object]) -> Mapping[str, object]:
    """The document with nothing left in other words that can be told."""
    return _with_numbers(_with_frames(document))


def frames_in(duration: str, fps: float) -> int:
    """How many frames play that long, at least one."""
    return max(1, round(seconds_in(duration) * fps))


def _with_frames(document: Mapping[str, object]) -> Mapping[str, object]:
    clock = document.get("time")
    duration = inside(clock, "duration")
    fps = _fps(document)
    if not isinstance(clock, Mapping) or not isinstance(duration, str) or "frames" in clock or fps is None:
        return document
    try:
        frames = frames_in(duration, fps)
    except ValueError:
        return document
    rest = {key: value for key, value in clock.items() if key != "duration"}
    return {**document, "time": {**rest, "frames": frames}}


def _fps(document: Mapping[str, object]) -> float | None:
    """Frames a second, None where that is a mistake by itself."""
    given = inside(document.get("output", {}), "fps")
    if given is None:
        return float(Output.usual().fps)
    try:
        return float(TypeAdapter(fields(Output)["fps"]).validate_python(given, strict=True))
    except ValidationError:
        return None


def _with_numbers(document: Mapping[str, object]) -> Mapping[str, object]:
    events = document.get("events")
    if isinstance(events, Mapping):
        return {**document, "events": _numbered(events, document)}
    if isinstance(events, tuple):
        return {**document, "events": tuple(_numbered(event, document) for event in events)}
    return document


def _numbered(event: object, document: Mapping[str, object]) -> object:
    changes = inside(event, "set")
    if not isinstance(event, Mapping) or not isinstance(changes, Mapping):
        return event
    return {**event, "set": {_by_number(key, document): value for key, value in changes.items()}}


def _by_number(key: str, document: Mapping[str, object]) -> str:
    """The key of an event with a number where a name stood."""
    try:
        names = names_of(key)
        resolved = resolve_key(document, names, Scenario) if names[0] in NAMED else ()
    except UnresolvedKeyError:
        return key
    if len(names) < MIN_NAMES or names[1].isdecimal() or not any(isinstance(one, int) for one in resolved):
        return key
    return key if len(resolved) > len(names) else dotted(resolved)


MIN_NAMES = 3
"""Names in a key with that of a flock: the list, the name, and what changes."""
