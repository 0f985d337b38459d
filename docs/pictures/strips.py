"""Make a page of strips, to be looked at before a release: five frames of every preset, the third at 55 % of its clip.

    python docs/pictures/strips.py [NAME…]

The page is `build/strips/index.html`; without names it has all presets.
"""

import sys
from html import escape
from pathlib import Path

import numpy as np
from PIL import Image

from boidsgen import load_scenario, presets, simulate
from boidsgen.drawing.renderer import Renderer

PAGE = Path("build/strips/index.html")
SHARES = (0.0, 0.3, 0.55, 0.8, 1.0)
"""Frames that are shown, as parts of a clip; 0.55 is that of a poster."""
WIDTH = 320  # Pixels of a frame


def strip(name: str) -> Image.Image:
    """Frames of a preset side by side, from the beginning to the end."""
    scenario = load_scenario(name)
    draw, frames = Renderer(scenario, scenario.picture_size), []
    wanted = {round(share * (scenario.time.frames - 1)) for share in SHARES}
    high = round(scenario.picture_size[1] * WIDTH / scenario.picture_size[0])
    for state in simulate(scenario):
        if state.frame not in wanted:
            draw.note(state)
            continue
        frame = draw(state)
        shown = Image.fromarray(frame.full() if frame.full else frame.palette[frame.index])
        frames.append(np.asarray(shown.resize((WIDTH, high), Image.Resampling.LANCZOS)))
    return Image.fromarray(np.concatenate(frames, axis=1))


def main(names: list[str]) -> None:
    """Write the strips and their page."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        strip(name).save(PAGE.with_name(f"{name}.png"))
    rows = (f'<h2>{escape(name)}</h2>\n<img src="{name}.png" alt="{escape(name)}" loading="lazy">\n' for name in names)
    PAGE.write_text("<!doctype html>\n<title>Strips</title>\n" + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or [one.name for one in presets()])
