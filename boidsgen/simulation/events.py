"""Events: keys of the scenario that change at a frame, at once or little by little.

Everything in an event is checked when the scenario is loaded, so that nothing can go wrong in the middle of a run.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError

from boidsgen.caps import MAX_OF_TABLE
from boidsgen.tables import Member, Table, Text, replaced, value_at

CHANGEABLE = ("flock", "predators", "obstacles", "attractors")
"""Tables whose keys an event may set."""

FIXED = ("name", "count", "start", "from", "until")
"""Keys that are used only once, at the start, so that setting them later would do nothing. A flock's count may change,
and its start together with the count: it says where new boids begin."""


class Event(Table):
    """Something that happens at a frame: keys change, a caption appears."""

    at: Annotated[int, Field(ge=0)]
    """Frame at which it happens."""
    set: Mapping[str, Any] = {}
    """New values of keys of flock, predators, obstacles or attractors, such as { "flock.alignment.weight" = 0.0 }."""
    over: Annotated[int, Field(ge=0)] = 0
    """Frames over which numbers move to their new values; 0 = at once."""
    caption: Text | None = None
    """Text below the picture from this frame on; an empty one takes the caption away."""

    def progress(self, frame: int) -> float:
        """How much of the change is done at this frame, 0 to 1."""
        return 1.0 if frame >= self.at + self.over else (frame - self.at) / self.over

    def applied(self, setup: Member, progress: float) -> Member:
        """The setup after this part of the change."""
        for key, value in self.set.items():
            keys = key.split(".")
            setup = replaced(setup, keys, value if progress == 1 else _between(value_at(setup, keys), value, progress))
        return setup


class EventfulSetup(Table):
    """A setup that may change with time."""

    events: Annotated[tuple[Event, ...], Field(max_length=MAX_OF_TABLE["events"])] = ()
    """What changes during the run."""

    def caption(self, frame: int) -> str:
        """The caption at this frame, empty without one."""
        captions = [event.caption for event in self._until(frame) if event.caption is not None]
        return captions[-1] if captions else ""

    def event_mistakes(self) -> Iterator[tuple[tuple[str | int, ...], str | ValidationError]]:
        """Everything that is wrong with the events' changes: where, and why in words or as the value's own error."""
        setup: Table = self
        for event in sorted(self.events, key=lambda event: event.at):
            number = self.events.index(event)
            for key, value in event.set.items():
                wrong = _mistake(setup, event, key, value)
                if wrong:
                    yield ("events", number, "set", key), wrong
                    continue
                setup = replaced(setup, key.split("."), value)

    def _until(self, frame: int) -> list[Event]:
        return sorted((event for event in self.events if event.at <= frame), key=lambda event: event.at)


def _between(old: Any, new: Any, progress: float) -> Any:  # noqa: ANN401  numbers or vectors, checked on loading
    if isinstance(new, tuple):
        return tuple(_between(a, b, progress) for a, b in zip(old, new, strict=True))
    between = old + (new - old) * progress
    return round(between) if isinstance(old, int) and isinstance(new, int) else between


def _used_once(event: Event, keys: list[str]) -> bool:
    """Whether a key has no effect after the start."""
    if keys[0] != "flock" or not {"count", "start"} & set(keys[1:3]):
        return keys[-1] in FIXED or "start" in keys
    group = keys[: keys.index("start")] if "start" in keys else keys[:-1]
    return ".".join((*group, "count")) not in event.set


def _mistake(setup: Table, event: Event, key: str, value: object) -> str | ValidationError | None:
    keys = key.split(".")
    if keys[0] not in CHANGEABLE or len(keys) == 1:
        return f"an event can change only keys of {', '.join(CHANGEABLE)}, not {key!r}"
    if _used_once(event, keys):
        return f"{keys[-1]} is used at the start only; an event cannot change it"
    try:
        replaced(setup, keys, value)
    except ValidationError as error:
        return error
    except KeyError as error:
        return str(error.args[0])
    if event.over and not (_number(value) and _number(value_at(setup, keys))):
        return "over works on numbers only"
    return None


def _number(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_number(part) for part in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
