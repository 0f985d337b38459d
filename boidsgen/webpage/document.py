"""The document of a page: all that it needs to step a scenario as numpy does, ready for JSON.

A page has the program of a scenario (`simulation.native`), and of each key the cells that it is written to. They are
found by trying: a key is given another value, and the cells in which the program then differs are those that hold it.
`types.js` beside this module says what the document looks like. Positions and velocities are float64, little-endian,
row by row, in base64.
"""

import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat
from math import isfinite
from operator import eq
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.geometry import Array, Randomness
from boidsgen.simulation.motion import Group
from boidsgen.simulation.native import Program
from boidsgen.simulation.records import UnknownToKernelError, cells_of, number_of, records_in, stream_words
from boidsgen.simulation.rules.places import Arrive
from boidsgen.simulation.rules.rule import SteeredGroup, rules_in
from boidsgen.simulation.run import Stepper, animals, engine_of, neighbor_visits
from boidsgen.simulation.setup import Flock, Predators, Setup, State, Timeline
from boidsgen.simulation.starts import BoxLayout, Center, Disc, Uniform
from boidsgen.tables import Table, attributes, replaced, value_at
from boidsgen.webpage.look import without_panels

PAGE_VERSION = 1  # Of the format
MAX_SEEDS = 8  # Starts that a page has at most
MAX_BOIDS, MAX_VISITS = 50_000, 20_000_000
"""Animals, and neighbors or others where boids move in turn, that a browser looks at for a frame within a second."""
TOO_MANY = "A browser takes too long to draw this many boids."
LATE = "A page cannot place boids of {group} that are added later."
UNCHANGING = "A page cannot change {key}."
UNSUPPORTED = "A page does not support"
"""Reasons why a page is a recording."""
CHANGED = ("flock", "predators", "obstacles", "attractors", "fields")  # Tables whose keys change what happens
MAPS = {"flow", "heights"}  # Content of maps, which a page has in its program alone
PLACED = (Uniform, BoxLayout, Center, Disc)  # Starts by which it places those who come later
TRIED = 0.8125, 1.1875, 0.5, 1.0, 90.0, 1e6
"""Numbers that are tried in the place of another: parts of it, and themselves where there is none."""
_READ = {
    "program": ("attractors_at", "done", "group", "largest", "step"),
    "group": ("carried", "drive", "new_position", "new_velocity", "position", "sequential", "velocity"),
    "attractor": ("cells", "point"),
}
"""Fields of the kernel's records that simulation.js reads or writes by name."""

Cells: TypeAlias = list[tuple[int, int, bool]]
"""Cells that hold a part of a value, the number of the part, and whether it is written as a whole number."""
_Written: TypeAlias = list[tuple[np.uint64, tuple[str, int, bool]]]
"""Parts of values as cells have them, each with its key, its number, and whether it is written as a whole number."""


def document(scenario: Setup, seeds: int = 1) -> dict[str, Any]:
    """All that a page needs to step a scenario that it can compute, ready for JSON.

    Args:
        scenario: its simulation tables count.
        seeds: for how many seeds there is a start, from the scenario's own on; at most MAX_SEEDS.
    """
    told, first, settled = _EncodedModel(_awake(scenario)), scenario.seed, [*_settled(scenario)]
    if any(table.individual for _, table in numbered_groups(scenario)):  # whose factors are those of one seed
        seeds = 1
    streams = [*told.program.streams]
    return {
        "dt": scenario.time.dt,
        "frames": scenario.time.frames,
        "stepsPerFrame": scenario.time.steps_per_frame,
        "world": {"size": scenario.world.size, "periods": scenario.world.periods.tolist()},
        **tables_of(scenario),
        "program": told.packed(),
        "keys": [[key, cells] for key, cells in told.slots(_keys(told.scenario)).items() if cells],
        "settled": settled,
        **told.places(),
        "starts": [_start(scenario, (first + more) % 2**63, streams, told) for more in range(min(seeds, MAX_SEEDS))],
    }


def unable(scenario: Setup) -> tuple[str, dict[str, str]] | None:
    """The part of a scenario that a page cannot compute: a sentence and the values of its places; None without one."""
    looked = neighbor_visits(scenario) / max(1, scenario.steps) * scenario.time.steps_per_frame
    if animals(scenario) > MAX_BOIDS or looked > MAX_VISITS:
        return TOO_MANY, {}
    starting = sorted({0, *(event.at for event in scenario.events if any("start" in key for key in event.set))})
    grows = any(key.endswith(".count") for event in scenario.events for key in event.set)
    for _, table in chain.from_iterable(map(numbered_groups, map(Timeline(scenario).at, starting))):
        if not isinstance(table.start, PLACED) and (table.from_ > 0 or grows):
            return LATE, {"group": table.name}
    try:
        told = _EncodedModel(_awake(scenario))
    except UnknownToKernelError as error:
        return f"{UNSUPPORTED} {error.words}.", {"name": error.name}
    settled = [*_settled(scenario)]
    for key in (key for event in scenario.events for key in event.set if key.split(".")[0] in CHANGED):
        full = numbered(key)
        if full in settled or not ({"count", "start"} & {*full.split(".")[2:3]} or told.slots([full])[full]):
            return UNCHANGING, {"key": key}
    return None


class _EncodedModel:
    """The program of a scenario, as told."""

    def __init__(self, scenario: Setup) -> None:
        self.scenario, self._randomness = scenario, Randomness(scenario.seed)
        self.program, self.cells = self._tell(scenario)

    def _tell(self, scenario: Setup) -> tuple[Program, NDArray[np.uint64]]:
        tables: tuple[Flock | Predators, ...] = (*scenario.predators, *scenario.flock)
        counts = [table.count for table in tables]
        program = Program(scenario, counts, self._randomness)
        for number in range(len(counts)):
            program.stream(*_start_stream(scenario, number))
        for fixed in program.fixed:
            program.stream(*fixed.stream)
        return program, program.memory.cells().view(np.uint64)

    def slots(self, keys: Iterable[str]) -> dict[str, Cells]:
        """The cells that hold the value of each key; none where another value would not show, or not as it is.

        Keys are tried together, but those of two values alone, and those without a value apart: others stand in for it.
        """
        batches, found = dict[str, list[str]](), dict[str, Cells]()
        for key in (keys := [*keys]):
            value = value_at(self.scenario, key.split("."))
            batches.setdefault(key if isinstance(value, bool) else str(value is None), []).append(key)
        for batch in batches.values():
            for attempt in range(len(TRIED) + 1):  # what has not shown has no effect, or was the default
                found |= self._shown([key for key in batch if key not in found], attempt)
        return {key: found.get(key, []) for key in keys}

    def _shown(self, keys: Sequence[str], attempt: int) -> dict[str, Cells]:
        """The cells of those keys whose value of this attempt shows; no cells of those that show it otherwise."""
        scenario, parts = self._with_others(keys, attempt)
        if not parts:
            return {}
        if len(written := dict(parts)) == len(parts):
            _, cells = self._tell(scenario)
            changed = (cells != self.cells).nonzero()[0].tolist() if len(cells) == len(self.cells) else [-1]
            if all(cells[cell] in written for cell in changed):
                found: dict[str, Cells] = {}
                for cell in changed:
                    key, number, is_whole = written[cells[cell]]
                    found.setdefault(key, []).append((cell, number, is_whole))
                return found
            if len(keys) == 1:
                return {keys[0]: []}
        return self._shown(keys[::2], attempt) | self._shown(keys[1::2], attempt) if len(keys) > 1 else {}

    def _with_others(self, keys: Sequence[str], attempt: int) -> tuple[Setup, _Written]:
        """The scenario with other values, and their parts."""
        tables, parts = {name: [*getattr(self.scenario, name)] for name in CHANGED}, _Written()
        for number, key in enumerate(keys):
            name, table, *names = key.split(".")
            value = value_at(one := tables[name][int(table)], names)
            for other in islice(_others(value, self.scenario.world.size, number), attempt, attempt + 1):
                if any(map(eq, flat := [*_flat(other)], _flat(value))):
                    continue  # cells would not all change
                try:
                    tables[name][int(table)] = replaced(one, names, other)
                except (ValidationError, KeyError):
                    continue
                kind = np.float64 if any(isinstance(part, float) for part in flat) else np.int64
                parts += ((kind(part).view(np.uint64), (key, at, kind is np.int64)) for at, part in enumerate(flat))
        return self.scenario.model_copy(update={name: (*some,) for name, some in tables.items()}), parts

    def packed(self) -> str:
        """The program, deflated, in base64, without the random numbers that a page draws itself."""
        cells = self.cells.copy()
        for one in self.program.fixed:
            cells[one.cell : one.cell + one.rows * self.program.counts[one.group]] = 0
        return b64encode(zlib.compress(cells.tobytes(), 9)).decode()

    def places(self) -> dict[str, Any]:
        """The cells of all that a page writes besides keys."""
        kinds, cells = len(self.scenario.predators), self.cells.view(np.float64)
        layouts = {
            name.lower(): cells_of(name) for name in ("Program", "Group", "Term", "Obstacle", "Attractor", "Field")
        }
        (program,) = records_in(cells, "Program", 0)
        groups_at, groups = int(program["groups_at"]), int(program["groups"])
        order = [*range(kinds, groups), *range(kinds)]  # a page has flocks first
        streams, fixed = [*self.program.streams], []
        for one in self.program.fixed:
            group = records_in(cells, "Group", groups_at, groups)[one.group]
            terms = records_in(cells, "Term", int(group["terms_at"]), int(group["terms"]))
            told = (terms["rule"] == number_of("operation", "wander")) & (terms["at"][:, 0] == one.cell)
            term = int(group["terms_at"]) + int(told.nonzero()[0][0]) * layouts["term"]["cells"]
            fixed.append(
                {
                    "group": order.index(one.group),
                    "pointer": term + layouts["term"]["at"],
                    "rows": one.rows,
                    "stream": streams.index(one.stream),
                }
            )
        present = {
            name + "s": [
                int(program[f"{name}s_at"]) + number * layouts[name]["cells"] + layouts[name]["present"]
                for number in range(int(program[f"{name}s"]))
            ]
            for name in ("obstacle", "attractor", "field")
        }
        return {
            "groups": [self._group(number, groups_at + number * layouts["group"]["cells"]) for number in order],
            **present,
            "records": {name: {field: layouts[name][field] for field in fields} for name, fields in _READ.items()},
            "streams": [*self.program.streams.values()],
            "fixed": fixed,
        }

    def _group(self, number: int, record: int) -> dict[str, Any]:
        table = self.program.tables[number]
        rules = table.rules
        fresh = {name for name, rule in rules.items() if rule.chance == "fresh"}
        return {
            "name": table.name,
            "kind": "flock" if isinstance(table, Flock) else "predators",
            "record": record,
            "start": self.program.streams[_start_stream(self.scenario, number)],
            "terms": ["" if name in fresh else name for name in self.program.terms[number]],
        }


def _start_stream(scenario: Setup, number: int) -> tuple[str, int]:
    """The stream by which those of a group are placed, predators before flocks."""
    kinds = len(scenario.predators)
    return ("predator start", number) if number < kinds else ("flock start", number - kinds)


def _others(value: Any, size: Sequence[float], number: int) -> Iterator[Any]:  # noqa: ANN401  of a key
    """Values to try in the place of the one of a key, which are others for each number of a key."""
    little = 1 - number / 2**20
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1 + number, value - 1)
    elif isinstance(value, float):
        yield from (little * (value * part if isfinite(value * part) and value else part) for part in TRIED)
    elif value is None:
        yield from (little * part for part in TRIED)
        # Nowhere near the center, the usual default.
        yield tuple(little * min(size) * (axis + 1) / 8 for axis in range(len(size)))
    elif isinstance(value, tuple) and all(isinstance(part, float) for part in _flat(value)):
        for step in (1 / 1024, max(map(abs, _flat(value)), default=0.0) / 1000):
            yield _moved(value, accumulate(repeat(little * step)))


def _moved(value: Any, steps: Iterator[float]) -> Any:  # noqa: ANN401  a number or vectors
    """Numbers close to those that are given, each moved further than the one before."""
    return tuple(_moved(part, steps) for part in value) if isinstance(value, tuple) else value + next(steps)


def _flat(value: Any) -> Iterator[Any]:  # noqa: ANN401  a number or vectors
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _keys(scenario: Setup) -> Iterator[str]:
    """The dotted keys of the tables whose keys change what happens, with those of perception first."""
    for name in CHANGED:
        for number, table in enumerate(getattr(scenario, name)):
            inner = sorted(_keys_of(table), key=lambda key: not key.startswith("perception."))
            yield from (f"{name}.{number}.{key}" for key in inner)


def _keys_of(table: Table) -> Iterator[str]:
    for key, name in attributes(type(table)).items():
        value = getattr(table, name)
        if isinstance(value, Table) and key != "start":
            yield from (f"{key}.{inner}" for inner in _keys_of(value))
        elif key not in {"name", "count", "start", "from", "until", "kind"} | MAPS and (
            value is not None or key not in rules_in(type(table))
        ):
            yield key


def _awake(scenario: Setup) -> Setup:
    """The scenario with all its rules at work, also those of no weight, whose weight a page may change."""
    for key, table in numbered_groups(scenario):
        for name, rule in table.tables.items():
            if rule is not None and rule.weight == 0:
                scenario = replaced(scenario, (*key.split("."), name, "weight"), 1.0)
    return scenario


def _settled(scenario: Setup) -> Iterator[str]:
    """Keys of the counts of groups that cannot grow: each of their animals has something of its own."""
    for key, table in numbered_groups(scenario):
        arrive = table.tables.get("arrive")
        if table.individual or (isinstance(arrive, Arrive) and arrive.layout):
            yield f"{key}.count"


def numbered_groups(scenario: Setup) -> Iterator[tuple[str, Flock | Predators]]:
    """The groups, flocks first, each with the key of its table."""
    yield from ((f"flock.{number}", table) for number, table in enumerate(scenario.flock))
    yield from ((f"predators.{number}", table) for number, table in enumerate(scenario.predators))


def plain_table(table: Table) -> dict[str, Any]:
    """A table as plain data, with every key but maps; empty for a start by which a page places nobody."""
    keys = table.model_dump(by_alias=True, exclude=MAPS)
    if isinstance(table, SteeredGroup) and not isinstance(table.start, PLACED):
        keys["start"] = {}
    return keys


def tables_of(scenario: Setup) -> dict[str, Any]:
    """The tables before any event, and the events, with which a page knows the values in force in a frame."""
    tables = {name: [plain_table(one) for one in getattr(scenario, name)] for name in CHANGED}
    return {"tables": tables, "events": [*_events(scenario)]}


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
                changes[numbered(key)] = plain_table(changed) if isinstance(changed, Table) else changed
                whole += [numbered(key)] if isinstance(changed, int) else []
        yield {"at": event.at, "over": event.over, "set": changes, "whole": whole}


def _start(scenario: Setup, seed: int, streams: Sequence[tuple[str, int]], told: _EncodedModel) -> dict[str, Any]:
    """The first state for a seed, after warm-up, and the streams of random numbers as they then are."""
    setup = scenario.model_copy(update={"seed": seed})
    stepper = Stepper(engine_of("auto"), setup.world.periods, Randomness(seed))
    state = stepper.opening(setup, Timeline(setup))
    untouched, fixed = Randomness(seed), {one.stream for one in told.program.fixed}
    # What stays the same for the whole run the page draws itself, from the first on.
    drawn = [stream_words((untouched if one in fixed else stepper.randomness).stream(*one)) for one in streams]
    groups = [*map(_animals, (*state.flocks, *state.predators), state.before)]
    return {
        "seed": str(seed),
        "step": state.step,
        "groups": groups,
        "streams": b64encode(np.concatenate(drawn).astype("<u8").tobytes()).decode(),
    }


def _animals(group: Group, before: Array) -> dict[str, Any]:
    return {
        "count": len(group.position),
        "position": _numbers(group.position),
        "velocity": _numbers(group.velocity),
        "drive": None if group.drive is None else _numbers(group.drive),
        "before": None if np.array_equal(before, group.velocity) else _numbers(before, "<f4"),
    }


def _numbers(array: Array, kind: str = "<f8") -> str:
    return b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


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
