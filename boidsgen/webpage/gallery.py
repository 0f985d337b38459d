"""The gallery: presets in one page without any other file, each as a picture that a click makes a flock.

The pages of presets have most of their text in common. The gallery embeds every long part once (the script, the
kernel, fonts, starting positions), and the pages with marks in the places of those; `gallery.js` joins them again.
"""

import re
from collections.abc import Iterable
from gzip import compress
from html import escape
from itertools import groupby, islice

from boidsgen.scenario.loading import load_scenario
from boidsgen.scenario.reference import KeyDescription
from boidsgen.scenario.scenario import provenance
from boidsgen.simulation.run import simulate
from boidsgen.webpage.writer import base64, filled, frame_text, page_data, poster, script_json, script_of, style_of

MAX_BOIDS = 10_000  # Of a flock that is alive in the gallery: a start of so many takes half a megabyte
LIT = 0.6  # Size of pictures in lit themes, whose background is stored by the pixel, as a part of their usual size
MINIATURE, FRAME, PART = 320, 120, 0.55  # Longest side in pixels; the frame shown, and its part of the run at most
WORDLESS = {"title": "", "overlay.caption": "", "overlay.legend": False}  # Letters too small to be read
_SHARED = re.compile(r'(?<=type="module">).*?(?=</script>)|(?<=\}\n)[^<]*(?=</style>)|[A-Za-z0-9+/]{300,}', re.DOTALL)


def gallery_text(entries: Iterable[KeyDescription]) -> str:
    """The page of these entries of the catalog, in their groups."""
    shared, styles = dict[str, int](), dict[str, None]()
    groups, documents = list[str](), dict[str, tuple[str, str]]()
    for group, inside in groupby(entries, key=lambda entry: entry.group):
        groups.append(f"<section><h2>{escape(group.heading)}</h2><ul>")
        for entry in inside:
            preset, page = entry.preset, ""
            if sum(load_scenario(preset.name).most_boids) <= MAX_BOIDS:
                page, style = _page(preset.name)
                styles[style] = None
            groups.append(_card(entry, alive=bool(page)))
            marked = _SHARED.sub(lambda found: f"@{shared.setdefault(found[0], len(shared))}@", page)
            documents[preset.name] = (preset.text, marked)
        groups.append("</ul></section>")
    parts = {
        "groups": "".join(groups),
        "shared": script_json([*shared]),
        "documents": base64(compress(script_json(documents).encode(), mtime=0)),
    }
    return frame_text("gallery", parts, [script_of("page")], styles, "img-src data: blob:", "font-src data:")


def _page(name: str) -> tuple[str, str]:
    """The page of a preset, with one seed, and its style."""
    scenario = load_scenario(name)
    if scenario.style.colors.light:
        scenario = load_scenario(name, {"output.size": [2 * round(LIT * side / 2) for side in scenario.picture_size]})
    data, recording = page_data(scenario, name=name, seeds=1)
    return filled(data, recording, provenance(scenario), without=frozenset()), style_of(data)


def _card(entry: KeyDescription, *, alive: bool) -> str:
    name, title = entry.preset.name, escape(entry.preset.title)
    shown = load_scenario(name, WORDLESS)
    states = islice(simulate(shown), min(FRAME, round(PART * shown.time.frames)) + 1)
    picture = f'<img src="{poster(shown, states, MINIATURE)}" alt="">'
    start = f'<button type="button" class="start" aria-expanded="false">{picture}<span>{name}</span></button>'
    still = f"{picture}<p>Too many boids for this file: <code>boidsgen render {name} -o {name}.html</code></p>"
    tags = ", ".join((entry.group.level, *entry.tags))
    return f"""<li id="{name}" data-tags="{tags}" data-text="{escape(entry.text)}">
{start if alive else still}<h3>{name}</h3><p>{title}</p>
<p><button type="button" class="command">Copy command</button>
<button type="button" class="toml">Copy TOML</button></p></li>
"""
