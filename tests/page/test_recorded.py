"""Recorded pages show the run that was recorded, read back in Node."""

from base64 import b64decode

import numpy as np
import pytest

from boidsgen.webpage import document
from boidsgen.webpage.document import tables_of
from boidsgen.webpage.look import look
from tests.page.browsers import node
from tests.test_joined_edges import JOINED, SIZES, Change, assert_same_places, path_of, seen


@pytest.fixture(scope="module")
def read():
    """A function that reads a recording as pages do."""
    with node("recording") as answer:
        yield answer


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("boundary", JOINED)
def test_recorded_animals_move_along_their_paths(boundary, size, every, read, monkeypatch):
    """Places are those of the paths, straight between recorded frames, and velocities those of the steps nearby."""
    scenario, states = seen(size, boundary, Change(0.37))
    extent = scenario.world.extent
    step = 1e-4
    if every > 1:
        most = len(document.recorded(scenario, states[::every], document.TENTH / step)[1])
        monkeypatch.setattr(document, "MAX_BYTES", most + 100)
    recording, places = document.recorded(scenario, states, document.TENTH / step)
    assert recording["every"] == every

    frames = read(recording=recording, places=places, world=look(scenario)["world"], document=tables_of(scenario))

    path = path_of(states, 0, scenario.world.size)
    rows = np.arange(0, len(path), every)
    for frame, vectors in enumerate(frames):
        position, velocity = (np.frombuffer(b64decode(each)).reshape(-1, len(size)) for each in vectors)
        row = min(frame // every, len(rows) - 2)
        ends, share = path[rows[row : row + 2]], frame / every - row
        assert_same_places(position, ends[0] + share * (ends[1] - ends[0]), extent, 4 * step)
        assert np.abs(velocity - (ends[1] - ends[0]) / every).max() < 0.5
