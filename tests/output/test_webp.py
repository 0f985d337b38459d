"""What only an animated WebP promises."""

import struct

import numpy as np
import pytest
from PIL import Image

from boidsgen.errors import ScenarioError
from boidsgen.output.formats import refusals
from boidsgen.output.webp import Webp


def test_a_draft_is_smaller_and_near(write, tmp_path):
    """A draft loses detail, little enough to look alike, and is smaller; the others are exact."""
    from boidsgen import load_scenario
    from boidsgen.drawing import Renderer
    from boidsgen.simulation import simulate

    scenario = load_scenario("murmuration", overrides={"time.frames": 3, "flock.count": 400, "output.size": [320, 180]})
    draw = Renderer(scenario, (320, 180))
    frames = [draw(state) for state in simulate(scenario)]
    drawn = np.array([frame.palette[frame.index] for frame in frames]).astype(int)
    sizes, errors = {}, {}
    for quality in ("draft", "standard", "high"):
        path = tmp_path / f"{quality}.webp"
        write([(path, "webp")], frames, quality=quality)
        sizes[quality] = path.stat().st_size
        errors[quality] = np.abs(np.array(list(Webp.pictures(path))) - drawn).mean()

    assert sizes["draft"] < 0.5 * sizes["standard"]
    assert sizes["high"] <= sizes["standard"]
    assert 0 < errors["draft"] < 6
    assert errors["standard"] == errors["high"] == 0


@pytest.mark.parametrize(("loop", "told"), [(0, 0), (1, 1), (3, 3), (65536, 65535)])
def test_plays_as_often_as_is_said(loop, told, frames, write, tmp_path):
    """How often it plays is what players read, up to what the format can say."""
    write([(tmp_path / "a.webp", "webp")], frames(2, (8, 8)), loop=loop)

    with Image.open(tmp_path / "a.webp") as image:
        assert image.info["loop"] == told


def test_refuses_what_players_slow_down():
    """Delays that browsers lengthen are refused, with what would be right."""
    assert refusals("webp", (8, 8), 90) == []
    assert [key for key, _ in refusals("webp", (16384, 8), 91)] == ["size", "fps"]


def test_crops_begin_at_even_places(frames, write, decode, tmp_path):
    """A single pixel that changes at an odd place changes there and nowhere else."""
    (first,) = frames(1, (9, 7))
    index = first.index.copy()
    index[5, 7] = (index[5, 7] + 1) % 16
    write([(tmp_path / "a.webp", "webp")], [first, type(first)(index, first.palette)])

    read = list(Webp.pictures(tmp_path / "a.webp"))

    assert np.array_equal(read, [first.palette[first.index], first.palette[index]])
    assert np.array_equal(read, decode(tmp_path / "a.webp", (9, 7)))


@pytest.mark.parametrize("kind", [b"ANMF", b"boid"])
def test_a_chunk_that_reaches_too_far_is_damage(kind, frames, write, tmp_path):
    """Sizes that lie are found out, before anything of that size is read."""
    path = tmp_path / "a.webp"
    write([(path, "webp")], frames(3, (8, 8)), provenance="seed = 7")
    content = bytearray(path.read_bytes())
    place = content.index(kind)
    content[place + 4 : place + 8] = struct.pack("<I", 0xFFFFFFF0)
    path.write_bytes(content)

    from boidsgen.output.provenance import origin

    assert Webp.count(path) == 0
    with pytest.raises(ScenarioError, match="is damaged"):
        origin(path, "a.webp")
