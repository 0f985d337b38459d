"""The document of a page: all that the engine in JavaScript needs to step a scenario as numpy does, ready for JSON.

`types.js` beside this module says what it looks like. Infinity, which JSON does not know, is the text "inf". Positions
and velocities are float64, little-endian, row by row, in base64.
"""

import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf
from typing import Any, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.engines import NUMPY, animals, neighbor_visits
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.layouts import BoxLayout, Center, Disc, Uniform
from boidsgen.simulation.motion import Group
from boidsgen.simulation.neighbors.sums import Request
from boidsgen.simulation.randomness import Randomness
from boidsgen.simulation.rules.places import Arrive, targets
from boidsgen.simulation.rules.rule import Neighborhood, NeighborRule, Recipe, RecipeRule, Rule, recipe_of, rules_in
from boidsgen.simulation.run import Stepper
from boidsgen.simulation.setup import Flock, Predators, Setup, State, Timeline
from boidsgen.simulation.steering import SteeredGroup
from boidsgen.tables import Table, replaced, value_at
from boidsgen.webpage.look import without_panels

VERSION = 1  # Of the format
MAX_SEEDS = 8  # Starts that a page has at most
MAX_BOIDS, MAX_VISITS = 1_500, 200_000
"""Animals that a browser steps and draws within 40 ms, and neighbors, or others where boids move in turn, that it looks
at for a frame."""
CHANGED = ("flock", "predators", "obstacles", "attractors")  # Tables whose keys change what happens
COUNTERPARTS = {
    *("arrive", "avoid", "evade", "follow_leader", "follow_path", "formation", "home", "hunt", "noise", "path"),
    *("prey_center", "seek", "species", "wander", "zones"),
}
"""Our own rules that the engine of a page knows besides those with a recipe, by the names of their tables."""
KINDS = {
    *("box", "circle", "polygon", "segment"),
    *("open", "reflect", "soft", "teleport", "torus", "wrap"),
}
"""Our own obstacles and boundaries that it knows."""
PLACED = (Uniform, BoxLayout, Center, Disc)  # Starts by which it places those who come later
FRESH = ("noise", "zones", "angular noise")  # Purposes of random numbers that are drawn in every step


class Key(NamedTuple):
    """Stands for the value of a key while a recipe is read."""

    path: str  # the key, as seen from the table of the rule; those of the group's perception begin with `perception.`


def document(scenario: Setup, seeds: int = 1) -> dict[str, Any]:
    """All that a page needs to step a scenario, ready for JSON.

    Args:
        scenario: its simulation tables count.
        seeds: for how many seeds there is a start, from the scenario's own on; at most MAX_SEEDS.
    """
    known = {
        "version": VERSION,
        "dt": scenario.time.dt,
        "frames": scenario.time.frames,
        "stepsPerFrame": scenario.time.steps_per_frame,
        "world": _plain(scenario.world),
        "groups": [_group(table) for table in _groups(scenario)],
    }
    why = unable(scenario)
    if why:
        return {**known, "live": False, "why": why}
    first = scenario.seed
    starts = [_start(scenario, (first + more) % 2**63) for more in range(min(seeds, MAX_SEEDS))]
    tables = {name: [_table(one) for one in getattr(scenario, name)] for name in CHANGED}
    for table, group in zip((*tables["flock"], *tables["predators"]), _groups(scenario), strict=True):
        rule = group.tables.get("arrive")
        if isinstance(rule, Arrive) and rule.layout:
            places = targets(rule.layout, max(group.count, 1), scenario.world.size)
            table["arrive"]["layout"] = {"points": places.tolist()}
    return {**known, "live": True, "why": "", "tables": tables, "events": [*_events(scenario)], "starts": starts}


def unable(scenario: Setup) -> str:
    """The part of a scenario that a page cannot compute, in one sentence; empty if there is nothing."""
    for table in _groups(scenario):
        if table.individual:
            return f"A page does not know the individual differences of {table.name}."
        for name, rule in table.tables.items():
            if rule is not None and not _known(name, rule):
                return f"A page does not know the rule {name} of {table.name}."
    starting = sorted({0, *(event.at for event in scenario.events if any("start" in key for key in event.set))})
    for table in chain.from_iterable(map(_groups, map(Timeline(scenario).at, starting))):
        if not isinstance(table.start, PLACED) and _comes(table, scenario):
            return f"A page cannot place those of {table.name} who come later."
    for what, one in (("the boundary", scenario.world.boundary), *(("obstacles", one) for one in scenario.obstacles)):
        kind = type(one).model_fields["kind"].default
        if kind not in KINDS or not _is_ours(one):
            return f"A page does not know {what} of the kind {kind}."
    looked = neighbor_visits(scenario) / max(1, scenario.steps) * scenario.time.steps_per_frame
    if animals(scenario) > MAX_BOIDS or looked > MAX_VISITS:
        return "A browser takes too long for a frame of so many boids."
    return ""


def _known(name: str, rule: Rule) -> bool:
    return _recipe(type(rule)) is not None or (name in COUNTERPARTS and _is_ours(rule))


def _is_ours(table: Table) -> bool:
    """True for what comes with boidsgen; packages and programs may use the same names."""
    return type(table).__module__.startswith("boidsgen.")


def _groups(scenario: Setup) -> tuple[Flock | Predators, ...]:
    return (*scenario.flock, *scenario.predators)


def _comes(table: Flock | Predators, scenario: Setup) -> bool:
    """True if animals of a table come when the first frame is over."""
    return table.from_ > 0 or any(key.endswith(".count") for event in scenario.events for key in event.set)


def _group(table: Flock | Predators) -> dict[str, Any]:
    """A group by its rules, in the order in which they are added up, whether they are on or not."""
    rules = [
        {
            "name": name,
            "usual": kind.usual_steering,
            "chance": kind.chance,
            "recipe": _recipe(kind),
            "inTurn": issubclass(kind, NeighborRule),
        }
        for name, kind in _kinds(table)
    ]
    given = {name: _plain(rule) for name, rule in table.tables.items() if rule is not None}
    implied = {name: rule for name, rule in given.items() if getattr(table, name) is None}
    kind = "flock" if isinstance(table, Flock) else "predators"
    return {"name": table.name, "kind": kind, "rules": rules, "implied": implied}


def _kinds(table: Flock | Predators) -> Iterator[tuple[str, type[Rule]]]:
    known = rules_in(type(table))
    for name, rule in table.tables.items():
        if name in known or rule is not None:
            yield name, known[name] if rule is None else type(rule)


def _recipe(kind: type[Rule]) -> dict[str, Any] | None:
    """The recipe of a rule with keys in the place of values: {"keys": [...]}, of which the first that is set counts.

    None for a rule without one, or one that does more with the values of its keys than pass them on.
    """
    if not issubclass(kind, RecipeRule):
        return None
    perception: Any = {name: Key(f"perception.{name}") for name in Neighborhood.model_fields}
    every: Any = {name: Key(name) for name in kind.model_fields}
    optional = {name for name, field in kind.model_fields.items() if type(None) in get_args(field.annotation)}
    few = {name: None if name in optional else key for name, key in every.items()}
    around = Neighborhood.model_construct(**perception)
    try:
        both = [recipe_of(kind.model_construct(**keys), around) for keys in (every, few)]
    except TypeError:  # of arithmetic
        return None
    return None if None in both else _merged(both[0], both[1])


def _merged(one: object, other: object) -> Any:  # noqa: ANN401  a part of a recipe, of whatever type it is
    """A part of a recipe, as it is with all keys set, and as it is with the optional ones not set."""
    if isinstance(one, Recipe | Request) and isinstance(other, Recipe | Request):
        return {name: _merged(value, getattr(other, name)) for name, value in one._asdict().items()}
    paths = [value.path for value in dict.fromkeys((one, other)) if isinstance(value, Key)]
    return {"keys": paths} if paths else _plain(one)


def _table(table: Table) -> dict[str, Any]:
    """A table as plain data, with every key; empty for a start by which a page places nobody."""
    keys: dict[str, Any] = _plain(table.model_dump(by_alias=True))
    if isinstance(table, SteeredGroup) and not isinstance(table.start, PLACED):
        keys["start"] = {}
    return keys


def _plain(value: Any) -> Any:  # noqa: ANN401  whatever a table holds
    """A value as JSON has it."""
    if isinstance(value, Table):
        return _table(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return "inf" if value == inf else value


def numbered(key: str) -> str:
    """A dotted key with the number of its table, also where there is only one."""
    name, *rest = key.split(".")
    return key if name not in CHANGED or rest[0].isdecimal() else ".".join((name, "0", *rest))


def _events(scenario: Setup) -> Iterator[dict[str, Any]]:
    """The events in the order of their frames, with complete values, and the number of its table in every key."""
    setup = scenario.model_copy(update={"events": ()})
    for event in sorted(scenario.events, key=lambda event: event.at):
        changes, whole = {}, []
        for key, value in event.set.items():
            keys = key.split(".")
            if keys[0] in CHANGED:
                setup = replaced(setup, keys, value)
                changed = value_at(setup, keys)
                changes[numbered(key)] = _plain(changed)
                whole += [numbered(key)] if isinstance(changed, int) else []
        yield {"at": event.at, "over": event.over, "set": changes, "whole": whole}


def _start(scenario: Setup, seed: int) -> dict[str, Any]:
    """The first state for a seed, after warm-up, and the generators of random numbers as they then are."""
    setup = scenario.model_copy(update={"seed": seed})
    stepper = Stepper(NUMPY, setup.world.periods, Randomness(seed))
    state = stepper.opening(setup, Timeline(setup))
    untouched = Randomness(seed)
    counts = (("", "flock", len(state.flocks)), ("predator ", "predator", len(state.predators)))
    streams = []
    for prefix, kind, count in counts:
        for number in range(count):
            drawn = {purpose: stepper.randomness.stream(prefix + purpose, number) for purpose in FRESH}
            drawn["start"] = stepper.randomness.stream(f"{kind} start", number)
            # These stay the same for the whole run; the page draws them itself, from the first on.
            drawn["wander"] = untouched.stream(f"{prefix}wander", number)
            streams.append({purpose: _generator(one) for purpose, one in drawn.items()})
    groups = [_animals(group) for group in (*state.flocks, *state.predators)]
    return {"seed": str(seed), "step": state.step, "groups": groups, "streams": streams}


def _generator(generator: np.random.Generator) -> tuple[str, str]:
    """State and increment of a PCG64, in hexadecimal digits."""
    known: Any = generator.bit_generator.state["state"]
    return f"{known['state']:x}", f"{known['inc']:x}"


def _animals(group: Group) -> dict[str, Any]:
    drive = None if group.drive is None else _numbers(group.drive)
    count, dimension = group.position.shape
    return {
        "count": count,
        "dimension": dimension,
        "position": _numbers(group.position),
        "velocity": _numbers(group.velocity),
        "drive": drive,
    }


def _numbers(array: Array) -> str:
    return b64encode(np.ascontiguousarray(array, dtype="<f8").tobytes()).decode()


# Recordings: the states of a run, quantized and compressed, for scenarios that a page cannot step

Recorded: TypeAlias = tuple[NDArray[np.intp], NDArray[np.int32]]
"""Numbers of the animals of a group that are there, and their places in steps."""
TENTH = 0.1  # Precision of positions, in pixels of the picture
MAX_BYTES = 20_000_000  # Beyond this many bytes of states only every k-th frame is recorded


def recorded(scenario: Scenario, states: Iterable[State], scale: float) -> tuple[dict[str, Any], str]:
    """States of a run as `recording.js` reads them: their description, and base64 of what is compressed.

    Coordinates are whole multiples of a step, a tenth of a pixel at `scale` pixels per world unit. Of each coordinate
    the second difference in time is kept, as three planes of bytes (zigzag, the lowest byte first), deflated.
    """
    step = TENTH / scale
    rows: list[list[Recorded]] = []
    things: list[dict[str, Any]] = []
    known: object = None
    for state in states:
        groups = (*state.flocks, *state.predators)
        rows.append([(group.numbers, np.rint(group.position / step).astype(np.int32)) for group in groups])
        places = [[*one.place(state.time, state.setup.world)] for one in state.setup.attractors]
        here = (state.setup.obstacles, places)
        if here != known:
            attractors = zip(state.setup.attractors, places, strict=True)
            marks = [{**one.model_dump(), "point": [float(part) for part in place]} for one, place in attractors]
            obstacles = [one.model_dump() for one in state.setup.obstacles]
            things.append({"at": state.frame, "obstacles": obstacles, "attractors": marks})
            known = here
    shown = without_panels(scenario)
    tables: tuple[Flock | Predators, ...] = (*shown.flock, *shown.predators)
    most = [max(int(row[number][0].max(initial=-1)) + 1 for row in rows) for number in range(len(tables))]
    groups_known = [
        {
            "name": table.name,
            "kind": "flock" if number < len(shown.flock) else "predators",
            "most": most[number],
            "present": [*_present([row[number][0].tolist() for row in rows])],
        }
        for number, table in enumerate(tables)
    ]
    dimension = shown.world.dimension
    every, packed = 0, b""
    while not packed or len(packed) * 4 / 3 > MAX_BYTES:
        every += 1
        packed = _packed(_coordinates(rows[::every], most, dimension))
    about = {"frames": len(rows), "every": every, "step": step, "groups": groups_known, "things": things}
    return {**about, "dt": shown.time.dt * shown.time.steps_per_frame}, b64encode(packed).decode()


def _present(frames: list[list[int]]) -> Iterator[dict[str, Any]]:
    """Animals there from each frame on: how many, and where some are missing between, their numbers."""
    for at, numbers in enumerate(frames):
        if at == 0 or numbers != frames[at - 1]:
            whole = numbers == list(range(len(numbers)))
            yield {"at": at, "count": len(numbers), "numbers": None if whole else numbers}


def _coordinates(rows: list[list[Recorded]], most: list[int], dimension: int) -> NDArray[np.int32]:
    """A row of coordinates for each frame; those who are not there stay where they last were."""
    table = np.zeros((len(rows), sum(most) * dimension), np.int32)
    for frame, row in enumerate(rows):
        table[frame] = table[frame - 1] if frame else 0
        first = 0
        for count, (numbers, place) in zip(most, row, strict=True):
            table[frame, first : first + count * dimension].reshape(count, dimension)[numbers] = place
            first += count * dimension
    return table


def _packed(table: NDArray[np.int32]) -> bytes:
    change = np.diff(table, axis=0, prepend=0)
    change[2:] = np.diff(change, axis=0)[1:]
    change = (change << 8) >> 8  # in 24 bits
    zigzag = ((change << 1) ^ (change >> 31)).astype(np.uint32)
    planes = [(zigzag >> shift & 0xFF).astype(np.uint8).tobytes() for shift in (0, 8, 16)]
    return zlib.compress(b"".join(planes), 9)
