"""Recorded pages: the states of a run, quantized and compressed, for scenarios that a page cannot step."""

import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.setup import Flock, Predators, State
from boidsgen.webpage.look import without_panels

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
        packed = _packed(_table(rows[::every], most, dimension))
    about = {"frames": len(rows), "every": every, "step": step, "groups": groups_known, "things": things}
    return {**about, "dt": shown.time.dt * shown.time.steps_per_frame}, b64encode(packed).decode()


def _present(frames: list[list[int]]) -> Iterator[dict[str, Any]]:
    """Who is there from which frame on: how many, and where some are missing between, their numbers."""
    for at, numbers in enumerate(frames):
        if at == 0 or numbers != frames[at - 1]:
            whole = numbers == list(range(len(numbers)))
            yield {"at": at, "count": len(numbers), "numbers": None if whole else numbers}


def _table(rows: list[list[Recorded]], most: list[int], dimension: int) -> NDArray[np.int32]:
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
