"""Events: keys of the scenario that change at a frame, at once or over several frames.

Everything in an event is validated when the scenario is loaded, and every state that the events lead through is built
then, so that nothing can fail in the middle of a run.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Generic

from pydantic import Field, ValidationError

from boidsgen.errors import MAX_OF_TABLE, ScenarioError
from boidsgen.tables import Member, OneOrSeveral, Table, Text, replaced, value_at

CHANGEABLE = ("flock", "predators", "obstacles", "attractors", "camera", "time")  # Tables whose keys an event may set
MOVABLE = {"camera": ("azimuth", "elevation", "zoom", "center", "distance"), "time": ("rate",)}
"""Keys of the camera and of time that an event may set."""

FIXED = ("name", "count", "start", "from", "until")
"""Keys that are used only once, at the start, so that setting them later would do nothing. The count of boids and
predators may change, and their start together with the count: it says where new ones begin. Starts that say themselves
how many there are, such as points, cannot be set by an event."""


MAX_PLAYED = 2_000
"""Frames in the middle of slow changes that are played when a scenario is loaded; of more, evenly many are chosen.
Where changes begin and end is always played."""

Where = tuple[str | int, ...]  # The keys of an event's error


class Event(Table):
    """Changes of keys or captions at a frame."""

    at: Annotated[int, Field(ge=0)]
    """Frame at which it happens."""
    set: Mapping[str, Any] = {}
    """New values of keys of flock, predators, obstacles or attractors, such as { "flock.alignment.weight" = 0.0 },
    of azimuth, elevation, zoom, center and distance of the camera, and time.rate."""
    over: Annotated[int, Field(ge=0)] = 0
    """Frames over which numbers move to their new values; 0 = instantly. Camera moves ease in and out."""
    caption: Text | None = None
    """Text below the picture from this frame on; an empty one removes the caption."""

    def progress(self, frame: float) -> float:
        """Completed fraction of the change at this frame, 0 to 1."""
        return 1.0 if frame >= self.at + self.over else (frame - self.at) / self.over

    def changed(self, setup: Member, key: str, progress: float) -> Member:
        """The setup after this part of the change of one key."""
        keys, value = key.split("."), self.set[key]
        # A camera sets off and comes to rest gently.
        share = progress * progress * (3 - 2 * progress) if keys[0] == "camera" else progress
        return replaced(setup, keys, value if progress == 1 else _between(value_at(setup, keys), value, share))


class EventfulSetup(Table):
    """A setup that may change with time."""

    events: Annotated[tuple[Event, ...], OneOrSeveral, Field(max_length=MAX_OF_TABLE["events"])] = ()
    """Changes during the run."""

    def caption(self, frame: int) -> str:
        """The caption at this frame, empty without one."""
        caption, since = "", -1
        for event in self.events:
            if since <= event.at <= frame and event.caption is not None:
                caption, since = event.caption, event.at
        return caption

    def event_errors(
        self, context: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[Where, str | KeyError | ValidationError]]:
        """Every error in the changes: its keys, and the reason in words or as an error about its key or its value.

        Args:
            context: of the validation of each value.
        """
        setup: Table = self.model_copy(update={"events": ()})  # which are many, and would be looked through each time
        found = False
        for number, event in sorted(enumerate(self.events), key=lambda numbered: numbered[1].at):
            for key, value in event.set.items():
                changed = _changed(setup, event, key, value, context)
                if isinstance(changed, Table):
                    setup = changed
                    continue
                found = True
                yield ("events", number, "set", key), changed
        if not found:
            # The first error in a state between two valid settings.
            progress = Progress(self.model_copy(update={"events": ()}), self.events)
            try:
                for frame in _eventful_frames(self.events):
                    progress.at(frame)
            except _ImpossibleStateError as state:
                number = next(n for n, event in enumerate(self.events) if event is state.event)
                yield ("events", number, "set", state.key), f"cannot be done in frame {frame}: {state.reason}"


class _ImpossibleStateError(ScenarioError):
    """A change of one key by an event leads to a setup that is not valid."""

    def __init__(self, event: Event, key: str, error: ValidationError) -> None:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ").replace("Input should", "must", 1)
        self.event, self.key = event, key
        self.reason = f"{where}: {reason}" if where else reason
        super().__init__([f"events: {key} cannot be set: {self.reason}"])


class Progress(Generic[Member]):
    """The setup as the events leave it, asked frame by frame; the same object as long as nothing changes.

    Events that are over are not gone through again, so that a run of many events takes as long as one of few.
    """

    def __init__(self, setup: Member, events: tuple[Event, ...]) -> None:
        self._events = sorted(events, key=lambda event: event.at)
        self._starts = [event.at for event in self._events]
        self._first = self._settled = setup
        self._done, self._frame = 0, 0.0
        self._moving: tuple[int, tuple[float, ...]] | None = None
        self._moved = setup

    def at(self, frame: float) -> Member:
        """The setup in force at this frame."""
        if frame < self._frame:
            self._settled, self._done = self._first, 0
        self._frame = frame
        begun = bisect_right(self._starts, frame)
        while self._done < begun and self._events[self._done].progress(frame) == 1:
            self._settled = self._after(self._settled, self._events[self._done], 1.0)
            self._done += 1
        moving = self._done, tuple(event.progress(frame) for event in self._events[self._done : begun])
        if moving != self._moving:
            self._moving, self._moved = moving, self._settled
            for event, part in zip(self._events[self._done : begun], moving[1], strict=True):
                self._moved = self._after(self._moved, event, part)
        return self._moved

    def _after(self, setup: Member, event: Event, progress: float) -> Member:
        for key in event.set:
            try:
                setup = event.changed(setup, key, progress)
            except ValidationError as error:
                raise _ImpossibleStateError(event, key, error) from None
        return setup


def _eventful_frames(events: tuple[Event, ...]) -> list[int]:
    """The frames in which something changes, in order: all beginnings and ends, and of those between a number."""
    frames = {frame for event in events for frame in (event.at, event.at + event.over)}
    slow = [range(event.at + 1, event.at + event.over) for event in events if event.over > 1]
    for inside in slow:
        frames.update(inside[:: -(-len(inside) * len(slow) // MAX_PLAYED)])
        frames.add(inside[-1])
    return sorted(frames)


def _between(old: Any, new: Any, progress: float) -> Any:  # noqa: ANN401  numbers or vectors, checked on loading
    if isinstance(new, tuple):
        return tuple(_between(a, b, progress) for a, b in zip(old, new, strict=True))
    between = old + (new - old) * progress
    return round(between) if isinstance(old, int) and isinstance(new, int) else between


def _changed(
    setup: Table, event: Event, key: str, value: object, context: Mapping[str, Any] | None
) -> Table | str | KeyError | ValidationError:
    """The setup with the key at its new value, or what is wrong with that."""
    keys = key.split(".")
    if fixed := _unchangeable(event, keys, value):
        return fixed
    try:
        changed, old = replaced(setup, keys, value, context), value_at(setup, keys)
    except (KeyError, ValidationError) as error:
        return error
    wrong = {
        "over needs an initial value; set the key in the scenario": old is None,
        "over works on numbers only": not (_number(old) and _number(value)),
        "over cannot change how many numbers there are; change them at once": _shape(old) != _shape(value),
    }
    return next((reason for reason, applies in wrong.items() if event.over and applies), changed)


def _unchangeable(event: Event, keys: list[str], value: object) -> str | None:
    """Why no event can change the value of a key."""
    key = ".".join(keys)
    if keys[0] in CHANGEABLE and len(keys) == 1 and isinstance(value, Mapping):
        return f'the dotted key of an event needs quotes: {{ "{key}.{next(iter(value), "…")}" = … }}'
    if keys[0] not in CHANGEABLE or len(keys) == 1:
        return f"an event can change only keys of {', '.join(CHANGEABLE)}, not {key!r}"
    if keys[0] in MOVABLE and keys[1] not in MOVABLE[keys[0]]:
        return f"an event can change only {', '.join(MOVABLE[keys[0]])} of {keys[0]}, not {key!r}"
    once = keys[-1] in FIXED or "start" in keys
    if keys[0] in {"flock", "predators"} and {"count", "start"} & set(keys[1:3]):  # a new start needs new animals
        group = keys[: keys.index("start")] if "start" in keys else keys[:-1]
        once = ".".join((*group, "count")) not in event.set
    return f"{keys[-1]} is used at the start only; an event cannot change it" if once else None


def _shape(value: object) -> object:
    """Nested lengths of a value."""
    return tuple(map(_shape, value)) if isinstance(value, tuple) else ()


def _number(value: object) -> bool:
    if isinstance(value, tuple):
        return all(_number(part) for part in value)
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
