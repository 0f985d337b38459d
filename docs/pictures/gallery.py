"""Make the page of the gallery, and render its pictures: every preset as a small moving picture.

    python docs/pictures/gallery.py [NAME… | all]

Without names only the page is made. Presets that the readme and the site begin with get another picture besides,
`docs/pictures/NAME.gif` or, as wide as a page, `docs/pictures/NAME.webp`.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path

from boidsgen import Scenario, State, load_scenario, presets, render, simulate
from boidsgen.scenario.reference import KeyDescription, catalog

HERE = Path(__file__).parent
PAGE = HERE.parent / "gallery" / "index.md"
LARGE = ("murmuration", "trefoil", "hunt", "species", "obstacles", "couzin-torus", "formation", "quickstart")
"""Those with wider pictures."""

WIDTH, FRAMES, EVERY = 250, 34, 2
"""Pixels, pictures, and frames of the scenario from one picture to the next."""

POSTER = 0.55
"""Where a picture begins, as a part of the run: its first frame is the poster."""

HEROES = {"murmuration": 330, "trefoil": 500}
"""Crowds that need the width of a page, and the frame of the scenario at which their pictures begin."""

BESIDE = {"hunt": 60, "obstacles": 150, "formation": 60}
"""The same of those that the readme has in a row."""

HERO_WIDTH, HERO_FRAMES = 800, 20
"""Pixels, and pictures; the site's first page has two of these and stays below three megabytes."""

BESIDE_WIDTH, BESIDE_FRAMES = 400, 40
"""The same for those in a row."""

BARE = {"title": "", "overlay.caption": "", "overlay.legend": False}
"""Keys that keep letters out of a picture: those of the readme, and lit ones, whose ground letters would hide."""

SMALLEST = 2.0
"""Pixels of a boid; where it would have less than half of them, a picture is twice as wide, lest a crowd be a blot."""

CROWD = 400
"""Boids beyond which a picture is half as long, since it takes more room; with trails it is three quarters as long."""


def moving(name: str) -> None:
    """Render a preset small, from its poster on, without letters that nobody could read."""
    whole = load_scenario(name)
    crowd = sum(flock.count for flock in whole.flock) > CROWD
    wanted = FRAMES // 2 if crowd else FRAMES * 3 // 4 if whole.style.trails else FRAMES
    frames = min(wanted, whole.time.frames // EVERY)
    tiny = _length(whole) * WIDTH / whole.picture_size[0] < SMALLEST / 2
    width = WIDTH * 2 if tiny else WIDTH * 5 // 4 if name in LARGE else WIDTH
    short = _steady(load_scenario(name, overrides=_small(whole, width, frames)))
    start = max(min(round(POSTER * whole.time.frames), whole.time.frames - frames * EVERY), 0)
    render(short, HERE / "gallery" / f"{name}.gif", states=_part(whole, start, frames))


def hero(name: str) -> None:
    """Render a preset as wide as a page, without letters, from where it looks best."""
    draft = {"output.format": "webp", "output.quality": "draft"}
    _shown(name, f"{name}.webp", HEROES[name], HERO_WIDTH, HERO_FRAMES, draft)


def beside(name: str) -> None:
    """The same for a row."""
    _shown(name, f"{name}.gif", BESIDE[name], BESIDE_WIDTH, BESIDE_FRAMES, {})


def _shown(name: str, file: str, start: int, width: int, frames: int, more: dict[str, object]) -> None:
    whole = load_scenario(name, overrides=BARE)
    short = _steady(load_scenario(name, overrides={**_small(whole, width, frames), **BARE, **more}))
    render(short, HERE / file, states=_part(whole, start, frames))


def page() -> str:
    """The page, in Markdown: a card for each preset, in the groups of the catalog, with tags to filter by."""
    groups = groupby(catalog(), key=lambda entry: entry.group.heading)
    return "\n".join([_HEAD, *(_section(heading, map(_card, inside)) for heading, inside in groups)])


def _small(whole: Scenario, width: int, frames: int) -> dict[str, object]:
    across, down = whole.picture_size
    size = [width, round(down * width / across)]
    small = {"output.size": size, "output.fps": 12.5, "output.format": "gif", "time.frames": frames, "title": ""}
    small["output.loop_seam"] = 0
    sized = {} if whole.style.size is None else {"style.size": max(_length(whole) * width / across, SMALLEST)}
    return small | sized | (BARE if whole.style.colors.light else {})


def _steady(scenario: Scenario) -> Scenario:
    """The scenario without slow motion, of which a few frames would show nothing."""
    sets = ({key: value for key, value in event.set.items() if key != "time.rate"} for event in scenario.events)
    events = [event.model_copy(update={"set": kept}) for event, kept in zip(scenario.events, sets, strict=True)]
    return scenario.model_copy(update={"events": tuple(events)})


def _length(whole: Scenario) -> float:
    """Length of a boid in the whole picture, in pixels."""
    return whole.style.length(whole.picture_size, 1)


def _part(whole: Scenario, start: int, frames: int) -> Iterator[State]:
    shown = islice(simulate(whole), start, start + frames * EVERY, EVERY)
    # A chart begins with the first picture; captions come where they come in the whole run.
    return (replace(state, frame=number) if whole.overlay.chart else state for number, state in enumerate(shown))


def _section(heading: str, cards: Iterable[str]) -> str:
    return f'## {heading}\n\n<div class="gallery" markdown>\n\n{"".join(cards)}</div>\n'


def _card(entry: KeyDescription) -> str:
    tags = ", ".join((entry.group.level, *entry.tags))
    return _CARD.replace("NAME", entry.preset.name).replace("TAGS", tags).replace("TITLE", entry.preset.title)


_HEAD = """---
hide: [navigation, toc]
---

# Gallery

Every preset in motion. Copy a command to render the clip; with `.html` instead of `.gif` it makes an
[interactive page](../how-to/page.md), such as this one: click to add a third hawk. `boidsgen new my.toml --from NAME`
starts your own scenario. `boidsgen gallery -o gallery.html` makes one offline file of all presets.

![Two hawks chase the nearest boid](../pictures/gallery/hunt.gif){ data-page="hunt" }
"""
_CARD = """<div class="card" id="NAME" data-tags="TAGS" markdown>

![NAME](../pictures/gallery/NAME.gif){ loading=lazy }

**NAME.** TITLE

```sh
boidsgen render NAME -o NAME.gif
```

<details data-search-exclude markdown><summary>Scenario</summary>

```toml
--8<-- "configs/NAME.toml"
```

</details>

</div>

"""


def main() -> None:
    """Render what is named, and write the page."""
    names = [preset.name for preset in presets()] if sys.argv[1:] == ["all"] else sys.argv[1:]
    for name in names:
        moving(name)
        if name in HEROES:
            hero(name)
        if name in BESIDE:
            beside(name)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
