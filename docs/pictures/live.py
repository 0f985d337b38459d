"""Make the live pages of the site, which are built with it and not stored.

    python docs/pictures/live.py build/site

A document asks for one by `{ data-page="NAME" }` behind a picture, which stands there without JavaScript.
"""

import re
import shlex
import sys
from pathlib import Path

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
    "surroundings": "compare numpy-obstacle numpy-predator numpy-soft-edges --columns 3",
}
"""Commands that make the pages, without their outputs."""


def make(site: Path) -> None:
    """Make every page that a document names."""
    named = {name for text in DOCS.rglob("*.md") for name in re.findall(r'data-page="(\w+)"', text.read_text("utf-8"))}
    folder = site / "live"
    folder.mkdir(exist_ok=True)
    for name in sorted(named):
        if code := run([*shlex.split(COMMANDS[name]), "-q", "-o", str(folder / f"{name}.html")]):
            sys.exit(code)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
