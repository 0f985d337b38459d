"""Proof that a change of the code changed no picture: digests of every preset, for both engines, to the last bit.

`python -m tests.proof` compares every preset at full length with the stored digests; names limit it to some, and
`--frames 6` to the first frames. `--engine numpy` leaves out the kernel. `--store` stores all anew, which is a
decision: users get other pictures from the same scenario, and the changelog says which.

Per preset, with `{frames: digest}` wherever a digest is known for several numbers of frames:

  frames    every frame of a GIF: palette entries, palette, and opacity where there is one.
  yuv       the yuv420p planes of every frame, as the encoder of a film receives them, which has no cross-fade; where
            width and height are even.
  png       the pixels of one still.
  svg, pdf  the shapes of the same still, without the scenario that the file embeds; where the theme has figures.
  opening   the first frames as they are drawn, without the steps before them; of heavy presets, for CI.

Text and antialiased edges come from Pillow and FreeType: pictures are compared only where their versions are the stored
ones. Of states, which hold everywhere, there is `tests.states`.
"""

import argparse
import hashlib
import json
import re
import sys
import tempfile
import time
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image, __version__, features

from boidsgen import load_scenario, simulate, still
from boidsgen.drawing.frame import seamless
from boidsgen.drawing.renderer import Renderer
from boidsgen.errors import BoidsgenError
from boidsgen.output.video import Yuv420
from boidsgen.scenario.sources import presets
from boidsgen.simulation.run import ENGINES
from tests.fallback import numpy_alone

STORED = Path(__file__).with_name("proof.json")
CHECKPOINTS = (6, 24, 96)  # Numbers of frames whose digests are stored besides those of the whole
HEAVY = {"trefoil-as-listed", "murmuration", "murmuration-30000", "vicsek-2004"}
HEAVY |= {"couzin-torus", "couzin-swarm", "couzin-parallel", "couzin-highly-parallel"}  # Reefs, as couzin-informed
"""Those that take many seconds in six frames; CI draws their first ones alone."""
OPENING = 2  # Frames, the second of which comes of a step
STILL = 20  # The frame of the still; the last one where there are fewer


def drawn_with():
    """The versions that decide about pixels."""
    return {"pillow": __version__, "freetype": features.version("freetype2") or ""}


def clip_digests(scenario, engine, most=None):
    """Digests of the pictures of a scenario, with one engine; of the first `most` frames, or all."""
    draw = Renderer(scenario, scenario.picture_size)
    planes = Yuv420(scenario.picture_size) if not any(side % 2 for side in scenario.picture_size) else None
    frames, yuv = Chain(), Chain()

    def filmed(pictures):
        for picture in pictures:
            if planes and (most is None or yuv.count < most):
                yuv.add(planes.of(picture)[: 3 * picture.index.shape[0] // 2])
            yield picture

    states = islice(simulate(scenario, engine), most and most + scenario.seam)  # which holds back as many
    for picture in seamless(filmed(map(draw, states)), scenario.time.frames, scenario.seam, draw.blend):
        frames.add(picture.index, picture.palette, *([] if picture.inks is None else [picture.inks]))
    found = {"frames": frames, "yuv": yuv}
    return {kind: chain.finished(whole=most is None) for kind, chain in found.items() if chain.count}


def opening_digest(name, engine):
    """Digest of the first pictures of a preset that has no steps before them."""
    scenario = load_scenario(name, {"time.warmup": 0})
    draw, opening = Renderer(scenario, scenario.picture_size), Chain()
    for picture in map(draw, islice(simulate(scenario, engine), OPENING)):
        opening.add(picture.index, picture.palette, *([] if picture.inks is None else [picture.inks]))
    return opening.finished(whole=True)


def still_digests(scenario):
    """Digests of one still as PNG, SVG and PDF, as far as there is one."""
    at, found = min(STILL, scenario.time.frames - 1), {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("png", "svg", "pdf"):
            path = Path(folder, f"still.{kind}")
            try:
                still(scenario, path, at=at)
            except BoidsgenError:
                continue
            found[kind] = digest(shown(path))
    return found


def shown(path):
    """The bytes of a picture that decide what is seen."""
    if path.suffix == ".png":
        with Image.open(path) as image:
            return np.asarray(image.convert("RGBA")).tobytes()
    if path.suffix == ".svg":
        return re.sub(rb"<metadata.*?</metadata>", b"", path.read_bytes(), flags=re.DOTALL)
    drawn = re.findall(rb"obj\n(<<(?:(?!EmbeddedFile)[^\n])*>>)\nstream\n(.*?)endstream", path.read_bytes(), re.DOTALL)
    return b"".join(part for stream in drawn for part in stream)


class Chain:
    """A running digest that remembers what it was after some numbers of frames."""

    def __init__(self):
        self.count, self._sum, self._stored = 0, hashlib.sha256(), {}

    def add(self, *arrays):
        """Take in the arrays of one frame."""
        for array in arrays:
            self._sum.update(np.ascontiguousarray(array).tobytes())
        self.count += 1
        if self.count in CHECKPOINTS:
            self._stored[str(self.count)] = self._sum.hexdigest()[:16]

    def finished(self, *, whole):
        """Digests by the number of frames."""
        return self._stored | ({"all": self._sum.hexdigest()[:16]} if whole else {})


def digest(content):
    """Short digest of some bytes."""
    return hashlib.sha256(content).hexdigest()[:16]


def digests(name, engine, most=None):
    """All digests of one preset by one engine."""
    scenario = load_scenario(name)
    with numpy_alone() if engine == "numpy" else nullcontext():
        found = clip_digests(scenario, engine, most) | still_digests(scenario)
        return found | ({"opening": opening_digest(name, engine)} if name in HEAVY else {})


def differences(golden, found, *, drawn_alike):
    """The digests that differ from the stored ones, by name."""
    unlike = []
    for kind, value in found.items() if drawn_alike else ():
        if isinstance(value, dict):
            unlike += [f"{kind} {at}" for at, one in value.items() if golden.get(kind, {}).get(at) != one]
        elif golden.get(kind) != value:
            unlike.append(kind)
    return unlike + [f"no {kind}" for kind in golden if kind not in found]


def main():
    """Compare or store, and name what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.proof", description=__doc__.partition("\n")[0])
    parser.add_argument("presets", nargs="*", default=[one.name for one in presets()])
    parser.add_argument("--frames", type=int, choices=CHECKPOINTS, help="compare the first frames only")
    parser.add_argument("--engine", choices=ENGINES, help="with one engine only")
    parser.add_argument("--store", action="store_true")
    chosen = parser.parse_args()
    engines = [chosen.engine] if chosen.engine else [*ENGINES]
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"presets": {}}
    failed = False
    for name in chosen.presets:
        for engine in engines:
            began = time.monotonic()
            found = digests(name, engine, chosen.frames)
            if chosen.store and engine == engines[0]:
                stored["presets"][name] = found
            alike = chosen.store or stored["drawn with"] == drawn_with()
            unlike = differences(stored["presets"][name], found, drawn_alike=alike)
            failed |= bool(unlike)
            seconds = time.monotonic() - began
            sys.stdout.write(f"{name:28} {engine:6} {seconds:6.1f} s  {', '.join(unlike) or 'the same'}\n")
            sys.stdout.flush()
    if chosen.store:
        STORED.write_text(json.dumps(stored | {"drawn with": drawn_with()}, indent=1) + "\n", newline="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
