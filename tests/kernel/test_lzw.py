"""The image data of GIFs, as the kernel packs it for pages; Pillow decodes it."""

import struct
from ctypes import c_uint8, c_uint32
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from boidsgen.kernel import library

SLOTS = 8192
PATTERNS = {
    "noise": lambda chance, count: chance.integers(0, 256, count),
    "one color": lambda chance, count: np.full(count, chance.integers(0, 256)),
    "ascending": lambda chance, count: np.arange(count) + chance.integers(0, 256),
    "extremes": lambda chance, count: chance.integers(0, 2, count) * 255,
    "runs": lambda chance, count: np.repeat(chance.integers(0, 256, count), chance.integers(1, 90, count))[:count],
}
COUNTS = (*range(1, 5), *range(250, 262), 511, 512, 3837, 3838, 3839, 3840, 4096, 20_000, 65_000)
"""Around the lengths at which blocks are full, codes get wider, and the table is full."""


def packed(pixels, room, lanes):
    """The length that the kernel returns, and the memory that it was given, with 16 bytes behind that it was not."""
    pack = getattr(library.load(library.FOLDER).library, f"pack_{lanes}")
    memory, table = (c_uint8 * (room + 16))(*[170] * (room + 16)), (c_uint32 * SLOTS)()
    length = pack(memory, room, (c_uint8 * len(pixels)).from_buffer_copy(pixels.tobytes()), len(pixels), table, SLOTS)
    return length, bytes(memory)


def decoded(data, count):
    start = struct.pack("<6sHHBBB", b"GIF89a", count, 1, 0xF7, 0, 0) + bytes(range(256)) * 3
    image = Image.open(BytesIO(start + struct.pack("<cHHHHB", b",", 0, 0, count, 1, 0) + data + b";"))
    return np.asarray(image).reshape(-1)


@pytest.mark.parametrize("name", PATTERNS)
def test_pillow_decodes_what_the_kernel_packs(name):
    """Every row of indices comes back, whatever its length, and fits where two bytes a pixel and 16 are."""
    chance, lanes = np.random.default_rng(7), library.load(library.FOLDER).lanes
    for count in COUNTS:
        pixels = (PATTERNS[name](chance, count) % 256).astype(np.uint8)
        length, memory = packed(pixels, 2 * count + 16, lanes)

        assert length <= 2 * count + 16
        assert decoded(memory[:length], count).tolist() == pixels.tolist()


@pytest.mark.parametrize("lanes", library.load(library.FOLDER).available)
@pytest.mark.parametrize("room", [0, 1, 2, 3, 300, 4000])
def test_nothing_is_written_beyond_the_room(room, lanes):
    """With too little room there is the beginning, and the length that it would have taken."""
    pixels = np.random.default_rng(room).integers(0, 256, 5000).astype(np.uint8)
    whole, content = packed(pixels, 10_016, lanes)
    length, memory = packed(pixels, room, lanes)

    assert (length, memory[:room]) == ((whole, content[:room]) if room > 1 else (0, bytes([170]) * room))
    assert memory[room:] == bytes([170]) * 16
