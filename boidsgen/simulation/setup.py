"""Setup: the physical part of a scenario, its events, and the setup in force at each frame.

An event changes keys at a frame, at once or over several frames. Events are validated when the scenario is loaded, and
every setup that they lead through is built then, so that nothing can fail in the middle of a run.

With the entry point `wind = "windy:Wind"` of `boidsgen.rules` a package adds the table `wind`, a class made of `Rule`.

A predator path in mode `position` carries the predators: nothing else moves them. In mode `velocity` it is one of their
rules, the first to be added up. Unless they have a path or their own hunt table, predators hunt the nearest boid.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import getsource
from itertools import compress
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, Self, Union, cast

from pydantic import Field, ValidationError, ValidationInfo, create_model, field_validator
from typing_extensions import override

from boidsgen import system
from boidsgen.errors import MAX_OF_TABLE, ScenarioError, UsageError
from boidsgen.plugins import Family, made_of
from boidsgen.simulation.fields import AnyField
from boidsgen.simulation.geometry import Array, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.obstacles import OBSTACLES, Obstacle, fault
from boidsgen.simulation.rules import flocking, places, pursuit
from boidsgen.simulation.rules.flocking import Alignment, Cohesion, Noise, Separation, Zones
from boidsgen.simulation.rules.pursuit import AnyCurve, Attractor, Flee, Hunt, PreyCenter
from boidsgen.simulation.rules.rule import Rule, RuleFunction, SteeredGroup, rule_of
from boidsgen.simulation.world import Clock, Lifetime, World
from boidsgen.tables import (
    OFF_BY_DEFAULT,
    BoundedText,
    Finite,
    Member,
    NotNegativeOrInfinite,
    OneOrSeveral,
    Positive,
    Table,
    attributes,
    by_name,
    given_keys,
    keys_of,
    replaced,
    tagged,
    value_at,
)

CHANGEABLE = ("flock", "predators", "obstacles", "attractors", "fields", "camera", "time")
"""Tables whose keys an event may set."""
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
    """New values of keys of flock, predators, obstacles, attractors or fields, as in { "flock.cohesion.weight" = 0.0 },
    of azimuth, elevation, zoom, center and distance of the camera, and time.rate."""
    over: Annotated[int, Field(ge=0)] = 0
    """Frames over which numbers move to their new values; 0 = instantly. Camera moves ease in and out."""
    caption: BoundedText | None = None
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
            progress = SetupByFrame(self.model_copy(update={"events": ()}), self.events)
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


class SetupByFrame(Generic[Member]):
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


def refuse_taken(table: type[Table]) -> None:
    """Raise PackageError, naming the rule, when a table has another meaning for the name of a foreign rule."""
    keys = keys_of(table)
    taken = {name for name, rule in FOREIGN.items() if hasattr(table, name) or keys[name].plain is not rule}
    taken |= {key.name for key in keys.values() if key.name != key.attribute}
    FOREIGN.refuse(taken, f"is a key of {table.__name__.lower()} already")


def _rule_fault(name: str, rule: object) -> str:
    return "" if made_of(rule, Rule) else "is not a class made of Rule with a method `desired`"


FOREIGN: Family[type[Rule]] = Family("rules", {}, _rule_fault)
"""The rules of installed packages, by the names of their tables."""
FOREIGN.refuse(dir(Table), "is what every table has already")

OWN_RULES: dict[str, type[Rule]] = by_name(
    *flocking.FLOCKING, *places.PLACE_RULES, *pursuit.PURSUIT_RULES, *flocking.LONE_RULES, Zones
)
"""Our own rules that any group may have, by the names of their tables."""

if TYPE_CHECKING:

    class CommonRules(Table):
        """The rules that any group of animals may have; they are off until their table is written."""

else:

    def _tables(rules: Mapping[str, type[Rule]]) -> dict[str, Any]:
        summary = {name: system.docstring(rule).partition("\n\n")[0] for name, rule in rules.items()}
        return {name: (rule | None, Field(default=None, description=summary[name])) for name, rule in rules.items()}

    CommonRules = create_model("CommonRules", __base__=Table, __module__=__name__, **_tables({**FOREIGN, **OWN_RULES}))


RULES: dict[str, type[Rule]] = {**OWN_RULES, **FOREIGN, "hunt": Hunt, "prey_center": PreyCenter}
"""Every rule that has a table of its own, by its name."""


class Flock(CommonRules, SteeredGroup, Lifetime):
    """Boids of one kind. They flock with their own kind and keep clear of the others."""

    name: BoundedText = "boids"
    """Name in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 50
    """Number of boids. Events may change it: new boids appear at `start`; the last ones are removed first."""
    update: Literal["synchronous", "sequential", "shuffled"] = "synchronous"
    """Synchronous: all boids move at once. Sequential: one after another, each seeing the new positions of the earlier
    ones of its flock; every boid then examines every other one. Shuffled: the same, in each step in another random
    order."""
    moves: Annotated[Literal["in_turn", "together"], OFF_BY_DEFAULT] = "in_turn"
    """In sequential and shuffled updates: each boid moves in its turn; or all turn first, each seeing the new
    velocities of the earlier ones, and then all move together."""
    accumulate: bool = False
    """If true, the acceleration of a boid is never reset to zero and piles up from step to step: a known error of
    published loops."""
    separation: Separation = Separation.default()
    """Move away from neighbors nearer than the radius, of its own kind and all others (Reynolds 1987)."""
    alignment: Alignment = Alignment.default()
    """Match the mean velocity of the neighbors (Reynolds 1987)."""
    cohesion: Cohesion = Cohesion.default()
    """Move toward the center of the neighbors (Reynolds 1987)."""
    flee: Flee = Flee.default()
    """Move away from every predator within the radius, whichever way the boid looks."""

    @property
    def radii(self) -> tuple[float, float]:
        """Radii of perception and of separation, also where separation is off."""
        return self.perception.radius, self.separation.reach(self.perception)[0]

    @property
    @override
    def keeps_drive(self) -> bool:
        return self.accumulate or super().keeps_drive

    @field_validator("update")
    @classmethod
    def _turned_at_once(cls, update: str, info: ValidationInfo) -> str:
        if update != "synchronous" and info.data.get("angular_noise"):
            raise ValueError(f"{update} cannot be combined with angular_noise, which turns all boids at once")
        return update

    @field_validator("moves")
    @classmethod
    def _in_turns(cls, moves: str, info: ValidationInfo) -> str:
        if moves == "together" and info.data.get("update") == "synchronous":
            raise ValueError("together is for update = sequential or shuffled; synchronous boids always move together")
        return moves

    @field_validator("accumulate")
    @classmethod
    def _piled_or_smoothed(cls, accumulate: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  pydantic calls it
        if accumulate and info.data.get("smoothing", 1.0) != 1.0:
            raise ValueError("cannot be combined with smoothing, which lets an acceleration fade")
        return accumulate


refuse_taken(Flock)


def _steered(flock: Flock, rule: object) -> Flock:
    """The flock with a rule that no table of it knows, under the name of its class in snake case.

    Raises:
        UsageError: when it is no rule, or has a name that is taken.
    """
    if not isinstance(rule, Rule):
        raise UsageError(f"rules: {rule!r} is not a rule with its values, as in rules=[Wind(toward=(1.0, 0.0))]")
    (name,), base = by_name(type(rule)), type(flock)
    if name in attributes(base):
        raise UsageError(f"rules: {name} already exists; give the class {type(rule).__name__} another name")
    added: dict[str, Any] = {name: (type(rule) | None, rule)}  # a default, so that no text of a scenario has it
    kind: Any = create_model(Flock.__name__, __base__=base, __module__=__name__, **added)
    return cast("Flock", kind.model_validate(given_keys(flock)))


def own_rules(setup: "Setup") -> dict[str, str]:
    """The names of the rules that a program has added, and their sources."""
    names = ((flock, name) for flock in setup.flock for name in attributes(type(flock)))
    return {name: _source_of_rule(getattr(flock, name)) for flock, name in names if name not in attributes(Flock)}


def _source_of_rule(rule: Rule) -> str:
    """The source of a rule of a program; a line that it is unknown where Python cannot tell."""
    try:
        return type(rule).python or getsource(type(rule))
    except (OSError, TypeError):
        return "its source is not known"


class PredatorNoise(Noise):
    """Random motion of a predator: a new vector every step, each component evenly spread between -1 and 1."""

    weight: Finite = 0.2
    """Factor on the random vector."""


class OnCurve(Table):
    """Animals that a curve may carry along or drive; it is read before any rule, none of which moves who is carried."""

    path: AnyCurve | None = None
    """The curve that carries or drives them."""

    @field_validator("*")
    @classmethod
    def _free_to_move(cls, value: object, info: ValidationInfo) -> object:
        path = info.data.get("path")
        if isinstance(value, Rule) and path is not None and path.mode == "position":
            raise ValueError('has no effect on predators carried along a path; use path mode = "velocity"')
        return value

    @property
    def carried(self) -> bool:
        """True if a path carries them, so that nothing else moves them."""
        return self.path is not None and self.path.mode == "position"


class Predators(CommonRules, SteeredGroup, OnCurve, Lifetime):
    """Predators of one kind. Without path and hunt tables they hunt the nearest boid."""

    name: BoundedText = "predators"
    """Name in the legend and in trajectories."""
    count: Annotated[int, Field(ge=0)] = 1
    """Number of predators. Events may change it, as that of boids."""
    max_speed: Positive = 5.0
    """Highest speed, in world units per unit of time; carried along a path by position, they keep the path's own
    speed."""
    max_force: NotNegativeOrInfinite = 0.3
    """Maximum steering of one rule in the reynolds form in one step, before its weight; inf = no limit."""
    noise: PredatorNoise | None = None
    """Random unrest."""
    hunt: Hunt | None = None
    """Steering toward prey."""
    prey_center: PreyCenter | None = None
    """Pull toward the center of all prey: mean(q) - p."""

    @property
    @override
    def tables(self) -> Mapping[str, Rule | None]:
        """Rules by the names of their tables, the path first; without hunt and path the default hunt."""
        hunt = Hunt() if self.hunt is None and self.path is None else self.hunt
        return {"path": self.path, **super().tables, "hunt": hunt}


refuse_taken(Predators)


ALL_OBSTACLES: Mapping[str, type[Obstacle]] = Family("obstacles", OBSTACLES, fault)
"""Our own obstacles and those of installed packages."""

if TYPE_CHECKING:
    AnyObstacle = Obstacle
else:
    AnyObstacle = Annotated[Union[tuple(ALL_OBSTACLES.values())], tagged()]  # noqa: UP007


class Tracks(Table):
    """Origin of observed animals: a scenario with this table describes a recording, and cannot be simulated."""

    files: tuple[BoundedText, ...]
    """Names of the files with their positions."""
    sha256: BoundedText
    """SHA-256 of the file, or of the SHA-256 digests of several files."""
    options: tuple[BoundedText, ...] = ()
    """Options of `boidsgen tracks` by which they were read."""


class Setup(EventfulSetup):
    """World, animals and obstacles."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    """Random seed: equal seeds give equal flocks."""
    world: World = World.default()
    """World in which everything happens."""
    time: Clock = Clock.default()
    """Duration and time steps."""
    flock: Annotated[tuple[Flock, ...], OneOrSeveral, Field(max_length=MAX_OF_TABLE["flock"])] = (Flock.default(),)
    """The boids: one table, or several for several species."""
    predators: Annotated[tuple[Predators, ...], OneOrSeveral, Field(max_length=MAX_OF_TABLE["predators"])] = ()
    """Hunters, one table per kind."""
    obstacles: Annotated[tuple[AnyObstacle, ...], OneOrSeveral, Field(max_length=MAX_OF_TABLE["obstacles"])] = ()
    """Obstacles that boids steer around."""
    attractors: Annotated[tuple[Attractor, ...], OneOrSeveral, Field(max_length=MAX_OF_TABLE["attractors"])] = ()
    """Points that attract or repel boids."""
    fields: Annotated[tuple[AnyField, ...], OneOrSeveral, Field(max_length=MAX_OF_TABLE["fields"])] = ()
    """Wind, vortices, curl noise and maps, which move animals by their place and the time."""

    tracks: Tracks | None = None
    """Origin of the animals of a recording that `boidsgen tracks` made of observations."""

    @field_validator("flock")
    @classmethod
    def _not_empty(cls, value: tuple[Flock, ...]) -> tuple[Flock, ...]:
        # Not a bound of the type: that one would also complain of a flock that is there but wrong.
        if not value:
            raise ValueError("must have at least 1 entry, not 0")
        return value

    @cached_property
    def most_boids(self) -> tuple[int, ...]:
        """The largest size that each flock has in the run, by its count and the events that change it."""
        return self._most("flock", [flock.count for flock in self.flock])

    @property
    def most_predators(self) -> tuple[int, ...]:
        """The same of each table of predators."""
        return self._most("predators", [predators.count for predators in self.predators])

    def _most(self, table: str, most: list[int]) -> tuple[int, ...]:
        for keys, value in (pair for event in self.events for pair in event.set.items()):
            kind, *which, last = keys.split(".")
            if (kind, last) == (table, "count") and isinstance(value, int):
                number = int(which[0]) if which else 0
                most[number] = max(most[number], value)
        return tuple(most)

    @cached_property
    def pictures(self) -> int:
        """Pictures of the film: the frames, and those between them in slow motion."""
        slow = self.time.rate != 1 or any("time.rate" in event.set for event in self.events)
        timeline, last = Timeline(self), self.time.frames - 1
        return 1 + (sum(timeline.at(frame).time.pictures for frame in range(last)) if slow else last)

    def with_rule(self, rule: Rule | RuleFunction, name: str = "") -> Self:
        """The scenario with a rule of a program, which steers every flock, too: a rule, or a function of the view.

        A function has its own name, or the one that is given.

        Examples:
            >>> from boidsgen import load_scenario, simulate
            >>> windy = load_scenario("quickstart", {"time.frames": 2}).with_rule(lambda view: 0.1 + 0 * view.velocity)
            >>> [*simulate(windy).own_rules]
            ['lambda']
        """
        named = name or getattr(rule, "__name__", "").strip("<>")
        if not isinstance(rule, Rule | type) and callable(rule) and named.isidentifier():
            rule = rule_of(named, rule)
        return self.model_copy(update={"flock": tuple(_steered(flock, rule) for flock in self.flock)})

    def simulates(self, other: "Setup") -> bool:
        """True if the other one is the same but for what is drawn, and for rules that a program has added."""
        names = attributes(Flock).values()
        flocks = [[[getattr(one, name) for name in names] for one in each.flock] for each in (self, other)]
        others = attributes(Setup).keys() - {"flock"}
        return flocks[0] == flocks[1] and all(getattr(self, key) == getattr(other, key) for key in others)

    def has(self, state: "State") -> bool:
        """True if the groups of a state are those of the tables."""
        names = [*(one.name for one in self.flock), *(one.name for one in self.predators)]
        groups, most = (*state.flocks, *state.predators), (*self.most_boids, *self.most_predators)
        return [group.name for group in groups] == names and all(
            len(group.position) <= count and len(group.position.T) == self.world.dimension
            for group, count in zip(groups, most, strict=True)
        )

    @property
    def steps(self) -> int:
        """Steps of the whole run, warm-up included."""
        return self.time.warmup + (self.time.frames - 1) * self.time.steps_per_frame

    @property
    def most_turns(self) -> tuple[int, ...]:
        """Maximum number of boids of each flock that move one after the other."""
        in_turns = (flock.update != "synchronous" for flock in self.flock)
        return tuple(most if turns else 0 for most, turns in zip(self.most_boids, in_turns, strict=True))


class Timeline:
    """Answers with the setup at a frame; the same object as long as nothing changes.

    Events take effect with the frame they name, and obstacles, attractors and fields are those that are there.
    """

    def __init__(self, setup: Setup) -> None:
        self._progress = SetupByFrame(setup, setup.events)
        self._changed = self._shown = setup
        self._there: tuple[list[bool], ...] = ()

    def at(self, frame: float) -> Setup:
        """The setup in force at this frame."""
        changed = self._progress.at(frame)
        tables = {name: getattr(changed, name) for name in ("obstacles", "attractors", "fields")}
        there = tuple([thing.present(frame) for thing in things] for things in tables.values())
        if changed is not self._changed or there != self._there:
            self._changed, self._there, self._shown = changed, there, changed
            if not all(map(all, there)):
                left = {name: (*compress(tables[name], here),) for name, here in zip(tables, there, strict=True)}
                self._shown = changed.model_copy(update=left)
        return self._shown


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The world at one instant.

    Attributes:
        step: steps done since the start, warm-up included.
        time: simulated time since the start.
        frame: number of the frame that shows this state, counted from 0; -1 between frames.
        flocks: one group per [[flock]] table.
        predators: one group per [[predators]] table.
        setup: the scenario's simulation tables in force at this instant.
        share: of the way to the next state, 0 to 1, in a state that slow motion interpolates.
        before: velocities of flocks and predators a frame before the first one, where a warm-up led there.
    """

    step: int
    time: float
    frame: int
    flocks: tuple[Group, ...]
    predators: tuple[Group, ...]
    setup: Setup
    share: float = 0.0
    before: tuple[Array, ...] = ()

    def centered(self, point: Sequence[float]) -> "State":
        """The same animals in a torus that is moved along, until this point, (d,) world units, is in its middle."""
        world = self.setup.world
        by = world.extent / 2 - point

        def moved(group: Group) -> Group:
            return replace(group, position=read_only(world.wrapped(group.position + by)))

        return replace(self, flocks=(*map(moved, self.flocks),), predators=(*map(moved, self.predators),))
