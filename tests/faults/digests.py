"""What every preset looks like, as digests: the golden ones, and how they are made.

`python -m tests.faults.digests` stores them anew, with `--compare` it names those that differ. A change means that
users get other pictures from the same scenario: say so in the changelog.

For every preset there are three digests of its first frames; all three hold on every system and processor:

  bits    of positions and velocities to the last bit.
  states  of positions and velocities rounded to a millionth of a unit: where only `bits` differs, a last bit does.
  frames  of the frames as in `render --json`. Text and antialiased edges come from Pillow and FreeType: this one is
          compared only where their versions are those of the golden ones.
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
    return digests_of(load_scenario(name, SMALLER))


def digests_of(scenario):
    """The digests of a scenario."""
    bits, states = hashlib.sha256(), hashlib.sha256()
    with tempfile.TemporaryDirectory() as directory:
        report = render(scenario, f"{directory}/a.gif", engine="numpy", observe=lambda state: _add(bits, states, state))
    return {"bits": bits.hexdigest(), "states": states.hexdigest(), "frames": report.digest}


def every():
    """The digests of all presets, and with what they were made."""
    return {"about": ABOUT, "drawn with": drawn_with(), "presets": {one.name: digests(one.name) for one in presets()}}


def differences():
    """The presets that differ from the golden ones, each with what differs."""
    golden = json.loads(STORED.read_text())
    ignored = set() if golden["drawn with"] == drawn_with() else {"frames"}
    found = {name: (digests(name), stored) for name, stored in golden["presets"].items()}
    return {
        name: unlike
        for name, (now, stored) in found.items()
        if (unlike := [key for key in stored if now[key] != stored[key] and key not in ignored])
    }


def _add(bits, states, state):
    for group in (*state.flocks, *state.predators):
        for array in (group.position, group.velocity):
            bits.update((array + 0.0).tobytes())  # -0.0 becomes 0.0
            states.update((np.round(array, DECIMALS) + 0.0).tobytes())  # -0.0 becomes 0.0


if __name__ == "__main__":
    if "--compare" in sys.argv:
        sys.exit("\n".join(f"{name}: {', '.join(unlike)}" for name, unlike in differences().items()) or 0)
    STORED.write_text(json.dumps(every(), indent=1) + "\n", newline="\n")
    sys.stdout.write(f"{STORED}\n")
