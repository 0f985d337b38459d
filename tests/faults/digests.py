"""What every preset looks like, as digests: the golden ones, and how they are made.

`python -m tests.faults.digests` stores them anew. A change means that users get other pictures from the same scenario:
say so in the changelog.

For every preset there are two digests of its first frames:

  states  of positions and velocities rounded to a millionth of a unit. Machines differ in the last bits of sin, cos and
          sums (numpy picks instructions by the processor), which in so few steps stays far below that; so this one
          holds on every machine.
  frames  of the frames as in `render --json`. They are drawn from places rounded to a quarter of a pixel, which
          forgives last bits as well, but text and antialiased edges come from Pillow and FreeType: this one is compared
          only where their versions are those of the golden ones.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import __version__, features

from boidsgen import load_scenario, render
from boidsgen.scenario.sources import presets

STORED = Path(__file__).with_name("digests.json")
ABOUT = (
    "Digests of the presets; a change needs a line in CHANGELOG.md. python -m tests.faults.digests stores them anew."
)
FRAMES = 6
DECIMALS = 6
SMALLER = {"time.frames": FRAMES, "time.warmup": 0, "output.format": "gif", "output.fps": 25}
"""What is set in every preset, so that it is quick."""


def drawn_with():
    """The versions that decide about pixels."""
    return {"pillow": __version__, "freetype": features.version("freetype2") or ""}


def digests(name):
    """The digests of one preset."""
    states = hashlib.sha256()
    with tempfile.TemporaryDirectory() as directory:
        scenario = load_scenario(name, SMALLER)
        report = render(scenario, f"{directory}/a.gif", engine="numpy", observe=lambda state: _add(states, state))
    return {"states": states.hexdigest(), "frames": report.digest}


def every():
    """The digests of all presets, and with what they were made."""
    return {"about": ABOUT, "drawn with": drawn_with(), "presets": {one.name: digests(one.name) for one in presets()}}


def _add(states, state):
    for group in (*state.flocks, *state.predators):
        for array in (group.position, group.velocity):
            states.update((np.round(array, DECIMALS) + 0.0).tobytes())  # -0.0 becomes 0.0


if __name__ == "__main__":
    STORED.write_text(json.dumps(every(), indent=1) + "\n")
    sys.stdout.write(f"{STORED}\n")
