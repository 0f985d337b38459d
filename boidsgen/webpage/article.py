"""Articles: Markdown whose fenced blocks become live flocks, as one page that needs no other file.

A block named `boidsgen` holds the name of a scenario, or TOML as in a scenario file, with `height` and `controls`
besides. One named `question` holds answers, of which a reader chooses one. Names in braces become numbers of the
nearest flock before them: a measure changes with the flock, and a key can be dragged. markdown-it makes the rest, and
shows HTML as text.

Each flock is a page of its own in a frame. What these pages have in common is stored once; article.js joins the parts.
An error names the line of the Markdown.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from boidsgen.errors import ScenarioError, StorageError, join_words, printable
from boidsgen.scenario.documents import document_of, line_of
from boidsgen.scenario.layers import from_text
from boidsgen.scenario.lessons import BRACES, number_at
from boidsgen.scenario.loading import draft
from boidsgen.scenario.scenario import Page, Scenario
from boidsgen.scenario.sources import Source
from boidsgen.scenario.wording import suggestion
from boidsgen.simulation.profiles import KERNEL_MEASURES
from boidsgen.simulation.run import simulate
from boidsgen.system import read_input
from boidsgen.webpage import writer
from boidsgen.webpage.controls import sliders_of
from boidsgen.webpage.document import numbered, unable
from boidsgen.webpage.look import without_panels
from boidsgen.webpage.outer import outer_page

HEIGHT, LEAST_HEIGHT, MOST_HEIGHT = 460, 100, 1200  # Pixels of a flock: by default, at least and at most
PICTURE_ALONE = ("title=''", "overlay.caption=''", "overlay.legend=false", "overlay.hud=false", "output.page=auto")
"""Overrides that take words out of a picture: the text around it says what it shows."""
IMAGES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}  # by their first bytes
MAX_IMAGE = 2_000_000  # Bytes of an image, which becomes a part of the page
BUTTONS = """<button type="button" class="play" aria-label="Play"><svg viewBox="0 0 16 16" aria-hidden="true">
<path class="rests" d="M4 2v12l9-6z"/><path class="plays" d="M5 2v12M11 2v12"/></svg></button>
<button type="button" class="again" aria-label="Restart"><svg viewBox="0 0 16 16" aria-hidden="true">
<path d="M3 3v4h4M3 7a5.5 5.5 0 1 1 0 3.500"/></svg></button>"""
LINKS = ("https://", "http://", "mailto:")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_PRESET = re.compile(r"(\s*)([\w./\\-]+)(\s*)")
_CHOICE = re.compile(r"\s*[-*] \[([ xX])\] +(.+)")
_NUMBER = re.compile(r"([\w.-]+?)(?::\.(\d)f?)?")


class _Flock(NamedTuple):
    """A flock in the text."""

    scenario: Scenario
    data: dict[str, Any]  # of its page
    movable: set[str]  # keys that readers can change
    height: int


def article_text(text: str, path: Path) -> str:
    """The page of an article.

    Args:
        text: its Markdown.
        path: of its file, for messages; images and scenarios are found from there.

    Raises:
        ScenarioError: a block, a number, a question, a link or an image is wrong.
    """
    return _Article(text, path).page()


class _Article:
    def __init__(self, text: str, path: Path) -> None:
        self._path, self._label, self._title = path, printable(str(path)), path.stem
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._flocks: list[_Flock] = []
        self._names: dict[str, int] = {}  # of flocks, with their numbers
        self._nearest = -1  # the number of the flock above
        tokens = self._markdown.parse(text)
        for token, following in zip(tokens, [*tokens[1:], None], strict=True):
            if _kind(token) == "boidsgen":
                self._read(token)
            elif token.tag == "h1" and following and following.type == "inline" and self._title == path.stem:
                self._title = "".join(child.content for child in following.children or ()) or path.stem
        self._body = self._html(tokens)

    def page(self) -> str:
        """The page: the text, and the flocks with marks in the place of what they have in common."""
        shared, flocks = dict[str, int](), [one.data for one in self._flocks]
        unused = [*map(writer.unused_modules, flocks)]
        without = frozenset[str]().union(*unused).intersection(*unused)
        marked = [writer.with_marks(writer.filled(one, "", "", without=without), shared) for one in flocks]
        language = next((one["language"] for one in flocks if one["language"]), "")
        parts = {
            "title": escape(self._title),
            "body": self._body,
            "flocks": writer.packed(writer.script_json([[*shared], marked])),
        }
        return outer_page(
            "article",
            writer.resource("article.html"),
            parts,
            modules=["article"],
            language=language,
            told={"Play", "Restart", "Answers", *(word for one in flocks for words in _sliders(one) for word in words)},
            within=(writer.scripts_of(without), map(writer.style_of, flocks)),
        )

    def _wrong(self, line: int, wording: str) -> ScenarioError:
        return ScenarioError([f"{self._label}:{line}: {wording}"])

    def _read(self, token: Token) -> None:
        """Read the flock of a block, whose text keeps its lines, so that errors name those of the article."""
        begin, name = _line(token) + 1, " ".join(token.info.split()[1:])
        if name and (not _NAME.fullmatch(name) or name in {"flock", "predators", *KERNEL_MEASURES, *self._names}):
            raise self._wrong(begin - 1, f"{name}: cannot be the name of a flock, or is that of another one")
        content = token.content
        if found := _PRESET.fullmatch(content):
            content = f'{found[1]}extends = "{found[2]}"{found[3]}'
        content = "\n" * (begin - 1) + content
        own, lines, line_at = document_of(content, self._label), content.split("\n"), line_of(content)
        height, stem = own.get("height", HEIGHT), name or self._path.stem
        if type(height) is not int or not LEAST_HEIGHT <= height <= MOST_HEIGHT:
            wrong = f"height: must be a whole number of pixels from {LEAST_HEIGHT} to {MOST_HEIGHT}"
            raise self._wrong(line_at(("height",)), wrong)
        for key, known in {"height": "#height", "controls": "page.controls"}.items():
            if key in own:  # which a scenario has elsewhere, or not at all
                at = line_at((key,)) - 1
                lines[at] = lines[at].replace(key, known, 1)
        source = Source(self._label, stem, "\n".join(lines), self._path)
        scenario = draft(source, [*map(from_text, PICTURE_ALONE)]).scenario()
        if why := unable(scenario):
            raise self._wrong(begin, f"{writer.in_english([why])} Flocks of an article are live")
        controls = (scenario.page.controls or ()) if {"controls", "page"} & {*own} else ()
        scenario = scenario.model_copy(update={"page": Page(controls=controls, language=scenario.page.language)})
        data, _ = writer.page_data(scenario, name=stem, seeds=1)
        data |= {"embedded": True, "autoplay": False}
        data["look"]["least"] = 0.0  # Letters are always too small for the picture, which then shows the world alone
        movable = writer.movable_keys(scenario, data["document"])
        keys = [numbered(one if isinstance(one, str) else one.key) for one in controls]
        if fixed := [key for key in keys if key not in {one["key"] for one in data["controls"]}]:
            raise self._wrong(line_at(("controls",)), f"controls: readers cannot change {fixed[0]} of this scenario")
        self._names |= {name: len(self._flocks)} if name else {}
        self._flocks.append(_Flock(scenario, data, movable, height))

    def _html(self, tokens: Sequence[Token]) -> str:
        """The HTML of a part of the text."""
        for token in tokens:
            if token.type == "inline":
                token.children = [*self._inline(token)]
            elif _kind(token) == "boidsgen":
                self._nearest += 1
                token.type, token.content = "html_block", self._figure(self._nearest)
            elif _kind(token) == "question":
                token.type, token.content = "html_block", self._question(token)
        return str(self._markdown.renderer.render(tokens, self._markdown.options, {}))

    def _inline(self, token: Token) -> Iterator[Token]:
        """The parts of a paragraph, with numbers in the place of names in braces."""
        line = _line(token)
        for child in token.children or ():
            line += child.type in {"softbreak", "hardbreak"}
            if child.type == "link_open" and not str(child.attrs["href"]).startswith((*LINKS, "#")):
                raise self._wrong(line, f"link to {child.attrs['href']}: must begin with {join_words(LINKS)}")
            if child.type == "image":
                child.attrs["src"] = self._image(str(child.attrs["src"]), line)
            if child.type != "text":
                yield child
                continue
            for number, piece in enumerate(BRACES.split(child.content)):
                made = self._number(piece, line) if number % 2 else escape(piece)
                yield Token("html_inline", "", 0, content=made)

    def _image(self, address: str, line: int) -> str:
        """The address of an image as data."""
        if address.startswith("data:"):
            return address
        if ":" in address or address.startswith("//"):
            raise self._wrong(line, f"image {address}: an article works offline; save the image, and name its file")
        try:
            content = read_input(self._path.parent / unquote(address), MAX_IMAGE)
        except StorageError as error:
            raise self._wrong(line, f"image {error}") from None
        kinds = [kind for begin, kind in IMAGES.items() if content.startswith(begin)]
        if not kinds:
            raise self._wrong(line, f"image {address}: must be a {join_words(IMAGES.values())}")
        return f"data:image/{kinds[0]};base64,{writer.base64(content)}"

    def _number(self, braced: str, line: int) -> str:
        """A measure of a flock, or a key that can be dragged."""
        found = _NUMBER.fullmatch(braced)
        if not found:
            wrong = "must be a name, with optional decimals, as in {polarization:.2f}; or write it as `code`"
            raise self._wrong(line, f"{{{braced}}} {wrong}")
        name, number = found[1], self._nearest
        begin, _, rest = name.partition(".")
        if begin in self._names:
            name, number = rest, self._names[begin]
        if number < 0:
            raise self._wrong(line, f"{{{braced}}}: there is no flock above it; name one, as in {{fish.polarization}}")
        scenario, data, movable, _ = self._flocks[number]
        about = {"data-flock": number, "data-digits": found[2] or ""}
        if name in data["units"]:
            return _element("b", "…", about | {"data-measure": name})
        value = number_at(scenario, name)
        controls = sliders_of(scenario, [name] if value is not None and numbered(name) in movable else [])
        if not (control := next(controls, None)):
            wrong = f"is neither a measure of pages nor a number that readers move{suggestion(name, data['units'])}"
            raise self._wrong(line, f"{{{braced}}} {wrong}")
        about |= {"class": "drag", "data-key": numbered(name), "data-control": json.dumps(control)}
        return _element("b", f"{value:.3g}" if not found[2] else f"{value:.{found[2]}f}", about)

    def _figure(self, number: int) -> str:
        """A flock: its picture until it is alive, two buttons, and its sliders."""
        scenario, data, _, height = self._flocks[number]
        *_, wide, high = data["look"]["window"]
        room = _element("svg", "", {"width": round(height * wide / high), "viewBox": f"0 0 {wide} {high}"})
        first = writer.poster(without_panels(scenario), [next(iter(simulate(scenario)))])
        sliders = []
        for one, words in zip(data["controls"], _sliders(data), strict=True):
            label = " ".join(_element("span", word, {}) for word in words)
            value = number_at(scenario, one["key"])
            span = {"min": one["low"], "max": one["high"], "step": one["step"], "value": value}
            about = {"type": "range", **span, "data-flock": number, "data-key": one["key"]}
            slider = f"{_element('input', None, about)}<output>{value:.4g}</output>"
            sliders.append(f"<label><span>{label}</span>{slider}</label>")
        stage = _element("div", None, {"class": "picture", "role": "img", "aria-label": scenario.alt})
        return f"""<figure class="flock">{stage}{room}<img src="{first}" alt=""></div>
<div class="bar"><div class="buttons">{BUTTONS}</div>{"".join(sliders)}</div></figure>
"""

    def _question(self, token: Token) -> str:
        """A question with its answers as buttons, and the explanation below."""
        begin, lines = _line(token) + 1, token.content.split("\n")
        answers = {at: found for at, line in enumerate(lines) if (found := _CHOICE.fullmatch(line))}
        right = [at for at, found in answers.items() if found[1] != " "]
        if len(answers) < 2 or len(right) != 1:
            wrong = f"{len(answers)} answers, {len(right)} of them right; must be two or more, as in - [ ] text"
            raise self._wrong(begin - 1, f"question: {wrong}, and one right, as in - [x] text")
        first, last = min(answers), max(answers)
        if wild := [at for at in range(first, last) if at not in answers and lines[at].strip()]:
            raise self._wrong(begin + wild[0], "question: each answer must be a single line, as in - [ ] text")

        def html(at: int, text: str) -> str:
            tokens = self._markdown.parse("\n" * (begin + at - 1) + text)
            if inner := next(filter(_kind, tokens), None):
                raise self._wrong(_line(inner), "question: has no blocks within; put them before or after it")
            return self._html(tokens)

        buttons = ""
        for at, found in answers.items():
            words, mark = html(at, found[2]).strip().removeprefix("<p>").removesuffix("</p>"), at in right
            buttons += f'<button type="button" class="answer" data-right="{mark}">{words}</button>\n'
        ask, then = html(0, "\n".join(lines[:first])), html(last + 1, "\n".join(lines[last + 1 :]))
        return f"""<div class="question">{ask}
<div class="answers" role="group" aria-label="Answers">{buttons}</div>
<div class="outcome" role="status"><div hidden>{then}</div></div></div>
"""


def _sliders(data: Mapping[str, Any]) -> list[list[str]]:
    """The words beside each slider of a flock: its group if there are several, its rule, and what it changes."""
    several = len({one["group"] for one in data["controls"]}) > 1
    named = ([one["group"]] * several + [one["rule"], one["label"].replace("weight", "")] for one in data["controls"])
    return [[word.replace("_", " ") for word in words if word] for words in named]


def _kind(token: Token) -> str:
    """The language of a fenced block; empty for anything else."""
    return (token.info.split() or [""])[0] if token.type == "fence" else ""


def _line(token: Token) -> int:
    """The first line of a block, counted from 1."""
    return token.map[0] + 1 if token.map else 1


def _element(name: str, text: str | None, about: Mapping[str, object]) -> str:
    """An element with these attributes; without a text only its beginning."""
    attributes = "".join(f' {key}="{escape(str(value))}"' for key, value in about.items())
    return f"<{name}{attributes}>" + ("" if text is None else f"{escape(text)}</{name}>")
