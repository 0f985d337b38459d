"""Frame: one finished picture, as drawing hands it to the writers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture in indexed color; all frames of one run share one palette, so that no format has to guess colors.

    Attributes:
        index: (height, width) uint8, C-contiguous; the palette entry of each pixel, counted from the top left.
        palette: (colors, 3) uint8, at most 255 colors; red, green, blue of each entry. Entry 255 stays free, so that a
            format may use it for "unchanged".
    """

    index: NDArray[np.uint8]
    palette: NDArray[np.uint8]
