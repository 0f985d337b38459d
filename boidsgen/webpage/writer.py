"""Pages: a scenario as one HTML file that plays it.

The parts of a page lie beside this module. `page_text` strips comments, joins the modules of the script, and embeds
everything under a policy that allows nothing else: script and style by their hashes, the font as data. Titles and names
are JSON or escaped text, never markup. A page needs no other file.

Words of pages are English in their sources; words/*.toml have them in other languages, by the English text.
"""

import json
import re
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache, partial
from graphlib import TopologicalSorter
from gzip import compress
from hashlib import sha256
from html import escape
from importlib.resources import files
from io import BytesIO
from itertools import chain
from logging import getLogger
from typing import Any

from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.text import OUR_FONT, font_file, typeface
from boidsgen.drawing.themes import MIN_CONTRAST, contrast
from boidsgen.errors import ScenarioError
from boidsgen.output.pictures import image_of
from boidsgen.scenario.layers import as_text
from boidsgen.scenario.lessons import number_at
from boidsgen.scenario.reference import as_tables, is_tables
from boidsgen.scenario.scenario import BY_PAGE, Scenario, makers, non_defaults, provenance
from boidsgen.scenario.wording import pairs
from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.simulation.rules.pursuit import Attractor
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Predators, Setup, State, own_rules
from boidsgen.system import parsing
from boidsgen.tables import Table, attributes
from boidsgen.version import __version__
from boidsgen.webpage.controls import lesson, shortcuts, sliders, telling, tools, with_numbered
from boidsgen.webpage.document import MAX_SEEDS, PAGE_VERSION, document, numbered, recorded, tables_of, unable
from boidsgen.webpage.look import drawn_groups, lit, look, without_panels

MAX_STARTS_BYTES = 60_000  # Bytes that the starts for other seeds may take
WARM_UP = 20_000  # Steps of single boids before the first frames of all seeds, beyond which a page has two, then one
SPARES: Mapping[str, Table] = {
    "attractors": Attractor.model_validate({"weight": 0.0}),
    "predators": Predators.model_validate({"count": 0, "path": {"kind": "circle", "scale": 0.0}}),
}
"""Tables that do nothing until a click gives the attractor its weight, or lets the predator come."""
ASCII = "".join(map(chr, range(32, 127))) + "¼½…·∞°"  # Characters of the font that every page embeds

LEADING = 5.6  # Least contrast of words in a color of boids with the background: on a card it is a fifth less
POSTER, POSTER_QUALITY = 640, 60  # Longest side in pixels, and quality from 0 to 100
EMBEDDED = "img-src data: blob:", "font-src data:"  # What pages load besides scripts and styles: what they embed
RECORDED = "This is a recording: it plays, but cannot be changed."
OF_SAVED_RUN = "It shows a saved run."
INTERPOLATED = "One in {every} frames is stored; the others are interpolated."
"""What pages say of recordings."""
LANGUAGES = ("de", "fr", "es")  # Of the words of pages, besides English
FAILED = """} catch (error) {
document.body.classList.add("failed");
document.getElementById("error").textContent =
$words.phrase("This page cannot run here: {error}. It needs a browser of 2023 or later, and the whole file.",
{ error: $words.reason(error) });
}"""
"""End of the script of a page: in the place of an exception a sentence, and the poster."""

_WAITING = ("page", "loader")  # Modules that await something, and are the last of their script

_COMMENTS = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_EMPTY = re.compile(r'(<(?:style|script) id="(\w+)"[^>]*>)(?=</)')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|Infinity')
_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*\n", re.DOTALL | re.MULTILINE)
_TYPE = re.compile(r"/\*\*(?:(?!\*/).)*\*/ ?", re.DOTALL)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:\{\};\n)?", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


def page_text(scenario: Scenario, states: Iterable[State] | None = None, name: str = "scenario") -> str:
    """The page of a scenario, or, with `states`, of a saved run of it.

    Args:
        scenario: to be shown.
        states: of a saved run, one per frame; the page then is a recorded one.
        name: of what is saved on the page, without extension.

    Raises:
        ScenarioError: it asks for a live page, and a page cannot compute it.
    """
    if states is None:
        data, recording = page_data(scenario, None, name)
        # Without warm-up, for a picture that only those see whose browser cannot run the page.
        clock = scenario.time.model_copy(update={"warmup": 0})
        first = next(iter(simulate(scenario.model_copy(update={"time": clock}))))
    else:
        first = next(given := iter(states))
        data, recording = page_data(scenario, chain([first], given), name)
    about = provenance(scenario, own_rules(scenario))
    return filled(data, recording, about, without=unused_modules(data), poster=poster(scenario, [first]))


def poster(
    scenario: Scenario,
    states: Iterable[State],
    size: tuple[int, int] | None = None,
    quality: int = POSTER_QUALITY,
    exposed: range = range(0),
) -> str:
    """A picture of the last of these states, as the address of its data, with trails of those before.

    Where frames are exposed, it has their paths instead of trails. With a size it is cut to its ratio, or where it is
    wider and its ground one color, extended by that; otherwise its longest side has `POSTER` pixels at most.
    """
    from PIL.ImageOps import fit, pad  # noqa: PLC0415  a clip must not wait for them

    from boidsgen.drawing.exposure import LongExposure  # noqa: PLC0415  few posters have one

    with typeface(scenario.style.font):
        exposure = partial(LongExposure, frames=exposed) if exposed else Renderer
        draw = exposure(scenario, scenario.picture_size)
        *before, last = states
        for state in before:
            draw.note(state)
        picture = image_of(draw(last)).convert("RGB")
    if size and not scenario.style.colors.light and picture.width * size[1] > picture.height * size[0]:
        picture = pad(picture, size, color=scenario.style.colors.background)
    elif size:
        picture = fit(picture, size)
    else:
        picture.thumbnail((POSTER, POSTER))
    content = BytesIO()
    picture.save(content, "WEBP", quality=quality)
    return f"data:image/webp;base64,{base64(content.getvalue())}"


def base64(content: bytes) -> str:
    """Bytes as text."""
    return b64encode(content).decode()


def page_data(
    scenario: Scenario, states: Iterable[State] | None = None, name: str = "scenario", seeds: int = 0
) -> tuple[dict[str, Any], str]:
    """Data that the script of a page reads, and its recording, empty for a live page; see `page_text`.

    With 0 `seeds` there are as many as the page has room for.
    """
    why = (OF_SAVED_RUN, dict[str, str]()) if states is not None else unable(scenario)
    wanted = scenario.output.page
    if wanted == "live" and why:
        raise ScenarioError([f'output.page: {in_english([why])} Use "auto" or "recorded".'])
    live = not why and wanted != "recorded"
    clicks = live and scenario.world.dimension == 2
    touched = with_spares(scenario) if clicks else scenario
    with typeface(scenario.style.font):
        seen = look(scenario) | {"groups": [*drawn_groups(touched)], "lit": lit(without_panels(touched))}
    told: dict[str, Any] = {"frames": scenario.time.frames, **tables_of(scenario)}
    movable, about, recording, notice = set[str](), None, "", list[tuple[str, dict[str, str]]]()
    if live:
        told = document(touched, seeds or _seeds(scenario))
        movable = movable_keys(scenario, told)
    else:
        for event in told["events"]:  # a recording places nobody
            event["set"] = {key: value for key, value in event["set"].items() if ".start" not in key}
        run = simulate(scenario) if states is None else states
        about, recording = recorded(scenario, run, seen["cameras"][0]["scale"])
        notice += [(RECORDED, {}), *([why] if why else [])]
        if about["every"] > 1:
            notice.append((INTERPOLATED, {"every": f"{about['every']}"}))
    asked = lesson(scenario, movable)
    said = [asked, seen["title"], [one["text"] for one in seen["captions"]]]
    return {
        "name": re.sub(r"[^\w-]+", "-", name) or "scenario",
        "language": scenario.page.language,
        "words": {language: _preset_words(said, language) for language in _offered(scenario.page.language)},
        "alt": scenario.alt,
        "document": told,
        "look": seen,
        "autoplay": scenario.page.autoplay,
        "recording": about,
        "controls": [one for one in (sliders(scenario) if live else ()) if one["key"] in movable],
        "spare": {name: len(getattr(scenario, name)) for name in SPARES} if clicks else None,
        "tools": tools(scenario) if clicks else {},
        "shortcuts": [*shortcuts(scenario)] if live else [],
        "spawn": scenario.page.spawn,
        "text": scenario_parts(scenario),
        "notice": notice,
        "beside": None,
        "keys": {},
        "measure": telling(scenario, next(iter(scenario.page.try_), None)),
        "lesson": asked,
        "digest": digest_of(scenario),
        "units": {name: MEASURES[name].unit for name in KERNEL_MEASURES},
        "clip": {
            "about": makers(own_rules(scenario), getattr(states, "states_from", "")) + BY_PAGE,
            "seed": str(scenario.seed),
            "loop": scenario.output.loop or 0,
        },
    }, recording


def movable_keys(scenario: Scenario, told: Mapping[str, Any]) -> set[str]:
    """The keys that readers of a live page can change, with the numbers of their tables; `told` is its document."""
    counts = (f"flock.{number}.count" for number in range(len(scenario.flock)))
    return {*(key for key, _ in told["keys"]), *counts}.difference(told["settled"])


def in_english(phrases: Iterable[tuple[str, Mapping[str, str]]]) -> str:
    """The text of phrases, each with the values of its places."""
    return " ".join(text.format_map(values) if values else text for text, values in phrases)


def _offered(language: str) -> list[str]:
    """The languages, besides English, of a page for which this one was chosen, or none."""
    return [one for one in LANGUAGES if language in {"", one}]


@cache
def words_of(language: str) -> dict[str, dict[str, str]]:
    """The words of all pages, of outer pages alone, and of presets, in a language, by the English text."""
    words = tomllib.loads(resource(f"words/{language}.toml"))
    presets = {with_numbered(english): with_numbered(text) for english, text in words["presets"].items()}
    return {"page": words["page"], "outer": words["outer"], "presets": presets}


@cache
def packed_words(language: str) -> str:
    """The words of pages in the language that was chosen, or in all of them."""
    return packed(script_json({one: words_of(one)["page"] for one in _offered(language)}))


def _preset_words(said: object, language: str) -> dict[str, str]:
    """The texts of a preset, wherever they stand in what its page says, for which there are translations."""
    if isinstance(said, str):
        return {said: known[said]} if said in (known := words_of(language)["presets"]) else {}
    parts = said.values() if isinstance(said, Mapping) else said if isinstance(said, list | tuple) else ()
    return dict(chain.from_iterable(_preset_words(part, language).items() for part in parts))


def digest_of(scenario: Scenario) -> str:
    """Digest of what happens in a scenario and of what its page asks, to which links belong, whatever it looks like."""
    given: dict[str, Any] = non_defaults(scenario, scenario.theme_defaults)
    kept: dict[str, Any] = {key: value for key, value in given.items() if key in attributes(Setup)}
    if page := {key: value for key, value in without_session(given.get("page", {})).items() if key != "language"}:
        steps = [{key: value for key, value in one.items() if key != "answer"} for one in page.get("try", ())]
        kept |= {"page": page | ({"try": steps} if steps else {})}
    return sha256(as_text(kept).encode()).hexdigest()[:8]


def without_session(page: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a page without what it says of a session."""
    return {key: value for key, value in page.items() if key != "session"}


def with_spares(scenario: Scenario) -> Scenario:
    """The scenario with one more table of each kind that a click brings to life."""
    more = {name: (*getattr(scenario, name), spare) for name, spare in SPARES.items()}
    return with_numbers(scenario).model_copy(update=more)


def with_numbers(scenario: Scenario) -> Scenario:
    """The scenario with keys in its events that stay right when another table follows."""
    events = [
        event.model_copy(update={"set": {numbered(key): value for key, value in event.set.items()}})
        for event in scenario.events
    ]
    return scenario.model_copy(update={"events": (*events,)})


def _seeds(scenario: Scenario) -> int:
    """Number of seeds for which a page has a start."""
    boids = sum(scenario.most_boids)
    if boids * scenario.time.warmup > WARM_UP:
        return 2 if boids * scenario.time.warmup < 10 * WARM_UP else 1
    return max(1, min(MAX_SEEDS, MAX_STARTS_BYTES // max(1, boids * scenario.world.dimension * 22)))


def scenario_parts(scenario: Scenario) -> dict[str, Any]:
    """The scenario as TOML, in the parts between which a page puts seed, time and what was done."""
    written_out: dict[str, Any] = non_defaults(scenario, scenario.theme_defaults)
    events: Any = non_defaults(with_numbers(scenario)).get("events", ())
    found = {key: value for key, value in written_out.items() if key not in {"seed", "events", "extends"}}
    if page := without_session(found.pop("page", {})):
        found["page"] = page
    time = {"frames": scenario.time.frames, **found.pop("time", {})}
    time.pop("duration", None)
    keys = {key: value for key, value in found.items() if not is_tables(value)}
    tables = {key: value for key, value in found.items() if is_tables(value)}
    return {
        "keys": "".join(f"{pair}\n" for pair in pairs(keys)),
        "time": time,
        "tables": "\n".join(as_tables((), tables)),
        "spare": {name: "\n".join(as_tables((), {name: [non_defaults(one)]})) for name, one in SPARES.items()},
        "events": ["\n".join(as_tables((), {"events": [event]})) for event in events],
    }


def filled(
    data: Mapping[str, Any],
    recording: str,
    text: str,
    *,
    without: frozenset[str],
    styles: Iterable[str] = (),
    poster: str = "",
) -> str:
    """The page with this data, which embeds a text and allows the pages within it these styles."""
    seen = data["look"]
    title = seen["title"] or data["name"]
    (loader, script), style = scripts_of(without), style_of(data)
    parts = {
        "policy": policy([loader, script], dict.fromkeys([style, *styles]), *EMBEDDED),
        "generator": f"boidsgen {__version__}, page format {PAGE_VERSION}",
        "title": escape(title),
        "name": escape(data["name"]),
        "alt": escape(data["alt"]),
        "poster": f'<img id="poster" src="{poster}" alt="{escape(data["alt"])}">' if poster else "",
        "scenario": script_json(text),
        "style": style,
        "page": script_json(data),
        "recording": recording,
        "kernel": kernel(),
        "languages": packed_words(data["language"]),
        "packed": packed(script),
        "script": loader,
    }
    page = _COMMENTS.sub("", resource("page.html")).replace('lang="en"', f'lang="{data["language"] or "en"}"', 1)
    return _EMPTY.sub(lambda found: found[1] + parts[found[2]], with_parts(page, parts))


def shared_parts(data: Mapping[str, Any], without: frozenset[str]) -> tuple[str, ...]:
    """Parts of a page with this data that pages within it need not embed again."""
    loader, script = scripts_of(without)
    return loader, packed(script), style_of(data), kernel(), packed_words(data["language"])


def with_parts(page: str, parts: Mapping[str, str]) -> str:
    """The page with a part in the place of each of its @NAME@."""
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], page)


class MarkedPage:
    """A page within another one, with marks in the places of some values, for which the outer one puts in others.

    It asks no question, and charts the measure of the outer page if pages have it.

    Attributes:
        measure: that it charts.
        notice: the reason why it can only play; empty for a live page.
    """

    def __init__(self, scenario: Scenario, name: str, measure: str) -> None:
        self._scenario = scenario
        self._data, recording = page_data(scenario, name=name)
        self._data |= {"lesson": None, "measure": measure if measure in KERNEL_MEASURES else self._data["measure"]}
        self.measure = str(self._data["measure"])
        self.notice = in_english(self._data["notice"]) if recording else ""

    def can_change(self, key: str) -> bool:
        """True for a key that a page takes another value of."""
        told = self._data["document"]
        return numbered(key) in {known for known, _ in told["keys"]}.difference(told["settled"])

    def is_whole(self, key: str) -> bool:
        """True if the value of a key of animals is a whole number."""
        return isinstance(number_at(self._scenario, key), int)

    def starts_like(self, scenario: Scenario) -> bool:
        """True if all animals of another scenario begin where those of the page do."""
        starts = self._data["document"]["starts"]
        seen = with_spares(scenario) if self._data["spare"] else scenario
        return bool(document(seen, len(starts))["starts"] == starts)

    def mark(self, marks: Mapping[str, str]) -> None:
        """Put marks where the values of the keys are: in tables, and in the scenario as an event."""
        changes = list[str]()
        for key, mark in marks.items():
            inner, (*names, last) = self._data["document"]["tables"], numbered(key).split(".")
            for name in names:
                inner = inner[int(name) if name.isdecimal() else name]
            inner[last] = mark
            changes.append(f'"{numbered(key)}" = {mark}')
        self._data["text"]["events"].insert(0, f"[[events]]\nat = 0\nset = {{ {', '.join(changes)} }}\n")

    def text(self) -> str:
        """The page itself, which embeds no scenario."""
        return filled(self._data, "", "", without=unused_modules(self._data))

    @property
    def colors(self) -> str:
        """The colors of its theme, as variables of CSS."""
        return root_colors(self._data["look"])

    @property
    def within(self) -> tuple[list[str], list[str]]:
        """Its scripts and its style."""
        return [*scripts_of(unused_modules(self._data))], [style_of(self._data)]


def script_json(value: object) -> str:
    """JSON that can stand within a script element; JavaScript reads 1e999 as infinity."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    text = _TOKEN.sub(lambda found: "1e999" if found[0] == "Infinity" else found[0], text)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def policy(scripts: Iterable[str], styles: Iterable[str], *more: str) -> str:
    """Content security policy that allows these scripts and styles, WebAssembly, and nothing else but `more`."""
    script, style = (
        " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)
        for texts in (scripts, styles)
    )
    allowed = (f"script-src {script} 'wasm-unsafe-eval'", f"style-src {style}", *more)
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


@cache
def resource(name: str) -> str:
    """The text of a file beside this module."""
    return (files("boidsgen.webpage") / name).read_text(encoding="utf-8")


def packed(text: str) -> str:
    """A text, compressed, in base64."""
    return base64(compress(text.encode(), mtime=0))


@cache
def kernel() -> str:
    """The kernel as WebAssembly, compressed, in base64."""
    return base64((files("boidsgen.webpage") / "kernel.wasm.gz").read_bytes())


def unused_modules(data: Mapping[str, Any]) -> frozenset[str]:
    """Modules of the script that a page with this data never uses."""
    modules = {
        ("lit", "pixels"): data["look"]["lit"],
        ("recording",): data["recording"],
        ("simulation", "starts"): not data["recording"],
        ("lesson",): data["lesson"],
        ("beside",): data["beside"],
    }
    return frozenset(name for names, used in modules.items() if not used for name in names)


def scripts_of(without: frozenset[str] = frozenset()) -> tuple[str, str]:
    """The script that a page begins with, and the one that it unpacks."""
    return script_of("loader"), script_of("page", without)


@cache
def script_of(main: str, without: frozenset[str] = frozenset()) -> str:
    """A module and all that it needs as one script: each a function that returns what it exports, as `$name`.

    Those in `without` export nothing.
    """
    needs: dict[str, list[str]] = {}
    waiting = [main]
    while waiting:
        name = waiting.pop()
        if name not in needs:
            needs[name] = (
                [source for _, source in _IMPORT.findall(resource(f"{name}.js"))] if name not in without else []
            )
            waiting += needs[name]
    *modules, own = (
        f"const ${name} = {{}};" if name in without else _wrapped(name)
        for name in TopologicalSorter(needs).static_order()
    )
    return "\n".join([*modules, f"try {{\n{own}\n{FAILED}" if main == "page" else own])


def _wrapped(name: str) -> str:
    """A module without comments and indentation; those that wait are no functions."""
    source = _TYPE.sub("", _COMMENT.sub("", resource(f"{name}.js")))
    source = _IMPORT.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = ${found[2]};\n", source)
    body = "\n".join(line.strip() for line in _EXPORT.sub("", source).splitlines() if line.strip())
    if name in _WAITING:
        return body
    return f"const ${name} = (() => {{\n{body}\nreturn {{ {', '.join(_EXPORTED.findall(source))} }};\n}})();"


def style_of(data: Mapping[str, Any]) -> str:
    """The style sheet of a page with this data: with the colors of the theme, and the font."""
    seen = data["look"]
    wide, high = seen["size"]
    texts = [data["lesson"], data["words"], *(words_of(one)["page"] for one in _offered(data["language"]))]
    words = json.dumps([seen["title"], seen["captions"], seen["hud"], texts], ensure_ascii=False)
    face = font_face("Film", words, seen["font"])
    sheet = re.sub(r"/\*.*?\*/\s*|(?<=[{};,])\n\s*|(?<=:) | (?=\{)", "", resource("page.css"), flags=re.DOTALL)
    colors = root_colors(seen, around=readable(seen["colors"], "around"), ratio=f"{wide / high:.6g}")
    return f"{colors}{face}\n{sheet}".strip()


def root_colors(seen: Mapping[str, Any], **more: str) -> str:
    """The colors of the theme of a page as variables of CSS, and others besides."""
    back, ink = readable(seen["colors"], "background"), seen["colors"]["text"]
    leads = seen["boids"] if not seen["lit"] else ()
    lead = next((color for color in leads if contrast(color, back) >= LEADING), ink)
    light_on_dark = contrast(ink, "#000000") > contrast(ink, "#ffffff")
    theme = {"back": back, "plate": back, "ink": ink, "scheme": "dark" if light_on_dark else "light", "lead": lead}
    return f":root{{{''.join(f'--{name}:{value};' for name, value in {**theme, **more}.items())}}}"


def readable(colors: Mapping[str, str], role: str) -> str:
    """A color behind letters, or that of the plate where they would be hard to read on it."""
    return colors[role] if contrast(colors["text"], colors[role]) >= MIN_CONTRAST["text"] else colors["plate"]


def font_face(family: str, words: str, name: str = OUR_FONT) -> str:
    """The rule of a style sheet that brings a font as this family: ASCII, and letters and capitals of some words."""
    with parsing(f"style.font: {name}"):
        content = _font("".join(sorted({*ASCII, *words, *words.upper()})), name)
    return f"@font-face{{font-family:{family};src:url(data:font/woff;base64,{base64(content)})}}"


@cache
def _font(letters: str, name: str) -> bytes:
    """A font with these characters alone, as WOFF."""
    from fontTools.subset import Options, Subsetter  # noqa: PLC0415  takes 100 ms
    from fontTools.ttLib import TTFont  # noqa: PLC0415

    getLogger("fontTools").setLevel("ERROR")  # it remarks what it leaves out
    font = TTFont(BytesIO(font_file(name)), recalcTimestamp=False, fontNumber=0)
    features = ["kern", "tnum"] if name == OUR_FONT else ["*"]
    subset = Subsetter(Options(layout_features=features, name_IDs=[], hinting=False, notdef_outline=True))
    subset.populate(text=letters)
    subset.subset(font)
    font.flavor = "woff"
    content = BytesIO()
    font.save(content)
    return content.getvalue()


_SHARED = re.compile(r'(?<=type="module">).*?(?=</script>)|(?<=\}\n)[^<]*(?=</style>)|[A-Za-z0-9+/]{300,}', re.DOTALL)


def with_marks(page: str, shared: dict[str, int]) -> str:
    """The page with @NUMBER@ in the place of each long part, which is added to `shared` where it is new."""
    return _SHARED.sub(lambda found: f"@{shared.setdefault(found[0], len(shared))}@", page)
