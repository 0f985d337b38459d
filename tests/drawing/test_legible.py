"""Texts can be read: what teachers write first, in every theme and at every size, measured on the pixels."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from boidsgen import load_scenario, simulate
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.text import ascent, width
from boidsgen.drawing.themes import THEMES

EVERYDAY = sorted(Path(__file__).with_name("everyday").glob("*.toml"))
LINES = (360, 720, 2160)
FRAME = 12
READABLE = 4.5  # Contrast of text and what is behind it (WCAG 2.2, 1.4.3)
ARROWS = {"v", "s", "a", "c"}  # Letters at the tips of arrows, which may meet
CASES = [
    pytest.param(path, theme, lines, marks=() if lines == 360 else pytest.mark.slow, id=f"{path.stem}-{theme}-{lines}")
    for path in EVERYDAY
    for theme in THEMES
    for lines in LINES
]


def pictures(monkeypatch, scenario):
    """A frame with its texts and with nothing but the ground they stand on, and each text with box and ink."""
    found, plain = [], Canvas.write
    renderer = Renderer(scenario, scenario.picture_size)
    for state in simulate(scenario, "numpy"):
        if state.frame == FRAME:
            break
        renderer.note(state)

    def written(self, text, xy, tone, size, anchor=(0, 0)):
        high, wide = 0.8 * ascent(size), width(text, size)
        left, top = xy[0] - anchor[0] * wide, xy[1] - anchor[1] * 1.3 * ascent(size) + 0.2 * ascent(size)
        if text:
            found.append((text, (left, top, left + wide, top + high), int(tone) // 256 % self._inks._count))
        plain(self, text, xy, tone, size, anchor)

    def bare(self, text, xy, _, size, anchor=(0, 0)):
        plain(self, text, xy, self._inks.tone(0, 0.0), size, anchor)

    shown = []
    for write in (written, bare):
        renderer._ground = None
        monkeypatch.setattr(Canvas, "write", write)
        frame = renderer(state)
        shown.append(frame.full() if frame.full else frame.palette[frame.index])
    return renderer, *shown, found


def luminance(color):
    """Relative luminance of colors from 0 to 255 (WCAG 2.2)."""
    part = np.asarray(color) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(("path", "theme", "lines"), CASES)
def test_every_text_is_whole_and_stands_out(monkeypatch, path, theme, lines):
    """Texts lie in the picture, apart from each other and from a flat world, and stand out from the pixels behind."""
    scenario = load_scenario(path, {"style.theme": theme, "output.size": [lines * 16 // 9 // 2 * 2, lines]})
    renderer, drawn, ground, found = pictures(monkeypatch, scenario)
    size = scenario.picture_size
    ramps = renderer.painter.inks
    words = [(text, box) for text, box, _ in found if text not in ARROWS]

    for text, box in words:
        assert min(box[:2]) >= 0, text
        assert box[2] <= size[0] + 1, text
        assert box[3] <= size[1], text
    for (one, first), (other, second) in combinations(words, 2):
        across = first[0] < second[2] - 1 and second[0] < first[2] - 1
        assert not (across and first[1] < second[3] and second[1] < first[3]), (one, other)
    for text, box, ink in found:
        left, top, right, bottom = (round(side) for side in box)
        region = np.s_[max(top, 0) : bottom, max(left, 0) : right]
        inked = (drawn[region] != ground[region]).any(axis=2)
        if not inked.any() or text in ARROWS:
            continue
        light, behind = luminance(ramps._roles[ink]), np.median(luminance(ground[region][inked]))
        ratio = (max(light, behind) + 0.05) / (min(light, behind) + 0.05)
        assert ratio >= READABLE, (text, round(float(ratio), 2))
