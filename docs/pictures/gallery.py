"""Make the gallery anew: every preset as a small moving picture, and the pages that show them.

    python docs/pictures/gallery.py [NAME…]

Without names all presets are rendered. The pages, one a family so that none is heavy, always list them all. Presets
that the readme begins with get a larger picture besides, `docs/pictures/NAME.gif`.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from boidsgen import Scenario, State, load_scenario, presets, render, simulate
from boidsgen.scenario.sources import Preset

HERE = Path(__file__).parent
PAGES = HERE.parent / "gallery"
LARGE = ("murmuration", "trefoil", "hunt", "species", "obstacles", "couzin-torus", "formation", "quickstart")
"""Those on top of the page, wider ones."""

WIDTH, FRAMES, EVERY = 250, 34, 2
"""Pixels, pictures, and frames of the scenario from one picture to the next."""

HEROES = {"trefoil": 500, "murmuration": 330}
"""Those that the readme begins with, and the frame of the scenario at which their pictures begin."""

HERO_WIDTH, HERO_FRAMES = 400, 40
"""Pixels, and pictures; a page has two of these and stays below three megabytes."""

BARE = {"title": "", "overlay.caption": "", "overlay.legend": False}
"""Keys that keep letters out of a picture: those of the readme, and lit ones, whose ground letters would hide."""

SMALLEST = 2.0
"""Pixels of a boid; where it would have less than half of them, a picture is twice as wide, lest a crowd be a blot."""

CROWD = 400
"""Boids beyond which a picture is half as long, since it takes more room; with trails it is three quarters as long."""

FAMILIES = {
    "pygame": "The pygame lesson: “Flocking/Swarm Behavior”",
    "trefoil": "The trefoil in 3D: “Animation using matplotlib and ffmpeg”",
    "numpy": "Three rules in numpy: “Boids: Flocking from Three Rules”",
    "derivation": "The derivation for “a python pygame implementation of the boids algorithm”",
    "p5": "Rules in text, and the p5.js flock: “Boids Flocking Behavior”",
    "concept": "One behavior at a time",
    "couzin": "Four collective states",
    "trap": "Traps",
    "show": "For show",
    "": "Flocks that are often met",
}
"""Headings, by what the names of presets begin with."""


def moving(name: str) -> None:
    """Render a preset small, from the middle of its run, without letters that nobody could read."""
    whole = load_scenario(name)
    crowd = sum(flock.count for flock in whole.flock) > CROWD
    wanted = FRAMES // 2 if crowd else FRAMES * 3 // 4 if whole.style.trails else FRAMES
    frames = min(wanted, whole.time.frames // EVERY)
    tiny = _length(whole) * WIDTH / whole.picture_size[0] < SMALLEST / 2
    width = WIDTH * 2 if tiny else WIDTH * 5 // 4 if name in LARGE else WIDTH
    short = load_scenario(name, overrides=_small(whole, width, frames))
    start = (whole.time.frames - frames * EVERY) // 2
    render(short, HERE / "gallery" / f"{name}.gif", states=_part(whole, start, frames))


def hero(name: str) -> None:
    """Render a preset for the readme, without letters, from where it looks best."""
    whole = load_scenario(name)
    wide = load_scenario(name, overrides={**_small(whole, HERO_WIDTH, HERO_FRAMES), **BARE})
    render(wide, HERE / f"{name}.gif", states=_part(whole, HEROES[name], HERO_FRAMES))


def pages() -> dict[str, str]:
    """The pages by their file names, in Markdown."""
    families = {family: [preset for preset in presets() if _family(preset.name) == family] for family in FAMILIES}
    lines = {preset.name: preset.title for preset in presets()}
    found = {f"{family or 'others'}.md": _page(FAMILIES[family], inside) for family, inside in families.items()}
    rows = (f"- [{FAMILIES[family]}]({family or 'others'}.md): {len(inside)}" for family, inside in families.items())
    large = _grid(_picture(name, lines[name]) for name in LARGE)
    return {"index.md": "\n".join([_HEAD, large, "", "## All families", "", *rows, ""]), **found}


def _small(whole: Scenario, width: int, frames: int) -> dict[str, object]:
    across, down = whole.picture_size
    size = [width, round(down * width / across)]
    small = {"output.size": size, "output.fps": 12.5, "output.format": "gif", "time.frames": frames, "title": ""}
    sized = {} if whole.style.size is None else {"style.size": max(_length(whole) * width / across, SMALLEST)}
    return small | sized | (BARE if whole.style.colors.light else {})


def _length(whole: Scenario) -> float:
    """Length of a boid in the whole picture, in pixels."""
    return whole.style.length(whole.picture_size, 1)


def _part(whole: Scenario, start: int, frames: int) -> Iterator[State]:
    shown = islice(simulate(whole), start, start + frames * EVERY, EVERY)
    # A chart begins with the first picture; captions come where they come in the whole run.
    return (replace(state, frame=number) if whole.overlay.chart else state for number, state in enumerate(shown))


def _family(name: str) -> str:
    if name in LARGE and not name.startswith("couzin"):
        return "show"
    prefix = name.partition("-")[0]
    return prefix if prefix in FAMILIES else ""


def _page(title: str, inside: list[Preset]) -> str:
    return f"# {title}\n\n{_grid(_picture(preset.name, preset.title) for preset in inside)}\n"


def _grid(pictures: Iterable[str]) -> str:
    return '<div class="gallery" markdown>\n\n' + "\n\n".join(pictures) + "\n\n</div>"


def _picture(name: str, line: str) -> str:
    return f"![{name}](../pictures/gallery/{name}.gif){{ loading=lazy }}\n**{name}**: {line}"


_HEAD = """# Gallery

Every preset in motion. `boidsgen render NAME` makes the whole clip, and
`boidsgen new my.toml --from NAME` gives the scenario. Made by `just gallery`.

`boidsgen render NAME -o NAME.html` makes a page that one can touch, as this one: click where a third hawk is to come.

![Two hawks chase the nearest boid](../pictures/gallery/hunt.gif){ data-page="hunt" }
"""


def main() -> None:
    """Render what is named, or everything, and write the page."""
    (HERE / "gallery").mkdir(exist_ok=True)
    for name in sys.argv[1:] or [preset.name for preset in presets()]:
        moving(name)
        if name in HEROES:
            hero(name)
    PAGES.mkdir(exist_ok=True)
    for name, text in pages().items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
