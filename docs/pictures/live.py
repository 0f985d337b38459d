"""Make the live pages of the site, which are built with it and not stored.

    python docs/pictures/live.py build/site [--all]

A document asks for one by `{ data-page="NAME" }` behind a picture, which stands there without JavaScript. With `--all`
there is one for every preset besides, for the gallery.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from boidsgen import presets
from boidsgen.cli.main import run

DOCS = Path(__file__).parents[1]
COMMANDS = {
    "quickstart": "render quickstart",
    "hunt": "render hunt",
    "forces": "render quickstart --set overlay.focus=13 --set overlay.perception=true --set overlay.neighbors=true",
    "ablation": "compare quickstart --ablate",
    "rules": "compare numpy-canonical --ablate --set style.color_by=heading",
    "characters": "compare numpy-separation numpy-alignment numpy-cohesion --columns 3"
    " --labels '3.0 / 0.5 / 0.5,0.5 / 3.0 / 0.5,0.5 / 0.5 / 3.0'",
    "sliders": "render p5-sliders --set flock.separation.weight=0 --set flock.alignment.weight=0"
    " --set flock.cohesion.weight=0",
    "surroundings": "compare numpy-obstacle numpy-predator numpy-soft-edges --columns 3",
}
"""Commands that make the pages, without their outputs."""


def make(site: Path, names: Iterable[str] = ()) -> None:
    """Make these pages, every one that a document names, and a list of them for the gallery."""
    named = {*names} | {
        name for text in DOCS.rglob("*.md") for name in re.findall(r'data-page="([\w-]+)"', text.read_text("utf-8"))
    }
    folder = site / "live"
    folder.mkdir(exist_ok=True)
    for name in sorted(named):
        command = COMMANDS.get(name, f"render {name}")
        if code := run([*shlex.split(command), "-q", "-o", str(folder / f"{name}.html")]):
            sys.exit(code)
    (folder / "pages.js").write_text(f"const livePages = {json.dumps(sorted(named))};\n", "utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]), [preset.name for preset in presets()] if "--all" in sys.argv else ())
