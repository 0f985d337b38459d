"""YUV planes of a frame (yuv420p), as video encoders take them.

One brightness per pixel and two colors per 2 by 2 pixels, their mean, by the formulas of ITU-R BT.709, limited range:
brightness 16 to 235, colors 16 to 240 around 128. Most of a frame stays as it was in the one before, so only changed
blocks are computed again: a tenth of the 3.2 ms that ffmpeg's `scale` takes for a frame of 1280x720.
"""

import numpy as np
from numpy.typing import NDArray

from boidsgen.drawing.frame import Frame

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722
"""Weights of brightness."""

_FRACTION = 4
"""Bits after the point in sums of colors."""
_FIELD = 16
"""Bits for each of two sums that share one number; four colors of 8 bits with their fractions take 14."""
_MEAN = _FRACTION + 2


class Yuv420:
    """The planes of one clip, updated frame by frame; width and height are even."""

    def __init__(self, size: tuple[int, int], *, transparent: bool = False) -> None:
        width, height = size
        blocks = width // 2 * (height // 2)
        self._half = width // 2
        self._before: NDArray[np.unsignedinteger] | None = None
        self._all = np.empty((height * (5 if transparent else 3) // 2, width), np.uint8)
        flat = self._all.reshape(-1)
        self._brightness = flat[: 4 * blocks].view(np.uint16)  # two pixels side by side in one number, as everywhere
        self._blue, self._red = flat[4 * blocks : 5 * blocks], flat[5 * blocks : 6 * blocks]
        self._alpha = flat[6 * blocks :].reshape(-1, width)

    def of(self, frame: Frame) -> NDArray[np.uint8]:
        """Brightness, blue and red planes, and alpha for a transparent clip, one below the other; valid until the next.

        Shape (3 height / 2, width), or (5 height / 2, width) with alpha.
        """
        if self._before is None:
            self._before = self._begin(frame)
        pairs: NDArray[np.unsignedinteger] = frame.index.view(self._before.dtype)
        differs = pairs != self._before
        block = np.flatnonzero(differs[0::2] | differs[1::2])  # of 2 by 2 pixels, by its number
        upper = block + block // self._half * self._half
        lower = upper + self._half
        top, bottom = pairs.reshape(-1)[upper], pairs.reshape(-1)[lower]
        self._brightness[upper] = self._pairs.brightness(top)
        self._brightness[lower] = self._pairs.brightness(bottom)
        self._blue[block], self._red[block] = _means(self._pairs.colors(top) + self._pairs.colors(bottom))
        np.copyto(self._before, pairs)
        if frame.inks is not None:
            frame.inks[:, 3].take(frame.index, out=self._alpha)
        return self._all

    def _begin(self, frame: Frame) -> NDArray[np.unsignedinteger]:
        """Fill the planes with the first color, which is most of the first frame; pairs of its index."""
        palette = frame.palette if frame.inks is None else np.ascontiguousarray(frame.inks[:, :3])
        self._pairs = _BytePairs(palette) if frame.index.itemsize == 1 else _WordPairs(palette)
        pair = np.uint16 if frame.index.itemsize == 1 else np.uint32
        before: NDArray[np.unsignedinteger] = np.zeros(frame.index.shape, frame.index.dtype).view(pair)
        none = before.reshape(-1)[:1]
        self._brightness.fill(self._pairs.brightness(none)[0])
        for plane, color in zip((self._blue, self._red), _means(2 * self._pairs.colors(none)), strict=True):
            plane.fill(color[0])
        return before


def _means(sums: NDArray[np.uint32]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Both colors of blocks, from the sums over their four pixels."""
    return sums >> (_FIELD + _MEAN), (sums & ((1 << _FIELD) - 1)) >> _MEAN


class _WordPairs:
    """Brightness and colors of pairs of two-byte indices, by tables of single indices."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        red, green, blue = palette.T / 255
        light = RED * red + GREEN * green + BLUE * blue
        differences = [(blue - light) / (2 * (1 - BLUE)), (red - light) / (2 * (1 - RED))]
        # 128.5 instead of 128: cutting off the fraction of a mean then rounds it.
        upper, lower = (np.rint((128.5 + 224 * part) * (1 << _FRACTION)).astype(np.uint32) for part in differences)
        self._brightness = np.rint(16 + 219 * light).astype(np.uint8)
        self._colors = (upper << _FIELD) + lower

    def brightness(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
        """Both brightnesses side by side."""
        brightness: NDArray[np.uint16] = self._brightness[pairs.view(np.uint16)].view(np.uint16)
        return brightness

    def colors(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
        """Sums of both colors, blue in the upper field."""
        single = self._colors[pairs.view(np.uint16)]
        sums: NDArray[np.uint32] = single[0::2] + single[1::2]
        return sums


class _BytePairs(_WordPairs):
    """Brightness and colors of pairs of one-byte indices, by tables of all pairs."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        super().__init__(np.pad(palette, ((0, 256 - len(palette)), (0, 0))))
        every = np.arange(1 << 16).astype(np.uint16).view(np.uint8).astype(np.uint16)
        self._light, self._sums = super().brightness(every), super().colors(every)

    def brightness(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
        light: NDArray[np.uint16] = self._light[pairs]
        return light

    def colors(self, pairs: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
        sums: NDArray[np.uint32] = self._sums[pairs]
        return sums
