"""Golden frames: pictures that were looked at and found good, and the comparison with them.

A golden is one PNG with the frames of a short run below each other. Pictures agree when their root mean square
difference stays below TOLERANCE, which forgives what another version of a library rounds differently and nothing that
an eye would see. `pytest tests/drawing --store-goldens` stores all of them anew.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

TOLERANCE = 1.5
"""Root mean square of the differences, in steps of 0 to 255; a boid that is missing makes more."""


@dataclass(frozen=True)
class Goldens:
    """The stored pictures.

    Attributes:
        folder: where they are.
        storing: whether to store pictures rather than compare them.
        failures: folder for pictures that differ.
    """

    folder: Path
    storing: bool
    failures: Path

    def check(self, name, frames):
        """Compare frames with the golden of this name, or store them as such."""
        path = self.folder / f"{name}.png"
        drawn = _picture(frames)
        if self.storing:
            self.folder.mkdir(exist_ok=True)
            drawn.save(path, optimize=True)
            return
        assert path.exists(), f"no golden {path.name}; look at the picture and store it with --store-goldens"
        with Image.open(path) as stored:
            off = difference(stored, drawn)
        if off > TOLERANCE:
            drawn.save(self.failures / path.name)
        assert off <= TOLERANCE, f"{name} differs from its golden {path} by {off:.2f}: {self.failures / path.name}"


def difference(one, other):
    """Root mean square of the differences of two images; infinite when their sizes differ."""
    a, b = (np.asarray(image.convert("RGB")).astype(float) for image in (one, other))
    return float(np.sqrt(((a - b) ** 2).mean())) if a.shape == b.shape else float("inf")


def _picture(frames):
    """The frames below each other, in indexed color where entries have one byte."""
    index = np.vstack([frame.index for frame in frames])
    if index.dtype != np.uint8:
        return Image.fromarray(frames[0].palette[index])
    image = Image.new("P", index.shape[::-1])
    image.frombytes(index.tobytes())
    image.putpalette(frames[0].palette.tobytes())
    return image
