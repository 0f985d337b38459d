"""Planes: a picture as video encoders want it, yuv420p: brightness of every pixel, two colors per two by two pixels.

The formulas are those of ITU-R BT.709, limited range: brightness 16 to 235, colors 16 to 240 around 128. The color of
two by two pixels is the mean of theirs.

Most of a picture stays as it was in the frame before, so that only the pixels that changed are worked out again. ffmpeg
could do all of it (its `scale`), anew for every frame: at 1280x720 that took it 3.2 ms a frame of the time in which the
other core should simulate and draw; this takes a tenth.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722
"""Share of each in brightness."""

_FRACTION = 4
"""Bits behind the point in sums of colors."""
_FIELD = 16
"""Bits for each of two sums that are kept in one number; four colors of 8 bits and their fraction take 14."""


class Planes:
    """The planes of one clip, brought up to date frame by frame; width and height are even."""

    def __init__(self, size: tuple[int, int]) -> None:
        width, height = size
        blocks = width // 2 * (height // 2)
        self._half = width // 2
        self._before: NDArray[np.unsignedinteger] = np.zeros((height, self._half), np.uint16)
        self._begun = False
        self._all = np.empty(6 * blocks, np.uint8)
        self._brightness = self._all[: 4 * blocks].view(np.uint16)
        self._blue, self._red = self._all[4 * blocks : 5 * blocks], self._all[5 * blocks :]
        brightness, (blue, red) = self._all[: 4 * blocks], (self._blue, self._red)
        half = height // 2, width // 2
        self._planes = brightness.reshape(height, width), blue.reshape(half), red.reshape(half)
        self._recolor: Callable[..., None] | None = None

    def of(self, frame: Frame) -> bytes:
        """All of the picture: brightness, blue difference, red difference, each row by row from the top left."""
        if not self._begun:
            self._begin(frame)
        # Two pixels side by side in one number.
        pairs: NDArray[np.unsignedinteger] = frame.index.view(self._before.dtype)
        if self._recolor:
            self._recolor(np.require(pairs, requirements=["C", "A"]), self._before, self._pairs.tables, self._planes)
        else:
            self._update(pairs)
        return self._all.tobytes()

    def _begin(self, frame: Frame) -> None:
        """An empty picture: nothing but the first color, as which most of the first frame is."""
        palette = frame.palette if frame.inks is None else np.ascontiguousarray(frame.inks[:, :3])
        self._pairs = _BytePairs(palette) if frame.index.itemsize == 1 else _WordPairs(palette)
        self._before = self._before.astype(np.uint16 if frame.index.itemsize == 1 else np.uint32)
        none = np.zeros(1, self._before.dtype)
        self._brightness.fill(self._pairs.brightness(none)[0])
        blue, red = _means(2 * self._pairs.colors(none))
        self._blue.fill(blue[0])
        self._red.fill(red[0])
        self._begun = True
        if frame.index.itemsize > 1:
            from boidsgen.drawing.quickness import compiled_frames  # noqa: PLC0415  who only checks writes no film

            compiled = compiled_frames()
            self._recolor = compiled.recolor if compiled else None

    def _update(self, pairs: NDArray[np.unsignedinteger]) -> None:
        """Bring blocks in which a pair is another than before up to date."""
        differs = pairs != self._before
        self._work_out(pairs.reshape(-1), np.flatnonzero(differs[0::2] | differs[1::2]))
        np.copyto(self._before, pairs)

    def _work_out(self, pairs: NDArray[np.unsignedinteger], block: NDArray[np.intp]) -> None:
        """Bring blocks of 2 by 2 pixels, given by their numbers, up to date."""
        upper = block + block // self._half * self._half
        lower = upper + self._half
        top, bottom = pairs[upper], pairs[lower]
        self._brightness[upper] = self._pairs.brightness(top)
        self._brightness[lower] = self._pairs.brightness(bottom)
        self._blue[block], self._red[block] = _means(self._pairs.colors(top) + self._pairs.colors(bottom))


def _means(sums: NDArray[np.uint32]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Both colors of blocks, by the sums over their four pixels."""
    shift = _FRACTION + 2
    return sums >> (_FIELD + shift), (sums & ((1 << _FIELD) - 1)) >> shift


class _BytePairs:
    """What pairs of entries of one byte amount to, by tables of all pairs."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        self.tables = brightness, colors = _tables(np.pad(palette, ((0, 256 - len(palette)), (0, 0))))
        pair = np.arange(1 << 16).astype(np.uint16).view(np.uint8).reshape(-1, 2)
        self._brightness = brightness[pair].view(np.uint16).reshape(-1)
        self._colors = colors[pair].sum(axis=1).astype(np.uint32)

    def brightness(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
        """Both brightnesses side by side."""
        brightness: NDArray[np.uint16] = self._brightness[pairs]
        return brightness

    def colors(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
        """The sums of both colors, blue in the upper field."""
        sums: NDArray[np.uint32] = self._colors[pairs]
        return sums


class _WordPairs:
    """The same for entries of two bytes, by tables of single entries."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        self.tables = _tables(palette)
        self._brightness, self._colors = self.tables

    def brightness(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
        """Both brightnesses side by side."""
        brightness: NDArray[np.uint16] = self._brightness[pairs.view(np.uint16)].view(np.uint16)
        return brightness

    def colors(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
        """The sums of both colors, blue in the upper field."""
        single = self._colors[pairs.view(np.uint16)]
        sums: NDArray[np.uint32] = single[0::2] + single[1::2]
        return sums


def _tables(palette: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """For every entry: its brightness, and both colors, blue in the upper field.

    A half is in every color, so that cutting off the fraction of a mean rounds it.
    """
    red, green, blue = palette.T / 255
    light = RED * red + GREEN * green + BLUE * blue
    differences = [(blue - light) / (2 * (1 - BLUE)), (red - light) / (2 * (1 - RED))]
    upper, lower = (np.rint((128.5 + 224 * part) * (1 << _FRACTION)).astype(np.uint32) for part in differences)
    return np.rint(16 + 219 * light).astype(np.uint8), (upper << _FIELD) + lower
