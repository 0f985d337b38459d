"""Crowd: how much animal lies on every pixel, and whose color it has.

Every animal adds its coverage times its strength to the pixels that it touches; a tone curve makes levels of the sums.
All are whole numbers, and sums do not depend on the order. Where animals have different colors, a pixel shows the color
of the one that covers at least half of it and is nearest to the viewer; this is a maximum, and does not depend on the
order either. Places are pixels of a canvas with a margin, as in `canvas`.
"""

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from boidsgen.drawing.dither import grain
from boidsgen.drawing.pixels import FINE, Box
from boidsgen.drawing.sprites import Sprites
from boidsgen.drawing.strokes import Trace
from boidsgen.simulation.geometry import Array

STRENGTHS = 255
"""Strength of what is not faded, as a whole number."""
HUES = 16
"""Colors that can be told apart."""
NEAREST = 2047
"""What is nearest, as a whole number; 0 is farthest."""
COVERED = 1 << 15
"""Added where at least half of a pixel is covered."""
SIDE = 32
"""Bits for each of two sums in one number."""
SHIFT = 10
"""By so many bits coverage times strength is more than what an animal adds, less than FULL."""

Integers = NDArray[np.intp]
Coverage = NDArray[np.uint8]
Sums = NDArray[np.unsignedinteger]
"""What is added up in pixels; see `Hues`."""
Front = NDArray[np.uint16]
"""What is seen in front: COVERED, nearness and hue together."""


def front(depth: Array, hue: Integers) -> Front:
    """Nearness and hue of animals at depths from 0, near, to 1, shape (n,)."""
    nearness = np.rint((1.0 - np.minimum(np.maximum(depth, 0.0), 1.0)) * NEAREST).astype(np.uint16)
    return nearness * np.uint16(HUES) + hue.astype(np.uint16)


def whole(strength: Array) -> NDArray[np.uint16]:
    """Strengths from 0 to 1 as whole numbers."""
    return np.rint(strength * STRENGTHS).astype(np.uint16)


class Development(NamedTuple):
    """What is to become levels.

    Attributes:
        sums: of the planes, which have a margin round the picture.
        margin: its width, in pixels.
        box: rows and columns of the picture in which there may be somebody.
        curve: the level of each sum, in steps of 1 / FINE.
        grain: (height, width) what is added to these steps before they are cut to levels.
        levels: (height, width) where the levels are written.
    """

    sums: Sums
    margin: int
    box: Box
    curve: Coverage
    grain: Coverage
    levels: Coverage

    @property
    def shifted(self) -> Box:
        """The same box in the planes."""
        rows, columns = (slice(part.start + self.margin, part.stop + self.margin) for part in self.box)
        return rows, columns


class Crowd:
    """The animals of one picture."""

    def __init__(self, size: tuple[int, int], margin: int, curve: NDArray[np.uint8], hues: "Hues") -> None:
        self._size, self._margin, self._curve = size, margin, curve
        columns, rows = size[0] + 2 * margin, size[1] + 2 * margin
        self._sums = np.zeros((rows, columns), hues.kind)
        self._hues = hues
        hues.begin((rows, columns))
        self._levels = np.zeros((size[1], size[0]), np.uint8)
        self._grain = grain(size, FINE)
        self._used = _Rectangle()
        self._seen: NDArray[np.uint16] | None = None

    def begin(self) -> None:
        """Start over with nobody."""
        self._levels[self.box] = 0
        self._hues.clear(self._sums, self._used.slices)
        self._used = _Rectangle()

    def stamp(
        self, sprites: Sprites, number: Integers, pixel: Integers, strength: NDArray[np.uint16], front: Front
    ) -> None:
        """Add a sprite at each flat pixel, with a strength and a front for each, shape (n,)."""
        self._hues.stamp(self._sums.reshape(-1), sprites, number, pixel, strength, front)
        self._use(pixel, self._margin // 2)

    def trace(self, trace: Trace, strength: NDArray[np.uint16], front: Front) -> None:
        """Add lines whose pixels are known, with a strength and a front for each."""
        if len(trace.flat):
            self._use_rows(*self._hues.trace(self._sums.reshape(-1), trace, strength, front))

    def crop(self, window: Array) -> None:
        """Take away what lies outside a window: left and top, right and bottom, shape (2, 2)."""
        left, top, right, bottom = (round(side) for side in window.ravel().tolist())
        if (left, top, right, bottom) != (0, 0, *self._size):
            begin = self._margin
            for outside in (np.s_[: top + begin], np.s_[bottom + begin :]):
                self._sums[outside] = 0
            for outside in (np.s_[: left + begin], np.s_[right + begin :]):
                self._sums[:, outside] = 0

    @property
    def box(self) -> tuple[slice, slice]:
        """The rows and columns of the picture in which there may be somebody."""
        rows, columns = self._used.inner(self._margin)
        return slice(*rows.indices(self._size[1])[:2]), slice(*columns.indices(self._size[0])[:2])

    def levels(self) -> NDArray[np.uint8]:
        """The level of every pixel, (height, width)."""
        self._seen = self._hues.develop(self._development())
        return self._levels

    def add_to(self, codes: NDArray[np.uint16], hues: int, step: int) -> None:
        """Add everybody to codes, (height, width): levels, each in so many hues, which are so many codes apart."""
        self._hues.add_to(codes, self._development(), hues, step)

    def hues(self) -> NDArray[np.uint16] | None:
        """The hue of every pixel in the box, any hue where nobody is; None where there is but one.

        Only after `levels`, as somebody is looked for once.
        """
        return self._seen

    def _development(self) -> Development:
        return Development(self._sums, self._margin, self.box, self._curve, self._grain, self._levels)

    def _use(self, flat: Integers, reach: int) -> None:
        """Note which part of the planes is no longer empty: all that is so near to these flat pixels."""
        if len(flat):
            columns = self._sums.shape[1]
            row = flat // columns
            column = flat - row * columns
            ends = [(int(each.min()) - reach, int(each.max()) + reach + 1) for each in (row, column)]
            self._used = self._used.joined(*ends)

    def _use_rows(self, first: int, last: int) -> None:
        """The same for all columns in the rows from one flat pixel to another."""
        columns = self._sums.shape[1]
        self._used = self._used.joined((first // columns, last // columns + 1), (0, columns))


def _remaining(count: NDArray[np.uint16]) -> list[int]:
    """How many of these are above 0, above 1, and so on, as long as there are any."""
    exactly = np.bincount(count)
    left: list[int] = (len(count) - np.cumsum(exactly)[:-1]).tolist()
    return left


class Hues:
    """The one hue that all animals have, and how animals are added up in flat sums."""

    kind: ClassVar[type[np.unsignedinteger]] = np.uint32
    """Of what is added up in every pixel."""

    def begin(self, shape: tuple[int, int]) -> None:
        """Make planes of this shape."""
        del shape

    def clear(self, sums: Sums, box: Box) -> None:
        """Start over in a box, outside which there is nobody."""
        sums[box] = 0

    def stamp(
        self,
        sums: Sums,
        sprites: Sprites,
        number: Integers,
        pixel: Integers,
        strength: NDArray[np.uint16],
        front: Front,
    ) -> None:
        """Add a sprite at each flat pixel."""
        count = sprites.count[number].astype(np.uint16)
        order = np.argsort(~count, kind="stable")
        entry, place, strength, front = sprites.first[number[order]], pixel[order], strength[order], front[order]
        # One pixel of each sprite after the other, as long as any has one left: less to look up than all at once.
        for left in _remaining(count):
            some = slice(0, left)
            flat = place[some] + sprites.offset[entry[some]]
            self._add(sums, flat, sprites.coverage[entry[some]], strength[some], front[some])
            entry[some] += 1

    def trace(self, sums: Sums, trace: Trace, strength: NDArray[np.uint16], front: Front) -> tuple[int, int]:
        """Add lines, and tell the first and the last of their pixels; there is at least one."""
        self._add(sums, trace.flat, trace.coverage, strength[trace.line], front[trace.line])
        return int(trace.flat.min()), int(trace.flat.max())

    def develop(self, of: Development) -> NDArray[np.uint16] | None:
        """Write the levels in the box, and give the hues there."""
        chosen = np.ascontiguousarray(of.sums[of.shifted])
        somebody = np.flatnonzero((chosen != 0).reshape(-1))
        found = chosen.reshape(-1).take(somebody)
        dither = np.ascontiguousarray(of.grain[of.box]).reshape(-1).take(somebody)
        fine = of.curve.take(self._thickness(found), mode="clip")
        fine += dither
        fine //= np.uint8(FINE)
        here = np.zeros(chosen.shape, np.uint8)
        here.reshape(-1)[somebody] = fine
        of.levels[of.box] = here
        return self._seen(of.shifted, somebody, found, dither)

    def add_to(self, codes: NDArray[np.uint16], of: Development, hues: int, step: int) -> None:
        """Add the levels in the box to codes, each in so many hues, which are so many codes apart."""
        seen = self.develop(of)
        bodies = of.levels[of.box] * np.uint16(hues)
        if seen is not None:
            bodies += seen
        bodies *= np.uint16(step)
        codes[of.box] += bodies

    def _add(self, sums: Sums, flat: Integers, coverage: Coverage, strength: NDArray[np.uint16], front: Front) -> None:
        """Add pixels, each of an animal with this strength and this front."""
        thickness = (coverage * strength >> np.uint16(SHIFT)).astype(self.kind)
        np.add.at(sums, flat, self._weighed(thickness, front))

    def _weighed(self, thickness: Sums, front: Front) -> Sums:
        """What an animal with this front adds where it adds so much thickness."""
        del front
        return thickness

    def _thickness(self, sums: Sums) -> Sums:
        """The thickness in sums of that."""
        return sums

    def _seen(
        self, box: tuple[slice, slice], somebody: Integers, sums: Sums, dither: NDArray[np.uint8]
    ) -> NDArray[np.uint16] | None:
        """The hues in a box of the planes; where in it somebody is, with which sums and which dither."""
        del box, somebody, sums, dither
        return None


class FrontHues(Hues):
    """Hues that cannot be mixed: that of the nearest animal which covers at least half of a pixel."""

    @override
    def begin(self, shape: tuple[int, int]) -> None:
        self._front = np.zeros(shape, np.uint16)

    @override
    def clear(self, sums: Sums, box: Box) -> None:
        super().clear(sums, box)
        self._front[box] = 0

    @override
    def _add(self, sums: Sums, flat: Integers, coverage: Coverage, strength: NDArray[np.uint16], front: Front) -> None:
        super()._add(sums, flat, coverage, strength, front)
        covered = (coverage >= 128) * np.uint16(COVERED)
        np.maximum.at(self._front.reshape(-1), flat, front | covered)

    @override
    def _seen(
        self, box: tuple[slice, slice], somebody: Integers, sums: Sums, dither: NDArray[np.uint8]
    ) -> NDArray[np.uint16]:
        return self._front[box] & np.uint16(HUES - 1)


class MixedHues(Hues):
    """Hues of a ramp: the mean of all animals on a pixel, each by what it adds.

    Thickness and hue times thickness are added up side by side in one number.
    """

    kind: ClassVar[type[np.unsignedinteger]] = np.uint64

    @override
    def _weighed(self, thickness: Sums, front: Front) -> Sums:
        weight = np.uint64(1 << SIDE) + (front & np.uint16(HUES - 1))
        weighed: Sums = thickness * weight
        return weighed

    @override
    def _thickness(self, sums: Sums) -> Sums:
        thickness: Sums = sums >> np.uint64(SIDE)
        return thickness

    @override
    def _seen(
        self, box: tuple[slice, slice], somebody: Integers, sums: Sums, dither: NDArray[np.uint8]
    ) -> NDArray[np.uint16]:
        # Few pixels of the box are covered, and of the others no hue is asked.
        mean = (sums & np.uint64((1 << SIDE) - 1)).astype(np.float32)
        mean /= self._thickness(sums).astype(np.float32)
        mean += dither * np.float32(0.5 / FINE) + np.float32(0.25)
        rows, columns = box
        hues = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint16)
        hues.reshape(-1)[somebody] = mean.astype(np.uint16)
        return hues


class _Rectangle(NamedTuple):
    """Rows and columns from the first on, without the last; empty as long as nothing is joined."""

    top: int = 0
    bottom: int = 0
    left: int = 0
    right: int = 0

    def joined(self, rows: tuple[int, int], columns: tuple[int, int]) -> "_Rectangle":
        """The smallest one round this and another."""
        if self.top == self.bottom:
            return _Rectangle(max(rows[0], 0), rows[1], max(columns[0], 0), columns[1])
        top, left = (max(min(one, other), 0) for one, other in ((self.top, rows[0]), (self.left, columns[0])))
        return _Rectangle(top, max(self.bottom, rows[1]), left, max(self.right, columns[1]))

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def inner(self, margin: int) -> tuple[slice, slice]:
        """The same without a margin at the top and the left."""
        top, bottom, left, right = (max(side - margin, 0) for side in self)
        return slice(top, bottom), slice(left, right)
