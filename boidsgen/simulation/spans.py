"""Events of animals as spans of measured frames: groups split and merge, animals turn, stop and cross each other.

A span goes from its first to its last frame, both included. It is found frame by frame, in the order of time, and comes
when it has ended, at the latest with the last frame; of those that end together, in the order of kinds and animals. An
animal that is not seen in a frame ends its turns, stops and crossings, and neither leaves a group nor joins one.
Distances are minimum-image distances; animals are counted through all flocks.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError, join_words, printable
from boidsgen.simulation.geometry import Array, across, angle, by_column, length
from boidsgen.simulation.measures import join_groups
from boidsgen.simulation.neighbors import Indices, pairs_within
from boidsgen.simulation.run import flock_tracks
from boidsgen.simulation.setup import Setup, State
from boidsgen.tables import MAX_NUMBER

Animals: TypeAlias = tuple[int, ...]


class Participant(NamedTuple):
    """An animal in an event."""

    animal: int
    group: int | None  # number of the first animal of its group, where groups split or merge
    value: float


class Span(NamedTuple):
    """An event."""

    kind: str
    first: State
    last: State
    members: tuple[Participant, ...]  # in the order of their numbers


@dataclass(frozen=True, eq=False)
class Instant:
    """All animals that there are in a run, in one frame."""

    state: State
    position: Array  # (n, d), nan for the absent
    velocity: Array  # likewise
    group: Indices  # (n,) number of the first animal of the same group, -1 for the absent

    @property
    def here(self) -> Indices:
        """Numbers of those who are present, shape (k,)."""
        return np.flatnonzero(np.isfinite(self.position[:, 0]))

    def pairs(self, reach: float) -> tuple[Indices, Indices, Array]:
        """Numbers and distances of every two that are nearer than this, once each, shape (p,) each."""
        here = self.here
        found = [*pairs_within(by_column(self.position[here]), reach, self.state.setup.world)]
        one, other = (np.concatenate([np.arange(0), *(getattr(met, of) for met in found)]) for of in ("boid", "source"))
        return here[one], here[other], np.sqrt(np.concatenate([np.zeros(0), *(met.squared for met in found)]))

    def of_animals(self, values: Iterable[float]) -> Array:
        """A value of each flock, for each of its animals, shape (n,)."""
        tracks = flock_tracks(self.state.setup)
        return np.repeat(np.fromiter(values, np.float64), [track.animals for track in tracks])


class GroupTracker:
    """The groups of one frame after the other.

    Two animals are tied when one comes within the other's perception radius, and stay so until they are as far apart as
    `factor` of these radii; so a pair at the edge does not split and merge in every frame.
    """

    def __init__(self, factor: float) -> None:
        self._factor, self._tied = factor, np.arange(0)

    def of(self, instant: Instant) -> Indices:
        """Number of the first animal of each one's group, -1 for the absent, shape (n,)."""
        here, count = instant.here, len(instant.position)
        radius = instant.of_animals(table.perception.radius for table in instant.state.setup.flock)
        first, far = np.arange(count), float(radius[here].max(initial=0.0))
        if far == np.inf:
            first[here] = here[0]
        else:
            one, other, distance = instant.pairs(self._factor * far)
            reach, pair = np.maximum(radius[one], radius[other]), count * one + other
            tied = (distance < reach) | ((distance < self._factor * reach) & np.isin(pair, self._tied))
            self._tied = pair[tied]
            join_groups(first, one[tied], other[tied])
        return np.where(np.isfinite(instant.position[:, 0]), first, -1)


class SpanKind(ABC):
    """A kind of events."""

    unit: ClassVar[str]
    """Unit of the values."""
    threshold_unit: ClassVar[str] = ""
    """Unit of its threshold; empty if it has none."""
    least: ClassVar[float] = 0.0
    """What its threshold must not be below."""

    def __init__(self, threshold: float | None) -> None:
        self.threshold = threshold

    @abstractmethod
    def ended(self, instant: Instant, before: Instant | None) -> Iterator[Span]:
        """Events that have ended, by the next frame and the one before it."""

    def rest(self) -> Iterator[Span]:
        """Events that end with the last frame."""
        yield from ()


class Split(SpanKind):
    """The animals of one group are in several: from the last frame together to the first one apart.

    `group` is the number of the first animal of the group in which the animal is then, and the value the number of
    those who went there with it. Two animals are tied when one comes within the other's perception radius, until they
    are 1.5 such radii apart, or the factor that is given; a group is joined by a chain of ties. Source of the two
    distances: K. Della Libera et al., Movement decisions driving fission-fusion dynamics, 2023 (there sticky-DBSCAN).
    """

    unit: ClassVar[str] = "animals"
    threshold_unit: ClassVar[str] = "perception radii"
    least: ClassVar[float] = 1.0

    @override
    def ended(self, instant: Instant, before: Instant | None) -> Iterator[Span]:
        if before is not None:
            yield from _regrouped("split", before, instant, before.group, instant.group)


class Merge(SpanKind):
    """The animals of several groups are in one: from the last frame apart to the first one together.

    `group` is the number of the first animal of the group in which the animal was before, and the value the number of
    those who came from there with it. Groups and their source are those of `split`.
    """

    unit: ClassVar[str] = "animals"

    @override
    def ended(self, instant: Instant, before: Instant | None) -> Iterator[Span]:
        if before is not None:
            yield from _regrouped("merge", before, instant, instant.group, before.group)


def _regrouped(kind: str, before: Instant, after: Instant, whole: Indices, part: Indices) -> Iterator[Span]:
    """A span for each whole group with animals of several parts, of those who are seen in both frames."""
    both = np.flatnonzero((whole >= 0) & (part >= 0))
    parts = np.unique(np.stack([whole[both], part[both]]), axis=1)
    wholes, number = np.unique(parts[0], return_counts=True)
    for one in wholes[number > 1]:
        animals = both[whole[both] == one]
        _, place, size = np.unique(part[animals], return_inverse=True, return_counts=True)
        rows = zip(animals.tolist(), part[animals].tolist(), size[place].astype(float).tolist(), strict=True)
        yield Span(kind, before.state, after.state, tuple(Participant(*row) for row in rows))


class _Open(NamedTuple):
    """A span that goes on: its frames so far, and the number, the sum and the least of its values."""

    first: State
    last: State
    number: int
    total: float
    least: float


class Lasting(SpanKind):
    """A kind of events that last while something is the case for the same animals."""

    def __init__(self, threshold: float | None) -> None:
        super().__init__(threshold)
        self._open = dict[tuple[Animals, int], _Open]()

    @abstractmethod
    def now(self, instant: Instant, before: Instant | None) -> Iterator[tuple[tuple[Animals, int], float]]:
        """Animals of which it is the case, with the number of the event among theirs, and a value."""

    @abstractmethod
    def value(self, span: _Open) -> float | None:
        """The value of a whole event; None if it is none."""

    @override
    def ended(self, instant: Instant, before: Instant | None) -> Iterator[Span]:
        lasting, self._open = self._open, {}
        for key, value in self.now(instant, before):
            first, _, number, total, least = lasting.pop(
                key, _Open(self.since(instant, before), instant.state, 0, 0.0, np.inf)
            )
            self._open[key] = _Open(first, instant.state, number + 1, total + value, min(least, value))
        yield from self._spans(lasting)

    def since(self, instant: Instant, before: Instant | None) -> State:
        """The first frame of an event that is new."""
        del before
        return instant.state

    @override
    def rest(self) -> Iterator[Span]:
        yield from self._spans(self._open)

    def _spans(self, ended: Mapping[tuple[Animals, int], _Open]) -> Iterator[Span]:
        kind = next(name for name, one in SPAN_KINDS.items() if isinstance(self, one))
        for (animals, _), span in ended.items():
            if (value := self.value(span)) is not None:
                yield Span(kind, span.first, span.last, tuple(Participant(animal, None, value) for animal in animals))


class AnimalTurn(Lasting):
    """An animal turns the same way from frame to frame, by 90 degrees or the threshold that is given, all in all.

    The value is the sum of the angles between successive velocities: in 2D positive to the left, negative to the right.
    In 3D the way is the same while the axis, the cross product of the two, changes by less than 90 degrees. A frame
    without a turn, or at rest, ends it. Such turns are the saccades of C. Schilstra and J. H. van Hateren, Blowfly
    flight and optic flow I, Journal of Experimental Biology 202, 1999, but for their threshold of angular velocity.
    """

    unit: ClassVar[str] = "degrees"
    threshold_unit: ClassVar[str] = "degrees"

    def __init__(self, threshold: float | None) -> None:
        super().__init__(threshold)
        self._axis, self._number = np.zeros((0, 1)), np.zeros(0, np.int64)

    @override
    def now(self, instant: Instant, before: Instant | None) -> Iterator[tuple[tuple[Animals, int], float]]:
        if before is None:
            return
        axis = np.nan_to_num(across(before.velocity, instant.velocity))
        if not len(self._number):
            self._axis, self._number = np.zeros_like(axis), np.zeros(len(axis), np.int64)
        self._number += (axis * self._axis).sum(axis=1) <= 0
        self._axis = axis
        turned = np.nan_to_num(angle(before.velocity, instant.velocity))
        for animal in np.flatnonzero(axis.any(axis=1)).tolist():
            yield ((animal,), int(self._number[animal])), float(turned[animal])

    @override
    def since(self, instant: Instant, before: Instant | None) -> State:
        return (before or instant).state

    @override
    def value(self, span: _Open) -> float | None:
        return span.total if abs(span.total) >= (90.0 if self.threshold is None else self.threshold) else None


class AnimalStop(Lasting):
    """An animal is slower than a tenth of its flock's `max_speed`, or than the threshold that is given.

    The value is its mean speed meanwhile. In recordings of tracks, `max_speed` is the largest speed of any animal.
    Source: D. L. Kramer and R. L. McLaughlin, The behavioral ecology of intermittent locomotion, American Zoologist 41,
    2001 (there pauses).
    """

    unit: ClassVar[str] = "world units per unit of time"
    threshold_unit: ClassVar[str] = "world units per unit of time"

    @override
    def now(self, instant: Instant, before: Instant | None) -> Iterator[tuple[tuple[Animals, int], float]]:
        least = instant.of_animals(
            0.1 * table.max_speed if self.threshold is None else self.threshold for table in instant.state.setup.flock
        )
        speed = length(instant.velocity)
        for animal in np.flatnonzero(speed < least).tolist():
            yield ((animal,), 0), float(speed[animal])

    @override
    def value(self, span: _Open) -> float | None:
        return span.total / span.number


class Crossing(Lasting):
    """Two animals are nearer to each other than a tenth of the perception radius, or the distance that is given.

    The larger radius of the two counts. The value is their least distance. There tracking programs may swap the two: F.
    Romero-Ferrero et al., idtracker.ai: tracking all individuals in small or large collectives of unmarked animals,
    Nature Methods 16, 2019 (there crossings are animals that touch).
    """

    unit: ClassVar[str] = "world units"
    threshold_unit: ClassVar[str] = "world units"

    @override
    def now(self, instant: Instant, before: Instant | None) -> Iterator[tuple[tuple[Animals, int], float]]:
        near = instant.of_animals(
            0.1 * table.perception.radius if self.threshold is None else self.threshold
            for table in instant.state.setup.flock
        )
        if not np.isfinite(near).all():
            raise UsageError("events: with an infinite perception.radius, give the distance of a crossing: crossing=2")
        one, other, distance = instant.pairs(float(near[instant.here].max(initial=0.0)))
        met = np.flatnonzero(distance < np.maximum(near[one], near[other]))
        for at in met[np.lexsort((other[met], one[met]))].tolist():
            yield ((int(one[at]), int(other[at])), 0), float(distance[at])

    @override
    def value(self, span: _Open) -> float | None:
        return span.least


SPAN_KINDS: Mapping[str, type[SpanKind]] = {
    "split": Split,
    "merge": Merge,
    "turn": AnimalTurn,
    "stop": AnimalStop,
    "crossing": Crossing,
}
"""Every kind of events by its name."""


def span_kinds(text: str) -> dict[str, float | None]:
    """The kinds that a text such as all,turn=60 names, with their thresholds where it has some.

    Raises:
        UsageError: there is no such kind, or a threshold is no number in its range.
    """
    found = dict[str, float | None]()
    words = (word.strip() for word in text.split(","))
    for one in chain.from_iterable(SPAN_KINDS if word == "all" else [word] for word in words):
        name, equals, number = one.partition("=")
        if name not in SPAN_KINDS:
            raise UsageError(f"events: there are no events {printable(name)!r}; use {join_words(SPAN_KINDS)}, or all")
        kind, found[name] = SPAN_KINDS[name], None
        if not equals:
            continue
        if not kind.threshold_unit:
            raise UsageError(f"events: {name} has no threshold; split=1.5 is that of both")
        try:
            found[name] = float(number)
        except ValueError:
            found[name] = np.nan
        if not kind.least <= (found[name] or 0.0) <= MAX_NUMBER or found[name] == 0:
            least = f"{kind.least:g} or more" if kind.least else "above 0"
            raise UsageError(f"events: {name}={printable(number)}: must be {least}, in {kind.threshold_unit}")
    return found


def spans(states: Iterable[State], setup: Setup, measured: range, kinds: Mapping[str, float | None]) -> Iterator[Span]:
    """The events of these kinds in the measured frames of a run, in the order in which they end.

    No more than two frames are in memory at a time.

    Args:
        states: of all frames of the run, in their order.
        setup: the tables of the run.
        measured: the numbers of the frames that are measured.
        kinds: names with thresholds, None for those by default.
    """
    tracks, finders = flock_tracks(setup), [SPAN_KINDS[name](threshold) for name, threshold in kinds.items()]
    groups = GroupTracker(kinds.get("split") or 1.5) if {"split", "merge"} & kinds.keys() else None
    before: Instant | None = None
    for state in states:
        if state.frame in measured:
            position, velocity = (
                np.concatenate([track.full(state, name) for track in tracks]) for name in ("position", "velocity")
            )
            instant = Instant(state, position, velocity, np.arange(0))
            if groups:
                instant = replace(instant, group=groups.of(instant))
            yield from _in_order(span for finder in finders for span in finder.ended(instant, before))
            before = instant
    yield from _in_order(span for finder in finders for span in finder.rest())


def _in_order(found: Iterable[Span]) -> list[Span]:
    return sorted(found, key=lambda span: (span.last.frame, [*SPAN_KINDS].index(span.kind), span.members))
