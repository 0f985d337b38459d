"""Outer pages: the gallery, maps, the index of a sweep, that of `boidsgen live`, and articles.

All have one frame, `outer.html`, and one sheet, `outer.css`, in our typeface and the colors of a theme. A page is its
body, its script, and what it allows besides: scripts and styles of the pages within it, and what it loads.

The gallery shows each preset as a picture; a click opens the page of the flock. The pages of presets have most of their
text in common, so the gallery embeds every long part once (the script, the kernel, fonts, starting positions), and the
pages with markers in place of those parts; `gallery.js` joins them again.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from itertools import islice, pairwise

from boidsgen.drawing.themes import THEMES, Theme
from boidsgen.scenario.loading import load_scenario
from boidsgen.scenario.reference import GROUPS, KeyDescription
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.simulation.run import simulate
from boidsgen.webpage.writer import (
    ASCII,
    EMBEDDED,
    LANGUAGES,
    filled,
    font_face,
    packed,
    page_data,
    policy,
    poster,
    resource,
    root_colors,
    script_json,
    script_of,
    scripts_of,
    style_of,
    with_marks,
    with_parts,
    words_of,
)

BY_DAY, BY_NIGHT = "paper", "night"  # Themes of pages that follow what the browser prefers
LETTERS = ASCII + "\N{EN DASH}\N{EM DASH}×±µ²³→↑↓é"  # Characters that outer pages write in our typeface


@cache
def by_preference() -> str:
    """The colors of the theme that the browser prefers."""
    light, dark = (
        root_colors({"colors": {"background": one.background, "text": one.text}, "boids": one.flocks, "lit": None})
        for one in (THEMES[BY_DAY], THEMES[BY_NIGHT])
    )
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"


def outer_style(colors: str, text: str) -> str:
    """The style sheet of an outer page: these colors, our typeface with the letters of a text, and `outer.css`."""
    return f"{colors}{font_face('Outer', LETTERS + text)}{_sheet()}"


@cache
def _sheet() -> str:
    """`outer.css` without comments and line ends."""
    sheet = re.sub(r"/\*.*?\*/", "", resource("outer.css"), flags=re.DOTALL)
    return re.sub(r" ?([{};,]) ?", r"\1", re.sub(r"\s+", " ", sheet)).strip()


def outer_page(
    kind: str,
    body: str,
    parts: Mapping[str, str],
    *,
    modules: Iterable[str] = (),
    script: str = "",
    colors: str = "",
    language: str = "",
    told: Iterable[str] = (),
    within: tuple[Iterable[str], Iterable[str]] = ((), ()),
    allowed: Iterable[str] = EMBEDDED,
) -> str:
    """An outer page.

    Args:
        kind: the class of its body, by which `outer.css` knows it.
        body: with @NAME@ in the places of its parts.
        parts: of the body, by name, as HTML; one is the title.
        modules: whose exports its script has as `$name`.
        script: which acts when the body is there.
        colors: variables of a theme; without them those that the browser prefers.
        language: that it speaks; without one that of the browser.
        told: texts of its parts in English that it says in its language.
        within: scripts and styles of the pages within it.
        allowed: directives of its policy besides.
    """
    scripts, styles = within
    whole = with_parts(body.strip(), parts)
    acts = "\n".join(['"use strict";', *map(script_of, modules), script])
    words = _words(acts, {*told, *re.findall(r"""[">]\s*([^"<>]*[^"<>\s])\s*["<]""", body)}, language)
    style = outer_style(colors or by_preference(), whole + words)
    frame = {
        "kind": kind,
        "language": language,
        "words": words.replace("&", "&amp;").replace("'", "&#39;"),
        "policy": policy([acts, *scripts], dict.fromkeys([style, *styles]), *allowed),
        "title": parts["title"],
        "style": f"<style>{style}</style>",
        "body": whole,
        "script": f"<script>{acts}</script>",
    }
    return with_parts(resource("outer.html"), frame)


def _words(acts: str, told: set[str], language: str) -> str:
    """Words of a script and of texts, in the language chosen or in all, as JSON by language and English text."""
    known = {one: words_of(one)["page"] | words_of(one)["outer"] for one in LANGUAGES if language in {"", one}}
    return json.dumps(
        {
            one: {english: text for english, text in words.items() if english in told or f'"{english}"' in acts}
            for one, words in known.items()
        },
        ensure_ascii=False,
    )


# The gallery

SHOWPIECES = ("murmuration", "trefoil", "word", "hunt", "couzin-torus")
"""Presets that the gallery begins with: a large one, and two rows beside it."""
FILTERS: Mapping[str, str] = {
    "for beginners": "introductory",
    "with predators": "predator",
    "with obstacles": "obstacle",
    "several flocks": "several flocks",
    "in 3D": "3D",
    "something happens": "events",
    "published models": "Published models, held to their sources",
    "one behavior each": "Concepts, one behavior each",
    "common errors": "Common errors",
}
"""What a reader may choose, and the level, tag or heading in the catalog of the presets that it shows."""
FIRST = "At a glance"  # Heading of the showpieces
MAX_ALIVE = 10_000  # Of a flock that is alive in the gallery: a start of so many takes half a megabyte
LIT_SIZE = 0.6  # Size of pages in lit themes, whose background is stored by the pixel, as a part of their usual size
PICTURES = {"lead": (720, 480), "showpiece": (480, 320), "card": (288, 192)}  # Pixels of pictures, all of one ratio
QUALITY = 55  # From 0 to 100
SHOWN_FRAME, SHOWN_PART = 120, 0.55  # The frame of pictures without a poster, and its part of the run at most


def gallery_text(entries: Iterable[KeyDescription]) -> str:
    """The page of these entries of the catalog: showpieces, then the others in their groups."""
    shared, styles, shown = dict[str, int](), dict[str, None](), sorted(entries, key=_place)
    first, groups, documents = dict[str, str](), dict[str, list[str]](), dict[str, tuple[str, str]]()
    titles = [_title(entry) for entry in shown]
    often = Counter(titles)
    for entry, plain in zip(shown, titles, strict=True):
        title = _told_apart(plain, entry.preset.name) if often[plain] > 1 else plain
        preset, page = entry.preset, ""
        if sum(load_scenario(preset.name).most_boids) <= MAX_ALIVE:
            page, style = _page(preset.name)
            styles[style] = None
        documents[preset.name] = (preset.text, with_marks(page, shared))
        if preset.name in SHOWPIECES:
            first[preset.name] = _card(entry, title)
        else:
            groups.setdefault(entry.group.heading, []).append(_card(entry, title))
    for heading, following in pairwise([*groups]):
        if len(groups[heading]) == 1:  # no row for one that the showpieces left behind
            groups[following] = groups.pop(heading) + groups[following]
    found = enumerate(groups.items())
    parts = {
        "title": "boidsgen gallery",
        "filters": "".join(
            f'<button type="button" value="{words}" aria-pressed="false">{words}</button>' for words in FILTERS
        ),
        "groups": _showpieces([first[name] for name in SHOWPIECES if name in first])
        + "".join(_group(heading, inside, "" if number else " open") for number, (heading, inside) in found),
        "documents": f'<script id="documents" type="text/plain">{packed(script_json([[*shared], documents]))}</script>',
    }
    within = scripts_of(), styles
    told = {FIRST, *FILTERS, *groups}
    return outer_page("gallery", resource("gallery.html"), parts, modules=["gallery"], told=told, within=within)


def _place(entry: KeyDescription) -> tuple[int, int]:
    """The place of a preset: that of its group, which may name it; the others of a group keep their order."""
    group, name = entry.group, entry.preset.name
    return GROUPS.index(group), group.names.index(name) if name in group.names else len(group.names)


def _title(entry: KeyDescription) -> str:
    return load_scenario(entry.preset.name).title or entry.preset.name


def _told_apart(title: str, name: str) -> str:
    """A title that several presets have, and what the name says besides: `Murmuration, 30,000`."""
    more = [part for part in name.split("-") if part not in title.lower()]
    return ", ".join([title, *(f"{int(part):,}" if part.isdecimal() else part for part in more)])


def _showpieces(cards: Sequence[str]) -> str:
    inside = "".join(cards)
    return f'<section class="showpieces"><h2>{FIRST}</h2><ul>{inside}</ul></section>\n' if cards else ""


def _group(heading: str, cards: Sequence[str], state: str) -> str:
    """A folded group of cards, whose heading has their number."""
    summary = f'<summary><h2>{escape(heading)}</h2> <span class="quiet">{len(cards)}</span></summary>'
    return f'<details class="group"{state}>{summary}<ul>{"".join(cards)}</ul></details>\n'


def _page(name: str) -> tuple[str, str]:
    """The page of a preset, with one seed, and its style."""
    scenario = load_scenario(name)
    if scenario.style.colors.light:
        scenario = load_scenario(
            name, {"output.size": [2 * round(LIT_SIZE * side / 2) for side in scenario.picture_size]}
        )
    data, recording = page_data(scenario, name=name, seeds=1)
    return filled(data, recording, provenance(scenario), without=frozenset()), style_of(data)


def _wordless(scenario: Scenario) -> Scenario:
    """The scenario without title, captions and legend, whose letters a small picture makes too small to be read."""
    overlay = scenario.overlay.model_copy(update={"caption": "", "legend": False})
    events = (*(one.model_copy(update={"caption": ""}) for one in scenario.events),)
    return scenario.model_copy(update={"title": "", "overlay": overlay, "events": events})


def _card(entry: KeyDescription, title: str) -> str:
    """A preset: its picture, all of the same ratio, its title, which is a button, and what that leaves open.

    That is its name, unless the title has all of its words, and its subject, without a beginning that is the title.
    """
    name = entry.preset.name
    scenario = load_scenario(name)
    shown = _wordless(scenario).posed
    middle = min(SHOWN_FRAME, round(SHOWN_PART * shown.time.frames))
    frame = middle if shown.poster is None else shown.poster
    first = name in SHOWPIECES
    size = PICTURES["lead" if name == SHOWPIECES[0] else "showpiece" if first else "card"]
    wide, high = size
    states = shown.posed_states(islice(simulate(shown), frame + 1))
    exposed = range(frame + 1 - shown.exposed_frames, frame + 1)
    picture = poster(shown, states, size=size, quality=QUALITY, exposed=exposed)
    tags = ", ".join(
        words for words, tag in FILTERS.items() if tag in {entry.group.level, entry.group.heading, *entry.tags}
    )
    loading = 'fetchpriority="high"' if first else 'loading="lazy" decoding="async"'
    colors = shown.style.colors
    bright = ' class="bright"' if not colors.light and Theme.letters_on(colors.background) == "#000000" else ""
    told = {*name.split("-")} - {"concept"} <= {*re.findall(r"[\w']+", title.lower())}
    code = "" if told else f' <code class="own">{name}</code>'
    begin, colon, rest = entry.preset.title.partition(": ")
    subject = rest[:1].upper() + rest[1:] if colon and title.lower() in begin.lower() else entry.preset.title
    title = escape(title)
    return f"""<li id="{name}"{bright} lang="en" data-tags="{tags}" data-text="{escape(entry.text)} {title.lower()}">
<img {loading} width="{wide}" height="{high}" src="{picture}" alt="">
<div><h3><button type="button" class="own">{title}</button>{code}</h3>
<p class="own">{escape(subject)}</p></div></li>
"""
